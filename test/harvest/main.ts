/** Changes a source as often as asked for, 1,000 times unless told, and compares its copies: `npm run follow-check -- NUMBER`. */
import { checkFollowing } from "./follow-check.js";

const steps = Number(process.argv[2] ?? 1_000);
const started = performance.now();
const { loads, deletions, moves, kills, comparisons } = await checkFollowing(steps, Math.random);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `${loads} loads, ${deletions} deletions, ${moves} moves, ${kills} kills, ${comparisons} comparisons; ${seconds} s`,
);
console.log("follow, LUX's harvester and one made of the specification had the same records each time");
