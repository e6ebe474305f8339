/** `vitrine backup` and `vitrine restore`: a consistent copy of a store, made while it serves and loads, and its restoration. */
import { existsSync } from "node:fs";
import { copyFile, cp, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { counted } from "../../base/counted.js";
import { isWithin, makeFolder, realPath } from "../../base/folders.js";
import { replaceJsonFile } from "../../base/json.js";
import { synchronized } from "../../base/whole-file.js";
import { rebuildSearch } from "../../search/open.js";
import { checkStore, copyRecords, lockFolder, openStore } from "../../store/open.js";
import { RESTORED, type Restored } from "../loading/restored.js";
import type { CommandDefinition } from "../main/command.js";
import { UsageError } from "../settings/options.js";

/** The folders with JSON files that cannot be rebuilt, besides the records. */
const KEPT = [".", "loads", "loads/sent"];

export const backupCommand: CommandDefinition = {
  operands: "FOLDER",
  summary: "copies the store, as it is at one moment, into a new folder; serve and load may run",
  notes: [
    "The copy is a complete store: records, change log, tombstones, sources and tokens. Its indexes are rebuilt when needed.",
    "The folder gets its name only after the copy is complete and checked for damage.",
  ],
  examples: ["backup /var/backups/vitrine/2026-11-22"],
  async run(options, { stdout, stderr, interrupted }) {
    const to = options.positionals[0]!;
    const records = await copyStore(options.required("store"), to, interrupted);
    if (options.isSet("json")) stdout.json({ folder: to, records });
    stderr.line(`${counted(records, "record")} copied to ${to}, no damage`);
  },
};

export const restoreCommand: CommandDefinition = {
  operands: "FOLDER",
  summary: "puts a copy in place of the store; a running service continues with it",
  notes: [
    "The copy is checked first, and is not changed. The old store is kept beside the new one, with .before at the end of its name; remove what an",
    "earlier restore left there. No load can run meanwhile.",
  ],
  examples: ["restore /var/backups/vitrine/2026-11-22"],
  changesStore: () => true,
  async run(options, { stdout, stderr, interrupted }) {
    const from = options.positionals[0]!;
    // Where links lead, since what is renamed beside it must be on the same disk.
    const store = realPath(options.required("store"));
    const [beside, before] = [`${store}.restored`, `${store}.before`];
    const used = [beside, `${beside}.partial`, before];
    if (used.includes(realPath(from)))
      throw new UsageError(`restore itself uses the name ${from}: rename that folder, then restore it`);
    const earlier = used.find((each) => existsSync(each));
    if (earlier !== undefined) throw new UsageError(`${earlier} exists from an earlier restore: remove it first`);
    await using _ = existsSync(store) ? await lockFolder(store) : undefined;
    const records = await copyStore(from, beside, interrupted);
    try {
      await rebuildSearch({ directory: beside }, interrupted);
      await using made = await openStore({ directory: beside });
      const { sequence } = await made.stats();
      await replaceJsonFile<Restored>(join(beside, RESTORED), { sequence });
      // What caches were told stays so.
      if (existsSync(join(store, "purge"))) await cp(join(store, "purge"), join(beside, "purge"), { recursive: true });
      if (existsSync(store)) await rename(store, before);
    } catch (error) {
      await rm(beside, { recursive: true, force: true });
      throw error;
    }
    await rename(beside, store);
    await synchronized(dirname(store));
    if (options.isSet("json")) stdout.json({ folder: from, records });
    const left = existsSync(before) ? `; what was there is in ${before}` : "";
    stderr.line(`${counted(records, "record")} restored from ${from}${left}`);
  },
};

/** Copy a store to a new or empty folder. Resolves to its number of records. Throws `StoreError`, and `UsageError` for a damaged store. */
async function copyStore(from: string, given: string, signal: AbortSignal): Promise<number> {
  const to = realPath(given);
  if (existsSync(to) && ((await stat(to)).isFile() || (await readdir(to)).length > 0))
    throw new UsageError(`${given} exists already: a copy needs a new folder`);
  if (isWithin(to, from)) throw new UsageError(`${given} is in ${from}, and would be lost with it`);
  const partial = `${to}.partial`;
  await makeFolder(dirname(partial));
  await mkdir(partial).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    // It may be a store, somebody else's folder, or the copy that another process makes.
    throw new UsageError(`${partial} exists, perhaps from a copy that was cut off: remove it, or name another folder`);
  });
  try {
    await copyRecords({ directory: from }, partial);
    for (const folder of KEPT) {
      await makeFolder(join(partial, folder));
      const names = await readdir(join(from, folder)).catch(() => []);
      for (const name of names.filter((each) => each.endsWith(".json")))
        await copyFile(join(from, folder, name), join(partial, folder, name)).catch((error: NodeJS.ErrnoException) => {
          // A service forgets its oldest loads at any moment.
          if (error.code !== "ENOENT") throw error;
        });
    }
    const { records, problems } = await checkStore({ directory: partial }, signal);
    if (problems[0] !== undefined) throw new UsageError(`${from} is damaged, and no copy was made: ${problems[0]}`);
    await rm(join(partial, "records.mdb-lock"), { force: true });
    // This replaces an empty folder, and no other.
    await rename(partial, to);
    await synchronized(dirname(to));
    return records;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}
