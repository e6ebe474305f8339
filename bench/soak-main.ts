/** Runs the soak: `npm run soak`, or `npm run soak -- SECONDS WORKERS`. Ends with 1 when anything was wrong. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixed, report } from "./figures.js";
import { isFlat, soak } from "./soak.js";

const [seconds = "600", workers = "1"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "vitrine-soak-"));
try {
  const outcome = await soak({
    folder,
    seconds: Number(seconds),
    records: 5_000,
    clients: 8,
    changes: 200,
    workers: Number(workers),
    progress: report,
  });
  const { requests, notModified, loads, failures, memory } = outcome;
  const mebibytes = memory.map((kibibytes) => kibibytes / 1_024);
  report(`\n${fixed(requests)} requests (${fixed(notModified)} of them 304) beside ${loads} loads in ${seconds} s`);
  report(
    `private memory: ${fixed(mebibytes[0]!)} MiB at first, at most ${fixed(Math.max(...mebibytes))}, ${fixed(mebibytes.at(-1)!)} at the end`,
  );
  for (const failure of failures) report(failure);
  report(
    `${failures.length === 0 ? "no failure" : `${failures.length} failures`}, memory ${isFlat(memory) ? "flat" : "growing"}`,
  );
  if (failures.length > 0 || !isFlat(memory)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
