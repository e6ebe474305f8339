/** A thread that writes large records, so that the event loop answers others meanwhile. */
import { Worker } from "node:worker_threads";
import { compiled } from "../base/compiled.js";
import type { ModelSettings } from "../model/settings.js";
import type { EndpointName } from "../model/tables/endpoints.js";
import { RdfXmlError } from "../rdf/rdf-xml.js";
import type { Json } from "../rdf/record-graph.js";
import type { WholeAnswer } from "./answer.js";
import type { LargeRecords } from "./entity/large.js";
import type { AskedHeaders } from "./entity/record-answers.js";
import type { NavigationLink, SiteSettings } from "./pages/site.js";
import { ProblemError } from "./problems/problems.js";
import { StoreUnavailableError } from "./problems/store-unavailable.js";

/** Answers of large records that may be waited for at once; of more, 503. */
export const MAX_LARGE_WAITING = 64;
/** Memory of the thread's own, in MiB; a record that takes more costs the thread its life, and the next has another. */
const MAX_THREAD_MIB = 1_024;

/** How long it may finish what it writes when it is closed, in milliseconds. */
const CLOSING_GRACE = 1_000;

/** What the thread opens the store with, and writes by: what the server has, as far as it can be handed on. */
export interface LargeRecordSettings {
  readonly directory: string;
  readonly contexts: readonly (readonly [string, Json])[];
  readonly model: ModelSettings;
  readonly baseUrl: string;
  readonly otherBaseUrls: readonly string[];
  readonly edition: string;
  readonly hal: boolean;
  readonly cacheControl?: string | undefined;
  readonly site: SiteSettings;
  readonly navigation: readonly NavigationLink[];
  readonly endpointLinks: ReadonlyMap<EndpointName, string>;
}

/** What the thread is asked for; `"close"` ends it. */
export interface Asked {
  readonly number: number;
  readonly iri: string;
  readonly slot: number;
  readonly headers: AskedHeaders;
}

/** What it answers. Errors lose their class on the way from a thread. */
export interface Outcome {
  readonly number: number;
  readonly answer?: WholeAnswer;
  readonly failure?: { readonly of: "rdf-xml" | "store" | "program"; readonly iri: string; readonly message: string };
}

interface Waiting {
  readonly resolve: (answer: WholeAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** The thread as the server sees it: started for the first large record, and again after it ended. */
export class LargeRecordThread implements LargeRecords {
  readonly #settings: LargeRecordSettings;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #asked = 0;

  constructor(settings: LargeRecordSettings) {
    this.#settings = settings;
  }

  answer(iri: string, slot: number, headers: AskedHeaders): Promise<WholeAnswer> {
    if (this.#waiting.size >= MAX_LARGE_WAITING) {
      const detail = `${MAX_LARGE_WAITING} large records are being written already.`;
      return Promise.reject(new ProblemError("unavailable", { detail }));
    }
    const number = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#thread ??= this.#start();
      this.#thread.postMessage({ number, iri, slot, headers: decisive(headers) } satisfies Asked);
    });
  }

  /** End the thread; resolves when it has closed its store. */
  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
    thread.postMessage("close");
    const late = setTimeout(() => void thread.terminate(), CLOSING_GRACE);
    await ended;
    clearTimeout(late);
  }

  #start(): Worker {
    const thread = new Worker(compiled(import.meta.url, "./large-records-thread.js"), {
      workerData: this.#settings,
      resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_MIB },
    });
    thread.on("message", (outcome: Outcome) => this.#take(outcome));
    let cause: unknown;
    thread.once("error", (error) => {
      cause = error;
    });
    thread.once("exit", () => {
      this.#thread = undefined;
      const error = new Error("the thread that writes large records ended", { cause });
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
    return thread;
  }

  #take({ number, answer, failure }: Outcome): void {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (failure !== undefined) waiting?.reject(errorOf(failure));
    else waiting?.resolve(wholeAgain(answer!));
  }
}

/** The headers that decide about an answer: no more is handed on. */
function decisive(headers: AskedHeaders): AskedHeaders {
  return {
    "if-match": headers["if-match"],
    "if-none-match": headers["if-none-match"],
    "if-modified-since": headers["if-modified-since"],
    "if-unmodified-since": headers["if-unmodified-since"],
    "accept-language": headers["accept-language"],
  };
}

/** Buffers come from a thread as plain arrays of bytes. */
function wholeAgain(answer: WholeAnswer): WholeAnswer {
  const { body } = answer;
  return typeof body === "string"
    ? answer
    : { ...answer, body: Buffer.from(body.buffer, body.byteOffset, body.length) };
}

function errorOf({ of, iri, message }: NonNullable<Outcome["failure"]>): Error {
  if (of === "rdf-xml") return new RdfXmlError(iri, message);
  return of === "store" ? new StoreUnavailableError(new Error(message)) : new Error(message);
}
