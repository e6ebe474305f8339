/** Properties that hold for all generated values. */
import fc, { type Arbitrary, type Parameters } from "fast-check";
import { IS_SHORT, IS_WHOLE } from "./extent.js";

/** The most cases of a property in the unit tests, and in the short form of the campaign `cases`. */
const [UNIT_CASES, SHORT_CASES] = [100, 1_000];

/** The number of cases of a property: `cases` in a campaign, fewer in its short form, at most `unitCases` in the unit tests. */
export function runsOf(cases: number, unitCases = UNIT_CASES): { readonly numRuns: number } {
  if (!IS_WHOLE) return { numRuns: Math.min(cases, unitCases) };
  return { numRuns: IS_SHORT ? Math.min(cases, SHORT_CASES) : cases };
}

/** An arbitrary for each of these values. */
type Arbitraries<Values extends readonly unknown[]> = { readonly [At in keyof Values]: Arbitrary<Values[At]> };

/** Check that a property holds for so many values of these arbitraries: `check` does not throw. */
export function forAll<Values extends [unknown, ...unknown[]]>(
  arbitraries: Arbitraries<Values>,
  runs: Parameters<Values>,
  check: (...values: Values) => void,
): void {
  fc.assert(fc.property<Values>(...arbitraries, check), runs);
}

/** The same for a property that is checked asynchronously. */
export function forAllAsync<Values extends [unknown, ...unknown[]]>(
  arbitraries: Arbitraries<Values>,
  runs: Parameters<Values>,
  check: (...values: Values) => Promise<void>,
): Promise<void> {
  return fc.assert(fc.asyncProperty<Values>(...arbitraries, check), runs);
}
