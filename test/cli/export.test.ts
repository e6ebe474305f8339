/** `export` of what a search finds, and as a table. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { exportEnds } from "../../src/rdf/ntriples/writer.js";
import { parseCsv } from "../base/parse-csv.js";
import { workspaceForAll } from "./workspace.js";

const BASE = "https://data.museum.example/";
const { path, vitrine, json } = workspaceForAll();
beforeAll(async () => {
  const records = ["object", "person", "place", "visual", "digital"].map((kind) => `data/records/${kind}`);
  expect((await vitrine("load", ...records, "--base-url", BASE)).status).toBe(0);
});

async function exported(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  return vitrine("export", ...args);
}

async function rowsOf(...args: string[]): Promise<Record<string, string>[]> {
  const { status, stdout } = await exported("--format", "csv", ...args);
  expect([status, stdout.charCodeAt(0)]).toEqual([0, 0xfeff]);
  const [head = [], ...rows] = parseCsv(stdout.slice(1));
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]!])));
}

describe("export", () => {
  it("writes an endpoint as a table, with what other records have of pictures", async () => {
    const rows = await rowsOf("--endpoint", "object");
    const { endpoints } = await json("stats");
    expect(rows).toHaveLength(endpoints.object);
    expect(rows.find(({ Label }) => Label === "The Night Watch")).toMatchObject({
      "Inventory number": "SK-C-5",
      Maker: "Rembrandt",
      "Date made": "about 1639 to 1642",
      Material: "oil paint | canvas",
      Dimensions: "379.5 cm (height) | 453.5 cm (width)",
      Owner: "City of Amsterdam",
      Keeper: "Rijksmuseum",
      Picture: `${BASE}images/night-watch.svg`,
      Address: `${BASE}object/night-watch`,
    });
    const [rembrandt] = (await rowsOf("--endpoint", "person")).filter(({ Label }) => Label === "Rembrandt");
    expect(rembrandt).toMatchObject({ "Birth place": "Leiden", Occupation: "Painter" });
  });

  it("writes what a search finds, in each format", async () => {
    const maker = `carriedOutBy=${BASE}person/rembrandt`;
    const columns = ["--columns", "id,produced_by/carried_out_by/id"];
    const rows = await rowsOf("--endpoint", "object", "--where", maker, ...columns);
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) expect(row["Maker (address)"]!.split(" | ")).toContain(`${BASE}person/rembrandt`);
    const ids = rows.map(({ Address }) => Address!).sort();
    const lines = (await exported("--format", "jsonl", "--endpoint", "object", "--where", maker)).stdout;
    expect(
      lines
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).id)
        .sort(),
    ).toEqual(ids);
    const quads = (await exported("--endpoint", "object", "--where", maker)).stdout;
    expect([...new Set([...quads.matchAll(/<([^<>]*)> \.$/gm)].map(([, iri]) => iri!))].sort()).toEqual(ids);
    expect(quads.endsWith(exportEnds(ids.length, quads.split("\n").length - 3))).toBe(true);
    const before = await rowsOf(
      "night",
      "watch",
      "--endpoint",
      "object",
      "--where",
      "end=1650",
      "--where",
      "sort=date",
    );
    expect(before.map(({ Label }) => Label)).toContain("The Night Watch");
    expect(await rowsOf("night", "watch", "--endpoint", "object", "--where", "end=1600")).toEqual([]);
  });

  it("says for what it looked where nothing is called so", async () => {
    const slip = await exported("rembrant", "--format", "csv", "--endpoint", "person");
    expect([slip.status, slip.stderr]).toEqual([0, "nothing found; these are for: rembrandt\n"]);
    expect(slip.stdout).toContain("Rembrandt");
    for (const text of ["xylophoneless", "rembrandt xylophoneless"]) {
      const none = await exported(text, "--format", "csv");
      expect([none.status, none.stderr]).toEqual([0, "nothing found\n"]);
      expect(parseCsv(none.stdout)).toHaveLength(1);
    }
  });

  it("writes what the file is called, and no file that is called otherwise", async () => {
    for (const [name, begins] of [
      ["people.jsonl", '{"@context"'],
      ["people.csv", "\ufeffLabel"],
      ["people.nq", "# Vitrine export"],
      ["people", "# Vitrine export"],
    ] as const) {
      await exported("--endpoint", "person", "--output", path(name));
      expect(readFileSync(path(name), "utf8").slice(0, begins.length)).toBe(begins);
    }
    const { status, stderr } = await exported("--output", path("people.ttl.gz"));
    expect([status, stderr]).toEqual([2, expect.stringMatching(/export writes nq, jsonl, csv, not \.ttl/)]);
    expect((await exported("--output", path("people.xlsx"))).stderr).toContain("not .xlsx");
  });

  it.each(["places.csv.gz", "PLACES.CSV.GZ"])("compresses into a file: %s", async (name) => {
    const output = path(name);
    expect((await exported("--format", "csv", "--endpoint", "place", "--output", output)).status).toBe(0);
    expect(parseCsv(gunzipSync(readFileSync(output)).toString())[0]).toContain("Coordinates");
  });

  it.each([
    [["--format", "csv", "--columns", "id,mad_of"], /--columns: There is no column mad_of.*did you mean made_of/],
    [["--columns", "id"], /--columns needs --format csv/],
    [["--where", "begin"], /--where needs a parameter with its value, such as begin=1880; this is begin/],
    [["--where", "begin=long ago"], /--where: The parameter begin must be a year/],
    [["--where", "maker=x"], /--where: There is no parameter maker/],
    [["a".repeat(2001), "--where", "begin=1"], /^vitrine: The text to search for has 2001 characters/],
  ])("refuses %j", async (args, words) => {
    const { status, stdout, stderr } = await exported(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(words);
  });
});
