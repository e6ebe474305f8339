/** Losses and errors on the way from a document to triples, worded so that its maker finds the place. */
import { NamedError } from "../base/named-error.js";
import type { RecordGraph } from "../rdf/record-graph.js";

/** One value that has no place in the record's triples. */
interface Loss {
  /** The keys down to the value, joined by `/`, with array positions: `produced_by/carried_out_by[1]/id`. */
  readonly path: string;
  /** The problem, and what to do about it. */
  readonly problem: string;
  /** The key that was probably meant. */
  readonly meant?: string;
}

/** A document that cannot become a record. */
export class DocumentError extends NamedError {
  constructor(
    readonly losses: readonly Loss[],
    /** The triples of the rest of it, to be searched for other errors. */
    readonly rest?: RecordGraph,
  ) {
    super(losses.map(({ path, problem }) => (path === "" ? problem : `${path}: ${problem}`)).join("; "));
  }
}

/** At most this many problems of one document are collected; more help nobody. */
const MOST = 20;

/** Collects the losses of one document; `tolerant` makes it forget them, as the JSON-LD algorithms themselves do. */
export class LossCollector {
  readonly losses: Loss[] = [];
  /** Keys beginning with `_` that no context defines: Linked Art's non-semantic keys, dropped and counted. */
  droppedKeys = 0;
  readonly #path: (string | number)[] = [];

  constructor(readonly tolerant: boolean) {}

  enter(step: string | number): void {
    this.#path.push(step);
  }

  leave(): void {
    this.#path.pop();
  }

  /** Whether further losses are not collected, so that nobody needs to find out what was meant. */
  get isFull(): boolean {
    return this.tolerant || this.losses.length >= MOST;
  }

  lose(problem: string, key?: string, meant?: string): void {
    if (this.isFull) return;
    let path = "";
    for (const step of key === undefined ? this.#path : [...this.#path, key]) {
      path += typeof step === "number" ? `[${step}]` : path === "" ? step : `/${step}`;
    }
    this.losses.push({ path, problem, ...(meant === undefined ? {} : { meant }) });
  }

  /** Lose what the algorithms of JSON-LD refuse, too: a tolerant collector throws `DocumentError`. */
  refuse(problem: string, key?: string): void {
    if (this.tolerant) throw new DocumentError([{ path: key ?? "", problem }]);
    this.lose(problem, key);
  }

  /** Throws `DocumentError` when anything was lost. @param rest what was not */
  check(rest: RecordGraph): void {
    if (this.losses.length > 0) throw new DocumentError(this.losses, rest);
  }
}
