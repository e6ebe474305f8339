/** Entries of maps that are made at their first use. */

/** The value of a key; where the map has none, what `make` gives, which the key has from then on. */
export function entryOf<Key, Value extends NonNullable<unknown>>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
