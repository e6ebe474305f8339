/** The note that a store was restored from a backup. Such a store may become an exact copy of the first source that it follows, which then decides about every record. No other store may. */
import { join } from "node:path";
import { jsonFile, replaceJsonFile } from "../../base/json.js";
import { openStore } from "../../store/open.js";
import type { StoreStats } from "../../store/record.js";

interface Restored {
  /** The last change of the backup. */
  readonly sequence: number;
  /** The source whose exact copy the store has become. */
  readonly source?: string;
}

const fileIn = (directory: string): string => join(directory, "restored.json");

/** Note that a store was restored. Throws `StoreError`. */
export async function noteRestored(directory: string): Promise<void> {
  await using store = await openStore({ directory });
  const { sequence } = await store.stats();
  await replaceJsonFile<Restored>(fileIn(directory), { sequence });
}

/** Whether a store is an exact copy of a source, or may become one: it has changed nothing since it was restored, and has no records of that source beside others. */
export async function mayCopy(
  directory: string,
  source: string,
  { sequence, sources = {} }: StoreStats,
): Promise<"already" | "now" | "never"> {
  const restored = await jsonFile<Restored>(fileIn(directory));
  if (restored?.source === source) return "already";
  return restored?.source === undefined && restored?.sequence === sequence && !(source in sources) ? "now" : "never";
}

/** Make a store the exact copy of a source for good. */
export async function becomeCopy(directory: string, source: string, { sequence }: StoreStats): Promise<void> {
  await replaceJsonFile<Restored>(fileIn(directory), { sequence, source });
}
