/** The options by which a command that changes the store says what the store keeps of what changes replace. */
import type { Keeps } from "../store/writable-store.js";
import { type Option, type Options, UsageError } from "./options.js";

const KEEPING: readonly (readonly [option: string, keeps: Keeps, help: string])[] = [
  ["keep-deleted", "deleted", "from now on the store keeps the last version of deleted records"],
  [
    "keep-versions",
    "versions",
    "from now on the store keeps every version of every record (docs/harvest.md says what it costs)",
  ],
  ["keep-nothing", "nothing", "from now on the store keeps no more versions; those that it has stay"],
];

export const KEEPING_OPTIONS: readonly Option[] = KEEPING.map(([name, , help]) => ({ name, help }));

/** What a load is given of it; nothing where it is to stay as it was. Throws `UsageError` where two are given. */
export function keepingOf(options: Options): { readonly keeps?: Keeps } {
  const given = KEEPING.filter(([name]) => options.isSet(name));
  if (given.length > 1) throw new UsageError(`${given.map(([name]) => `--${name}`).join(" and ")}: give one of them`);
  return given.length === 0 ? {} : { keeps: given[0]![1] };
}
