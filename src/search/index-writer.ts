/** The writing of the search index: filling it from all records, and following the change log. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { BoundedMap } from "../base/bounded-map.js";
import { ENDPOINTS, type EndpointName } from "../model/tables/endpoints.js";
import { textHash } from "../rdf/text-hash.js";
import { changeMark } from "../store/change-mark.js";
import { RecordDamagedError } from "../store/errors.js";
import type { DescribedRecord, Snapshot } from "../store/snapshots.js";
import type { StoreWith } from "../store/store.js";
import { languageOfLabel, sortForm } from "./label-order.js";
import { isShowing, notePictures, PICTURED, TO_NOTHING } from "./pictures.js";
import { LICENCE } from "./properties.js";
import { type Saying, sayingIn, textOf } from "./record-text.js";
import { COLUMN_NAMES, EDITION, INDEXES, REMOVAL, TABLES } from "./schema.js";
import { isSpelt, pairsOf } from "./spelling.js";
import type { Sqlite } from "./sqlite.js";
import { type NumberedTarget, targetBytes, targetsIn } from "./targets.js";

/** The store whose records are indexed. */
export type IndexedStore = StoreWith<"changes" | "snapshots">;

/** Records between two turns of others, and changes that are read at once. */
const AT_ONCE = 500;
/** More changes than this share of the records are not followed: all is built anew, which is faster. */
const FOLLOWED_SHARE = 0.5;
const ALWAYS_FOLLOWED = 2_000;
/** IRIs and names that are remembered while records are indexed. */
const REMEMBERED = 300_000;
/** The columns whose words may be what is meant by a slip. */
const SPELT = (["names", "makers", "kinds", "materials", "places"] as const).map((name) => COLUMN_NAMES.indexOf(name));
/** Characters of a label by which records are in order. */
const SORTED_BY = 16;

/** The number of an endpoint in the index; 0 stands for none. */
export function endpointNumber(endpoint: EndpointName | "none" | null): number {
  return 1 + ENDPOINTS.findIndex(({ name }) => name === endpoint);
}

/** Which state of the store an index has; `undefined` where it has none. */
export function indexedSequence(sqlite: Sqlite): number | undefined {
  const isThere = sqlite.row("SELECT 1 FROM sqlite_master WHERE name = 'fact'") !== undefined;
  const [edition, sequence] = (isThere && sqlite.row<[number, number]>("SELECT edition, sequence FROM fact")) || [];
  return edition === EDITION ? sequence : undefined;
}

export interface Writing {
  /** Whatever the index has is built once more. */
  readonly isAnew?: boolean;
  /** Aborted, the index stays as it is. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Bring an index to the present state of a store, in one transaction. Resolves to whether anything was done. Throws what SQLite does,
 * and the signal's reason.
 */
export async function bringUpToDate(
  sqlite: Sqlite,
  store: IndexedStore,
  { isAnew = false, signal }: Writing = {},
): Promise<boolean> {
  sqlite.exec("BEGIN IMMEDIATE");
  const snapshot = store.snapshots.take();
  try {
    const before = isAnew ? undefined : indexedSequence(sqlite);
    const isOfStore = before !== undefined && (await changeMark(store, before)) === markIn(sqlite);
    if (isOfStore && before === snapshot.sequence) {
      sqlite.exec("ROLLBACK");
      return false;
    }
    const { records } = await store.stats();
    const most = Math.max(ALWAYS_FOLLOWED, records * FOLLOWED_SHARE);
    const writer = new IndexWriter(sqlite, snapshot, signal);
    if (isOfStore && snapshot.sequence - before <= most) await writer.follow(store, before);
    else await writer.fill();
    const mark = (await changeMark(store, snapshot.sequence)) ?? "";
    sqlite.exec("DELETE FROM fact");
    sqlite.run("INSERT INTO fact VALUES (?, ?, ?)", EDITION, snapshot.sequence, mark);
    sqlite.exec("COMMIT");
    // The log is as large as what was written, and is not needed any more.
    sqlite.rows("PRAGMA wal_checkpoint(TRUNCATE)");
    return true;
  } catch (error) {
    try {
      sqlite.exec("ROLLBACK");
    } catch {
      // SQLite has ended the transaction itself.
    }
    throw error;
  } finally {
    snapshot.close();
  }
}

function markIn(sqlite: Sqlite): string | undefined {
  return sqlite.row<[string]>("SELECT mark FROM fact")?.[0];
}

class IndexWriter {
  readonly #ids = new BoundedMap<string, number>(REMEMBERED);
  readonly #sayings = new BoundedMap<string, Saying>(REMEMBERED);
  /** Words that may be what is meant by a slip. */
  readonly #words = new Set<string>();
  /** How many more records refer to an entity than before. */
  readonly #referrers = new Map<number, number>();
  /** Records that refer to pictures, and works of which a file says otherwise that it shows them. */
  readonly #showing = new Set<number>();
  readonly #shown = new Set<number>();
  /** New entities, while the index is filled: it has no index to look them up by. */
  #created: Map<string, number> | undefined;
  #isFilling = false;
  #last = 0;
  #done = 0;

  constructor(
    readonly sqlite: Sqlite,
    readonly snapshot: Snapshot,
    readonly signal: AbortSignal | undefined,
  ) {}

  /** All records, into new tables. */
  async fill(): Promise<void> {
    const { sqlite } = this;
    sqlite.exec(REMOVAL + TABLES);
    sqlite.exec(UNSORTED);
    this.#created = new Map();
    this.#isFilling = true;
    for (const record of this.snapshot.records(() => {})) {
      this.#put(record);
      await this.#turn();
    }
    this.#putPairs(INTO_UNSORTED.pair);
    // In the order of the table they are written twice as fast.
    sqlite.exec(SORTING);
    sqlite.exec(INDEXES);
    notePictures(sqlite, this.#showing, this.#shown);
    await this.#countReferrers();
    sqlite.exec("INSERT INTO word (word) VALUES ('optimize')");
  }

  /** What changed after a sequence number, and what refers to a record that is called otherwise since. */
  async follow(store: IndexedStore, sequence: number): Promise<void> {
    this.#last = this.sqlite.row<[number]>("SELECT coalesce(max(id), 0) FROM entity")![0];
    const changed = new Set<string>();
    for (let after = sequence; after < this.snapshot.sequence; after += AT_ONCE) {
      const limit = Math.min(AT_ONCE, this.snapshot.sequence - after);
      for (const { iri } of await store.changes.page({ after, limit })) changed.add(iri);
    }
    const referring = new Set<number>();
    for (const iri of changed) {
      const known = this.#known(iri);
      const before = known === undefined ? null : this.#take(known);
      const record = this.#record(iri);
      const after = record === undefined ? null : this.#put(record);
      if (known !== undefined && before !== after) {
        for (const [id] of this.sqlite.rows<[number]>(
          "SELECT entity FROM reference WHERE target = ? AND property <> 127",
          known,
        ))
          referring.add(id);
      }
      await this.#turn();
    }
    for (const id of referring) {
      const iri = this.sqlite.row<[string]>("SELECT iri FROM entity WHERE id = ?", id)![0];
      if (changed.has(iri)) continue;
      this.#take(id);
      const record = this.#record(iri);
      if (record !== undefined) this.#put(record);
      await this.#turn();
    }
    this.#putPairs(INTO_TABLES.pair);
    notePictures(this.sqlite, this.#showing, this.#shown);
    await this.#countReferrers();
  }

  #putPairs(insert: string): void {
    for (const word of this.#words) {
      const [first, ...others] = pairsOf(word);
      const isThere = "SELECT 1 FROM pair WHERE letters = ? AND term = ?";
      if (!this.#isFilling && this.sqlite.row(isThere, first!, word) !== undefined) continue;
      for (const pair of [first!, ...others]) this.sqlite.run(insert, pair, word);
    }
  }

  /** Index a record; its names and licences. */
  #put(record: DescribedRecord): string {
    const { sqlite } = this;
    const { graph, endpoint, label, modified } = record;
    const text = textOf(record, (iri) => this.#sayingOf(iri));
    const { names, columns, told, begins, ends, shows, isPictured, number } = text;
    const id = this.#known(graph.iri) ?? this.#numbered(graph.iri);
    const sort = sortForm(label, () => languageOfLabel(graph, label)).slice(0, SORTED_BY);
    const into = this.#isFilling ? INTO_UNSORTED : INTO_TABLES;
    const targets = text.targets.map(({ iri, property }) => ({ target: this.#idOf(iri), property }));
    for (const { target, property } of targets) sqlite.run(into.reference, target, property, sort, id);
    // A new index is told of every work that is shown.
    if (!this.#isFilling || targets.some(({ property }) => isShowing(property))) this.#showing.add(id);
    this.#countTargets(id, targets, 1);
    for (const work of shows.map((iri) => this.#idOf(iri))) {
      sqlite.run(into.told, TO_NOTHING, PICTURED, work, id);
      this.#shown.add(work);
    }
    for (const { iri, role, subject } of told) sqlite.run(into.told, this.#idOf(iri), role, this.#idOf(subject!), id);
    const lines = names.join("\n");
    const row = [id, hashOf(graph.iri), graph.iri, endpointNumber(endpoint), sort, lines, targetBytes(targets)];
    sqlite.run(PUT_ENTITY, ...row, begins, ends, Number(isPictured), Math.floor(modified / 1_000), number);
    for (const name of names) sqlite.run(into.name, Number(name[0]), name.slice(1), id);
    sqlite.run(INSERT_WORDS, id, ...columns);
    for (const at of SPELT) for (const word of columns[at]!.split(" ")) if (isSpelt(word)) this.#words.add(word);
    return saidBy(lines, targets);
  }

  /** Take a record out; the names and licences that it had, `null` where there was none. */
  #take(id: number): string | null {
    const { sqlite } = this;
    const row = sqlite.row<[string | null, Buffer | null, string]>(
      "SELECT names, targets, sort FROM entity WHERE id = ?",
      id,
    );
    const [names = null, targets = null, sort = ""] = row ?? [];
    if (names === null || targets === null) return null;
    const referred = [...targetsIn(targets)];
    for (const { target, property } of referred) {
      sqlite.run(
        "DELETE FROM reference WHERE target = ? AND property = ? AND sort = ? AND entity = ?",
        target,
        property,
        sort,
        id,
      );
    }
    this.#countTargets(id, referred, -1);
    const shown = sqlite.rows<[number]>("SELECT subject FROM told WHERE entity = ? AND role = ?", id, PICTURED);
    for (const [work] of shown) this.#shown.add(work);
    sqlite.run("DELETE FROM told WHERE entity = ?", id);
    for (const name of names === "" ? [] : names.split("\n"))
      sqlite.run("DELETE FROM name WHERE kind = ? AND form = ? AND entity = ?", Number(name[0]), name.slice(1), id);
    sqlite.run("DELETE FROM word WHERE rowid = ?", id);
    sqlite.run(
      `UPDATE entity SET endpoint = NULL, sort = '', names = NULL, targets = NULL, begins = NULL, ends = NULL,
picture = NULL, changed = NULL, number = NULL WHERE id = ?`,
      id,
    );
    return saidBy(names, referred);
  }

  /** A record that cannot be read is found by nothing. */
  #record(iri: string): DescribedRecord | undefined {
    try {
      return this.snapshot.record(iri);
    } catch (error) {
      if (error instanceof RecordDamagedError) return undefined;
      throw error;
    }
  }

  #sayingOf(iri: string): Saying {
    const known = this.#sayings.get(iri);
    if (known !== undefined) return known;
    const record = this.#record(iri);
    return this.#sayings.put(iri, record === undefined ? SILENCE : sayingIn(record));
  }

  #idOf(iri: string): number {
    const known = this.#known(iri);
    if (known !== undefined) return known;
    const id = this.#numbered(iri);
    this.sqlite.run("INSERT INTO entity (id, hash, iri) VALUES (?, ?, ?)", id, hashOf(iri), iri);
    return id;
  }

  /** A number for an entity that had none. */
  #numbered(iri: string): number {
    const id = ++this.#last;
    this.#created?.set(iri, id);
    return this.#ids.put(iri, id);
  }

  #known(iri: string): number | undefined {
    if (this.#created !== undefined) return this.#created.get(iri);
    const known = this.#ids.get(iri);
    if (known !== undefined) return known;
    const id = entityOf(this.sqlite, iri);
    return id === undefined ? undefined : this.#ids.put(iri, id);
  }

  /** One more, or one less, refers to what an entity refers to. */
  #countTargets(id: number, targets: readonly NumberedTarget[], by: 1 | -1): void {
    for (const target of new Set(targets.map((each) => each.target)))
      if (target !== id) this.#referrers.set(target, (this.#referrers.get(target) ?? 0) + by);
  }

  /** Let others have their turn, now and then. */
  async #turn(): Promise<void> {
    if (++this.#done % AT_ONCE !== 0) return;
    await nextTurn();
    this.signal?.throwIfAborted();
  }

  async #countReferrers(): Promise<void> {
    for (const [id, by] of this.#referrers) {
      if (by !== 0) this.sqlite.run("UPDATE entity SET referrers = referrers + ? WHERE id = ?", by, id);
      await this.#turn();
    }
  }
}

const EMPTYING = ["name", "reference", "told", "pair"].map((table) => `DELETE FROM unsorted_${table};`).join(" ");
const UNSORTED = `CREATE TEMP TABLE IF NOT EXISTS unsorted_name (kind, form, entity);
CREATE TEMP TABLE IF NOT EXISTS unsorted_reference (target, property, sort, entity);
CREATE TEMP TABLE IF NOT EXISTS unsorted_told (target, role, subject, entity);
CREATE TEMP TABLE IF NOT EXISTS unsorted_pair (letters, term);
${EMPTYING}`;
const SORTING = `INSERT INTO name SELECT * FROM unsorted_name ORDER BY 1, 2, 3;
INSERT INTO reference SELECT * FROM unsorted_reference ORDER BY 1, 2, 3, 4;
INSERT INTO told SELECT * FROM unsorted_told ORDER BY 1, 2, 3, 4;
INSERT INTO pair SELECT * FROM unsorted_pair ORDER BY 1, 2;
${EMPTYING}`;
const INTO_UNSORTED = {
  name: "INSERT INTO unsorted_name VALUES (?, ?, ?)",
  reference: "INSERT INTO unsorted_reference VALUES (?, ?, ?, ?)",
  told: "INSERT INTO unsorted_told VALUES (?, ?, ?, ?)",
  pair: "INSERT INTO unsorted_pair VALUES (?, ?)",
};
const INTO_TABLES = {
  name: "INSERT OR IGNORE INTO name VALUES (?, ?, ?)",
  reference: "INSERT OR IGNORE INTO reference VALUES (?, ?, ?, ?)",
  told: "INSERT OR IGNORE INTO told VALUES (?, ?, ?, ?)",
  pair: "INSERT OR IGNORE INTO pair VALUES (?, ?)",
};
const PUT_ENTITY = `INSERT INTO entity (
  id, hash, iri, endpoint, sort, names, targets, begins, ends, picture, changed, number
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET endpoint = excluded.endpoint,
sort = excluded.sort, names = excluded.names, targets = excluded.targets, begins = excluded.begins,
ends = excluded.ends, picture = excluded.picture, changed = excluded.changed, number = excluded.number`;
const SILENCE: Saying = { names: "", licences: [] };
const INSERT_WORDS = `INSERT INTO word (rowid, ${COLUMN_NAMES.join(", ")}) VALUES (?${", ?".repeat(COLUMN_NAMES.length)})`;

/** What others have to know of a record: its names, and its licences. */
function saidBy(names: string, targets: readonly NumberedTarget[]): string {
  const licences = targets.filter(({ property }) => property === LICENCE).map(({ target }) => target);
  return `${names}\n${licences.join()}`;
}

/** The number of what an IRI names in the index. */
export function entityOf(sqlite: Sqlite, iri: string): number | undefined {
  return sqlite.row<[number]>("SELECT id FROM entity WHERE hash = ? AND iri = ?", hashOf(iri), iri)?.[0];
}

function hashOf(iri: string): number {
  const { a, b } = textHash(iri);
  return a * 0x10000 + (b & 0xffff);
}
