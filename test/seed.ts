/** The seed of all generated test cases: the same in every run, so that a failure is the change's; FUZZ_SEED explores others. */
import fc from "fast-check";

const asked = process.env.FUZZ_SEED;
const seed = asked === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(asked ?? 20_261_121);
if (asked === "random") console.log(`FUZZ_SEED=${seed}`);

fc.configureGlobal({ seed });
