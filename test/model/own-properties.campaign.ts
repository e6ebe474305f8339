/** Own properties, which need one row and `npm run generate` and nothing else, tried in a copy of the repository. */
import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";

const run = promisify(execFile);

const ROWS = `[
  { on: "place", term: "gazetteer_note", iri: "https://museum.example/ns#gazetteerNote", values: "text",
    requirement: "recommended", meaning: "What the gazetteer says." },
  { on: "object", term: "stored_with", iri: "https://museum.example/ns#storedWith",
    values: { reference: ["HumanMadeObject"], array: true }, requirement: "optional", meaning: "Neighbours." },
  { on: "TimeSpan", term: "certainty", iri: "https://museum.example/ns#certainty", values: "number",
    requirement: "optional", meaning: "How sure the dates are." },
]`;

const CONTEXT = "https://linked.art/ns/v1/linked-art.json";
const PLACE = {
  "@context": CONTEXT,
  id: "https://museum.example/place/1",
  type: "Place",
  _label: "Delft",
  gazetteer_note: "A town.",
};
const OBJECT = {
  "@context": CONTEXT,
  id: "https://museum.example/object/1",
  type: "HumanMadeObject",
  _label: "Jar",
  stored_with: [{ id: "https://museum.example/object/2", type: "HumanMadeObject", _label: "Bowl" }],
  produced_by: { type: "Production", timespan: { type: "TimeSpan", certainty: 0.5 } },
};

describe("an own property", () => {
  const copy = temporaryFolder();
  /** Run a program in the copy, and return its output and exit status. */
  async function inCopy(program: string, ...args: string[]): Promise<{ stdout: string; status: number }> {
    try {
      return { stdout: (await run(program, args, { cwd: copy })).stdout, status: 0 };
    } catch (error) {
      const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: number };
      return { stdout: stdout + stderr, status: code };
    }
  }

  beforeAll(async () => {
    for (const path of [
      "src",
      "bin",
      "assets",
      "docs",
      "generate",
      "data/context.json",
      "package.json",
      "tsconfig.json",
      "bundle.ts",
    ]) {
      await cp(path, join(copy, path), { recursive: true });
    }
    await symlink(resolve("node_modules"), join(copy, "node_modules"));
    const rows = join(copy, "src/model/own-properties.ts");
    const text = await readFile(rows, "utf8");
    expect(text).toContain("OWN_PROPERTIES = [] as const");
    await writeFile(rows, text.replace("OWN_PROPERTIES = [] as const", `OWN_PROPERTIES = ${ROWS} as const`));
    expect(await inCopy("npm", "run", "generate", "--silent")).toMatchObject({ status: 0 });
    expect(await inCopy("npm", "run", "build", "--silent")).toMatchObject({ status: 0 });
  });

  async function written(path: string): Promise<string> {
    return readFile(join(copy, path), "utf8");
  }

  it("is in every generated file", async () => {
    const context = JSON.parse(await written("data/context.json"))["@context"];
    expect(context.gazetteer_note).toEqual({ "@id": "https://museum.example/ns#gazetteerNote" });
    expect(context.stored_with).toMatchObject({ "@type": "@id", "@container": "@set" });
    expect(JSON.parse(await written("frames/place.json"))).toHaveProperty("gazetteer_note");
    expect(JSON.parse(await written("schemas/place.json")).properties.gazetteer_note).toMatchObject({ type: "string" });
    expect(await written("shapes/place.ttl")).toContain("https://museum.example/ns#gazetteerNote");
    expect(await written("shapes/structures.ttl")).toContain("https://museum.example/ns#certainty");
  });

  it("is loaded, validated and given back", async () => {
    const document = join(copy, "records.jsonl");
    await writeFile(document, `${JSON.stringify(PLACE)}\n${JSON.stringify(OBJECT)}\n`);
    const store = ["--store", join(copy, "store")];
    expect(await inCopy("node", "bin/vitrine.js", "load", document, ...store)).toMatchObject({ status: 0 });
    for (const record of [PLACE, OBJECT]) {
      const { stdout } = await inCopy("node", "bin/vitrine.js", "get", record.id, ...store);
      expect(JSON.parse(stdout)).toEqual(record);
    }
    const turtle = await inCopy("node", "bin/vitrine.js", "get", PLACE.id, "--format", "nt", ...store);
    expect(turtle.stdout).toContain('<https://museum.example/ns#gazetteerNote> "A town."');
  });

  it("has rules, as strict as its row", async () => {
    const wrong = [
      { ...PLACE, gazetteer_note: 5 },
      { ...PLACE, id: "https://museum.example/place/2", gazetteer_note: undefined },
      { ...OBJECT, stored_with: [{ id: "https://museum.example/place/1", type: "Place", _label: "Delft" }] },
      { ...OBJECT, produced_by: { type: "Production", timespan: { type: "TimeSpan", certainty: "high" } } },
    ];
    const document = join(copy, "wrong.jsonl");
    await writeFile(document, wrong.map((record) => `${JSON.stringify(record)}\n`).join(""));
    const report = join(copy, "report.json");
    expect(await inCopy("node", "bin/vitrine.js", "validate", document, "--report", report)).toMatchObject({
      status: 1,
    });
    const { records } = JSON.parse(await written("report.json")) as {
      records: { results: { rule: string; severity: string }[] }[];
    };
    const found = records.map(({ results }) =>
      results
        .filter(({ rule }) => /gazetteer|stored|certainty/.test(rule))
        .map(({ rule, severity }) => `${severity} ${rule.replace("urn:vitrine:shape:", "")}`),
    );
    expect(found).toEqual([
      ["Violation place.gazetteer_note.value"],
      ["Warning place.gazetteer_note.presence"],
      ["Violation object.stored_with.class"],
      ["Violation timespan.certainty.value"],
    ]);
  });
});
