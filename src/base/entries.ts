/** Map entries that are created at first use. */

/** The value of a key. If the map has none, `make` creates it and it is stored. */
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
