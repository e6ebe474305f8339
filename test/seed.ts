/**
 * The setup of every test file: the seed of generated cases, the same in every run, so that a failure is caused by the change
 * (FUZZ_SEED explores others), and the folder in which processes and threads write their coverage.
 */
import { resolve } from "node:path";
import fc from "fast-check";

const { FUZZ_SEED, COVERAGE } = process.env;
const seed = FUZZ_SEED === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(FUZZ_SEED ?? 20_261_121);
if (FUZZ_SEED === "random") console.log(`FUZZ_SEED=${seed}`);

fc.configureGlobal({ seed });

if (COVERAGE !== undefined) process.env.NODE_V8_COVERAGE = resolve("coverage", COVERAGE, "processes");
