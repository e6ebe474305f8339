/** Releases of a collection as people name them: a store or a backup, the folder of a dump, or files that load reads. */
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { counted } from "../../base/counted.js";
import { type DumpManifest, MANIFEST } from "../../harvest/dumps/manifest.js";
import { DEFAULT_LIMITS } from "../../load/limits.js";
import { load } from "../../load/pipeline/load.js";
import { streamProgress } from "../../load/pipeline/progress.js";
import { listSources } from "../../load/read/sources.js";
import type { Release } from "../../load/releases.js";
import { makeTemporaryDirectory } from "../../load/temporary.js";
import { type LocalStore, openForLoading, openStore } from "../../store/open.js";
import type { Terminal } from "../main/command.js";
import { baseUrlOf, givenContexts, modelOf } from "../settings/common.js";
import { documentWriterOf } from "../settings/documents.js";
import type { Options } from "../settings/options.js";

interface OpenRelease extends Release, AsyncDisposable {
  readonly store: LocalStore;
}

/** Open a release for reading; what is no store is loaded into a temporary one. Throws `InputError`, `SyntaxProblem`, `StoreError`. */
export async function openRelease(path: string, options: Options, terminal: Terminal): Promise<OpenRelease> {
  if (existsSync(join(path, "records.mdb"))) return released(await openStore({ directory: path }), options);
  const directory = makeTemporaryDirectory(tmpdir(), "release");
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    return await released(await loaded(await inputOf(path), directory, options, terminal), options, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

async function released(
  store: LocalStore,
  options: Options,
  remove: () => Promise<void> = async () => {},
): Promise<OpenRelease> {
  const writer = await documentWriterOf(options, store);
  return { store, writer, [Symbol.asyncDispose]: () => store.close().finally(remove) };
}

/** Of the folder of a dump the file of all records, as quads where there is one: of them none is left out. */
async function inputOf(path: string): Promise<string> {
  const text = await readFile(join(path, MANIFEST), "utf8").catch(() => undefined);
  if (text === undefined) return path;
  const whole = (JSON.parse(text) as DumpManifest).files.filter((file) => file.of === "all");
  const file = whole.find(({ format }) => format === "nq") ?? whole[0];
  return file === undefined ? path : join(path, file.name);
}

async function loaded(path: string, directory: string, options: Options, terminal: Terminal): Promise<LocalStore> {
  const { stdin, stderr, interrupted } = terminal;
  const sources = await listSources([path], { stdin });
  const contexts = await givenContexts(options);
  const baseUrl = baseUrlOf(options);
  using progress = streamProgress(stderr);
  const store = await openForLoading({ directory });
  const examining = {
    model: modelOf(options),
    contexts: [...contexts],
    decisions: [],
    shapes: [],
    ...(baseUrl && { baseUrl }),
  };
  try {
    const { refused } = await load(
      sources,
      store,
      {
        examining,
        contexts,
        onInvalid: "accept",
        divide: false,
        limits: DEFAULT_LIMITS,
        temporary: tmpdir(),
        signal: interrupted,
      },
      progress,
    );
    if (refused > 0)
      stderr.write(
        `${path}: ${counted(refused, "record")} left out because they cannot be read: vitrine validate lists them\n`,
      );
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
