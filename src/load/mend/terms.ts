/** The classes and properties that mending knows: the spellings of their names, former terms that still circulate, and known vocabularies. */
import { valueDemand } from "../../model/rules/rules.js";
import { FIELD_TABLES } from "../../model/tables/endpoints.js";
import { classIri, className, PREFIXES, PROPERTY_NAMES, propertyIri } from "../../model/vocabulary/vocabulary.js";

/** The local name of a CIDOC-CRM term, however it is written, or the text itself. */
function localName(text: string): string {
  const starts = [PREFIXES.crm, "crm:", PREFIXES.crm.replace("http:", "https:")];
  return text.slice(starts.find((start) => text.startsWith(start))?.length ?? 0);
}

/** The class for a former or foreign name, or `undefined` when the name is current or unknown. */
export function classTerm(type: string): string | undefined {
  if (classIri(type) !== undefined) return undefined;
  const name = localName(type);
  const present = name.replace(/Man(-?)Made/, "Human$1Made");
  if (present !== name && classIri(present) !== undefined) return present;
  return FORMER_CLASSES.get(name) ?? className(PREFIXES.crm + present);
}

/** The property for a former or foreign name on a class, or `undefined` when the name is current or unknown. */
export function statedTerm(key: string, type: string | undefined): string | undefined {
  const name = localName(key);
  const former = FORMER_PROPERTIES.find(([each, , on]) => each === name && on?.includes(type ?? "") !== false);
  if (former !== undefined) return former[1];
  // Keys with a prefix, such as `crm:P45_consists_of`, are understood unchanged.
  if (!/^P\d+i?_/.test(key)) return undefined;
  return PROPERTY_NAMES.find((term) => propertyIri(term, type) === PREFIXES.crm + name);
}

/** Whether a key is neither an IRI nor known to JSON-LD or the vocabulary. */
export function isUnknown(key: string): boolean {
  if (key.startsWith("@") || key.includes(":") || key === "id" || key === "type") return false;
  return !PROPERTY_NAMES.some((term) => term === key);
}

/** The class of a property's values where the tables allow only one, by class and property: `Birth` for `Person born`. */
const ONLY_CLASSES: ReadonlyMap<string, string> = new Map(
  FIELD_TABLES.flatMap(({ classes, fields }) =>
    fields.flatMap((field) => {
      const demand = valueDemand(field);
      const allowed = demand.kind === "class" ? demand.classes : [];
      return allowed.length === 1 ? classes.map((each) => [`${each} ${field.property}`, allowed[0]!] as const) : [];
    }),
  ),
);

/** The class that the values of a property have on a class, where the tables allow only one. */
export function onlyClass(type: string | undefined, property: string): string | undefined {
  // An equivalent is the same entity described elsewhere, so it has the same class.
  if (property === "equivalent") return type;
  return type === undefined ? undefined : ONLY_CLASSES.get(`${type} ${property}`);
}

/** The addresses of Linked Art's context documents before 1.0. */
export const FORMER_CONTEXTS: readonly string[] = [
  "http://linked.art/ns/v1/linked-art.json",
  "https://linked.art/ns/context/1/full.jsonld",
  "http://linked.art/ns/context/1/full.jsonld",
  "https://linked.art/ns/context/1/linked-art.json",
  "https://linked.art/ns/v1/linkedart.json",
  "https://linked.art/ns/v1/linked-art.json/",
];

const APPELLATIONS = [
  ...["E33_E41_Linguistic_Appellation", "E35_Title", "E44_Place_Appellation", "E48_Place_Name"],
  ...["E49_Time_Appellation", "E75_Conceptual_Object_Appellation", "E82_Actor_Appellation"],
];

/** The classes for former terms, and for former names in the CIDOC-CRM, besides those that had `Man` where they now have `Human`. */
const FORMER_CLASSES: ReadonlyMap<string, string> = new Map([
  ...APPELLATIONS.map((name) => [name, "Name"] as const),
  ["E38_Image", "VisualItem"],
  ["E40_Legal_Body", "Group"],
  ["E78_Collection", "CuratedHolding"],
  ["E84_Information_Carrier", "HumanMadeObject"],
  ["Image", "VisualItem"],
  ["LegalBody", "Group"],
  ["InformationCarrier", "HumanMadeObject"],
]);

const TEXTS = ["Name", "Identifier", "LinguisticObject"];
const WORKS = ["LinguisticObject", "VisualItem", "DigitalObject", "PropositionalObject"];
const MEASURES = ["Dimension", "MonetaryAmount"];
const EVENTS = ["Activity", "Event", "Production", "Creation", "Modification", "Destruction", "Acquisition"];

/** Former property names, the properties that replace them, and the classes on which they do; by default any class. */
const FORMER_PROPERTIES: readonly (readonly [former: string, term: string, on?: readonly string[]])[] = [
  ["label", "_label"],
  ["value", "content", TEXTS],
  ["has_symbolic_content", "content", TEXTS],
  ["numeric_value", "value", MEASURES],
  ["consists_of", "part", [...EVENTS, "HumanMadeObject"]],
  ["composed_of", "part", ["HumanMadeObject"]],
  ["forms_part_of", "part_of"],
  ["falls_within", "part_of", ["Place"]],
  ["current_keeper", "current_custodian"],
  ["exact_match", "equivalent"],
  ["brought_into_existence_by", "created_by", WORKS],
  ["description", "referred_to_by"],
  ...["P78", "P87", "P131", "P149"].map((code) => [`${code}_is_identified_by`, "identified_by"] as const),
  ["P102_has_title", "identified_by"],
  ["P50_has_current_keeper", "current_custodian"],
];

/** The prefixes that circulate although no context of Linked Art defines them; `local` matches what must follow them. */
export const KNOWN_PREFIXES: ReadonlyMap<string, { readonly namespace: string; readonly local: RegExp }> = new Map([
  ["aat", { namespace: "http://vocab.getty.edu/aat/", local: /^\d{9}$/ }],
  ["tgn", { namespace: "http://vocab.getty.edu/tgn/", local: /^\d{7}$/ }],
  ["ulan", { namespace: "http://vocab.getty.edu/ulan/", local: /^\d{9}$/ }],
  ["wd", { namespace: "http://www.wikidata.org/entity/", local: /^[QP]\d+$/ }],
  ["viaf", { namespace: "http://viaf.org/viaf/", local: /^\d+$/ }],
  ["geonames", { namespace: "https://sws.geonames.org/", local: /^\d+\/?$/ }],
  ["gnd", { namespace: "https://d-nb.info/gnd/", local: /^[\dX-]+$/ }],
  ["lcnaf", { namespace: "http://id.loc.gov/authorities/names/", local: /^n[a-z]?\d+$/ }],
  ["lcsh", { namespace: "http://id.loc.gov/authorities/subjects/", local: /^sh\d+$/ }],
]);

/** A text of the form `aat:300033618` in the parts of a known vocabulary, and whether what follows the prefix may be one of its ids. */
export function withKnownPrefix(text: string) {
  const [, prefix = "", local = ""] = /^([a-z]+):(.*)$/.exec(text) ?? [];
  const known = KNOWN_PREFIXES.get(prefix);
  return known && { iri: known.namespace + local, isId: known.local.test(local) };
}

/** Addresses of known vocabularies that differ from the IRIs of their terms: pages, and the other scheme. */
export const KNOWN_ADDRESSES: readonly (readonly [former: RegExp, address: string])[] = [
  [/^https?:\/\/vocab\.getty\.edu\/(?:page\/)?(aat|tgn|ulan)\/(\d+)$/, "http://vocab.getty.edu/$1/$2"],
  [/^https?:\/\/(?:www\.)?wikidata\.org\/(?:wiki|entity)\/([QP]\d+)$/, "http://www.wikidata.org/entity/$1"],
  [/^https?:\/\/(?:www\.)?viaf\.org\/viaf\/(\d+)\/?$/, "http://viaf.org/viaf/$1"],
  [/^https?:\/\/id\.loc\.gov\/(authorities\/(?:names|subjects)\/[a-z]+\d+)(?:\.html)?$/, "http://id.loc.gov/$1"],
  [/^https?:\/\/(?:www\.)?d-nb\.info\/gnd\/([\dX-]+)$/, "https://d-nb.info/gnd/$1"],
];
