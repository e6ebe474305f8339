import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openForLoading } from "../../src/store/embedded/embedded-store.js";
import { run } from "./run.js";

const CONTEXT = "https://linked.art/ns/v1/linked-art.json";
const BASE = "https://museum.example/place/";
const PAGE = 16_384;

let folder: string;
let sound: string;
let damaged: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-check-"));
  sound = join(folder, "sound");
  damaged = join(folder, "damaged");
  const input = join(folder, "places.jsonl");
  const places = Array.from({ length: 300 }, (_, at) => {
    const content = `the place of number ${at}`;
    return { "@context": CONTEXT, id: BASE + at, type: "Place", _label: content, part_of: [] };
  });
  writeFileSync(input, places.map(({ part_of: _, ...place }) => `${JSON.stringify(place)}\n`).join(""));
  await run(["load", input, "--store", sound, "--source", "places"]);
  await run(["delete", `${BASE}7`, "--store", sound]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(damaged, { recursive: true, force: true });
  cpSync(sound, damaged, { recursive: true });
});

/** Change the bytes of the damaged store's file. */
function change(work: (bytes: Buffer) => Buffer): void {
  const file = join(damaged, "records.mdb");
  writeFileSync(file, work(readFileSync(file)));
}

describe("check", () => {
  it("finds nothing wrong with a sound store", async () => {
    expect(await run(["check", "--store", sound])).toEqual({
      status: 0,
      stdout: "",
      stderr: "299 records, no problems\n",
    });
    const { stdout } = await run(["check", "--store", sound, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ records: 299, problems: [] });
  });

  it("names the record whose bytes were changed, and nobody reads it any more", async () => {
    change((bytes) => Buffer.from(bytes.toString("latin1").replaceAll("number 42", "number 24"), "latin1"));
    const { status, stdout, stderr } = await run(["check", "--store", damaged]);
    // The list of labels was changed too.
    const problem = `the record <${BASE}42> does not have the checksum that it was stored with\n`;
    expect([status, stdout]).toEqual([1, expect.stringContaining(problem)]);
    expect(stderr).toContain("restore it from a copy");
    const got = await run(["get", `${BASE}42`, "--store", damaged]);
    expect([got.status, got.stdout]).toEqual([2, ""]);
    expect(got.stderr).toContain("does not have the checksum that it was stored with");
    expect((await run(["get", `${BASE}43`, "--store", damaged])).status).toBe(0);
    expect((await run(["export", "--store", damaged])).status).toBe(2);
  });

  it("reports a file that is cut short, or no store at all", async () => {
    truncateSync(join(damaged, "records.mdb"), 4 * PAGE);
    const cut = await run(["check", "--store", damaged]);
    expect([cut.status, cut.stdout]).toEqual([1, expect.stringContaining("is cut short")]);
    change(() => Buffer.from("no store".repeat(9999)));
    const none = await run(["check", "--store", damaged]);
    expect([none.status, none.stdout]).toEqual([1, expect.stringContaining("is no LMDB file")]);
  });

  it("survives any torn page, and finds every one that anything is lost with", async () => {
    const exported = (await run(["export", "--store", sound])).stdout;
    const pages = readFileSync(join(sound, "records.mdb")).length / PAGE;
    const found: number[] = [];
    for (let page = 2; page < pages; page += Math.ceil(pages / 16)) {
      cpSync(join(sound, "records.mdb"), join(damaged, "records.mdb"));
      change((bytes) => bytes.fill(0xa5, page * PAGE + 100, (page + 1) * PAGE));
      const { status } = await run(["check", "--store", damaged]);
      found.push(status);
      if (status === 0) expect((await run(["export", "--store", damaged])).stdout).toBe(exported);
    }
    expect(new Set(found)).toEqual(new Set([0, 1]));
  });

  it("says that there is no store", async () => {
    const { status, stderr } = await run(["check", "--store", join(folder, "none")]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("there is no store in")]);
    const inFile = join(folder, "places.jsonl");
    const refused = await run(["check", "--store", inFile]);
    expect([refused.status, refused.stderr]).toEqual([
      2,
      `vitrine: ${inFile}/records.mdb: a part of the path is no directory\n`,
    ]);
  });

  it.each<[string, (database: Awaited<ReturnType<typeof openForLoading>>["database"]) => unknown, RegExp]>([
    ["counts", (it) => it.facts.putSync("state", { ...it.state, triples: 1 }), /says 1 for triples, and has 598/],
    ["numbers", (it) => it.numbers.clearSync(), /is not found by its number/],
    ["mentions", (it) => it.mentions.putSync(Buffer.alloc(14), Buffer.alloc(6)), /1 more mentions are stored/],
    ["changes", (it) => it.changes.removeSync(Buffer.from([0, 0, 0, 0, 0, 0, 0, 9])), /change 10 follows change 8/],
    ["tombstones", (it) => it.tombstones.putSync(Buffer.from(`${BASE}3`), Buffer.alloc(8)), /names no deletion/],
  ])("finds %s that contradict the records", async (_, spoil, problem) => {
    const store = await openForLoading(damaged);
    store.database.root.transactionSync(() => spoil(store.database));
    await store.close();
    const { status, stdout } = await run(["check", "--store", damaged]);
    expect([status, stdout]).toEqual([1, expect.stringMatching(problem)]);
  });
});
