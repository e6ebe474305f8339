/** Losses and errors in converting a document to triples, worded so that its author finds the place. */
import { NamedError } from "../base/named-error.js";
import type { RecordGraph } from "../rdf/record-graph.js";

/** One value that the record's triples cannot express. */
interface Loss {
  /** The keys down to the value, joined by `/`, with array positions: `produced_by/carried_out_by[1]/id`. */
  readonly path: string;
  /** The problem, and what to do about it. */
  readonly problem: string;
  /** The key that was probably intended. */
  readonly suggestion?: string;
}

/** A document that cannot become a record. */
export class DocumentError extends NamedError {
  constructor(
    readonly losses: readonly Loss[],
    /** The triples of the rest of the document, to be searched for other errors. */
    readonly rest?: RecordGraph,
  ) {
    super(losses.map(({ path, problem }) => (path === "" ? problem : `${path}: ${problem}`)).join("; "));
  }
}

/** At most this many problems are collected for one document. */
const MAX_LOSSES = 20;

/** Collects the losses of one document. With `tolerant` it ignores them, as the JSON-LD algorithms do. */
export class LossCollector {
  readonly losses: Loss[] = [];
  /** The number of keys beginning with `_` that no context defines: Linked Art's non-semantic keys, which are dropped. */
  droppedKeys = 0;
  readonly #path: (string | number)[] = [];

  constructor(readonly tolerant: boolean) {}

  enter(step: string | number): void {
    this.#path.push(step);
  }

  leave(): void {
    this.#path.pop();
  }

  /** Whether further losses are ignored, so that no suggestions need to be searched for. */
  get isFull(): boolean {
    return this.tolerant || this.losses.length >= MAX_LOSSES;
  }

  lose(problem: string, key?: string, suggestion?: string): void {
    if (this.isFull) return;
    let path = "";
    for (const step of key === undefined ? this.#path : [...this.#path, key])
      path += typeof step === "number" ? `[${step}]` : path === "" ? step : `/${step}`;
    this.losses.push({ path, problem, ...(suggestion === undefined ? {} : { suggestion }) });
  }

  /** Record a loss that the JSON-LD algorithms refuse as well: a tolerant collector throws `DocumentError`. */
  refuse(problem: string, key?: string): void {
    if (this.tolerant) throw new DocumentError([{ path: key ?? "", problem }]);
    this.lose(problem, key);
  }

  /** Throws `DocumentError` when anything was lost. @param rest the triples that were not lost */
  check(rest: RecordGraph): void {
    if (this.losses.length > 0) throw new DocumentError(this.losses, rest);
  }
}
