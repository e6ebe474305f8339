import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { open } from "lmdb";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { lazily } from "../../../src/base/lazily.js";
import { writeNQuads } from "../../../src/rdf/ntriples/writer.js";
import { tripleCount } from "../../../src/rdf/record-graph.js";
import {
  type EmbeddedStore,
  openEmbeddedForLoading,
  openReadOnly,
} from "../../../src/store/embedded/embedded-store.js";
import {
  StoreDamagedError,
  StoreFormatError,
  StoreLockedError,
  StoreMissingError,
  UnstorableRecordError,
} from "../../../src/store/errors.js";
import type { StoredRecord } from "../../../src/store/record.js";
import type { Review } from "../../../src/store/writable-store.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { turnsDuring } from "../../turns.js";
import { changesAfter, collect, graphOf, publish, recordOf, referrersOf, stagedObject } from "../records.js";

let directory: string;
beforeEach(() => {
  directory = temporaryFolder(onTestFinished);
});

async function loading<T>(work: (store: EmbeddedStore) => Promise<T>): Promise<T> {
  await using store = await openEmbeddedForLoading(directory);
  return await work(store);
}

describe("a list of held records", () => {
  it("has those of its sources, and leaves turns to others while it passes over the rest", async () => {
    await using store = await openEmbeddedForLoading(directory);
    for (const [source, numbers] of [
      ["many", [...Array(450).keys()]],
      ["few", [199, 200, 449]],
    ] as const) {
      const stage = await store.stage({ source });
      const hold = "rule";
      for (const at of numbers) await stage.put({ ...stagedObject(graphOf(`urn:${source}:${at}`)), hold });
      await stage.publish();
    }
    const listed = async (limit: number, sources?: string[], after?: string) => {
      const { items, next } = await store.held.list({ limit, sources, after });
      return { iris: items.map(({ iri }) => iri), next };
    };
    const few = ["urn:few:199", "urn:few:200", "urn:few:449"];
    expect(await listed(3, ["few"])).toMatchObject({ iris: few, next: expect.any(String) });
    const { iris, next } = await listed(200);
    const rest = await listed(1_000, undefined, next);
    expect(rest.next).toBeUndefined();
    expect([...iris, ...rest.iris]).toEqual([...few, ...[...Array(450).keys()].map((at) => `urn:many:${at}`).sort()]);
    expect(await turnsDuring(() => listed(10, ["none"]))).toBeGreaterThan(3);
  });
});

describe("a snapshot", () => {
  it("is of the newest state, even if a read a moment ago saw an older one", async () => {
    await using store = await openEmbeddedForLoading(directory);
    const reading = await openReadOnly(directory);
    const sequence = () => {
      using snapshot = reading.snapshots.take();
      return snapshot.stats.sequence;
    };
    // LMDB ends the transaction that reads share by a timer: that of the opening has fired, and that of this read never does.
    await sleep(20);
    const publishUnseen = async (iri: string) => {
      vi.useFakeTimers({ toFake: ["setTimeout"] });
      sequence();
      vi.useRealTimers();
      await publish(store, [graphOf(iri)]);
    };
    await publishUnseen("urn:a");
    expect(sequence()).toBe(1);
    await publishUnseen("urn:b");
    expect(await reading.stats()).toMatchObject({ sequence: 2, records: 2 });
    await publishUnseen("urn:c");
    expect(await reading.countUnder("urn:")).toBe(3);
    await reading.close();
  });
});

describe("publication", () => {
  it("counts another context as a change, and other labels of blank nodes as none", async () => {
    await using store = await openEmbeddedForLoading(directory);
    const graph = graphOf("urn:a", { parts: ["urn:p"] });
    await publish(store, [graph]);
    const terms = graph.terms.map((term) => (term.value === "p" ? { ...term, value: "q" } : term));
    expect(await publish(store, [{ ...graph, terms }])).toMatchObject({ unchanged: 1 });
    expect(await publish(store, [{ ...graph, context: "urn:context" }])).toMatchObject({ replaced: 1 });
  });

  it("gives the changes of each publication a later time than all before, even if the clock was set back", async () => {
    const clock = vi.spyOn(Date, "now");
    using _ = { [Symbol.dispose]: () => clock.mockRestore() };
    await using store = await openEmbeddedForLoading(directory);
    for (const now of [5000, 3000, 2000, 7000]) {
      clock.mockReturnValue(now);
      await publish(store, [graphOf("urn:a", { label: String(now) })]);
    }
    expect((await changesAfter(store, 0)).map(({ time }) => time)).toEqual([5000, 5001, 5002, 7000]);
    expect(await store.stats()).toMatchObject({ lastChange: 7000 });
    expect((await recordOf(store, "urn:a"))!.meta.modified).toBe(7000);
  });

  it("logs each mirrored change of a record among those of its Set and of its kind at that time", async () => {
    const change = { iri: "urn:a", time: 5000, endpoint: "object", label: "x" } as const;
    const mirrored = [
      { ...change, sequence: 1, kind: "create", endpoint: "place" },
      { ...change, sequence: 2, kind: "update" },
    ] as const;
    await using store = await openEmbeddedForLoading(directory);
    const stage = await store.stage({ mirrored });
    await stage.put(stagedObject(graphOf("urn:a", { sets: ["urn:s"] })));
    await stage.publish();
    expect(await store.changes.page({ set: "urn:s", limit: 9 })).toEqual(mirrored);
    expect(await store.changes.page({ endpoint: "place", limit: 9 })).toEqual(mirrored.slice(0, 1));
  });

  it("gives the changes of a kind while a mirrored record is of it by a change that is not mirrored yet", async () => {
    const first = { iri: "urn:a", time: 5000, endpoint: null, label: "x", sequence: 1, kind: "create" } as const;
    await using store = await openEmbeddedForLoading(directory);
    await using stage = await store.stage({ mirrored: [first] });
    await stage.put(stagedObject(graphOf("urn:a")));
    await stage.publish();
    expect(await store.changes.page({ endpoint: "none", limit: 9 })).toEqual([first]);
    expect(await store.changes.page({ endpoint: "object", limit: 9 })).toEqual([]);
  });

  it("leaves nothing of a load that was given up", async () => {
    await using store = await openEmbeddedForLoading(directory);
    {
      await using stage = await store.stage();
      await stage.put(stagedObject(graphOf("urn:a")));
    }
    expect(await recordOf(store, "urn:a")).toBeUndefined();
    expect(readdirSync(join(directory, "staging"))).toEqual([]);
  });

  it("removes the files of a killed load, and its unfinished store", async () => {
    mkdirSync(join(directory, "staging", "new"), { recursive: true });
    writeFileSync(join(directory, "staging", "new", "records.mdb"), "half");
    writeFileSync(join(directory, "staging", "load-1"), "left");
    await using store = await openEmbeddedForLoading(directory);
    await using _stage = await store.stage();
    expect(readdirSync(join(directory, "staging"))).toEqual([`load-${process.pid}`, `rest-${process.pid}`]);
  });

  it("happens one at a time", async () => {
    await using store = await openEmbeddedForLoading(directory);
    const stage = await store.stage();
    await stage.put(stagedObject(graphOf("urn:a")));
    await expect(store.stage()).rejects.toThrow("is already running");
    expect(await stage.publish()).toMatchObject({ created: 1 });
    expect(await publish(store, [graphOf("urn:b")])).toMatchObject({ created: 1 });
  });

  it("ends although the store is closed meanwhile, which waits for it", async () => {
    const store = await openEmbeddedForLoading(directory);
    const stage = await store.stage();
    await stage.put(stagedObject(graphOf("urn:a")));
    let closed: Promise<void> | undefined;
    const onChange = (): void => {
      closed = store.close();
    };
    expect(await stage.publish(undefined, { onChange, beforeCommit: () => {} })).toMatchObject({ created: 1 });
    await closed;
    await loading(async (again) => expect(await again.stats()).toMatchObject({ records: 1 }));
  });

  it("changes nothing once its signal aborts", async () => {
    await using store = await openEmbeddedForLoading(directory);
    const stage = await store.stage();
    for (let at = 0; at < 900; at++) await stage.put(stagedObject(graphOf(`urn:${at}`)));
    const interrupt = new AbortController();
    let looks = 0;
    const signal: Pick<AbortSignal, "throwIfAborted"> = {
      throwIfAborted() {
        if (++looks === 5) interrupt.abort(new Error("interrupted"));
        interrupt.signal.throwIfAborted();
      },
    };
    await expect(stage.publish(signal as AbortSignal)).rejects.toThrow("interrupted");
    expect(looks).toBe(5);
    expect(await store.stats()).toMatchObject({ records: 0, sequence: 0 });
    expect(await changesAfter(store, 0)).toEqual([]);
    expect(await publish(store, [graphOf("urn:a")])).toMatchObject({ created: 1, sequence: 1 });
  });

  it("is reviewed in its preview, too: records of other sources and released ones", async () => {
    await using store = await openEmbeddedForLoading(directory);
    const held = await store.stage({ source: "first" });
    await held.put({ ...stagedObject(graphOf("urn:held")), hold: "rule" });
    for (const iri of ["urn:a", "urn:b"]) await held.put(stagedObject(graphOf(iri)));
    await held.publish();
    const stage = await store.stage({ source: "second" });
    for (const graph of [graphOf("urn:a"), graphOf("urn:b", { label: "new" })]) await stage.put(stagedObject(graph));
    await stage.release!("urn:held");
    const reviewed: (readonly unknown[])[][] = [];
    const review = (): Review => {
      const told: (readonly unknown[])[] = [];
      reviewed.push(told);
      return {
        onChange: ({ iri, kind, source, after }) => told.push([iri, kind, source, tripleCount(after()!)]),
        onUnchanged: (iri, source) => told.push([iri, source]),
        onHeld: ({ iri, source }) => told.push([iri, source]),
        beforeCommit: () => {},
      };
    };
    const { sequence: _, ...previewed } = await stage.preview(undefined, review());
    expect(await stage.publish(undefined, review())).toMatchObject(previewed);
    expect(reviewed[0]).toEqual(reviewed[1]);
    expect(reviewed[0]).toContainEqual(["urn:a", "first"]);
  });

  it("changes nothing once its lock is gone", async () => {
    await using store = await openEmbeddedForLoading(directory);
    const stage = await store.stage();
    await stage.put(stagedObject(graphOf("urn:a")));
    rmSync(join(directory, "lock"), { recursive: true });
    await expect(stage.publish()).rejects.toThrow("this process no longer holds the lock of the store");
    expect((await store.stats()).records).toBe(0);
  });

  it("refuses a record with half a surrogate pair by name, and continues", async () => {
    await using store = await openEmbeddedForLoading(directory);
    const stage = await store.stage();
    for (const label of ["\ud800", "a\udc00b", "é\ud83d"]) {
      await expect(stage.put(stagedObject(graphOf("urn:a", { label })))).rejects.toThrow(UnstorableRecordError);
      await expect(stage.put({ ...stagedObject(graphOf("urn:a")), label })).rejects.toThrow(
        /the record urn:a has half/,
      );
    }
    await stage.put(stagedObject(graphOf("urn:b", { label: "😀" })));
    expect(await stage.publish()).toMatchObject({ created: 1 });
  });
});

describe("a store opened for reading", () => {
  it("sees publications by others at once", async () => {
    await using store = await openEmbeddedForLoading(directory);
    await publish(store, [graphOf("urn:a")]);
    const reader = await openReadOnly(directory);
    expect((await recordOf(reader, "urn:a"))!.meta).toMatchObject({
      endpoint: "object",
      label: "x",
      valid: true,
      sequence: 1,
    });
    await publish(store, [graphOf("urn:b", { label: "later" })], ["urn:a"]);
    expect(await recordOf(reader, "urn:a")).toBeUndefined();
    // The entries of a publication are in IRI order.
    expect((await recordOf(reader, "urn:b"))!.meta.sequence).toBe(3);
    expect((await reader.stats()).records).toBe(1);
    await reader.close();
  });

  it("walks the records as they were when the walk began", async () => {
    await using store = await openEmbeddedForLoading(directory);
    const iris = Array.from({ length: 510 }, (_, at) => `urn:${String(at).padStart(5, "0")}`);
    await publish(
      store,
      iris.map((iri) => graphOf(iri, { label: "before" })),
    );
    const reader = await openReadOnly(directory);
    const walk = reader.lists.records()[Symbol.asyncIterator]();
    const seen: StoredRecord[] = [(await walk.next()).value];
    await publish(
      store,
      iris.slice(1).map((iri) => graphOf(iri, { label: "after" })),
      [iris[505]!],
    );
    for (let next = await walk.next(); next.done !== true; next = await walk.next()) seen.push(next.value);
    expect(seen.map(({ graph }) => graph.iri)).toEqual(iris);
    expect(seen.every(({ graph }) => graph.terms.some(({ value }) => value === "before"))).toBe(true);
    expect((await collect(reader.lists.records())).length).toBe(509);
    await reader.close();
  });

  it("leaves turns to others while it walks, also to the signals that end a command", async () => {
    await using store = await openEmbeddedForLoading(directory);
    await publish(
      store,
      Array.from({ length: 510 }, (_, at) => graphOf(`urn:${at}`)),
    );
    for (const endpoint of [undefined, "person"] as const)
      expect(await turnsDuring(() => collect(store.lists.records(endpoint)))).toBeGreaterThanOrEqual(5);
  });

  it("ends a running walk when it is closed", async () => {
    await using store = await openEmbeddedForLoading(directory);
    await publish(
      store,
      Array.from({ length: 510 }, (_, at) => graphOf(`urn:${at}`)),
    );
    const reader = await openReadOnly(directory);
    const read = async (): Promise<void> => {
      for await (const { graph } of reader.lists.records()) if (graph.iri === "urn:1") await reader.close();
    };
    await expect(read()).rejects.toThrow("the store was closed while it was being read");
  });

  it("cannot be loaded into", async () => {
    await using store = await openEmbeddedForLoading(directory);
    await publish(store, [graphOf("urn:a")]);
    const reader = await openReadOnly(directory);
    await expect(reader.stage()).rejects.toThrow("was opened for reading");
    await reader.close();
  });
});

describe("opening", () => {
  /** The file of a store of 300 records. */
  const wholeFile = lazily(async () => {
    const graphs = Array.from({ length: 300 }, (_, at) => graphOf(`urn:${at}`));
    await loading((store) => publish(store, graphs));
    return readFileSync(join(directory, "records.mdb"));
  });

  it("for reading fails if there is no store", async () => {
    await expect(openReadOnly(join(directory, "none"))).rejects.toThrow(StoreMissingError);
    expect(existsSync(join(directory, "none"))).toBe(false);
  });

  it("for loading creates a store with its directories", async () => {
    directory = join(directory, "some", "where");
    await loading(async (store) => expect((await store.stats()).records).toBe(0));
    const reader = await openReadOnly(directory);
    expect(await reader.stats()).toEqual({
      records: 0,
      triples: 0,
      invalid: 0,
      endpoints: {},
      sequence: 0,
      lastChange: null,
      baseUrl: null,
      sources: {},
    });
    await reader.close();
  });

  it.each([
    [99, /use a newer version/],
    [0, /export it with the version that wrote it, and load the export again/],
  ])("refuses format %i and says what to do", async (format, advice) => {
    await loading(async ({ database }) => {
      database.root.transactionSync(() => database.facts.putSync("state", { ...database.state, format }));
    });
    for (const open of [openReadOnly, openEmbeddedForLoading]) {
      await expect(open(directory)).rejects.toThrow(StoreFormatError);
      await expect(open(directory)).rejects.toThrow(advice);
    }
  });

  it("treats an empty file, which a full disk or a crash may leave, as no store", async () => {
    writeFileSync(join(directory, "records.mdb"), "");
    await expect(openReadOnly(directory)).rejects.toThrow(StoreMissingError);
    await loading(async (store) => expect((await store.stats()).records).toBe(0));
  });

  it("has room for as many readers as a service has workers, and more", async () => {
    await loading(async () => {});
    const root = open({ path: join(directory, "records.mdb"), noSubdir: true, readOnly: true });
    const { maxReaders } = root.getStats() as { readonly maxReaders: number };
    await root.close();
    expect(maxReaders).toBeGreaterThan(256 + 100);
  });

  it.each([
    ["short", Buffer.from("no store")],
    ["long", Buffer.alloc(100_000, 7)],
  ])("refuses a %s file that is not a store", async (_, content) => {
    writeFileSync(join(directory, "records.mdb"), content);
    for (const open of [openReadOnly, openEmbeddedForLoading]) {
      await expect(open(directory)).rejects.toThrow(StoreDamagedError);
    }
  });

  it.each<[string, (file: Buffer) => Buffer, RegExp]>([
    ["cut short in its middle", (file) => file.subarray(0, file.length / 4), /is cut short, \d+ bytes of at least \d+/],
    ["cut short after a page", (file) => file.subarray(0, 16_384), /is cut short/],
    ["cut short in its first bytes", (file) => file.subarray(0, 100), /is not an LMDB file/],
    ["without a page size", (file) => Buffer.from(file).fill(0, 32), /is not an LMDB file/],
    ["of another LMDB", (file) => Buffer.from(file).fill(9, 28, 29), /was written by another version of LMDB/],
  ])("refuses a store %s, which would end the process", async (_, damage, problem) => {
    writeFileSync(join(directory, "records.mdb"), damage(await wholeFile()));
    for (const open of [openReadOnly, openEmbeddedForLoading]) {
      await expect(open(directory)).rejects.toThrow(StoreDamagedError);
      await expect(open(directory)).rejects.toThrow(problem);
    }
  });

  it("releases the lock when it fails", async () => {
    writeFileSync(join(directory, "records.mdb"), "no store");
    await expect(openEmbeddedForLoading(directory)).rejects.toThrow(StoreDamagedError);
    expect(readdirSync(join(directory, "lock"))).toEqual([]);
  });
});

describe("the loader's lock", () => {
  it("refuses a second loader with the process id of the first", async () => {
    await loading(async () => {
      await expect(openEmbeddedForLoading(directory)).rejects.toThrow(StoreLockedError);
      await expect(openEmbeddedForLoading(directory)).rejects.toThrow(`process ${process.pid} is loading`);
    });
    await loading(async (store) => expect((await store.stats()).records).toBe(0));
  });
});

describe("reading", () => {
  it("finds IRIs as long as LMDB's keys may be, and walks past them", async () => {
    await using store = await openEmbeddedForLoading(directory);
    const iris = [1977, 1978, 1979].flatMap((length) =>
      Array.from({ length: 200 }, (_, at) => `urn:${String(at).padStart(length - 4, "x")}`),
    );
    await publish(
      store,
      iris.map((iri) => graphOf(iri, { materials: ["urn:oak"], parts: [`${iri}/part`] })),
    );
    const walked = (await collect(store.lists.records())).map(({ graph }) => graph.iri);
    expect(walked.sort()).toEqual([...iris].sort());
    for (const iri of [iris[0]!, iris[200]!, iris[400]!]) {
      expect((await recordOf(store, iri))!.graph.iri).toBe(iri);
      expect(await store.describedIn(`${iri}/part`, 10)).toEqual([iri]);
    }
    expect(await referrersOf(store, "urn:oak", 2000)).toHaveLength(600);
    expect((await changesAfter(store, 0)).map(({ iri }) => iri).sort()).toEqual([...iris].sort());
    await publish(store, [], iris.slice(400));
    expect(await store.tombstone(iris[400]!)).toMatchObject({ kind: "delete", iri: iris[400] });
    expect(await referrersOf(store, "urn:oak", 2000)).toHaveLength(400);
  });

  it("finds nothing for an empty IRI", async () => {
    await using store = await openEmbeddedForLoading(directory);
    expect(await recordOf(store, "")).toBeUndefined();
    expect(await store.tombstone("")).toBeUndefined();
    expect(await store.fragments("", 10)).toEqual([]);
  });

  it("gives the origins of the records", async () => {
    await using store = await openEmbeddedForLoading(directory);
    await publish(
      store,
      [
        ...["https://a.org/x/1", "https://a.org/y", "https://b.org/é", "https://b.org", "urn:z"],
        ...["https://c.org?id=1", "https://c.org?id=2", "https://c.org.example/1"],
      ].map((iri) => graphOf(iri)),
    );
    expect(await store.origins(10)).toEqual([
      { prefix: "https://a.org/", records: 2 },
      { prefix: "https://b.org", records: 1 },
      { prefix: "https://b.org/", records: 1 },
      { prefix: "https://c.org.example/", records: 1 },
      { prefix: "https://c.org?", records: 2 },
      { prefix: "urn:", records: 1 },
    ]);
    expect(await store.countUnder("https://a.org/x/")).toBe(1);
  });

  it("walks all records, and those of one endpoint, in batches", async () => {
    await using store = await openEmbeddedForLoading(directory);
    const iris = Array.from({ length: 510 }, (_, at) => `urn:${String(at).padStart(5, "0")}`);
    await publish(
      store,
      iris.map((iri) => graphOf(iri)),
    );
    expect((await collect(store.lists.records("object"))).map(({ graph }) => graph.iri)).toEqual(iris);
    expect(await collect(store.lists.records("place"))).toEqual([]);
    expect((await changesAfter(store, 0)).map(({ sequence }) => sequence)).toEqual(iris.map((_, at) => at + 1));
    const stage = await store.stage();
    await stage.put({ ...stagedObject(graphOf("urn:last")), endpoint: "place" });
    await stage.publish();
    expect((await collect(store.lists.records("place"))).map(({ graph }) => graph.iri)).toEqual(["urn:last"]);
  });

  it("gives back all triples of a record of 30,000, in order", async () => {
    await using store = await openEmbeddedForLoading(directory);
    const graph = graphOf("urn:a", { materials: Array.from({ length: 30_000 }, (_, at) => `urn:é${at}`) });
    await publish(store, [graph]);
    const back = (await recordOf(store, "urn:a"))!.graph;
    expect(tripleCount(back)).toBe(30_002);
    expect(writeNQuads(back)).toBe(writeNQuads(graph));
  });
});
