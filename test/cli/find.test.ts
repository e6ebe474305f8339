/** `vitrine find`, and stores that get what their records are found by when they are served or repaired. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { openEmbeddedForLoading } from "../../src/store/embedded/embedded-store.js";
import { rebuildDerived } from "../../src/store/open.js";
import { checked } from "../store/checked.js";
import { run, serve } from "./run.js";

const BASE = "http://data.museum.example/";

let folder: string;
let store: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-find-"));
  store = join(folder, "store");
  const records = [
    made("person/1", "Person", "Rembrandt van Rijn", "P-1"),
    made("person/2", "Person", "Titus van Rijn", "P-2"),
    made("object/1", "HumanMadeObject", "The Night Watch\u202e, after Rembrandt", "SK-C-5"),
    made("object/2", "HumanMadeObject", `Rijn ${"long ".repeat(40)}`, "SK-C-50"),
  ];
  const input = join(folder, "records.jsonl");
  writeFileSync(input, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  await run(["load", input, "--store", store]);
});
afterAll(() => rmSync(folder, { recursive: true }));

function made(path: string, type: string, label: string, number: string): object {
  const names = [
    { type: "Name", content: label },
    { type: "Identifier", content: number },
  ];
  return { "@context": DEFAULT_MODEL.contextUri, id: BASE + path, type, _label: label, identified_by: names };
}

async function found(...args: readonly string[]): Promise<{ iri: string; match: string; endpoint: string }[]> {
  const { status, stdout } = await run(["find", ...args, "--store", store, "--json"]);
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

describe("find", () => {
  it("tells records by name, number and words, the nearest first, a line each", async () => {
    const { status, stdout, stderr } = await run(["find", "van", "rijn", "--store", store]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["words", "person", "Rembrandt van Rijn", `${BASE}person/1`],
      ["words", "person", "Titus van Rijn", `${BASE}person/2`],
      [""],
    ]);
    expect((await found("rembrandt VAN rijn"))[0]).toMatchObject({ iri: `${BASE}person/1`, match: "value" });
    expect((await found("sk.c.5")).map(({ iri, match }) => [iri, match])).toEqual([
      [`${BASE}object/1`, "value"],
      [`${BASE}object/2`, "prefix"],
    ]);
  });

  it("shows labels on one line, cut and without what turns a line around", async () => {
    const { stdout } = await run(["find", "rijn", "--endpoint", "object", "--store", store]);
    expect(stdout).toMatch(/^\S+ +object {2}Rijn (?:long ){10}.*… {2}http/);
    const night = await run(["find", "night watch", "--store", store]);
    expect(night.stdout).toContain("The Night Watch , after Rembrandt");
  });

  it("keeps to an endpoint and to a limit, and says when there are more or none", async () => {
    expect((await found("rembrandt", "--endpoint", "object")).map(({ endpoint }) => endpoint)).toEqual(["object"]);
    const first = await run(["find", "rijn", "--limit", "1", "--store", store]);
    expect([first.stdout.split("\n").length, first.stderr]).toEqual([2, "the first 1; --limit gives more\n"]);
    const none = await run(["find", "vermeer", "--store", store]);
    expect(none).toEqual({ status: 0, stdout: "", stderr: "nothing is called so\n" });
  });

  it("refuses an empty text", async () => {
    expect((await run(["find", " ", "--store", store])).status).toBe(2);
  });
});

describe("a load of so many records that a thread gathers what they are found by", () => {
  it("has each of them found, also where it replaces some", async () => {
    const directory = join(folder, "many");
    const load = async (name: string, from: number, to: number, word: string): Promise<void> => {
      const input = join(folder, `${name}.jsonl`);
      const records = Array.from({ length: to - from }, (_, at) => {
        return made(`person/${from + at}`, "Person", `${word} ${(from + at) % 7}`, `P-${from + at}`);
      });
      writeFileSync(input, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
      await run(["load", input, "--store", directory]);
    };
    await load("first", 0, 1_010, "first");
    await load("second", 900, 1_910, "second");
    const hits = async (text: string): Promise<string[]> => {
      const { stdout } = await run(["find", text, "--store", directory, "--limit", "10000", "--json"]);
      return (JSON.parse(stdout) as { iri: string }[]).map(({ iri }) => iri);
    };
    expect(await hits("first")).toHaveLength(900);
    expect(new Set(await hits("second")).size).toBe(1_010);
    for (const number of [0, 899, 900, 1_909]) expect(await hits(`p.${number}`)).toContain(`${BASE}person/${number}`);
    expect(await checked(directory)).toEqual({ records: 1_910, problems: [] });
  });
});

describe("a store that was loaded for other searches", () => {
  const old = async (name: string): Promise<string> => {
    const directory = join(folder, name);
    cpSync(store, directory, { recursive: true });
    const opened = await openEmbeddedForLoading(directory);
    const { database } = opened;
    await database.root.transactionSync(() => {
      database.found!.clearSync();
      database.facts.putSync("state", { ...database.state, found: 0 });
    });
    await opened.close();
    return directory;
  };

  it("is not searched, and is once what is derived from records is rebuilt", async () => {
    const directory = await old("repaired");
    const refused = await run(["find", "rembrandt", "--store", directory]);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("vitrine check --repair")]);
    await rebuildDerived({ directory }, "all");
    expect((await run(["find", "rembrandt", "--store", directory])).stdout.split("\n")).toHaveLength(3);
    expect(await checked(directory)).toEqual({ records: 4, problems: [] });
  });

  it("is searched once it is served", async () => {
    const directory = await old("served");
    const service = await serve(["--store", directory, "--sparql-access", "off"]);
    try {
      const answer = await fetch(`${service.url}/search/all?name=rembrandt`);
      expect([answer.status, ((await answer.json()) as { orderedItems: unknown[] }).orderedItems.length]).toEqual([
        200, 2,
      ]);
    } finally {
      await service.stop();
    }
  });
});
