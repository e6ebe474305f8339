/** EDM of the sample and of the official examples by Europeana's own XSD and Schematron, and what those find in a wrong document. */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../../src/store/open.js";
import { run } from "../../cli/run.js";
import { edmOf, failuresOf, MISSING } from "./edm.js";

if (MISSING !== undefined) console.warn(`EDM is not validated: ${MISSING}`);

const CORPUS = "../shared/corpus";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-edm-store-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function* one(document: string) {
  yield ["one", document] as const;
}

describe.skipIf(MISSING !== undefined)("EDM by Europeana's rules", () => {
  it.each([
    ["the sample", ["data/records"]],
    ["the corpus", ["official", "museums"].map((name) => `${CORPUS}/${name}.jsonl`)],
  ])("passes, each object of %s", async (_, inputs) => {
    if (!inputs.every((each) => existsSync(each))) return;
    const store = join(folder, inputs[0]!.replace(/\W/g, "-"));
    await run(["load", ...inputs, "--store", store, "--base-url", "https://museum.example/", "--on-invalid", "accept"]);
    await using records = await openStore({ directory: store });
    const { documents, failures } = await failuresOf(edmOf(records));
    expect(documents).toBeGreaterThan(25);
    expect([...failures]).toEqual([]);
  });

  it("is found wrong where it is: an element out of its place, no rights, no title", async () => {
    await using records = await openStore({ directory: join(folder, "data-records") });
    const { value } = await edmOf(records)[Symbol.asyncIterator]().next();
    const [, document] = value as readonly [string, string];
    const broken = document
      .replace(/<dc:title.*/g, "")
      .replace(/<dc:description.*/g, "")
      .replace(/<edm:rights.*/, "");
    const { failures } = await failuresOf(one(broken));
    const said = failures.get("one")!.join("\n");
    expect(said).toContain("Aggregation': Missing child element(s)");
    expect(said).toContain("non empty dc:title");
    expect((await failuresOf(one(document))).failures.size).toBe(0);
  });
});
