/** A thread that writes large records, so that the event loop answers others meanwhile. */
import type { IncomingHttpHeaders } from "node:http";
import { compiled } from "../../base/compiled.js";
import { WorkerClient } from "../../base/worker-client.js";
import type { EndpointName } from "../../model/tables/names.js";
import { RdfXmlError } from "../../rdf/rdfxml/writer.js";
import type { WholeAnswer } from "../message/answer.js";
import type { Link } from "../message/headers/link.js";
import { ProblemError, StoreUnavailableError } from "../message/problems/problems.js";
import type { NavigationLink } from "../pages/site.js";
import type { LargeRecords } from "./large.js";
import type { PublicationSettings } from "./publication.js";

/** Answers of large records that may be waited for at once; of more, 503. */
export const MAX_LARGE_WAITING = 64;
/** Memory of the thread's own, in MiB; a record that takes more costs the thread its life, and the next has another. */
const MAX_THREAD_MIB = 1_024;

/** How long it may finish what it writes when it is closed, in milliseconds. */
const CLOSING_GRACE = 1_000;

/** The settings by which the thread opens the store and writes: those of the server, as far as they can be handed on. */
export interface LargeRecordSettings {
  readonly directory: string;
  readonly publication: PublicationSettings;
  readonly navigation: readonly NavigationLink[];
  readonly endpointLinks: ReadonlyMap<EndpointName, readonly Link[]>;
}

export interface LargeRecordTasks {
  represent(asked: { iri: string; slot: number; headers: IncomingHttpHeaders }): WholeAnswer;
}

/** The thread as the server sees it: started for the first large record, and again after it ended. */
export class LargeRecordThread implements LargeRecords {
  #thread: WorkerClient<LargeRecordTasks> | undefined;

  constructor(private readonly settings: LargeRecordSettings) {}

  async answer(iri: string, slot: number, headers: IncomingHttpHeaders): Promise<WholeAnswer> {
    if (this.#thread === undefined || this.#thread.isLost) this.#thread = this.#start();
    if (this.#thread.pending >= MAX_LARGE_WAITING)
      throw new ProblemError("unavailable", `${MAX_LARGE_WAITING} large records are being written already.`);
    const answer = await this.#thread.ask("represent", { iri, slot, headers: decisive(headers) });
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

const DECISIVE = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "accept-language"] as const;

/** The headers that decide about an answer: no more is handed on. */
function decisive(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(DECISIVE.map((name) => [name, headers[name]]));
}
