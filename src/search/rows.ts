/** Rows on their way into a table of the search index: a call of SQLite that carries fifty takes a quarter of their time. */
import type { Cell, Cells, Sqlite } from "./sqlite.js";

const AT_ONCE = 50;

export class Rows {
  #waiting: Cell[] = [];
  readonly #one: string;
  readonly #many: string;

  /** @param insert what comes before the values @param columns how many there are */
  constructor(
    readonly sqlite: Sqlite,
    insert: string,
    private readonly columns: number,
  ) {
    const row = `(${Array(columns).fill("?").join(", ")})`;
    this.#one = `${insert} VALUES ${row}`;
    this.#many = `${insert} VALUES ${Array(AT_ONCE).fill(row).join(", ")}`;
  }

  add(...row: Cells): void {
    this.#waiting.push(...row);
    if (this.#waiting.length < AT_ONCE * this.columns) return;
    this.sqlite.run(this.#many, ...this.#waiting);
    this.#waiting = [];
  }

  flush(): void {
    const cells = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < cells.length; at += this.columns)
      this.sqlite.run(this.#one, ...cells.slice(at, at + this.columns));
  }
}
