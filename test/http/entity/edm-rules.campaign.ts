/** EDM of the sample and of the official examples, validated by Europeana's own XSD and Schematron, and what these find in a wrong document. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../../src/store/open.js";
import { run } from "../../cli/run.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { edmOf, failuresOf, MISSING } from "./edm.js";

if (MISSING !== undefined) console.warn(`EDM is not validated: ${MISSING}`);

const BASE = "https://museum.example/";
const CORPUS = "../shared/corpus";

const folder = temporaryFolder();

/** A store of its own, loaded with these inputs. */
async function stored(inputs: readonly string[]) {
  const directory = join(folder, inputs[0]!.replace(/\W/g, "-"));
  await run(["load", ...inputs, "--store", directory, "--base-url", BASE, "--on-invalid", "accept"]);
  return openStore({ directory });
}

describe.skipIf(MISSING !== undefined)("EDM by Europeana's rules", () => {
  it("passes for each object of the sample and the corpus", async () => {
    const corpus = ["official", "museums"].map((name) => `${CORPUS}/${name}.jsonl`);
    await using sample = await stored(["data/records"]);
    await using more = await stored(corpus.filter((each) => existsSync(each)));
    const counts: number[] = [];
    async function* all() {
      for (const store of [sample, more]) {
        let count = 0;
        for await (const each of edmOf(store)) {
          count++;
          yield each;
        }
        counts.push(count);
      }
    }
    const { failures } = await failuresOf(all());
    for (const count of counts) expect(count).toBeGreaterThan(25);
    expect([...failures]).toEqual([]);
  });

  it("fails for an element out of place, and for missing rights and titles", async () => {
    await using sample = await openStore({ directory: join(folder, "data-records") });
    const { value } = await edmOf(sample)[Symbol.asyncIterator]().next();
    const [, document] = value as readonly [string, string];
    const broken = document
      .replace(/<dc:title.*/g, "")
      .replace(/<dc:description.*/g, "")
      .replace(/<edm:rights.*/, "");
    async function* both() {
      yield* [["broken", broken] as const, ["whole", document] as const];
    }
    const { failures } = await failuresOf(both());
    expect([...failures.keys()]).toEqual(["broken"]);
    const said = failures.get("broken")!.join("\n");
    expect(said).toContain("Aggregation': Missing child element(s)");
    expect(said).toContain("non empty dc:title");
  });
});
