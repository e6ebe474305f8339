/** The argument by which a command that changes the store says what the store keeps of what changes replace. */
import type { Keeps } from "../../store/writable-store.js";
import { argument, type Option, type Options } from "./options.js";

export const KEEP: Option = argument(
  "keep WHAT",
  "from now on the store keeps no more versions (those that it has stay), the last one of deleted records, or every version of " +
    "every record (docs/use/harvest.md says what it costs)",
  { choices: ["nothing", "deleted", "versions"] satisfies readonly Keeps[] },
);

/** What a load is given of it; nothing where it is to stay as it was. */
export function keepingOf(options: Options): { readonly keeps: Keeps | undefined } {
  return { keeps: options.text("keep") as Keeps | undefined };
}
