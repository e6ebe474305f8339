/** The checks of a file that a command writes. */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isStore } from "../../store/open.js";
import { UsageError } from "./options.js";

/** Check that the folder of a file to be written exists, and is not a store, whose own files it could replace. Throws `UsageError`. */
export function ensureFolder(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new UsageError(`${file} cannot be written: there is no folder ${folder}`);
  if (isStore(folder)) throw new UsageError(`${file} cannot be written: ${folder} is a store; name another folder`);
}

/** Check that a file to be written is none of the inputs. Throws `UsageError`. @param option the option that names it */
export function ensureNoInput(option: string, file: string, inputs: readonly string[]): void {
  if (inputs.some((input) => resolve(input) === resolve(file)))
    throw new UsageError(`--${option} ${file} would replace this input: name another file`);
}
