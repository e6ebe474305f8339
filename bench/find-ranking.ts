/** The ranking of hits: how often the record that is looked for comes first, beside plain BM25 over the same texts. */

import { searchForm, wordsOf } from "../src/search/forms.js";
import { openSearched } from "../src/search/open.js";
import { COLUMN_NAMES, COLUMNS } from "../src/search/schema.js";
import { Sqlite } from "../src/search/sqlite.js";
import { Texts } from "../src/search/texts.js";
import { inFolder } from "./dereference.js";
import { report } from "./figures.js";
import { PAIRS } from "./find-pairs.js";
import { loadInputs } from "./servers.js";

/** Without the official examples, which describe the same few works many times, so that no single record is the right answer. */
const INPUTS = ["data/records", "../shared/corpus/museums.jsonl"];
/** Hits in which the record is looked for. */
const LOOKED_AT = 50;

export async function benchFindRanking(): Promise<void> {
  await inFolder(async (folder) => {
    const { store: directory } = await loadInputs(folder, INPUTS);
    await using store = await openSearched({ directory });
    const snapshot = store.snapshots.take();
    const records = new Texts(snapshot).in();
    snapshot.close();
    const plain = plainIndex(records.map(({ columns }) => columns));
    const rankings: readonly (readonly [name: string, find: (query: string) => Promise<readonly string[]>])[] = [
      ["search", async (text) => (await store.search.find({ text }, { limit: LOOKED_AT })).items.map(({ iri }) => iri)],
      ["BM25, columns weighed", async (text) => plain(text, true).map((at) => records[at]!.iri)],
      ["BM25 alone", async (text) => plain(text, false).map((at) => records[at]!.iri)],
    ];
    report(
      `\n${PAIRS.length} questions to ${records.length.toLocaleString("en")} records: the rank of the record that is meant`,
    );
    const places = new Map<string, number[]>();
    for (const [name, find] of rankings) {
      const found = await Promise.all(
        PAIRS.map(async ([query, end]) => 1 + (await find(query)).findIndex((iri) => iri.endsWith(end))),
      );
      places.set(name, found);
      const mean = found.reduce((sum, place) => sum + (place === 0 ? 0 : 1 / place), 0) / found.length;
      const first = found.filter((place) => place === 1).length;
      const missed = found.filter((place) => place === 0).length;
      report(`  ${name}: mean reciprocal rank ${mean.toFixed(3)}, first ${first}, not among ${LOOKED_AT} ${missed}`);
    }
    for (const [at, [query, end]] of PAIRS.entries()) {
      const [here, weighed, alone] = [...places.values()].map((found) => found[at]!) as [number, number, number];
      if (here !== 1) report(`    ${query} (${end}): ${here || "none"}; BM25 ${weighed || "none"}, ${alone || "none"}`);
    }
  });
}

/** Makes a search for the numbers of texts with all words of a query, of which the last may be incomplete, sorted by BM25. */
function plainIndex(texts: readonly (readonly string[])[]): (query: string, isWeighed: boolean) => number[] {
  const sqlite = new Sqlite(":memory:");
  const columns = COLUMN_NAMES.join(", ");
  sqlite.exec(`CREATE VIRTUAL TABLE word USING fts5 (${columns}, tokenize = "unicode61 remove_diacritics 0")`);
  const insert = `INSERT INTO word (rowid, ${columns}) VALUES (?, ${COLUMN_NAMES.map(() => "?").join(", ")})`;
  for (const [at, text] of texts.entries()) sqlite.run(insert, at, ...text);
  return (query, isWeighed) => {
    const weights = isWeighed ? `, ${Object.values(COLUMNS).join(", ")}` : "";
    const words = wordsOf(searchForm(query)).map((word) => `"${word}"`);
    const sql = `SELECT rowid FROM word WHERE word MATCH ? ORDER BY bm25(word${weights}) LIMIT ${LOOKED_AT}`;
    return sqlite.rows<[number]>(sql, `${words.join(" AND ")} *`).flat();
  };
}
