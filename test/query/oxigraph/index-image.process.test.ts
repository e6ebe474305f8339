/** Index images in index processes: used at the start, refused, given up, cut off, and maintained by the index itself. */
import { execFile } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { QueryIndex } from "../../../src/query/oxigraph/query-index.js";
import type { IndexWorker } from "../../../src/query/oxigraph/worker.js";
import { untilReady } from "../../../src/query/waiting.js";
import { RDFS_LABEL } from "../../../src/rdf/terms.js";
import { bundled } from "../../bundled.js";
import { until } from "../../cli/built.js";
import { ask, COUNT, publish, request, type TestStore, testStore } from "../records.js";
import { allMade, type Begun, begun, imageOf, made, RECORDS } from "./image-workers.js";

const FOLLOWED = [
  COUNT,
  `SELECT ?label (COUNT(?s) AS ?n) { ?s <${RDFS_LABEL}> ?label } GROUP BY ?label ORDER BY ?label`,
  "SELECT ?s ?v { ?s <urn:part>/<urn:value> ?v } ORDER BY ?s ?v",
];

let there: TestStore;
let image: string;
/** Processes filled from the records: at first, and after these changed. */
let first: Begun;
let second: Begun;
beforeAll(async () => {
  there = await testStore();
  image = imageOf(there);
  await publish(there.store, allMade());
  first = await begun(there, false);
});
afterAll(() => there.remove());

async function answers(worker: IndexWorker): Promise<string[]> {
  const texts: string[] = [];
  for (const query of FOLLOWED) {
    const result = await worker.query(request(query), { client: "test", timeout: 60_000 }, 2 ** 30);
    if (result === undefined) throw new Error("graphs are not needed");
    texts.push((await buffer(result.body)).toString());
    result.release();
  }
  return texts;
}

const sequenceNow = async (): Promise<number> => (await there.store.stats()).sequence;

/** Overwrite part of the image in place. */
function overwrite(text: string, at: number): void {
  const file = openSync(image, "r+");
  writeSync(file, text, at);
  closeSync(file);
}

// All tests use the image of one store, in their order.
it("an image is given up when a query comes while it is written, unless it is urgent", async () => {
  // Stopped until it has both before it, the process is never done with the image when the query comes.
  process.kill(first.worker.number, "SIGSTOP");
  const imaging = first.worker.image(false);
  // Another one is not due now, not even an urgent one.
  expect(first.worker.stillFor).toBeUndefined();
  const answering = answers(first.worker);
  process.kill(first.worker.number, "SIGCONT");
  const asked = await answering;
  expect(await imaging).toEqual({ type: "imaged" });
  expect(existsSync(image)).toBe(false);
  expect(await first.image()).toMatchObject({ sequence: first.worker.standing!.sequence });
  expect(await answers(first.worker)).toEqual(asked);
  await first.end();
});

it("a process that hangs while it writes an image for which queries wait is killed", async () => {
  const hung = await begun(there, false, 100);
  process.kill(hung.worker.number, "SIGSTOP");
  const imaging = hung.image();
  expect(hung.worker.isIdle).toBe(false);
  expect(await imaging).toEqual({});
  expect(hung.stalled).toEqual(["an index process was silent for 0.1 s"]);
});

it("a process that starts from an image follows changes like one that is filled, since the image is of another store", async () => {
  const sequence = await sequenceNow();
  // Changes made while no process runs are followed at once ...
  await publish(
    there.store,
    Array.from({ length: 60 }, (_, at) => made(at * 5, 1)),
    ["urn:record:1", "urn:record:2", "urn:record:8"],
  );
  const restored = await begun(there, true);
  expect(restored.refused).toEqual([]);
  expect(restored.worker.standing).toMatchObject({ image: sequence });
  // ... and so are later changes.
  for (let round = 0; round < 4; round++) {
    const records = Array.from({ length: 20 }, (_, at) => made((at * 17 + round * 31) % RECORDS, round));
    await publish(there.store, records, [`urn:record:${round * 3 + 9}`]);
    expect(await restored.worker.follow()).toBe(true);
  }
  const mark = readFileSync(image).indexOf('"mark":"') + 8;
  const marked = readFileSync(image).toString("latin1", mark, mark + 4);
  overwrite("0000", mark);
  second = await begun(there, true);
  overwrite(marked, mark);
  expect(second.refused).toEqual(["it is of another store"]);
  // Nothing of the image was read, so the same process can be filled.
  expect(second.worker.standing).toMatchObject({ sequence: await sequenceNow() });
  expect(second.worker.standing?.image).toBeUndefined();
  expect(await answers(restored.worker)).toEqual(await answers(second.worker));
  await restored.end();
});

it("an image is whole after a process that was writing another is killed", async () => {
  const before = statSync(image).ino;
  void second.image();
  await until(() => existsSync(`${image}.part`) || statSync(image).ino !== before);
  await second.end();
  const { worker, refused, end } = await begun(there, true);
  expect(refused).toEqual([]);
  expect(worker.standing).toMatchObject({ sequence: await sequenceNow(), image: expect.any(Number) });
  await end();
});

it("an image is maintained by the index itself, which replaces a damaged one, and restores a killed process from it", async () => {
  const reports: string[] = [];
  // The index would wait for the file that a killed process left, as it might still be written to.
  rmSync(`${image}.part`, { force: true });
  overwrite("damage", statSync(image).size - 40);
  const { ino: damaged } = statSync(image);
  const index = new QueryIndex({
    directory: there.directory,
    followInterval: 20,
    image: { triples: 1, changes: 10, still: 50, overdue: 60_000 },
    report: (message) => reports.push(message),
  });
  await untilReady(index);
  const { text } = await ask(index, COUNT);
  // The damage is found only after it was read into memory, so the process is replaced.
  expect(reports).toEqual([expect.stringContaining("checksum")]);
  await until(() => statSync(image).ino !== damaged);
  const [number] = index.workerNumbers();
  process.kill(number!, "SIGKILL");
  await until(() => index.workerNumbers()[0] !== number);
  await untilReady(index);
  expect((await ask(index, COUNT)).text).toBe(text);
  await publish(there.store, [made(RECORDS + 1)]);
  const sequence = await sequenceNow();
  await until(() => index.state.sequence === sequence);
  expect((await ask(index, COUNT)).text).not.toBe(text);
  await index.close();
  expect(reports).toHaveLength(1);
});

/** Prints whether the memory stays the same while garbage is collected, at rest and then not. */
const GARBAGE = `
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { setImmediate as turn } from "node:timers/promises";
import { atRest, wasmState } from "./src/query/oxigraph/wasm-instance.ts";
const { literal } = createRequire(import.meta.url)("oxigraph");
const sum = () => createHash("sha256").update(new Uint8Array(wasmState.memory.buffer)).digest("hex");
const collected = async () => {
  for (let each = 0; each < 1_000; each++) literal("a text that is garbage at once " + each);
  const before = sum();
  for (let round = 0; round < 5; round++) {
    gc();
    await turn();
  }
  return sum() === before;
};
console.log(await atRest(collected), await collected());`;

it("the memory of Oxigraph stays the same during garbage collection only at rest, when images are written", async () => {
  const args = ["--expose-gc", bundled("garbage", GARBAGE)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe("true false\n");
});
