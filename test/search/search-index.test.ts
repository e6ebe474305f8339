/** The search index: what it finds, in which order, and that it follows the records whatever becomes of them and of its file. */
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CONTENT } from "../../src/model/found-by.js";
import type { EndpointName } from "../../src/model/tables/endpoints.js";
import { classIri, propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { type RecordGraph, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../../src/rdf/terms.js";
import { openSearched, openSearchedForLoading } from "../../src/search/open.js";
import { SEARCH_FILE } from "../../src/search/schema.js";
import { SearchIndex, SearchIndexError } from "../../src/search/search-index.js";
import { Sqlite } from "../../src/search/sqlite.js";
import { InvalidCursorError } from "../../src/store/errors.js";
import { openForLoading } from "../../src/store/open.js";
import type { SearchQuery } from "../../src/store/search.js";
import type { Staged } from "../../src/store/writable-store.js";
import { runsOf } from "../extent.js";

interface Content {
  readonly label?: string;
  readonly names?: readonly string[];
  readonly identifiers?: readonly string[];
  readonly statements?: readonly string[];
  /** Its IRI, or its label after it: `urn:m Rembrandt`. */
  readonly maker?: string;
  readonly years?: readonly [begin: string, end: string];
  readonly type?: string;
  readonly endpoint?: EndpointName;
}

const CLASSES: Partial<Record<EndpointName, string>> = { object: "HumanMadeObject", person: "Person" };

function graphOf(iri: string, content: Content): RecordGraph {
  const builder = new RecordGraphBuilder(iri, undefined);
  const root = builder.iri(iri);
  const typed = (node: number, name: string): void => {
    builder.add(node, builder.iri(RDF.type), builder.iri(classIri(name)!));
  };
  const refer = (node: number, term: string, to: number): void => {
    builder.add(node, builder.iri(propertyIri(term)!), to);
  };
  typed(root, CLASSES[content.endpoint ?? "object"]!);
  if (content.label !== undefined) builder.add(root, builder.iri(RDFS_LABEL), builder.literal(content.label));
  const say = (term: string, name: string, says: string, id: string): void => {
    const node = builder.blank(id);
    refer(root, term, node);
    typed(node, name);
    builder.add(node, builder.iri(CONTENT), builder.literal(says));
    if (content.type !== undefined) refer(node, "classified_as", builder.iri(`${content.type}/nested`));
  };
  for (const [at, name] of (content.names ?? []).entries()) say("identified_by", "Name", name, `n${at}`);
  for (const [at, id] of (content.identifiers ?? []).entries()) say("identified_by", "Identifier", id, `i${at}`);
  for (const [at, text] of (content.statements ?? []).entries())
    say("referred_to_by", "LinguisticObject", text, `s${at}`);
  if (content.type !== undefined) refer(root, "classified_as", builder.iri(content.type));
  const making = builder.blank("making");
  if (content.maker !== undefined || content.years !== undefined) {
    refer(root, "produced_by", making);
    typed(making, "Production");
  }
  if (content.maker !== undefined) {
    const [, iri, label] = /^(\S+) ?(.*)$/.exec(content.maker)!;
    refer(making, "carried_out_by", builder.iri(iri!));
    if (label !== "") builder.add(builder.iri(iri!), builder.iri(RDFS_LABEL), builder.literal(label!));
  }
  if (content.years !== undefined) {
    const span = builder.blank("span");
    builder.add(making, builder.iri(propertyIri("timespan", "Activity")!), span);
    const [begin, end] = content.years;
    refer(span, "begin_of_the_begin", builder.literal(`${begin}-01-01T00:00:00Z`));
    refer(span, "end_of_the_end", builder.literal(`${end}-12-31T23:59:59Z`));
  }
  return builder.build();
}

let directory: string;
let store: Awaited<ReturnType<typeof openSearchedForLoading>>;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "vitrine-search-"));
  store = await openSearchedForLoading({ directory });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

async function publish(contents: Readonly<Record<string, Content>>, deletions: readonly string[] = []): Promise<void> {
  const stage = await store.stage();
  for (const [iri, content] of Object.entries(contents)) await stage.put(stagedOf(iri, content));
  for (const iri of deletions) await stage.delete(iri);
  await stage.publish();
}

function stagedOf(iri: string, content: Content): Staged {
  const graph = graphOf(iri, content);
  return { graph, endpoint: content.endpoint ?? "object", label: content.label ?? "", valid: true };
}

/** All that a search finds, page by page. */
async function walk(query: SearchQuery, limit: number, isBackward = false): Promise<string[]> {
  const found: string[] = [];
  let cursor = "";
  for (;;) {
    const page = await store.search.find(query, { limit, ...(isBackward ? { before: cursor } : { after: cursor }) });
    const iris = page.items.map(({ iri }) => iri);
    if (isBackward) found.unshift(...iris);
    else found.push(...iris);
    const next = isBackward ? page.previous : page.next;
    if (next === undefined) return found;
    cursor = next;
  }
}

const find = (query: SearchQuery): Promise<string[]> => walk(query, 100);

describe("a search", () => {
  it("finds whole values first, then beginnings, words, begun words, makers, years and kinds, and words of any text", async () => {
    await publish({
      "urn:text": { label: "A portrait", statements: ["Painted after a model by Rembrandt"] },
      "urn:made": { label: "Night", maker: "urn:m Rembrandt" },
      "urn:begun": { label: "Jan Rembrandtsz" },
      "urn:word": { label: "Portrait of Rembrandt" },
      "urn:prefix": { label: "Rembrandt van Rijn" },
      "urn:whole": { label: "Z", names: ["REMBRANDT"] },
      "urn:other": { label: "Rubens" },
    });
    const order = ["urn:whole", "urn:prefix", "urn:word", "urn:begun", "urn:made", "urn:text"];
    expect(await find({ text: "rembrandt" })).toEqual(order);
    expect(await find({ name: "Rémbrandt!" })).toEqual(order.slice(0, -2));
    const { items, total } = await store.search.find({ text: "rembrandt" }, { limit: 10 });
    expect(items.map(({ rank }) => rank)).toEqual(["value", "prefix", "words", "word prefix", "maker", "text"]);
    expect(items[0]).toMatchObject({ label: "Z", endpoint: "object", classes: [classIri("HumanMadeObject")] });
    expect(total).toBe(6);
  });

  it("finds by the names of what a record refers to, whatever they become", async () => {
    const made = { label: "Night", maker: "urn:m Rembrandt" };
    await publish({ "urn:a": made, "urn:m": { label: "Rijn", names: ["Harmenszoon"], endpoint: "person" } });
    expect(await find({ text: "harmenszoon" })).toEqual(["urn:m", "urn:a"]);
    await publish({ "urn:m": { label: "Rijn", names: ["Leiden"], endpoint: "person" } });
    expect(await find({ text: "harmenszoon" })).toEqual([]);
    expect(await find({ text: "leiden night" })).toEqual(["urn:a"]);
    await publish({}, ["urn:m"]);
    expect(await find({ text: "leiden" })).toEqual([]);
    expect(await find({ text: "rembrandt" })).toEqual(["urn:a"]);
  });

  it("puts what much refers to before what nothing does", async () => {
    await publish({
      "urn:a": { label: "Jan Steen", endpoint: "person" },
      "urn:b": { label: "Jan Steen", endpoint: "person" },
      "urn:1": { label: "One", maker: "urn:b" },
      "urn:2": { label: "Two", maker: "urn:b" },
    });
    expect((await find({ text: "jan steen", endpoint: "person" }))[0]).toBe("urn:b");
    expect((await find({ text: "steen", endpoint: "person" }))[0]).toBe("urn:b");
    await publish({ "urn:3": { label: "Three", maker: "urn:a" } }, ["urn:1", "urn:2"]);
    expect((await find({ text: "jan steen", endpoint: "person" }))[0]).toBe("urn:a");
  });

  it("finds years and those of a span, an IRI and how it ends", async () => {
    await publish({
      "https://a.example/12345": { label: "One", years: ["1885", "1890"] },
      "https://a.example/6": { label: "Two", years: ["1889", "1889"] },
      "https://a.example/x": { label: "Three", years: ["1700", "1900"] },
    });
    expect(await find({ text: "1889" })).toEqual(["https://a.example/6", "https://a.example/12345"]);
    expect(await find({ text: "1700" })).toEqual(["https://a.example/x"]);
    expect(await find({ text: "https://a.example/x" })).toEqual(["https://a.example/x"]);
    expect(await find({ text: "12345" })).toEqual(["https://a.example/12345"]);
    expect(await find({ text: "1234" })).toEqual([]);
  });

  it("finds identifiers without regard to punctuation, width and case, whole and by their beginnings", async () => {
    await publish({
      "urn:a": { label: "a", identifiers: ["SK-C-5"] },
      "urn:b": { label: "b", identifiers: ["SK-C-50"] },
      "urn:c": { label: "SK C 5" },
    });
    expect(await find({ identifier: "sk.c.5" })).toEqual(["urn:a", "urn:b"]);
    expect(await find({ identifier: "ＳＫ－Ｃ－５" })).toEqual(["urn:a", "urn:b"]);
    expect(await find({ text: "SK-C-5" })).toEqual(["urn:a", "urn:c", "urn:b"]);
    expect(await find({ name: "SK-C-5" })).toEqual(["urn:c"]);
  });

  it("combines texts, classes, endpoints and relations; classifications of names are not the entity's", async () => {
    const person = classIri("Person")!;
    await publish({
      "urn:a": { label: "Night", maker: "urn:m", type: "urn:t" },
      "urn:b": { label: "Night", maker: "urn:n", type: "urn:t", identifiers: ["1"] },
      "urn:c": { label: "Day", maker: "urn:m" },
      "urn:p": { label: "Night", endpoint: "person", names: ["Night"], type: "urn:u" },
    });
    const by = (property: string, target: string): SearchQuery => ({ relations: [{ property, target }] });
    expect(await find({ name: "night" })).toEqual(["urn:a", "urn:b", "urn:p"]);
    expect(await find({ name: "night", endpoint: "person" })).toEqual(["urn:p"]);
    expect(await find({ name: "night", classes: [person] })).toEqual(["urn:p"]);
    expect(await find({ classes: [person] })).toEqual(["urn:p"]);
    expect(await find({ name: "night", ...by("carried_out_by", "urn:m") })).toEqual(["urn:a"]);
    expect(await find({ name: "night", identifier: "1" })).toEqual(["urn:b"]);
    expect(await find(by("carried_out_by", "urn:m"))).toEqual(["urn:c", "urn:a"]);
    expect(await find(by("classified_as", "urn:t"))).toEqual(["urn:a", "urn:b"]);
    expect(await find(by("classified_as", "urn:t/nested"))).toEqual([]);
    expect(await find(by("part_of", "urn:t"))).toEqual([]);
    expect(await find({})).toHaveLength(4);
    expect(await find({ endpoint: "place" })).toEqual([]);
  });

  it("understands slips, turned names, initials, life dates, short forms and umlauts, and says what was meant", async () => {
    await publish({
      "urn:v": { label: "Johannes Vermeer", endpoint: "person" },
      "urn:r": { label: "Rembrandt van Rijn", endpoint: "person" },
      "urn:m": { label: "Madonna and Child" },
      "urn:w": { label: "Water Lilies", identifiers: ["670"] },
      "urn:d": { label: "Albrecht Dürer", endpoint: "person" },
      "urn:k": { label: "Kaethe Moeller", endpoint: "person" },
      "urn:s": { label: "Saint Peter at Mt. Sinai" },
    });
    const meant = async (text: string): Promise<(string | undefined)[]> => {
      const { items, meant: said } = await store.search.find({ text }, { limit: 3 });
      return [...items.map(({ iri }) => iri), said];
    };
    expect(await meant("rembrant")).toEqual(["urn:r", "rembrandt"]);
    expect(await meant("Madona and child")).toEqual(["urn:m", "madonna and child"]);
    expect(await meant("water lillies")).toEqual(["urn:w", "water lilies"]);
    expect(await meant("Johanes Vermeer")).toEqual(["urn:v", "johannes vermeer"]);
    expect(await meant("Vermeer, Johannes")).toEqual(["urn:v", undefined]);
    expect((await meant("Johannes Vermeer (1632-1675)"))[0]).toBe("urn:v");
    expect((await meant("Johanes Vermeer (1632–1675)"))[0]).toBe("urn:v");
    expect((await meant("J. Vermeer"))[0]).toBe("urn:v");
    expect((await meant("inv. 670"))[0]).toBe("urn:w");
    for (const text of ["Dürer", "Durer", "Duerer", "Albrecht Duerer"])
      expect(await meant(text)).toEqual(["urn:d", undefined]);
    expect((await meant("Käthe Möller"))[0]).toBe("urn:k");
    for (const text of ["St. Peter", "saint peter", "Mount Sinai"])
      expect(await meant(text)).toEqual(["urn:s", undefined]);
    // Four letters are too few to be a slip.
    expect(await meant("rijm")).toEqual([undefined]);
    await publish({}, ["urn:r"]);
    expect(await meant("rembrant")).toEqual([undefined]);
    await publish({ "urn:n": { label: "Night", maker: "urn:x Whistler" } });
    expect(await meant("whisler")).toEqual(["urn:n", "whistler"]);
  });

  it("follows changes and deletions", async () => {
    await publish({ "urn:a": { label: "One", names: ["Alpha"] }, "urn:b": { label: "Two", names: ["Alpha Beta"] } });
    await publish({ "urn:a": { label: "One", names: ["Gamma"] } }, ["urn:b"]);
    expect(await find({ text: "alpha" })).toEqual([]);
    expect(await find({ text: "gamma" })).toEqual(["urn:a"]);
    await publish({ "urn:a": { label: "Another", names: ["Gamma"], endpoint: "person" } });
    expect(await find({ text: "gamma", endpoint: "object" })).toEqual([]);
    expect(await find({ text: "gamma", endpoint: "person" })).toEqual(["urn:a"]);
  });

  it("never finds a held record", async () => {
    await publish({ "urn:a": { label: "Secret" } });
    const stage = await store.stage();
    await stage.put({ ...stagedOf("urn:a", { label: "Secret" }), hold: "name" });
    await stage.publish();
    expect(await find({ text: "secret" })).toEqual([]);
    expect(await find({})).toEqual([]);
  });

  it("refuses cursors that are none", async () => {
    await publish({ "urn:a": { label: "a" } });
    for (const after of ["x", "AAAA", "_____________________________", "BQ", "WzFd", "W3t9XQ"]) {
      await expect(store.search.find({ name: "a" }, { after, limit: 1 })).rejects.toThrow(InvalidCursorError);
    }
  });

  it("takes signs of queries as they are", async () => {
    await publish({ "urn:a": { label: "???" }, "urn:b": { label: 'He said "no"' }, "urn:c": { label: "東京" } });
    expect(await find({ text: "???" })).toEqual(["urn:a"]);
    expect(await find({ text: '"no" OR (names : * ^' })).toEqual([]);
    expect(await find({ text: '"no"' })).toEqual(["urn:b"]);
    expect(await find({ text: "京" })).toEqual(["urn:c"]);
    expect(await find({ text: "\0" })).toHaveLength(3);
  });
});

describe("the relations of Linked Art", () => {
  it("are walked and counted, by label", async () => {
    await publish({
      "urn:b": { label: "B", maker: "urn:m" },
      "urn:a": { label: "A", maker: "urn:m" },
      "urn:c": { label: "C", maker: "urn:n" },
    });
    const { search } = store;
    expect(await search.relatedCount("objectProducedByAgent", "urn:m")).toBe(2);
    const first = await search.related("objectProducedByAgent", "urn:m", { after: "", limit: 1 });
    expect(first.items).toEqual(["urn:a"]);
    const second = await search.related("objectProducedByAgent", "urn:m", { after: first.next!, limit: 1 });
    expect([second.items, second.next]).toEqual([["urn:b"], undefined]);
    const back = await search.related("objectProducedByAgent", "urn:m", { before: second.previous!, limit: 1 });
    expect(back.items).toEqual(["urn:a"]);
  });
});

describe("the search index", () => {
  const path = (): string => join(directory, SEARCH_FILE);
  const all = { "urn:a": { label: "One" }, "urn:b": { label: "Two" } };

  it("is built anew where it is missing, damaged, of another edition or of another store", async () => {
    const spoil: [string, () => void][] = [
      ["missing", () => rmSync(path())],
      ["no database", () => writeFileSync(path(), "something else ".repeat(1_000))],
      ["cut off", () => truncateSync(path(), 20_000)],
      ["without its tables", () => onFile((sqlite) => sqlite.exec("DROP TABLE entity"))],
      ["of another edition", () => onFile((sqlite) => sqlite.exec("UPDATE fact SET edition = 0; DELETE FROM name"))],
      ["of another store", () => onFile((sqlite) => sqlite.exec("UPDATE fact SET mark = 'x'; DELETE FROM name"))],
    ];
    await publish(all);
    for (const [what, act] of spoil) {
      await store.close();
      act();
      const reports: string[] = [];
      store = await openSearchedForLoading({ directory }, (problem) => reports.push(problem));
      await publish({ "urn:c": { label: what } });
      expect(await find({ text: "one" }), what).toEqual(["urn:a"]);
      expect(await find({ text: what }), what).toEqual(["urn:c"]);
      expect(reports).toEqual([]);
    }
  });

  it("is brought to the state of the store by whoever opens it for searching, where a load was cut off before", async () => {
    await publish(all);
    await store.close();
    const loading = await openForLoading({ directory });
    const stage = await loading.stage();
    await stage.put(stagedOf("urn:c", { label: "Three" }));
    await stage.publish();
    await loading.close();
    const reading = await openSearched({ directory }, () => {});
    expect((await reading.search.find({ text: "three" }, { limit: 2 })).items).toHaveLength(1);
    await reading.close();
    store = await openSearchedForLoading({ directory });
  });

  it("follows in a thread when a search comes upon it behind the records", async () => {
    await store.close();
    const loading = await openForLoading({ directory });
    const index = new SearchIndex(directory, loading);
    try {
      const stage = await loading.stage();
      await stage.put(stagedOf("urn:a", { label: "One" }));
      await stage.publish();
      await expect(index.find({ text: "one" }, { limit: 1 })).rejects.toThrow(SearchIndexError);
      await vi.waitUntil(() => index.sequence() === 1, { timeout: 9_000 });
      expect((await index.find({ text: "one" }, { limit: 1 })).items).toHaveLength(1);
    } finally {
      index.close();
      await loading.close();
      store = await openSearchedForLoading({ directory });
    }
  });

  it("lets records be published when it cannot be written, and says so", async () => {
    await publish(all);
    await store.close();
    const reports: string[] = [];
    store = await openSearchedForLoading({ directory }, (problem) => reports.push(problem));
    rmSync(path());
    mkdirSync(path());
    await publish({ "urn:c": { label: "Three" } });
    expect(store.find("urn:c")).toBeDefined();
    expect(reports).toEqual([expect.stringContaining("check --repair")]);
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

  it("finds in either direction, in pages of any size, what one that is built anew finds in one page", async () => {
    const index = new SearchIndex(directory, store);
    const ranked = async (asked: SearchQuery): Promise<string[]> => {
      const { items, total, next } = await index.find(asked, { limit: 1_000 });
      expect([total, next]).toEqual([items.length, undefined]);
      expect(new Set(items.map(({ iri }) => iri)).size).toBe(items.length);
      return items.map(({ iri, rank }) => `${rank} ${iri}`).sort();
    };
    await fc.assert(
      fc.asyncProperty(
        contents,
        fc.array(number, { maxLength: 5 }),
        fc.array(query, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 7 }),
        async (put, gone, queries, limit) => {
          const deletions = gone.map((at) => `urn:${at}`).filter((iri) => !(iri in put));
          await publish(put, deletions);
          const followed = [];
          for (const asked of queries) {
            const whole = (await index.find(asked, { limit: 1_000 })).items.map(({ iri }) => iri);
            expect(await walk(asked, limit)).toEqual(whole);
            expect(await walk(asked, limit, true)).toEqual(whole);
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
      ),
      runsOf(200, 25),
    );
    index.close();
  });
});
