/** The twelve endpoints (specification, section 4). */

export type EndpointName =
  | "place"
  | "set"
  | "object"
  | "digital"
  | "group"
  | "person"
  | "text"
  | "visual"
  | "abstract"
  | "concept"
  | "provenance"
  | "event";
