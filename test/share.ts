/** The share of many cases that the suite runs: reference libraries take tens of milliseconds a document. `TEST_ALL=1 npm test` runs all. */

const IS_WHOLE = process.env.TEST_ALL !== undefined;

/** Whether the suite runs a case, of which it runs one in so many, or all where they are asked for. */
export function isShared(at: number, oneIn: number): boolean {
  return IS_WHOLE || at % oneIn === 0;
}

/** One case in so many, or all where they are asked for. */
export function shareOf<Case>(cases: readonly Case[], oneIn: number): readonly Case[] {
  return cases.filter((_, at) => isShared(at, oneIn));
}

/** The first cases of each kind, or all where they are asked for. */
export function firstOfEach<Case>(
  cases: readonly Case[],
  most: number,
  kindOf: (each: Case) => string,
): readonly Case[] {
  const counts = new Map<string, number>();
  return cases.filter((each) => {
    const count = (counts.get(kindOf(each)) ?? 0) + 1;
    counts.set(kindOf(each), count);
    return IS_WHOLE || count <= most;
  });
}

/** So many runs of a property, or ten times as many where all is asked for. */
export function runsOf(runs: number): { readonly numRuns: number } {
  return { numRuns: IS_WHOLE ? 10 * runs : runs };
}
