/** Sources: the inputs named on the command line, their formats, sizes, decompression and errors. */
import { execFileSync } from "node:child_process";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { InputError } from "../../../src/load/errors.js";
import { EXTENSIONS, formatOf, listSources, type Source } from "../../../src/load/read/sources.js";
import { temporaryFolder } from "../../temporary-folder.js";

const folder = temporaryFolder();
const noInput = Readable.from([]);

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function text(source: Source): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.open()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("listSources", () => {
  it.each(EXTENSIONS)("knows .%s, also with .gz and in capitals", async (extension) => {
    for (const name of [`a.${extension}`, `a.${extension}.gz`, `A.${extension.toUpperCase()}.GZ`]) {
      const path = await file(`formats/${name}`, "");
      const format = formatOf(extension)!.name;
      expect(await listSources([path], { stdin: noInput })).toMatchObject([{ name: path, format }]);
    }
  });

  it("walks directories in the order of paths, and reports the files that it ignores", async () => {
    for (const name of ["b/2.nq", "b/10.nq", "a.ttl", "b/README.md", "b/c/x.jsonl.gz", ".hidden", "noextension"]) {
      await file(`tree/${name}`, name);
    }
    const ignored: string[] = [];
    const root = join(folder, "tree");
    const sources = await listSources([root], { stdin: noInput, onIgnored: (path) => ignored.push(path) });
    const relative = (path: string) => path.slice(root.length + 1);
    expect(sources.map(({ name }) => relative(name))).toEqual(["a.ttl", "b/10.nq", "b/2.nq", "b/c/x.jsonl.gz"]);
    expect(ignored.map(relative).sort()).toEqual([".hidden", "b/README.md", "noextension"]);
    expect(sources.map(({ size }) => size)).toEqual([5, 7, 6, 14]);
  });

  it("ignores hidden files and non-files in directories, but takes a hidden file that is named", async () => {
    for (const name of ["a.jsonl", "._a.jsonl", ".git/b.jsonl"]) await file(`hidden/${name}`, "");
    const root = join(folder, "hidden");
    // Emacs makes such a link beside a file that is being edited.
    await symlink("nobody@host.123", join(root, ".#a.jsonl"));
    execFileSync("mkfifo", [join(root, "pipe.nq")]);
    expect(await listSources([root], { stdin: noInput })).toMatchObject([{ name: join(root, "a.jsonl") }]);
    expect(await listSources([join(root, "._a.jsonl")], { stdin: noInput })).toHaveLength(1);
  });

  it("leaves out a store among its inputs, whose dumps have earlier records, and refuses one as an input", async () => {
    for (const name of ["a.jsonl", "store/records.mdb", "store/loads/loads.json", "store/dumps/1/all.nq.gz"])
      await file(`around/${name}`, "");
    const root = join(folder, "around");
    expect(await listSources([root], { stdin: noInput })).toMatchObject([{ name: join(root, "a.jsonl") }]);
    const dumps = await listSources([join(root, "store", "dumps")], { stdin: noInput });
    expect(dumps).toMatchObject([{ format: "nq" }]);
    await expect(listSources([join(root, "store")], { stdin: noInput })).rejects.toThrow(
      /store: it is a store: vitrine/,
    );
  });

  it("takes a file that is named twice only once, and survives circular links", async () => {
    const path = await file("links/a.nq", "");
    await symlink(join(folder, "links"), join(folder, "links/again"));
    await symlink(path, join(folder, "links/b.nq"));
    expect(await listSources([join(folder, "links"), path], { stdin: noInput })).toHaveLength(1);
  });

  it("reads every file in the given format", async () => {
    const path = await file("dump.txt", "x");
    expect(await listSources([path, "-"], { stdin: noInput, format: "nt" })).toMatchObject([
      { name: path, format: "nt" },
      { name: "-", format: "nt", size: undefined },
    ]);
  });

  it("names inputs that are missing, of unknown format or empty", async () => {
    const list = (...inputs: string[]) => listSources(inputs, { stdin: noInput });
    await expect(list("no/such.nq")).rejects.toThrow(new InputError("no/such.nq: no such file or directory"));
    const path = await file("record.lido", "");
    await expect(list(path)).rejects.toThrow(InputError);
    await expect(list(path)).rejects.toThrow(
      `${path}: unknown format: give --format, or a file that ends in one of .ttl .nt .nq .trig .rdf .owl .xml .jsonld .json .jsonl .ndjson (also with .gz)`,
    );
    await expect(list("-")).rejects.toThrow("standard input: unknown format: give --format");
    await expect(listSources(["-"], { stdin: noInput, format: "lido" })).rejects.toThrow(
      "--format lido: unknown format",
    );
    await mkdir(join(folder, "empty/below"), { recursive: true });
    await expect(list(join(folder, "empty"))).rejects.toThrow(
      "empty: the directory has no file that ends in one of .ttl",
    );
  });

  it("says that a file cannot be read without permission", async () => {
    const path = await file("secret.nq", "x");
    await chmod(path, 0);
    const [source] = await listSources([path], { stdin: noInput });
    // Root, as which tests run in containers, may read everything.
    if (process.getuid?.() === 0) expect(await text(source!)).toBe("x");
    else await expect(text(source!)).rejects.toMatchObject({ code: "EACCES", path });
  });
});

describe("open", () => {
  it("reads a file, and counts the bytes read", async () => {
    const content = "line\n".repeat(200_000);
    const path = await file("large.nq", content);
    const [source] = await listSources([path], { stdin: noInput });
    expect(source).toMatchObject({ size: content.length, bytesRead: 0 });
    const [half] = await listSources([path], { stdin: noInput });
    for await (const chunk of half!.open()) {
      expect(half!.bytesRead).toBe(chunk.length);
      break;
    }
    expect(await text(source!)).toBe(content);
    expect(source!.bytesRead).toBe(content.length);
  });

  it("decompresses gzip, also of several members, and counts compressed bytes", async () => {
    const bytes = Buffer.concat([gzipSync("one\n"), gzipSync("two\n".repeat(100_000))]);
    const [source] = await listSources([await file("a.nq.gz", bytes)], { stdin: noInput });
    expect(await text(source!)).toBe(`one\n${"two\n".repeat(100_000)}`);
    expect(source!.bytesRead).toBe(bytes.length);
  });

  it.each([1, 3, 1_000])("decompresses gzip that is not named so, and comes %d bytes at a time", async (size) => {
    const bytes = gzipSync("piped");
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    const [source] = await listSources(["-"], { stdin: Readable.from(pieces), format: "nq" });
    expect(await text(source!)).toBe("piped");
    expect(source!.bytesRead).toBe(bytes.length);
  });

  it("knows UTF-16 and packed files when they come byte by byte", async () => {
    for (const start of ["\xff\xfea\0", "PK\x03\x04"]) {
      const pieces = [...Buffer.from(start, "latin1")].map((byte) => Buffer.of(byte));
      const [source] = await listSources(["-"], { stdin: Readable.from(pieces), format: "nq" });
      await expect(text(source!)).rejects.toThrow(/iconv|unpack/);
    }
  });

  it.each([
    ["zip", "PK\x03\x04"],
    ["7z", "7z\xbc\xaf\x27\x1c"],
    ["xz", "\xfd7zXZ\0"],
    ["Zstandard", "\x28\xb5\x2f\xfd"],
    ["bzip2", "BZh9"],
  ])("asks to unpack %s that is not named so", async (_, start) => {
    const path = await file("packed.nq", Buffer.from(`${start}...`, "latin1"));
    const [source] = await listSources([path], { stdin: noInput });
    await expect(text(source!)).rejects.toThrow(`${path}: unpack it first`);
  });

  it.each(["b.nq.zst", "b.jsonl.bz2", "b.nq.xz", "b.zip", "b.tar.gz"])(
    "asks to unpack %s, also in a folder, which would lack its records",
    async (name) => {
      const path = await file(`packed-${name}/below/${name}`, "");
      await file(`packed-${name}/a.nq`, "");
      for (const input of [path, join(folder, `packed-${name}`)])
        await expect(listSources([input], { stdin: noInput })).rejects.toThrow(`${path}: unpack it first`);
    },
  );

  it("reads standard input that arrives as text", async () => {
    const [source] = await listSources(["-"], { stdin: Readable.from(["é", "", "x"]), format: "nq" });
    expect(await text(source!)).toBe("éx");
    expect(source!.bytesRead).toBe(3);
  });

  const zipped = gzipSync("content\n".repeat(50_000));
  const damaged = Buffer.from(zipped);
  damaged[zipped.length >> 1]! ^= 0xff;
  it.each([
    ["cut off", zipped.subarray(0, zipped.length - 20), "unexpected end of file"],
    ["damaged", damaged, "the gzip data is damaged"],
    ["not gzip at all", Buffer.from("<http://a/s> ..."), "incorrect header check"],
    ["empty", Buffer.alloc(0), "the file is empty"],
  ])("refuses gzip that is %s", async (_, bytes, reason) => {
    const path = await file("bad.nq.gz", bytes);
    const [source] = await listSources([path], { stdin: noInput });
    const reading = text(source!);
    await expect(reading).rejects.toThrow(InputError);
    await expect(reading).rejects.toThrow(reason);
    await expect(reading).rejects.toThrow(path);
  });

  it("says that a file has gone", async () => {
    const path = await file("gone.nq", "x");
    const [source] = await listSources([path], { stdin: noInput });
    await rm(path);
    await expect(text(source!)).rejects.toThrow(new InputError(`${path}: no such file or directory`));
  });

  it("can be interrupted", async () => {
    const endless = new Readable({ read() {} });
    const [source] = await listSources(["-"], { stdin: endless, format: "nq" });
    const controller = new AbortController();
    endless.push("line\n");
    const reading = (async () => {
      for await (const _ of source!.open(controller.signal)) controller.abort();
    })();
    await expect(reading).rejects.toMatchObject({ name: "AbortError" });
  });
});
