/** Documents in and out: each record by a compiled plan where one covers it, else by jsonld.js itself. */
import type { ModelSettings } from "../model/settings.js";
import type { Json, RecordGraph } from "../rdf/record-graph.js";
import { type ContextEnvironment, NotCompiledError } from "./active-context.js";
import { type ContextRegistry, UnknownContextError } from "./contexts.js";
import { Expander } from "./expand.js";
import { frame, UnwritableError } from "./frame.js";
import { DocumentError, LossCollector } from "./loss.js";
import { compactPlan, expandedPlan, type Layout, type NodePlans } from "./plan.js";
import { compactByReference, recordByReference } from "./reference.js";

type JsonObject = { [key: string]: Json };

/** What reading and writing documents depends on. */
export interface DocumentSettings {
  readonly model: ModelSettings;
  readonly contexts: ContextRegistry;
  readonly layout: Layout;
  /** Relative ids are resolved against it. */
  readonly baseUrl?: string;
}

/** A document that was read. */
export interface ReadDocument {
  readonly graph: RecordGraph;
  /** Keys that begin with `_` and that no context defines: `_links` and the like, which are no part of a record. */
  readonly droppedKeys: number;
}

/** Inline contexts come without end, so only this many compiled ones are kept. */
const MOST_CONTEXTS = 256;

/** What was made for each `@context`, the most recently made only. `null` for a context that is jsonld.js's. */
class ByContext<T> {
  readonly #made = new Map<string, T | null>();

  constructor(readonly make: (context: Json) => T) {}

  get(context: Json): T | null {
    const key = typeof context === "string" ? context : JSON.stringify(context);
    let made = this.#made.get(key);
    if (made === undefined) {
      made = unlessNotCompiled(() => this.make(context));
      if (this.#made.size >= MOST_CONTEXTS) this.#made.delete(this.#made.keys().next().value!);
      this.#made.set(key, made);
    }
    return made;
  }
}

/** The result, or `null` where it takes jsonld.js. */
function unlessNotCompiled<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof NotCompiledError) return null;
    throw error;
  }
}

/** Reads documents into record graphs. */
export class DocumentReader {
  readonly #environment: ContextEnvironment;
  readonly #expanders: ByContext<Expander>;

  constructor(readonly settings: DocumentSettings) {
    this.#environment = { registry: settings.contexts, base: settings.baseUrl };
    this.#expanders = new ByContext((context) => new Expander(context, this.#environment));
  }

  /**
   * The record of a document. At once for what the compiled plans cover, else a promise. Throws (or rejects with)
   * `DocumentError` naming every key and value that would be lost, `UnknownContextError`.
   */
  read(document: Json): ReadDocument | Promise<ReadDocument> {
    if (typeof document !== "object" || document === null || Array.isArray(document)) {
      throw new DocumentError([{ path: "", problem: "is no JSON object: a document describes one entity" }]);
    }
    const context = document["@context"];
    if (context === undefined) {
      const problem = `is missing: write "@context": ${JSON.stringify(this.settings.model.contextUri)}`;
      throw new DocumentError([{ path: "@context", problem }]);
    }
    const losses = new LossCollector(false);
    const expander = this.#expanders.get(context);
    const graph = expander && unlessNotCompiled(() => expander.record(document, losses));
    if (graph !== null) return finish(graph, losses);
    const anew = new LossCollector(false);
    return recordByReference(document, this.#environment, anew).then((graph) => finish(graph, anew));
  }

  /**
   * The IRI that a document gives its entity, also where the rest of it cannot be read; `undefined` when it gives none or no
   * usable one, or its context takes jsonld.js or is not known.
   */
  iriOf(document: Json): string | undefined {
    if (typeof document !== "object" || document === null || Array.isArray(document)) return undefined;
    const context = document["@context"] ?? this.settings.model.contextUri;
    try {
      const expander = this.#expanders.get(context);
      return (expander && unlessNotCompiled(() => expander.iriOf(document))) ?? undefined;
    } catch (error) {
      if (error instanceof UnknownContextError) return undefined;
      throw error;
    }
  }
}

function finish(graph: RecordGraph, losses: LossCollector): ReadDocument {
  losses.check();
  if (graph.triples.length === 0) {
    throw new DocumentError([{ path: "", problem: "says nothing of its entity but its id" }]);
  }
  return { graph, droppedKeys: losses.droppedKeys };
}

/** Writes record graphs as documents. */
export class DocumentWriter {
  readonly #environment: ContextEnvironment;
  readonly #plans: ByContext<NodePlans>;

  constructor(readonly settings: DocumentSettings) {
    this.#environment = { registry: settings.contexts, base: undefined };
    this.#plans = new ByContext((context) => compactPlan(context, this.#environment, settings.layout));
  }

  /**
   * The compact document of a record under the `@context` it came with, or the model's. At once for what the compiled
   * plans cover, else a promise. Throws (or rejects with) `UnwritableError`, `UnknownContextError`.
   */
  document(graph: RecordGraph): JsonObject | Promise<JsonObject> {
    const context = graph.context ?? this.settings.model.contextUri;
    const plans = this.#plans.get(context);
    const document = plans && unlessNotCompiled(() => frame(graph, plans, context));
    return document ?? this.#byReference(graph, context);
  }

  /**
   * The expanded document of a record (JSON-LD 1.1, profile `http://www.w3.org/ns/json-ld#expanded`). Throws
   * `UnwritableError`.
   */
  expanded(graph: RecordGraph): Json {
    return [frame(graph, expandedPlan())];
  }

  async #byReference(graph: RecordGraph, context: Json): Promise<JsonObject> {
    const expanded = this.expanded(graph);
    try {
      return await compactByReference(expanded, context, this.#environment, this.settings.layout);
    } catch (error) {
      throw new UnwritableError(graph.iri, error instanceof Error ? error.message : String(error));
    }
  }
}
