/** The sample collection, served: records come back as they were written, with the same triples in each format. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Parser, type Quad } from "n3";
import { describe, expect, it } from "vitest";
import { writeSample } from "../../data/make-quads.js";
import { canonical, type PlainQuad } from "../canonical.js";
import { run, serve } from "../cli/run.js";
import { firstOfEach, shareOf } from "../extent.js";
import { startedForAll } from "../started.js";
import { temporaryFolder } from "../temporary-folder.js";
import { SAMPLE } from "./sample.js";

const BASE = "http://localhost:3000/";

const folder = temporaryFolder();
const running = startedForAll(() => {
  const store = join(folder, "store");
  const sample = ["--load", "data/records", "--images", "data/images"];
  return serve(["--store", store, "--base-url", BASE, "--sparql-access", "off", ...sample]);
});

/** A document with its relative ids resolved. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "id" && !String(inner).includes(":") ? `${BASE}${String(inner)}` : resolved(inner),
    ]),
  );
}

async function text(path: string): Promise<string> {
  const response = await fetch(`${running.url}/${path}`);
  expect(response.status, path).toBe(200);
  return response.text();
}

function quads(turtle: string): PlainQuad[] {
  return new Parser()
    .parse(turtle)
    .map(({ subject, predicate, object, graph }: Quad) => ({ subject, predicate, object, graph }));
}

describe("every record of the sample collection", () => {
  it("comes back as the same document, with keys and arrays in the same order", async () => {
    const records = [...SAMPLE.values()];
    const some = new Set([...shareOf(records, 5), ...firstOfEach(records, 5, ({ endpoint }) => endpoint)]);
    for (const { document } of some) {
      const path = String(document.id);
      expect(await text(path), path).toBe(`${JSON.stringify(resolved(document))}\n`);
    }
  });

  it("states the same in Turtle as in N-Triples", async () => {
    for (const { document } of shareOf([...SAMPLE.values()])) {
      const path = String(document.id);
      const [turtle, triples] = [quads(await text(`${path}.ttl`)), quads(await text(`${path}.nt`))];
      expect(triples.length, path).toBeGreaterThan(0);
      expect(await canonical(turtle), path).toBe(await canonical(triples));
    }
  });

  it("has its picture at the address that its Digital Object names", async () => {
    const points = [...SAMPLE.values()].flatMap(
      ({ document }) => (document.access_point ?? []) as unknown as { id: string }[],
    );
    const pictures = points.map(({ id }) => id).filter((id) => id.startsWith("images/"));
    expect(pictures.length).toBeGreaterThanOrEqual(20);
    for (const picture of shareOf([...new Set(pictures)], 5)) {
      const response = await fetch(`${running.url}/${picture}`);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    }
  });
});

describe("npm run data", () => {
  it("writes the collection as quads that load into an equal store", async () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: { data: string } };
    expect(scripts.data).toBe("tsx data/make-quads.ts");
    const [file, store] = [join(folder, "sample.nq"), join(folder, "from-quads")];
    expect(await writeSample(file)).toBe(SAMPLE.size);
    expect((await run(["load", file, "--store", store])).status).toBe(0);
    // Documents come back with the model's context, whatever form they were loaded in.
    const [quads, documents] = await Promise.all(
      [store, join(folder, "store")].map(async (from) => (await run(["export", "--store", from])).stdout),
    );
    expect(quads).toBe(documents);
  });
});
