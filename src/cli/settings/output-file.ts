/** The checks of a file that a command writes. */
import { existsSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Source } from "../../load/read/sources.js";
import { isStore } from "../../store/open.js";
import { UsageError } from "./options.js";

/** Check that the folder of a file to be written exists, and is not a store, whose own files it could replace. Throws `UsageError`. */
export function ensureFolder(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new UsageError(`${file} cannot be written: there is no folder ${folder}`);
  if (isStore(folder)) throw new UsageError(`${file} cannot be written: ${folder} is a store; name another folder`);
}

/** Check that a file to be written is none of the inputs, also under another name, as links give. Throws `UsageError`. @param option the option that names it */
export function ensureNoInput(option: string, file: string, inputs: readonly Source[]): void {
  const before = fileAt(file);
  if (before === undefined) return;
  for (const { name } of inputs) {
    const input = fileAt(name);
    if (input?.ino === before.ino && input.dev === before.dev)
      throw new UsageError(`--${option} ${file} would replace the input ${name}: name another file`);
  }
}

/** The state of a regular file, if there is one. */
function fileAt(path: string): Stats | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? stats : undefined;
}
