/** Dumps written by threads: the same bytes as without threads, one state while others publish, and no files after a failure. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { GzipFile } from "../../src/harvest/dumps/gzip-file.js";
import type { DumpManifest } from "../../src/harvest/dumps/manifest.js";
import { writeDump } from "../../src/harvest/dumps/write.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import type { EmbeddedStore } from "../../src/store/embedded/embedded-store.js";
import { RecordDamagedError, TableDamagedError } from "../../src/store/errors.js";
import { openForLoading, openStore } from "../../src/store/open.js";
import type { Snapshot } from "../../src/store/snapshots.js";
import type { WritableStore } from "../../src/store/writable-store.js";
import { graphOf, publish } from "../store/records.js";
import { temporaryFolder } from "../temporary-folder.js";

/** More records than are written without threads, in more than one range. */
const RECORDS = 5_200;

const folder = temporaryFolder();
let directory: string;
let loading: WritableStore;
beforeAll(async () => {
  directory = join(folder, "store");
  loading = await openForLoading({ directory });
  const graphs = Array.from({ length: RECORDS }, (_, at) =>
    graphOf(`http://a.example/object/${at}`, { label: `Ä "${at}"`, parts: [`http://a.example/part/${at}`] }),
  );
  await publish(loading, graphs);
});
afterAll(async () => {
  await loading.close();
});

type DumpOptions = Parameters<typeof writeDump>[1];

function optionsOf(name: string, more: Partial<DumpOptions> = {}): DumpOptions {
  return {
    directory: join(folder, name),
    name: "museum",
    formats: ["nq", "nt", "jsonl"],
    model: DEFAULT_MODEL,
    contexts: [],
    made: new Date("2026-11-22T12:00:00Z"),
    signal: new AbortController().signal,
    onLeftOut: () => {},
    ...more,
  };
}

/** The lines of a file of a dump. */
function linesOf({ directory: of }: DumpOptions, { folder: dump, files }: DumpManifest, format: string): string[] {
  const { name } = files.find((file) => file.of === "all" && file.format === format)!;
  return gunzipSync(readFileSync(join(of, dump, name)))
    .toString()
    .trimEnd()
    .split("\n");
}

describe("a dump written by threads", () => {
  it("has the same bytes as one written without threads", async () => {
    const store = await openStore({ directory });
    const [here, apart] = [optionsOf("here"), optionsOf("apart", { storeDirectory: directory })];
    const [one, other] = [await writeDump(store, here), await writeDump(store, apart)];
    await store.close();
    expect(other).toEqual(one);
    expect(one.records).toBe(RECORDS);
    expect(linesOf(here, one, "nt")).toHaveLength(one.triples);
  });

  it("has one state of the store while others publish", async () => {
    const store = await openStore({ directory });
    let isWriting = true;
    let round = 0;
    // It lasts until there is something beside it, on however slow a disk.
    const { append } = GzipFile.prototype;
    const appending = vi.spyOn(GzipFile.prototype, "append").mockImplementation(async function (
      this: GzipFile,
      member,
    ) {
      await expect.poll(() => round).toBeGreaterThan(1);
      await append.call(this, member);
    });
    onTestFinished(() => appending.mockRestore());
    const options = optionsOf("busy", { storeDirectory: directory, formats: ["nq"] });
    const writing = writeDump(store, options).finally(() => {
      isWriting = false;
    });
    for (; isWriting; round++) {
      // At both ends of the key range, which different threads read.
      const iris = [`http://a.example/0/${round}`, `http://z.example/${round}`];
      await publish(
        loading,
        iris.map((iri) => graphOf(iri, { label: String(round) })),
      );
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const manifest = await writing;
    await store.close();
    const graphs = new Set(linesOf(options, manifest, "nq").flatMap((line) => / <([^>]*)> \.$/.exec(line)?.[1] ?? []));
    const rounds = (prefix: string): string[] =>
      [...graphs].filter((iri) => iri.startsWith(prefix)).map((iri) => iri.slice(prefix.length));
    expect(graphs.size).toBe(manifest.records);
    expect(manifest.records).toBe(manifest.sequence);
    expect(rounds("http://a.example/0/").sort()).toEqual(rounds("http://z.example/").sort());
  });

  it("leaves no files when it is interrupted, the disk is full or a record is damaged", async () => {
    const store = await openStore({ directory });
    const ended = optionsOf("ended", { storeDirectory: directory, signal: AbortSignal.abort(new Error("enough")) });
    await expect(writeDump(store, ended)).rejects.toThrow("enough");
    expect(readdirSync(ended.directory)).toEqual([]);
    const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC", syscall: "write" });
    const appending = vi.spyOn(GzipFile.prototype, "append").mockRejectedValue(full);
    const { directory: path } = optionsOf("full");
    await expect(writeDump(store, optionsOf("full"))).rejects.toMatchObject({ code: "ENOSPC", path });
    appending.mockRestore();
    expect(readdirSync(path)).toEqual([]);
    const { records } = (loading as unknown as EmbeddedStore).database;
    const key = Buffer.from("http://a.example/object/77");
    const sound = Buffer.from(records.get(key)!);
    const flipped = Buffer.from(sound);
    flipped[200]! ^= 1;
    records.putSync(key, flipped);
    const damaged = optionsOf("damaged", { storeDirectory: directory, formats: ["nq"] });
    await expect(writeDump(store, damaged)).rejects.toThrow("the record <http://a.example/object/77> in");
    expect(readdirSync(damaged.directory)).toEqual([]);
    records.putSync(key, sound);
    await store.close();
  });
});

it("a dump without threads ends with the first damage when there are two", async () => {
  const store = await openStore({ directory });
  const take = (): Snapshot => {
    const snapshot = store.snapshots.take();
    const chunks = snapshot.chunks.bind(snapshot);
    snapshot.chunks = function* (records) {
      const [first] = chunks(records);
      yield first!;
      throw new TableDamagedError(directory, "records");
    };
    snapshot.records = () => {
      throw new RecordDamagedError(directory, "http://a.example/object/0");
    };
    return snapshot;
  };
  const damaged = { stats: () => store.stats(), snapshots: { take } } as unknown as typeof store;
  const options = optionsOf("damaged twice");
  await expect(writeDump(damaged, options)).rejects.toThrow("the record <http://a.example/object/0> in");
  expect(readdirSync(options.directory)).toEqual([]);
  await store.close();
});
