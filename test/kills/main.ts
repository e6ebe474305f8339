/** Kills as many loads as asked for, 200 unless told: `npm run kills -- NUMBER`. */
import { killRuns } from "./kills.js";

const rounds = Number(process.argv[2] ?? 200);
const started = performance.now();
const { before, whole, ended } = await killRuns(rounds, Math.random);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `${rounds} runs: ${before} killed before their publication, ${whole} after it, ${ended} had ended; ${seconds} s`,
);
console.log("every store was as before or whole, and a second run finished it");
