/** Writes the change log: each change by its number, and by its place among those of its endpoint and source. */
import { encodeChange, type LoggedChange } from "../format/changes.js";
import type { StoreDatabase } from "../format/database.js";
import { endpointNumber } from "../format/encoding.js";
import { ANY_ENDPOINT, ANY_SOURCE, type ChangeScope, numberKey, scopedKey } from "../format/keys.js";
import { countOfScope } from "../read/changes.js";

export class ChangeLog {
  readonly #database: StoreDatabase;
  /** How many changes there are of a scope. */
  readonly #counts = new Map<number, number>();

  constructor(database: StoreDatabase) {
    this.#database = database;
  }

  add(sequence: number, change: LoggedChange): void {
    const { changes, scopedChanges } = this.#database;
    const key = numberKey(sequence);
    changes.putSync(key, encodeChange(change));
    for (const scope of scopesOf(change)) scopedChanges.putSync(scopedKey(scope, this.#next(scope)), key);
  }

  /** The place of the next change of a scope. */
  #next(scope: ChangeScope): number {
    const id = scope.source * 256 + scope.endpoint;
    const count = (this.#counts.get(id) ?? countOfScope(this.#database, scope)) + 1;
    this.#counts.set(id, count);
    return count;
  }
}

/** The parts of the log that a change belongs to: its endpoint's, its source's, and that of both. */
export function scopesOf({ endpoint, source }: Pick<LoggedChange, "endpoint" | "source">): ChangeScope[] {
  const number = endpointNumber(endpoint);
  const ofEndpoint = { source: ANY_SOURCE, endpoint: number };
  if (source === ANY_SOURCE) return [ofEndpoint];
  return [ofEndpoint, { source, endpoint: ANY_ENDPOINT }, { source, endpoint: number }];
}
