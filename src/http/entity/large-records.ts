/** Large records: what counts as one, and a thread that writes them, so that the event loop answers others meanwhile. */
import type { IncomingHttpHeaders } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { compiled } from "../../base/compiled.js";
import { WorkerClient } from "../../base/worker-client.js";
import { RdfXmlError } from "../../rdf/rdfxml/writer.js";
import type { RecordHandle } from "../../store/record.js";
import type { WholeAnswer } from "../message/answer.js";
import { ProblemError, StoreUnavailableError } from "../message/problems/problems.js";

/** Records of more are written outside the event loop: writing one of so many triples takes it some 50 ms. */
export const MAX_TRIPLES_AT_ONCE = 10_000;
/** The same for the bytes of a record as the store has them. */
export const MAX_BYTES_AT_ONCE = 512 * 1_024;

/** Whether a record is too large to be written in a turn of the event loop. */
export function isLarge({ triples, bytes }: RecordHandle): boolean {
  return triples > MAX_TRIPLES_AT_ONCE || bytes > MAX_BYTES_AT_ONCE;
}

/** After a large record was read, if only to verify it: others have their turns before the next is. */
export const afterReading = turn;

/** Answers of large records that may be waited for at once; of more, 503. */
export const MAX_LARGE_WAITING = 64;
/** Memory of the thread's own, in MiB; a record that takes more costs the thread its life, and the next has another. */
const MAX_THREAD_MIB = 1_024;

/** How long it may finish what it writes when it is closed, in milliseconds. */
const CLOSING_GRACE = 1_000;

export interface LargeRecordTasks {
  represent(asked: { iri: string; slot: number; headers: IncomingHttpHeaders }): WholeAnswer;
}

/** The thread as the server sees it: started for the first large record, and again after it ended. */
export class LargeRecordThread {
  #thread: WorkerClient<LargeRecordTasks> | undefined;

  /** @param settings the thread's own: `LargeRecordSettings` */
  constructor(private readonly settings: object) {}

  /** The answer for a record in the representation of a slot. Rejects as writing does, and with `ProblemError` when too many wait. */
  async answer(iri: string, slot: number, headers: IncomingHttpHeaders): Promise<WholeAnswer> {
    if (this.#thread === undefined || this.#thread.isLost) this.#thread = this.#start();
    if (this.#thread.pending >= MAX_LARGE_WAITING)
      throw new ProblemError("unavailable", `${MAX_LARGE_WAITING} large records are being written already.`);
    const decisive = Object.fromEntries(DECISIVE.map((name) => [name, headers[name]]));
    const answer = await this.#thread.ask("represent", { iri, slot, headers: decisive });
    const { body } = answer;
    if (typeof body === "string") return answer;
    // Buffers come from a thread as plain arrays of bytes.
    return { ...answer, body: Buffer.from(body.buffer, body.byteOffset, body.length) };
  }

  #start(): WorkerClient<LargeRecordTasks> {
    return new WorkerClient({
      name: "the thread that writes large records",
      module: compiled(import.meta.url, "./large-records-thread.js"),
      data: this.settings,
      errors: [RdfXmlError, StoreUnavailableError],
      memory: MAX_THREAD_MIB,
    });
  }

  /** End the thread; resolves when it has closed its store. */
  async close(): Promise<void> {
    await this.#thread?.close(CLOSING_GRACE);
  }
}

/** The headers that decide about an answer: no more is handed on. */
const DECISIVE = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "accept-language"] as const;
