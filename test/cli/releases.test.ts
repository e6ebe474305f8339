/** `vitrine diff A B`: two releases of a collection, whatever form each has. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";
import { feed, painting, place } from "./feeds.js";
import { run } from "./run.js";

const BASE = "https://museum.example/";

function object(name: string, more: object = {}): object {
  const classified_as = [
    { id: "http://vocab.getty.edu/aat/300033618", type: "Type", _label: "Painting" },
    { id: "http://vocab.getty.edu/aat/300133025", type: "Type", _label: "works of art" },
  ];
  return painting(`${BASE}object/${name}`, name, { classified_as, ...more });
}

const placeOf = (name: string): object => place(`${BASE}place/${name}`, name);

const MADE = {
  produced_by: { type: "Production", timespan: { type: "TimeSpan", begin_of_the_begin: "1889-01-01T00:00:00Z" } },
};

const folder = temporaryFolder();
let before: string;
let after: string;
const files: Record<string, string> = {};
beforeAll(async () => {
  const release = async (name: string, documents: readonly object[]): Promise<string> => {
    files[name] = feed(join(folder, `${name}.jsonl`), ...documents);
    const store = join(folder, name);
    await run(["load", files[name], "--store", store]);
    return store;
  };
  const { classified_as } = object("b") as { classified_as: object[] };
  before = await release("before", [object("a"), object("b"), object("c", MADE), object("gone"), placeOf("delft")]);
  after = await release("after", [
    object("a"),
    object("b", { classified_as: classified_as.toReversed() }),
    object("c", {
      _label: "C",
      identified_by: [
        { type: "Name", content: "other" },
        { type: "Name", content: "c" },
      ],
    }),
    object("new"),
    placeOf("Delft"),
  ]);
});

const COUNTS = { created: 2, replaced: 1, deleted: 2, unchanged: 2 };

async function differenceOf(from: string, to: string): Promise<{ counts: object; [key: string]: unknown }> {
  const { status, stdout, stderr } = await run(["diff", from, to, "--json"]);
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

describe("diff of two releases", () => {
  it("resolves relative ids in a file against the base URL of the store that it is compared with", async () => {
    const store = join(folder, "based");
    const file = feed(join(folder, "relative.jsonl"), painting("object/a", "a"));
    await run(["load", file, "--store", store, "--base-url", BASE]);
    for (const pair of [
      [store, file],
      [file, store],
    ] as const)
      expect((await differenceOf(...pair)).counts).toEqual({ created: 0, replaced: 0, deleted: 0, unchanged: 1 });
  });

  it("counts what was created, replaced and deleted, by endpoint, and names records and properties", async () => {
    const { counts, endpoints, properties, records } = await differenceOf(before, after);
    expect([counts, endpoints]).toEqual([
      COUNTS,
      { object: { created: 1, replaced: 1, deleted: 1 }, place: { created: 1, replaced: 0, deleted: 1 } },
    ]);
    const iri = `${BASE}object/c`;
    expect(properties).toMatchObject([
      { property: "_label", records: 1, appeared: 0, vanished: 0, example: { iri, before: "c", after: "C" } },
      { property: "identified_by", records: 1, appeared: 1, vanished: 0 },
      { property: "produced_by", records: 1, appeared: 0, vanished: 1 },
    ]);
    expect(records).toMatchObject({
      created: [{ iri: `${BASE}object/new` }, { iri: `${BASE}place/Delft`, endpoint: "place", label: "Delft" }],
      replaced: [{ iri, properties: ["_label", "identified_by", "produced_by"] }],
      deleted: [{ iri: `${BASE}object/gone` }, { iri: `${BASE}place/delft` }],
    });
  });

  it("is told to people in words and tables", async () => {
    const { stdout } = await run(["diff", before, after]);
    expect(stdout).toContain(`from ${before} to ${after}: 2 created, 1 replaced, 2 deleted, 2 unchanged\n`);
    expect(stdout).toMatch(/\n {2}endpoint +created +replaced +deleted\n {2}object +1 +1 +1\n/);
    expect(stdout).toMatch(/\n {2}_label +1 +0 +0 {2}<\S+object\/c> "c" -> "C"\n/);
    expect(stdout).toContain(`\nreplaced\n  <${BASE}object/c> "C": _label, identified_by, produced_by\n`);
    expect(stdout).toContain(`\ndeleted\n  <${BASE}object/gone> "gone"\n  <${BASE}place/delft> "delft"\n`);
  });

  it("takes stores, documents, quads and dumps for each other, and leaves nothing behind", async () => {
    const quads = join(folder, "after.nq.gz");
    await run(["export", "--store", after, "--output", quads]);
    const shuffled = join(folder, "shuffled.nq");
    const { stdout } = await run(["export", "--store", after]);
    const lines = stdout.split("\n").filter((line) => /^[<_]/.test(line));
    writeFileSync(shuffled, lines.reverse().join("\n"));
    const dumps = join(folder, "dumps");
    await run(["dump", "--store", after, "--dumps", dumps]);
    const [dump = ""] = readdirSync(dumps);
    const forms = [after, files.after!, quads, shuffled, join(dumps, dump)];
    for (const form of forms) {
      expect([form, (await differenceOf(before, form)).counts]).toEqual([form, COUNTS]);
      expect((await differenceOf(form, after)).counts).toEqual({ created: 0, replaced: 0, deleted: 0, unchanged: 5 });
    }
    expect(
      readdirSync(tmpdir()).filter((name) => name.startsWith("vitrine-release-") && name.includes(`-${process.pid}-`)),
    ).toEqual([]);
  });

  it("neither creates nor deletes a record that one of them has, but that cannot be read", async () => {
    const broken = feed(join(folder, "unread.jsonl"), object("a"), object("b", { unknown: 1 }));
    const whole = feed(join(folder, "read.jsonl"), object("a"), object("b"));
    for (const [from, to] of [
      [whole, broken],
      [broken, whole],
    ] as const)
      expect(await differenceOf(from, to)).toMatchObject({
        counts: { created: 0, replaced: 0, deleted: 0, unchanged: 1 },
      });
  });

  it("says which release is missing or cannot be read, and ends when it is interrupted", async () => {
    const missing = await run(["diff", before, join(folder, "none.nq")]);
    expect([missing.status, missing.stderr]).toEqual([
      2,
      expect.stringContaining("none.nq: no such file or directory"),
    ]);
    const broken = join(folder, "broken.jsonl");
    writeFileSync(broken, `${readFileSync(files.before!, "utf8")}{"id": "x"}\n`);
    const { stderr } = await run(["diff", broken, after]);
    expect(stderr).toContain(`${broken}: 1 record unreadable and not compared: vitrine validate says why\n`);
    const interrupted = await run(["diff", before, after], { interrupted: AbortSignal.abort() });
    expect([interrupted.status, interrupted.stderr]).toEqual([2, "vitrine: interrupted\n"]);
  });
});
