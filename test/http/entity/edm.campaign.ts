/** EDM of 20,000 records of the volume corpora, validated by Europeana's XSD and Schematron: failures by reason. */
import { createReadStream, existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../../src/store/open.js";
import { run } from "../../cli/run.js";
import { timesOf } from "../../extent.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { edmOf, failuresOf, MISSING } from "./edm.js";

const VOLUME = "../shared/volume";
const WHY = MISSING ?? (existsSync(VOLUME) ? undefined : `${VOLUME} is not there`);
if (WHY !== undefined) console.warn(`EDM of the volume is not validated: ${WHY}`);

const EACH = timesOf(10_000, 500);

async function firstOf(name: string): Promise<string> {
  const input = createReadStream(`${VOLUME}/${name}.jsonl.gz`).pipe(createGunzip());
  const lines: string[] = [];
  for await (const line of createInterface({ input })) {
    if (lines.push(`${line}\n`) === EACH) break;
  }
  return lines.join("");
}

it.skipIf(WHY !== undefined)("the EDM of the volume corpora passes", async () => {
  const folder = temporaryFolder(onTestFinished);
  const [input, directory] = [join(folder, "records.jsonl"), join(folder, "store")];
  await writeFile(input, (await firstOf("cma")) + (await firstOf("nga")));
  await run(["load", input, "--store", directory, "--base-url", "https://museum.example/", "--on-invalid", "accept"]);
  await using store = await openStore({ directory });
  const { documents, failures } = await failuresOf(edmOf(store));
  const reasons = new Map<string, number>();
  for (const why of [...failures.values()].flat()) reasons.set(why, (reasons.get(why) ?? 0) + 1);
  console.log(`${documents} documents, ${failures.size} fail`, [...reasons]);
  expect(documents).toBe(2 * EACH);
  expect(failures.size).toBe(0);
});
