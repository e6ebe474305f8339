/** The rules that mend records. Each has a name, a description and an example, and changes a node only where the repair is unambiguous. */
import { isDeepStrictEqual } from "node:util";
import { asList } from "../../jsonld/json-values.js";
import { fieldForm } from "../../model/layout.js";
import { isEntityClass } from "../../model/tables/endpoints.js";
import { dayAndMonthOf, exchanged, type Instant, instantFor, TIMESTAMPS, timestampOf } from "../../model/timestamps.js";
import { classIri, PREFIXES, propertyIri } from "../../model/vocabulary/vocabulary.js";
import { isJsonObject, type Json, type JsonObject } from "../../rdf/record-graph.js";
import type { MendNode, MendRule } from "./mend-rule.js";
import { RULES_ON_REQUEST } from "./rules-on-request.js";
import {
  classTerm,
  FORMER_CONTEXTS,
  isUnknown,
  KNOWN_ADDRESSES,
  onlyClass,
  statedTerm,
  withKnownPrefix,
} from "./terms.js";

/** The rules in the order in which they are applied to a node. The node's values are mended after it. */
export const MEND_RULES: readonly MendRule[] = [
  {
    name: "context",
    repairs: "the address of a former context document of Linked Art",
    example: {
      before: { "@context": "https://linked.art/ns/context/1/full.jsonld" },
      after: { "@context": "https://linked.art/ns/v1/linked-art.json" },
    },
    mend(node) {
      const { contextUri } = node.document;
      mendValues(node, "@context", (each) => (FORMER_CONTEXTS.includes(each) ? contextUri : undefined));
    },
  },
  {
    name: "iri-space",
    repairs: "white space around an id, and spaces in the address of a file (access_point)",
    example: { before: { id: " https://museum.example/1\n" }, after: { id: "https://museum.example/1" } },
    mend(node) {
      const encoded = (address: string) => address.trim().replaceAll(" ", "%20") || undefined;
      const better = node.key === "access_point" ? encoded : (id: string) => id.trim() || undefined;
      for (const key of ["id", "@id"]) mendValues(node, key, better);
      mendValues(node, "access_point", encoded);
    },
  },
  {
    name: "class",
    repairs: "a class written with a former name or its CIDOC-CRM name",
    example: { before: { type: "ManMadeObject" }, after: { type: "HumanMadeObject" } },
    mend(node) {
      mendValues(node, "type", (each) => (node.mayDefine(each) ? undefined : classTerm(each)));
    },
  },
  {
    name: "property",
    repairs: "a property written with a former name or its CIDOC-CRM name",
    example: { before: { type: "Name", value: "Irises" }, after: { type: "Name", content: "Irises" } },
    mend(node) {
      for (const key of Object.keys(node.object)) {
        const term = statedTerm(key, node.type);
        if (term !== undefined && !(term in node.object) && !node.mayDefine(key)) node.rename(key, term);
      }
    },
  },
  {
    name: "empty",
    repairs: "a key that no context defines and that has no content: null, or an empty array or text",
    example: { before: { type: "Place", height_note: null }, after: { type: "Place" } },
    mend(node) {
      if (!node.document.hasPlainContext) return;
      for (const [key, value] of Object.entries(node.object)) {
        const isEmpty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
        if (isEmpty && isUnknown(key)) node.remove(key);
      }
    },
  },
  {
    name: "prefix",
    repairs: "an id with a prefix that the context does not define: aat:, ulan:, tgn:, wd: and others",
    example: {
      before: { type: "Type", id: "aat:300033618" },
      after: { type: "Type", id: "http://vocab.getty.edu/aat/300033618" },
    },
    mend(node) {
      if (node.document.hasPlainContext) mendIris(node, withoutPrefix);
    },
  },
  {
    name: "address",
    repairs: "an id of a known vocabulary that is not the canonical one: https, or the address of a page",
    example: {
      before: { type: "Person", classified_as: [{ id: "https://vocab.getty.edu/page/aat/300025103" }] },
      after: { type: "Person", classified_as: [{ id: "http://vocab.getty.edu/aat/300025103" }] },
    },
    mend(node) {
      if (node.parent !== undefined) mendIris(node, knownAddress, PAGES);
    },
  },
  {
    name: "array",
    repairs: "a single value where the field tables have an array",
    example: {
      before: { type: "Place", part_of: { id: "https://museum.example/2", type: "Place" } },
      after: { type: "Place", part_of: [{ id: "https://museum.example/2", type: "Place" }] },
    },
    mend(node) {
      for (const [key, value] of Object.entries(node.object)) {
        const isAlone = isJsonObject(value) || typeof value === "string";
        if (isAlone && fieldForm(key) === "array" && !node.mayDefine(key)) node.set(key, [value]);
      }
    },
  },
  {
    name: "single",
    repairs: "an array of one value where the field tables have a single value",
    example: { before: { type: "Person", _label: ["Ada"] }, after: { type: "Person", _label: "Ada" } },
    mend(node) {
      for (const [key, value] of Object.entries(node.object)) {
        const isSingle = key === "type" || fieldForm(key) === "single";
        if (isSingle && Array.isArray(value) && value.length === 1) node.set(key, value[0]!);
      }
    },
  },
  {
    name: "pieces",
    repairs: "one structure in several pieces that do not contradict each other",
    example: {
      before: { type: "Person", born: [{ type: "Birth" }, { timespan: { type: "TimeSpan" } }] },
      after: { type: "Person", born: { type: "Birth", timespan: { type: "TimeSpan" } } },
    },
    mend(node) {
      for (const [key, value] of Object.entries(node.object)) {
        if (fieldForm(key) !== "single" || !Array.isArray(value) || value.length < 2) continue;
        const whole = joined(value, onlyClass(node.type, key));
        if (whole !== undefined) node.set(key, whole);
      }
    },
  },
  {
    name: "reference",
    repairs: "a reference written as a plain text, where the field tables allow only one class",
    example: {
      before: { type: "Person", classified_as: ["http://vocab.getty.edu/aat/300025103"] },
      after: { type: "Person", classified_as: [{ id: "http://vocab.getty.edu/aat/300025103", type: "Type" }] },
    },
    mend(node) {
      for (const [key, value] of Object.entries(node.object)) {
        const type = onlyClass(node.type, key);
        if (type === undefined || !Array.isArray(value)) continue;
        mendValues(node, key, (each) => {
          const id = /^https?:\/\/\S+$/.test(each) ? each : withoutPrefix(each);
          return id === undefined ? undefined : { id, type };
        });
      }
    },
  },
  {
    name: "type",
    repairs: "a missing type, where the field tables allow only one class",
    example: {
      before: { type: "Person", born: { timespan: { type: "TimeSpan" } } },
      after: { type: "Person", born: { timespan: { type: "TimeSpan" }, type: "Birth" } },
    },
    mend(node) {
      if (node.parent === undefined || "type" in node.object || "@type" in node.object || "@value" in node.object)
        return;
      const type = onlyClass(node.parent.type, node.key);
      if (type !== undefined && Object.keys(node.object).length > 0) node.set("type", type);
    },
  },
  {
    name: "actors",
    repairs:
      "Actor, no longer a class of records, where the node shows which kind: born, formed, AAT's corporations, /corpname/",
    example: {
      before: { type: "Actor", classified_as: [{ id: "http://vocab.getty.edu/aat/300025969", type: "Type" }] },
      after: { type: "Group", classified_as: [{ id: "http://vocab.getty.edu/aat/300025969", type: "Type" }] },
    },
    mend(node) {
      const kind = node.type === "Actor" ? actorKind(node) : undefined;
      if (kind !== undefined) node.set("type", kind);
    },
  },
  ...RULES_ON_REQUEST,
  {
    name: "swapped-days",
    repairs: "day and month swapped, in documents with a date that makes sense only with the day before the month",
    isAsked: true,
    example: {
      before: { type: "TimeSpan", begin_of_the_begin: "1939-18-10" },
      after: { type: "TimeSpan", begin_of_the_begin: "1939-10-18T00:00:00Z" },
    },
    mend(node) {
      mendDates(node, (text, instant) => {
        const reading = dayAndMonthOf(text);
        // A document writes its dates in one way. A date that also has a time was written with more care.
        const isLikeOthers = node.document.hasSwappedDays && !/[T ]/.test(text.trim());
        const isSwapped = reading === "swapped" || (reading === "ambiguous" && isLikeOthers);
        return isSwapped ? timestampOf(exchanged(text), instant) : undefined;
      });
    },
  },
  {
    name: "timestamp",
    repairs: "years, months, days, local times, offsets and fractions of seconds: changed to the first or last instant",
    example: {
      before: { type: "TimeSpan", begin_of_the_begin: "1889", end_of_the_end: "1889-02" },
      after: { type: "TimeSpan", begin_of_the_begin: "1889-01-01T00:00:00Z", end_of_the_end: "1889-02-28T23:59:59Z" },
    },
    mend(node) {
      mendDates(node, (text, instant) => {
        // Where the document swaps days and months elsewhere, an ambiguous date stays unchanged.
        const isDoubtful = node.document.hasSwappedDays && dayAndMonthOf(text) === "ambiguous";
        return isDoubtful ? undefined : timestampOf(text, instant);
      });
    },
  },
  {
    name: "text",
    repairs: "a text written as a number",
    example: { before: { type: "Identifier", content: 1889 }, after: { type: "Identifier", content: "1889" } },
    mend(node) {
      for (const key of ["content", "_label"]) {
        const value = node.object[key];
        if (typeof value === "number" && Number.isSafeInteger(value)) node.set(key, String(value));
      }
    },
  },
  {
    name: "label",
    repairs: "a missing _label, from the first name",
    example: {
      before: { type: "Place", identified_by: [{ type: "Name", content: "Delft" }] },
      after: { type: "Place", identified_by: [{ type: "Name", content: "Delft" }], _label: "Delft" },
    },
    mend(node) {
      if (node.parent !== undefined || "_label" in node.object) return;
      const names = node.object.identified_by;
      const name = Array.isArray(names) ? names.find((each) => isJsonObject(each) && each.type === "Name") : undefined;
      const text = isJsonObject(name) ? (name.content ?? name.value) : undefined;
      if (typeof text === "string" && text.trim() !== "") node.set("_label", text);
    },
  },
];

/** Change the text under a key, or the texts of its array, wherever `mended` returns a value. */
function mendValues(node: MendNode, key: string, mended: (text: string) => Json | undefined): void {
  const value = node.object[key];
  const better = (each: Json): Json => (typeof each === "string" ? mended(each) : undefined) ?? each;
  if (Array.isArray(value)) {
    const values = value.map(better);
    if (values.some((each, at) => each !== value[at])) node.set(key, values);
  } else if (value !== undefined && better(value) !== value) node.set(key, better(value));
}

/** The properties whose values may be pages or files. There, the address of a page means the page, not what it is about. */
const PAGES = ["access_point", "digitally_carried_by", "digitally_shown_by", "subject_of", "see_also"];

/** Change a node's id, and its references that are plain texts. With `except`, values of these properties and files stay unchanged. */
function mendIris(node: MendNode, mended: (iri: string) => string | undefined, except: readonly string[] = []): void {
  const isExcept = except.includes(node.key) || (except.length > 0 && node.type === "DigitalObject");
  if (!Array.isArray(node.object.id) && !isExcept) mendValues(node, "id", mended);
  for (const [key, value] of Object.entries(node.object))
    if (fieldForm(key) === "array" && Array.isArray(value) && !except.includes(key)) mendValues(node, key, mended);
}

function withoutPrefix(id: string): string | undefined {
  const known = withKnownPrefix(id);
  return known?.isId ? known.iri : undefined;
}

function knownAddress(id: string): string | undefined {
  for (const [former, address] of KNOWN_ADDRESSES) if (former.test(id)) return id.replace(former, address);
  return undefined;
}

/** The pieces merged into one, or `undefined` where two of them contradict each other. References by an id and without one may be to different entities. @param of the class of the pieces, if only one is allowed */
function joined(pieces: readonly Json[], of = ""): JsonObject | undefined {
  if (!pieces.every(isJsonObject)) return undefined;
  if (isEntityClass(classIri(of) ?? "") && new Set(pieces.map(({ id }) => id)).size > 1) return undefined;
  const whole = new Map<string, Json>();
  for (const [key, value] of pieces.flatMap((piece) => Object.entries(piece))) {
    if (whole.has(key) && !isDeepStrictEqual(whole.get(key), value)) return undefined;
    whole.set(key, value);
  }
  return Object.fromEntries(whole);
}

function mendDates(node: MendNode, mended: (text: string, instant: Instant) => string | undefined): void {
  for (const { term, key, text } of datesOf(node.object)) {
    const timestamp = mended(text, instantFor(term));
    if (timestamp === undefined || (key !== term && node.mayDefine("crm"))) continue;
    if (key !== term) node.rename(key, term);
    if (timestamp !== node.object[term]) node.set(term, timestamp);
  }
}

/** The dates of a node's timestamps. One of another datatype in triples has a key such as `crm:P82a_begin_of_the_begin`. */
export function datesOf(object: JsonObject) {
  return TIMESTAMPS.flatMap((term) => {
    const key = [term, propertyIri(term)!.replace(PREFIXES.crm, "crm:")].find((each) => each in object) ?? term;
    const given = object[key];
    const value = isJsonObject(given) && !("@language" in given) ? given["@value"] : given;
    const isDate = typeof value === "string" || (typeof value === "number" && Number.isInteger(value));
    return isDate ? [{ term, key, text: String(value) }] : [];
  });
}

/** AAT terms for corporations and organizations, and for people. */
const GROUP_KIND = /(?:^aat:|\/aat\/)(?:300025969|300025948)$/;
const PERSON_KIND = /(?:^aat:|\/aat\/)300024979$/;

/** Properties that only groups, or only persons, have. */
const OF_GROUPS = ["formed_by", "dissolved_by"];
const OF_PERSONS = ["born", "died"];

/** The kind of Actor that a node describes, or `undefined` where it shows neither kind, or both. */
function actorKind({ object, document }: MendNode): "Person" | "Group" | undefined {
  const { id } = object;
  const address = typeof id === "string" ? id : "";
  const ids = asList(object.classified_as ?? []).map((kind) => (isJsonObject(kind) ? kind.id : kind));
  const kinds = ids.filter((kind) => typeof kind === "string");
  if ([address, ...kinds].some((iri) => document.groups.has(iri))) return "Group";
  const has = (keys: readonly string[]): boolean => keys.some((key) => key in object);
  const isGroup = /\/corpname\//.test(address) || has(OF_GROUPS) || kinds.some((iri) => GROUP_KIND.test(iri));
  const isPerson = /\/persname\//.test(address) || has(OF_PERSONS) || kinds.some((iri) => PERSON_KIND.test(iri));
  if (isGroup === isPerson) return undefined;
  return isGroup ? "Group" : "Person";
}
