/** The argument by which a command that changes the store says what the store keeps of what changes replace. */
import type { Keeps } from "../../store/writable-store.js";
import type { Option, Options } from "./options.js";

export const KEEP: Option = {
  name: "keep",
  kind: "argument",
  value: "WHAT",
  choices: ["nothing", "deleted", "versions"] satisfies readonly Keeps[],
  help:
    "from now on the store keeps no more versions (those that it has stay), the last one of deleted records, or every version of " +
    "every record (docs/use/harvest.md says what it costs)",
};

/** What a load is given of it; nothing where it is to stay as it was. */
export function keepingOf(options: Options): { readonly keeps: Keeps | undefined } {
  return { keeps: options.text("keep") as Keeps | undefined };
}
