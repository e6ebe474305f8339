/** The JSON-LD contexts that this service knows, by URI. Contexts are never fetched: an unknown URI is an error. */
import { RefusalError } from "../base/named-error.js";
import { isJsonObject, type Json } from "../rdf/record-graph.js";

/** A document names a context that the service does not have. */
export class UnknownContextError extends RefusalError {
  constructor(readonly uri: string) {
    super(
      `the context <${uri}> is not known here and contexts are never fetched: give it with --context ${uri}=FILE, or name it with --context-uri if it is the data model's`,
    );
  }
}

/**
 * Context documents by their URIs.
 * @example
 * const contexts = new ContextRegistry();
 * contexts.add("urn:c", { "@context": { label: "urn:label" } });
 * contexts.get("urn:c"); // => { label: "urn:label" }
 */
export class ContextRegistry {
  readonly #contexts = new Map<string, Json>();

  /** Make a context known, given as a context document, `{"@context": ...}`, or bare. It replaces one with the same URI. */
  add(uri: string, document: Json): void {
    this.#contexts.set(uri, isJsonObject(document) && "@context" in document ? document["@context"]! : document);
  }

  /** The context with this URI. Throws `UnknownContextError`. */
  get(uri: string): Json {
    const context = this.#contexts.get(uri);
    if (context === undefined) throw new UnknownContextError(uri);
    return context;
  }
}
