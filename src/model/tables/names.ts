/** The names of the tables: endpoints, structures, and the kinds of literals. */

export type LiteralKind =
  | "text"
  | "number"
  /** ISO 8601 in UTC, `YYYY-MM-DDThh:mm:ssZ`, including negative and five-digit years. */
  | "timestamp"
  /** `type/subtype` */
  | "media type"
  /** WKT or GeoJSON */
  | "geometry";

/** The structures that occur inside documents. Their tables are in `structures.ts`. */
export type StructureName =
  | ("Type" | "Name" | "Identifier" | "Statement" | "Language" | "TimeSpan" | "Dimension" | "MonetaryAmount")
  | ("Currency" | "RelationshipAssignment" | "Right" | "DigitalService")
  | ActivityStructureName
  | ProvenancePartName;

export const ACTIVITIES = [
  ...(["Activity", "Creation", "Formation", "Dissolution", "Birth", "Death", "Production"] as const),
  ...(["Destruction", "PartRemoval", "Modification", "Encounter", "Acquisition"] as const),
] as const;

export type ActivityStructureName = (typeof ACTIVITIES)[number];

export type ProvenancePartName =
  `${"Acquisition" | "Payment" | "TransferOfCustody" | "Encounter" | "RightAcquisition" | "Move" | "Promise" | "Transfer"}Part`;

/** The endpoints. Stored records refer to them by position, so the list may grow at its end but must not be reordered. */
export const ENDPOINT_NAMES = [
  ...(["place", "set", "object", "digital", "group", "person"] as const),
  ...(["text", "visual", "abstract", "concept", "provenance", "event"] as const),
] as const;

export type EndpointName = (typeof ENDPOINT_NAMES)[number];

/** The number of an endpoint in stores and search indexes; 0 stands for none. */
export function endpointNumber(endpoint: EndpointName | "none" | null): number {
  return 1 + (ENDPOINT_NAMES as readonly (string | null)[]).indexOf(endpoint);
}

/** The endpoint with a number in stores and search indexes; `null` for 0. */
export function endpointNumbered(number: number): EndpointName | null {
  return ENDPOINT_NAMES[number - 1] ?? null;
}
