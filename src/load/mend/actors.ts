/** Actors of documents told apart: which are Persons and which are Groups, by what their nodes say. */
import { asList } from "../../jsonld/json-values.js";
import { isJsonObject, type Json } from "../../rdf/record-graph.js";
import type { MendNode } from "./mend-rule.js";

/** Terms of the AAT: corporations and organizations; people. */
const GROUP_KIND = /(?:^aat:|\/aat\/)(?:300025969|300025948)$/;
const PERSON_KIND = /(?:^aat:|\/aat\/)300024979$/;

/** Properties that only the one or the other has. */
const OF_GROUPS = ["formed_by", "dissolved_by"];
const OF_PERSONS = ["born", "died"];

/** The kind of Actor that a node describes: one of the two, or `undefined` where it says neither, or both. */
export function actorKind({ object, document }: MendNode): "Person" | "Group" | undefined {
  const { id } = object;
  const address = typeof id === "string" ? id : "";
  const kinds = asList(object.classified_as ?? []).flatMap(idOf);
  if ([address, ...kinds].some((iri) => document.groups.has(iri))) return "Group";
  const has = (keys: readonly string[]): boolean => keys.some((key) => key in object);
  const isGroup = /\/corpname\//.test(address) || has(OF_GROUPS) || kinds.some((iri) => GROUP_KIND.test(iri));
  const isPerson = /\/persname\//.test(address) || has(OF_PERSONS) || kinds.some((iri) => PERSON_KIND.test(iri));
  if (isGroup === isPerson) return undefined;
  return isGroup ? "Group" : "Person";
}

function idOf(kind: Json): readonly string[] {
  if (typeof kind === "string") return [kind];
  return isJsonObject(kind) && typeof kind.id === "string" ? [kind.id] : [];
}
