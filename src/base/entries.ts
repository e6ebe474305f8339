/** Map entries that are created at first use, and the order of texts. */

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

/** The items of each key, in their order. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) entryOf(groups, keyOf(item), () => []).push(item);
  return groups;
}

/** Compares two texts by their code units, for sorting. The order of code points differs only beyond U+FFFF. */
export function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
