/** What machines do to loads: an interruption, and full disks. */
import {
  closeSync,
  cpSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { Grouper } from "../../src/load/group/group.js";
import { TermStatement } from "../../src/rdf/statement.js";
import { iri, literal } from "../../src/rdf/terms.js";
import { HAS_SMALL_DISKS, smallDisk } from "../load/small-disk.js";
import { temporaryFolder } from "../temporary-folder.js";
import { until } from "./built.js";
import { FILLINGS, fillDisk, loadStream } from "./full-disk.js";
import { BASE, exportedFrom, place } from "./labelled-places.js";
import { type Outcome, run } from "./run.js";

let folder: string;
let temporary: string;
beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  temporary = join(folder, "temporary");
  mkdirSync(temporary);
});

/** Fill a disk to the last byte by a file; its size. */
function fill(file: string): number {
  const block = Buffer.alloc(4096);
  const handle = openSync(file, "w");
  try {
    for (;;) writeSync(handle, block);
  } catch {
    return fstatSync(handle).size;
  } finally {
    closeSync(handle);
  }
}

it("an input that does not end can be interrupted, and leaves nothing", async () => {
  const store = join(folder, "store");
  await run(["load", "-", "--format", "nq", "--store", store], { stdin: place("a") });
  const before = await exportedFrom(store);
  const chunk = Buffer.from(Array.from({ length: 100 }, (_, at) => place(at, "x".repeat(9_999))).join(""));
  function* endless(): Iterable<Buffer> {
    for (;;) yield chunk;
  }
  const { status, stderr } = await loadStream(endless(), store, temporary, async (pid) => {
    // Once there are temporary files, there is something to be left behind.
    await until(() => readdirSync(temporary).length > 0);
    process.kill(pid, "SIGINT");
  });
  // How far it was is told on a slow machine.
  expect([status, stderr]).toEqual([2, expect.stringMatching(/(?:^|\n)vitrine: interrupted: nothing was loaded\n$/)]);
  expect(await exportedFrom(store)).toBe(before);
  expect([readdirSync(temporary), readdirSync(join(store, "staging"))]).toEqual([[], []]);
});

describe.skipIf(!HAS_SMALL_DISKS)("a full disk (skipped where no disk can be mounted)", () => {
  // The campaign `disks` has the others.
  it.each(FILLINGS.filter((_, at) => at % 2 === 0))("of %i MiB, which is full %s: nothing is loaded", (...filling) =>
    fillDisk(filling, temporary),
  );

  it("with a store that has no lock file refuses it in a sentence, and keeps room for one otherwise", async () => {
    const disk = smallDisk(4)!;
    const [store, lock, filler] = ["store", "store/records.mdb-lock", "filler"].map((name) => join(disk.path, name));
    const sound = join(folder, "store");
    await run(["load", "-", "--format", "nq", "--store", sound], { stdin: place("a") });
    cpSync(sound, store!, { recursive: true });
    rmSync(lock!);
    const stats = (): Promise<Outcome> => run(["stats", "--store", store!]);
    const free = fill(filler!);
    const { status, stderr } = await stats();
    expect([status, stderr]).toEqual([2, `vitrine: ${lock}: the disk is full\n`]);
    truncateSync(filler!, free - 64 * 1024);
    expect((await stats()).status).toBe(0);
    // Every page of it lies on the disk, so that it can be written to when the disk is full again.
    const { size, blocks } = statSync(lock!);
    expect(blocks * 512).toBeGreaterThanOrEqual(size);
    fill(`${filler}-again`);
    expect((await stats()).status).toBe(0);
    disk.remove();
  });

  it("of temporary files is named", async () => {
    const disk = smallDisk(1)!;
    const grouper = new Grouper({ temporary: disk.path, memoryBytes: 100_000 });
    const input = grouper.addInput("x.nq");
    const statement = new TermStatement();
    const fill = (): void => {
      for (let at = 0; at < 50_000; at++) {
        const record = `${BASE}${at}`;
        grouper.add(record, input, statement.set(1, iri(record), iri("urn:p"), literal("x".repeat(99)), undefined));
      }
    };
    expect(fill).toThrow(/no space is left on the device. Set TMPDIR to a directory with room/);
    grouper.close();
    expect(readdirSync(disk.path)).toEqual([]);
    disk.remove();
  });
});
