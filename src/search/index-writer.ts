/** The writer of the search index: it fills an index with all records, or follows the change log. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { remembering } from "../base/bounded-map.js";
import { entryOf } from "../base/entries.js";
import { builtModule } from "../base/package-files.js";
import { WorkerClient } from "../base/worker-client.js";
import { endpointNumber } from "../model/tables/names.js";
import { changeMark } from "../store/changes.js";
import type { Snapshot } from "../store/snapshots.js";
import type { StoreWith } from "../store/store.js";
import { type CountedRow, FacetTally } from "./facets.js";
import { Iris, iriOfId } from "./iris.js";
import { knownSums, writeSums } from "./page-sums.js";
import { allShown, notePictures, PICTURED, TO_NOTHING } from "./pictures.js";
import { CLASS } from "./properties.js";
import { COLUMN_NAMES, EDITION, INDEXES, indexStateOf, type NumberedTarget, sortOfReferrer, TABLES } from "./schema.js";
import { packedWords, pairsOf, unpackedWords } from "./spelling.js";
import { Rows, type Sqlite, type Waiting } from "./sqlite.js";
import { type IndexedRecord, Texts } from "./texts.js";
import type { TextTasks } from "./texts-thread.js";

export type IndexedStore = StoreWith<"changes" | "snapshots">;

/** The number of records between two turns of the event loop and in a chunk, and of changes that are read at once. */
const AT_ONCE = 500;
/** After this many records, the counts of facets in memory are written. */
const TALLIED_AT_ONCE = 1_000_000;
/** With more changes than this share of the records, the index is built anew, which is faster than following them. */
const FOLLOWED_SHARE = 0.5;
const ALWAYS_FOLLOWED = 2_000;
/** With fewer records, no thread is started: starting one takes as long as reading them. */
const READ_IN_THREAD = 2_000;
/** With more records, the rows of tables are sorted in temporary files: those of a million take 0.4 GiB. */
const SORTED_IN_MEMORY = 2_000_000;
/** Threads that read records, and chunks that each keeps ready. Two threads and the writer, which waits for them, keep two cores busy. */
const READERS = 2;
const READY = 3;

export interface Writing extends Waiting {
  /** Whether the index is built anew, even if it could follow. */
  readonly isAnew?: boolean;
  /** Milliseconds to wait after each batch of pages while checksums are checked. Default: all are checked at once. */
  readonly pause?: number | undefined;
  /** Whether an index that lacks no changes may have its pages checked afterwards, while only searches wait. */
  readonly checksLater?: boolean;
  /** Called from time to time with the share of the records that is written. */
  readonly onWritten?: ((share: number) => void) | undefined;
}

/** Bring an index to the present state of a store, in one transaction. Throws SQLite's errors and the signal's reason. */
export async function bringUpToDate(
  sqlite: Sqlite,
  store: IndexedStore,
  directory: string,
  writing: Writing = {},
): Promise<void> {
  const { records } = await store.stats();
  if (records > SORTED_IN_MEMORY) sqlite.exec("PRAGMA temp_store = FILE");
  sqlite.exec("BEGIN IMMEDIATE");
  try {
    using snapshot = store.snapshots.take();
    const { sequence } = snapshot.stats;
    const before = writing.isAnew === true ? undefined : indexStateOf(sqlite);
    const isOfStore = before !== undefined && (await changeMark(store, before.sequence)) === before.mark;
    if (isOfStore && before.sequence === sequence) return;
    const follows = isOfStore && sequence - before.sequence <= Math.max(ALWAYS_FOLLOWED, records * FOLLOWED_SHARE);
    const writer = new IndexWriter(sqlite, snapshot, writing, !follows);
    const batches = () => (records < READ_IN_THREAD ? [new Texts(snapshot).in()] : readInThreads(snapshot, directory));
    await (follows ? writer.follow(store, before.sequence) : writer.fill(batches(), records));
    const mark = (await changeMark(store, sequence)) ?? "";
    const sums = follows ? knownSums(sqlite, before.state) : undefined;
    const state = Math.random();
    const filling = follows ? before.filling : state;
    sqlite.exec("DELETE FROM fact");
    sqlite.run("INSERT INTO fact VALUES (?, ?, ?, ?, ?)", EDITION, sequence, mark, state, filling);
    sqlite.exec("COMMIT");
    writeSums(sqlite, state, sums);
    // The log is as large as all that was written, and no longer needed.
    sqlite.rows("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    sqlite.rollBack();
  }
}

type Batch = readonly IndexedRecord[];

/** All records, read in threads. They may include changes made after the snapshot: these are applied again when the index follows the log. */
async function* readInThreads(snapshot: Snapshot, directory: string): AsyncIterable<Batch> {
  const name = "a thread that reads records for the search index";
  const settings = { name, module: builtModule("search/texts-thread.js"), data: directory };
  const readers = Array.from({ length: READERS }, () => new WorkerClient<TextTasks>(settings));
  const ready: Promise<string>[] = [];
  const next = async () => JSON.parse((await ready.shift())!) as Batch;
  await using _ = { [Symbol.asyncDispose]: async () => void (await Promise.all(readers.map((each) => each.close()))) };
  let turn = 0;
  for (const chunk of snapshot.chunks(AT_ONCE)) {
    ready.push(readers[turn++ % READERS]!.ask("read", chunk));
    if (ready.length === READERS * READY) yield await next();
  }
  while (ready.length > 0) yield await next();
}

class IndexWriter {
  readonly #iris: Iris;
  readonly #texts: Texts;
  /** Words that a misspelling may be corrected to. */
  readonly #words = new Set<string>();
  /** By entity, how many more records refer to it than before. While the index is filled, it is an array for the records, which have the first numbers. */
  #referrers: Map<number, number> | Int32Array = new Map();
  /** While the log is followed: works whose Digital Objects changed. */
  readonly #shown = new Set<number>();
  /** While the log is followed: records that are new or were written again. All their referrers are counted, and their own references may give them a picture. */
  readonly #written = new Set<number>();
  readonly #rows: Readonly<Record<Written, Rows>>;
  readonly #tally: FacetTally;
  /** The numbers of records to write, and of those written. */
  #all = 0;
  #done = 0;

  constructor(
    readonly sqlite: Sqlite,
    readonly snapshot: Snapshot,
    private readonly writing: Writing,
    private readonly isFilling: boolean,
  ) {
    this.#texts = new Texts(snapshot);
    if (isFilling) sqlite.exec(TABLES + UNSORTED + UNMERGED);
    this.#iris = new Iris(sqlite, isFilling);
    this.#tally = new FacetTally(sqlite);
    const rowsOf = WRITTEN.map((table) => {
      const isUnsorted = isFilling && table in SORTED;
      const ofTable = `INSERT OR IGNORE INTO ${isUnsorted ? "unsorted_" : ""}${table}`;
      // A record whose earlier words are still there is an error.
      const insert = table === "word" ? `INSERT INTO word (rowid, ${COLUMN_NAMES.join(", ")})` : ofTable;
      return [table, new Rows(sqlite, insert)];
    });
    this.#rows = Object.fromEntries(rowsOf) as Record<Written, Rows>;
  }

  async fill(batches: Iterable<Batch> | AsyncIterable<Batch>, records: number): Promise<void> {
    const { sqlite } = this;
    this.#all = records;
    // Records get the first numbers, in their order: rows that are written in the order of numbers need no sorting or merging.
    for (const iri of this.snapshot.iris()) this.#iris.idOf(iri);
    this.#referrers = new Int32Array(1 + this.#iris.last);
    for await (const batch of batches) {
      for (const record of batch) {
        this.#put(record);
        await this.#turn();
        if (this.#done % TALLIED_AT_ONCE === 0) this.#tally.flush();
      }
    }
    this.#flush();
    // Merging the words frees pages, which the other tables then use.
    sqlite.exec(MERGING);
    // In the order of their table, rows are written twice as fast.
    sqlite.exec(SORTING + INDEXES);
    await this.#finish();
  }

  /** Index the changes after a sequence number, and the referrers of records whose `referred` changed. */
  async follow(store: IndexedStore, sequence: number): Promise<void> {
    const changed = new Set<string>();
    for (let after = sequence; after < this.snapshot.stats.sequence; after += AT_ONCE) {
      const limit = Math.min(AT_ONCE, this.snapshot.stats.sequence - after);
      for (const { iri } of await store.changes.page({ after, limit })) changed.add(iri);
    }
    this.#all = changed.size;
    const referring = new Set<number>();
    for (const iri of changed) {
      const known = this.#iris.known(iri);
      const isOther = await this.#replace(iri, known);
      if (known !== undefined && isOther)
        for (const [id] of this.sqlite.rows<[number]>(REFERRING, known)) referring.add(id);
    }
    this.#flush();
    this.#all += referring.size;
    for (const id of referring) {
      const iri = iriOfId(this.sqlite, id);
      if (!changed.has(iri)) await this.#replace(iri, id);
    }
    this.#flush();
    await this.#finish();
  }

  /** Index a record again, without its earlier version. Returns whether its `referred` changed. */
  async #replace(iri: string, id: number | undefined): Promise<boolean> {
    const before = id === undefined ? null : this.#take(id);
    const record = this.#texts.of(iri);
    const after = record === undefined ? null : this.#put(record);
    await this.#turn();
    return before !== after;
  }

  #flush(): void {
    this.#iris.flush();
    for (const rows of Object.values(this.#rows)) rows.flush();
  }

  async #finish(): Promise<void> {
    this.#putPairs();
    notePictures(this.#tally, this.#written, this.isFilling ? allShown(this.sqlite) : this.#shown);
    this.#tally.flush();
    await this.#countReferrers();
  }

  #putPairs(): void {
    const wordsWith = remembering(10_000, (letters: string): ReadonlySet<string> => {
      const [packed] = (!this.isFilling && this.sqlite.row<[Buffer]>(WORDS_OF_PAIR, letters)) || [];
      return new Set(packed && unpackedWords(packed));
    });
    const added = new Map<string, string[]>();
    // In order, so that the words of each pair need no more sorting.
    for (const word of [...this.#words].sort()) {
      const pairs = [...pairsOf(word)];
      if (wordsWith(pairs[0]!).has(word)) continue;
      for (const letters of pairs) entryOf(added, letters, () => []).push(word);
    }
    for (const [letters, words] of added) {
      const packed = packedWords([...wordsWith(letters), ...words]);
      this.sqlite.run("INSERT OR REPLACE INTO pair VALUES (?, ?)", letters, packed);
    }
  }

  /** Index a record. Returns its `referred`. */
  #put(record: IndexedRecord): number {
    const { iri, endpoint, sort, modified, names, columns, told, begins, ends, shows, isPictured } = record;
    const id = this.#iris.idOf(iri);
    const rows = this.#rows;
    const targets = record.targets.map((each): NumberedTarget => [each.property, this.#iris.idOf(each.iri)]);
    const sortAmong = sortOfReferrer(sort);
    for (const [property, target] of targets) rows.reference.add(target, property, sortAmong, id);
    this.#countTargets(id, targets, 1);
    for (const work of shows.map((each) => this.#iris.idOf(each))) {
      rows.told.add(TO_NOTHING, PICTURED, work, id);
      if (!this.isFilling) this.#shown.add(work);
    }
    for (const { iri: target, role, subject } of told)
      rows.told.add(this.#iris.idOf(target), role, this.#iris.idOf(subject!), id);
    const counted = [begins, ends, Number(isPictured), Math.floor(modified / 1_000)] as const;
    this.#tally.count([endpointNumber(endpoint), ...counted], targets, 1);
    const row = [id, endpointNumber(endpoint), sort, names.join("\n"), JSON.stringify(targets), ...counted] as const;
    rows.entity.add(...row, record.number, record.referred, 0);
    if (!this.isFilling) this.#written.add(id);
    for (const name of names) rows.name.add(Number(name[0]), name.slice(1), id);
    rows.word.add(id, ...columns);
    for (const word of record.spelt) this.#words.add(word);
    return record.referred;
  }

  /** Remove a record from the index. Returns its `referred`, or `null` if it was not there. */
  #take(id: number): number | null {
    const { sqlite } = this;
    const row = sqlite.row<[string, string, string, number, ...CountedRow]>(TAKEN, id);
    if (row === undefined) return null;
    const [names, written, sort, referred, ...counted] = row;
    const targets = JSON.parse(written) as NumberedTarget[];
    this.#tally.count(counted, targets, -1);
    for (const [property, target] of targets) sqlite.run(UNREFERRED, target, property, sortOfReferrer(sort), id);
    this.#countTargets(id, targets, -1);
    const shown = sqlite.rows<[number]>("SELECT subject FROM told WHERE entity = ? AND role = ?", id, PICTURED);
    for (const [work] of shown) this.#shown.add(work);
    sqlite.run("DELETE FROM told WHERE entity = ?", id);
    for (const name of names === "" ? [] : names.split("\n"))
      sqlite.run("DELETE FROM name WHERE kind = ? AND form = ? AND entity = ?", Number(name[0]), name.slice(1), id);
    sqlite.run("DELETE FROM word WHERE rowid = ?", id);
    sqlite.run("DELETE FROM entity WHERE id = ?", id);
    return referred;
  }

  /** Count one referrer more, or one less, for each target of an entity. */
  #countTargets(id: number, targets: readonly NumberedTarget[], by: 1 | -1): void {
    const counts = this.#referrers;
    for (const target of new Set(targets.map(([, target]) => target))) {
      if (target === id) continue;
      if (counts instanceof Map) counts.set(target, (counts.get(target) ?? 0) + by);
      else if (target < counts.length) counts[target]! += by;
    }
  }

  /** Yield to the event loop after every `AT_ONCE` records. */
  async #turn(): Promise<void> {
    if (++this.#done % AT_ONCE !== 0) return;
    this.writing.onWritten?.(Math.min(1, this.#done / this.#all));
    await nextTurn();
    this.writing.signal?.throwIfAborted();
  }

  async #countReferrers(): Promise<void> {
    let counts: [id: number, by: number][] = [];
    for (const [id, by] of this.#referrers.entries()) {
      if (by === 0 || this.#written.has(id)) continue;
      counts.push([id, by]);
      if (counts.length < AT_ONCE) continue;
      this.sqlite.run(COUNT_MORE, JSON.stringify(counts));
      counts = [];
    }
    this.sqlite.run(COUNT_MORE, JSON.stringify(counts));
    for (const id of this.#written) {
      this.sqlite.run(COUNT_ALL, id);
      await this.#turn();
    }
  }
}

/** The tables that are written many rows at a time. */
const WRITTEN = ["name", "reference", "told", "entity", "word"] as const;
type Written = (typeof WRITTEN)[number];
const SORTED = { name: "1, 2, 3", reference: "1, 2, 3, 4", told: "1, 2, 3, 4" } as const;
const UNSORTED = Object.keys(SORTED)
  .map((table) => `CREATE TEMP TABLE unsorted_${table} AS SELECT * FROM ${table};`)
  .join(" ");
const SORTING = Object.entries(SORTED)
  .map(
    ([table, order]) =>
      `INSERT INTO ${table} SELECT * FROM unsorted_${table} ORDER BY ${order}; DROP TABLE unsorted_${table};`,
  )
  .join(" ");
/** While an index is filled, 16 MiB of words are kept in memory and no segments are merged (FTS5, 6.1); `MERGING` merges all at the end. */
const UNMERGED = "INSERT INTO word (word, rank) VALUES ('hashsize', 16777216), ('automerge', 0);";
const MERGING = `INSERT INTO word (word) VALUES ('optimize');
INSERT INTO word (word, rank) VALUES ('hashsize', 1048576), ('automerge', 4);`;
const COUNT_MORE = `UPDATE entity SET referrers = referrers + (counted.value->>1)
FROM json_each(?) AS counted WHERE entity.id = counted.value->>0`;
const COUNT_ALL = `UPDATE entity SET referrers = (
  SELECT count(DISTINCT r.entity) FROM reference r WHERE r.target = entity.id AND r.entity <> entity.id
) WHERE id = ?`;
/** The entities that refer to a target, other than by their class. */
const REFERRING = `SELECT entity FROM reference WHERE target = ? AND property <> ${CLASS}`;
const UNREFERRED = "DELETE FROM reference WHERE target = ? AND property = ? AND sort = ? AND entity = ?";
const TAKEN =
  "SELECT names, targets, sort, referred, endpoint, begins, ends, picture, changed FROM entity WHERE id = ?";
const WORDS_OF_PAIR = "SELECT words FROM pair WHERE letters = ?";
