/** Logs of entries, which are read back the same however they were cut into writes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EntryLog, LogEntry } from "../../../src/load/group/partitions.js";
import { TermStatement } from "../../../src/rdf/statement.js";
import { iri, literal } from "../../../src/rdf/terms.js";
import { forAll, runsOf } from "../../properties.js";

const statement = new TermStatement();

/** Adjacent entries of one graph and input, joined as [graph, input, first line, triples]. */
function joined(bytes: Buffer): [string, number, number, string][] {
  const all: [string, number, number, string][] = [];
  const entry = new LogEntry();
  for (let start = 0; entry.read(bytes, start); start = entry.end) {
    const { input, line, triplesStart, end } = entry;
    const triples = bytes.toString("utf8", triplesStart, end);
    const last = all.at(-1);
    if (last?.[0] === entry.graph() && last[1] === input) last[3] += triples;
    else all.push([entry.graph(), input, line, triples]);
  }
  return all;
}

const statements = fc.array(
  fc.tuple(fc.constantFrom("http://g/1", "http://g/é", "http://g/名😀"), fc.nat(2), fc.string({ unit: "grapheme" })),
);

function log(
  all: readonly (readonly [string, number, string])[],
  flushBytes: number,
): { log: EntryLog; bytes: Buffer } {
  const written: Buffer[] = [];
  const log = new EntryLog(flushBytes, (bytes) => written.push(Buffer.from(bytes)));
  for (const [index, [graph, input, value]] of all.entries()) {
    log.add(graph, input, statement.set(index + 1, iri("http://s"), iri("http://p"), literal(value), undefined));
  }
  log.flush();
  return { log, bytes: Buffer.concat(written) };
}

describe("EntryLog", () => {
  it("gives back the same entries, however much it writes at a time", () => {
    forAll([statements, fc.nat(300)], runsOf(2_000), (all, flushBytes) => {
      const whole = joined(log(all, 1_000_000).bytes);
      expect(joined(log(all, flushBytes).bytes)).toEqual(whole);
      expect(whole.map(([graph]) => graph).filter((graph, index, graphs) => graph !== graphs[index - 1])).toEqual(
        all.map(([graph]) => graph).filter((graph, index, graphs) => graph !== graphs[index - 1]),
      );
    });
  });

  it("takes copies of entries from another log", () => {
    forAll([statements], runsOf(2_000), (all) => {
      const { bytes } = log(all, 50);
      const copies: Buffer[] = [];
      const copy = new EntryLog(100, (written) => copies.push(Buffer.from(written)));
      const entry = new LogEntry();
      for (let start = 0; entry.read(bytes, start); start = entry.end) copy.addEntry(entry.graph(), entry);
      copy.flush();
      expect(Buffer.concat(copies).equals(bytes)).toBe(true);
    });
  });

  it("knows whether all entries are of one graph", () => {
    const hasOneGraph = (...graphs: string[]): boolean =>
      log(
        graphs.map((graph, input) => [graph, input, "x"]),
        10,
      ).log.hasOneGraph;
    expect([hasOneGraph(), hasOneGraph("a", "a"), hasOneGraph("a", "b")]).toEqual([false, true, false]);
  });
});

it("part of an entry is not read as an entry", () => {
  const { bytes } = log([["http://g/1", 0, "x"]], 1000);
  const entry = new LogEntry();
  for (let length = 0; length < bytes.length; length++) expect(entry.read(bytes.subarray(0, length), 0)).toBe(false);
  expect(entry.read(bytes, 0)).toBe(true);
  expect(entry.end).toBe(bytes.length);
});
