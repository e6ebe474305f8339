/** The extent of a run where cases are endless: `npm test` tests a fixed share of them, a campaign all. */

/** Whether all cases of the unit tests run, not only a share, as with `npm run campaigns -- cases`. */
export const IS_WHOLE = process.env.TEST_WHOLE !== undefined;

/** One of `oneIn` cases, the same ones in every run; all cases in a campaign. */
export function shareOf<Case>(cases: readonly Case[], oneIn = 10): readonly Case[] {
  return cases.filter((_, at) => isShared(at, oneIn));
}

/** Whether the case at this position of a stream belongs to the share. */
export function isShared(at: number, oneIn = 10): boolean {
  return IS_WHOLE || at % oneIn === 0;
}

/** The first cases of each kind; all cases in a campaign. */
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

/** Whether campaigns run in their short form, as they do in continuous integration. */
export const IS_SHORT = process.env.CAMPAIGNS === "short";

/** The number of times that a campaign does its work: TIMES if it is set, else `short` in the short form, and `long` otherwise. */
export function timesOf(long: number, short: number): number {
  const { TIMES } = process.env;
  if (TIMES !== undefined) return Number(TIMES);
  return IS_SHORT ? short : long;
}

/** An environment without the variables that this runner sets for its own tests, and without coverage, which would overwrite that of this run. */
export function unobserved(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^VITEST|COVERAGE$/.test(name)));
}
