/** The names of the tables: endpoints, structures, and the kinds of literals. */

/** The kinds of literals. */
export type LiteralKind =
  | "text"
  | "number"
  /** ISO 8601 in UTC, `YYYY-MM-DDThh:mm:ssZ`, negative and five-digit years included. */
  | "timestamp"
  /** `type/subtype` */
  | "media type"
  /** WKT or GeoJSON */
  | "geometry";

/** The structures that occur inside documents; `structures.ts` and `provenance-parts.ts` have their tables. */
export type StructureName = DescriptiveStructureName | ActivityStructureName | ProvenancePartName;

type DescriptiveStructureName =
  | ("Type" | "Name" | "Identifier" | "Statement" | "Language" | "TimeSpan" | "Dimension" | "MonetaryAmount")
  | ("RelationshipAssignment" | "Right" | "DigitalService");

export const ACTIVITIES = [
  ...(["Activity", "Creation", "Formation", "Dissolution", "Birth", "Death", "Production"] as const),
  ...(["Destruction", "PartRemoval", "Modification", "Encounter", "Acquisition"] as const),
] as const;

export type ActivityStructureName = (typeof ACTIVITIES)[number];

export type ProvenancePartName =
  `${"Acquisition" | "Payment" | "TransferOfCustody" | "Encounter" | "RightAcquisition" | "Move" | "Promise" | "Transfer"}Part`;

/** Stored records name endpoints by their places here: the order may grow, never change. */
export const ENDPOINT_NAMES = [
  ...(["place", "set", "object", "digital", "group", "person"] as const),
  ...(["text", "visual", "abstract", "concept", "provenance", "event"] as const),
] as const;

export type EndpointName = (typeof ENDPOINT_NAMES)[number];

/** The number by which stores and search indexes name an endpoint; 0 stands for none. */
export function endpointNumber(endpoint: EndpointName | "none" | null): number {
  return 1 + (ENDPOINT_NAMES as readonly (string | null)[]).indexOf(endpoint);
}

/** The endpoint of a number in the store and the index; `null` for 0, which stands for none. */
export function endpointNumbered(number: number): EndpointName | null {
  return ENDPOINT_NAMES[number - 1] ?? null;
}
