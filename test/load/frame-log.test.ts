/** Frames: what is logged is read back, however it is cut into writes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Frame, FrameLog, frameAt } from "../../src/load/frame-log.js";
import { TermStatement } from "../../src/rdf/statement.js";
import { iri, literal } from "../../src/rdf/terms.js";

const statement = new TermStatement();

function framesIn(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let start = 0; start < bytes.length; start = frames.at(-1)!.end) frames.push(frameAt(bytes, start)!);
  return frames;
}

/** Adjacent frames of one graph and input, joined as [graph, input, first line, triples]. */
function joined(frames: readonly Frame[]): [string, number, number, string][] {
  const all: [string, number, number, string][] = [];
  for (const { graph, input, line, triples } of frames) {
    const last = all.at(-1);
    if (last?.[0] === graph && last[1] === input) last[3] += triples.toString();
    else all.push([graph, input, line, triples.toString()]);
  }
  return all;
}

const entries = fc.array(
  fc.tuple(fc.constantFrom("http://g/1", "http://g/é", "http://g/名😀"), fc.nat(2), fc.string({ unit: "grapheme" })),
);

function log(
  all: readonly (readonly [string, number, string])[],
  flushBytes: number,
): { log: FrameLog; bytes: Buffer } {
  const written: Buffer[] = [];
  const log = new FrameLog(flushBytes, (bytes) => written.push(Buffer.from(bytes)));
  for (const [index, [graph, input, value]] of all.entries()) {
    log.add(graph, input, statement.set(index + 1, iri("http://s"), iri("http://p"), literal(value), undefined));
  }
  log.flush();
  return { log, bytes: Buffer.concat(written) };
}

describe("FrameLog", () => {
  it("gives back what it was given, whatever it writes at a time", () => {
    fc.assert(
      fc.property(entries, fc.nat(300), (all, flushBytes) => {
        const whole = joined(framesIn(log(all, 1_000_000).bytes));
        expect(joined(framesIn(log(all, flushBytes).bytes))).toEqual(whole);
        expect(whole.map(([graph]) => graph).filter((graph, index, graphs) => graph !== graphs[index - 1])).toEqual(
          all.map(([graph]) => graph).filter((graph, index, graphs) => graph !== graphs[index - 1]),
        );
      }),
    );
  });

  it("copies frames from one log to another", () => {
    fc.assert(
      fc.property(entries, (all) => {
        const { bytes } = log(all, 50);
        const copies: Buffer[] = [];
        const copy = new FrameLog(100, (written) => copies.push(Buffer.from(written)));
        for (let start = 0; start < bytes.length; ) {
          const frame = frameAt(bytes, start)!;
          copy.addFrame(frame, bytes, start);
          start = frame.end;
        }
        copy.flush();
        expect(Buffer.concat(copies)).toEqual(bytes);
      }),
    );
  });

  it("says whether all frames are of one graph", () => {
    expect(log([], 10).log.onlyGraph).toBeUndefined();
    expect(
      log(
        [
          ["http://g/1", 0, "x"],
          ["http://g/1", 1, "y"],
        ],
        10,
      ).log.onlyGraph,
    ).toBe("http://g/1");
    expect(
      log(
        [
          ["http://g/1", 0, "x"],
          ["http://g/2", 0, "y"],
        ],
        10,
      ).log.onlyGraph,
    ).toBeUndefined();
  });
});

it("finds no frame in part of one", () => {
  const { bytes } = log([["http://g/1", 0, "x"]], 1000);
  for (let length = 0; length < bytes.length; length++) expect(frameAt(bytes.subarray(0, length), 0)).toBeUndefined();
  expect(frameAt(bytes, 0)?.end).toBe(bytes.length);
});
