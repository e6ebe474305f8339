/** Writes the change log: each change by its number, and by its place among those of its endpoint, its source and its Sets. */
import type { TextHash } from "../../../rdf/text-hash.js";
import { encodeChange, type LoggedChange } from "../format/changes.js";
import type { StoreDatabase } from "../format/database.js";
import { endpointNumber } from "../format/encoding.js";
import { ANY_ENDPOINT, ANY_SOURCE, type ChangeScope, numberKey, scopedKey, setKey } from "../format/keys.js";
import { countOfScope, countOfSet } from "../read/changes.js";

export class ChangeLogWriter {
  /** How many changes there are of a scope. */
  readonly #counts = new Map<number, number>();
  /** How many there are of a Set's members. */
  readonly #setCounts = new Map<string, number>();

  constructor(private readonly database: StoreDatabase) {}

  /** @param sets the hashes of the IRIs of the Sets that the record was a member of, or is */
  add(sequence: number, change: LoggedChange, sets: Iterable<TextHash>): void {
    const { changes, scopedChanges, setChanges } = this.database;
    const key = numberKey(sequence);
    changes.putSync(key, encodeChange(change));
    for (const scope of scopesOf(change)) scopedChanges.putSync(scopedKey(scope, this.#next(scope)), key);
    for (const set of sets) setChanges.putSync(setKey(set, this.#nextOfSet(set)), key);
  }

  /** The place of the next change of a Set's members. */
  #nextOfSet(set: TextHash): number {
    const id = `${set.a} ${set.b} ${set.c}`;
    const count = (this.#setCounts.get(id) ?? countOfSet(this.database, set)) + 1;
    this.#setCounts.set(id, count);
    return count;
  }

  /** The place of the next change of a scope. */
  #next(scope: ChangeScope): number {
    const id = scope.source * 256 + scope.endpoint;
    const count = (this.#counts.get(id) ?? countOfScope(this.database, scope)) + 1;
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
