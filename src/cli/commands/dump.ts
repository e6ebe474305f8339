/** `vitrine dump`: writes complete files of the collection for others to download. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { counted } from "../../base/counted.js";
import { dumpsIn, megabytes, RECORD_FORMATS } from "../../harvest/dumps/manifest.js";
import { writeDump } from "../../harvest/dumps/write.js";
import { openStore } from "../../store/open.js";
import type { CommandDefinition } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { dumpsOf, modelOf } from "../settings/common.js";
import { contextsOf } from "../settings/documents.js";
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
    const chosen = options.all("dump-format");
    const manifest = await writeDump(store, {
      storeDirectory: options.required("store"),
      directory,
      name: options.text("dump-name") ?? (baseUrl === null ? "collection" : new URL(baseUrl).hostname),
      formats: RECORD_FORMATS.map(({ name }) => name).filter((name) => chosen.length === 0 || chosen.includes(name)),
      model: modelOf(options),
      contexts: await contextsOf(options, store),
      made: new Date(),
      signal: interrupted,
      onLeftOut: (iri, problem) => stderr.line(`vitrine: the JSON lines lack <${iri}>: ${problem}`),
    });
    const old = (await dumpsIn(directory)).slice(options.number("keep-dumps")!);
    for (const { folder } of old) await rm(join(directory, folder), { recursive: true, force: true });
    if (options.isSet("json")) stdout.json(manifest);
    const { records, files, folder, leftOut } = manifest;
    const size = megabytes(files.reduce((sum, file) => sum + file.bytes, 0));
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    stderr.line(
      `${counted(records, "record")} in ${counted(files.length, "file")}, ${size}, in ${join(directory, folder)} in ${seconds} s`,
    );
    return leftOut.length === 0 ? ExitStatus.done : ExitStatus.someInvalid;
  },
};
