/** `vitrine dump`: writes complete files of the collection for others to download. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { counted } from "../../base/counted.js";
import { type DumpManifest, dumpsIn, megabytes, RECORD_FORMATS } from "../../harvest/dumps/manifest.js";
import { writeDump } from "../../harvest/dumps/write.js";
import type { FormatName } from "../../rdf/formats.js";
import { openStore } from "../../store/open.js";
import type { CommandDefinition } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { dumpsOf, modelOf } from "../settings/common.js";
import { contextsOf } from "../settings/documents.js";
import type { Options } from "../settings/options.js";
import { DUMP_SETTINGS } from "../settings/table.js";

export const dumpCommand: CommandDefinition = {
  summary: "writes all records as N-Quads, N-Triples and JSON lines, gzipped, with checksums; also per endpoint",
  notes: [
    "All files show the same state of the store, and appear together when complete. Loads and a service may run meanwhile. serve publishes the files at",
    "/dumps/. To copy a store with its times, change log, deletions and versions, use vitrine backup.",
  ],
  examples: ["dump", "dump --dumps /var/dumps"],
  options: DUMP_SETTINGS,
  async run(options, { stdout, stderr, interrupted }) {
    const started = performance.now();
    await using store = await openStore({ directory: options.required("store") });
    const { baseUrl } = await store.stats();
    const directory = dumpsOf(options);
    const manifest = await writeDump(store, {
      storeDirectory: options.required("store"),
      directory,
      name: options.text("dump-name") ?? (baseUrl === null ? "collection" : new URL(baseUrl).hostname),
      formats: formatsOf(options),
      model: modelOf(options),
      contexts: await contextsOf(options, store),
      made: new Date(),
      signal: interrupted,
      onLeftOut: (iri, problem) => stderr.line(`vitrine: the JSON lines lack <${iri}>: ${problem}`),
    });
    const old = (await dumpsIn(directory)).slice(options.number("keep-dumps")!);
    for (const { folder } of old) await rm(join(directory, folder), { recursive: true, force: true });
    if (options.isSet("json")) stdout.json(manifest);
    stderr.write(outcome(manifest, directory, (performance.now() - started) / 1000));
    return manifest.leftOut.length === 0 ? ExitStatus.done : ExitStatus.someInvalid;
  },
};

function outcome({ records, files, folder }: DumpManifest, directory: string, seconds: number): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${counted(records, "record")} in ${counted(files.length, "file")}, ${megabytes(bytes)}, in ${join(directory, folder)} in ${seconds.toFixed(1)} s\n`;
}

/** The chosen formats, in the order in which they are listed; by default all. */
function formatsOf(options: Options): readonly FormatName[] {
  const given = options.all("dump-format");
  return RECORD_FORMATS.map(({ name }) => name).filter((name) => given.length === 0 || given.includes(name));
}
