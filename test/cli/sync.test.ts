import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openReadOnly } from "../../src/store/embedded/embedded-store.js";
import { collect } from "../store/records.js";
import { inFile } from "./in-file.js";
import type { Outcome } from "./run.js";
import { workspaceForEach } from "./workspace.js";

const CONTEXT = "https://linked.art/ns/v1/linked-art.json";
const BASE = "https://museum.example/";

const { path, file, feed, vitrine, json } = workspaceForEach();

const place = (name: string, rest: object = {}) => ({
  "@context": CONTEXT,
  id: `${BASE}place/${name}`,
  type: "Place",
  _label: name,
  identified_by: [{ type: "Name", content: name }],
  ...rest,
});
/** What no rule accepts: a place has no such property. */
const invalid = (name: string) => place(name, { carried_out_by: [{ id: `${BASE}person/a`, type: "Person" }] });

/** Load these documents; the options are those of `vitrine load`. */
async function load(documents: readonly object[], ...options: string[]): Promise<Outcome> {
  return vitrine("load", feed("input.jsonl", ...documents), "--base-url", BASE, ...options);
}

interface State {
  readonly iris: readonly string[];
  readonly sequence: number;
  readonly sources: unknown;
}
async function state(): Promise<State> {
  const reader = await openReadOnly(path("store"));
  const records = await collect(reader.lists.records());
  const { sequence, sources } = await reader.stats();
  await reader.close();
  return { iris: records.map(({ graph }) => graph.iri.slice(`${BASE}place/`.length)), sequence, sources };
}

const many = (count: number, prefix = "n") => Array.from({ length: count }, (_, at) => place(`${prefix}${at}`));

describe("load --sync", () => {
  it("deletes what the input lacks, says so, and leaves tombstones", async () => {
    await load([place("a"), place("b"), place("c")]);
    const { status, stderr } = await load([place("a"), place("d")], "--sync", "--max-delete", "2");
    expect([status, stderr.match(/^deleted: .*$/gm)]).toEqual([
      0,
      [`deleted: <${BASE}place/b>`, `deleted: <${BASE}place/c>`],
    ]);
    expect(stderr).toContain("1 created, 0 replaced, 1 unchanged, 0 refused, 2 deleted");
    expect((await state()).iris).toEqual(["a", "d"]);
    const reader = await openReadOnly(path("store"));
    expect(await reader.tombstone(`${BASE}place/b`)).toMatchObject({ kind: "delete" });
    await reader.close();
  });

  it("stops before it deletes more than it may, and then changes nothing", async () => {
    await load(many(199));
    const before = await state();
    const two = await load([...many(197), place("new")], "--sync", "--max-delete", "1%");
    expect([two.status, two.stderr]).toEqual([2, expect.stringContaining("--max-delete 2")]);
    expect(two.stderr).toContain(`would be deleted: <${BASE}place/n197>`);
    expect(await state()).toEqual(before);
    expect((await load(many(196), "--sync", "--max-delete", "1.5%")).status).toBe(2);
    expect((await load(many(188), "--sync")).status).toBe(2);
    expect((await load(many(198), "--sync")).status).toBe(0);
    expect((await load(many(195), "--sync", "--max-delete", "2%")).status).toBe(0);
    expect((await state()).iris).toHaveLength(195);
  });

  it("stays within the source", async () => {
    await load([place("object"), place("vase")], "--source", "objects");
    await load([place("person")], "--source", "people");
    await load([place("nobody")]);
    await load([place("vase", { _label: "the vase" })]);
    await load([place("vase")], "--source", "objects", "--sync", "--max-delete", "9");
    expect(await state()).toMatchObject({
      iris: ["nobody", "person", "vase"],
      sources: { objects: 1, people: 1 },
    });
    expect((await load([place("x")], "--source", "new", "--sync")).status).toBe(0);
    // As of a script whose variable is not set.
    const nameless = await load([place("x")], "--source", "", "--sync");
    expect([nameless.status, nameless.stderr]).toEqual([2, expect.stringContaining("--source is empty")]);
    // A record that comes from another feed goes over to it, without a change that readers would see.
    const { sequence } = await state();
    await load([place("vase")], "--source", "people");
    expect(await state()).toMatchObject({ sequence, sources: { new: 1, people: 2 } });
    await load([], "--source", "people", "--sync", "--max-delete", "100%");
    expect(await state()).toMatchObject({ iris: ["nobody", "x"], sources: { new: 1 } });
    expect((await vitrine("stats")).stdout).toMatch(/^source new +1$/m);
  });

  it("says how many records it takes from which source, before and after, be they changed or not", async () => {
    await load([place("a"), place("b"), place("c")], "--source", "ours");
    await load([place("d")]);
    const theirs = ["a", "b", "d", "e"].map((name) =>
      place(name, { referred_to_by: [{ type: "LinguisticObject", content: "x" }] }),
    );
    const takes = `taken from source ours: 3 records, such as <${BASE}place/a>\n`;
    const partners = [[...theirs, place("c")], "--source", "theirs"] as const;
    expect((await load(...partners, "--dry-run")).stderr).toContain(`would be ${takes}`);
    expect((await load(...partners)).stderr).toMatch(new RegExp(`^${takes}`, "m"));
    expect((await state()).sources).toMatchObject({ theirs: 5 });
    expect((await load([place("a")], "--source", "theirs")).stderr).not.toContain("taken");
    const { stdout } = await vitrine("explain", `${BASE}place/c`);
    expect(stdout).toContain("(source ours)\nit belongs to the source theirs\n");
  });

  it("keeps a record that the input has and that is refused, and reports it", async () => {
    await load([place("a"), place("b"), place("c")]);
    const report = path("report.json");
    const nameless = [
      { ...place("d"), id: "place/ d" },
      { ...place("d"), id: undefined },
    ];
    const lost = await load([place("a"), place("b"), ...nameless], "--sync", "--dry-run");
    expect(lost.stderr).toContain(`would be deleted: <${BASE}place/c>`);
    expect(lost.stderr).toContain(
      "2 refused records without a readable id: the published version may be among the del",
    );
    const broken = { ...place("c"), id: "place/c", label: "no such key" };
    const { status, stderr } = await load(
      [place("a"), invalid("b"), invalid("b"), broken, invalid("a")],
      "--sync",
      "--report",
      report,
    );
    expect([status, (await state()).iris]).toEqual([1, ["a", "b", "c"]]);
    expect(stderr).toContain("2 refused records kept: the stored version stays");
    expect(stderr).toContain(`refused <${BASE}place/c> (the stored version stays)`);
    const { summary, records } = JSON.parse(readFileSync(report, "utf8"));
    expect(summary).toMatchObject({ kept: 2, deleted: 0 });
    const kept = records.filter((record: { kept?: boolean }) => record.kept);
    const iris = ["b", "b", "c", "a"].map((name) => `${BASE}place/${name}`);
    expect(kept.map(({ iri }: { iri: string }) => iri)).toEqual(iris);
  });

  it("counts a record that it withdraws not among those that the input lacks", async () => {
    await load([place("a"), place("b")]);
    const { stdout, stderr } = await load([place("a")], "--sync", "--hold", `iri=${BASE}place/a`, "--json");
    expect(stderr).toContain("1 held (1 of them withdrawn from the public), 1 deleted;");
    expect(JSON.parse(stdout)).toMatchObject({ held: 1, withdrawn: 1, deleted: 2 });
  });

  it("lists what it deletes in the report file, or would delete", async () => {
    await load(many(1_005).concat(place("a")));
    const [full, csv] = [path("report.json"), path("report.csv")];
    const stopped = await load([place("a"), invalid("n0")], "--sync", "--report", full);
    expect([stopped.status, stopped.stderr]).toEqual([2, expect.stringContaining("... and 4 more: --report FILE")]);
    const report = JSON.parse(readFileSync(full, "utf8"));
    expect([report.records.length, report.deletions.length]).toEqual([2, 1_004]);
    expect(report.deletions[0]).toBe(`${BASE}place/n1`);
    await load([place("a"), invalid("n0")], "--sync", "--max-delete", "100%", "--report", csv);
    const rows = readFileSync(csv, "utf8").split("\r\n");
    expect(rows.filter((row) => row.includes("Deletion")).length).toBe(1_004);
    expect(rows).toContain(`${BASE}place/n1,n1,,place,Deletion,,The input lacks this record.,,,,`);
  });

  it.each(["x", "-1", "1.5", "%"])("takes no --max-delete %s", async (limit) => {
    const { status, stderr } = await load([place("a")], "--sync", `--max-delete=${limit}`);
    expect([status, stderr]).toEqual([2, expect.stringContaining("--max-delete")]);
    expect(existsSync(path("store"))).toBe(false);
  });
});

describe("load --max-invalid", () => {
  it("changes nothing when more records are invalid", async () => {
    const stopped = await load([place("a"), invalid("b"), invalid("c")], "--max-invalid", "1");
    expect([stopped.status, stopped.stderr]).toEqual([2, expect.stringContaining("2 records invalid, and")]);
    expect((await state()).iris).toEqual([]);
    const loaded = await load([place("a"), invalid("b"), invalid("c")], "--max-invalid", "2");
    expect([loaded.status, (await state()).iris]).toEqual([1, ["a"]]);
  });
});

describe("load --dry-run", () => {
  it("reports what would be done and does nothing", async () => {
    await load([place("a"), place("b"), place("c")]);
    const before = await state();
    const { status, stderr, stdout } = await load(
      [place("a"), place("b", { _label: "another" }), place("d")],
      "--dry-run",
      "--json",
      "--sync",
      "--max-delete=1",
    );
    expect(status).toBe(0);
    expect(stderr).toContain("a load would give: 1 created, 1 replaced, 1 unchanged, 0 refused, 1 deleted");
    expect(stderr).toContain(`would be deleted: <${BASE}place/c>`);
    expect(JSON.parse(stdout)).toMatchObject({ created: 1, replaced: 1, unchanged: 1, deleted: 1, sequence: 3 });
    expect(await state()).toEqual(before);
    expect(readdirSync(path("store", "staging"))).toEqual([]);
  });

  it("makes no store, and refuses what is no folder", async () => {
    const { status, stderr } = await load([place("a")], "--dry-run");
    expect([status, stderr, existsSync(path("store"))]).toEqual([0, expect.stringContaining("1 created"), false]);
    mkdirSync(path("store"));
    expect((await load([place("a")], "--dry-run")).stderr).toContain("1 created");
    expect(readdirSync(path("store"))).toEqual([]);
    rmdirSync(path("store"));
    writeFileSync(path("store"), "");
    expect((await load([place("a")], "--dry-run")).status).toBe(2);
  });

  it("ends as the load itself would", async () => {
    await load([place("a"), place("b")]);
    expect((await load([place("a")], "--sync", "--max-delete", "0", "--dry-run")).status).toBe(2);
    expect((await load([invalid("a")], "--dry-run")).status).toBe(1);
  });
});

describe("loading the same again", () => {
  const quads = (lines: readonly string[]) =>
    lines
      .map((line) => `${line.replaceAll("crm:", "http://www.cidoc-crm.org/cidoc-crm/")} <${BASE}place/a> .\n`)
      .join("");
  const lines = [
    `<${BASE}place/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <crm:E53_Place>`,
    `<${BASE}place/a> <http://www.w3.org/2000/01/rdf-schema#label> "a"`,
    `<${BASE}place/a> <crm:P1_is_identified_by> _:one`,
    `_:one <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <crm:E33_E41_Linguistic_Appellation>`,
    `_:one <crm:P190_has_symbolic_content> "a"`,
    `<${BASE}place/a> <crm:P1_is_identified_by> _:two`,
    `_:two <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <crm:E33_E41_Linguistic_Appellation>`,
    `_:two <crm:P190_has_symbolic_content> "b"`,
  ];
  async function loadQuads(content: string, ...options: string[]): Promise<object> {
    return json("load", file("input.nq", content), ...options);
  }

  it("changes nothing for quads in another order and under other labels, unless `ordered` is set", async () => {
    expect(await loadQuads(quads(lines))).toMatchObject({ created: 1 });
    const shuffled = quads(lines.toReversed()).replaceAll("_:one", "_:x1").replaceAll("_:two", "_:one");
    expect(await loadQuads(shuffled)).toMatchObject({ unchanged: 1, sequence: 1 });
    expect(await loadQuads(shuffled, ...inFile({ ordered: true }))).toMatchObject({ replaced: 1, sequence: 2 });
    expect(await loadQuads(shuffled.replace('"b"', '"c"'))).toMatchObject({ replaced: 1, sequence: 3 });
  });
});
