/** Attacks a built service and says what came of it, row by row: `npm run attack`. */
import { attack, LONG } from "./attack.js";

const outcomes = await attack(LONG, Math.random, ({ name, sent, failures, answers, p99, memory }) => {
  console.log(
    `${failures.length === 0 ? "held  " : "FAILED"} ${name}: ${sent} sent; innocent: ${answers} answers, p99 ${p99.toFixed(1)} ms; ${memory} MiB`,
  );
  for (const failure of failures.slice(0, 20)) console.log(`       ${failure}`);
});
if (outcomes.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
