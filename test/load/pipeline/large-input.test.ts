/** Large inputs, which go through files and worker threads, and give the same as small ones that are grouped in memory. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { InputError, InterruptedError } from "../../../src/load/errors.js";
import { type LoadEvent, type LoadSummary, load } from "../../../src/load/pipeline/load.js";
import type { OnInvalid } from "../../../src/load/pipeline/work.js";
import { listSources } from "../../../src/load/read/sources.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { writeNQuads } from "../../../src/rdf/ntriples/writer.js";
import type { Json } from "../../../src/rdf/record-graph.js";
import { openEmbeddedForLoading } from "../../../src/store/embedded/embedded-store.js";
import { SAMPLE } from "../../data/sample.js";
import { shareOf } from "../../extent.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { graphsOf } from "../../validate/corpora.js";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
});

/** Quads of some records of the sample, in mixed order. */
const lines: string[] = [];
beforeAll(async () => {
  const records = [...SAMPLE.values()].filter(({ endpoint }) => ["person", "place", "group"].includes(endpoint));
  const inOrder: string[] = [];
  for (const { graph } of graphsOf(shareOf(records, 4).map(({ document }) => document as Json)))
    inOrder.push(...writeNQuads(graph).trimEnd().split("\n"));
  const step = 7919;
  lines.push(...inOrder.map((_, at) => inOrder[(at * step) % inOrder.length]!));
});

/** Bytes of memory: too few for the sample, and the default. */
const LITTLE = 16 * 1024;
const MUCH = undefined;

interface Loaded {
  readonly summary: LoadSummary;
  readonly found: readonly string[];
  readonly clean: number;
  readonly stored: ReadonlyMap<string, readonly [hash: string, valid: boolean]>;
}

async function loaded(
  name: string,
  lines: readonly string[],
  memoryBytes: number | undefined,
  onInvalid: OnInvalid = "refuse",
  interrupt?: AbortController,
): Promise<Loaded> {
  const input = join(folder, "input.nq");
  writeFileSync(input, `${lines.join("\n")}\n`);
  await using store = await openEmbeddedForLoading(join(folder, name));
  const found: string[] = [];
  let clean = 0;
  const tell = ({ record, clean: records = 0 }: LoadEvent): void => {
    clean += record?.results.length === 0 ? 1 : records;
    if (record === undefined || record.results.length === 0) return;
    found.push(JSON.stringify([record.iri, record.source, record.results]));
  };
  const summary = await load(await listSources([input], { stdin: process.stdin }), store, {
    examining: { model: DEFAULT_MODEL, contexts: [], decisions: [], shapes: [] },
    contexts: new Map(),
    onInvalid,
    ordered: false,
    divide: false,
    sync: false,
    dryRun: false,
    maxInvalid: Number.POSITIVE_INFINITY,
    maxDeleted: () => 0,
    temporary: folder,
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    signal: (interrupt ?? new AbortController()).signal,
    tell,
    progress: {
      made: () => interrupt?.abort(),
      publishing: () => {},
      indexed: () => {},
      [Symbol.dispose]: () => {},
    },
    maxChanged: () => Number.POSITIVE_INFINITY,
    strictIdentity: false,
    comparesRecords: false,
  });
  const stored = new Map<string, readonly [string, boolean]>();
  for await (const { graph, meta } of store.lists.records()) {
    stored.set(graph.iri, [Buffer.from(meta.hash).toString("hex"), meta.valid]);
  }
  return { summary: { ...summary, seconds: 0 }, found: found.sort(), clean, stored };
}

describe("a large input", () => {
  it.each<OnInvalid>(["refuse", "accept", "abort"])("gives the same as a small one, with %s", async (onInvalid) => {
    // Some records lose their type, which makes them invalid.
    const spoilt = lines.filter((line) => !/\/person\/[a-g][^>]*> <[^>]*#type>/.test(line));
    expect(spoilt.length).toBeLessThan(lines.length);
    const small = await loaded("small", spoilt, MUCH, onInvalid);
    const large = await loaded("large", spoilt, LITTLE, onInvalid);
    expect(large).toEqual(small);
    expect(small.summary.invalid).toBeGreaterThan(3);
    expect(small.summary.invalid).toBe(small.found.length);
    expect(small.summary.records).toBe(small.found.length + small.clean);
    expect(readdirSync(folder).sort()).toEqual(["input.nq", "large", "small"]);
  });

  it("leaves records unchanged when it is loaded again", async () => {
    await loaded("store", lines, LITTLE);
    const again = await loaded("store", [...lines].reverse(), LITTLE);
    expect(again.summary).toMatchObject({ created: 0, replaced: 0, unchanged: again.summary.records });
  });

  it("with a graph that is not a record is refused, with the graph's name and place", async () => {
    const spoilt = [...lines, "<urn:a> <urn:b> <urn:c> <https://museum.example/dataset> ."];
    const error = await loaded("store", spoilt, LITTLE).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputError);
    expect((error as Error).name).toBe("NotARecordError");
    expect((error as Error).message).toMatch(
      /input\.nq:\d+: the named graph <https:\/\/museum\.example\/dataset> is not a record/,
    );
    expect(readdirSync(folder).sort()).toEqual(["input.nq", "store"]);
    expect((await loaded("store", [], MUCH)).stored.size).toBe(0);
  });

  it("that is interrupted changes nothing", async () => {
    const interrupt = new AbortController();
    const error = await loaded("store", lines, LITTLE, "refuse", interrupt).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InterruptedError);
    expect((await loaded("store", [], MUCH)).stored.size).toBe(0);
  });
});
