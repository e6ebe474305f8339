/** Drives odd values through everything, as many as are asked for: `npm run values -- 100000`, from FUZZ_SEED. */
import { travel } from "./journey.js";

const BATCH = 10_000;

const cases = Number(process.argv[2] ?? BATCH);
const first = process.env.FUZZ_SEED === "random" ? Date.now() % 2 ** 31 : Number(process.env.FUZZ_SEED ?? 20_261_121);
let failures = 0;
for (let done = 0, seed = first; done < cases; done += BATCH, seed++) {
  const { loaded, refused, problems } = await travel(Math.min(BATCH, cases - done), seed);
  const reasons = [...refused].sort((a, b) => b[1] - a[1]);
  console.log(`FUZZ_SEED=${seed}: ${loaded} loaded, ${reasons.reduce((sum, [, count]) => sum + count, 0)} refused`);
  for (const [reason, count] of reasons.slice(0, 40)) console.log(`    ${count} ${reason}`);
  for (const problem of problems.slice(0, 10)) console.log(`PROBLEM ${problem}`);
  if (problems.length > 10) console.log(`... and ${problems.length - 10} more`);
  failures += problems.length;
}
process.exit(failures === 0 ? 0 : 1);
