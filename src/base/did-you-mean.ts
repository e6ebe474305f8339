/** The suggestion beside an unknown name: the known name that was probably meant. */

/** `: did you mean X?` for the name that is nearest, or nothing when none is near. */
export function didYouMean(given: string, names: readonly string[]): string {
  const name = nearest(given, names);
  return name === undefined ? "" : `: did you mean ${name}?`;
}

/** The name that is nearest, or `undefined` when none is near: a third of its letters may be others. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const most = Math.max(1, Math.floor(name.replace(/^-+/, "").length / 3));
    if (Math.abs(name.length - given.length) > most && !name.startsWith(given)) continue;
    const distance = name.startsWith(given) ? 1 : editDistance(given, name);
    if (distance > most || distance >= least) continue;
    [best, least] = [name, distance];
  }
  return best;
}

/** How many characters have to be added, removed, changed or swapped with their neighbour to make one of the other. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = from[i - 1] === to[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swap = swapped ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + change, swap));
    }
    rows.push(row);
  }
  return rows[from.length]![to.length]!;
}
