/** The reference for the compiled plans: jsonld.js with the contexts of a registry. */
import { createRequire } from "node:module";
import jsonld from "jsonld";
import type { ContextRegistry } from "../../src/jsonld/contexts.js";
import { fieldForm, fieldOrder, standsAlone } from "../../src/model/layout.js";
import type { Json } from "../../src/rdf/record-graph.js";
import type { PlainQuad } from "../canonical.js";

type JsonObject = { [key: string]: Json };

/**
 * At every node whose class has a context, jsonld.js copies all active terms, which takes nine tenths of its
 * time. Term definitions do not change, so the copies can share them.
 */
const util = createRequire(import.meta.url)("jsonld/lib/util.js") as { clone(value: unknown): unknown };
const { clone } = util;
util.clone = (value) => (value instanceof Map ? new Map(value) : clone(value));

/** The functions of jsonld.js that tests use, in the tests' own types. */
export const reference = jsonld as unknown as {
  expand(document: Json, options: object): Promise<Json>;
  toRDF(document: Json, options: object): Promise<PlainQuad[]>;
  fromRDF(quads: readonly PlainQuad[], options: object): Promise<Json>;
  frame(document: Json, frame: Json, options: object): Promise<JsonObject>;
  compact(expanded: Json, context: Json, options: object): Promise<JsonObject>;
};

/** A document loader that only answers from a registry. */
export function documentLoader(registry: ContextRegistry): (uri: string) => Promise<object> {
  return async (uri) => ({ documentUrl: uri, document: { "@context": registry.get(uri) } });
}

/** The compact form of an expanded document, in the order and form of the field tables. */
export async function compactByReference(
  expanded: Json,
  context: Json,
  registry: ContextRegistry,
): Promise<JsonObject> {
  const options = { documentLoader: documentLoader(registry) };
  const { "@context": _, ...body } = await reference.compact(expanded, context, options);
  return { "@context": context, ...(laidOut(body, context) as JsonObject) };
}

/** Keys in field table order, single values in the form of the tables. */
function laidOut(value: Json, context: Json): Json {
  if (Array.isArray(value)) return value.map((item) => laidOut(item, context));
  if (typeof value !== "object" || value === null) return value;
  const type = Array.isArray(value.type) ? value.type[0] : value.type;
  const order = ["id", "@id", "type", "@type", ...fieldOrder(typeof type === "string" ? type : "")];
  const rank = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);
  const entries = Object.entries(value).sort(([a], [b]) => rank(a) - rank(b));
  const ownContext = typeof type === "string" && standsAlone(type) && "id" in value ? { "@context": context } : {};
  const properties = entries.map(([key, inner]): [string, Json] => {
    const out = laidOut(inner, context);
    const form = fieldForm(key);
    if (form === "array" && !Array.isArray(out)) return [key, [out]];
    if (form === "single" && Array.isArray(out) && out.length === 1) return [key, out[0]!];
    return [key, out];
  });
  return { ...ownContext, ...Object.fromEntries(properties) };
}
