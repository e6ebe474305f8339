/** Does to a service what machines do, fault by fault, and looks at what is left. */

import { onTestFinished } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";
import { flipBits } from "./flips.js";
import { fillDisks } from "./full-disks.js";
import { logs, namespaces, replacements, signals } from "./processes.js";
import type { Row } from "./row.js";
import { flipSearch, spoilSearch } from "./search-index.js";

/** A fault, and how often a campaign makes it in its long form and in its short one. */
interface Fault {
  readonly name: string;
  readonly long: number;
  readonly short: number;
  readonly run: (count: number, random: () => number, folder: string) => Promise<Row>;
}

export const FAULTS: readonly Fault[] = [
  { name: "full disks", long: 40, short: 2, run: fillDisks },
  { name: "flipped bits", long: 1_000, short: 10, run: flipBits },
  { name: "signals", long: 60, short: 6, run: signals },
  { name: "lost logs", long: 12, short: 3, run: logs },
  { name: "replaced stores", long: 20, short: 2, run: replacements },
  { name: "faults of a search index", long: 400, short: 8, run: spoilSearch },
  { name: "flipped bits of a search index in use", long: 400, short: 6, run: flipSearch },
  { name: "two namespaces", long: 20, short: 2, run: namespaces },
];

/** Make a fault so often, in a folder of its own. */
export function make({ run }: Pick<Fault, "run">, count: number, random: () => number): Promise<Row> {
  return run(count, random, temporaryFolder(onTestFinished));
}
