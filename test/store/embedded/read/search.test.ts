/** Searches of the embedded store: what a walk in either direction gives is what looking through all records would. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CONTENT } from "../../../../src/model/found-by.js";
import type { EndpointName } from "../../../../src/model/tables/endpoints.js";
import { classIri, propertyIri } from "../../../../src/model/vocabulary/vocabulary.js";
import { type RecordGraph, RecordGraphBuilder } from "../../../../src/rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../../../../src/rdf/terms.js";
import type { EmbeddedStore } from "../../../../src/store/embedded/embedded-store.js";
import { foundBy } from "../../../../src/store/embedded/format/found.js";
import { bestPlace, soughtIn } from "../../../../src/store/embedded/read/matching.js";
import { InvalidCursorError } from "../../../../src/store/errors.js";
import { openForLoading, rebuildDerived } from "../../../../src/store/open.js";
import type { SearchHit, SearchQuery, Window } from "../../../../src/store/search.js";
import type { Staged, WritableStore } from "../../../../src/store/writable-store.js";
import { runsOf } from "../../../extent.js";
import { problemsIn } from "../../checked.js";

interface Content {
  readonly label?: string;
  readonly names?: readonly string[];
  readonly identifiers?: readonly string[];
  readonly statements?: readonly string[];
  readonly maker?: string;
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
  if (content.maker !== undefined) {
    const making = builder.blank("making");
    refer(root, "produced_by", making);
    typed(making, "Production");
    refer(making, "carried_out_by", builder.iri(content.maker));
  }
  return builder.build();
}

let directory: string;
let store: WritableStore;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "vitrine-search-"));
  store = await openForLoading({ directory });
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
    const page = await store.search!.find(query, { limit, ...(isBackward ? { before: cursor } : { after: cursor }) });
    const iris = page.items.map(({ iri }) => iri);
    if (isBackward) found.unshift(...iris);
    else found.push(...iris);
    const next = isBackward ? page.previous : page.next;
    if (next === undefined) return found;
    cursor = next;
  }
}

const find = (query: SearchQuery): Promise<string[]> => walk(query, 100);

async function problems(): Promise<readonly string[]> {
  await store.close();
  const found = await problemsIn(directory);
  store = await openForLoading({ directory });
  return found;
}

describe("a search", () => {
  it("finds whole values first, then beginnings, words, begun words, and words of any text", async () => {
    await publish({
      "urn:text": { label: "A portrait", statements: ["Painted after a model by Rembrandt"] },
      "urn:begun": { label: "Jan Rembrandtsz" },
      "urn:word": { label: "Portrait of Rembrandt" },
      "urn:prefix": { label: "Rembrandt van Rijn" },
      "urn:whole": { label: "Z", names: ["REMBRANDT"] },
      "urn:other": { label: "Rubens" },
    });
    const order = ["urn:whole", "urn:prefix", "urn:word", "urn:begun", "urn:text"];
    expect(await find({ text: "rembrandt" })).toEqual(order);
    expect(await find({ name: "Rémbrandt!" })).toEqual(order.slice(0, -1));
    const { items } = await store.search!.find({ text: "rembrandt" }, { limit: 10 });
    expect(items.map(({ rank }) => rank)).toEqual(["value", "prefix", "words", "word prefix", "text"]);
    expect(items[0]).toMatchObject({ label: "Z", endpoint: "object", classes: [classIri("HumanMadeObject")] });
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

  it("follows changes and deletions, and no text is under two forms", async () => {
    await publish({ "urn:a": { label: "One", names: ["Alpha"] }, "urn:b": { label: "Two", names: ["Alpha Beta"] } });
    await publish({ "urn:a": { label: "One", names: ["Gamma"] } }, ["urn:b"]);
    expect(await find({ text: "alpha" })).toEqual([]);
    expect(await find({ text: "gamma" })).toEqual(["urn:a"]);
    await publish({ "urn:a": { label: "Another", names: ["Gamma"], endpoint: "person" } });
    expect(await find({ text: "gamma", endpoint: "object" })).toEqual([]);
    expect(await find({ text: "gamma", endpoint: "person" })).toEqual(["urn:a"]);
    expect(await problems()).toEqual([]);
  });

  it("follows a publication of so many creations, replacements and deletions that a thread looks through them", async () => {
    const labelled = (from: number, to: number, word: string): Record<string, Content> =>
      Object.fromEntries(
        Array.from({ length: to - from }, (_, at) => [`urn:${from + at}`, { label: `${word} ${from + at}` }]),
      );
    // A thread looks through those after the first thousand, in the order of IRIs: here some of each kind.
    const deleted = Object.keys(labelled(900, 1_000, "gone"));
    await publish(labelled(700, 1_000, "old"));
    await publish(
      { ...labelled(0, 850, "new"), ...labelled(850, 900, "old"), ...labelled(1_000, 1_250, "new") },
      deleted,
    );
    const [old, own] = [await find({ text: "old" }), await find({ text: "new" })];
    expect([old.length, own.length]).toEqual([50, 1_100]);
    expect(await find({ name: "new 1249" })).toEqual(["urn:1249"]);
    expect(await find({ text: "old 950" })).toEqual([]);
    expect(await problems()).toEqual([]);
  });

  it("refuses cursors that are none", async () => {
    await publish({ "urn:a": { label: "a" } });
    for (const after of ["x", "AAAA", "_____________________________", "BQ"]) {
      await expect(store.search!.find({ name: "a" }, { after, limit: 1 })).rejects.toThrow(InvalidCursorError);
    }
  });

  it("works in a store that was made before there were searches, once it is built", async () => {
    await publish({ "urn:a": { label: "One" } });
    const { database } = store as EmbeddedStore;
    const { found: _found, ...state } = database.state;
    await database.root.transactionSync(() => database.facts.putSync("state", state));
    database.found!.clearSync();
    await store.close();
    store = await openForLoading({ directory });
    expect(store.search).toBeUndefined();
    await publish({ "urn:b": { label: "One more" } });
    await store.close();
    await rebuildDerived({ directory }, "search");
    store = await openForLoading({ directory });
    expect(await find({ name: "one" })).toEqual(["urn:a", "urn:b"]);
    expect(await problems()).toEqual([]);
  });

  it("is told of as damaged where the table says other things than the records, and mended", async () => {
    await publish({ "urn:a": { label: "One" }, "urn:b": { label: "Two" } });
    const { found } = (store as EmbeddedStore).database;
    const [key] = [...found!.getKeys({ limit: 1 })];
    await found!.remove(key!);
    expect(await problems()).toEqual([
      expect.stringContaining("is not found by all"),
      expect.stringContaining("-1 more"),
    ]);
    await store.close();
    await rebuildDerived({ directory }, "search");
    store = await openForLoading({ directory });
    expect(await problems()).toEqual([]);
  });

  const text = fc
    .array(fc.constantFrom("ab", "a", "abc", "b", "Bä", "c", "東", "京"), { minLength: 1, maxLength: 4 })
    .map((words) => words.join(" "));
  const content: fc.Arbitrary<Content> = fc.record({
    label: text,
    names: fc.array(text, { maxLength: 2 }),
    identifiers: fc.array(text, { maxLength: 1 }),
    statements: fc.array(text, { maxLength: 1 }),
    maker: fc.constantFrom("urn:m", "urn:n"),
    endpoint: fc.constantFrom<EndpointName>("object", "person"),
  });
  const contents = fc.dictionary(
    fc.integer({ min: 0, max: 40 }).map((at) => `urn:${at}`),
    content,
    { maxKeys: 30 },
  );

  it("finds in either direction, in pages of any size, what looking through all records finds", async () => {
    const queries = fc.record({
      query: fc.oneof(
        fc.record({ text }),
        fc.record({ name: text }),
        fc.record({ identifier: text }),
        fc.record({ name: text, endpoint: fc.constantFrom<EndpointName>("object", "person") }),
      ),
      limit: fc.integer({ min: 1, max: 7 }),
    });
    const all = new Map<string, Content>();
    await fc.assert(
      fc.asyncProperty(
        contents,
        fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 5 }),
        queries,
        async (put, gone, { query, limit }) => {
          const deletions = gone.map((at) => `urn:${at}`).filter((iri) => !(iri in put));
          await publish(put, deletions);
          for (const [iri, each] of Object.entries(put)) all.set(iri, each);
          for (const iri of deletions) all.delete(iri);
          const expected = matching(all, query);
          const forwards = await walk(query, limit);
          expect(places(forwards, all, query)).toEqual(places(expected, all, query).sort());
          expect([...forwards].sort()).toEqual([...expected].sort());
          expect(await walk(query, limit, true)).toEqual(forwards);
        },
      ),
      runsOf(500, 40),
    );
    expect(await problems()).toEqual([]);
  });

  it("walks through hundreds of one word, in blocks that grow and shrink, and misses none that stays", async () => {
    const numbered = (from: number, to: number, step = 1): string[] =>
      Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => `urn:${from + at * step}`);
    const label = (iri: string): Content => ({ label: `Print ${iri.length} ${iri}`, names: ["Etching"] });
    const all = (iris: readonly string[]): Record<string, Content> =>
      Object.fromEntries(iris.map((iri) => [iri, label(iri)]));
    const steady = numbered(0, 600);
    await publish(all(steady));
    const met: string[] = [];
    let after: string | undefined = "";
    for (let round = 0; after !== undefined; round++) {
      const page: Window<SearchHit> = await store.search!.find({ name: "etching" }, { after, limit: 100 });
      met.push(...page.items.map(({ iri }) => iri));
      after = page.next;
      if (round < 6)
        await publish(
          all(numbered(3000 + round * 100, 3100 + round * 100)),
          round === 0 ? [] : numbered(2900 + round * 100, 3000 + round * 100, 2),
        );
    }
    expect(new Set(met).size).toBe(met.length);
    expect(steady.filter((iri) => !met.includes(iri))).toEqual([]);
    await publish({}, steady.slice(1));
    expect(await find({ name: "etching", endpoint: "object" })).toContain("urn:0");
    expect(await problems()).toEqual([]);
  });
});

/** What a search finds by looking at each record. */
function matching(all: ReadonlyMap<string, Content>, query: SearchQuery): string[] {
  return [...all].flatMap(([iri, content]) =>
    placeOf(iri, content, query) === undefined || (query.endpoint ?? content.endpoint) !== content.endpoint
      ? []
      : [iri],
  );
}

function placeOf(iri: string, content: Content, query: SearchQuery): ReturnType<typeof bestPlace> {
  return bestPlace(foundBy(graphOf(iri, content), null), soughtIn(query)[0]!);
}

/** The places of records, one after the other. */
function places(iris: readonly string[], all: ReadonlyMap<string, Content>, query: SearchQuery): string[] {
  return iris.map((iri) => {
    const { rank, form } = placeOf(iri, all.get(iri)!, query)!;
    return `${rank} ${form.toString("hex")}`;
  });
}
