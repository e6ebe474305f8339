/** SQLite through npm's libsql: the only module that imports it, so that Node's own `node:sqlite` can replace it. */
import { rmSync, truncateSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import Libsql from "libsql";
import { remembering } from "../base/bounded-map.js";

export type Cell = string | number | Buffer | null;
export type Cells = readonly Cell[];

/** Milliseconds that SQLite itself waits for a lock; it blocks the thread meanwhile. */
const BUSY_TIMEOUT = 10;
/** Milliseconds that `whenFree` waits for a lock by default, and between two attempts. */
const PATIENCE = 120_000;
const PAUSE = 50;

/** Prepared statements of each kind that are cached. A search by many conditions has a statement of its own. */
const STATEMENTS = 500;

/** A connection to a database file. */
export class Sqlite {
  readonly #database: Libsql.Database;
  readonly #query = remembering(STATEMENTS, (sql: string) => this.#database.prepare(sql).raw());
  readonly #change = remembering(STATEMENTS, (sql: string) => this.#database.prepare(sql));

  /** Opens the file, or creates it. Throws SQLite's errors; `isDamage` and `isBusy` classify them. @param cache the memory for pages, in MiB */
  constructor(
    readonly path: string,
    cache = 64,
  ) {
    this.#database = new Libsql(path);
    // The index is derived, so rows lost in a power cut are written again. With a write-ahead log, readers can read while others write.
    this.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`);
    this.exec(`PRAGMA cache_size = ${-1_024 * cache}; PRAGMA temp_store = MEMORY`);
  }

  rows<T extends Cells = Cells>(sql: string, ...values: readonly Cell[]): T[] {
    return this.#query(sql).all(values) as T[];
  }

  row<T extends Cells = Cells>(sql: string, ...values: readonly Cell[]): T | undefined {
    return this.#query(sql).get(values) as T | undefined;
  }

  run(sql: string, ...values: readonly Cell[]): void {
    this.#change(sql).run(values);
  }

  /** Reads several times from one state of the database, even if others write meanwhile. @param begin the SQL with which the transaction begins */
  atOnce<T>(read: () => T, begin = "BEGIN"): T {
    if (this.#database.inTransaction) return read();
    this.exec(begin);
    try {
      return read();
    } finally {
      if (this.#database.inTransaction) this.exec("COMMIT");
    }
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Undoes the transaction, unless it has ended. */
  rollBack(): void {
    if (this.#database.inTransaction) this.exec("ROLLBACK");
  }

  close(): void {
    this.#database.close();
  }
}

/** Whether an SQLite error says that the file is damaged. */
export function isDamage(error: unknown): boolean {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  // An FTS5 query that cannot be parsed, or a statement beyond SQLite's limits, says nothing about the file.
  return /^SQLITE_(?:CORRUPT|NOTADB|FORMAT|ERROR)/.test(code) && !/^(?:fts5: |too many )/.test(message);
}

/** Whether an SQLite error says that another connection has locked the database. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/.test((error as { code?: string }).code ?? "");
}

/** Whether an SQLite error says that a file cannot be opened or written: the disk is full, the file system is read-only, a permission is missing. */
export function isBarred(error: unknown): boolean {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  // libsql gives no code if it cannot open a file.
  return /^SQLITE_(?:CANTOPEN|FULL|IOERR|READONLY)/.test(code) || message.startsWith("ConnectionFailed");
}

export interface Waiting {
  /** Milliseconds to wait for a lock; two minutes by default. */
  readonly patience?: number;
  /** If it aborts, the database stays as it is. */
  readonly signal?: AbortSignal | undefined;
}

/** Do work on a database, trying again while others have it locked. Rejects with the error of the work, and with the signal's reason. */
export async function whenFree<T>(work: () => Promise<T>, { patience = PATIENCE, signal }: Waiting = {}): Promise<T> {
  for (const last = performance.now() + patience; ; await sleep(PAUSE)) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= last) throw error;
    }
  }
}

/** The endings of two files beside a database: its write-ahead log, and the checksums of its pages. */
export const LOG = "-wal";
export const SUMS = "-sums";

/** Remove a database and the files beside it. */
export function removeSqlite(path: string): void {
  for (const end of ["", LOG, "-shm", SUMS]) rmSync(path + end, { force: true });
}

/** The ending of a file that stays empty: who opens or removes the database holds its lock. */
export const OPENING_LOCK = "-lock";
/** Milliseconds that the lock is waited for; it blocks the thread meanwhile. */
const LOCK_TIMEOUT = 500;

/** Open or remove the files of a database while no other connection does either; otherwise, one could lose its write-ahead log. Throws SQLite's errors. */
export function exclusively<T>(path: string, work: () => T): T {
  const lock = new Libsql(path + OPENING_LOCK, { timeout: LOCK_TIMEOUT });
  using _ = { [Symbol.dispose]: () => lock.close() };
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    if (!isDamage(error)) throw error;
    // It is not removed, because others that wait would then lock a different file.
    truncateSync(path + OPENING_LOCK);
    lock.exec("BEGIN EXCLUSIVE");
  }
  return work();
}

/** The number of rows in one call, which takes a quarter of the time of a call for each row. */
const AT_ONCE = 50;

/** A buffer of rows on their way into a table. */
export class Rows {
  #waiting: Cell[] = [];
  #columns = 0;

  /** @param insert the SQL before `VALUES` */
  constructor(
    readonly sqlite: Sqlite,
    private readonly insert: string,
  ) {}

  add(...row: Cells): void {
    this.#columns = row.length;
    if (this.#waiting.push(...row) >= AT_ONCE * row.length) this.flush();
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    const rows = Array(this.#waiting.length / this.#columns).fill(`(${Array(this.#columns).fill("?")})`);
    this.sqlite.run(`${this.insert} VALUES ${rows}`, ...this.#waiting);
    this.#waiting = [];
  }
}
