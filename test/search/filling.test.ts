/** A search index of so many records that threads read them. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { iriOfId } from "../../src/search/iris.js";
import { SEARCH_FILE } from "../../src/search/schema.js";
import { SearchIndex } from "../../src/search/search-index.js";
import { Sqlite } from "../../src/search/sqlite.js";
import type { EmbeddedStore } from "../../src/store/embedded/embedded-store.js";
import { type Content, SearchedStore } from "./searched-store.js";

/** Every fourth record has a maker whose record comes after it. */
const RECORDS = 2_000;
const IRIS = Array.from({ length: RECORDS }, (_, at) => `urn:object:${at}`);

const searched = new SearchedStore(true);

it("an index of many records finds them, and stays as it was if its rebuilding is interrupted", async () => {
  const objects = IRIS.map((iri, at) => {
    const maker = at % 4 === 0 ? { maker: "urn:person:1" } : {};
    return [iri, { label: `Number ${at}`, ...maker }] as const;
  });
  const person = { label: "Someone", names: ["Somebody Else"], endpoint: "person" } as const;
  const shares: number[] = [];
  await searched.publish({ ...Object.fromEntries(objects), "urn:person:1": person }, [], (share) => shares.push(share));
  expect(shares).toEqual([500, 1_000, 1_500, 2_000].map((written) => written / (1 + RECORDS)));
  const index = new SearchIndex(searched.directory, searched.store);
  const found = async () => {
    const [made, numbered] = [
      await index.find({ text: "else" }, { limit: 3 }),
      await index.find({ name: "number 77" }, { limit: 1 }),
    ];
    return [made.total, made.items[0]?.iri, numbered.items[0]?.iri, (await index.find({}, { limit: 1 })).total];
  };
  const expected = [1 + RECORDS / 4, "urn:person:1", "urn:object:77", 1 + RECORDS];
  expect(await found()).toEqual(expected);
  await expect(index.follow({ isAnew: true, signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  expect(await found()).toEqual(expected);
  expect(await index.problems()).toEqual([]);
  index.close();
  // SQLite writes words many times as fast in the order of their records as in any other.
  expect(inOrder()).toEqual([...IRIS, "urn:person:1"].sort());
});

it("an index of many records is filled without those that are damaged", async () => {
  const iris = [...IRIS, "urn:person:1"].sort();
  const { root, records } = (searched.store as unknown as EmbeddedStore).database;
  // Two whole chunks of five, and the first records of a third.
  const lost = iris.filter((_, at) => Math.floor(at / 500) % 2 === 1 || (at >= 1_000 && at < 1_010));
  root.transactionSync(() => {
    for (const iri of lost) {
      const value = Buffer.from(records.getBinary(Buffer.from(iri))!);
      value[value.length - 1]! ^= 1;
      records.putSync(Buffer.from(iri), value);
    }
  });
  const index = new SearchIndex(searched.directory, searched.store);
  const controller = new AbortController();
  const interrupted = { isAnew: true, signal: controller.signal, onWritten: () => controller.abort() };
  await expect(index.follow(interrupted)).rejects.toThrow(/abort/i);
  await index.follow({ isAnew: true });
  index.close();
  expect(inOrder()).toEqual(iris.filter((iri) => !lost.includes(iri)));
});

/** The IRIs of the index's records in the order of their numbers. */
function inOrder(): string[] {
  const sqlite = new Sqlite(join(searched.directory, SEARCH_FILE));
  const iris = sqlite.rows<[number]>("SELECT id FROM entity ORDER BY id").map(([id]) => iriOfId(sqlite, id));
  sqlite.close();
  return iris;
}

describe("of very many hits with the same beginning", () => {
  const searched = new SearchedStore();

  it("those with referrers come first, then those whose label begins with it, then the rest", async () => {
    const two = (at: number): string => String(at).padStart(4, "0");
    const objects = Array.from({ length: 2_400 }, (_, at): readonly [string, Content] => {
      const isPiece = at % 6 === 0;
      const content = isPiece
        ? { label: `Piece ${two(at)}`, identifiers: [`n. ${at}`] }
        : { label: `Number ${two(at)}` };
      return [`urn:object:${two(at)}`, at === 7 ? { ...content, maker: "urn:person:1" } : content];
    });
    await searched.publish({ ...Object.fromEntries(objects), "urn:person:1": { label: "Z", names: ["Nobody"] } });
    const iris = (isPiece: boolean) => objects.filter((_, at) => (at % 6 === 0) === isPiece).map(([iri]) => iri);
    const expected = ["urn:person:1", ...iris(false), ...iris(true)];
    expect(await searched.walk({ text: "n" }, 500)).toEqual(expected);
    expect(await searched.walk({ text: "n" }, 900, true)).toEqual(expected);
    expect((await searched.search.find({ text: "n" }, { limit: 1 })).total).toBe(expected.length);
    expect(await searched.walk({ identifier: "N" }, 900)).toEqual(iris(true));
    expect(await searched.walk({ name: "n", endpoint: "object" }, 900)).toEqual(
      expected.slice(0, 1 + iris(false).length),
    );
  });
});
