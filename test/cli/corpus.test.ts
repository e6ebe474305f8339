/** Real quads and documents through the command: what was loaded comes out again. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NQuads } from "rdf-canonize";
import { beforeAll, describe, expect, it } from "vitest";
import { canonical, type PlainQuad } from "../canonical.js";
import { temporaryFolder } from "../temporary-folder.js";
import { run } from "./run.js";

const CORPUS = "../shared/corpus";

const folder = temporaryFolder();
let examples: ReadonlyMap<string, string>;

/** The canonical triples of each named graph. */
async function byGraph(text: string): Promise<Map<string, string>> {
  const graphs = new Map<string, PlainQuad[]>();
  for (const quad of NQuads.parse(text.replace(/^#.*\n/gm, "")) as PlainQuad[]) {
    const quads = graphs.get(quad.graph.value) ?? [];
    quads.push(quad);
    graphs.set(quad.graph.value, quads);
  }
  const canonicalised = new Map<string, string>();
  for (const [graph, quads] of graphs) canonicalised.set(graph, await canonical(quads));
  return canonicalised;
}

describe.skipIf(!existsSync(CORPUS))("the corpus through the command (skipped: ../shared/corpus is not there)", () => {
  beforeAll(async () => {
    examples = await byGraph(readFileSync(`${CORPUS}/examples.nq`, "utf8"));
  });

  it.each(["examples.nq", "official.jsonl"])("makes the quads of examples.nq of %s, record by record", async (name) => {
    const store = join(folder, name);
    const { status } = await run(["load", `${CORPUS}/${name}`, "--store", store, "--on-invalid", "accept"]);
    expect(status).toBe(1);
    const { stdout } = await run(["export", "--store", store]);
    expect(await byGraph(stdout)).toEqual(examples);
  });

  it("names what is wrong with each invalid record of messy.jsonl, and what each rule would mend", async () => {
    const { status, stdout } = await run(["validate", `${CORPUS}/messy.jsonl`]);
    expect(status).toBe(1);
    const invalid = stdout.split("\n").filter((line) => line.includes(": invalid "));
    expect(invalid.length).toBeGreaterThan(10);
    for (const line of invalid)
      expect(line).toMatch(/messy\.jsonl:\d+: invalid <[^>]*>( at [^:]*)?: \S+ (is|has|must|")/);
    expect(stdout).toMatch(
      /vitrine mend would make 14 of 181 invalid records valid, and \d+ more with --rules \+actors-as-persons --rules \+first-label/,
    );
  });
});
