/** A map of bounded size, for what is made once and kept while it is asked for. */

/** Holds at most so many entries: those go that were neither set nor asked for lately. A flood of entries that nobody asks for again takes half of the room. */
export class BoundedMap<Key, Value extends NonNullable<unknown> | null> {
  /** Entries that were set or asked for since it last became full. */
  #recent = new Map<Key, Value>();
  /** Those before that. */
  #older: Map<Key, Value> | undefined;
  readonly #half: number;

  /** @param most how many entries it holds */
  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  get(key: Key): Value | undefined {
    const value = this.#recent.get(key);
    return value === undefined ? this.#again(key) : value;
  }

  /** The value, which the key has from now on. */
  put<Put extends Value>(key: Key, value: Put): Put {
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
    return value;
  }

  #again(key: Key): Value | undefined {
    const value = this.#older?.get(key);
    return value === undefined ? undefined : this.put(key, value);
  }
}

/** A function that remembers what `make` made of at most so many keys; only of those that `mayRemember` allows. */
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
