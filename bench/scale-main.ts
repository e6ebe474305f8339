/** Grows one store and measures it at each size: `npm run scale -- FOLDER RECORDS...`; `grow` or `measure` before the numbers do the one alone. */
import { documentLines } from "./documents.js";
import { measure, ScaledStore, spread, table } from "./scale.js";

const [folder, ...rest] = process.argv.slice(2);
const only = ["grow", "measure"].find((word) => word === rest[0]);
const sizes = (only === undefined ? rest : rest.slice(1)).map(Number);
if (folder === undefined || sizes.some((size) => !Number.isInteger(size) || size < 1)) {
  console.error(
    "npm run scale -- FOLDER RECORDS...   the folder takes some 2.5 KB a record, and half as much while it grows",
  );
  process.exit(2);
}
const documents: string[] = [];
for await (const line of documentLines()) if (line !== "") documents.push(line);
const scaled = new ScaledStore(folder, spread(documents));
for (const size of sizes) {
  if (only !== "measure") await scaled.grow(size);
  if (only !== "grow") await measure(scaled);
}
if (only !== "grow") table(scaled);
