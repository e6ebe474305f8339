/** The mending rules that run only on request, because they assume or lose something. */
import { remembering } from "../../base/bounded-map.js";
import { nearest } from "../../base/did-you-mean.js";
import { fieldForm } from "../../model/layout.js";
import { classIri, PREFIXES, PROPERTY_NAMES } from "../../model/vocabulary/vocabulary.js";
import type { JsonObject } from "../../rdf/record-graph.js";
import type { MendRule } from "./mend-rule.js";
import { classTerm, isUnknown, withKnownPrefix } from "./terms.js";

/** Whether a key begins with a prefix that the model's context does not define. Keys that are whole IRIs (`https://`, `urn:`, `tag:`, `info:`) do not. */
function hasForeignPrefix(key: string): boolean {
  const [, prefix] = /^([a-z]\w*):(?!\/\/)/i.exec(key) ?? [];
  return prefix !== undefined && !Object.hasOwn(PREFIXES, prefix) && !["urn", "tag", "info"].includes(prefix);
}

/** Whether a key that no context defines is probably a misspelling of one that the model has. */
const isMisspelt = remembering(1_000, (key: string) => nearest(key, PROPERTY_NAMES) !== undefined);

/** A rule that replaces one class by another. @param reason why the class cannot stay */
function classRule(name: string, type: string, reason: string, as: string, of: JsonObject = {}): MendRule {
  return {
    name,
    repairs: `${type}, ${reason}, becomes a ${as}`,
    example: { before: { type, ...of }, after: { type: as, ...of } },
    mend(node) {
      if (node.type === type) node.set("type", as);
    },
  };
}

const ADA = { _label: "Ada" };
const PAINTER = { id: "https://museum.example/7", type: "Person", _label: "Georgia O'Keeffe" };

const RULES: readonly MendRule[] = [
  classRule("actors-as-persons", "Actor", "no longer a class of records", "Person", ADA),
  classRule("actors-as-groups", "Actor", "no longer a class of records", "Group", ADA),
  classRule("physical-objects", "PhysicalObject", "which belongs to no endpoint", "HumanMadeObject"),
  {
    name: "first-label",
    repairs: "several labels for one id in a document: the first is used everywhere",
    example: {
      before: { type: "Set", about: [PAINTER, { ...PAINTER, _label: "O'Keeffe, Georgia" }] },
      after: { type: "Set", about: [PAINTER, PAINTER] },
    },
    mend(node) {
      const { id, _label: label } = node.object;
      const first = typeof id === "string" ? node.document.firstLabels.get(id) : undefined;
      if (first !== undefined && typeof label === "string" && label !== first) node.set("_label", first);
      else if (Array.isArray(label) && label.length > 1 && typeof label[0] === "string") node.set("_label", label[0]);
    },
  },
  {
    name: "foreign-classes",
    repairs: "classes of other vocabularies beside one of the model's: they are removed",
    example: { before: { type: ["schema:Thing", "Person"] }, after: { type: "Person" } },
    mend(node) {
      const { type } = node.object;
      if (!node.document.hasPlainContext || !Array.isArray(type)) return;
      const own = type.filter((each) => typeof each === "string" && (classIri(each) ?? classTerm(each)) !== undefined);
      if (own.length > 0 && own.length < type.length) node.set("type", own.length === 1 ? own[0]! : own);
    },
  },
  {
    name: "foreign-keys",
    repairs:
      "keys that no context defines, or whose prefix it does not define: they are removed with their values, unless they are probably misspelt",
    example: { before: { type: "Place", image_count: 3 }, after: { type: "Place" } },
    mend(node) {
      if (!node.document.hasPlainContext) return;
      for (const key of Object.keys(node.object))
        if ((isUnknown(key) && !isMisspelt(key)) || hasForeignPrefix(key)) node.remove(key);
    },
  },
  {
    name: "unknown-terms",
    repairs: "a reference written as a plain text that is not an id of the vocabulary of its prefix: it is removed",
    example: {
      before: { type: "Name", classified_as: ["aat:acronym"], content: "MoMA" },
      after: { type: "Name", content: "MoMA" },
    },
    mend(node) {
      for (const [key, value] of Object.entries(node.object)) {
        if (fieldForm(key) !== "array" || !Array.isArray(value)) continue;
        const terms = value.filter((each) => typeof each !== "string" || withKnownPrefix(each)?.isId !== false);
        if (terms.length === 0 && value.length > 0) node.remove(key);
        else if (terms.length < value.length) node.set(key, terms);
      }
    },
  },
];

export const RULES_ON_REQUEST: readonly MendRule[] = RULES.map((rule) => ({ ...rule, isAsked: true }));
