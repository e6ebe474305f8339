/** `vitrine serve`: publishes the records of a store over HTTP. */
import { Writable } from "node:stream";
import type { Log } from "../../http/telemetry/log.js";
import { InputError } from "../../load/errors.js";
import { listSources } from "../../load/read/sources.js";
import { StoreFormatError, StoreLockedError, StoreMissingError, StoreSpaceError } from "../../store/errors.js";
import { openStore, rebuildDerived } from "../../store/open.js";
import type { Store } from "../../store/store.js";
import type { Command, Terminal } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { Words } from "../main/terminal.js";
import { portFor } from "../serving/listen-port.js";
import { givenToWorker } from "../serving/workers.js";
import { baseUrlsOf } from "../settings/common.js";
import { type Options, UsageError } from "../settings/options.js";
import { READING_SETTINGS, SERVING_SETTINGS, settings } from "../settings/table.js";
import { runLoad } from "./load.js";

export const serveCommand: Command = {
  name: "serve",
  operands: "",
  summary: "publishes the records of the store over HTTP",
  notes: [
    "It answers entities by their URIs, queries at /sparql, and pages in a browser; loads by another process show at once.",
    "An entity's URI is the base URL and a path: give --base-url where the service is reached under another address than that",
    "with which the records were loaded. Ctrl-C and SIGTERM end it within 8 seconds, answers under way first.",
  ],
  examples: [
    "serve --store /srv/vitrine/store --base-url https://data.museum.example/",
    "serve --load records.nq.gz --port 8080",
    "serve --workers 2 --host 0.0.0.0 --sparql-access off",
  ],
  options: [
    {
      name: "load",
      isMain: true,
      kind: "argument",
      value: "INPUT",
      many: true,
      help: "load these first when the store is empty",
    },
    ...SERVING_SETTINGS,
    ...settings("on-invalid", "hold"),
    ...READING_SETTINGS,
  ],
  async run(options, terminal) {
    if (options.positionals.length > 0) throw new UsageError("serve takes no inputs: load them first, or give --load");
    const { serveAlone, serveByWorkers, setupOf, work } = await import("../serving/service.js");
    const { logOf } = await import("../serving/observers.js");
    const log = logOf(options, terminal.stderr);
    const setup = await setupOf(options, log, terminal.start);
    const { interrupted } = terminal;
    const given = givenToWorker();
    if (given !== undefined) return await work(setup, given, interrupted);
    const { serving } = setup;
    // Known before anything else is done, and one for all workers, also for those that come after all others died.
    const port = await portFor(serving.port, serving.host);
    const defaultBase = `http://localhost:${port}/`;
    if (setup.records !== undefined && options.all("load").length > 0) {
      throw new UsageError("--load needs a store, and --read-only-engine has none");
    }
    if (setup.records === undefined) {
      await ensureSearch(options, logged(terminal, options, log));
      await loadWhenEmpty(options, defaultBase, logged(terminal, options, log));
    }
    if (interrupted.aborted) return ExitStatus.done;
    const started = { ...setup, serving: { ...serving, port }, defaultBase };
    if (serving.workers > 1) await serveByWorkers(started, interrupted);
    else await serveAlone(started, interrupted);
    return ExitStatus.done;
  },
};

/** The terminal of a load whose words go to the log, where that is for machines. */
function logged(terminal: Terminal, options: Options, log: Log): Terminal {
  const format = options.required("log-format");
  if (format === "text" || (format === "auto" && terminal.stderr.isTTY)) return terminal;
  const lines = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split("\n")) if (line.trim() !== "") log.info(line.trim());
      done();
    },
  });
  return { ...terminal, stderr: new Words(lines) };
}

/** What is to be known of the store, if there is one. */
async function ofStore<T>(options: Options, look: (store: Store) => T | Promise<T>): Promise<T | undefined> {
  let store: Store;
  try {
    store = await openStore({ directory: options.required("store") });
  } catch (error) {
    if (error instanceof StoreMissingError) return undefined;
    throw error;
  }
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}

/** A store that was loaded before there were searches, or for other ones, gets what they need once. */
async function ensureSearch(options: Options, { stderr }: Terminal): Promise<void> {
  const directory = options.required("store");
  const isOlder = await ofStore(options, ({ search }) => search === undefined).catch((error) => {
    if (error instanceof StoreFormatError && error.isOlder) return true;
    throw error;
  });
  if (isOlder !== true) return;
  stderr.write(`what the records of ${directory} are found by is built, once: a minute a million records\n`);
  try {
    await rebuildDerived({ directory }, "search");
  } catch (error) {
    if (!(error instanceof StoreLockedError || error instanceof StoreSpaceError)) throw error;
    stderr.write(
      `${error.message}; records are served, and not searched, until \`vitrine check --repair\` builds it\n`,
    );
  }
}

/** Load the inputs of `--load` into a store without records. */
async function loadWhenEmpty(options: Options, defaultBase: string, terminal: Terminal): Promise<void> {
  const inputs = options.all("load");
  if (inputs.length === 0) return;
  const stats = await ofStore(options, (store) => store.stats());
  const held = await ofStore(options, (store) => store.held?.stats().records);
  if ((stats?.records ?? 0) + (held ?? 0) > 0) {
    await listSources(inputs, { stdin: terminal.stdin }).catch((error: Error) => {
      if (!(error instanceof InputError)) throw error;
      terminal.stderr.write(`warning: --load ${error.message}; the store has records, and is served without it\n`);
    });
    return;
  }
  await runLoad(options, inputs, baseUrlsOf(options)[0] ?? stats?.baseUrl ?? defaultBase, terminal);
}
