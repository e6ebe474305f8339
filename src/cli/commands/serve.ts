/** `vitrine serve`: publishes the records of a store over HTTP. */
import { Writable } from "node:stream";
import type { Log } from "../../http/telemetry/log.js";
import { InputError } from "../../load/errors.js";
import { listSources } from "../../load/read/sources.js";
import { StoreFormatError, StoreMissingError } from "../../store/errors.js";
import { openForLoading, openStore } from "../../store/open.js";
import type { CommandDefinition, Terminal } from "../main/command.js";
import { TerminalWords } from "../main/terminal.js";
import { givenToWorker } from "../serving/workers.js";
import { baseUrlsOf } from "../settings/common.js";
import { argument, type Options, UsageError } from "../settings/options.js";
import { READING_SETTINGS, SERVING_SETTINGS, settings } from "../settings/table.js";
import { runLoad } from "./load.js";

export const serveCommand: CommandDefinition = {
  summary: "publishes the records of the store over HTTP",
  notes: [
    "It answers entities by their URIs, queries at /sparql, and pages in a browser. New loads show at once.",
    "An entity's URI is the base URL and a path. Give --base-url if the service's address is not the base URL",
    "that the records were loaded with. Ctrl-C and SIGTERM end it within 8 seconds, after finishing its answers.",
  ],
  examples: [
    "serve --store /srv/vitrine/store --base-url https://data.museum.example/",
    "serve --load records.nq.gz --port 8080",
    "serve --workers 2 --host 0.0.0.0 --sparql-access off",
  ],
  options: [
    argument("load INPUT...", "load this first if the store is empty", { isMain: true }),
    ...SERVING_SETTINGS,
    ...settings("on-invalid", "hold"),
    ...READING_SETTINGS,
  ],
  async run(options, terminal) {
    const { portFor, serveAlone, serveByWorkers, work } = await import("../serving/service.js");
    const { logOf, setupOf } = await import("../serving/setup.js");
    const { checkLoading } = await import("../settings/serve-options.js");
    const log = logOf(options, terminal.stderr);
    const given = givenToWorker();
    const setup = await setupOf(options, log, given, terminal.start);
    const { interrupted } = terminal;
    if (given !== undefined) return await work(setup, given.inner, interrupted);
    await checkLoading(options);
    const { serving } = setup;
    // The port is chosen once, here, so that a worker that starts after all others died gets the same one.
    const port = await portFor(serving.port, serving.host);
    const defaultBase = `http://localhost:${port}/`;
    if (setup.records !== undefined && options.all("load").length > 0)
      throw new UsageError("--load needs a store, and --read-only-engine has none");
    if (setup.records === undefined) {
      const refused = await loadWhenEmpty(options, defaultBase, loggingTerminal(terminal, options, log));
      if (refused !== undefined) return refused;
    }
    if (interrupted.aborted) return;
    const started = { ...setup, serving: { ...serving, port } };
    if (serving.workers > 1) await serveByWorkers(started, interrupted);
    else await serveAlone(started, interrupted);
  },
};

/** The terminal, or, when the log is for machines, one whose messages go to the log. */
function loggingTerminal(terminal: Terminal, options: Options, log: Log): Terminal {
  const format = options.required("log-format");
  if (format === "text" || (format === "auto" && terminal.stderr.isTTY)) return terminal;
  const lines = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split("\n")) if (line.trim() !== "") log.info(line.trim());
      done();
    },
  });
  return { ...terminal, stderr: new TerminalWords(lines) };
}

/** The numbers of the store, with held records, or `undefined` when there is no store. A store of an older format is upgraded. */
async function numbersOf(directory: string, { stderr, interrupted }: Terminal) {
  await using store = await openStore({ directory }).catch((error) => {
    if (error instanceof StoreMissingError) return undefined;
    if (!(error instanceof StoreFormatError && error.isOlder)) throw error;
    stderr.line(
      `the store in ${directory} is being upgraded to the format of this version, once: about a minute per million records`,
    );
    return openForLoading({ directory }, interrupted);
  });
  if (store === undefined) return undefined;
  const { records, baseUrl } = await store.stats();
  return { records: records + store.held.stats().records, baseUrl };
}

/** Load the inputs of `--load` if the store is empty. A store of an older format is upgraded first. Resolves to the exit status of a load that published nothing. */
async function loadWhenEmpty(options: Options, defaultBase: string, terminal: Terminal) {
  const stats = await numbersOf(options.required("store"), terminal);
  const inputs = options.all("load");
  if (inputs.length === 0) return undefined;
  if (stats !== undefined && stats.records > 0) {
    await listSources(inputs, { stdin: terminal.stdin }).catch((error: Error) => {
      if (!(error instanceof InputError)) throw error;
      terminal.stderr.line(`warning: --load ${error.message}; the store has records, and is served without it`);
    });
    return undefined;
  }
  const base = baseUrlsOf(options)[0] ?? stats?.baseUrl ?? defaultBase;
  const { summary, status } = await runLoad(options, inputs, terminal, base);
  return summary.unpublished === null ? undefined : status;
}
