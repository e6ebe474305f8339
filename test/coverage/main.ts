/**
 * Holds coverage: `npm run coverage`, after the tests have run with COVERAGE=tests and the campaigns with COVERAGE=campaigns.
 * Ends with 1 where a piece of a file is covered by campaigns alone, or where the tests cover less than `floor.json` says.
 */
import { readFileSync } from "node:fs";
import { type Covered, coveredBy, type Lines } from "./lines.js";

/** So many lines of a file that campaigns alone reach are a branch that wants a test; fewer may be the chance of a moment, such as a kill. */
const PIECE = 6;
/** Files of processes that are ended by being killed: what they counted is lost with them, now in the tests, now in a campaign. */
const KILLED: ReadonlySet<string> = new Set(["src/query/oxigraph/index-process.ts"]);
/** Percentages that noise may take off. */
const LEEWAY = 0.3;

const floor = JSON.parse(readFileSync(new URL("floor.json", import.meta.url), "utf8")) as { readonly tests: number };
const tests = coveredBy("tests");
const campaigns = coveredBy("campaigns");

const share = shareOf(tests.covered, tests.statements);
const whole = shareOf(union(tests, campaigns), tests.statements);
console.log(
  `unit and process tests cover ${share.toFixed(2)} % of the lines, with the campaigns ${whole.toFixed(2)} %`,
);
if (share < floor.tests - LEEWAY) {
  console.log(`FAILED: they covered ${floor.tests} % (test/coverage/floor.json)`);
  process.exitCode = 1;
}
for (const [file, lines] of campaigns.covered) {
  const alone = [...lines].filter((line) => !tests.covered.get(file)?.has(line)).sort((a, b) => a - b);
  if (alone.length === 0) continue;
  const isPiece = alone.length >= PIECE && !KILLED.has(file);
  console.log(`${isPiece ? "FAILED: by campaigns alone" : "by campaigns alone"}: ${file}:${alone.join(",")}`);
  if (isPiece) process.exitCode = 1;
}

function union(one: Covered, other: Covered): Lines {
  return new Map(
    [...one.covered].map(([file, lines]) => [file, new Set([...lines, ...(other.covered.get(file) ?? [])])]),
  );
}

function shareOf(covered: Lines, statements: Lines): number {
  const count = (lines: Lines): number => [...lines.values()].reduce((sum, each) => sum + each.size, 0);
  return (100 * count(covered)) / count(statements);
}
