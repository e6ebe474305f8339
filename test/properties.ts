/** Properties that hold for all generated values. */
import fc, { type Arbitrary, type Parameters } from "fast-check";
import { IS_WHOLE } from "./extent.js";

/** The most cases of a property in the unit tests. */
const UNIT_CASES = 100;

/** The number of cases of a property: `cases` in a campaign, at most `unitCases` in the unit tests. */
export function runsOf(cases: number, unitCases = UNIT_CASES): { readonly numRuns: number } {
  return { numRuns: IS_WHOLE ? cases : Math.min(cases, unitCases) };
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
