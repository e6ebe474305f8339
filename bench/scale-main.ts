/** The command that loads and measures stores of several sizes: `npm run scale -- FOLDER RECORDS...`; with `load` or `measure` before the numbers, it does only that. */
import { join } from "node:path";
import { documentLines } from "./documents.js";
import { measure, ScaledStore, spread, table } from "./scale.js";

const [folder, ...rest] = process.argv.slice(2);
const only = ["load", "measure"].find((word) => word === rest[0]);
const sizes = (only === undefined ? rest : rest.slice(1)).map(Number);
if (folder === undefined || sizes.some((size) => !Number.isInteger(size) || size < 1)) {
  console.error(
    "npm run scale -- FOLDER RECORDS...   the folder takes some 5 KB per record, and half as much again during a load",
  );
  process.exit(2);
}
const documents: string[] = [];
for await (const line of documentLines()) if (line !== "") documents.push(line);
for (const size of sizes) {
  const scaled = new ScaledStore(join(folder, String(size)), spread(documents));
  if (only !== "measure") await scaled.load(size);
  if (only !== "load") await measure(scaled);
}
if (only !== "load") table(folder);
