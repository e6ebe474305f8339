/** `vitrine serve`: publishes the records of a store over HTTP. */

import { createServer } from "../http/server.js";
import { documentSettings } from "../jsonld/document-settings.js";
import { DocumentWriter } from "../jsonld/documents.js";
import { contextDocument } from "../model/generate/context.js";
import { type EmbeddedStore, openReadOnly } from "../store/embedded/embedded-store.js";
import { StoreMissingError } from "../store/embedded/errors.js";
import type { Store } from "../store/store.js";
import type { Command, Terminal } from "./command.js";
import { baseUrlOf, givenContexts, modelOf } from "./common.js";
import { ExitStatus } from "./exit-status.js";
import { LOADING_OPTIONS, runLoad } from "./load.js";
import { type Options, UsageError } from "./options.js";
import { SPARQL_OPTIONS, startSparql } from "./sparql-options.js";

export const serveCommand: Command = {
  name: "serve",
  operands: "",
  summary: "publishes the records of the store over HTTP",
  options: [
    { name: "port", value: "NUMBER", default: "3000", help: "0 takes a free one" },
    { name: "host", value: "ADDRESS", default: "127.0.0.1", help: "0.0.0.0 listens on all of the machine's" },
    { name: "load", value: "INPUT", many: true, help: "load these first when the store is empty" },
    { name: "images", value: "DIR", help: "a directory of images, served under /images/" },
    { name: "cache", value: "MIB", default: "64", help: "memory for answers that are asked for often; 0 keeps none" },
    {
      name: "cache-control",
      value: "VALUE",
      default: "no-cache",
      help: "of entities; no-cache lets caches keep them and ask whether they changed",
    },
    ...SPARQL_OPTIONS,
    ...LOADING_OPTIONS,
  ],
  async run(options, terminal) {
    const port = portOf(options);
    const host = options.required("host");
    const caching = { cacheBytes: cacheBytesOf(options), cacheControl: cacheControlOf(options) };
    if (options.positionals.length > 0) throw new UsageError("serve takes no inputs: load them first, or give --load");
    const known = baseUrlOf(options) ?? (await storedBaseUrl(options));
    const baseUrl = known ?? `http://localhost:${port}/`;
    await loadWhenEmpty(options, baseUrl, terminal);
    const store = await openReadOnly(options.required("store"));
    const model = modelOf(options);
    const contexts = [...(await store.contexts()), ...(await givenContexts(options))];
    const images = options.text("images");
    const { stderr } = terminal;
    const sparql = await startSparql(options, store, { baseUrl, model }, (message) => stderr.write(`${message}\n`));
    const server = createServer({
      store,
      ...sparql.services,
      model,
      baseUrl,
      documents: new DocumentWriter(documentSettings(model, contexts)),
      context: contextDocument(),
      ...caching,
      edition: JSON.stringify(contexts.map(([uri, context]) => [uri, context])),
      ...(images === undefined ? {} : { images }),
    });
    const address = await server.listen(port, host);
    stderr.write(`${await whereRecordsLie(store, baseUrl)}\n`);
    stderr.write(`listening on http://${host}:${address.port}/\n`);
    await aborted(terminal.interrupted);
    stderr.write("closing ...\n");
    await server.close();
    await sparql.close();
    await store.close();
    return ExitStatus.done;
  },
};

function portOf(options: Options): number {
  const port = Number(options.required("port"));
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(`--port ${options.required("port")} is no port number`);
  }
  return port;
}

function cacheBytesOf(options: Options): number {
  const text = options.required("cache");
  if (!/^\d{1,6}$/.test(text)) throw new UsageError(`--cache ${text} is no number of mebibytes`);
  return Number(text) * 1_024 * 1_024;
}

function cacheControlOf(options: Options): string {
  const value = options.required("cache-control");
  if (!/^[\x20-\x7e]+$/.test(value)) throw new UsageError(`--cache-control ${value} is no header value`);
  return value;
}

/** The base URL that the store was loaded with, if there is a store. */
async function storedBaseUrl(options: Options): Promise<string | undefined> {
  const store = await openIfThere(options);
  try {
    return (await store?.stats())?.baseUrl ?? undefined;
  } finally {
    await store?.close();
  }
}

async function openIfThere(options: Options): Promise<EmbeddedStore | undefined> {
  try {
    return await openReadOnly(options.required("store"));
  } catch (error) {
    if (error instanceof StoreMissingError) return undefined;
    throw error;
  }
}

/** Load the inputs of `--load` into a store without records. */
async function loadWhenEmpty(options: Options, baseUrl: string, terminal: Terminal): Promise<void> {
  const inputs = options.all("load");
  if (inputs.length === 0) return;
  const store = await openIfThere(options);
  const records = (await store?.stats())?.records ?? 0;
  await store?.close();
  if (records === 0) await runLoad(options, inputs, baseUrl, terminal);
}

/** How many hosts the message at start looks at. */
const MOST_ORIGINS = 100;

/** What people are told at start: how many records there are, and where when that is not where they are served. */
async function whereRecordsLie(store: Store, baseUrl: string): Promise<string> {
  const { records } = await store.stats();
  const under = await store.countUnder(baseUrl);
  const count = (number: number): string => `${number.toLocaleString("en")} record${number === 1 ? "" : "s"}`;
  if (under * 2 >= records) return `${count(records)}, ${count(under)} under ${baseUrl}`;
  const origins = await store.origins(MOST_ORIGINS);
  const largest = origins.reduce((most, origin) => (origin.records > most.records ? origin : most));
  return (
    `${count(largest.records)} under ${largest.prefix}, served as ${baseUrl}: set --base-url` +
    ` (of ${count(records)}; /entity?uri= reaches every one)`
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
