/** The history of loads, for questions that come up later: which loads there were, and what the newest load of each source refused. */
import { hash } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { jsonFile } from "../../base/json.js";
import { beginning } from "../../base/shortened.js";
import { replaceFile } from "../../base/whole-file.js";
import type { RecordResults, Result } from "../../validate/results.js";

/** The folder within the store's, beside the records. */
const FOLDER = "loads";
const LOADS = "loads.json";

const MAX_LOADS = 500;
/** How many inputs are kept of all loads, from the newest on: a folder may have a file for each record. Earlier loads keep the first few. */
const MAX_INPUTS = 100_000;
const FEW_INPUTS = 4;
/** The maximum numbers of refused records kept for one source, and of results kept for each. */
const MAX_REFUSALS = 10_000;
const MAX_RESULTS = 20;
/** Longer values are cut. */
const MAX_VALUE = 500;

export interface LoadInput {
  readonly name: string;
  /** The path, when it is a file. */
  readonly path: string | null;
  readonly format: string;
  /** The size in bytes and the time of change in milliseconds since 1970. They show whether the file is unchanged. */
  readonly size: number | null;
  readonly modified: number | null;
}

export interface LoadEntry {
  /** When the load ended, in milliseconds since 1970. */
  readonly time: number;
  /** The feed, or `null`. */
  readonly source: string | null;
  readonly inputs: readonly LoadInput[];
  /** What was to happen to invalid records. */
  readonly onInvalid: string;
  readonly decisions: readonly string[];
  readonly shapes: readonly string[];
  readonly mends: boolean;
  readonly sync: boolean;
  readonly baseUrl: string | null;
  /** The changes of this load have sequence numbers after `after`, up to `sequence`. */
  readonly after: number;
  readonly sequence: number;
  /** Why nothing was published, or `null`. */
  readonly unpublished: string | null;
  readonly refused: number;
}

export interface Refusal {
  readonly iri: string;
  readonly endpoint: string | null;
  readonly label: string;
  /** The place where the record begins, as `file:line`. */
  readonly place: string;
  readonly results: readonly Pick<Result, "severity" | "path" | "value" | "message" | "rule">[];
}

interface Refusals {
  readonly load: LoadEntry;
  readonly refusals: readonly Refusal[];
}

/** Add a refused record to what a load refuses, up to the limits above. */
export function addRefusal(refusals: Refusal[], { iri, endpoint, label, source, results }: RecordResults): void {
  if (iri === null || refusals.length >= MAX_REFUSALS) return;
  const kept = results.slice(0, MAX_RESULTS).map(({ severity, path, value, message, rule }) => {
    return { severity, path, value: value && beginning(value, MAX_VALUE), message, rule };
  });
  refusals.push({ iri, endpoint, label: beginning(label, MAX_VALUE), place: source, results: kept });
}

/** Record a load. Its refusals replace those of the last load of the same source or, if it `isPart` of what the source has, only those of the same records. The caller holds the loader's lock. */
export async function rememberLoad(store: string, load: LoadEntry, refusals: readonly Refusal[], isPart = false) {
  const folder = join(store, FOLDER);
  await mkdir(folder, { recursive: true });
  const loads = [...(await readLoads(store)), load].slice(-MAX_LOADS);
  let room = MAX_INPUTS;
  for (let at = loads.length - 1; at >= 0; at--) {
    const inputs = loads[at]!.inputs.slice(0, Math.max(room, FEW_INPUTS));
    loads[at] = { ...loads[at]!, inputs };
    room -= inputs.length;
  }
  // The file is named by a hash, since source names may contain any character.
  const name = load.source === null ? "" : hash("sha256", load.source).slice(0, 32);
  const file = join(folder, `refused-${name}.json`);
  const former = isPart ? refusalsOf(await jsonFile(file)) : [];
  const iris = new Set(refusals.map(({ iri }) => iri));
  const others = former.map((each) => ({ ...each, refusals: each.refusals.filter(({ iri }) => !iris.has(iri)) }));
  let left = MAX_REFUSALS;
  const kept = [{ load: loads.at(-1)!, refusals }, ...others].filter(({ refusals: { length } }) => {
    left -= length;
    return length > 0 && left >= 0;
  });
  await replaceFile(file, JSON.stringify(kept));
  await replaceFile(join(folder, LOADS), JSON.stringify(loads));
}

/** The recorded loads, oldest first. */
export async function readLoads(store: string): Promise<readonly LoadEntry[]> {
  // A truncated file counts as empty: the history only explains, and nothing relies on it.
  return (await jsonFile<readonly LoadEntry[]>(join(store, FOLDER, LOADS))) ?? [];
}

/** The refusals of the newest load of each source, and of those that it is a part of. */
export async function readRefusals(store: string): Promise<readonly Refusals[]> {
  const names = await readdir(join(store, FOLDER)).catch(() => []);
  const files = names.filter((name) => name.startsWith("refused-") && name.endsWith(".json")).sort();
  return (await Promise.all(files.map((name) => jsonFile(join(store, FOLDER, name))))).flatMap(refusalsOf);
}

/** The refusals in a file, which earlier programs wrote of one load. */
function refusalsOf(content: unknown): readonly Refusals[] {
  return [(content as Refusals | readonly Refusals[] | undefined) ?? []].flat();
}
