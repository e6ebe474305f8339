import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { entriesOf } from "../../../src/http/pages/entries.js";
import { ENGLISH_WORDS } from "../../../src/http/pages/words/words.js";
import { SearchIndex } from "../../../src/search/search-index.js";
import { EmbeddedStore, openEmbeddedForLoading } from "../../../src/store/embedded/embedded-store.js";
import { iriKey, numberKey } from "../../../src/store/embedded/format/keys.js";
import { EntryDamagedError, RecordDamagedError, TableDamagedError } from "../../../src/store/errors.js";
import type { Snapshot } from "../../../src/store/snapshots.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { checked } from "../checked.js";
import { collect, graphOf, publish, recordOf } from "../records.js";

const directory = temporaryFolder();
let store: EmbeddedStore;
beforeAll(async () => {
  store = await openEmbeddedForLoading(directory);
});
afterAll(async () => {
  await store.close();
});

function inSnapshot<T>(read: (snapshot: Snapshot) => T): T {
  const snapshot = store.snapshots.take();
  try {
    return read(snapshot);
  } finally {
    snapshot.close();
  }
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const other = Buffer.from(bytes);
  other[bit >> 3]! ^= 1 << (bit & 7);
  return other;
}

/** The bits of these bytes whose change is not noticed by every one of these reads with an error of this class. */
function unnoticed(
  bytes: Buffer,
  damaged: typeof RecordDamagedError | typeof EntryDamagedError,
  put: (bytes: Buffer) => void,
  ...reads: (() => unknown)[]
): number[] {
  const isNoticed = (read: () => unknown): boolean => {
    try {
      read();
      return false;
    } catch (error) {
      return error instanceof damaged;
    }
  };
  const missed = [...Array(bytes.length * 8).keys()].filter((bit) => {
    put(flipped(bytes, bit));
    return !reads.every(isNoticed);
  });
  put(bytes);
  return missed;
}

describe("a damaged record", () => {
  const IRI = "https://museum.example/é/1";
  const KEY = iriKey(IRI);

  it("is never given, whichever bit of its value, its key or its context has changed", async () => {
    const context = { ex: "https://example.org/" };
    await publish(store, [graphOf(IRI, { label: "Ein Bild", parts: ["urn:part"], context }), graphOf("urn:sound")]);
    const { root, records, contexts } = store.database;
    const value = records.getBinary(KEY)!;
    const whole = (await recordOf(store, IRI))!;
    root.transactionSync(() => {
      const put = (bytes: Buffer) => records.putSync(KEY, bytes);
      const reads = [() => store.find(IRI)!.record(), () => store.find(IRI)!.meta];
      expect(unnoticed(value, RecordDamagedError, put, ...reads)).toEqual([]);
      records.removeSync(KEY);
      for (let bit = 0; bit < KEY.length * 8; bit++) {
        const key = flipped(KEY, bit);
        records.putSync(key, value);
        const [entry] = records.getRange({ start: key, limit: 1 });
        expect(entry!.key.equals(key)).toBe(true);
        // A key that is not UTF-8 is not the key of any IRI, so only a walk over all records meets it.
        if (iriKey(key.toString("utf8")).equals(key)) {
          expect(() => store.find(key.toString("utf8"))!.record(), `bit ${bit}`).toThrow(RecordDamagedError);
        }
        records.removeSync(key);
      }
      records.putSync(KEY, value);
    });
    expect(await recordOf(store, IRI)).toEqual(whole);
    const number = [...contexts.getKeys()][0]!;
    const text = contexts.get(number)!;
    root.transactionSync(() => contexts.putSync(number, text.replace("example", "exbmple")));
    // A new store, which has not cached the context.
    const anew = new EmbeddedStore(store.database);
    await expect(recordOf(anew, IRI)).rejects.toThrow(RecordDamagedError);
    root.transactionSync(() => contexts.putSync(number, text));
  });

  it("is reported by name and left out of a snapshot, and ends a walk", async () => {
    const { root, records } = store.database;
    const value = records.getBinary(KEY)!;
    root.transactionSync(() => records.putSync(KEY, flipped(value, 100)));
    inSnapshot((snapshot) => {
      const damaged: string[] = [];
      const left = [...snapshot.records(({ iri }) => damaged.push(iri))].map(({ graph }) => graph.iri);
      expect([left, damaged]).toEqual([["urn:sound"], [IRI]]);
      expect(() => snapshot.record(IRI)).toThrow(RecordDamagedError);
    });
    await expect(collect(store.lists.records())).rejects.toThrow(RecordDamagedError);
    root.transactionSync(() => records.putSync(KEY, value));
    expect(await collect(store.lists.records())).toHaveLength(2);
  });

  it("does not keep indexes from following the deletion of the record beside it", async () => {
    const beside = `${IRI}0`;
    await publish(store, [graphOf(beside)]);
    const { root, records, state } = store.database;
    await publish(store, [], [beside]);
    const value = records.getBinary(KEY)!;
    root.transactionSync(() => records.putSync(KEY, flipped(value, 100)));
    inSnapshot((snapshot) => {
      expect(snapshot.changesAfter(state.sequence, 1)).toMatchObject([{ iri: beside, after: undefined }]);
      expect(snapshot.nextChanges(state.sequence, 1, 100)).toMatchObject({ changed: [{ iri: beside }] });
    });
    root.transactionSync(() => records.putSync(KEY, value));
  });
});

it("a check names a damaged record whose IRI is only in its value, and goes on", async () => {
  const iri = `urn:${"long".repeat(500)}`;
  const key = iriKey(iri);
  await publish(store, [graphOf(iri), graphOf("urn:sound")]);
  const { root, records } = store.database;
  const value = records.getBinary(key)!;
  // The first byte is the version of the stored form, without which no value is decoded.
  root.transactionSync(() => records.putSync(key, flipped(value, 7)));
  const { records: seen, problems } = await checked(directory);
  root.transactionSync(() => records.putSync(key, value));
  const { records: all } = await store.stats();
  expect(seen).toBe(all);
  expect(problems[0]).toContain(`${key.toString("hex")} does not have the checksum`);
  expect(await checked(directory)).toEqual({ records: all, problems: [] });
});

describe("a damaged entry beside the records", () => {
  it("is never given, whichever bit of it has changed", async () => {
    await publish(store, [graphOf("urn:one"), graphOf("urn:two")]);
    await publish(store, [], ["urn:two"]);
    const { root, numbers, blockTimes, changes, lists, tombstones, scopedChanges, facts } = store.database;
    for (const [name, checksummed] of Object.entries({
      numbers,
      blockTimes,
      changes,
      lists,
      tombstones,
      scopedChanges,
    })) {
      const table = root.openDB<Buffer, Buffer>({ name, encoding: "binary", keyEncoding: "binary" });
      const [{ key, value }] = [...table.getRange({ limit: 1 })] as [{ key: Buffer; value: Buffer }];
      expect(checksummed.get(key)).toBeDefined();
      root.transactionSync(() => {
        const put = (bytes: Buffer) => table.putSync(key, bytes);
        const reads = [() => checksummed.get(key), () => [...checksummed.getRange({})]];
        expect(unnoticed(value, EntryDamagedError, put, ...reads), name).toEqual([]);
        expect(checksummed.get(key)).toBeDefined();
      });
    }
    const raw = root.openDB<Buffer, string>({ name: "facts", encoding: "binary" });
    const state = Buffer.from(raw.get("state")!);
    root.transactionSync(() => {
      const put = (bytes: Buffer) => raw.putSync("state", bytes);
      expect(unnoticed(state, EntryDamagedError, put, () => facts.get("state"))).toEqual([]);
    });
    expect((await store.stats()).records).toBeGreaterThan(1);
  });

  it("shows that a record is damaged, not absent, if its key has changed", async () => {
    await publish(
      store,
      ["150", "150x", "151", "152"].map((name) => graphOf(`urn:many:${name}`)),
    );
    const iri = "urn:many:150x";
    const { root, records } = store.database;
    const key = iriKey(iri);
    const value = records.getBinary(key)!;
    expect(await store.tombstone("urn:many:151a")).toBeUndefined();
    const index = new SearchIndex(directory, store);
    await index.follow();
    const found = () => index.find({ text: iri }, { limit: 10 });
    expect((await found()).items).toHaveLength(1);
    // Only the last byte: the entry stays between its neighbours, as in a page with flipped bits.
    for (let bit = key.length * 8 - 8; bit < key.length * 8; bit++) {
      root.transactionSync(() => {
        records.removeSync(key);
        records.putSync(flipped(key, bit), value);
      });
      expect(store.find(iri)).toBeUndefined();
      for (const looked of [
        () => store.tombstone(iri),
        () => entriesOf(store, [iri], { words: ENGLISH_WORDS, languages: [] }),
        () => found(),
        () => store.changes.page({ iri, limit: 1 }),
        async () => inSnapshot((snapshot) => snapshot.record(iri)),
      ])
        await expect(looked(), `bit ${bit}`).rejects.toThrow(RecordDamagedError);
      root.transactionSync(() => {
        records.removeSync(flipped(key, bit));
        records.putSync(key, value);
      });
    }
    expect(store.find(iri)).toBeDefined();
    index.close();
  });

  it("shows that all records are damaged, not absent, if the table is empty that should have some", async () => {
    const { records } = store.database;
    const getRange = vi.spyOn(records, "getRange").mockReturnValue([] as never);
    onTestFinished(() => getRange.mockRestore());
    await expect(store.tombstone("urn:never")).rejects.toThrow(RecordDamagedError);
  });

  it("is no gap in the pages of changes", async () => {
    const { root } = store.database;
    const changes = root.openDB<Buffer, Buffer>({ name: "changes", encoding: "binary", keyEncoding: "binary" });
    const key = numberKey(2);
    const value = Buffer.from(changes.get(key)!);
    root.transactionSync(() => changes.removeSync(key));
    await expect(store.changes.page({ limit: 3 })).rejects.toThrow(TableDamagedError);
    root.transactionSync(() => changes.putSync(key, value));
    expect(await store.changes.page({ limit: 3 })).toHaveLength(3);
  });

  it("is no end of an endpoint's changes before each of its records has one", async () => {
    const [{ scopedChanges }, { endpoints }] = [store.database, await store.stats()];
    expect(await store.changes.count({ endpoint: "object" })).toBeGreaterThanOrEqual(endpoints.object!);
    const getRange = vi.spyOn(scopedChanges, "getRange").mockReturnValue([]);
    onTestFinished(() => getRange.mockRestore());
    await expect(store.changes.count({ endpoint: "object" })).rejects.toThrow(TableDamagedError);
    await expect(store.changes.page({ endpoint: "object", limit: 1 })).rejects.toThrow(TableDamagedError);
    expect(await store.changes.count({ endpoint: "person" })).toBe(0);
  });
});

it("a record of more than 16 MiB, which LMDB gives in another form, is read, replaced and deleted", async () => {
  const label = `Ein Wort 😀 ${"x".repeat(2 ** 24)}`;
  const iri = "urn:large";
  await publish(store, [graphOf(iri, { label })]);
  expect(store.database.records.getBinary(iriKey(iri))!.length).toBeGreaterThan(2 ** 24);
  const read = async () =>
    (await recordOf(store, iri))!.graph.terms.find(({ value }) => value.startsWith("Ein"))!.value;
  expect(await read()).toBe(label);
  expect(await publish(store, [graphOf(iri, { label })])).toMatchObject({ unchanged: 1 });
  expect(await publish(store, [graphOf(iri, { label: `${label}!` })])).toMatchObject({ replaced: 1 });
  expect(await read()).toBe(`${label}!`);
  expect((await collect(store.lists.records())).map(({ graph }) => graph.iri)).toContain(iri);
  expect(await publish(store, [], [iri])).toMatchObject({ deleted: 1 });
});
