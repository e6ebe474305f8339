/** The checks of files that a command writes. */
import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { writeWhole } from "../../base/whole-file.js";
import type { Source } from "../../load/read/sources.js";
import { isStore } from "../../store/open.js";
import { type Options, UsageError } from "./options.js";

/** Check that the folder of a file to be written exists, and is not a store, whose own files it could replace. Throws `UsageError`. */
export function ensureFolder(file: string): void {
  if (file === "-") throw new UsageError("- is no name of a file here: for standard output write /dev/stdout");
  const folder = dirname(file);
  if (!existsSync(folder)) throw new UsageError(`${file} cannot be written: there is no folder ${folder}`);
  if (isStore(folder)) throw new UsageError(`${file} cannot be written: ${folder} is a store; name another folder`);
}

/** Check that the files for records and results can be written, and that none would replace an input, a file of another setting or another of them, also under another name, as links give. Throws `UsageError`. */
export function ensureOutputs(options: Options, inputs: readonly Source[]): void {
  const taken = new Map(inputs.map(({ name }) => [placeOf(name), `the input ${name}`]));
  for (const option of ["context", "hold", "rules", "severity", "shapes"])
    for (const value of options.all(option))
      for (const file of [value, value.replace(/^.*?[@=]/, "")]) taken.set(placeOf(file), `the file of --${option}`);
  for (const option of ["output", "targets", "report"]) {
    for (const file of new Set([options.text(option) ?? options.all(option)].flat())) {
      ensureFolder(file);
      const place = placeOf(file);
      const other = taken.get(place);
      if (other !== undefined) throw new UsageError(`--${option} ${file} would replace ${other}: name another file`);
      taken.set(place, `the file of --${option}`);
    }
  }
}

/** Replace a file by what a stream gives, compressed if its name ends in `.gz`. Rejects as `ensureFolder` and `writeWhole` do. */
export async function writeOutput(file: string, content: Readable, signal?: AbortSignal): Promise<void> {
  ensureFolder(file);
  const gzip = /\.gz$/i.test(file) ? [createGzip()] : [];
  await writeWhole(file, (stream) => pipeline([content, ...gzip, stream], { ...(signal && { signal }) }));
}

/** What is the same for all names of a regular file; the path of another. */
function placeOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? `${stats.dev}:${stats.ino}` : resolve(path);
}
