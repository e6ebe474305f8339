/** The structures that occur inside documents and their field tables (specification, sections 2.5, 2.6, 2.13 and 2.15). */
import type { ClassName } from "../vocabulary/classes.js";
import {
  ACTORS,
  ANY_REFERENCE,
  CONTEXT,
  concept,
  DIMENSIONS,
  EVENTS,
  type Field,
  type FieldRow,
  IRI,
  MEDIA_TYPE,
  NAMES,
  NUMBER,
  oneOf,
  ownFields,
  reference,
  type Structure,
  specified,
  structure,
  TERM,
  TEXT,
  TIMESTAMP,
  unspecified,
  withExceptions,
} from "./fields.js";
import { ACTIVITIES, type ActivityStructureName, type ProvenancePartName, type StructureName } from "./names.js";

const STATEMENTS = structure("Statement");
const ASSIGNMENTS = structure("RelationshipAssignment");

const ID: FieldRow = ["id", "string", IRI, "A URI of the node."];
const LABEL: FieldRow = ["_label", "string", TEXT, "A label meant for developers."];
const CLASSIFIED_AS: FieldRow = ["classified_as", "array", structure("Type"), "Classifications."];
const IDENTIFIED_BY: FieldRow = ["identified_by", "array", NAMES, "Names and identifiers."];
const REFERRED_TO_BY: FieldRow = ["referred_to_by", "array", STATEMENTS, "Statements for people to read."];
const ASSIGNED_BY: FieldRow = ["assigned_by", "array", ASSIGNMENTS, "Who assigned it, and how."];
const EQUIVALENT: FieldRow = ["equivalent", "array", ANY_REFERENCE, "The same, described elsewhere."];
/** The rows of every node that may have names. */
const NAMED: readonly FieldRow[] = [ID, LABEL, IDENTIFIED_BY, REFERRED_TO_BY];
/** The rows of a value that is not known exactly. */
const LIMITS: readonly FieldRow[] = [
  ["lower_value_limit", "number", NUMBER, "The least that the value may be."],
  ["upper_value_limit", "number", NUMBER, "The most that the value may be."],
];
const OTHER_BOUNDS = ["begin_of_the_begin", "end_of_the_begin", "begin_of_the_end"] as const;
const NOTATION: FieldRow = ["notation", "string", TEXT, "A code for it."];

/** The rows of a reference: those of 2.1, and those that Linked Art adds. */
export const REFERENCE_FIELDS: readonly Field[] = [
  ...specified([ID, ["type", "required string", oneOf(), "The class of the entity."], LABEL]),
  ...unspecified([EQUIVALENT, NOTATION]),
];

/** The classes of structures that are not named after their class. */
const CLASSES: Readonly<Partial<Record<StructureName, ClassName>>> = {
  Statement: "LinguisticObject",
  RelationshipAssignment: "AttributeAssignment",
};

/** The structures of 2.15 that are not activities, with `Right` from 2.13 and `DigitalService` from 2.6. */
const DESCRIPTIVE_STRUCTURES: readonly Structure[] = [
  table("Type", "2.15", [ID, LABEL, CLASSIFIED_AS, ...unspecified([EQUIVALENT, NOTATION])]),
  table("Name", "2.15", [
    ["content", "string", TEXT, "The name itself."],
    CLASSIFIED_AS,
    ["language", "array", structure("Language"), "Languages of the name."],
    ...unspecified([
      ...NAMED,
      ["part", "array", structure("Name"), "Parts of the name, such as given name and family name."],
      ASSIGNED_BY,
    ]),
  ]),
  table("Identifier", "2.15", [
    ["content", "string", TEXT, "The identifier itself."],
    CLASSIFIED_AS,
    ...unspecified([...NAMED, ["part", "array", structure("Identifier"), "Parts of the identifier."], ASSIGNED_BY]),
  ]),
  table("Statement", "2.15", [
    CLASSIFIED_AS,
    ["content", "string", TEXT, "The text of the statement."],
    ...unspecified([
      ...NAMED,
      ["language", "array", structure("Language"), "Languages of the text."],
      ["format", "string", MEDIA_TYPE, "The media type of the text in `content`."],
      ["subject_to", "array", structure("Right"), "Rights over the text."],
      ["created_by", "object", structure("Creation"), "Who wrote the text, and when."],
    ]),
  ]),
  table("Language", "2.15", [ID, LABEL, NOTATION, ...unspecified([CLASSIFIED_AS, EQUIVALENT])]),
  table("TimeSpan", "2.15", [
    LABEL,
    ["identified_by", "array", structure("Name"), "The date as people write it."],
    ["begin_of_the_begin", "string", TIMESTAMP, "The earliest possible start."],
    ["end_of_the_end", "string", TIMESTAMP, "The latest possible end.", { notBefore: OTHER_BOUNDS }],
    ...unspecified([
      ID,
      CLASSIFIED_AS,
      REFERRED_TO_BY,
      ["end_of_the_begin", "string", TIMESTAMP, "The latest possible start.", { notBefore: ["begin_of_the_begin"] }],
      ["begin_of_the_end", "string", TIMESTAMP, "The earliest possible end.", { notBefore: ["begin_of_the_begin"] }],
      ["duration", "object", structure("Dimension"), "How long it lasted."],
    ]),
  ]),
  table("Dimension", "2.15", [
    CLASSIFIED_AS,
    ["value", "number", NUMBER, "The measured value."],
    ["unit", "object", concept("MeasurementUnit"), "The unit of the value."],
    ...unspecified([...NAMED, ...LIMITS, ASSIGNED_BY]),
  ]),
  table("MonetaryAmount", "2.13", [
    LABEL,
    ["value", "number", NUMBER, "The amount."],
    ["currency", "object", structure("Currency"), "The currency of the amount."],
    ...unspecified([ID, CLASSIFIED_AS, IDENTIFIED_BY, REFERRED_TO_BY, ...LIMITS, ASSIGNED_BY]),
  ]),
  table("Currency", "2.13", [ID, LABEL, NOTATION, ...unspecified([CLASSIFIED_AS, EQUIVALENT])]),
  table("Right", "2.13", [
    ID,
    ["_label", "recommended string", TEXT, "A label meant for developers."],
    ["identified_by", "recommended array", NAMES, "Names and identifiers of the right."],
    ["classified_as", "recommended array", structure("Type"), "Classifications."],
    REFERRED_TO_BY,
    ["dimension", "array", DIMENSIONS, "Dimensions, such as a share."],
    ["possessed_by", "array", ACTORS, "Who possessed the right."],
    ["applies_to", "array", ANY_REFERENCE, "Objects that the right pertains to."],
    ["part", "array", structure("Right"), "Rights that it consists of."],
  ]),
  table("DigitalService", "2.6", [
    ["@context", "required string or array", CONTEXT, "As for an entity."],
    ["id", "required string", IRI, "The HTTP(S) URI at which the description can be dereferenced."],
    ["_label", "recommended string", TEXT, "A label meant for developers."],
    ["classified_as", "recommended array", structure("Type"), "Classifications."],
    ["identified_by", "recommended array", NAMES, "Names and identifiers of the service."],
    REFERRED_TO_BY,
    ["access_point", "array", reference("DigitalObject"), "Where the service can be interacted with."],
    ["conforms_to", "array", reference("InformationObject"), "External specifications that it follows."],
    ...unspecified([["format", "string", MEDIA_TYPE, "The media type of what the service delivers."]]),
  ]),
];

/** 2.15, "Activity, Creation, Formation, ...": the properties of every activity structure. */
const ACTIVITY_FIELDS: readonly FieldRow[] = [
  LABEL,
  CLASSIFIED_AS,
  ["timespan", "object", structure("TimeSpan"), "When it happened."],
  ["took_place_at", "array", reference("Place"), "Where it happened."],
  ["carried_out_by", "array", ACTORS, "Who carried it out."],
  ["used_specific_object", "array", ANY_REFERENCE, "What was instrumental in it."],
  ["influenced_by", "array", ANY_REFERENCE, "What influenced it."],
];

/** The rows that Linked Art adds to activities. */
const FURTHER_ACTIVITY_FIELDS: readonly Field[] = unspecified([
  ID,
  IDENTIFIED_BY,
  REFERRED_TO_BY,
  ["attributed_by", "array", ASSIGNMENTS, "Relations to other entities."],
  ["during", "array", reference("Period"), "Periods during which it occurred."],
  ["before", "array", EVENTS, "What it occurred before."],
  ["after", "array", EVENTS, "What it occurred after."],
  ["caused_by", "array", EVENTS, "Events that caused it."],
  ["participant", "array", ACTORS, "Who took part without carrying it out."],
  ["technique", "array", structure("Type"), "Techniques used."],
]);

/** The rows of the event family only, for which the vocabulary has `part` and `part_of`. */
function partFields(part: StructureName): readonly Field[] {
  return unspecified([
    ["part_of", "array", EVENTS, "Events that this one is part of."],
    ["part", "array", structure(part), "What it consists of."],
  ]);
}

/** Activities without properties of their own. */
const PLAIN_ACTIVITIES = ACTIVITIES.filter(
  (name) => name !== "PartRemoval" && name !== "Encounter" && name !== "Acquisition",
);

const ACTIVITY_STRUCTURES: readonly Structure[] = [
  ...PLAIN_ACTIVITIES.map((name) => activity(name, "2.15")),
  activity(
    "PartRemoval",
    "2.15",
    unspecified([["diminished", "object", reference("HumanMadeObject"), "The object that the part was removed from."]]),
  ),
  // Encounter is not in the event family, so it has neither `part` nor `part_of`.
  table("Encounter", "2.15", [
    ...ACTIVITY_FIELDS,
    ...FURTHER_ACTIVITY_FIELDS,
    ...unspecified([["encountered", "array", ANY_REFERENCE, "Objects that were encountered."]]),
  ]),
  activity("Acquisition", "2.5", [
    ...specified([
      ["transferred_title_from", "array", ACTORS, "Previous owners.", { when: ["Acquisition"] }],
      ["transferred_title_to", "array", ACTORS, "New owners.", { when: ["Acquisition"] }],
    ]),
    ...unspecified([["transferred_title_of", "array", ANY_REFERENCE, "Objects whose ownership is transferred."]]),
  ]),
  table("RelationshipAssignment", "2.15", [
    LABEL,
    ["assigned", "array", ANY_REFERENCE, "The entities, or what else is assigned."],
    ...unspecified([
      ["assigned_property", "string", TERM, "The property by which they are related."],
      ...ACTIVITY_FIELDS.slice(1),
    ]),
    ...FURTHER_ACTIVITY_FIELDS,
    ...partFields("RelationshipAssignment"),
  ]),
];

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

/** The parts of a provenance record, which say what changed hands and how: their classes with their additional properties (2.13). */
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

export const STRUCTURES: ReadonlyMap<StructureName, Structure> = new Map(
  [...DESCRIPTIVE_STRUCTURES, ...ACTIVITY_STRUCTURES, ...PROVENANCE_PART_STRUCTURES].map((each) => [
    each.name,
    { ...each, fields: [...each.fields, ...ownFields(each.name)] },
  ]),
);

/** The structure with this name, with its table. */
export function structureNamed(name: StructureName): Structure {
  return STRUCTURES.get(name)!;
}

/** A structure with its rows, which are the specification's unless they say otherwise. `type` is placed after `id`. */
function table(name: StructureName, section: string, rows: readonly (FieldRow | Field)[]): Structure {
  const of = CLASSES[name] ?? (name as ClassName);
  const fields = rows.flatMap((row) => ("property" in row ? row : specified([row])));
  const isAhead = ({ property, specified }: Field): boolean =>
    specified && (property === "@context" || property === "id");
  const behind = fields.filter((row) => !isAhead(row));
  const type: FieldRow = ["type", "required string", oneOf(of), "The class of the node."];
  return { name, section, classes: [of], fields: [...fields.filter(isAhead), ...specified([type]), ...behind] };
}

/** The structure of an activity that is named after its class, with its own properties. */
function activity(name: ActivityStructureName & ClassName, section: string, own: readonly Field[] = []): Structure {
  const plain = table(name, section, [...ACTIVITY_FIELDS, ...FURTHER_ACTIVITY_FIELDS, ...partFields(name)]);
  return { ...plain, fields: withExceptions(plain.fields, own) };
}

/** A part of a provenance record, with its own properties. */
function part(name: ProvenancePartName, of: ClassName, rows: readonly FieldRow[]): Structure {
  const ofPart: FieldRow = ["type", "required string", oneOf(of), "The class of the part."];
  return {
    name,
    section: "2.13",
    classes: [of],
    fields: withExceptions(specified(PART_FIELDS), specified([ofPart, ...rows])),
  };
}
