/** The numbers by which records name their contexts, each of which is stored once. */
import { entryOf } from "../../../base/entries.js";
import type { StoreDatabase } from "../format/database.js";

export class ContextNumbers {
  /** By their JSON. */
  readonly #numbers = new Map<string, number>();

  constructor(private readonly database: StoreDatabase) {}

  /** Read what there are, once the transaction has begun. */
  begin(): void {
    for (const { key, value } of this.database.contexts.getRange()) this.#numbers.set(value, key);
  }

  /** The number of a context, its JSON; 0 where it is empty. One that is not known is stored. */
  of(context: Buffer): number {
    if (context.length === 0) return 0;
    const text = context.toString("utf8");
    return entryOf(this.#numbers, text, () => {
      const number = this.#numbers.size + 1;
      this.database.contexts.putSync(number, text);
      return number;
    });
  }
}
