/** Makes every fault as often as its row says, or a share of that, and prints what happened: `npm run faults -- [NAME] [SHARE]`. */
import { FAULTS, make } from "./faults.js";

const [name, share = "1"] = process.argv.slice(2);
const chosen = FAULTS.filter((fault) => name === undefined || name === "all" || fault.name === name);
if (chosen.length === 0) throw new Error(`there is no fault ${name}: ${FAULTS.map((fault) => fault.name).join(", ")}`);
for (const fault of chosen) {
  const begun = performance.now();
  const { runs, seen, failures } = await make(fault, Math.max(1, Math.round(fault.long * Number(share))), Math.random);
  const seconds = Math.round((performance.now() - begun) / 1_000);
  console.log(`${failures.length === 0 ? "held  " : "FAILED"} ${fault.name}: ${runs} times, ${seconds} s`);
  for (const [what, times] of [...seen].sort(([, left], [, right]) => right - left))
    console.log(`       ${times} ${what}`);
  for (const failure of failures.slice(0, 20)) console.log(`       ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
}
