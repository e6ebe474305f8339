/** Large records: which records are large, and the thread that writes them, so that the event loop stays free for other requests. */
import type { IncomingHttpHeaders } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { builtModule } from "../../base/package-files.js";
import { SharedThread } from "../../base/shared-thread.js";
import type { RecordHandle } from "../../store/record.js";
import type { WholeAnswer } from "../message/answer.js";
import { clientOf } from "../message/headers/forwarded.js";
import { ProblemError, StoreUnavailableError } from "../message/problems/problems.js";
import type { EntityRequest } from "./addresses.js";

/** The maximum number of triples of a record that the event loop writes itself. Writing as many takes some 50 ms. */
export const MAX_TRIPLES_AT_ONCE = 10_000;
/** The maximum size of such a record in bytes, as the store encodes it. */
export const MAX_BYTES_AT_ONCE = 512 * 1_024;

/** Whether a record is too large to write in one turn of the event loop. */
export function isLarge({ triples, bytes }: RecordHandle): boolean {
  return triples > MAX_TRIPLES_AT_ONCE || bytes > MAX_BYTES_AT_ONCE;
}

/** Lets other requests have a turn of the event loop after a large record was read, if only to verify it. */
export const afterReading = turn;

/** The maximum number of requests that may wait for large records. Further ones are answered with 503. */
export const MAX_LARGE_WAITING = 64;
/** The thread's memory limit, in MiB. A record that needs more ends the thread; the next one starts another. */
const MAX_THREAD_MIB = 1_024;

/** How long the thread may take to finish its work when it is closed, in milliseconds. */
const CLOSING_GRACE = 1_000;

export interface LargeRecordTasks {
  represent(record: { iri: string; slot: number; headers: IncomingHttpHeaders }): WholeAnswer;
}

/** The server's client of the thread. */
export class LargeRecordThread {
  readonly #thread: SharedThread<LargeRecordTasks>;

  /** @param settings the `LargeRecordSettings` of the thread @param trustProxy whether a proxy names the client */
  constructor(
    settings: object,
    private readonly trustProxy: boolean,
  ) {
    this.#thread = new SharedThread({
      name: "the thread that writes large records",
      module: builtModule("http/entity/large-records-thread.js"),
      data: settings,
      errors: [StoreUnavailableError],
      memory: MAX_THREAD_MIB,
      most: MAX_LARGE_WAITING,
      refusal: () => new ProblemError("unavailable", "Other large records are written first: try again later."),
    });
  }

  /** The answer for a record in the representation of a slot. Rejects with a writer's errors, and with `ProblemError` when too many requests wait. */
  async answer(iri: string, slot: number, { headers, socket }: EntityRequest): Promise<WholeAnswer> {
    const relevant = Object.fromEntries(RELEVANT.map((name) => [name, headers[name]]));
    const asker = socket && {
      client: clientOf({ headers, socket }, this.trustProxy),
      signal: {
        get aborted() {
          return socket.destroyed;
        },
      },
    };
    const answer = await this.#thread.ask("represent", { iri, slot, headers: relevant }, [asker]);
    const { body } = answer;
    if (typeof body === "string") return answer;
    // Buffers come from a thread as plain arrays of bytes.
    return { ...answer, body: Buffer.from(body.buffer, body.byteOffset, body.length) };
  }

  /** Ends the thread; resolves when the thread has closed its store. */
  async close(): Promise<void> {
    await this.#thread.close(CLOSING_GRACE);
  }
}

/** The request headers that the answer depends on; only these are passed to the thread. */
const RELEVANT = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "accept-language"] as const;
