/** A process that publishes edition after edition until it is killed, and writes which is on disk: `loader-process.ts DIRECTORY`. */
import { openEmbeddedForLoading } from "../../../src/store/embedded/embedded-store.js";
import { stageEdition } from "./editions.js";

const [directory = ""] = process.argv.slice(2);
const store = await openEmbeddedForLoading(directory);
const first = 1 + Number((await store.stats()).baseUrl ?? 0);
process.stdout.write("ready\n");
for (let edition = first; ; edition++) {
  await (await stageEdition(store, edition)).publish();
  process.stdout.write(`published ${edition}\n`);
}
