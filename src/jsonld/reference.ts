/** jsonld.js at work: what the compiled plans do not cover is converted by the reference implementation itself. */
import { type Json, type RecordGraph, RecordGraphBuilder } from "../rdf/record-graph.js";
import { iriProblem } from "../rdf/terms.js";
import type { ContextEnvironment } from "./active-context.js";
import { DocumentError, type LossCollector } from "./loss.js";
import type { Layout } from "./plan.js";

type JsonObject = { [key: string]: Json };

/** RDF/JS quads as jsonld.js gives and takes them. */
interface ReferenceTerm {
  readonly termType: string;
  readonly value: string;
  readonly datatype?: { readonly termType?: string; readonly value: string };
  readonly language?: string;
}
interface ReferenceQuad {
  readonly subject: ReferenceTerm;
  readonly predicate: ReferenceTerm;
  readonly object: ReferenceTerm;
  readonly graph: ReferenceTerm;
}

/** What is used of jsonld.js; its published types know neither its loss events nor RDF/JS datasets. */
interface Processor {
  expand(document: Json, options: object): Promise<JsonObject[]>;
  toRDF(expanded: Json, options: object): Promise<ReferenceQuad[]>;
  compact(expanded: Json, context: Json, options: object): Promise<JsonObject>;
}
/** Loaded when first asked for: it brings an HTTP client with it, and most processes never need either. */
async function processor(): Promise<Processor> {
  return (await import("jsonld")).default as unknown as Processor;
}

interface LossEvent {
  readonly event: {
    readonly code: string;
    readonly message: string;
    readonly details: { readonly [key: string]: unknown };
  };
  readonly next: () => void;
}

/** Events that lose nothing of what a document says. */
const HARMLESS = new Set(["null @value value", "empty object", "object with only @id"]);

/** The record graph of a document, by jsonld.js's `toRDF`. Losses go to `losses`. Throws `DocumentError`. */
export async function recordByReference(
  document: JsonObject,
  environment: ContextEnvironment,
  losses: LossCollector,
): Promise<RecordGraph> {
  const options = {
    documentLoader: environment.registry.documentLoader,
    base: environment.base ?? "",
    eventHandler: ({ event, next }: LossEvent) => {
      const property = event.details.property;
      if (event.code === "invalid property" && typeof property === "string" && property.startsWith("_"))
        losses.droppedKeys++;
      else if (!HARMLESS.has(event.code))
        losses.lose(`${event.message} (${JSON.stringify(event.details).slice(0, 120)})`);
      next();
    },
  };
  let quads: ReferenceQuad[];
  let iri: unknown;
  try {
    const expanded = await (await processor()).expand(document, options);
    iri = expanded[0]?.["@id"];
    quads = await (await processor()).toRDF(expanded, options);
  } catch (error) {
    throw new DocumentError([{ path: "", problem: error instanceof Error ? error.message : String(error) }]);
  }
  const problem = typeof iri !== "string" ? "is missing: a record needs the IRI of its entity" : iriProblem(iri);
  if (problem !== undefined) throw new DocumentError([{ path: "id", problem }]);
  return graphOf(iri as string, document["@context"], quads, losses);
}

function graphOf(
  iri: string,
  context: Json | undefined,
  quads: readonly ReferenceQuad[],
  losses: LossCollector,
): RecordGraph {
  const builder = new RecordGraphBuilder(iri, context);
  for (const { subject, predicate, object, graph } of quads) {
    if (graph.termType !== "DefaultGraph")
      losses.lose(`has triples in the graph <${graph.value}>: a record is one graph`);
    for (const { termType, value } of [subject, predicate, object]) {
      const problem = termType === "NamedNode" ? iriProblem(value) : undefined;
      if (problem !== undefined) losses.lose(`${JSON.stringify(value)} ${problem}`);
    }
    builder.add(...([subject, predicate, object].map((term) => numberOf(builder, term)) as [number, number, number]));
  }
  return builder.build();
}

function numberOf(builder: RecordGraphBuilder, { termType, value, datatype, language }: ReferenceTerm): number {
  if (termType === "NamedNode") return builder.iri(value);
  if (termType === "BlankNode") return builder.blank(value.replace(/^_:/, ""));
  return builder.literal(value, datatype?.value, language);
}

/**
 * The compact document of an expanded one, by jsonld.js's `compact`, in the order and form of the layout. (Its `frame`
 * would drop `0`, `false` and `""` from arrays, and cannot tell what nothing leads to.)
 */
export async function compactByReference(
  expanded: Json,
  context: Json,
  environment: ContextEnvironment,
  layout: Layout,
): Promise<JsonObject> {
  const options = { documentLoader: environment.registry.documentLoader };
  const { "@context": _, ...body } = await (await processor()).compact(expanded, context, options);
  return { "@context": context, ...(laidOut(body, layout, context) as JsonObject) };
}

/** Keys in field table order, single values in the form of the tables. */
function laidOut(value: Json, layout: Layout, context: Json): Json {
  if (Array.isArray(value)) return value.map((item) => laidOut(item, layout, context));
  if (typeof value !== "object" || value === null) return value;
  const type = Array.isArray(value.type) ? value.type[0] : value.type;
  const order = ["id", "@id", "type", "@type", ...layout.order(typeof type === "string" ? type : "")];
  const rank = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);
  const entries = Object.entries(value).sort(([a], [b]) => rank(a) - rank(b));
  const ownContext =
    typeof type === "string" && layout.standsAlone(type) && "id" in value ? { "@context": context } : {};
  const properties = entries.map(([key, inner]): [string, Json] => {
    const out = laidOut(inner, layout, context);
    const form = layout.form(key);
    if (form === "array" && !Array.isArray(out)) return [key, [out]];
    if (form === "single" && Array.isArray(out) && out.length === 1) return [key, out[0]!];
    return [key, out];
  });
  return { ...ownContext, ...Object.fromEntries(properties) };
}
