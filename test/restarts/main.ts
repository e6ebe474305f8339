/** Ends and kills a service under load: `npm run restarts -- TIMES`, 100 unless told. Ends with 1 when anything was wrong. */
import { restart } from "./restarts.js";

const times = Number(process.argv[2] ?? 100);
const begun = performance.now();
const { killed, ended, duringLoads, acknowledged, unknown, reads, failures } = await restart(times, {
  checks: 10,
  report: (line) => process.stderr.write(`${line}\n`),
});
const seconds = Math.round((performance.now() - begun) / 1_000);
console.log(`${ended} ended and ${killed} killed, ${duringLoads} of them during a load; ${seconds} s`);
console.log(`${acknowledged} loads and single records acknowledged, ${unknown} cut off; ${reads} records read`);
for (const failure of failures) console.log(failure);
console.log(
  failures.length === 0 ? "check found nothing, and nothing acknowledged was lost" : `${failures.length} failures`,
);
if (failures.length > 0) process.exitCode = 1;
