import { describe, expect, it } from "vitest";
import { streamProgress } from "../../../src/load/pipeline/progress.js";
import type { Source } from "../../../src/load/read/sources.js";

/** A source of which this many bytes are read. */
function source(bytesRead: number, size: number | undefined): Source {
  return { name: "x.nq", format: "nq", size, bytesRead, open: () => (async function* () {})() };
}

/** The text that is written if successive looks at the clock show these seconds. */
function written(isTTY: boolean, seconds: number[], work: (progress: ReturnType<typeof streamProgress>) => void) {
  let text = "";
  const times = [0, ...seconds];
  const write = (more: string): unknown => (text += more);
  const stream = { isTTY, write, rewrite: (line: string) => write(`\r\x1b[K${line}`) };
  work(streamProgress(stream, () => 1000 * (times.length > 1 ? times.shift()! : times[0]!)));
  return text;
}

describe("progress", () => {
  it("is a bar on a terminal, with the share, records, quads per second and time left", () => {
    const text = written(true, [10], (progress) => {
      progress.made(0, 12_345, 400_000, [source(30, 50), source(20, 50)]);
      progress[Symbol.dispose]();
    });
    expect(text).toBe(
      `\r\x1b[K[${"=".repeat(12)}${" ".repeat(12)}]  50 % 12,345 records  40,000 quads/s  about 10 s left\r\x1b[K`,
    );
  });

  it("is an occasional plain line elsewhere", () => {
    const text = written(false, [5, 11, 12, 1000], (progress) => {
      for (const read of [10, 25, 30]) progress.made(0, 1000 * read, 50_000 * read, [source(read, 100)]);
      progress.publishing();
      progress[Symbol.dispose]();
    });
    expect(text).toBe("25 %, 25,000 records, 113,636 quads/s, about 33 s left\npublishing ...\n");
  });

  it("continues while the search index follows", () => {
    const text = written(false, [11, 12, 15, 40], (progress) => {
      progress.publishing();
      for (const share of [0.1, 0.456, 0.999]) progress.indexed(share);
    });
    expect(text).toBe("publishing ...\npublished; ready to be searched: 10 %\npublished; ready to be searched: 99 %\n");
  });

  it("of quads continues when all are read and become records", () => {
    const lines = written(false, [20, 40, 60], (progress) => {
      progress.made(300_000, 0, 0, [source(60, 100)]);
      progress.made(500_000, 0, 0, [source(100, 100)]);
      progress.made(500_000, 9_000, 250_000, [source(100, 100)]);
    });
    expect(lines.split("\n").map((line) => line.split(", ")[0])).toEqual(["20 %", "33 %", "66 %", ""]);
    expect(lines).toContain("300,000 quads, 15,000 quads/s");
    expect(lines).toContain("9,000 records, 8,333 quads/s");
  });

  it("has no share for standard input, and gives long times in minutes", () => {
    expect(written(false, [60], (progress) => progress.made(0, 10, 600, [source(9, undefined)]))).toBe(
      "10 records, 10 quads/s\n",
    );
    expect(written(false, [60], (progress) => progress.made(0, 10, 600, [source(10, 100)]))).toContain(
      "about 9 min left",
    );
  });
});
