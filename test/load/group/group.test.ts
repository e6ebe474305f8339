/** Grouping of quads in any order, from any number of inputs, in memory and through temporary files. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { TemporaryFileError } from "../../../src/base/temporary.js";
import { NotARecordError } from "../../../src/load/errors.js";
import { Grouper, type GrouperOptions } from "../../../src/load/group/group.js";
import { groupedRecords } from "../../../src/load/group/grouped-records.js";
import { DEFAULT_LIMITS, MAX_GRAPH_BYTES } from "../../../src/load/limits.js";
import { LineReader } from "../../../src/rdf/ntriples/reader.js";
import { writeNQuads, writeNTriples } from "../../../src/rdf/ntriples/writer.js";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { iri, literal } from "../../../src/rdf/terms.js";
import { canonical, plainQuads } from "../../canonical.js";
import { IS_WHOLE } from "../../extent.js";
import { forAllAsync, runsOf } from "../../properties.js";
import { graphOf, recordGraph } from "../../rdf/record-graphs.js";
import { temporaryFolder } from "../../temporary-folder.js";

const temporary = temporaryFolder();

afterEach(() => {
  const left = readdirSync(temporary);
  // One test that leaves files is to fail alone.
  for (const name of left) rmSync(join(temporary, name), { recursive: true });
  expect(left).toEqual([]);
});

type Inputs = Readonly<Record<string, string>>;

interface GroupedRecord {
  readonly source: string;
  readonly line: number;
  readonly graph: RecordGraph;
}

/** The records of N-Quads, given by input name. Records that are too large are added to `refused`. */
async function group(
  inputs: Inputs,
  options: Partial<GrouperOptions> = {},
  refused: string[] = [],
): Promise<GroupedRecord[]> {
  const grouper = new Grouper({ temporary, ...options });
  using _ = { [Symbol.dispose]: () => grouper.close() };
  for (const [name, text] of Object.entries(inputs)) {
    const input = grouper.addInput(name);
    const reader = new LineReader({ source: name, graphs: true }, (statement) => {
      grouper.add(statement.graph()!.value, input, statement);
    });
    reader.push(Buffer.from(text));
    reader.end();
  }
  const records: GroupedRecord[] = [];
  const limits = { ...DEFAULT_LIMITS, graphBytes: options.maxGraphBytes ?? MAX_GRAPH_BYTES };
  for await (const { entries, inputs, size } of grouper.entries()) {
    const bytes = typeof entries === "string" ? readFileSync(entries) : Buffer.from(entries.buffer);
    for (const record of [...groupedRecords(bytes, inputs, limits, size - bytes.length)].flat()) {
      if ("graph" in record) records.push(record);
      else refused.push(`${record.source}:${record.line}: ${record.iri} ${record.refusal}`);
    }
  }
  return records;
}

const text = (records: readonly GroupedRecord[]) => records.map(({ graph }) => writeNQuads(graph)).join("");
const byIri = (records: readonly GroupedRecord[]) => [...records].sort((a, b) => (a.graph.iri < b.graph.iri ? -1 : 1));

/** So little memory that everything goes through temporary files, on several levels. */
const NO_MEMORY = { memoryBytes: 500 };

const A = "<http://a/1>";
const B = "<http://a/2>";
const P = "<http://a/p>";

describe("grouping", () => {
  it("makes a record of each graph, in order of first appearance, with the place where it begins", async () => {
    const records = await group({
      "x.nq": `${B} ${P} "1" ${B} .\n\n${A} ${P} "2" ${A} .\n${B} ${P} "3" ${B} .\n`,
      "y.nq": `# comment\n<http://a/3> ${P} "4" <http://a/3> .\n${A} ${P} "5" ${A} .\n`,
    });
    expect(records.map(({ graph, source, line }) => [graph.iri, source, line])).toEqual([
      ["http://a/2", "x.nq", 1],
      ["http://a/1", "x.nq", 3],
      ["http://a/3", "y.nq", 2],
    ]);
    expect(records.map(({ graph }) => writeNTriples(graph))).toEqual([
      `${B} ${P} "1" .\n${B} ${P} "3" .\n`,
      `${A} ${P} "2" .\n${A} ${P} "5" .\n`,
      `<http://a/3> ${P} "4" .\n`,
    ]);
  });

  it("keeps a repeated triple only once", async () => {
    const [record] = await group({ x: `${A} ${P} "1" ${A} .\n`.repeat(3) });
    expect(writeNTriples(record!.graph)).toBe(`${A} ${P} "1" .\n`);
  });

  it.each([{}, NO_MEMORY])("keeps labels of different graphs and inputs apart (%o)", async (options) => {
    const records = await group(
      {
        x: `${A} ${P} _:n ${A} .\n${B} ${P} _:n ${B} .\n_:n ${P} "x" ${A} .\n`,
        y: `${A} ${P} _:n ${A} .\n_:n ${P} "y" ${A} .\n`,
      },
      options,
    );
    expect(byIri(records).map(({ graph }) => writeNTriples(graph))).toEqual([
      `${A} ${P} _:b0 .\n_:b0 ${P} "x" .\n${A} ${P} _:b1 .\n_:b1 ${P} "y" .\n`,
      `${B} ${P} _:b0 .\n`,
    ]);
  });

  it("gives no records for empty input", async () => {
    expect(await group({})).toEqual([]);
    expect(await group({ x: "# nothing\n" })).toEqual([]);
  });

  it.each([{}, NO_MEMORY])("refuses a graph that does not describe the entity of its name (%o)", async (options) => {
    const inputs = { "x.nq": `${A} ${P} "1" ${A} .\n${A} ${P} ${B} ${B} .\n` };
    await expect(group(inputs, options)).rejects.toThrow(NotARecordError);
    await expect(group(inputs, options)).rejects.toThrow(
      "x.nq:2: the named graph <http://a/2> is not a record: no triple has that IRI as its subject. ",
    );
    await expect(group(inputs, options)).rejects.toThrow("--divide");
  });

  it.each([{}, NO_MEMORY])("refuses a record that is too large (%o)", async (options) => {
    const lines = Array.from({ length: 100 }, (_, index) => `${A} ${P} "${index}" ${A} .\n${B} ${P} "" ${B} .\n`);
    const refused: string[] = [];
    lines.push(`<http://a/3> ${P} "3" <http://a/3> .\n`);
    const grouped = await group({ "x.nq": lines.join("") }, { ...options, maxGraphBytes: 1000 }, refused);
    expect(grouped.map(({ graph }) => graph.iri)).toEqual(["http://a/3"]);
    expect(refused.sort()).toEqual([
      expect.stringMatching(/^x\.nq:1: http:\/\/a\/1 is larger than .* give --divide/),
      expect.stringMatching(/^x\.nq:2: http:\/\/a\/2 is larger than .* give --divide/),
    ]);
  });

  it("says that temporary files cannot be written", async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `${A} ${P} "${index}" ${A} .\n`);
    const options = { ...NO_MEMORY, temporary: join(temporary, "none") };
    await expect(group({ x: lines.join("") }, options)).rejects.toThrow(TemporaryFileError);
  });

  it("leaves no file behind when the records are not read to their end", async () => {
    const grouper = new Grouper({ temporary, ...NO_MEMORY });
    const input = grouper.addInput("x");
    const reader = new LineReader({ source: "x", graphs: true }, (statement) => {
      grouper.add(statement.graph()!.value, input, statement);
    });
    for (let index = 0; index < 1000; index++) {
      reader.push(Buffer.from(`<http://a/${index}> ${P} "x" <http://a/${index}> .\n`));
    }
    reader.end();
    expect(readdirSync(temporary)).toHaveLength(1);
    for await (const { size } of grouper.entries()) {
      expect(size).toBeGreaterThan(0);
      break;
    }
    grouper.close();
  });
});

describe("grouping in any order and with any memory", () => {
  /** Records, each of which describes its entity. */
  const records = fc
    .array(recordGraph, { maxLength: 12 })
    .map((graphs) => graphs.map((graph, index) => renamed(graph, `http://record/${index}`)));

  const linesOf = (graph: RecordGraph) => writeNQuads(graph).split(/(?<=\n)/);

  it("gives the same records for interleaved quads as for quads in order", async () => {
    const cases = fc.tuple(records, fc.infiniteStream(fc.nat()));
    await forAllAsync(
      [cases, fc.constantFrom({}, NO_MEMORY)],
      runsOf(1_000, 40),
      async ([graphs, choices], options) => {
        const waiting = graphs.map(linesOf);
        let interleaved = "";
        for (let left = waiting; left.length > 0; left = left.filter((lines) => lines.length > 0)) {
          interleaved += left[choices.next().value! % left.length]!.shift() ?? "";
        }
        const grouped = await group({ x: interleaved }, options);
        expect(text(byIri(grouped))).toBe(
          text(byIri(await group({ x: graphs.map((graph) => writeNQuads(graph)).join("") }))),
        );
      },
    );
  });

  it("gives the same graphs for shuffled quads", async () => {
    const shuffled = records.chain((graphs) => {
      const lines = graphs.flatMap(linesOf);
      const order = fc.shuffledSubarray(lines, { minLength: lines.length });
      return fc.tuple(fc.constant(graphs), order);
    });
    await forAllAsync([shuffled, fc.constantFrom({}, NO_MEMORY)], runsOf(500, 30), async ([graphs, lines], options) => {
      const grouped = new Map((await group({ x: lines.join("") }, options)).map(({ graph }) => [graph.iri, graph]));
      expect(grouped.size).toBe(graphs.length);
      for (const graph of graphs) {
        const same = grouped.get(graph.iri)!;
        expect(await canonical(plainQuads(same))).toBe(await canonical(plainQuads(graph)));
      }
    });
  });

  it("gives the same records and places through temporary files", async () => {
    await forAllAsync(
      [records, fc.integer({ min: 100, max: 20_000 })],
      runsOf(1_000, 40),
      async (graphs, memoryBytes) => {
        const half = graphs.length >> 1;
        const inputs = {
          x: graphs.map((graph) => writeNQuads(graph)).join(""),
          y: graphs
            .slice(half)
            .map((graph) => writeNQuads(graph))
            .join(""),
        };
        expect(byIri(await group(inputs, { memoryBytes }))).toEqual(byIri(await group(inputs)));
      },
    );
  });

  it.each(IS_WHOLE ? [2_000, 20_000] : [2_000])("partitions %d records of two inputs", async (length) => {
    const lines = (offset: number) =>
      Array.from({ length }, (_, index) => {
        const record = `<http://a/${(index * 7919 + offset) % length}>`;
        return `${record} ${P} _:b${index} ${record} .\n_:b${index} ${P} "${offset}" ${record} .\n`;
      }).join("");
    const grouped = await group({ x: lines(0), y: lines(5) }, { memoryBytes: 5 * length });
    expect([grouped.length, new Set(grouped.map(({ graph }) => graph.iri)).size]).toEqual([length, length]);
    expect(grouped.map(({ graph, source }) => [source, writeNTriples(graph)])).toEqual(
      grouped.map(({ graph: { iri } }) => [
        "x",
        `<${iri}> ${P} _:b0 .\n_:b0 ${P} "0" .\n<${iri}> ${P} _:b1 .\n_:b1 ${P} "5" .\n`,
      ]),
    );
  });
});

/** The graph under another IRI, with a triple about its entity. */
function renamed({ terms, triples }: RecordGraph, recordIri: string): RecordGraph {
  const all = Array.from({ length: triples.length / 3 }, (_, triple) => {
    const [subject, predicate, object] = [0, 1, 2].map((place) => terms[triples[triple * 3 + place]!]!);
    return [subject!, predicate!, object!] as const;
  });
  return graphOf(recordIri, [[iri(recordIri), iri("http://a/p"), literal("x")], ...all]);
}
