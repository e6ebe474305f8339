/** The cost of searching: pages of hits and of referring records in a small and in a large collection, and the time and disk space of the search index. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inFolder } from "./dereference.js";
import { type JsonObject, many } from "./documents.js";
import { median, percentile, report } from "./figures.js";
import { measureIndex } from "./find-cost.js";
import { drive, loadStore, type Server, serveStore, shuffled } from "./servers.js";

const SMALL = 20_000;
const LARGE = 240_000;
/** Requests of each kind, as different from one another as possible. */
const REQUESTS = 300;
/** The objects among this many documents are classified as one concept: 100,000 of the volume. */
const REFERRING = 140_000;
/** Searches beside which records are requested, and the clients that send them. */
const SEARCHES = 60;
const SEARCHING = 4;
const CLASS = "HumanMadeObject";
const CONCEPT = { id: "http://vocab.getty.edu/aat/300133025", type: "Type", _label: "works of art" };

export async function benchFind(): Promise<void> {
  await inFolder(async (folder, servers) => {
    const parts = (process.env.FIND ?? "filling questions pages").split(" ");
    await measureIndex(folder, parts);
    if (parts.includes("pages")) await pages(folder, servers);
  });
}

/** Measures pages of each kind in a small and in a large collection, and records while others search the large one. */
async function pages(folder: string, servers: Server[]): Promise<void> {
  const kinds = new Map<string, string[]>();
  const beside: string[] = [];
  for (const count of [SMALL, LARGE]) {
    const documents = (await many(count)).map(findable);
    const loaded = await loadStore(join(folder, String(count)), documents);
    const server = await serveStore(loaded, "--sparql-access", "off", "--cache", "0");
    servers.push(server);
    const referring = documents.slice(0, REFERRING).filter(({ type }) => type === CLASS).length;
    for (const [kind, paths] of await requests(documents, server)) {
      const times = await timed(server, paths);
      const figures = `${median(times).toFixed(2)} ms, p99 ${percentile(times, 0.99).toFixed(2)}`;
      kinds.set(kind, [
        ...(kinds.get(kind) ?? []),
        `${documents.length.toLocaleString("en")} records (${referring.toLocaleString("en")} referring): ${figures}`,
      ]);
    }
    beside.push(await besideSearches(server, loaded.paths));
  }
  report("\nPages of hits, one request at a time: median and p99 of different requests");
  for (const [kind, figures] of kinds) report(`  ${kind}: ${figures.join("; ")}`);
  report("\nRecords, one at a time, alone and while four clients sort what very many records have");
  for (const figures of beside) report(`  ${figures}`);
}

/** The times of records, alone and beside searches that are each sent once. A request every few milliseconds shows how long the service is busy with others. */
async function besideSearches({ port }: Server, paths: readonly string[]): Promise<string> {
  const records = shuffled(paths).values();
  const [alone, beside]: [number[], number[]] = [[], []];
  const record = async (times: number[]): Promise<void> => {
    await sleep(3);
    await drive(port, [records.next().value!], undefined, (milliseconds) => times.push(milliseconds), 1);
  };
  while (alone.length < REQUESTS) await record(alone);
  const searches = Array.from({ length: SEARCHES }, (_, at) => `/search/all?text=a&sort=date&begin=${1_000 + at}`);
  let isSearching = true;
  const searching = drive(port, searches, undefined, undefined, SEARCHING).finally(() => (isSearching = false));
  while (isSearching) await record(beside);
  await searching;
  const figures = (times: readonly number[]): string =>
    `median ${median(times).toFixed(2)} ms, p99 ${percentile(times, 0.99).toFixed(2)}`;
  return `${paths.length.toLocaleString("en")} records: alone ${figures(alone)}; beside searches ${figures(beside)}`;
}

/** A document with the end of its IRI as an inventory number; if it is one of the first objects, also with the one concept. */
function findable(document: JsonObject, at: number): JsonObject {
  const number = { type: "Identifier", content: /[^/]*$/.exec(String(document.id))![0] };
  const numbered = {
    ...document,
    identified_by: [...((document.identified_by as JsonObject[] | undefined) ?? []), number],
  };
  if (at >= REFERRING || document.type !== CLASS) return numbered;
  return { ...numbered, classified_as: [...((document.classified_as as JsonObject[] | undefined) ?? []), CONCEPT] };
}

/** The paths to request, by kind. */
async function requests(
  documents: readonly JsonObject[],
  server: Server,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const some = shuffled(documents.map((_, at) => String(at))).map((at) => documents[Number(at)]!);
  const names = some.flatMap(({ _label }) => (typeof _label === "string" ? [_label] : [])).slice(0, REQUESTS);
  const numbers = some.slice(0, REQUESTS).map(({ id }) => /[^/]*$/.exec(String(id))![0]);
  const letters = Array.from({ length: REQUESTS }, (_, at) => "abcdefghijklmnopqrstuvwxyz"[at % 26]!);
  const related = `/related/objectClassifiedAsConcept?uri=${encodeURIComponent(CONCEPT.id)}`;
  return new Map([
    ["a prefix of one letter", letters.map((letter) => `/search/all?name=${letter}`)],
    ["a whole name", names.map((name) => `/search/all?name=${encodeURIComponent(name)}`)],
    ["an inventory number", numbers.map((number) => `/search/all?identifier=${encodeURIComponent(number)}`)],
    ["a word of any text", names.map((name) => `/search/all?text=${encodeURIComponent(name.split(" ")[0]!)}`)],
    ["referring records, page after page", await walk(server, related)],
  ]);
}

/** The paths of successive pages. */
async function walk({ port }: Server, first: string): Promise<readonly string[]> {
  const paths: string[] = [];
  let next: string | undefined = first;
  while (next !== undefined && paths.length < REQUESTS) {
    paths.push(next);
    const page = (await (await fetch(`http://127.0.0.1:${port}${next}`)).json()) as { next?: { id: string } };
    const url = page.next === undefined ? undefined : new URL(page.next.id);
    next = url === undefined ? undefined : `${url.pathname}${url.search}`;
  }
  return paths;
}

/** The milliseconds of each request, one at a time, by a client that costs little compared with the service. */
async function timed({ port }: Server, paths: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  await drive(port, paths.slice(0, REQUESTS / 3), undefined, undefined, 1);
  await drive(port, paths, undefined, (milliseconds) => times.push(milliseconds), 1);
  return times;
}
