import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wholeBody } from "../../../src/query/engine.js";
import { QueryIndex } from "../../../src/query/oxigraph/query-index.js";
import { type Imaged, IndexWorker } from "../../../src/query/oxigraph/worker.js";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, RDFS_LABEL, XSD } from "../../../src/rdf/terms.js";
import { publish, recordOf, request, type TestStore, testStore } from "../records.js";

const RECORDS = 400;
/** An image has a hundred MiB, which a busy disk takes its time for; in milliseconds. */
const PATIENCE = 200_000;
const FOLLOWED = [
  "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
  `SELECT ?label (COUNT(?s) AS ?n) { ?s <${RDFS_LABEL}> ?label } GROUP BY ?label ORDER BY ?label`,
  "SELECT ?s ?v { ?s <urn:part>/<urn:value> ?v } ORDER BY ?s ?v",
];

/** Records share what they say of the material, and have a blank node each. */
function made(number: number, version = 0): RecordGraph {
  const self = iri(`urn:record:${number}`);
  const material = iri(`urn:material:${number % 7}`);
  return recordOf(self.value, [
    [self, iri(RDF.type), iri("urn:Thing")],
    [self, iri(RDFS_LABEL), literal(`Näme ${number % 50} ${version}`, undefined, "DE")],
    [self, iri("urn:of"), material],
    [material, iri(RDFS_LABEL), literal(`material ${number % 7}`)],
    [self, iri("urn:part"), blank("p")],
    [blank("p"), iri("urn:value"), literal(`0${number}`, XSD.integer)],
  ]);
}

let there: TestStore;
let image: string;
beforeAll(async () => {
  there = await testStore();
  image = join(there.directory, "index.image");
  await publish(
    there.store,
    Array.from({ length: RECORDS }, (_, at) => made(at)),
  );
});
afterAll(() => there.remove());

interface Begun {
  readonly worker: IndexWorker;
  readonly refused: readonly string[];
  readonly ended: Promise<boolean>;
}

/** A process that answers, from the image where it can, or has ended. */
async function begun(fromImage: boolean, at = image): Promise<Begun> {
  const refused: string[] = [];
  const never = (): void => {};
  let resolve: (isReady: boolean) => void;
  const outcome = new Promise<boolean>((settle) => {
    resolve = settle;
  });
  let over: (ended: boolean) => void;
  const ended = new Promise<boolean>((settle) => {
    over = settle;
  });
  const { directory } = there;
  const settings = { directory, withGraphs: false, memory: 2 ** 31, leftOut: [], image: at, fromImage };
  const worker = new IndexWorker(
    settings,
    { following: PATIENCE, filling: PATIENCE },
    {
      ready: () => resolve(true),
      imageRefused: (message) => refused.push(message),
      unreadable: never,
      damaged: never,
      cannotTake: never,
      doesNotFit: never,
      stalled: never,
      ended: () => {
        resolve(false);
        over(true);
      },
    },
  );
  await outcome;
  return { worker, refused, ended };
}

async function answers(worker: IndexWorker): Promise<string[]> {
  const texts: string[] = [];
  for (const query of FOLLOWED) {
    const result = await worker.query(request(query), { timeout: PATIENCE, left: PATIENCE, memory: 2 ** 30 });
    if (typeof result === "symbol") throw new Error("graphs are not needed");
    texts.push((await wholeBody(result)).toString());
    result.release();
  }
  return texts;
}

async function written(at = image, isUrgent = true): Promise<Imaged> {
  const { worker, ended } = await begun(false, at);
  const imaged = await worker.image(isUrgent);
  worker.end();
  await ended;
  return imaged;
}

async function withWorker<T>(fromImage: boolean, at: string, work: (begun: Begun) => Promise<T>): Promise<T> {
  const each = await begun(fromImage, at);
  try {
    return await work(each);
  } finally {
    each.worker.end();
    await each.ended;
  }
}

describe("an index image", () => {
  it("is begun from, and follows changes as a filled index does", async () => {
    const { sequence } = await written();
    expect(sequence).toBe((await there.store.stats()).sequence);
    // What changes while no process runs is followed at once ...
    await publish(
      there.store,
      Array.from({ length: 60 }, (_, at) => made(at * 5, 1)),
      ["urn:record:1", "urn:record:2", "urn:record:8"],
    );
    const restored = await begun(true);
    expect(restored.refused).toEqual([]);
    expect(restored.worker.standing).toMatchObject({ image: sequence });
    // ... and so is what changes afterwards.
    for (let round = 0; round < 10; round++) {
      const records = Array.from({ length: 20 }, (_, at) => made((at * 17 + round * 31) % RECORDS, round));
      await publish(there.store, records, [`urn:record:${round * 3 + 9}`]);
      expect(await restored.worker.follow()).toBe(true);
    }
    const fromImage = await answers(restored.worker);
    restored.worker.end();
    const filled = await withWorker(false, image, ({ worker }) => answers(worker));
    expect(fromImage).toEqual(filled);
  });

  it("is not used when it is torn, cut off, of another version or of another store: the index is filled", async () => {
    await written();
    const bad = join(there.directory, "bad.image");
    const torn = async (change: (file: number, size: number) => void, message: RegExp, goesOn: boolean) => {
      copyFileSync(image, bad);
      const file = openSync(bad, "r+");
      change(file, statSync(bad).size);
      closeSync(file);
      await withWorker(true, bad, async ({ worker, refused }) => {
        expect(refused.join()).toMatch(message);
        expect(worker.standing?.image).toBeUndefined();
        // What was read into the memory before it was found out cannot be taken back.
        expect(worker.standing !== undefined).toBe(goesOn);
      });
    };
    const over = (text: string, at: (size: number) => number) => (file: number, size: number) =>
      void writeSync(file, text, at(size));
    await torn((file, size) => ftruncateSync(file, size - 1), /not whole/, true);
    await torn(
      over("X", (size) => size - 5),
      /checksum/,
      false,
    );
    await torn(
      over("damage", (size) => Math.floor(size / 2)),
      /checksum/,
      false,
    );
    await torn(
      over("Another", () => 0),
      /no image of this version/,
      true,
    );
    const head = readFileSync(image).subarray(0, 4_000).toString("latin1");
    const replaced = (name: string) => over("0000", () => head.indexOf(`"${name}":"`) + name.length + 4);
    await torn(replaced("wasm"), /another version of Oxigraph/, true);
    await torn(replaced("mark"), /another store/, true);
  });

  it("leaves the one before in its place when the process is killed while it is written", async () => {
    const { sequence } = await written();
    const before = readFileSync(image);
    await publish(there.store, [made(3, 99)]);
    for (const delay of [0, 5, 20]) {
      const { worker, ended } = await begun(false);
      void worker.image(true);
      await new Promise((resolve) => setTimeout(resolve, delay));
      worker.end();
      await ended;
      if (readFileSync(image).equals(before)) continue;
      await withWorker(true, image, async (next) => expect(next.worker.standing?.image).toBe(sequence! + 1));
      break;
    }
    await withWorker(true, image, async ({ worker, refused }) => {
      expect(refused).toEqual([]);
      expect(worker.standing?.sequence).toBe(sequence! + 1);
    });
  });

  it("is given up when a query comes while it is written, unless it is urgent", async () => {
    await withWorker(false, join(there.directory, "given-up.image"), async ({ worker }) => {
      const imaging = worker.image(false);
      const asked = await answers(worker);
      const { sequence } = await imaging;
      expect(sequence).toBeUndefined();
      expect(existsSync(join(there.directory, "given-up.image"))).toBe(false);
      const { sequence: urgent } = await worker.image(true);
      expect(urgent).toBe(worker.standing!.sequence);
      expect(await answers(worker)).toEqual(asked);
    });
  });

  it("is kept by the index itself, and brings back a process that was killed", async () => {
    const told: string[] = [];
    const open = (): QueryIndex =>
      new QueryIndex({
        directory: there.directory,
        followInterval: 20,
        image: { triples: 1, changes: 10, still: 50, overdue: 60_000 },
        report: (message) => told.push(message),
      });
    const ask = async (index: QueryIndex): Promise<string> => {
      const result = await index.query(request(FOLLOWED[0]!), { client: "a", timeout: PATIENCE });
      const text = (await wholeBody(result)).toString();
      result.release();
      return text;
    };
    // What the processes left that were killed while they wrote would be waited for: it could be written to still.
    rmSync(`${image}.part`, { force: true });
    // A damaged one is told of, done without, and replaced.
    const file = openSync(image, "r+");
    writeSync(file, "damage", statSync(image).size - 40);
    closeSync(file);
    const { ino: damaged } = statSync(image);
    const index = open();
    await index.whenReady();
    const answer = await ask(index);
    expect(told).toEqual([expect.stringContaining("checksum")]);
    while (statSync(image).ino === damaged) await new Promise((resolve) => setTimeout(resolve, 20));
    const [number] = index.workerNumbers();
    process.kill(number!, "SIGKILL");
    while (index.workerNumbers()[0] === number || index.state.state !== "ready") {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await ask(index)).toBe(answer);
    await publish(there.store, [made(RECORDS + 1)]);
    while (index.state.sequence !== (await there.store.stats()).sequence) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await ask(index)).not.toBe(answer);
    await index.close();
    expect(told).toHaveLength(1);
  });
});
