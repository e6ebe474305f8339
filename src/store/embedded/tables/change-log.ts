/** The writer of what changes leave behind: the change log, by endpoint, source and Set too, and the records that they replaced. */
import type { TextHash } from "../../../rdf/text-hash.js";
import { encodeChange, type LoggedChange } from "../format/changes.js";
import { type Mutable, REPLACED_KEPT, type StoreDatabase, type StoreState } from "../format/database.js";
import { endpointNumber, stored } from "../format/encoding.js";
import { ANY_ENDPOINT, ANY_SOURCE, type ChangeScope, numberKey, scopedKey, setKey } from "../format/keys.js";
import { countOfScope, countOfSet } from "../read/changes.js";

export class ChangeLogWriter {
  /** How many changes there are of a scope. */
  readonly #counts = new Map<number, number>();
  /** How many there are of a Set's members. */
  readonly #setCounts = new Map<string, number>();

  /** The last change whose replaced record is kept: of a large publication, readers of later ones read all records anew. */
  readonly #lastKept: number;

  /** @param state counts the changes. @param time of all of them, in milliseconds since 1970 */
  constructor(
    private readonly database: StoreDatabase,
    private readonly state: Mutable<StoreState>,
    private readonly time: number,
  ) {
    this.#lastKept = state.sequence + REPLACED_KEPT;
  }

  /** Keep a record that the next change replaces. @param isVersion whether also as an earlier version */
  keep(before: Buffer, isVersion: boolean): void {
    const { replaced, versions } = this.database;
    const sequence = this.state.sequence + 1;
    if (sequence <= this.#lastKept) replaced.putSync(numberKey(sequence), before);
    if (isVersion) versions.putSync(numberKey(stored.sequence(before)), before);
  }

  /** Log a change; its sequence number. @param sets the hashes of the IRIs of the Sets that the record was a member of, or is */
  add(change: Omit<LoggedChange, "time">, sets: Iterable<TextHash>): number {
    const { changes, scopedChanges, setChanges, replaced } = this.database;
    const { time } = this;
    const sequence = ++this.state.sequence;
    const key = numberKey(sequence);
    this.state.lastChange = time;
    if (sequence > REPLACED_KEPT) replaced.removeSync(numberKey(sequence - REPLACED_KEPT));
    changes.putSync(key, encodeChange({ ...change, time }));
    for (const scope of scopesOf(change)) scopedChanges.putSync(scopedKey(scope, this.#next(scope)), key);
    for (const set of sets) setChanges.putSync(setKey(set, this.#nextOfSet(set)), key);
    return sequence;
  }

  #nextOfSet(set: TextHash): number {
    const id = `${set.a} ${set.b} ${set.c}`;
    const count = (this.#setCounts.get(id) ?? countOfSet(this.database, set)) + 1;
    this.#setCounts.set(id, count);
    return count;
  }

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
