/** The parts of a provenance record: what changed hands, and how (specification, section 2.13). */
import type { ClassName } from "../vocabulary/classes.js";
import {
  ACTORS,
  ANY_REFERENCE,
  type FieldRow,
  IRI,
  NAMES,
  oneOf,
  reference,
  type Structure,
  specified,
  structure,
  TEXT,
  withExceptions,
} from "./fields.js";
import type { ProvenancePartName } from "./names.js";

/** `{vocab_base}/300435599`, "promise": marks a part as a promise (2.13). */
const PROMISE = "300435599";

const PART_FIELDS: readonly FieldRow[] = [
  ["id", "string", IRI, "A URI of the part."],
  ["type", "required string", oneOf(), "The class of the part."],
  ["_label", "recommended string", TEXT, "A label meant for developers."],
  ["identified_by", "recommended array", NAMES, "Names and identifiers of the part."],
  ["classified_as", "recommended array", structure("Type"), "Further classifications."],
  ["referred_to_by", "array", structure("Statement"), "Statements about the part."],
  ["timespan", "recommended object", structure("TimeSpan"), "When it happened."],
  ["during", "array", reference("Period"), "Periods during which it occurred."],
  ["took_place_at", "array", reference("Place"), "Where it happened."],
  ["influenced_by", "array", ANY_REFERENCE, "What influenced it."],
  ["carried_out_by", "array", ACTORS, "Who carried it out."],
  ["participant", "array", ACTORS, "Who took part without carrying it out."],
  ["used_specific_object", "array", ANY_REFERENCE, "What was instrumental in it."],
];

/** The part classes with their additional properties. */
export const PROVENANCE_PART_STRUCTURES: readonly Structure[] = [
  part("AcquisitionPart", "Acquisition", [
    ["transferred_title_of", "required array", ANY_REFERENCE, "Objects whose ownership is transferred."],
    ["transferred_title_from", "array", ACTORS, "Previous owners."],
    ["transferred_title_to", "array", ACTORS, "New owners."],
  ]),
  part("PaymentPart", "Payment", [
    ["paid_amount", "object", structure("MonetaryAmount"), "The amount that was paid."],
    ["paid_from", "array", ACTORS, "Who provided part of the amount."],
    ["paid_to", "array", ACTORS, "Who received part of the amount."],
  ]),
  part("TransferOfCustodyPart", "TransferOfCustody", [
    ["transferred_custody_of", "required array", ANY_REFERENCE, "Objects whose custody is transferred."],
    ["transferred_custody_from", "array", ACTORS, "Previous custodians."],
    ["transferred_custody_to", "array", ACTORS, "New custodians."],
  ]),
  part("EncounterPart", "Encounter", [
    ["encountered", "required array", ANY_REFERENCE, "Objects that were encountered."],
  ]),
  part("RightAcquisitionPart", "RightAcquisition", [
    ["establishes", "required array", structure("Right"), "Rights that begin."],
    ["invalidates", "array", structure("Right"), "Rights that end."],
  ]),
  part("MovePart", "Move", [
    ["moved", "required array", ANY_REFERENCE, "Objects that were moved."],
    ["moved_from", "object", reference("Place"), "The place that they were moved from."],
    ["moved_to", "object", reference("Place"), "The place that they were moved to."],
  ]),
  part("PromisePart", "Activity", [
    ["classified_as", "required array", structure("Type"), "Further classifications.", { includes: PROMISE }],
  ]),
  part("TransferPart", "Transfer", [
    ["transferred", "required array", ANY_REFERENCE, "Objects that were transferred, in an unknown manner."],
    ["transferred_from", "array", ACTORS, "Whom they were transferred from."],
    ["transferred_to", "array", ACTORS, "Whom they were transferred to."],
  ]),
];

export const PROVENANCE_PARTS = PROVENANCE_PART_STRUCTURES.map(({ name }) => name);

function part(name: ProvenancePartName, of: ClassName, rows: readonly FieldRow[]): Structure {
  const type: FieldRow = ["type", "required string", oneOf(of), "The class of the part."];
  return {
    name,
    section: "2.13",
    classes: [of],
    fields: withExceptions(specified(PART_FIELDS), specified([type, ...rows])),
  };
}
