/** The thread that writes large records: it has the store open for itself, and answers as the server would. */
import { parentPort, workerData } from "node:worker_threads";
import { documentSettings } from "../jsonld/document-settings.js";
import { DocumentWriter } from "../jsonld/documents.js";
import { RdfXmlError } from "../rdf/rdf-xml.js";
import { openStore } from "../store/open.js";
import type { Answer, WholeAnswer } from "./answer.js";
import { Addresses } from "./entity/addresses.js";
import { representations } from "./entity/representations.js";
import type { Asked, LargeRecordSettings, Outcome } from "./large-records.js";
import { Site } from "./pages/site.js";
import { StoreUnavailableError } from "./problems/store-unavailable.js";
import { dereferencerOf } from "./publication.js";

/** What is asked for again is kept, in so many bytes. */
const CACHE_BYTES = 64 * 2 ** 20;

const settings = workerData as LargeRecordSettings;
const { directory, contexts, model, baseUrl, otherBaseUrls } = settings;
const store = await openStore({ directory });
const addresses = new Addresses(baseUrl, ...otherBaseUrls);
const site = new Site(addresses.base, settings.site, settings.navigation);
const documents = new DocumentWriter(documentSettings(model, contexts));
const offered = representations({ model, documents, site });
const { cacheControl = "no-cache", edition, hal } = settings;
const options = { store, model, baseUrl, otherBaseUrls, edition, hal, cacheControl, cacheBytes: CACHE_BYTES };
const dereferencer = dereferencerOf(options, offered, addresses, settings.endpointLinks);
let last: Promise<void> = Promise.resolve();

parentPort!.on("message", (asked: Asked | "close") => {
  last = last.then(() => (asked === "close" ? close() : answer(asked)));
});

async function close(): Promise<void> {
  await store.close();
  parentPort!.close();
}

async function answer({ number, iri, slot, headers }: Asked): Promise<void> {
  try {
    post(number, (await dereferencer.represent(iri, slot, headers)) as WholeAnswer);
  } catch (error) {
    const { message, stack, cause } = error as Error;
    const failure = { iri, message: stack ?? message, of: "program" } as const;
    const { of, message: told } =
      error instanceof RdfXmlError
        ? ({ of: "rdf-xml", message: error.problem } as const)
        : error instanceof StoreUnavailableError
          ? ({ of: "store", message: cause instanceof Error ? cause.message : message } as const)
          : failure;
    parentPort!.postMessage({ number, failure: { of, iri, message: told } } satisfies Outcome);
  }
}

/** Bodies are handed over, not copied; one that is kept for the next who asks is a copy's. */
function post(number: number, answer: Answer & WholeAnswer): void {
  if (answer.body === "") {
    parentPort!.postMessage({ number, answer } satisfies Outcome);
    return;
  }
  const { isAscii: _, ...rest } = answer;
  const bytes = new Uint8Array(Buffer.byteLength(answer.body));
  if (typeof answer.body === "string") Buffer.from(bytes.buffer).write(answer.body, "utf8");
  else bytes.set(answer.body);
  const whole = rest.problem === undefined ? { ...rest, body: bytes as Buffer } : answer;
  parentPort!.postMessage(
    { number, answer: whole } satisfies Outcome,
    rest.problem === undefined ? [bytes.buffer] : [],
  );
}
