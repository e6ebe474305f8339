/** Index images as files: they are read back as written, and refused if they are damaged, cut off or of something else. */
import { existsSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import {
  ImageRefusedError,
  type ImageSubject,
  type IndexParts,
  readImage,
  writeImage,
} from "../../../src/query/oxigraph/index-image.js";
import type { WasmState, WasmTable } from "../../../src/query/oxigraph/wasm-instance.js";
import { temporaryFolder } from "../../temporary-folder.js";

/** The types of WebAssembly come only with those of browsers. */
const { Memory, Table } = (
  globalThis as unknown as {
    readonly WebAssembly: {
      readonly Memory: new (size: { readonly initial: number }) => WasmState["memory"];
      readonly Table: new (size: { readonly initial: number; readonly element: "externref" }) => WasmTable;
    };
  }
).WebAssembly;

const SUBJECT: ImageSubject = {
  withGraphs: false,
  sequence: 7,
  mark: "0123456789abcdef",
  leftOut: ["urn:left:out"],
  missing: 3,
};
const PARTS: IndexParts = { address: 4_096, counts: new Uint32Array([3, 1, 4, 1]), used: 2, live: 5, dead: 1 };
const REFERENCES: readonly unknown[] = [undefined, null, true, false, "a text", "ä 🌻"];
const PAGE = 65_536;

/** An instance with this many pages. */
function instance(pages: number, references: readonly unknown[] = []): WasmState {
  const table = new Table({ initial: references.length, element: "externref" });
  for (const [at, value] of references.entries()) table.set(at, value);
  return { memory: new Memory({ initial: pages }), references: table };
}

/** An instance whose memory and references are written to an image. */
function used(): WasmState {
  const state = instance(3, REFERENCES);
  const bytes = new Uint8Array(state.memory.buffer);
  for (let at = 0; at < bytes.length; at += 7) bytes[at] = at % 251;
  return state;
}

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  path = join(folder, "index.image");
});

const never = (): boolean => false;
const written = (state = used(), isAbandoned = never) => writeImage(path, state, PARTS, SUBJECT, isAbandoned);
const read = (state = instance(1), check = async (_: ImageSubject): Promise<void> => {}) =>
  readImage(path, state, check, () => {});

it("an image is read back as it was written, and only its owner can read it", async () => {
  expect(await written()).toBe(true);
  expect([statSync(path).mode & 0o777, existsSync(`${path}.part`)]).toEqual([0o600, false]);
  const state = instance(1);
  expect(await read(state)).toEqual({ parts: PARTS, subject: SUBJECT });
  expect(Buffer.from(state.memory.buffer).equals(Buffer.from(used().memory.buffer))).toBe(true);
  expect(REFERENCES.map((_, at) => state.references.get(at))).toEqual(REFERENCES);
});

it("a missing image is read as undefined", async () => {
  expect(await read()).toBeUndefined();
});

const over = (text: string, at: (file: Buffer) => number) => (file: Buffer) => {
  file.write(text, at(file), "latin1");
  return file;
};
/** Zeros in place of the value of a member of the header. */
const replaced = (name: string) => over("0000", (file) => file.indexOf(`"${name}":"`) + name.length + 4);

it.each<[string, (file: Buffer) => Buffer, RegExp, isTouched: boolean]>([
  ["cut off", (file) => file.subarray(0, -1), /^it is incomplete$/, false],
  ["longer than written", (file) => Buffer.concat([file, Buffer.alloc(1)]), /^it is incomplete$/, false],
  ["damaged in its checksum", over("X", (file) => file.length - 5), /^its checksum is wrong$/, true],
  ["damaged in its memory", over("damage", (file) => Math.floor(file.length / 2)), /^its checksum is wrong$/, true],
  ["damaged in its subject", replaced("mark"), /^its checksum is wrong$/, true],
  ["damaged in its header", over("\u0000", (file) => file.indexOf("{")), /^its header is damaged$/, false],
  ["in another format", over("Another", () => 0), /^it is not an image of this version$/, false],
  ["of another Oxigraph", replaced("wasm"), /^it is of another version of Oxigraph$/, false],
  ["empty", () => Buffer.alloc(0), /^it is not an image of this version$/, false],
])("an image is refused if it is %s", async (_, change, message, isTouched) => {
  await written();
  writeFileSync(path, change(readFileSync(path)));
  const error = await read().catch((refused: unknown) => refused);
  expect(error).toBeInstanceOf(ImageRefusedError);
  expect(error).toMatchObject({ message: expect.stringMatching(message), isTouched });
});

it("an image is refused before it is read if the instance was used, or if the check of its reader fails", async () => {
  await written();
  await expect(read(instance(4))).rejects.toMatchObject({ message: "the memory is in use", isTouched: false });
  const state = instance(1);
  const refusal = new ImageRefusedError("it is of another store", false);
  const check = async (subject: ImageSubject): Promise<void> => {
    expect(subject).toEqual(SUBJECT);
    throw refusal;
  };
  await expect(read(state, check)).rejects.toBe(refusal);
  expect(state.memory.buffer.byteLength).toBe(PAGE);
});

it("the old image stays if a new one cannot be written completely", async () => {
  await written();
  const before = readFileSync(path);
  expect(await written(instance(200), () => true)).toBe(false);
  // JavaScript objects that WebAssembly refers to cannot be written.
  expect(await written(instance(1, [{}]))).toBe(false);
  expect([readFileSync(path).equals(before), existsSync(`${path}.part`)]).toEqual([true, false]);
});

it("an image is not written while another process writes it, but replaces what an ended process left", async () => {
  const part = `${path}.part`;
  writeFileSync(part, "begun");
  expect([await written(), existsSync(path), readFileSync(part, "utf8")]).toEqual([false, false, "begun"]);
  const longAgo = Date.now() / 1_000 - 120;
  utimesSync(part, longAgo, longAgo);
  expect([await written(), existsSync(path), existsSync(part)]).toEqual([true, true, false]);
  truncateSync(path, 10);
  expect(await written()).toBe(true);
  expect(await read()).toBeDefined();
});
