/** Rows on their way into a table of the search index: a call of SQLite that carries hundreds takes a third of their time. */
import type { Sqlite } from "./sqlite.js";

const AT_ONCE = 500;

export class Rows {
  #waiting: (readonly (string | number | null)[])[] = [];

  /** @param insert what comes before the values of so many columns, which SQL may make others of */
  constructor(
    readonly sqlite: Sqlite,
    private readonly insert: string,
    private readonly columns: readonly string[],
  ) {}

  add(...row: readonly (string | number | null)[]): void {
    this.#waiting.push(row);
    if (this.#waiting.length === AT_ONCE) this.flush();
  }

  flush(): void {
    const rows = this.#waiting;
    this.#waiting = [];
    const sql = `${this.insert} SELECT ${this.columns.join(", ")} FROM json_each(?)`;
    if (rows.length > 0) this.sqlite.run(sql, JSON.stringify(rows));
  }
}
