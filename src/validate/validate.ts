/** Validation of records: the accept-only check first, and for what it cannot tell the judge, in worker threads when there is much. */
import { availableParallelism } from "node:os";
import type { ModelSettings } from "../model/settings.js";
import type { EndpointName } from "../model/tables/endpoints.js";
import type { Json, RecordGraph } from "../rdf/record-graph.js";
import { validateDocument } from "./document.js";
import { JudgePool } from "./judge-pool.js";
import type { Result } from "./results.js";
import { RuleBooks } from "./rule-books.js";
import { Severities } from "./severities.js";

export interface ValidationSettings {
  readonly model: ModelSettings;
  /** What an institution has decided, as `RULE=warning`, `RULE=violation` or `RULE=off`. */
  readonly decisions?: readonly string[];
  /** How many worker threads may judge; as many as the machine runs at once unless given, and with 0 none is started. */
  readonly judges?: number;
}

/** So many records are judged before workers are started: starting them takes as long. */
const JUDGED_ALONE = 50;

export class Validation {
  readonly #model: ModelSettings;
  readonly #decisions: readonly string[];
  readonly #severities: Severities;
  readonly #books: RuleBooks;
  readonly #judges: number;
  #judged = 0;
  #pool: JudgePool | undefined;

  /** Throws `SeverityError` for decisions that cannot be understood. */
  constructor({ model, decisions = [], judges = availableParallelism() }: ValidationSettings) {
    this.#model = model;
    this.#decisions = decisions;
    this.#severities = new Severities(decisions);
    this.#judges = judges;
    this.#books = new RuleBooks(model, this.#severities);
  }

  /** What is wrong with a record of an endpoint; `null` for one whose class belongs to none. */
  record(graph: RecordGraph, endpoint: EndpointName | null): readonly Result[] | Promise<readonly Result[]> {
    const results = this.#books.check(graph, endpoint);
    if (results !== undefined) return results;
    if (this.#judges === 0 || ++this.#judged <= JUDGED_ALONE) return this.#books.results(graph, endpoint);
    this.#pool ??= new JudgePool(this.#judges, { model: this.#model, decisions: this.#decisions });
    return this.#pool.judge(graph, endpoint);
  }

  /** What is wrong with a document that its record graph would not show. */
  document(document: Json): readonly Result[] {
    return validateDocument(document, this.#model, this.#severities);
  }

  /** End the workers. */
  async close(): Promise<void> {
    await this.#pool?.close();
  }
}
