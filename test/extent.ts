/** How much of what could be tested without end a run tests: `npm test` a fixed share, a campaign all of it. */

/** `npm run campaigns -- cases` sets it: every case of the unit tests, in place of a share. */
export const IS_WHOLE = process.env.TEST_WHOLE !== undefined;

/** Cases that a property has among the unit tests. */
const UNIT_CASES = 100;

/** One case in so many; all in a campaign. The same ones in every run. */
export function shareOf<Case>(cases: readonly Case[], oneIn = 10): readonly Case[] {
  return cases.filter((_, at) => isShared(at, oneIn));
}

/** Whether a case that is one of a stream belongs to the share. */
export function isShared(at: number, oneIn = 10): boolean {
  return IS_WHOLE || at % oneIn === 0;
}

/** The first cases of each kind; all in a campaign. */
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

/** The cases of a property: so many in a campaign, at most a hundred among the unit tests, or fewer where one is dear. */
export function runsOf(cases: number, unitCases = UNIT_CASES): { readonly numRuns: number } {
  return { numRuns: IS_WHOLE ? cases : Math.min(cases, unitCases) };
}

/** Whether campaigns run in their short form, as in continuous integration. */
export const IS_SHORT = process.env.CAMPAIGNS === "short";

/** How often a campaign does its work: `long` times, `short` times in its short form, or as often as TIMES says. */
export function timesOf(long: number, short: number): number {
  const { TIMES } = process.env;
  if (TIMES !== undefined) return Number(TIMES);
  return IS_SHORT ? short : long;
}

/** An environment without what this runner tells its own tests, and without coverage, which would take the place of this run's. */
export function unobserved(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^VITEST|COVERAGE$/.test(name)));
}
