/** The cost of the search index by the size of the collection: filling it beside a bare full-text index, its bytes, and each kind of question. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { ENDPOINT_NAMES } from "../src/model/tables/names.js";
import { iriOfId } from "../src/search/iris.js";
import { openSearched, openSearchedForLoading, rebuildSearch } from "../src/search/open.js";
import { COLUMN_NAMES, SEARCH_FILE } from "../src/search/schema.js";
import { removeSqlite, Sqlite } from "../src/search/sqlite.js";
import { Texts } from "../src/search/texts.js";
import { openStore } from "../src/store/open.js";
import { FACETS, type SearchQuery } from "../src/store/search.js";
import { documentLines } from "./documents.js";
import { fixed, median, percentile, report } from "./figures.js";
import { ScaledStore, spread } from "./scale.js";

const SIZES = [20_000, 238_573];
/** Questions of each kind, all different. */
const QUESTIONS = 100;
const PAGE = 50;
/** Records whose texts are read at once. */
const CHUNK = 500;
const SUGGESTED = 10;
/** Values of each facet on a page, and changes after each of which facets are asked for. */
const VALUES = 20;
const CHANGES = 10;
/** The number of most frequent words that are asked for. */
const FREQUENT = 20;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** The columns that questions take their words from. */
const ASKED = ["names", "makers", "materials", "dates"] as const;

/**
 * Measures the search index. `FIND_FOLDER` keeps the stores for another run; `FIND_SIZES=1000000` sets other numbers of records, which are copies of the volume under other IRIs.
 * @param parts what is measured: `filling`, `questions`
 */
export async function measureIndex(folder: string, parts: readonly string[]): Promise<void> {
  if (!parts.includes("filling") && !parts.includes("questions")) return;
  const documents: string[] = [];
  for await (const line of documentLines()) if (line !== "") documents.push(line);
  for (const size of process.env.FIND_SIZES?.split(",").map(Number) ?? SIZES) {
    const scaled = new ScaledStore(join(process.env.FIND_FOLDER ?? folder, String(size)), spread(documents));
    await scaled.load(size);
    if (parts.includes("filling")) await filling(scaled.store);
    if (parts.includes("questions")) {
      await questions(scaled.store);
      await facetsAfterChanges(scaled.store);
    }
  }
}

/** Measures filling the index, beside a bare full-text index of the same texts, which is the least that finding words costs. */
async function filling(directory: string): Promise<void> {
  const store = await openStore({ directory });
  const snapshot = store.snapshots.take();
  const { records } = await store.stats();
  const floor = join(directory, "floor.sqlite");
  removeSqlite(floor);
  const sqlite = new Sqlite(floor);
  const columns = COLUMN_NAMES.join(", ");
  sqlite.exec(`CREATE VIRTUAL TABLE word USING fts5 (${columns}, content = '', contentless_delete = 1); BEGIN`);
  const insert = `INSERT INTO word (${columns}) VALUES (${COLUMN_NAMES.map(() => "?").join(", ")})`;
  let alone = 0;
  const texts = new Texts(snapshot);
  for (const chunk of snapshot.chunks(CHUNK)) {
    const batch = texts.in(chunk);
    const inserted = await spent(() => {
      for (const { columns: words } of batch) sqlite.run(insert, ...words);
    });
    alone += inserted.processor;
  }
  alone += (await spent(() => sqlite.exec("COMMIT"))).processor;
  sqlite.rows("PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite.close();
  const floorBytes = statSync(floor).size;
  removeSqlite(floor);
  snapshot.close();
  await store.close();
  removeSqlite(join(directory, SEARCH_FILE));
  const { processor, wall } = await spent(() => rebuildSearch({ directory }));
  const { size } = statSync(join(directory, SEARCH_FILE));
  report(`\nThe search index of ${records.toLocaleString("en")} records`);
  report(
    `  filled in ${fixed(processor)} s of processor time, ${fixed(wall)} s on the clock; words alone ${fixed(alone)} s`,
  );
  report(`  ${fixed(size / records)} bytes a record; words alone ${fixed(floorBytes / records)}`);
}

/** Measures questions to the index in this process, one at a time, in milliseconds of processor time. */
async function questions(directory: string): Promise<void> {
  await using store = await openSearched({ directory });
  const { records } = await store.stats();
  report(`\nQuestions to ${records.toLocaleString("en")} records`);
  const texts = await someTexts(directory);
  const frequent = frequentWords(texts);
  const page = (query: SearchQuery): Promise<unknown> => store.search.find(query, { limit: PAGE });
  const suggested = (name: string): Promise<unknown> => store.search.find({ name }, { limit: SUGGESTED });
  // Answers are cached by question, so each asks for another number of values.
  let limit = 20;
  const facets = (query: SearchQuery): Promise<unknown> => store.search.facets(query, FACETS, limit++ % 200);
  const kinds: readonly (readonly [kind: string, ask: (words: readonly string[], at: number) => Promise<unknown>])[] = [
    ...[1, 2, 3, 4, 5].map(
      (count) => [`words: ${count}`, (words: readonly string[]) => page({ text: some(words, count) })] as const,
    ),
    ["a frequent word", (_, at) => page({ text: frequent[at % frequent.length]! })],
    [
      "two frequent words",
      (_, at) => page({ text: `${frequent[at % frequent.length]} ${frequent[(at + 1) % frequent.length]}` }),
    ],
    ["one letter", (_, at) => page({ text: LETTERS[at % LETTERS.length]! })],
    ...[1, 2, 3, 5, 8].map(
      (letters) =>
        [
          `suggestions, letters typed: ${letters}`,
          (words: readonly string[]) => suggested(words.join(" ").slice(0, letters)),
        ] as const,
    ),
    ["a misspelt word", (words) => page({ text: misspeltIn(words) })],
    ["words of two records", (words, at) => page({ text: `${some(words, 2)} ${some(texts.at(at - 1)!, 2)}` })],
    ...[1, 3].map(
      (count) =>
        [`facets of words: ${count}`, (words: readonly string[]) => facets({ text: some(words, count) })] as const,
    ),
    ["facets of a frequent word", (_, at) => facets({ text: frequent[at % frequent.length]! })],
    ["facets of an endpoint", () => facets({ endpoint: "object" })],
    ["facets of everything", () => facets({})],
  ];
  for (const [kind, ask] of kinds) {
    const times: number[] = [];
    // Answers are cached, so nothing is asked twice.
    const asked = /one letter|frequent/.test(kind) ? texts.slice(0, FREQUENT) : texts;
    for (const [at, words] of asked.entries()) times.push((await spent(() => ask(words, at))).processor * 1_000);
    report(`  ${kind}: ${median(times).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)}`);
  }
}

/** Measures facets of everything and of each endpoint, each time right after one of its records has changed. */
async function facetsAfterChanges(directory: string): Promise<void> {
  await using store = await openSearchedForLoading({ directory });
  for (const endpoint of [undefined, ...ENDPOINT_NAMES]) {
    const query = endpoint === undefined ? {} : { endpoint };
    const { items, total } = await store.search.find(query, { limit: CHANGES });
    const times: number[] = [];
    for (const { iri } of items) {
      const { meta, graph } = await (await store.find(iri))!.record();
      const label = meta.label.endsWith(" ") ? meta.label.trimEnd() : `${meta.label} `;
      const stage = await store.stage();
      await stage.put({ ...meta, graph, label });
      await stage.publish();
      times.push((await spent(() => store.search.facets(query, FACETS, VALUES))).processor * 1_000);
    }
    if (times.length === 0) continue;
    const of = `${endpoint ?? "everything"} (${total!.toLocaleString("en")} records)`;
    report(
      `  facets of ${of}, right after a change: ${median(times).toFixed(1)} ms, at most ${Math.max(...times).toFixed(1)}`,
    );
  }
}

/** Words from the names, makers, materials and years of records all over a collection. */
async function someTexts(directory: string): Promise<readonly (readonly string[])[]> {
  await using store = await openStore({ directory });
  const snapshot = store.snapshots.take();
  const sqlite = new Sqlite(join(directory, SEARCH_FILE));
  const [last] = sqlite.row<[number]>("SELECT max(id) FROM entity")!;
  const texts = new Texts(snapshot);
  const found = Array.from({ length: QUESTIONS }, (_, at) => {
    const [id] = sqlite.row<[number]>(
      "SELECT id FROM entity WHERE id >= ? LIMIT 1",
      Math.floor((at * last) / QUESTIONS),
    )!;
    const { columns } = texts.of(iriOfId(sqlite, id))!;
    const of = ASKED.map((name) => columns[COLUMN_NAMES.indexOf(name)]).join(" ");
    return of.split(" ").filter((word) => /^[\p{L}\p{N}]./u.test(word));
  });
  sqlite.close();
  snapshot.close();
  return found.filter((words) => words.length > 0);
}

/** As many words, from all over a text. */
function some(words: readonly string[], count: number): string {
  const step = words.length / Math.min(count, words.length);
  return Array.from({ length: Math.min(count, words.length) }, (_, at) => words[Math.floor(at * step)]).join(" ");
}

/** The words that most texts have. */
function frequentWords(texts: readonly (readonly string[])[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const words of texts) for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, FREQUENT)
    .map(([word]) => word);
}

/** The longest word with two letters transposed. */
function misspeltIn(words: readonly string[]): string {
  const word = [...words].sort((a, b) => b.length - a.length)[0]!;
  return word.slice(0, 2) + word.slice(3, 4) + word.slice(2, 3) + word.slice(4);
}

/** The seconds that some work takes: processor time of all threads, and on the clock. */
async function spent(work: () => unknown): Promise<{ readonly processor: number; readonly wall: number }> {
  const [before, start] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { processor: (user + system) / 1e6, wall: (performance.now() - start) / 1e3 };
}
