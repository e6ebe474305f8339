/** The twelve endpoints and their field tables (specification, sections 2.2 to 2.14 and 4). */
import type { ClassName } from "../vocabulary/classes.js";
import { classIri } from "../vocabulary/vocabulary.js";
import {
  ACTORS,
  ANY_ENTITY,
  ANY_REFERENCE,
  CONTEXT,
  concept,
  DIMENSIONS,
  EVENTS,
  type Field,
  type FieldRow,
  type FieldTable,
  GEOMETRY,
  IRI,
  MEDIA_TYPE,
  NAMES,
  oneOf,
  ownFields,
  reference,
  specified,
  structure,
  TEXT,
  unspecified,
  withExceptions,
} from "./fields.js";
import type { EndpointName } from "./names.js";
import { PROVENANCE_PARTS, REFERENCE_FIELDS, STRUCTURES } from "./structures.js";

/** An endpoint. `fields` is the whole table: the common properties of 2.2 with this endpoint's exceptions, then its own properties. */
interface Endpoint extends FieldTable {
  /** The properties that its records do not have, although others do. */
  readonly absent: readonly Field[];
  readonly name: EndpointName;
  /** The endpoint's name in the specification. */
  readonly title: string;
  readonly section: string;
  /** Whether a document may have only the properties of the table (2.1). */
  readonly closed: boolean;
}

/** `{vocab_base}/300055863`, "provenance (history of ownership)": marks a record as a Provenance Activity (2.13). */
const PROVENANCE = "300055863";

const CONCEPTS = ["Type", "Material", "Language", "Currency", "MeasurementUnit"] as const;

/** Linked Art's Digital Object pattern: a work without an IRI, with the file in which it can be read or seen. */
const CARRIED = { unnamedWith: "digitally_carried_by" } as const;
const SHOWN = { unnamedWith: "digitally_shown_by" } as const;

/** 2.2 Common properties. */
export const COMMON_FIELDS: readonly Field[] = specified([
  ["@context", "required string or array", CONTEXT, "The data model's JSON-LD context, or an array that ends in it."],
  ["id", "required string", IRI, "The HTTP(S) URI at which the entity can be dereferenced."],
  ["type", "required string", oneOf(), "The class of the entity."],
  ["_label", "recommended string", TEXT, "A label meant for developers."],
  ["classified_as", "recommended array", structure("Type"), "Classifications."],
  ["identified_by", "recommended array", NAMES, "Names and identifiers of the entity."],
  ["referred_to_by", "array", structure("Statement"), "Statements about the entity, for people to read."],
  ["equivalent", "array", ANY_REFERENCE, "External identities and descriptions of the same entity."],
  ["representation", "array", reference("VisualItem"), "Visual Works that represent the entity.", SHOWN],
  ["member_of", "array", reference("Set"), "Sets that the entity is a member of."],
  ["subject_of", "array", reference("LinguisticObject"), "Textual Works about the entity.", CARRIED],
  ["attributed_by", "array", structure("RelationshipAssignment"), "Relations to other entities."],
]);

/** What Sets and Groups do not list (1, item 5): the members say it. */
const MEMBERS = unspecified([["member", "array", ANY_ENTITY, "The members, each of which has `member_of` instead."]]);

/** All endpoints, in the specification's order. */
export const ENDPOINTS: readonly Endpoint[] = [
  endpoint("place", "Place", "2.3", ["Place"], { closed: true }, [
    ["_label", "required string", TEXT, "A label meant for developers; the Place schema requires it (2.1)."],
    ["equivalent", "array", reference("Place"), "The same place, described elsewhere."],
    ["part_of", "array", reference("Place"), "Larger places that contain this one."],
    ["defined_by", "string", GEOMETRY, "The geometry of the place, in WKT or GeoJSON."],
  ]),
  endpoint("set", "Set", "2.4", ["Set"], { without: ["member"] }, [
    ["dimension", "array", DIMENSIONS, "Dimensions, such as the number of members."],
    ["about", "array", ANY_REFERENCE, "What the set is about."],
    ["members_exemplified_by", "array", ANY_ENTITY, "Typical members, described here or referred to."],
    ["members_contained_by", "array", reference("HumanMadeObject"), "Objects that hold physical members."],
    ["created_by", "object", structure("Creation"), "The creation of the set."],
    ["used_for", "array", structure("Activity"), "Publication and similar activities."],
  ]),
  endpoint("object", "Physical Object", "2.5", ["HumanMadeObject"], {}, [
    ["part_of", "array", reference("HumanMadeObject"), "Objects that this one is part of."],
    ["dimension", "array", DIMENSIONS, "Dimensions, such as height or width."],
    ["made_of", "array", concept("Material"), "Materials of the object."],
    ["current_owner", "array", ACTORS, "Who owns the object now."],
    ["current_custodian", "array", ACTORS, "Who has custody of the object now."],
    ["current_permanent_custodian", "array", ACTORS, "Who normally has custody of the object."],
    ["current_location", "object", reference("Place"), "Where the object is now."],
    ["current_permanent_location", "object", reference("Place"), "Where the object normally is."],
    ["held_or_supported_by", "object", reference("HumanMadeObject"), "The object that holds or supports it."],
    ["carries", "array", reference("LinguisticObject"), "Texts that the object carries."],
    ["shows", "array", reference("VisualItem"), "Visual Works that the object shows."],
    ["used_for", "array", structure("Activity"), "Activities that used the object."],
    ["produced_by", "object", structure("Production"), "How the object was made."],
    ["destroyed_by", "object", structure("Destruction"), "How the object was destroyed."],
    ["removed_by", "array", structure("PartRemoval"), "Removals of the object from a larger one."],
    ["modified_by", "array", structure("Modification"), "Modifications, such as conservation treatment."],
    ["encountered_by", "array", structure("Encounter"), "Events in which the object was found."],
    ["changed_ownership_through", "array", structure("Acquisition"), "Changes of the object's ownership."],
  ]),
  endpoint("digital", "Digital Object", "2.6", ["DigitalObject"], {}, [
    ["dimension", "array", DIMENSIONS, "Dimensions, such as width in pixels or size in bytes."],
    ["part_of", "array", reference("DigitalObject"), "Digital objects that this one is part of."],
    ["format", "string", MEDIA_TYPE, "The media type of the digital object."],
    ["conforms_to", "array", reference("InformationObject"), "External specifications that it follows."],
    ["digitally_carries", "array", reference("LinguisticObject"), "Texts that the object carries."],
    ["digitally_shows", "array", reference("VisualItem"), "Visual Works that the object shows."],
    ["digitally_available_via", "array", structure("DigitalService"), "Services that give access to it."],
    ["access_point", "array", reference("DigitalObject"), "Where the file itself can be retrieved."],
    ["created_by", "object", structure("Creation"), "The creation of the digital object."],
    ["used_for", "array", structure("Activity"), "Publication activities."],
  ]),
  endpoint("group", "Group", "2.7", ["Group"], { without: ["member"] }, [
    ["member_of", "array", reference("Group"), "Groups that the group is a member of."],
    ["contact_point", "array", structure("Identifier"), "Addresses at which the group is reachable."],
    ["residence", "array", reference("Place"), "Places that the group was associated with."],
    ["carried_out", "array", structure("Activity"), "Professional activities of the group."],
    ["participated_in", "array", structure("Activity"), "Activities in which the group took part."],
    ["formed_by", "object", structure("Formation"), "How the group came to be."],
    ["dissolved_by", "object", structure("Dissolution"), "How the group came to an end."],
  ]),
  endpoint("person", "Person", "2.8", ["Person"], {}, [
    ["member_of", "array", reference("Group"), "Groups that the person is a member of."],
    ["contact_point", "array", structure("Identifier"), "Addresses at which the person is reachable."],
    ["residence", "array", reference("Place"), "Places that the person was associated with."],
    ["carried_out", "array", structure("Activity"), "Professional activities of the person."],
    ["participated_in", "array", structure("Activity"), "Activities in which the person took part."],
    ["born", "object", structure("Birth"), "The person's birth."],
    ["died", "object", structure("Death"), "The person's death."],
  ]),
  endpoint("text", "Textual Work", "2.9", ["LinguisticObject"], {}, [
    ["subject_of", "array", reference("LinguisticObject"), "Textual Works about this work.", CARRIED],
    ["language", "array", structure("Language"), "Languages of the text."],
    ["dimension", "array", DIMENSIONS, "Dimensions, such as the number of words."],
    ["part_of", "array", reference("LinguisticObject", "VisualItem"), "Works that this text is part of."],
    ["conceptually_part_of", "array", reference("PropositionalObject"), "Abstract Works it is part of."],
    ["content", "string", TEXT, "The text itself."],
    ["format", "string", MEDIA_TYPE, "The media type of the text in `content`."],
    ["about", "array", ANY_REFERENCE, "What the text is primarily about."],
    ["subject_to", "array", structure("Right"), "Rights over the work."],
    ["created_by", "object", structure("Creation"), "The creation of the work."],
    ["used_for", "array", structure("Activity"), "Publication activities."],
  ]),
  endpoint("visual", "Visual Work", "2.10", ["VisualItem"], { without: ["representation"] }, [
    ["dimension", "array", DIMENSIONS, "Dimensions, such as abstract height or width."],
    ["part_of", "array", reference("VisualItem", "LinguisticObject"), "Works that this one is part of."],
    ["conceptually_part_of", "array", reference("PropositionalObject"), "Abstract Works it is part of."],
    ["about", "array", ANY_REFERENCE, "What the work is primarily about."],
    ["represents", "array", ANY_REFERENCE, "What the work depicts."],
    ["represents_instance_of_type", "array", structure("Type"), "Kinds of unknown things that it depicts."],
    ["subject_to", "array", structure("Right"), "Rights over the work."],
    ["created_by", "object", structure("Creation"), "The creation of the work."],
    ["used_for", "array", structure("Activity"), "Publication activities."],
  ]),
  endpoint("abstract", "Abstract Work", "2.11", ["PropositionalObject"], {}, [
    ["dimension", "array", DIMENSIONS, "Abstract dimensions."],
    ["conceptually_part_of", "array", reference("PropositionalObject"), "Abstract Works it is part of."],
    ["about", "array", ANY_REFERENCE, "What the work is primarily about."],
    ["subject_to", "array", structure("Right"), "Rights over the work."],
    ["created_by", "object", structure("Creation"), "The creation of the work."],
  ]),
  endpoint("concept", "Concept", "2.12", CONCEPTS, {}, [
    ["broader", "array", reference(...CONCEPTS), "Broader concepts."],
    ["created_by", "object", structure("Creation"), "The creation of the concept."],
  ]),
  endpoint("provenance", "Provenance Activity", "2.13", ["Event", "Activity"], {}, [
    ["classified_as", "required array", structure("Type"), "Classifications.", { includes: PROVENANCE }],
    ["part_of", "array", EVENTS, "Events that this one is part of."],
    ["timespan", "recommended object", structure("TimeSpan"), "When it happened."],
    ["during", "array", reference("Period"), "Periods during which it occurred."],
    ["before", "array", EVENTS, "What it occurred before."],
    ["after", "array", EVENTS, "What it occurred after."],
    ["took_place_at", "array", reference("Place"), "Where it happened."],
    ["caused_by", "array", EVENTS, "Events that caused it."],
    ["influenced_by", "array", ANY_REFERENCE, "What influenced it."],
    ["carried_out_by", "array", ACTORS, "Who carried it out."],
    ["participant", "array", ACTORS, "Who took part without carrying it out."],
    ["used_specific_object", "array", ANY_REFERENCE, "What was instrumental in it."],
    ["part", "required array", structure(...PROVENANCE_PARTS), "The changes that the activity consists of."],
  ]),
  endpoint("event", "Event", "2.14", ["Period", "Event", "Activity"], {}, [
    ["part_of", "array", EVENTS, "Events that this one is directly part of."],
    ["timespan", "recommended object", structure("TimeSpan"), "When it happened."],
    ["during", "array", reference("Period"), "Periods during which it occurred."],
    ["before", "array", EVENTS, "What it occurred before."],
    ["after", "array", EVENTS, "What it occurred after."],
    ["took_place_at", "array", reference("Place"), "Where it happened."],
    ["caused_by", "array", EVENTS, "Events that caused it.", { when: ["Event", "Activity"] }],
    ["participant", "array", ACTORS, "Who took part in it.", { when: ["Event", "Activity"] }],
    ["influenced_by", "array", ANY_REFERENCE, "What influenced it.", { when: ["Activity"] }],
    ["carried_out_by", "array", ACTORS, "Who carried it out.", { when: ["Activity"] }],
    ["used_specific_object", "array", ANY_REFERENCE, "What was used in it.", { when: ["Activity"] }],
    ["technique", "array", structure("Type"), "Techniques used.", { when: ["Activity"] }],
  ]),
];

/** An endpoint. Its records do not have the properties in `without`. */
function endpoint(
  name: EndpointName,
  title: string,
  section: string,
  classes: readonly ClassName[],
  { closed = false, without = [] }: { readonly closed?: boolean; readonly without?: readonly string[] },
  rows: readonly FieldRow[],
): Endpoint {
  const common = COMMON_FIELDS.filter(({ property }) => !without.includes(property));
  const type: FieldRow = ["type", "required string", oneOf(...classes), "The class of the entity."];
  const absent = [...COMMON_FIELDS, ...MEMBERS].filter(({ property }) => without.includes(property));
  const fields = [...withExceptions(common, specified([type, ...rows])), ...ownFields(name)];
  return { name, title, section, classes, closed, fields, absent };
}

const endpoints: ReadonlyMap<EndpointName, Endpoint> = new Map(ENDPOINTS.map((each) => [each.name, each]));

/** The endpoint with this name, with its table. */
export function endpointNamed(name: EndpointName): Endpoint {
  return endpoints.get(name)!;
}

/** The class to give for a change, which has only an endpoint. If the endpoint has several, the one that includes the others: Type, Period, Activity. */
export const CHANGED_CLASSES: ReadonlyMap<EndpointName, string> = new Map(
  ENDPOINTS.map(({ name, classes }) => [name, name === "concept" ? "Type" : classes[0]!]),
);

/** The endpoint for the records of each class, by the class's IRI; never provenance. */
const endpointsByClass: ReadonlyMap<string, EndpointName> = new Map(
  ENDPOINTS.filter(({ name }) => name !== "provenance").flatMap(({ name, classes }) =>
    classes.map((each) => [classIri(each), name]),
  ),
);

/** The endpoint of a record (4, rule 1), from the IRIs of its classes and classifications: that of the first class that belongs to one. An event classified with `{vocab_base}/300055863` is a provenance record, even a Period, which 2.13 then does not allow. */
export function endpointOf(
  classIris: readonly string[],
  classificationIris: readonly string[],
  vocabBase: string,
): EndpointName | undefined {
  const endpoint = classIris.map((iri) => endpointsByClass.get(iri)).find((each) => each !== undefined);
  return endpoint === "event" && classificationIris.includes(`${vocabBase}/${PROVENANCE}`) ? "provenance" : endpoint;
}

/** Whether entities of a class, given by its IRI, have records of their own. */
export function isEntityClass(iri: string): boolean {
  return endpointsByClass.has(iri);
}

/** All tables. Provenance comes after the event endpoint, since both have Event and Activity, and these classes keep the event endpoint's order. */
export const FIELD_TABLES: readonly FieldTable[] = [
  ...ENDPOINTS.filter(({ name }) => name !== "provenance"),
  ...STRUCTURES.values(),
  ...ENDPOINTS.filter(({ name }) => name === "provenance"),
  { classes: [], fields: REFERENCE_FIELDS },
];
