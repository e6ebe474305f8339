/** Dumps: complete files of one state of a store. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { DUMP_SETTINGS } from "../../src/cli/settings/table.js";
import { type DumpFile, type DumpManifest, RECORD_FORMATS } from "../../src/harvest/dumps/manifest.js";
import { inFile } from "./in-file.js";
import { workspaceForAll } from "./workspace.js";

const BASE = "http://museum.example/";
const CONTEXT = "https://linked.art/ns/v1/linked-art.json";

const workspace = workspaceForAll();
const { path, file, vitrine } = workspace;
beforeAll(() => makeStore());

async function load(documents: readonly object[], ...options: string[]): Promise<void> {
  const loading = ["--base-url", BASE, "--on-invalid", "accept", ...options];
  const { status, stderr } = await workspace.load(documents, ...loading);
  expect(status, stderr).toBeLessThan(2);
}

function place(id: string, label: string, more: object = {}): object {
  return { "@context": CONTEXT, id: `${BASE}place/${id}`, type: "Place", _label: label, ...more };
}

function painting(id: string, label: string, set: string): object {
  const member_of = [{ id: `${BASE}set/${set}`, type: "Set", _label: set }];
  return { "@context": CONTEXT, id: `${BASE}object/${id}`, type: "HumanMadeObject", _label: label, member_of };
}

/** A store that has something of everything: sources, Sets, contexts, deletions, moves, versions, a very long IRI, an invalid record. */
async function makeStore(): Promise<void> {
  const extension = file("extension.json", '{"@context": {"note": "https://museum.example/ns#note"}}');
  const long = `long/${"x".repeat(3000)}`;
  await load(
    [place("a", 'Ä 😀 "a"'), place("b", "B"), place(long, "Long"), place("c", "C", { note: "no such key" })].slice(
      0,
      3,
    ),
  );
  await load(
    [painting("1", "One", "s"), painting("2", "Two", "s"), painting("3", "Three", "t")],
    "--source",
    "objects",
    "--keep=versions",
  );
  await load(
    [{ ...place("e", "Extended"), "@context": ["https://museum.example/extension.json", CONTEXT], note: "seen" }],
    "--context",
    `https://museum.example/extension.json=${extension}`,
  );
  await load([painting("1", "Uno", "t"), painting("2", "Two", "s")], "--source", "objects", "--sync");
  await load([painting("2", "Two", "s")], "--source", "others");
  await load([
    {
      "@context": CONTEXT,
      id: `${BASE}person/x`,
      type: "Person",
      _label: "X",
      born: { type: "Birth", timespan: { type: "TimeSpan", begin_of_the_begin: "1695" } },
    },
  ]);
  await vitrine("delete", `${BASE}place/b`);
  await vitrine("delete", `${BASE}place/${long}`, "--moved-to", `${BASE}place/a`);
  await load([place("b", "B again")]);
}

async function dump(of: string, ...options: string[]): Promise<{ manifest: DumpManifest; directory: string }> {
  const manifest = (await workspace.on(of).json("dump", ...options)) as DumpManifest;
  return { manifest, directory: path(of, "dumps", manifest.folder) };
}

function fileOf({ files }: DumpManifest, of: string, format: string): DumpFile {
  return files.find((file) => file.of === of && file.format === format)!;
}

function content(directory: string, { name }: DumpFile): string {
  return gunzipSync(readFileSync(join(directory, name))).toString();
}

describe("a dump", () => {
  it("has all records in three formats, whole and per endpoint, as export writes them, with checksums that hold", async () => {
    const { manifest, directory } = await dump("store", ...inFile({ "dump-name": "mauritshuis" }));
    expect(manifest).toMatchObject({ name: "mauritshuis", records: 6, baseUrl: BASE, leftOut: [] });
    const sums = readFileSync(join(directory, "SHA256SUMS"), "utf8").trim().split("\n");
    expect(sums).toHaveLength(manifest.files.length);
    for (const file of manifest.files) {
      const bytes = readFileSync(join(directory, file.name));
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(file.sha256);
      expect(bytes.length).toBe(file.bytes);
      expect(sums).toContain(`${file.sha256}  ${file.name}`);
    }
    expect(manifest.files.map(({ name }) => name)).toContain(`mauritshuis-person-${manifest.made.slice(0, 10)}.nq.gz`);
    // The same lines as an export, but for the labels of blank nodes, which count records, and the number of quads.
    const lines = (text: string): string[] =>
      text
        .replace(/_:r\d+b/g, "_:")
        .split("\n")
        .sort();
    const exported = (await vitrine("export")).stdout.replace(/, quads .*/, "");
    expect(lines(content(directory, fileOf(manifest, "all", "nq")))).toEqual(lines(exported));
    const documents = (await vitrine("export", "--format", "jsonl")).stdout;
    expect(lines(content(directory, fileOf(manifest, "all", "jsonl")))).toEqual(lines(documents));
    const people = (await vitrine("export", "--format", "jsonl", "--endpoint", "person")).stdout;
    expect(content(directory, fileOf(manifest, "person", "jsonl"))).toBe(people);
    const triples = content(directory, fileOf(manifest, "place", "nt"));
    expect(content(directory, fileOf(manifest, "place", "nq")).split("\n").length).toBe(triples.split("\n").length + 2);
    const { properties, classes, triples: total } = manifest;
    expect(Object.values(properties).reduce((sum, count) => sum + count, 0)).toBe(total);
    expect(classes["http://www.cidoc-crm.org/cidoc-crm/E53_Place"]).toBe(3);
  });

  it("that is interrupted says so and leaves nothing", async () => {
    const dumps = path("interrupted");
    const interrupted = AbortSignal.abort();
    const { status, stderr } = await vitrine("dump", "--dumps", dumps, { interrupted });
    expect([status, stderr]).toEqual([2, "vitrine: interrupted\n"]);
    expect(readdirSync(dumps)).toEqual([]);
  });

  it("of no records has files that gzip reads", async () => {
    await workspace.on("empty").vitrine("load", "/dev/null", "--format", "nq");
    const { manifest, directory } = await dump("empty");
    expect(manifest.files.map(({ of, format, records }) => [of, format, records])).toEqual(
      ["nt", "nq", "jsonl"].map((format) => ["all", format, 0]),
    );
    for (const format of ["nt", "jsonl"]) expect(content(directory, fileOf(manifest, "all", format))).toBe("");
  });

  it("may be chosen in every format that has a line for each triple or record", () => {
    const { choices } = DUMP_SETTINGS.find(({ name }) => name === "dump-format")!;
    expect(choices).toEqual(RECORD_FORMATS.map(({ name }) => name));
  });

  it("appears whole or not at all, and older ones go", async () => {
    const dumps = path("elsewhere");
    for (let count = 0; count < 3; count++) {
      const { status } = await vitrine("dump", "--dumps", dumps, ...inFile({ "dump-format": ["nq"] }));
      expect(status).toBe(0);
    }
    const left = readdirSync(dumps);
    expect(left).toHaveLength(2);
    expect(left.every((name) => existsSync(join(dumps, name, "dump.json")))).toBe(true);
    expect(readdirSync(join(dumps, left[0]!)).some((name) => name.endsWith(".nt.gz"))).toBe(false);
    expect((await vitrine("dump", ...inFile({ "dump-format": ["ttl"] }))).status).toBe(2);
    expect((await vitrine("dump", ...inFile({ "dump-name": "../x" }))).status).toBe(2);
  });
});

describe("serve", () => {
  it("is the newest even if the clock was set back, and leaves alone what others are writing", async () => {
    const dumps = path("set-back");
    const ahead = { folder: "2999-12-31T235959Z" };
    const unfinished = [".unfinished-2026-11-22T045712Z", ".unfinished-2026-11-22T045713Z-1"];
    for (const name of [ahead.folder, ...unfinished]) mkdirSync(join(dumps, name), { recursive: true });
    writeFileSync(join(dumps, ahead.folder, "dump.json"), JSON.stringify(ahead));
    await vitrine("dump", "--dumps", dumps, ...inFile({ "keep-dumps": 1 }));
    expect(readdirSync(dumps).sort()).toEqual([unfinished[1], "3000-01-01T000000Z"]);
  });

  it("answers dumps with parts and conditions, lists them, and leads from an address that stays", async () => {
    const { manifest, directory } = await dump("store", ...inFile({ "keep-dumps": 1 }));
    const service = await workspace.served("--base-url", BASE);
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${service.url}/${path}`, { redirect: "manual", headers });
    const list = (await (await get("dumps/")).json()) as { dumps: { files: { url: string; sha256: string }[] }[] };
    expect(list.dumps).toHaveLength(1);
    expect(list.dumps[0]!.files).toHaveLength(manifest.files.length);
    const file = fileOf(manifest, "all", "nq");
    const listed = list.dumps[0]!.files.find(({ sha256 }) => sha256 === file.sha256)!;
    const path = listed.url.slice(BASE.length);
    const bytes = readFileSync(join(directory, file.name));
    const whole = await get(path);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    expect(whole.headers.get("content-type")).toBe("application/gzip");
    const part = await get(path, { range: "bytes=10-" });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10))).toBe(true);
    expect((await get(path, { range: "bytes=99999999-" })).status).toBe(416);
    const latest = await get("dumps/latest/all.nq.gz");
    expect([latest.status, latest.headers.get("location")]).toEqual([302, listed.url]);
    expect((await get("dumps/latest/all.zip.gz")).status).toBe(404);
    expect(await (await get("dumps/", { accept: "text/html" })).text()).toContain(file.name);
    expect((await get("dumps/.unfinished-x/dump.json")).status).toBe(404);
  });
});
