/** What goes wrong with inputs and machines: each has its message and its status, and the store is as it was. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Grouper } from "../../src/load/group/group.js";
import { TermStatement } from "../../src/rdf/statement.js";
import { iri, literal } from "../../src/rdf/terms.js";
import { HAS_SMALL_DISKS, type SmallDisk, smallDisk } from "../load/small-disk.js";
import { run } from "./run.js";

const MIB = 2 ** 20;
const BASE = "https://museum.example/place/";
const TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.cidoc-crm.org/cidoc-crm/E53_Place>";
const LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>";

let folder: string;
let store: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-adversity-"));
  store = join(folder, "store");
  mkdirSync(join(folder, "temporary"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function place(name: string | number, label: string = String(name)): string {
  return `<${BASE}${name}> ${TYPE} <${BASE}${name}> .\n<${BASE}${name}> ${LABEL} "${label}" <${BASE}${name}> .\n`;
}

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function exported(): Promise<string> {
  // Without the comments that it begins and ends with.
  return (await run(["export", "--store", store])).stdout.replaceAll(/^#.*\n/gm, "");
}

interface Ended {
  readonly status: number | null;
  readonly stderr: string;
}

/** Load what a generator gives, through standard input, in a process of its own; `work` may interrupt it. */
async function loadStream(
  chunks: Iterable<Buffer>,
  format: string,
  work?: (pid: number) => Promise<void>,
): Promise<Ended> {
  const child = spawn(process.execPath, ["bin/vitrine.js", "load", "-", "--format", format, "--store", store], {
    env: { ...process.env, TMPDIR: join(folder, "temporary") },
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const exit = once(child, "exit");
  // The process ends before its input does.
  const feeding = pipeline(Readable.from(chunks), child.stdin).catch(() => undefined);
  await work?.(child.pid!);
  const [status] = await exit;
  child.stdin.destroy();
  await feeding;
  return { status, stderr };
}

function* repeated(head: string, chunk: Buffer, times: number): Iterable<Buffer> {
  yield Buffer.from(head);
  for (let time = 0; time < times; time++) yield chunk;
}

describe("an input", () => {
  it.each<[string, string, string | Buffer, RegExp]>([
    ["ends within a line", "cut.nq", place("b").slice(0, -20), /cut\.nq:2:\d+: expected/],
    ["ends within a document", "cut.jsonl", `{"id": "x"}\n{"id": "y`, /cut\.jsonl:2:\d+: the JSON is malformed/],
    [
      "is gzip that is cut off",
      "cut.nq.gz",
      gzipSync(place("b")).subarray(0, 60),
      /gzip data is damaged: unexpected end/,
    ],
    [
      "is gzip with a wrong byte",
      "torn.nq.gz",
      gzipSync(place("b".repeat(500))).map((byte, at) => (at === 40 ? byte ^ 255 : byte)) as Buffer,
      /torn\.nq\.gz: the gzip data is damaged/,
    ],
    ["is no gzip at all", "plain.nq.gz", place("b"), /plain\.nq\.gz: the gzip data is damaged/],
    [
      "is no UTF-8",
      "latin.nq",
      Buffer.concat([Buffer.from(place("b")), Buffer.from(place("c", "caf\xe9"), "latin1")]),
      /latin\.nq:4: the line is not valid UTF-8/,
    ],
    ["has a document that is no UTF-8", "latin.jsonl", Buffer.from('{"a": "\xe9"}', "latin1"), /:1: .*not valid UTF-8/],
    ["is no text", "image.ttl", Buffer.from("ffd8ffe000104a46494600", "hex"), /image\.ttl:1/],
  ])("that %s is refused with its place, and nothing changes", async (_, name, content, message) => {
    await run(["load", file("before.nq", place("a")), "--store", store]);
    const before = await exported();
    // What came before the broken one is not loaded either.
    const first = file("first.nq", place("first"));
    const { status, stderr } = await run(["load", first, file(name, content), "--store", store]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(await exported()).toBe(before);
    expect(readdirSync(join(store, "staging"))).toEqual([]);
  });

  it("may end without a newline", async () => {
    const { status } = await run(["load", file("places.nq", place("a").trimEnd()), "--store", store]);
    expect([status, await exported()]).toEqual([0, place("a")]);
  });

  it.each<[string, string, number]>([
    ["a literal of 100 MB", "nq", 100],
    ["a literal of 100 MB", "ttl", 100],
    ["a line of 1 GB", "nq", 1024],
    ["a line of 1 GB", "jsonl", 1024],
  ])("with %s (%s) is refused before it fills the memory", async (_, format, mebibytes) => {
    const head = format === "jsonl" ? '{"_label": "' : `<${BASE}a> ${LABEL} "`;
    const chunks = repeated(head, Buffer.alloc(MIB, "x"), mebibytes);
    const { status, stderr } = await loadStream(chunks, format);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/-:1: .*64 MiB/)]);
    expect(await exported()).toBe("");
  });

  it("that does not end can be interrupted, and leaves nothing", async () => {
    await run(["load", file("before.nq", place("a")), "--store", store]);
    const before = await exported();
    function* endless(): Iterable<Buffer> {
      for (let from = 0; ; from += 1000) {
        yield Buffer.from(Array.from({ length: 1000 }, (_, at) => place(from + at)).join(""));
      }
    }
    const { status, stderr } = await loadStream(endless(), "nq", async (pid) => {
      const temporary = join(folder, "temporary");
      // Once there are temporary files, there is something to be left behind.
      while (readdirSync(temporary).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      process.kill(pid, "SIGINT");
    });
    // How far it was is told on a slow machine.
    expect([status, stderr]).toEqual([2, expect.stringMatching(/(?:^|\n)vitrine: interrupted: nothing was loaded\n$/)]);
    expect(await exported()).toBe(before);
    expect([readdirSync(join(folder, "temporary")), readdirSync(join(store, "staging"))]).toEqual([[], []]);
  });
});

describe.skipIf(!HAS_SMALL_DISKS)("a full disk (skipped where no disk can be mounted)", () => {
  let disk: SmallDisk;
  afterEach(() => disk.remove());

  const many = (count: number, label: string): string =>
    Array.from({ length: count }, (_, at) => place(at, label + at)).join("");

  // 32 MiB are kept free; 10,000 records with such labels take 12 to stage and 30 to publish, lists and the change log with their labels included.
  it.each([
    [40, "while records are staged", 2],
    [58, "at the beginning of the publication", 2],
    [64, "in the midst of the publication", 2],
    [140, "never", 0],
  ])("of %i MiB, which is full %s: nothing or all is loaded", async (mebibytes, _, expected) => {
    disk = smallDisk(mebibytes)!;
    store = join(disk.path, "store");
    await run(["load", file("before.nq", place("before")), "--store", store]);
    const before = await exported();
    const { status, stderr } = await loadStream([Buffer.from(many(10_000, "x".repeat(1000)))], "nq");
    expect(status).toBe(expected);
    if (status === 2) {
      expect(stderr).toMatch(/the disk of .* is full: nothing was published; make room and load again/);
      expect(await exported()).toBe(before);
    } else expect((await exported()).length).toBeGreaterThan(1e7);
    expect((await run(["check", "--store", store])).status).toBe(0);
    expect((await run(["load", file("after.nq", place("after")), "--store", store])).status).toBe(0);
  });

  it("of temporary files is named", async () => {
    disk = smallDisk(1)!;
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
  });
});
