/** Reading and writing documents, with plans that are compiled once for each `@context`. */
import { BoundedMap } from "../base/bounded-map.js";
import * as layout from "../model/layout.js";
import { DEFAULT_MODEL, type ModelSettings } from "../model/settings.js";
import { contextDocument } from "../model/vocabulary/context.js";
import type { EncodedGraph } from "../rdf/encoded-graph.js";
import { isJsonObject, type Json, type JsonObject, type RecordGraph } from "../rdf/record-graph.js";
import { iriProblem } from "../rdf/terms.js";
import { ActiveContext, type ContextEnvironment, TOO_DEEP_CONTEXT } from "./active-context.js";
import { ContextError } from "./context-definition.js";
import { ContextRegistry, UnknownContextError } from "./contexts.js";
import { documentText } from "./document-text.js";
import { NodeWalk } from "./expand.js";
import { frame, UnwritableError } from "./frame.js";
import { readyBytes } from "./json-bytes.js";
import { plansOf } from "./key-plan.js";
import { DocumentError, LossCollector } from "./loss.js";
import { compactPlan, expandedPlan, type NodePlans } from "./plan.js";
import { TextPlans } from "./text-plan.js";

interface DocumentSettings {
  readonly model: ModelSettings;
  readonly contexts: ContextRegistry;
  readonly baseUrl?: string | undefined;
}

/** At most this many compiled contexts are kept, since documents may bring any number of inline contexts. */
const MAX_CONTEXTS = 256;

function byContext<T extends object>(make: (context: Json) => T): (context: Json) => T {
  const made = new BoundedMap<string, T>(MAX_CONTEXTS);
  let [last, ofLast]: [last?: Json, ofLast?: T] = [];
  return (context) => {
    // Most records have the same context as the one before.
    if (context === last && ofLast !== undefined) return ofLast;
    const key = JSON.stringify(context);
    [last, ofLast] = [context, made.get(key) ?? made.put(key, make(context))];
    return ofLast;
  };
}

/**
 * Reads documents into record graphs.
 * @example
 * import { DEFAULT_MODEL } from "#model/settings";
 * const reader = new DocumentReader(documentSettings(DEFAULT_MODEL, [], "https://a.example/"));
 * const { graph } = reader.read({ "@context": DEFAULT_MODEL.contextUri, id: "place/1", type: "Place", _label: "Delft" });
 * graph.iri; // => "https://a.example/place/1"
 */
export class DocumentReader {
  readonly #environment: ContextEnvironment;

  constructor(readonly settings: DocumentSettings) {
    this.#environment = { registry: settings.contexts, base: settings.baseUrl };
  }

  /** The record of a document. `droppedKeys` is the number of keys beginning with `_` that no context defines, such as `_links`: they are not part of the record. Throws `UnknownContextError`, and `DocumentError` with all keys and values that would be lost. */
  read(document: Json): { readonly graph: RecordGraph; readonly droppedKeys: number } {
    if (!isJsonObject(document))
      throw new DocumentError([{ path: "", problem: "is not a JSON object: a document describes one entity" }]);
    if (document["@context"] === undefined && !isExpanded(document)) {
      const problem = `is missing: write "@context": ${JSON.stringify(this.settings.model.contextUri)}`;
      throw new DocumentError([{ path: "@context", problem }]);
    }
    const losses = new LossCollector(false);
    const graph = naming(() => new NodeWalk(losses).record(document, this.#environment));
    losses.check(graph);
    if (graph.triples.length === 0)
      throw new DocumentError([{ path: "", problem: "says nothing about its entity except its id" }]);
    return { graph, droppedKeys: losses.droppedKeys };
  }

  /** The IRI that a document gives its entity, even when the rest cannot be read; `undefined` without a usable IRI or context. */
  iriOf(document: Json): string | undefined {
    if (!isJsonObject(document)) return undefined;
    const context = document["@context"] ?? this.settings.model.contextUri;
    try {
      const id = naming(() => {
        const plans = plansOf(ActiveContext.of(context, this.#environment));
        return new NodeWalk(new LossCollector(false)).idOf(document, plans);
      });
      return id === undefined || iriProblem(id) !== undefined ? undefined : id;
    } catch (error) {
      if (error instanceof UnknownContextError || error instanceof DocumentError) return undefined;
      throw error;
    }
  }
}

/**
 * Whether a document needs no `@context`, because its keys are keywords and IRIs (JSON-LD 1.1, 9).
 * @example
 * isExpanded({ "@id": "urn:1" }); // => true
 * isExpanded({ id: "urn:1" }); // => false
 */
export function isExpanded(document: Json): boolean {
  if (!isJsonObject(document) || typeof document["@id"] !== "string" || "@context" in document) return false;
  return Object.keys(document).every((key) => key.startsWith("@") || key.includes(":"));
}

/** Rethrows errors of a context as errors of its document, including a context that is too deep for the stack. */
function naming<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ContextError) throw new DocumentError([{ path: "@context", problem: error.message }]);
    if (error instanceof RangeError) throw new DocumentError([{ path: "@context", problem: TOO_DEEP_CONTEXT }]);
    throw error;
  }
}

/**
 * Writes record graphs as documents.
 * @example
 * import { DEFAULT_MODEL } from "#model/settings";
 * const settings = documentSettings(DEFAULT_MODEL, []);
 * const document = { "@context": DEFAULT_MODEL.contextUri, id: "urn:1", type: "Place", _label: "Delft" };
 * new DocumentWriter(settings).document(new DocumentReader(settings).read(document).graph); // => document
 */
export class DocumentWriter {
  readonly #plansOf: (context: Json) => NodePlans;
  readonly #textsOf: (context: Json) => TextPlans;

  /** @param exactNumbers whether numbers keep their lexical forms, as value objects where JSON has no such number. By default, they become JSON numbers (2.15). */
  constructor(
    readonly settings: DocumentSettings,
    { exactNumbers = false }: { readonly exactNumbers?: boolean } = {},
  ) {
    const environment = { registry: settings.contexts, base: undefined };
    const options = { layout, exactNumbers };
    this.#plansOf = byContext((context) => compactPlan(context, environment, options));
    this.#textsOf = byContext((context) => new TextPlans(this.#plansOf(context), readyBytes(JSON.stringify(context))));
  }

  /** The compact document of a record, under its own `@context` or the model's. Throws `UnwritableError`, `UnknownContextError`. */
  document(graph: RecordGraph): JsonObject {
    const context = graph.context ?? this.settings.model.contextUri;
    try {
      return frame(graph, this.#plansOf(context), context);
    } catch (error) {
      if (error instanceof ContextError) throw new UnwritableError(graph.iri, error.message);
      throw error;
    }
  }

  /** The same, or `undefined` when the document cannot be written. @param leftOut called with the reason */
  documentIfAny(graph: RecordGraph, leftOut?: (problem: string) => void): JsonObject | undefined {
    try {
      return this.document(graph);
    } catch (error) {
      if (!(error instanceof UnwritableError || error instanceof UnknownContextError)) throw error;
      leftOut?.(error instanceof UnwritableError ? error.problem : error.message);
      return undefined;
    }
  }

  /** The JSON text of the document, with a newline, made from the encoded record. `undefined` when only `document` can write it, or can say why it cannot be written. */
  text(graph: EncodedGraph): string | undefined {
    try {
      return documentText(graph, this.#textsOf(graph.context ?? this.settings.model.contextUri));
    } catch (error) {
      if (error instanceof ContextError) return undefined;
      throw error;
    }
  }

  /** The expanded document of a record (JSON-LD 1.1, profile `http://www.w3.org/ns/json-ld#expanded`). Throws `UnwritableError`. */
  expanded(graph: RecordGraph): Json {
    return [frame(graph, expandedPlan())];
  }
}

/** Settings with the model's own context, by its URI and by Linked Art's, and the given ones. Relative ids are resolved against `baseUrl`. */
export function documentSettings(
  model: ModelSettings,
  contexts: Iterable<readonly [string, Json]>,
  baseUrl?: string,
): DocumentSettings {
  const registry = new ContextRegistry();
  const own = contextDocument();
  for (const uri of [DEFAULT_MODEL.contextUri, model.contextUri]) registry.add(uri, own);
  for (const [uri, context] of contexts) registry.add(uri, context);
  return { model, contexts: registry, baseUrl };
}
