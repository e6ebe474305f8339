/** jsonld.js at work: what the compiled plans do not cover is converted by the reference implementation itself. */
import jsonld from "jsonld";
import { indexBySubject, type Json, type RecordGraph, RecordGraphBuilder, rootOf } from "../rdf/record-graph.js";
import { iriProblem, type Term } from "../rdf/terms.js";
import type { ContextEnvironment } from "./active-context.js";
import { MAX_DEPTH } from "./expand.js";
import { DocumentError, type LossCollector } from "./loss.js";
import { literalToNative } from "./native.js";
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
  fromRDF(quads: readonly ReferenceQuad[], options: object): Promise<Json>;
  frame(expanded: Json, frame: Json, options: object): Promise<Json>;
}
const processor = jsonld as unknown as Processor;

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
      const property = event.details["property"];
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
    const expanded = await processor.expand(document, options);
    iri = expanded[0]?.["@id"];
    quads = await processor.toRDF(expanded, options);
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

/** A record's frame: one of `frames/*.json`. */
export type Frame = JsonObject;

/**
 * The document of a record, by jsonld.js's `fromRDF` and `frame`, in the order and form of the layout. Nodes are
 * embedded wherever they are mentioned, unless that would blow the document up.
 */
export async function documentByReference(
  graph: RecordGraph,
  context: Json,
  recordFrame: Frame,
  environment: ContextEnvironment,
  layout: Layout,
): Promise<JsonObject> {
  const expanded = await expandedByReference(graph);
  const options = { documentLoader: environment.registry.documentLoader, omitGraph: true };
  const embed = unfoldsTooFar(graph) ? "@once" : "@always";
  const frame = { ...recordFrame, "@context": context, "@id": graph.iri, "@embed": embed, "@omitDefault": true };
  return laidOut(await processor.frame(expanded, frame, options), layout, true) as JsonObject;
}

/** Whether embedding every node at every mention takes more than ten nodes a triple. */
function unfoldsTooFar(graph: RecordGraph): boolean {
  const { first, next } = indexBySubject(graph);
  let left = (graph.triples.length / 3) * 10;
  const open = new Set<number>();
  const visit = (node: number): void => {
    if (left-- <= 0 || open.has(node)) return;
    if (open.size > MAX_DEPTH) left = 0;
    open.add(node);
    for (let triple = first[node]!; triple !== -1; triple = next[triple]!) visit(graph.triples[triple * 3 + 2]!);
    open.delete(node);
  };
  visit(rootOf(graph));
  return left <= 0;
}

/** The expanded, flat JSON-LD of a record, by jsonld.js's `fromRDF`, with native numbers where nothing is lost. */
export async function expandedByReference(graph: RecordGraph): Promise<Json> {
  const quads: ReferenceQuad[] = [];
  for (let at = 0; at < graph.triples.length; at += 3) {
    const [subject, predicate, object] = [0, 1, 2].map((place) =>
      referenceTerm(graph.terms[graph.triples[at + place]!]!),
    );
    quads.push({
      subject: subject!,
      predicate: predicate!,
      object: object!,
      graph: { termType: "DefaultGraph", value: "" },
    });
  }
  return nativised(await processor.fromRDF(quads, { useNativeTypes: false }));
}

function referenceTerm(term: Term): ReferenceTerm {
  if (term.termType !== "Literal") return { termType: term.termType, value: term.value };
  const datatype = { termType: "NamedNode", value: term.datatype };
  return { termType: "Literal", value: term.value, datatype, language: term.language };
}

/** jsonld.js's own `useNativeTypes` turns "007" into a plain string; this leaves it a typed one. */
function nativised(value: Json): Json {
  if (Array.isArray(value)) return value.map(nativised);
  if (typeof value !== "object" || value === null) return value;
  const { "@value": lexical, "@type": type } = value;
  if (typeof lexical === "string" && typeof type === "string") {
    const native = literalToNative(lexical, type);
    return native === undefined ? value : { "@value": native };
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, nativised(inner)]));
}

/** Keys in field table order, single values in the form of the tables. */
function laidOut(value: Json, layout: Layout, isRoot: boolean): Json {
  if (Array.isArray(value)) return value.map((item) => laidOut(item, layout, false));
  if (typeof value !== "object" || value === null) return value;
  const type = Array.isArray(value["type"]) ? value["type"][0] : value["type"];
  const order = ["@context", "id", "@id", "type", "@type", ...layout.order(typeof type === "string" ? type : "")];
  const rank = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);
  const entries = Object.entries(value).sort(([a], [b]) => rank(a) - rank(b));
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      if (key === "@context" && isRoot) return [key, inner];
      const out = laidOut(inner, layout, false);
      const form = layout.form(key);
      if (form === "array" && !Array.isArray(out)) return [key, [out]];
      if (form === "single" && Array.isArray(out) && out.length === 1) return [key, out[0]!];
      return [key, out];
    }),
  );
}
