/** Prints how much of each W3C JSON-LD suite the compiled plans cover: `npm run conformance`. */
import { existsSync } from "node:fs";
import { runSuite, SUITES } from "./json-ld.js";

const folder = "../shared/w3c";
if (!existsSync(folder)) {
  console.error(`The W3C suites are not at ${folder}: nothing to run.`);
  process.exit(2);
}
let failures = 0;
for (const suite of SUITES) {
  const { tests, passed, left, failed } = await runSuite(suite, folder);
  const rest = [...left.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${suite}: ${tests} tests, ${passed} passed, ${rest} about what no record has, ${failed.length} failed`);
  for (const [feature, count] of [...left].sort((a, b) => b[1] - a[1])) console.log(`    ${count} ${feature}`);
  for (const test of failed) console.log(`  FAILED ${test}`);
  failures += failed.length;
}
process.exit(failures === 0 ? 0 : 1);
