/** Suggestions for an unknown name: the known name that was probably meant. */

/** `: did you mean X?` with the nearest name, or `""` when none is near. */
export function didYouMean(given: string, names: readonly string[]): string {
  const name = nearest(given, names);
  return name === undefined ? "" : `: did you mean ${name}?`;
}

/** The nearest name, or `undefined` when none is near. A name is near if at most a third of its letters differ, or if it begins with a `given` of at least three letters. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const most = Math.max(1, Math.floor(name.replace(/^-+/, "").length / 3));
    // Two letters prove nothing: `en` may be a key of a language map.
    const isBegun = given.length > 2 && name.startsWith(given);
    if (Math.abs(name.length - given.length) > most && !isBegun) continue;
    const distance = isBegun ? 1 : edits(given, name, most);
    if (distance > most || distance >= least) continue;
    [best, least] = [name, distance];
  }
  return best;
}

/** The Damerau-Levenshtein distance: letters replaced, missing, added or transposed. When it exceeds `most`, the result is any number above `most`. */
export function edits(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1));
      const isTransposed = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isTransposed) least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
