/** `vitrine serve`: publishes the records of a store over HTTP. */

import { createServer } from "../http/server.js";
import { editorFiles } from "../http/sparql/editor.js";
import { PassedOn } from "../http/sparql/pass-on.js";
import { documentSettings } from "../jsonld/document-settings.js";
import { DocumentWriter } from "../jsonld/documents.js";
import type { ModelSettings } from "../model/settings.js";
import { contextDocument } from "../model/vocabulary/context.js";
import { StoreMissingError } from "../store/errors.js";
import { openStore } from "../store/open.js";
import type { Store } from "../store/store.js";
import type { Command, Terminal } from "./command.js";
import { baseUrlsOf, givenContexts, modelOf } from "./common.js";
import { counted } from "./counted.js";
import { ExitStatus } from "./exit-status.js";
import { LOADING_OPTIONS, runLoad } from "./load.js";
import { type Options, UsageError } from "./options.js";
import { SERVING_OPTIONS, type Serving, servingOf } from "./serve-options.js";
import { SPARQL_OPTIONS, type SparqlService, startSparql } from "./sparql-options.js";
import { firstPort, isWorker, leave, superviseWorkers } from "./workers.js";

export const serveCommand: Command = {
  name: "serve",
  operands: "",
  summary: "publishes the records of the store over HTTP",
  options: [
    ...SERVING_OPTIONS,
    { name: "load", value: "INPUT", many: true, help: "load these first when the store is empty" },
    ...SPARQL_OPTIONS,
    ...LOADING_OPTIONS,
  ],
  async run(options, terminal) {
    const serving = servingOf(options);
    if (options.positionals.length > 0) throw new UsageError("serve takes no inputs: load them first, or give --load");
    const [first, ...otherBaseUrls] = baseUrlsOf(options);
    const baseUrl = first ?? (await storedBaseUrl(options)) ?? `http://localhost:${serving.port}/`;
    if (!isWorker()) await loadWhenEmpty(options, baseUrl, terminal);
    const store = await openStore({ directory: options.required("store") });
    const model = modelOf(options);
    const contexts = [...(await store.contexts()), ...(await givenContexts(options))];
    const tell = (message: string): void => {
      if (!isWorker()) terminal.stderr.write(`${message}\n`);
    };
    const queries = isWorker()
      ? passedOn(options, { baseUrl, model }, serving)
      : await startSparql(options, store, { baseUrl, model }, tell);
    const isFirst = serving.workers > 1 && !isWorker();
    const server = createServer({
      store,
      ...queries.services,
      model,
      baseUrl,
      otherBaseUrls,
      documents: new DocumentWriter(documentSettings(model, contexts)),
      context: contextDocument(),
      ...serving.server,
      ...(isFirst ? {} : serving.limits),
      edition: JSON.stringify(contexts.map(([uri, context]) => [uri, context])),
    });
    const where = await whereRecordsLie(store, [baseUrl, ...otherBaseUrls]);
    const listening = (port: number): void => tell(`${where}\nlistening on http://${serving.host}:${port}/`);
    if (isFirst) {
      // The first process answers what the others pass on.
      const { port } = await server.listen(0);
      const { interrupted } = terminal;
      await superviseWorkers({
        count: serving.workers,
        firstPort: port,
        interrupted,
        onListening: listening,
        report: tell,
      });
    } else {
      listening((await server.listen(serving.port, serving.host)).port);
      await aborted(terminal.interrupted);
    }
    tell("closing ...");
    await server.close();
    await queries.close();
    await store.close();
    leave();
    return ExitStatus.done;
  },
};

/** In a worker: queries are answered by the first process, which has the index. */
function passedOn(
  options: Options,
  { baseUrl, model }: { readonly baseUrl: string; readonly model: ModelSettings },
  { server: { trustProxy } }: Serving,
): SparqlService {
  if (options.required("sparql-access") === "off") return { services: {}, close: async () => {} };
  const base = baseUrl.replace(/\/$/, "");
  const passed = new PassedOn(firstPort(), base, trustProxy, editorFiles(model, base));
  return { services: { index: () => passed.index(), sparql: passed }, close: async () => passed.close() };
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

async function openIfThere(options: Options): Promise<Store | undefined> {
  try {
    return await openStore({ directory: options.required("store") });
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
async function whereRecordsLie(store: Store, baseUrls: readonly string[]): Promise<string> {
  const { records } = await store.stats();
  const baseUrl = baseUrls.join(" and ");
  // One base URL may lie under another, and its records are not to be counted twice.
  const widest = baseUrls.filter((url) => !baseUrls.some((other) => other !== url && url.startsWith(other)));
  let under = 0;
  for (const url of new Set(widest)) under += await store.countUnder(url);
  const count = (number: number): string => counted(number, "record");
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
