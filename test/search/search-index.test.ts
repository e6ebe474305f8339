/** The search index, which reflects the records whatever happens to them and to its file. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unpacked } from "../../src/base/json.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import { openSearched, rebuildSearch, searchProblems } from "../../src/search/open.js";
import { SEARCH_FILE } from "../../src/search/schema.js";
import { SearchIndex, SearchIndexError } from "../../src/search/search-index.js";
import { Sqlite } from "../../src/search/sqlite.js";
import { InvalidCursorError } from "../../src/store/errors.js";
import { openForLoading } from "../../src/store/open.js";
import type { SearchQuery } from "../../src/store/search.js";
import { forAllAsync, runsOf } from "../properties.js";
import { type Content, SearchedStore, stagedOf } from "./searched-store.js";

const searched = new SearchedStore();
const { publish, find } = { publish: searched.publish.bind(searched), find: searched.find.bind(searched) };

describe("the search index", () => {
  const path = (): string => join(searched.directory, SEARCH_FILE);
  const all = { "urn:a": { label: "One" }, "urn:b": { label: "Two" } };

  it("is built anew if it is missing, damaged, of another edition or of another store", async () => {
    const damage = [expect.stringMatching(/^the search index is damaged \(.+\), and is built anew$/)];
    const spoil: [string, () => void, unknown[]?][] = [
      ["missing", () => rmSync(path())],
      ["not a database", () => writeFileSync(path(), "something else ".repeat(1_000)), damage],
      ["cut off", () => truncateSync(path(), 20_000), damage],
      ["without its tables", () => onFile((sqlite) => sqlite.exec("DROP TABLE entity")), damage],
      ["of another edition", () => onFile((sqlite) => sqlite.exec("UPDATE fact SET edition = 0; DELETE FROM name"))],
      [
        "of another store",
        () => onFile((sqlite) => sqlite.exec("UPDATE fact SET mark = 'x'; DELETE FROM name")),
        damage,
      ],
    ];
    await publish(all);
    for (const [what, act, told = []] of spoil) {
      await searched.store.close();
      act();
      const reports: string[] = [];
      await searched.open((problem) => reports.push(problem));
      await publish({ "urn:c": { label: what } });
      expect(await find({ text: "one" }), what).toEqual(["urn:a"]);
      expect(await find({ text: what }), what).toEqual(["urn:c"]);
      expect(reports, what).toEqual(told);
    }
  });

  it("is no damage if an older version wrote it, with fewer columns and other tables", async () => {
    await publish(all);
    await searched.store.close();
    onFile((sqlite) =>
      sqlite.exec("UPDATE fact SET edition = 9; ALTER TABLE fact DROP COLUMN filling; DROP TABLE word"),
    );
    await searched.open();
    expect(await searchProblems({ directory: searched.directory })).toEqual([]);
    await publish({ "urn:c": { label: "Three" } });
    expect(await find({ text: "one" })).toEqual(["urn:a"]);
  });

  it("ends a walk over all hits with an error when it is built anew meanwhile, which numbers them anew", async () => {
    await publish(all);
    const walk = searched.search.all({}, 1)[Symbol.asyncIterator]();
    expect(await walk.next()).toMatchObject({ value: ["urn:a"] });
    await publish({ "urn:0": { label: "Another" } });
    expect(await walk.next()).toMatchObject({ value: ["urn:b"] });
    const other = searched.search.all({}, 1)[Symbol.asyncIterator]();
    await other.next();
    await rebuildSearch({ directory: searched.directory });
    await expect(other.next()).rejects.toThrow(SearchIndexError);
  });

  it("searches anew what it cached before it was built anew by another process, which numbers all entities anew", async () => {
    const made = { label: "Two", maker: "urn:m Maker" };
    await publish({ "urn:z": { label: "Last" }, "urn:y": { label: "Gone" } });
    await publish({ "urn:b": made, "urn:a": { label: "One" } }, ["urn:y"]);
    const relations = [{ property: "carried_out_by", target: "urn:m" }];
    expect(await find({ relations })).toEqual(["urn:b"]);
    const another = new SearchIndex(searched.directory, searched.store);
    await another.follow({ isAnew: true });
    another.close();
    expect((await searched.search.find({ relations }, { limit: 5 })).items).toHaveLength(1);
    expect((await searched.search.facets({ relations }, ["endpoint"], 5)).values).toHaveLength(1);
  });

  it("misses no hit after a cursor from before the index was built anew, in either direction", async () => {
    for (let at = 6; at > 0; at--) await publish({ [`urn:${at}`]: { label: "Untitled" } });
    const page = (window: object) => searched.search.find({ text: "untitled" }, { limit: 3, ...window });
    const first = await page({});
    const { previous } = await page({ after: first.next });
    expect(await page({ before: previous })).toMatchObject({ items: first.items });
    const another = new SearchIndex(searched.directory, searched.store);
    await another.follow({ isAnew: true });
    another.close();
    for (const window of [
      { after: first.next, limit: 9 },
      { before: previous, limit: 9 },
    ])
      expect((await page(window)).items).toHaveLength(6);
  });

  it("leaves out no hit on the way back from a page whose hits were deleted", async () => {
    await publish(Object.fromEntries([1, 2, 3, 4, 5].map((at) => [`urn:${at}`, { label: "Untitled" }])));
    const page = (window: object) => searched.search.find({}, { limit: 2, ...window });
    const { next, items: first } = await page({});
    const { next: onward, previous, items: second } = await page({ after: next });
    await publish({}, ["urn:5"]);
    const last = await page({ after: onward });
    expect(last).toMatchObject({ items: [], next: undefined });
    expect((await page({ before: last.previous })).items).toEqual(second);
    await publish({}, ["urn:1", "urn:2"]);
    expect(first).toHaveLength(2);
    const begin = await page({ before: previous });
    expect((await page({ after: begin.next })).items).toEqual(second);
  });

  it("gives each hit once while loads change how rare the words are, in either direction", async () => {
    const named = (name: string, count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`urn:${name}${at}`, { label: `Great ${name} ${at}` }]),
      );
    await publish(named("vase", 9));
    for (const way of ["next", "previous"] as const) {
      const found: string[] = [];
      for (let cursor: string | undefined = "", loads = 1; cursor !== undefined; loads++) {
        const window = { limit: 2, [way === "next" ? "after" : "before"]: cursor };
        const { items, [way]: further } = await searched.search.find({ text: "vase" }, window);
        found.push(...items.map(({ iri }) => iri));
        cursor = further;
        await publish(named(way, 10 * loads));
      }
      expect([new Set(found).size, found.length], way).toEqual([9, 9]);
    }
  });

  it("ends a walk of which each page is of another index, as behind a balancer", async () => {
    for (let at = 6; at > 0; at--) await publish({ [`urn:${at}`]: { label: "Untitled" } });
    for (const way of ["next", "previous"] as const) {
      const found: string[] = [];
      let cursor = way === "next" ? undefined : (await searched.search.find({}, { limit: 1, from: "v" })).previous;
      for (let pages = 0; pages < 9; pages++) {
        const window = { limit: 2, [way === "next" ? "after" : "before"]: cursor };
        const { items, [way]: further } = await searched.search.find({}, window);
        found.push(...items.map(({ iri }) => iri));
        if (further === undefined) break;
        cursor = further;
        const another = new SearchIndex(searched.directory, searched.store);
        await another.follow({ isAnew: true });
        another.close();
      }
      expect([new Set(found).size, found.length < 12]).toEqual([6, true]);
    }
  });

  it("refuses a cursor that it has not made", async () => {
    await publish(all);
    const { next } = await searched.search.find({}, { limit: 1 });
    const own = [unpacked<unknown[]>(next!)![0], "__proto__"];
    for (const made of [own, [0, "length", "x", "urn:a"], [0, 0, "urn:a"], [0, 0, {}, "urn:a"], [0, -1], {}, null]) {
      const after = Buffer.from(JSON.stringify(made)).toString("base64url");
      await expect(searched.search.find({}, { after, limit: 1 }), after).rejects.toThrow(InvalidCursorError);
    }
  });

  it("labels a value of a facet with its IRI where its label is blank", async () => {
    await publish({ "urn:a": { label: "One", maker: "urn:m  " } });
    const { values } = await searched.store.search!.facets({ relations: [] }, ["carried_out_by"], 9);
    expect(values.find(({ value }) => value === "urn:m")?.label).toBe("urn:m");
  });

  it("has its pages checked against checksums when it is opened or examined, also after it has followed changes", async () => {
    await publish(all);
    await publish({ "urn:c": { label: "Three" } });
    const problems = async (): Promise<readonly string[]> => {
      const index = new SearchIndex(searched.directory, searched.store);
      return index.problems().finally(() => index.close());
    };
    expect(await problems()).toEqual([]);
    const whole = readFileSync(path());
    for (let at = 100; at < whole.length; at += 4_999) {
      await searched.store.close();
      const flipped = Buffer.from(whole);
      flipped[at]! ^= 4;
      writeFileSync(path(), flipped);
      await searched.open();
      // Some damage of the first page is found by SQLite itself.
      const page = at < 4_096 ? "the search index" : `page ${1 + Math.floor(at / 4_096)} is not what was written`;
      expect(await problems()).toEqual([expect.stringContaining(page)]);
      writeFileSync(path(), whole);
    }
    writeFileSync(path(), whole.fill("x", whole.lastIndexOf("three"), whole.lastIndexOf("three") + 5));
    await publish({ "urn:d": { label: "Four" } });
    expect(await Promise.all(["three", "four"].map((text) => find({ text })))).toEqual([["urn:c"], ["urn:d"]]);
    rmSync(`${path()}-sums`);
    expect([await problems(), existsSync(`${path()}-sums`)]).toEqual([[], true]);
  });

  it("is brought to the state of the store on opening it for searching, if a load was cut off before", async () => {
    await publish(all);
    await searched.store.close();
    const loading = await openForLoading({ directory: searched.directory });
    const stage = await loading.stage();
    await stage.put(stagedOf("urn:c", { label: "Three" }));
    await stage.publish();
    await loading.close();
    const reading = await openSearched({ directory: searched.directory }, () => {});
    expect((await reading.search.find({ text: "three" }, { limit: 2 })).items).toHaveLength(1);
    await reading.close();
    await searched.open();
  });

  it("follows in a thread when a search finds it behind the records", async () => {
    await searched.store.close();
    const loading = await openForLoading({ directory: searched.directory });
    const index = new SearchIndex(searched.directory, loading);
    await using _searched = { [Symbol.asyncDispose]: () => searched.open() };
    await using _loading = { [Symbol.asyncDispose]: () => loading.close() };
    using _index = { [Symbol.dispose]: () => index.close() };
    const stage = await loading.stage();
    await stage.put(stagedOf("urn:a", { label: "One" }));
    await stage.publish();
    await expect(index.find({ text: "one" }, { limit: 1 })).rejects.toThrow(SearchIndexError);
    await expect.poll(() => index.sequence()).toBe(1);
    expect((await index.find({ text: "one" }, { limit: 1 })).items).toHaveLength(1);
  });

  it("does not keep records from being published when it cannot be written, and says so", async () => {
    await publish(all);
    await searched.store.close();
    const reports: string[] = [];
    await searched.open((problem) => reports.push(problem));
    rmSync(path());
    mkdirSync(path());
    await publish({ "urn:c": { label: "Three" } });
    expect(searched.store.find("urn:c")).toBeDefined();
    expect(reports).toEqual([expect.stringContaining("cannot be opened or written to")]);
    rmdirSync(path());
  });

  function onFile(act: (sqlite: Sqlite) => void): void {
    const sqlite = new Sqlite(path());
    act(sqlite);
    sqlite.close();
  }

  const text = fc
    .array(fc.constantFrom("ab", "a", "abc", "b", "Bä", "c", "東", "京"), { minLength: 1, maxLength: 4 })
    .map((words) => words.join(" "));
  const content: fc.Arbitrary<Content> = fc.record({
    label: text,
    names: fc.array(text, { maxLength: 2 }),
    identifiers: fc.array(text, { maxLength: 1 }),
    statements: fc.array(text, { maxLength: 1 }),
    maker: fc.constantFrom("urn:m ab", "urn:n", "urn:1 bc", "urn:2"),
    endpoint: fc.constantFrom<EndpointName>("object", "person"),
  });
  const number = fc.integer({ min: 0, max: 40 });
  const contents = fc.dictionary(
    number.map((at) => `urn:${at}`),
    content,
    { maxKeys: 30 },
  );
  const query = fc.oneof(
    fc.record({ text }),
    fc.record({ name: text }),
    fc.record({ identifier: text }),
    fc.record({ name: text, endpoint: fc.constantFrom<EndpointName>("object", "person") }),
    fc.constantFrom("urn:m", "urn:1").map((target) => ({ relations: [{ property: "carried_out_by", target }] })),
    fc.constant({}),
  );

  it("finds in either direction, in pages of any size, what a newly built index finds in one page", async () => {
    const index = new SearchIndex(searched.directory, searched.store);
    const ranked = async (asked: SearchQuery): Promise<string[]> => {
      const { items, total, next } = await index.find(asked, { limit: 1_000 });
      expect([total, next]).toEqual([items.length, undefined]);
      expect(new Set(items.map(({ iri }) => iri)).size).toBe(items.length);
      return items.map(({ iri, rank }) => `${rank} ${iri}`).sort();
    };
    await forAllAsync(
      [
        contents,
        fc.array(number, { maxLength: 5 }),
        fc.array(query, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 7 }),
      ],
      runsOf(200, 12),
      async (put, gone, queries, limit) => {
        const deletions = gone.map((at) => `urn:${at}`).filter((iri) => !(iri in put));
        await publish(put, deletions);
        const followed = [];
        for (const asked of queries) {
          const whole = (await index.find(asked, { limit: 1_000 })).items.map(({ iri }) => iri);
          expect(await searched.walk(asked, limit)).toEqual(whole);
          expect(await searched.walk(asked, limit, true)).toEqual(whole);
          const all: string[] = [];
          for await (const part of index.all(asked, limit)) {
            expect(part.length).toBeLessThanOrEqual(limit);
            all.push(...part);
          }
          expect(all.sort()).toEqual([...whole].sort());
          followed.push(await ranked(asked));
        }
        await index.follow({ isAnew: true });
        for (const [at, asked] of queries.entries()) expect(await ranked(asked)).toEqual(followed[at]);
      },
    );
    index.close();
  });
});
