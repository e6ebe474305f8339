/** `vitrine find`, and search indexes that are checked, repaired and built. */
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { rebuildSearch, searchProblems } from "../../src/search/open.js";
import { SEARCH_FILE } from "../../src/search/schema.js";
import { SearchIndex } from "../../src/search/search-index.js";
import { Sqlite } from "../../src/search/sqlite.js";
import type { Facets } from "../../src/store/search.js";
import { workspaceForAll } from "./workspace.js";

const BASE = "http://data.museum.example/";

const { path, feed, vitrine, json, on } = workspaceForAll();
beforeAll(async () => {
  const records = [
    made("person/1", "Person", "Rembrandt van Rijn", "P-1"),
    made("person/2", "Person", "Titus van Rijn", "P-2"),
    made("object/1", "HumanMadeObject", "The Night Watch\u202e, after Rembrandt", "SK-C-5"),
    made("object/2", "HumanMadeObject", `Rijn ${"long ".repeat(40)}`, "SK-C-50"),
  ];
  await vitrine("load", feed("records.jsonl", ...records));
});

function made(path: string, type: string, label: string, number: string): object {
  const names = [
    { type: "Name", content: label },
    { type: "Identifier", content: number },
  ];
  return { "@context": DEFAULT_MODEL.contextUri, id: BASE + path, type, _label: label, identified_by: names };
}

async function found(...args: readonly string[]): Promise<{ iri: string; match: string; endpoint: string }[]> {
  const { status, stdout } = await vitrine("find", ...args, "--json");
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

describe("find", () => {
  it("ends when it is interrupted while it builds the index, and so do export and explain", async () => {
    const { vitrine } = on("interrupted");
    await vitrine("load", feed("one.jsonl", made("person/1", "Person", "Rembrandt van Rijn", "P-1")));
    for (const file of [SEARCH_FILE, `${SEARCH_FILE}-sums`]) rmSync(path(`interrupted/${file}`), { force: true });
    for (const [command, text] of Object.entries({ find: "rijn", export: "rijn", explain: "P-1" })) {
      const { status, stderr } = await vitrine(command, text, { interrupted: AbortSignal.abort() });
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(/^building the search index.*\nvitrine: interrupted\n$/),
      ]);
    }
  });

  it("tells records by name, number and words, the nearest first, a line each", async () => {
    const { status, stdout, stderr } = await vitrine("find", "van", "rijn");
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
    const { stdout } = await vitrine("find", "rijn", "--endpoint", "object");
    expect(stdout).toMatch(/^\S+ +object {2}Rijn (?:long ){10}.*… {2}http/);
    const night = await vitrine("find", "night watch");
    expect(night.stdout).toContain("The Night Watch , after Rembrandt");
  });

  it("keeps to an endpoint and to a limit, and says when there are more or none", async () => {
    expect((await found("rembrandt", "--endpoint", "object")).map(({ endpoint }) => endpoint)).toEqual(["object"]);
    const first = await vitrine("find", "rijn", "--limit", "1");
    expect([first.stdout.split("\n").length, first.stderr]).toEqual([2, "the first 1 of 3; --limit gives more\n"]);
    const none = await vitrine("find", "vermeer");
    expect(none).toEqual({ status: 0, stdout: "", stderr: "nothing found\n" });
  });

  it("takes IRIs relative to the base URL of the store and percent-encoded, and texts with a slash as they are", async () => {
    const other = on("relative");
    const part = { part_of: [{ id: `${BASE}place/één`, type: "Place", _label: "One" }] };
    const places = [made("place/één", "Place", "One", "AK/1"), { ...made("place/2", "Place", "Two", "AK/2"), ...part }];
    await other.vitrine("load", feed("places.jsonl", ...places), "--base-url", BASE);
    for (const [where, iri] of [
      ["under=place/één", "place/2"],
      ["partOf=place/%C3%A9%C3%A9n", "place/2"],
      [`partOf=${BASE}place/%C3%A9%C3%A9n`, "place/2"],
      ["identifier=AK/1", "place/één"],
    ] as const)
      expect((await other.json("find", "--where", where)).map((each: { iri: string }) => each.iri)).toEqual([
        BASE + iri,
      ]);
    expect((await vitrine("find", "--where", "under=place/1")).stderr).toContain("give --base-url");
  });

  it("narrows, sorts and counts as searches over HTTP do", async () => {
    const sorted = await found("--where", "sort=-date", "--where", "name=rijn", "--where", "type=Person");
    expect(sorted.map(({ iri }) => iri)).toEqual([`${BASE}person/1`, `${BASE}person/2`]);
    const numbered = await found("--endpoint", "object", "--where", "sort=number", "--where", "picture=no");
    expect(numbered.map(({ iri }) => iri)).toEqual([`${BASE}object/1`, `${BASE}object/2`]);
    expect(await found("rijn", "--where", `under=${BASE}set/1`)).toEqual([]);
    const { stdout } = await vitrine("find", "rijn", "--facets");
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["endpoint", "2", "person"],
      ["endpoint", "1", "object"],
      ["picture", "3", "without a picture", "no"],
      ["changed", "3", "in the last day", "day"],
      ["changed", "3", "in the last month", "month"],
      ["changed", "3", "in the last week", "week"],
      ["changed", "3", "in the last year", "year"],
      [""],
    ]);
    const facets = await json("find", "--facets");
    expect(facets[0]).toEqual({ facet: "endpoint", value: "object", label: "object", records: 2 });
    const estimated = { isEstimated: true, values: facets };
    const counting = vi.spyOn(SearchIndex.prototype, "facets").mockResolvedValueOnce(estimated as unknown as Facets);
    expect((await json("find", "--facets"))[0]).toEqual({ ...(facets[0] as object), isEstimate: true });
    counting.mockRestore();
  });

  it("says why it found each, where it is asked", async () => {
    const { stdout } = await vitrine("find", "night", "rembrandt", "--explain");
    expect(stdout).toMatch(/^words +object .* +names: night rembrandt\n$/);
    const [whole] = (await found("sk-c-5", "--explain")) as unknown as { reasons: unknown }[];
    expect(whole!.reasons).toEqual([{ field: "numbers", words: ["sk-c-5"] }]);
  });

  it("suggests what may be meant beside the few hits of a rare word", async () => {
    const etchings = Array.from({ length: 41 }, (_, at) =>
      made(`object/e${at}`, "HumanMadeObject", at === 0 ? "Madona" : `Madonna, etching ${at}`, `E-${at}`),
    );
    const store = path("etchings");
    await vitrine("load", feed("etchings.jsonl", ...etchings), "--store", store);
    const { stdout, stderr } = await vitrine("find", "madona", "--store", store);
    expect([stdout, stderr]).toEqual([expect.stringContaining(`${BASE}object/e0`), "did you mean: madonna?\n"]);
  });

  it("refuses what asks for nothing, and what searches do not know", async () => {
    for (const args of [[" "], ["--where", "rijn"], ["--where", "page=2"], ["x", "--where", "begin=soon"]])
      expect([args, (await vitrine("find", ...args)).status]).toEqual([args, 2]);
    expect((await vitrine("find", "--where", "size=1")).stderr).toContain("There is no parameter size");
  });
});

describe("the search index of a store", () => {
  const spoilt = (name: string, spoil: (file: string) => void): string => {
    cpSync(path("store"), path(name), { recursive: true });
    spoil(path(name, SEARCH_FILE));
    return path(name);
  };
  const problems = async (directory: string): Promise<string> => (await searchProblems({ directory })).join();

  it.each<[string, RegExp, (file: string) => void]>([
    ["damaged", /damaged/, (file) => writeFileSync(file, "nothing of the kind ".repeat(500))],
    [
      "without its records",
      /has 0 records, and the store 4/,
      (file) => {
        onFile(file, "DELETE FROM entity");
        rmSync(`${file}-sums`);
      },
    ],
  ])("is told of when it is %s, and mended", async (name, told, spoil) => {
    const directory = spoilt(name, spoil);
    expect(await problems(directory)).toMatch(told);
    await rebuildSearch({ directory });
    expect(await problems(directory)).toBe("");
    expect((await on(name).vitrine("find", "rembrandt")).stdout.split("\n")).toHaveLength(3);
  });

  it("is built by whoever searches first, and by a service; that there is none yet is no fault", async () => {
    const directory = spoilt("found", (file) => rmSync(file));
    expect(await problems(directory)).toBe("");
    const behind = spoilt("behind", (file) => onFile(file, "UPDATE fact SET sequence = 1, state = 1"));
    expect(await problems(behind)).toBe("");
    expect((await on("behind").vitrine("find", "rembrandt")).stdout.split("\n")).toHaveLength(3);
    const { stdout, stderr } = await on("found").vitrine("find", "rembrandt");
    expect([stdout.split("\n").length, stderr]).toEqual([
      3,
      expect.stringContaining("building the search index, once"),
    ]);
    expect(await problems(directory)).toBe("");
    spoilt("served", (file) => rmSync(file));
    const service = await on("served").served();
    const answer = await fetch(`${service.url}/search/all?name=rembrandt`);
    expect(((await answer.json()) as { orderedItems: unknown[] }).orderedItems).toHaveLength(2);
  });
});

function onFile(file: string, sql: string): void {
  const sqlite = new Sqlite(file);
  sqlite.exec(sql);
  sqlite.close();
}
