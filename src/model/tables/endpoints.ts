/** The twelve endpoints and their field tables (specification, sections 2.2 to 2.14 and 4). */
import type { ClassName } from "../vocabulary/classes.js";
import { classIri } from "../vocabulary/vocabulary.js";
import { type Field, type FieldRow, type FieldTable, ownFields, specified, withExceptions } from "./fields.js";
import type { EndpointName } from "./names.js";
import { PROVENANCE_PARTS } from "./provenance-parts.js";
import {
  ACTORS,
  ANY_ENTITY,
  ANY_REFERENCE,
  CONTEXT,
  concept,
  DIMENSIONS,
  EVENTS,
  GEOMETRY,
  IRI,
  MEDIA_TYPE,
  NAMES,
  oneOf,
  reference,
  structure,
  TEXT,
} from "./ranges.js";

/** `fields` is the whole table: the common properties of 2.2 with this endpoint's exceptions, then its own. */
interface Endpoint extends FieldTable {
  readonly name: EndpointName;
  /** The specification's name for it. */
  readonly title: string;
  /** The section of the specification that has its table. */
  readonly section: string;
  /** Whether a document may have no other properties than the table's (2.1). */
  readonly closed: boolean;
}

/** `{vocab_base}/300055863`, "provenance (history of ownership)": marks a record as a Provenance Activity (2.13). */
const PROVENANCE = "300055863";

const CONCEPTS = ["Type", "Material", "Language", "Currency", "MeasurementUnit"] as const;

/** Linked Art's Digital Object pattern: a work without an IRI, and the file in which it can be read or seen. */
const CARRIED = { unnamedWith: "digitally_carried_by" } as const;
const SHOWN = { unnamedWith: "digitally_shown_by" } as const;

/** 2.2 Common properties. */
export const COMMON_FIELDS: readonly Field[] = specified([
  [
    "@context",
    "string or array",
    "required",
    CONTEXT,
    "The data model's JSON-LD context, or an array that ends in it.",
  ],
  ["id", "string", "required", IRI, "The HTTP(S) URI at which the entity can be dereferenced."],
  ["type", "string", "required", oneOf(), "The class of the entity."],
  ["_label", "string", "recommended", TEXT, "A label meant for developers."],
  ["classified_as", "array", "recommended", structure("Type"), "Classifications."],
  ["identified_by", "array", "recommended", NAMES, "Names and identifiers of the entity."],
  ["referred_to_by", "array", "optional", structure("Statement"), "Statements about the entity, for people to read."],
  ["equivalent", "array", "optional", ANY_REFERENCE, "External identities and descriptions of the same entity."],
  ["representation", "array", "optional", reference("VisualItem"), "Visual Works that represent the entity.", SHOWN],
  ["member_of", "array", "optional", reference("Set"), "Sets that the entity is a member of."],
  ["subject_of", "array", "optional", reference("LinguisticObject"), "Textual Works about the entity.", CARRIED],
  ["attributed_by", "array", "optional", structure("RelationshipAssignment"), "Relations to other entities."],
]);

const PLACE = endpoint("place", "Place", "2.3", ["Place"], { closed: true }, [
  ["_label", "string", "required", TEXT, "A label meant for developers; the Place schema requires it (2.1)."],
  ["equivalent", "array", "optional", reference("Place"), "The same place, described elsewhere."],
  ["part_of", "array", "optional", reference("Place"), "Larger places that contain this one."],
  ["defined_by", "string", "optional", GEOMETRY, "The geometry of the place, in WKT or GeoJSON."],
]);

const SET = endpoint("set", "Set", "2.4", ["Set"], {}, [
  ["dimension", "array", "optional", DIMENSIONS, "Dimensions, such as the number of members."],
  ["about", "array", "optional", ANY_REFERENCE, "What the set is about."],
  ["members_exemplified_by", "array", "optional", ANY_ENTITY, "Typical members, described here or referred to."],
  ["members_contained_by", "array", "optional", reference("HumanMadeObject"), "Objects that hold physical members."],
  ["created_by", "object", "optional", structure("Creation"), "The creation of the set."],
  ["used_for", "array", "optional", structure("Activity"), "Publication and similar activities."],
]);

const PHYSICAL_OBJECT = endpoint("object", "Physical Object", "2.5", ["HumanMadeObject"], {}, [
  ["part_of", "array", "optional", reference("HumanMadeObject"), "Objects that this one is part of."],
  ["dimension", "array", "optional", DIMENSIONS, "Dimensions, such as height or width."],
  ["made_of", "array", "optional", concept("Material"), "Materials of the object."],
  ["current_owner", "array", "optional", ACTORS, "Who owns the object now."],
  ["current_custodian", "array", "optional", ACTORS, "Who has custody of the object now."],
  ["current_permanent_custodian", "array", "optional", ACTORS, "Who normally has custody of the object."],
  ["current_location", "object", "optional", reference("Place"), "Where the object is now."],
  ["current_permanent_location", "object", "optional", reference("Place"), "Where the object normally is."],
  ["held_or_supported_by", "object", "optional", reference("HumanMadeObject"), "The object that holds or supports it."],
  ["carries", "array", "optional", reference("LinguisticObject"), "Texts that the object carries."],
  ["shows", "array", "optional", reference("VisualItem"), "Visual Works that the object shows."],
  ["used_for", "array", "optional", structure("Activity"), "Activities that used the object."],
  ["produced_by", "object", "optional", structure("Production"), "How the object was made."],
  ["destroyed_by", "object", "optional", structure("Destruction"), "How the object was destroyed."],
  ["removed_by", "array", "optional", structure("PartRemoval"), "Removals of the object from a larger one."],
  ["modified_by", "array", "optional", structure("Modification"), "Modifications, such as conservation treatment."],
  ["encountered_by", "array", "optional", structure("Encounter"), "Events in which the object was found."],
  ["changed_ownership_through", "array", "optional", structure("Acquisition"), "Changes of the object's ownership."],
]);

const DIGITAL_OBJECT = endpoint("digital", "Digital Object", "2.6", ["DigitalObject"], {}, [
  ["dimension", "array", "optional", DIMENSIONS, "Dimensions, such as width in pixels or size in bytes."],
  ["part_of", "array", "optional", reference("DigitalObject"), "Digital objects that this one is part of."],
  ["format", "string", "optional", MEDIA_TYPE, "The media type of the digital object."],
  ["conforms_to", "array", "optional", reference("InformationObject"), "External specifications that it follows."],
  ["digitally_carries", "array", "optional", reference("LinguisticObject"), "Texts that the object carries."],
  ["digitally_shows", "array", "optional", reference("VisualItem"), "Visual Works that the object shows."],
  ["digitally_available_via", "array", "optional", structure("DigitalService"), "Services that give access to it."],
  ["access_point", "array", "optional", reference("DigitalObject"), "Where the file itself can be retrieved."],
  ["created_by", "object", "optional", structure("Creation"), "The creation of the digital object."],
  ["used_for", "array", "optional", structure("Activity"), "Publication activities."],
]);

const GROUP = endpoint("group", "Group", "2.7", ["Group"], {}, [
  ["member_of", "array", "optional", reference("Group"), "Groups that the group is a member of."],
  ["contact_point", "array", "optional", structure("Identifier"), "Addresses at which the group is reachable."],
  ["residence", "array", "optional", reference("Place"), "Places that the group was associated with."],
  ["carried_out", "array", "optional", structure("Activity"), "Professional activities of the group."],
  ["participated_in", "array", "optional", structure("Activity"), "Activities in which the group took part."],
  ["formed_by", "object", "optional", structure("Formation"), "How the group came to be."],
  ["dissolved_by", "object", "optional", structure("Dissolution"), "How the group came to an end."],
]);

const PERSON = endpoint("person", "Person", "2.8", ["Person"], {}, [
  ["member_of", "array", "optional", reference("Group"), "Groups that the person is a member of."],
  ["contact_point", "array", "optional", structure("Identifier"), "Addresses at which the person is reachable."],
  ["residence", "array", "optional", reference("Place"), "Places that the person was associated with."],
  ["carried_out", "array", "optional", structure("Activity"), "Professional activities of the person."],
  ["participated_in", "array", "optional", structure("Activity"), "Activities in which the person took part."],
  ["born", "object", "optional", structure("Birth"), "The person's birth."],
  ["died", "object", "optional", structure("Death"), "The person's death."],
]);

const TEXTUAL_WORK = endpoint("text", "Textual Work", "2.9", ["LinguisticObject"], {}, [
  ["subject_of", "array", "optional", reference("LinguisticObject"), "Textual Works about this work.", CARRIED],
  ["language", "array", "optional", structure("Language"), "Languages of the text."],
  ["dimension", "array", "optional", DIMENSIONS, "Dimensions, such as the number of words."],
  ["part_of", "array", "optional", reference("LinguisticObject", "VisualItem"), "Works that this text is part of."],
  ["conceptually_part_of", "array", "optional", reference("PropositionalObject"), "Abstract Works it is part of."],
  ["content", "string", "optional", TEXT, "The text itself."],
  ["format", "string", "optional", MEDIA_TYPE, "The media type of the text in `content`."],
  ["about", "array", "optional", ANY_REFERENCE, "What the text is primarily about."],
  ["subject_to", "array", "optional", structure("Right"), "Rights over the work."],
  ["created_by", "object", "optional", structure("Creation"), "The creation of the work."],
  ["used_for", "array", "optional", structure("Activity"), "Publication activities."],
]);

const VISUAL_WORK = endpoint("visual", "Visual Work", "2.10", ["VisualItem"], { without: ["representation"] }, [
  ["dimension", "array", "optional", DIMENSIONS, "Dimensions, such as abstract height or width."],
  ["part_of", "array", "optional", reference("VisualItem", "LinguisticObject"), "Works that this one is part of."],
  ["conceptually_part_of", "array", "optional", reference("PropositionalObject"), "Abstract Works it is part of."],
  ["about", "array", "optional", ANY_REFERENCE, "What the work is primarily about."],
  ["represents", "array", "optional", ANY_REFERENCE, "What the work depicts."],
  ["represents_instance_of_type", "array", "optional", structure("Type"), "Kinds of unknown things that it depicts."],
  ["subject_to", "array", "optional", structure("Right"), "Rights over the work."],
  ["created_by", "object", "optional", structure("Creation"), "The creation of the work."],
  ["used_for", "array", "optional", structure("Activity"), "Publication activities."],
]);

const ABSTRACT_WORK = endpoint("abstract", "Abstract Work", "2.11", ["PropositionalObject"], {}, [
  ["dimension", "array", "optional", DIMENSIONS, "Abstract dimensions."],
  ["conceptually_part_of", "array", "optional", reference("PropositionalObject"), "Abstract Works it is part of."],
  ["about", "array", "optional", ANY_REFERENCE, "What the work is primarily about."],
  ["subject_to", "array", "optional", structure("Right"), "Rights over the work."],
  ["created_by", "object", "optional", structure("Creation"), "The creation of the work."],
]);

const CONCEPT = endpoint("concept", "Concept", "2.12", CONCEPTS, {}, [
  ["broader", "array", "optional", reference(...CONCEPTS), "Broader concepts."],
  ["created_by", "object", "optional", structure("Creation"), "The creation of the concept."],
]);

const PROVENANCE_ACTIVITY = endpoint("provenance", "Provenance Activity", "2.13", ["Event", "Activity"], {}, [
  ["classified_as", "array", "required", structure("Type"), "Classifications.", { includes: PROVENANCE }],
  ["part_of", "array", "optional", EVENTS, "Events that this one is part of."],
  ["timespan", "object", "recommended", structure("TimeSpan"), "When it happened."],
  ["during", "array", "optional", reference("Period"), "Periods during which it occurred."],
  ["before", "array", "optional", EVENTS, "What it occurred before."],
  ["after", "array", "optional", EVENTS, "What it occurred after."],
  ["took_place_at", "array", "optional", reference("Place"), "Where it happened."],
  ["caused_by", "array", "optional", EVENTS, "Events that caused it."],
  ["influenced_by", "array", "optional", ANY_REFERENCE, "What influenced it."],
  ["carried_out_by", "array", "optional", ACTORS, "Who carried it out."],
  ["participant", "array", "optional", ACTORS, "Who took part without carrying it out."],
  ["used_specific_object", "array", "optional", ANY_REFERENCE, "What was instrumental in it."],
  ["part", "array", "required", structure(...PROVENANCE_PARTS), "The changes that the activity consists of."],
]);

const EVENT = endpoint("event", "Event", "2.14", ["Period", "Event", "Activity"], {}, [
  ["part_of", "array", "optional", EVENTS, "Events that this one is directly part of."],
  ["timespan", "object", "recommended", structure("TimeSpan"), "When it happened."],
  ["during", "array", "optional", reference("Period"), "Periods during which it occurred."],
  ["before", "array", "optional", EVENTS, "What it occurred before."],
  ["after", "array", "optional", EVENTS, "What it occurred after."],
  ["took_place_at", "array", "optional", reference("Place"), "Where it happened."],
  ["caused_by", "array", "optional", EVENTS, "Events that caused it.", { when: ["Event", "Activity"] }],
  ["participant", "array", "optional", ACTORS, "Who took part in it.", { when: ["Event", "Activity"] }],
  ["influenced_by", "array", "optional", ANY_REFERENCE, "What influenced it.", { when: ["Activity"] }],
  ["carried_out_by", "array", "optional", ACTORS, "Who carried it out.", { when: ["Activity"] }],
  ["used_specific_object", "array", "optional", ANY_REFERENCE, "What was used in it.", { when: ["Activity"] }],
  ["technique", "array", "optional", structure("Type"), "Techniques used.", { when: ["Activity"] }],
]);

/** All endpoints, in the specification's order. */
export const ENDPOINTS: readonly Endpoint[] = [
  PLACE,
  SET,
  PHYSICAL_OBJECT,
  DIGITAL_OBJECT,
  GROUP,
  PERSON,
  TEXTUAL_WORK,
  VISUAL_WORK,
  ABSTRACT_WORK,
  CONCEPT,
  PROVENANCE_ACTIVITY,
  EVENT,
];

interface EndpointExceptions {
  readonly closed?: boolean;
  /** Common properties that the endpoint's records do not have. */
  readonly without?: readonly string[];
}

function endpoint(
  name: EndpointName,
  title: string,
  section: string,
  classes: readonly ClassName[],
  { closed = false, without = [] }: EndpointExceptions,
  rows: readonly FieldRow[],
): Endpoint {
  const common = COMMON_FIELDS.filter(({ property }) => !without.includes(property));
  const type: FieldRow = ["type", "string", "required", oneOf(...classes), "The class of the entity."];
  const fields = [...withExceptions(common, specified([type, ...rows])), ...ownFields(name)];
  return { name, title, section, classes, closed, fields };
}

const endpoints: ReadonlyMap<EndpointName, Endpoint> = new Map(ENDPOINTS.map((each) => [each.name, each]));

/** The endpoint of this name, with its table. */
export function endpointNamed(name: EndpointName): Endpoint {
  return endpoints.get(name)!;
}

/** The endpoint of each class's records by the class's IRI, provenance apart. */
const endpointsByClass: ReadonlyMap<string, EndpointName> = new Map(
  ENDPOINTS.filter(({ name }) => name !== "provenance").flatMap(({ name, classes }) =>
    classes.map((each) => [classIri(each), name]),
  ),
);

/**
 * The endpoint of a record (4, rule 1), from the IRIs of its classes and of its classifications: what is classified with
 * `{vocab_base}/300055863` is a provenance record and no event, also a Period, which 2.13 then does not allow. `undefined`
 * when its classes belong to no endpoint; of several classes the first that belongs to one decides.
 */
export function endpointOf(
  classIris: readonly string[],
  classificationIris: readonly string[],
  vocabBase: string,
): EndpointName | undefined {
  const deciding = classIris.find((iri) => endpointsByClass.has(iri));
  if (deciding === undefined) return undefined;
  const endpoint = endpointsByClass.get(deciding);
  return endpoint === "event" && classificationIris.includes(`${vocabBase}/${PROVENANCE}`) ? "provenance" : endpoint;
}

/** Whether entities of this class (its IRI) have records of their own. */
export function isEntityClass(iri: string): boolean {
  return endpointsByClass.has(iri);
}
