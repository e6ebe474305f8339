/** `vitrine purge`: purges changed records from a cache as soon as this store has the changes. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { failureOf, httpAgent, pauseAfter, request } from "../../base/http-client.js";
import { jsonFile, replaceJsonFile } from "../../base/json.js";
import { Addresses, MAX_TARGET } from "../../http/entity/addresses.js";
import { changeMark } from "../../store/changes.js";
import { type LocalStore, openStore } from "../../store/open.js";
import type { CommandDefinition } from "../main/command.js";
import { liveWithStore } from "../serving/store-replacement.js";
import { baseUrlsOf } from "../settings/common.js";
import { type Options, UsageError } from "../settings/options.js";

/** The number of changes that are sent before the position is saved, and the maximum number of simultaneous requests. */
const BATCH = 500;
const CONNECTIONS = 8;
/** The milliseconds between two checks for changes, and the longest pause after failures. */
const INTERVAL = 200;
const MAX_PAUSE = 30_000;
/** The milliseconds for which a cache may be silent. */
const SILENCE = 10_000;

export const purgeCommand: CommandDefinition = {
  operands: "URL",
  summary: "sends PURGE to the cache at URL for each record that changes in this store, until interrupted",
  notes: [
    "Run it beside each store that the cache uses, so that the store has a change before the cache is told (docs/run/replicas.md). It begins with",
    "new changes, keeps its position in the store's folder, and repeats what the cache did not accept.",
  ],
  examples: ["purge http://cache.museum.example:6081/ --store /var/lib/vitrine/store"],
  async run(options, { stderr, interrupted }) {
    const cache = options.positionals[0]!;
    if (!/^https?:\/\/[^/]+\/?$/.test(cache) || !URL.canParse(cache))
      throw new UsageError("purge takes the address of one cache, such as http://localhost:6081/");
    const directory = options.required("store");
    const report = (message: string): void => void stderr.line(`vitrine: ${message}`);
    const live = (store: LocalStore, ended: AbortSignal) => tell(store, options, ended, report);
    await liveWithStore({ directory, open: () => openStore({ directory }), interrupted, report, live });
  },
};

/** Send all changes to a cache until the signal aborts. */
async function tell(store: LocalStore, options: Options, ended: AbortSignal, report: (message: string) => void) {
  const cache = options.positionals[0]!;
  const { baseUrl, sequence: now } = await store.stats();
  const [base = baseUrl ?? "http://localhost/", ...otherBases] = baseUrlsOf(options);
  const addresses = new Addresses({ baseUrl: base, otherBaseUrls: otherBases });
  const file = join(options.required("store"), "purge", `${encodeURIComponent(new URL(cache).host)}.json`);
  /** Saves the last change that the cache was told of, with its mark. */
  const toldUpTo = async (sequence: number) => {
    const told = { sequence, mark: await changeMark(store, sequence) };
    await replaceJsonFile(file, told);
    return told;
  };
  let told = await jsonFile<Awaited<ReturnType<typeof toldUpTo>>>(file);
  // After a restored backup, the number may be that of another change.
  const isLost = told !== undefined && (await changeMark(store, told.sequence)) !== told.mark;
  if (isLost) report("the store no longer has the changes that the cache was told of: empty the cache");
  told = await toldUpTo(told === undefined || isLost ? now : told.sequence);
  report(`telling the cache of changes after change ${told.sequence}`);
  await using agent = httpAgent({ connections: CONNECTIONS, silence: SILENCE });
  const purge = async (iri: string): Promise<void> => {
    const { host, pathname, search } = new URL(addresses.url(iri));
    // The service answers no longer one, and the cache has none that it refuses as too long (414).
    if (pathname.length + search.length > MAX_TARGET) return;
    const to = `${cache.replace(/\/$/, "")}${pathname}${search}`;
    const { statusCode, body } = await request(to, { method: "PURGE", headers: { host }, dispatcher: agent });
    await body.dump();
    // 404: the cache did not have the address.
    if (statusCode >= 300 && statusCode !== 404 && statusCode !== 414)
      throw new Error(`${to} answers PURGE with ${statusCode}`);
  };
  for (let failures = 0; !ended.aborted; ) {
    const changes = await store.changes.page({ after: told.sequence, limit: BATCH });
    try {
      await Promise.all([...new Set(changes.map(({ iri }) => iri))].map(purge));
      const last = changes.at(-1);
      if (last !== undefined) told = await toldUpTo(last.sequence);
      failures = 0;
    } catch (error) {
      if (failures++ === 0) report(`${failureOf(error)}; trying again`);
    }
    const pause = failures === 0 ? INTERVAL : pauseAfter(failures, INTERVAL, MAX_PAUSE);
    if (failures > 0 || changes.length < BATCH) await sleep(pause, undefined, { signal: ended }).catch(() => {});
  }
}
