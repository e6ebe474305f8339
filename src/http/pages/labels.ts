/** Labels of the data model's terms on pages: properties, what refers by them, classes, endpoints. */
import type { EndpointName } from "../../model/tables/endpoints.js";

/** Property terms whose own words would not read well; all others are their words with a capital. */
const PROPERTY_WORDS: Readonly<Record<string, string>> = {
  access_point: "Available at",
  applies_to: "Right in",
  assigned: "Related to",
  assigned_by: "Assigned",
  assigned_property: "Relation",
  attributed_by: "Relations",
  begin_of_the_begin: "Earliest start",
  begin_of_the_end: "Earliest end",
  carried_out: "Active",
  carried_out_by: "By",
  carries: "Text on it",
  changed_ownership_through: "Ownership",
  classified_as: "Kind",
  conceptually_part_of: "Part of the idea",
  conforms_to: "Follows",
  contact_point: "Contact",
  content: "Text",
  created_by: "Creation",
  current_custodian: "Keeper",
  current_location: "Location",
  current_owner: "Owner",
  current_permanent_custodian: "Permanent keeper",
  current_permanent_location: "Permanent location",
  defined_by: "Coordinates",
  destroyed_by: "Destruction",
  died: "Death",
  digitally_available_via: "Service",
  digitally_carried_by: "Digital text",
  digitally_carries: "Text in it",
  digitally_shown_by: "Digital image",
  digitally_shows: "Shows",
  dimension: "Dimensions",
  diminished: "Removed from",
  dissolved_by: "End",
  encountered: "Found",
  encountered_by: "Finds",
  end_of_the_begin: "Latest start",
  end_of_the_end: "Latest end",
  equivalent: "Also at",
  establishes: "Rights that begin",
  formed_by: "Beginning",
  held_or_supported_by: "Held by",
  identified_by: "Name",
  invalidates: "Rights that end",
  lower_value_limit: "At least",
  made_of: "Material",
  members_contained_by: "Kept in",
  members_exemplified_by: "Typical members",
  modified_by: "Changes",
  moved_from: "From",
  moved_to: "To",
  notation: "Code",
  paid_amount: "Amount",
  paid_from: "Paid by",
  part: "Parts",
  participant: "With",
  participated_in: "Took part in",
  possessed_by: "Held by",
  produced_by: "Making",
  referred_to_by: "Notes",
  removed_by: "Removal",
  representation: "Pictured in",
  represents: "Depicts",
  represents_instance_of_type: "Depicts a kind of",
  residence: "Places",
  shows: "Picture on it",
  subject_of: "Texts about it",
  subject_to: "Rights",
  timespan: "Date",
  took_place_at: "Place",
  transferred_custody_from: "From",
  transferred_custody_of: "Custody of",
  transferred_custody_to: "To",
  transferred_from: "From",
  transferred_title_from: "From",
  transferred_title_of: "Ownership of",
  transferred_title_to: "To",
  transferred_to: "To",
  upper_value_limit: "At most",
  used_specific_object: "Used",
};

/** What a property is called before its values. @param term the data model's term, or the IRI of another property */
export function propertyWords(term: string): string {
  if (Object.hasOwn(PROPERTY_WORDS, term)) return PROPERTY_WORDS[term]!;
  return asWords(term.slice(Math.max(term.lastIndexOf("#"), term.lastIndexOf("/")) + 1));
}

/** Words of several terms: "Owner and keeper". What is so for good need not be said beside what is so now. */
export function wordsTogether(terms: readonly string[], wordsOf: (term: string) => string): string {
  const said = terms.filter((term) => !term.includes("permanent_") || !terms.includes(term.replace("permanent_", "")));
  const words = said.map((term, at) => (at === 0 ? wordsOf(term) : wordsOf(term).toLowerCase()));
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)!}`;
}

function asWords(name: string): string {
  const words = name
    .replace(/^[A-Z]+\d+[a-z]*_/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Facets of searches whose words as properties would not say what they narrow to. */
const FACET_WORDS: Readonly<Record<string, string>> = {
  carried_out_by: "Maker",
  century: "Period",
  changed: "Changed",
  endpoint: "Kind of record",
  member_of: "Set",
  type: "Class",
};

/** What a facet of searches is called. */
export function facetWords(facet: string): string {
  return FACET_WORDS[facet] ?? propertyWords(facet);
}

/** What records are found by that lists do not show, by the fields of searches. */
const FIELD_WORDS: Readonly<Record<string, string>> = {
  materials: "material or technique",
  others: "what it refers to",
  places: "place",
  texts: "texts",
};

/** Where the words of a search stand in a record; `undefined` where lists show them. @param fields of the search's reasons */
export function fieldWords(fields: readonly string[]): string | undefined {
  const words = fields.flatMap((field) => FIELD_WORDS[field] ?? []);
  return words.length === 0 ? undefined : `Found in: ${words.join(", ")}`;
}

/** The orders of searches that pages offer. */
const ORDER_WORDS: Readonly<Record<string, string>> = {
  relevance: "Best match",
  label: "A to Z",
  date: "Oldest first",
  "-date": "Newest first",
  number: "By number",
  "-changed": "Lately changed",
};

/** What an order of searches is called; `undefined` for one that is of no use to visitors. */
export function orderWords(order: string): string | undefined {
  return ORDER_WORDS[order];
}

const CLASS_WORDS: Readonly<Record<string, string>> = {
  AttributeAssignment: "Relation",
  DigitalObject: "Digital object",
  HumanMadeObject: "Physical object",
  InformationObject: "Specification",
  LinguisticObject: "Text",
  MonetaryAmount: "Amount of money",
  PropositionalObject: "Idea",
  TransferOfCustody: "Change of custody",
  Type: "Concept",
  VisualItem: "Picture",
};

/** What a class is called. @param name its name, or the IRI of another class */
export function classWords(name: string): string {
  return CLASS_WORDS[name] ?? asWords(name.slice(Math.max(name.lastIndexOf("#"), name.lastIndexOf("/")) + 1));
}

/** What the records of an endpoint are called, all of them and one of them. */
export const ENDPOINT_WORDS: Readonly<Record<EndpointName, { readonly many: string; readonly one: string }>> = {
  object: { many: "Objects", one: "Physical object" },
  visual: { many: "Pictures", one: "Picture" },
  text: { many: "Texts", one: "Text" },
  abstract: { many: "Ideas", one: "Idea" },
  digital: { many: "Digital objects", one: "Digital object" },
  person: { many: "People", one: "Person" },
  group: { many: "Groups", one: "Group" },
  place: { many: "Places", one: "Place" },
  event: { many: "Events", one: "Event" },
  provenance: { many: "Provenance", one: "Provenance" },
  set: { many: "Sets", one: "Set" },
  concept: { many: "Concepts", one: "Concept" },
};

/** What a record without a name is called. */
export function unnamed(endpoint: EndpointName | null): string {
  return `Unnamed ${(endpoint === null ? "record" : ENDPOINT_WORDS[endpoint].one).toLowerCase()}`;
}

/** Works and members that refer to an entity by a property, as a heading of theirs, where that of all records would not do. */
const WORKS_WORDS: Readonly<Record<string, string>> = {
  about: "About",
  carried_out_by: "Made",
  represents: "Shown in",
  took_place_at: "Made here",
};

/** The heading of the works, or members, that refer to an entity by this property. */
export function worksWords(term: string): string {
  return WORKS_WORDS[term] ?? referringWords(term);
}

/** What records do that refer to an entity by a property (specification, 2.16), as a heading of those records. */
const REFERRING_WORDS: Readonly<Record<string, string>> = {
  about: "About it",
  access_point: "Available here",
  after: "After it",
  applies_to: "Rights in it",
  assigned: "Related to it",
  before: "Before it",
  broader: "Narrower",
  carried_out_by: "Carried out",
  carries: "Carry it",
  caused_by: "Caused by it",
  classified_as: "Of this kind",
  conceptually_part_of: "Parts of it",
  currency: "Amounts in it",
  current_custodian: "Kept",
  current_location: "Here now",
  current_owner: "Owned",
  current_permanent_custodian: "Permanently kept",
  current_permanent_location: "At home here",
  digitally_carries: "Digital copies of it",
  digitally_shows: "Digital images of it",
  diminished: "Taken from it",
  during: "During it",
  encountered: "Finds of it",
  equivalent: "The same elsewhere",
  held_or_supported_by: "Held by it",
  influenced_by: "Influenced",
  language: "In this language",
  made_of: "Made of it",
  member_of: "Members",
  members_contained_by: "Sets with members in it",
  members_exemplified_by: "Sets that it is typical of",
  moved: "Moves of it",
  moved_from: "Moves from here",
  moved_to: "Moves to here",
  paid_from: "Payments by them",
  paid_to: "Payments to them",
  part: "Wholes",
  part_of: "Parts",
  participant: "Took part",
  possessed_by: "Rights of theirs",
  representation: "What it pictures",
  represents: "Depict it",
  represents_instance_of_type: "Depict its kind",
  residence: "Lived or worked here",
  shows: "Show it",
  subject_of: "What it is about",
  technique: "By this technique",
  took_place_at: "Happened here",
  transferred: "Transfers of it",
  transferred_custody_from: "Custody given up",
  transferred_custody_of: "Changes of custody",
  transferred_custody_to: "Custody taken",
  transferred_from: "Transfers from them",
  transferred_title_from: "Ownership given up",
  transferred_title_of: "Changes of ownership",
  transferred_title_to: "Ownership taken",
  transferred_to: "Transfers to them",
  unit: "Measured in it",
  used_specific_object: "Used it",
};

/** Who stands in a relation of Linked Art, by how its name begins. */
const RELATION_SOURCES: Readonly<Record<string, string>> = {
  activity: "Activities",
  agent: "People and groups",
  concept: "Concepts",
  entity: "Records",
  group: "Groups",
  object: "Objects",
  person: "People",
  place: "Places",
  set: "Sets",
  temporal: "Activities",
  work: "Works",
};

/** The relations whose names do not read as words. */
const RELATION_WORDS: Readonly<Record<string, string>> = {
  about_or_represents: "about or showing",
  broader: "narrower than",
  creation_technique: "made by",
  current: "now at",
  language: "in",
  production_technique: "made by",
  represents: "showing",
};

/** A relation of Linked Art in words: "Objects produced by Rembrandt". @param of what it leads to */
export function relationWords(name: string, of: string): string {
  const [source = "", ...words] = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).split("_");
  const middle = words.slice(0, -1);
  const said = RELATION_WORDS[middle.join("_")] ?? middle.join(" ");
  return `${RELATION_SOURCES[source] ?? source} ${said} ${of}`;
}

/** The heading of the records that refer to an entity by this property. */
export function referringWords(term: string): string {
  return REFERRING_WORDS[term] ?? `${propertyWords(term)}: this`;
}
