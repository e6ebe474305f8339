/** What is wrong with inputs: each has its message and its status, and the store is as it was. */
import { readdirSync } from "node:fs";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { BASE, exportedFrom, LABEL, place } from "./labelled-places.js";
import { workspaceForEach } from "./workspace.js";

const MIB = 2 ** 20;

const { path, file, vitrine } = workspaceForEach();

const exported = (): Promise<string> => exportedFrom(path("store"));

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
      /latin\.nq:4: the line is not valid UTF-8: if Windows wrote it, iconv -f WINDOWS-1252 -t UTF-8 .*latin\.nq > NEW/,
    ],
    [
      "is UTF-16",
      "wide.jsonl",
      Buffer.from('\ufeff{"id": "x"}\n', "utf16le"),
      /wide\.jsonl: the text is UTF-16, not UTF-8: iconv -f/,
    ],
    ["is UTF-16 without a mark", "wide.nq", Buffer.from("<x> <y> <z> .\n", "utf16le"), /the text is UTF-16/],
    [
      "has a document a line where one is expected",
      "lines.json",
      '{"id": "x"}\n{"id": "y"}\n',
      /lines\.json:2:1: .*expected the end, found "\{"\. For one document a line, name the file \.jsonl or give --format/,
    ],
    [
      "is a table",
      "objects.csv",
      "id,title\n1,A\n",
      /objects\.csv: a table does not say .* \(docs\/publish\/prepare\.md has some\)/,
    ],
    ["is an archive", "objects.tar.gz", "", /objects\.tar\.gz: unpack it first, or pipe its content/],
    ["is compressed in another way", "objects.jsonl.zst", "", /objects\.jsonl\.zst: unpack it first/],
    [
      "has a document over several lines",
      "pretty.jsonl",
      '{\n"id": "x"}\n',
      /pretty\.jsonl:1:2: .*a whole document on each/,
    ],
    ["has a document that is no UTF-8", "latin.jsonl", Buffer.from('{"a": "\xe9"}', "latin1"), /:1: .*not valid UTF-8/],
    ["has a triple that is cut off", "cut.ttl", "<urn:a> <urn:b> .\n", /cut\.ttl:1/],
    ["is no text", "image.ttl", Buffer.from("ffd8ffe000104a46494600", "hex"), /image\.ttl:1/],
  ])("that %s is refused with its place, and nothing changes", async (_, name, content, message) => {
    await vitrine("load", file("before.nq", place("a")));
    const before = await exported();
    // What came before the broken one is not loaded either.
    const first = file("first.nq", place("first"));
    const { status, stderr } = await vitrine("load", first, file(name, content));
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(await exported()).toBe(before);
    expect(readdirSync(path("store", "staging"))).toEqual([]);
  });

  it("is refused in one sentence where there is no folder for temporary files", async () => {
    vi.stubEnv("TMPDIR", path("none"));
    const input = file("a.nt", place("a").replaceAll(/ <\S+> \.$/gm, " ."));
    const { status, stderr } = await vitrine("validate", input);
    vi.unstubAllEnvs();
    expect([status, stderr]).toEqual([3, expect.stringMatching(/^vitrine: temporary file .*Set TMPDIR [^\n]*\n$/)]);
  });

  it("may end without a newline", async () => {
    const { status } = await vitrine("load", file("places.nq", place("a").trimEnd()));
    expect([status, await exported()]).toEqual([0, place("a")]);
  });

  it.each<[string, string]>([
    ["a literal", "nq"],
    ["a literal", "ttl"],
    ["a line", "nq"],
    ["a line", "jsonl"],
  ])("with %s (%s) that does not end is refused before it fills the memory", async (what, format) => {
    let taken = 0;
    function* endless(): Iterable<Buffer> {
      if (what === "a literal") yield Buffer.from(`<${BASE}a> ${LABEL} "`);
      else yield Buffer.from(format === "jsonl" ? '{"_label": "' : "#");
      for (const chunk = Buffer.alloc(MIB, "x"); ; taken++) yield chunk;
    }
    const stdin = Readable.from(endless());
    const { status, stderr } = await vitrine("load", "-", "--format", format, { stdin });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/-:1: .*64 MiB/)]);
    // A literal has its line, and what was read ahead of it.
    expect(taken).toBeLessThan(100);
    stdin.destroy();
    expect(await exported()).toBe("");
  });
});
