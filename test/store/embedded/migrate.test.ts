/** The migration of stores from the older format, and the rebuilding of data that is derived from records. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openEmbeddedForLoading, openReadOnly } from "../../../src/store/embedded/embedded-store.js";
import type { StoreDatabase } from "../../../src/store/embedded/format/database.js";
import { numberKey } from "../../../src/store/embedded/format/keys.js";
import { migrate, rebuild } from "../../../src/store/embedded/maintenance/rebuild.js";
import { StoreFormatError } from "../../../src/store/errors.js";
import { statusOf } from "../../cli/built.js";
import { run, serve } from "../../cli/run.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { problemsIn } from "../checked.js";
import { graphOf, MEMBER_OF, publish } from "../records.js";

const BASE = "http://data.museum.example/";
const FILES = "test/store/embedded/format-4";

let directory: string;
beforeEach(() => {
  directory = join(temporaryFolder(onTestFinished), "store");
});

/** Create a store as written by the last version with format 4: loads with a source, contexts and Sets, replacements and deletions. */
function older(): void {
  mkdirSync(directory);
  writeFileSync(join(directory, "records.mdb"), gunzipSync(readFileSync(`${FILES}.mdb.gz`)));
}

const vitrine = (...args: string[]) => run([...args, "--store", directory]);
const exported = async (): Promise<string[]> =>
  (await vitrine("export")).stdout.split("\n").filter((line) => line.startsWith("<"));
const written = readFileSync(`${FILES}.nq`, "utf8")
  .split("\n")
  .filter((line) => line.startsWith("<"));

/** Create a store of the first version with format 4, which did not yet index references to documents, such as those by `conforms_to`. */
function early(): void {
  mkdirSync(directory);
  writeFileSync(join(directory, "records.mdb"), gunzipSync(readFileSync(`${FILES}-early.mdb.gz`)));
}

describe("an early store of format 4", () => {
  const delft = `${BASE}place/1`;
  it.each([
    ["a repair", () => rebuild(directory)],
    ["a load", () => vitrine("load", "/dev/null", "--format", "nq")],
    ["a deletion", () => vitrine("delete", delft)],
    ["a move", () => vitrine("delete", delft, "--moved-to", `${BASE}digital/1`)],
    ["rebase", () => vitrine("rebase", BASE, "https://data.museum.example/")],
    [
      "a service that loads first",
      async () => {
        const service = await serve(["--store", directory, "--sparql-access", "off", "--load", "/dev/null"]);
        await service.stop();
      },
    ],
  ])("passes a check after %s", async (_, upgrade) => {
    early();
    await upgrade();
    expect(await problemsIn(directory)).toEqual([]);
    await using store = await openReadOnly(directory);
    const referring = await store.references.counts("http://www.w3.org/TR/SVG11/");
    expect(referring.map(({ records }) => records)).toEqual([2]);
  });

  it.each([
    ["opening", () => vitrine("load", "/dev/null", "--format", "nq")],
    ["start of a service", async () => (await serve(["--store", directory, "--sparql-access", "off"])).stop()],
  ])("is upgraded at the next %s if the one before was killed half-way, and not read before", async (_, upgrade) => {
    early();
    await migrate(directory);
    await expect(openReadOnly(directory)).rejects.toThrow(StoreFormatError);
    await upgrade();
    expect(await problemsIn(directory)).toEqual([]);
    await (await openReadOnly(directory)).close();
  });

  it.each([["serve"], ["load", "/dev/null", "--format", "nq"]])(
    "stays as it is when %s is interrupted, before or half-way",
    async (...args) => {
      early();
      for (const begin of [async () => {}, () => migrate(directory)]) {
        await begin();
        const interrupted = AbortSignal.abort();
        expect(await run([...args, "--store", directory], { interrupted })).toMatchObject({ status: 2 });
        await expect(openReadOnly(directory)).rejects.toThrow(StoreFormatError);
      }
      await rebuild(directory);
      expect(await problemsIn(directory)).toEqual([]);
    },
  );
});

describe("a store of format 4", () => {
  it("is refused for reading, with a message that says what to do", async () => {
    older();
    await expect(openReadOnly(directory)).rejects.toThrow(StoreFormatError);
    const { status, stderr } = await vitrine("stats");
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/`vitrine check --repair` or the next load brings it to format 5/),
    ]);
  });

  it.each([
    ["a repair", () => rebuild(directory)],
    ["the next load", () => vitrine("load", "/dev/null", "--format", "nq")],
  ])("is brought to the present format by %s, and loses nothing", async (_, bring) => {
    older();
    await bring();
    expect(await problemsIn(directory)).toEqual([]);
    expect(await exported()).toEqual(written);
    const stats = { records: 14, triples: 87, sequence: 22, baseUrl: BASE, sources: { objects: 13 } };
    expect(JSON.parse((await vitrine("stats", "--json")).stdout)).toMatchObject(stats);
    const store = await openReadOnly(directory);
    try {
      expect((await store.changes.page({ source: "objects", limit: 99 })).length).toBeGreaterThan(13);
      expect(await store.tombstone(`${BASE}object/11`)).toMatchObject({ kind: "delete", label: "Bild 11" });
      // Of the four replaced records, three stayed members and one left; two members were deleted.
      expect(await store.changes.count({ set: `${BASE}set/1` })).toBe(18);
      expect(await store.references.counts(`${BASE}set/1`)).toEqual([{ property: MEMBER_OF, records: 9 }]);
      expect([...(await store.contexts()).keys()]).toEqual(["https://museum.example/own.json"]);
      expect((await store.find(`${BASE}person/ö`)!.record()).graph.context).toEqual([
        { ex: "https://example.org/" },
        "https://linked.art/ns/v1/linked-art.json",
      ]);
      expect((await store.lists.page("object", { limit: 99 })).items).toHaveLength(11);
    } finally {
      await store.close();
    }
  });

  it("can then be loaded into and read like any other", async () => {
    older();
    await vitrine("delete", `${BASE}object/0`);
    expect(await problemsIn(directory)).toEqual([]);
    expect((await vitrine("get", `${BASE}object/1`)).stdout).toContain("Bild 1 neu");
    expect((await vitrine("find", "Bild")).stdout.trim().split("\n")).toHaveLength(9);
  });
});

it("a service brings a store of format 4 to the present format when it starts", async () => {
  older();
  const service = await serve(["--store", directory, "--sparql-access", "off"]);
  expect(await statusOf(`${service.url}/entity?uri=${encodeURIComponent(`${BASE}object/1`)}`)).toBe(200);
  expect(await statusOf(`${service.url}/search/all?text=nummer`)).toBe(200);
  expect(await service.stop()).toBe(0);
  expect(await problemsIn(directory)).toEqual([]);
});

describe("check --repair", () => {
  /** Ways of damaging each table, as a faulty program or disk might. */
  const damages: readonly [string, (database: StoreDatabase) => void][] = [
    ["the backlinks", ({ backlinks }) => backlinks.clearSync()],
    ["a stray backlink", ({ backlinks }) => backlinks.putSync(Buffer.alloc(14), Buffer.alloc(6))],
    ["the lists", ({ lists }) => lists.clearSync()],
    ["the numbers", ({ numbers }) => numbers.clearSync()],
    ["the changes by source and endpoint", ({ scopedChanges }) => scopedChanges.clearSync()],
    ["the times of blocks", ({ blockTimes }) => blockTimes.clearSync()],
    ["a bit of a list", ({ root }) => flip(root, "lists")],
    ["a bit of a number", ({ root }) => flip(root, "numbers")],
    ["a bit of a block's time", ({ root }) => flip(root, "blockTimes")],
    [
      "the counts",
      ({ facts, state }) =>
        facts.putSync("state", { ...state, records: 1, triples: 2, invalid: 3, endpoints: {}, sources: {} }),
    ],
    ["the number of held records", ({ facts }) => facts.putSync("held", { records: 7, sources: { nobody: 7 } })],
  ];

  function flip(root: StoreDatabase["root"], name: string): void {
    const table = root.openDB<Buffer, Buffer>({ name, encoding: "binary", keyEncoding: "binary" });
    const [{ key, value }] = [...table.getRange({ limit: 1 })] as [{ key: Buffer; value: Buffer }];
    const other = Buffer.from(value);
    other[0]! ^= 1;
    table.putSync(key, other);
  }

  it.each(damages)("rebuilds %s from the records", async (_, damage) => {
    const store = await openEmbeddedForLoading(directory);
    const stage = await store.stage({ source: "feed" });
    const about = { endpoint: "object", label: "x", valid: true } as const;
    for (const name of ["a", "b", "c"])
      await stage.put({ graph: graphOf(`urn:${name}`, { sets: ["urn:set"] }), ...about });
    await stage.put({ graph: graphOf("urn:held"), ...about, hold: "name" });
    await stage.publish();
    await publish(store, [graphOf("urn:b", { label: "other", materials: ["urn:oak"] })], ["urn:c"]);
    await store.close();
    const before = (await vitrine("stats", "--json")).stdout;
    const spoilt = await openEmbeddedForLoading(directory);
    spoilt.database.root.transactionSync(() => damage(spoilt.database));
    await spoilt.close();
    expect(await problemsIn(directory)).not.toEqual([]);
    await rebuild(directory);
    expect(await problemsIn(directory)).toEqual([]);
    expect((await vitrine("stats", "--json")).stdout).toBe(before);
    await using reader = await openReadOnly(directory);
    expect(await reader.references.counts("urn:oak")).toHaveLength(1);
    expect((await reader.lists.page("object", { limit: 9 })).items.map(({ iri }) => iri).sort()).toEqual([
      "urn:a",
      "urn:b",
    ]);
    expect(await reader.changes.count({ source: "feed" })).toBe(5);
    expect(reader.database.numbers.get(numberKey(1))!.toString()).toBe("urn:a");
    expect(reader.held.find("urn:held")).toBeDefined();
  });
});
