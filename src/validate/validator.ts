/** The validator: what is wrong with records and documents, by the rules of the specification as an institution has decided on them. */
import type { ModelSettings } from "../model/settings.js";
import type { EndpointName } from "../model/tables/endpoints.js";
import type { Json, RecordGraph } from "../rdf/record-graph.js";
import { appliedRules } from "./applied-rules.js";
import { CompiledValidator } from "./compiled/compiled-validator.js";
import { resultsOf } from "./compiled/findings.js";
import { validateDocument } from "./document.js";
import type { Result } from "./results.js";
import { Severities } from "./severities.js";

/** What validation depends on, as data that can go to other threads. */
export interface ValidationSettings {
  readonly model: ModelSettings;
  /** What an institution has decided, as `RULE=warning`, `RULE=violation` or `RULE=off`. */
  readonly decisions?: readonly string[];
}

/** Validates records of all endpoints, one at a time. */
export class Validator {
  readonly #model: ModelSettings;
  readonly #severities: Severities;
  /** By endpoint, made when first needed. */
  readonly #compiled = new Map<EndpointName | null, CompiledValidator>();

  /** Throws `SeverityError` for decisions that cannot be understood. */
  constructor({ model, decisions = [] }: ValidationSettings) {
    this.#model = model;
    this.#severities = new Severities(decisions);
  }

  /** What is wrong with a record of an endpoint; `null` for one whose class belongs to none. */
  record(graph: RecordGraph, endpoint: EndpointName | null): readonly Result[] {
    let compiled = this.#compiled.get(endpoint);
    if (compiled === undefined) {
      compiled = new CompiledValidator(appliedRules(endpoint, this.#model, this.#severities));
      this.#compiled.set(endpoint, compiled);
    }
    return resultsOf(graph, compiled.validate(graph));
  }

  /** What is wrong with a document that its record graph would not show. */
  document(document: Json): readonly Result[] {
    return validateDocument(document, this.#model, this.#severities);
  }
}
