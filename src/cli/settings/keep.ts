/** The argument by which a command that changes the store says what the store keeps of what changes replace. */
import type { Keeps } from "../../store/writable-store.js";
import { argument, type Option, type Options } from "./options.js";

export const KEEP: Option = argument(
  "keep WHAT",
  "what the store keeps from now on: no more versions, the last version of deleted records, or every version of " +
    "every record; kept versions stay (docs/use/harvest.md)",
  { choices: ["nothing", "deleted", "versions"] satisfies readonly Keeps[] },
);

/** The part of a load's settings that says what is kept; empty where it is to stay as it was. */
export function keepingOf(options: Options): { readonly keeps: Keeps | undefined } {
  return { keeps: options.text("keep") as Keeps | undefined };
}
