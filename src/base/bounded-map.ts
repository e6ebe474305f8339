/** A map of bounded size: a cache that drops entries that were neither set nor read lately. Entries that are never read again fill at most half of it. */
export class BoundedMap<Key, Value extends NonNullable<unknown> | null> {
  /** Entries set or read since `#recent` was last full. */
  #recent = new Map<Key, Value>();
  /** The entries of the previous `#recent`. */
  #older: Map<Key, Value> | undefined;
  readonly #half: number;

  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  get(key: Key): Value | undefined {
    const value = this.#recent.get(key);
    if (value !== undefined) return value;
    const older = this.#older?.get(key);
    return older === undefined ? undefined : this.put(key, older);
  }

  /** Set the value of the key, and return it. */
  put<Put extends Value>(key: Key, value: Put): Put {
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
    return value;
  }
}

/** `make` with a cache of at most `most` keys; keys that `mayRemember` rejects are not cached. */
export function remembering<Key, Value extends NonNullable<unknown> | null>(
  most: number,
  make: (key: Key) => Value,
  mayRemember: (key: Key) => boolean = () => true,
): (key: Key) => Value {
  const known = new BoundedMap<Key, Value>(most);
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = make(key);
    return mayRemember(key) ? known.put(key, made) : made;
  };
}
