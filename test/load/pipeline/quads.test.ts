/** Records from files of quads: every format, merged graphs, divided triples, nodes that belong to no record, errors. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { DefaultGraphTriples, type UnownedNode } from "../../../src/load/divide/default-graph.js";
import { InputError, NotARecordError } from "../../../src/load/errors.js";
import { Grouper } from "../../../src/load/group/group.js";
import { groupedRecords } from "../../../src/load/group/grouped-records.js";
import { DEFAULT_LIMITS, MAX_GRAPH_BYTES } from "../../../src/load/limits.js";
import { groupQuads } from "../../../src/load/pipeline/pipeline.js";
import { holdsDocuments, listSources } from "../../../src/load/read/sources.js";
import { classIri, propertyIri } from "../../../src/model/vocabulary/vocabulary.js";
import { writeNTriples } from "../../../src/rdf/ntriples/writer.js";
import { TermStatement } from "../../../src/rdf/statement.js";
import { SyntaxProblem } from "../../../src/rdf/syntax-problem.js";
import { iri, literal, RDF } from "../../../src/rdf/terms.js";
import { temporaryFolder } from "../../temporary-folder.js";

const folder = temporaryFolder();
const temporary = temporaryFolder();

afterAll(async () => {
  expect(await readdir(temporary)).toEqual([]);
});

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Each record as `IRI file:line`, and its triples. */
async function read(
  files: Files,
  options: Partial<Parameters<typeof groupQuads>[1]> = {},
): Promise<Record<string, string>> {
  const paths: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    paths.push(join(folder, name));
    await writeFile(paths.at(-1)!, content);
  }
  const sources = await listSources(paths, { stdin: Readable.from([]) });
  const records: Record<string, string> = {};
  await groupQuads(
    sources,
    { temporary, divide: false, limits: DEFAULT_LIMITS, ...options },
    {
      async take({ entries, inputs }) {
        const bytes = typeof entries === "string" ? await readFile(entries) : Buffer.from(entries.buffer);
        const limits = { ...DEFAULT_LIMITS, graphBytes: MAX_GRAPH_BYTES };
        for (const record of [...groupedRecords(bytes, inputs, limits)].flat()) {
          if (!("graph" in record)) throw new Error(record.refusal);
          const { graph, source, line } = record;
          records[`${graph.iri} ${source.slice(folder.length + 1)}:${line}`] = writeNTriples(graph);
        }
      },
      end: async () => {},
    },
  );
  return records;
}

const TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
const OBJECT_CLASS = `<${classIri("HumanMadeObject")}>`;
const NAMED = `<${propertyIri("identified_by")}>`;
const O1 = "<http://m/object/1>";
const O2 = "<http://m/object/2>";

describe("groupQuads", () => {
  it.each<[name: string, content: string | Uint8Array]>([
    ["a.nq", `${O1} ${NAMED} "x" ${O1} .\n`],
    ["a.nq.gz", gzipSync(`${O1} ${NAMED} "x" ${O1} .\n`)],
    ["a.trig", `${O1} { ${O1} ${NAMED} "x" }`],
    ["a.nt", `${O1} ${TYPE} ${OBJECT_CLASS} .\n${O1} ${NAMED} "x" .\n`],
    ["a.ttl", `${O1} a ${OBJECT_CLASS} ; ${NAMED} "x" .`],
  ])("reads %s", async (name, content) => {
    const records = await read({ [name]: content });
    expect(Object.keys(records)).toEqual([`http://m/object/1 ${name}:1`]);
    expect(Object.values(records)[0]).toContain(`${O1} ${NAMED} "x" .\n`);
  });

  it("merges the same graph from several files, also with triples that have no graph", async () => {
    const records = await read({
      "a.nq": `${O1} ${NAMED} _:n ${O1} .\n_:n ${NAMED} "a" ${O1} .\n`,
      "b.trig": `${O1} { ${O1} ${NAMED} _:n . _:n ${NAMED} "b" }\n${O1} a ${OBJECT_CLASS} ; ${NAMED} _:n .\n_:n ${NAMED} "c" .`,
    });
    expect(records).toEqual({
      "http://m/object/1 a.nq:1": `${O1} ${NAMED} _:b0 .
_:b0 ${NAMED} "a" .
${O1} ${NAMED} _:b1 .
_:b1 ${NAMED} "b" .
${O1} ${TYPE} ${OBJECT_CLASS} .
${O1} ${NAMED} _:b2 .
_:b2 ${NAMED} "c" .
`,
    });
  });

  it("gives the place where each divided record begins, and keeps labels of different files apart", async () => {
    const triples = (object: string) =>
      `${object} ${TYPE} ${OBJECT_CLASS} .\n${object} ${NAMED} _:n .\n_:n ${NAMED} "x" .\n`;
    const records = await read({ "a.nt": `\n${triples(O1)}`, "b.nt": triples(O2) });
    expect(Object.keys(records)).toEqual(["http://m/object/1 a.nt:2", "http://m/object/2 b.nt:1"]);
    for (const text of Object.values(records)) expect(text.match(/_:b0/g)).toHaveLength(2);
    for (const text of Object.values(records)) expect(text).not.toContain("_:b1");
  });

  it("divides triples in any order, each only once however often it is stated, also through temporary files", async () => {
    const label = "<http://www.w3.org/2000/01/rdf-schema#label>";
    const numbers = Array.from({ length: 100 }, (_, at) => at);
    const shared = `<urn:material> ${TYPE} <${classIri("Material")}> .\n<urn:material> ${label} "wood" .\n`;
    const lines = numbers.flatMap((number) => {
      const object = `<http://m/object/${number}>`;
      const own = `${object} ${TYPE} ${OBJECT_CLASS} .\n${object} ${NAMED} _:n${number} .\n_:n${number} ${label} "${number}" .\n`;
      const made = `${object} <${propertyIri("made_of")}> <urn:material> .\n`;
      return `${own}${made}${shared}`.split(/(?<=\n)/);
    });
    const inOrder = await read({ "a.nt": lines.join("") });
    expect(Object.keys(inOrder)).toHaveLength(100);
    // 7 and the number of lines have no common divisor, so every line has another place.
    const shuffled = lines.map((_, at) => lines[(at * 7) % lines.length]!).join("");
    const withoutPlaces = (records: Record<string, string>) =>
      Object.entries(records)
        .map(([place, text]) => [place.split(" ")[0], text.split("\n").sort()])
        .sort();
    for (const memoryBytes of [2 ** 20, 1000]) {
      const found = await read({ "a.nt": shuffled }, { memoryBytes });
      expect(withoutPlaces(found)).toEqual(withoutPlaces(inOrder));
    }
  });

  it("divides named graphs with `divide`", async () => {
    const dataset = "<http://m/dataset>";
    const files = {
      "a.nq": `${O1} ${TYPE} ${OBJECT_CLASS} ${dataset} .\n${O2} ${TYPE} ${OBJECT_CLASS} ${dataset} .\n${O2} ${NAMED} "x" _:g .\n`,
    };
    await expect(read(files)).rejects.toThrow(NotARecordError);
    expect(Object.keys(await read(files, { divide: true }))).toEqual([
      "http://m/object/1 a.nq:1",
      "http://m/object/2 a.nq:2",
    ]);
  });

  it("refuses a graph that is named by a blank node", async () => {
    await expect(read({ "a.nq": `${O1} ${NAMED} "x" _:g .\n` })).rejects.toThrow(
      "a.nq:1: the named graph _:g is not a record: its name is a blank node. ",
    );
  });

  it("reports nodes that belong to no record", async () => {
    const unowned: UnownedNode[] = [];
    const content = `${O1} ${TYPE} ${OBJECT_CLASS} .\n_:lonely ${NAMED} "x" .\n<http://m/x> ${NAMED} "x" .\n`;
    await read({ "a.nt": content }, { onUnowned: (node) => unowned.push(node) });
    expect(unowned).toEqual([
      { source: join(folder, "a.nt"), line: 2, node: "_:lonely" },
      { source: join(folder, "a.nt"), line: 3, node: "<http://m/x>" },
    ]);
  });

  it("hands on the triples of such nodes in parts, which memory need not hold together", async () => {
    const strays = Array.from({ length: 5_000 }, (_, at) => `<http://m/x> ${NAMED} "${at}" .\n`);
    const parts: string[] = [];
    await read(
      { "a.nt": [`${O1} ${TYPE} ${OBJECT_CLASS} .\n`, ...strays].join("") },
      { onStray: (text) => void parts.push(text) },
    );
    expect(parts.join("")).toBe(strays.join(""));
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(100_000);
  });

  it("refuses triples without any record", async () => {
    const reading = read({ "a.nt": `<http://m/x> ${NAMED} "x" .\n` });
    await expect(reading).rejects.toThrow(InputError);
    await expect(reading).rejects.toThrow(
      "a.nt:1: none of the triples without a graph describes a record: no class of <http://m/x>",
    );
  });

  it("gives no records for empty files", async () => {
    expect(await read({ "a.nq": "", "a.ttl": "" })).toEqual({});
  });

  it("names the file, line and column of an error", async () => {
    await expect(read({ "good.nq": `${O1} ${NAMED} "x" ${O1} .\n`, "bad.nq": `${O1} x ${O1} .\n` })).rejects.toThrow(
      new SyntaxProblem(
        join(folder, "bad.nq"),
        { line: 1, column: 21 },
        'expected the predicate: an IRI such as <https://...>, found "x"',
      ),
    );
  });

  it("resolves relative IRIs of Turtle, but not of N-Quads", async () => {
    const files = { "a.trig": `<object/1> { <object/1> ${NAMED} "x" }` };
    expect(Object.keys(await read(files, { baseUrl: "http://m/" }))).toEqual(["http://m/object/1 a.trig:1"]);
    await expect(read({ "a.nq": `<s> ${NAMED} "x" <s> .` }, { baseUrl: "http://m/" })).rejects.toThrow("not absolute");
  });

  it("can be interrupted", async () => {
    const endless = new Readable({ read() {} });
    const sources = await listSources(["-"], { stdin: endless, format: "nq" });
    const controller = new AbortController();
    endless.push(`${O1} ${NAMED} "x" ${O1} .\n`);
    const options = {
      temporary,
      divide: false,
      limits: DEFAULT_LIMITS,
      signal: controller.signal,
      onQuads: (quads: number) => {
        expect(quads).toBe(1);
        controller.abort();
      },
    };
    const reading = groupQuads(sources, options, { take: async () => {}, end: async () => {} });
    await expect(reading).rejects.toMatchObject({ name: "AbortError" });
  });

  it("knows which sources hold quads", async () => {
    await writeFile(join(folder, "d.jsonl"), "");
    await writeFile(join(folder, "d.trig"), "");
    const sources = await listSources([join(folder, "d.jsonl"), join(folder, "d.trig")], { stdin: Readable.from([]) });
    expect(sources.map(holdsDocuments)).toEqual([true, false]);
  });
});

describe("DefaultGraphTriples", () => {
  it("refuses more triples than it can divide", () => {
    const triples = new DefaultGraphTriples(temporary, 2);
    const input = triples.addInput("x");
    const statement = new TermStatement();
    const add = (value: string) =>
      triples.add(input, statement.set(1, iri("http://s"), iri("http://p"), literal(value), undefined));
    add("1");
    add("2");
    add("2");
    expect(() => add("3")).toThrow(
      new InputError(
        "more than 2 triples without a graph, more than can be divided at once: put each record into the named graph of its entity (N-Quads, TriG), or load in parts",
      ),
    );
    triples.close();
  });

  it("refuses triples whose shares repeat those of a reference too often", async () => {
    const triples = new DefaultGraphTriples(temporary);
    onTestFinished(() => triples.close());
    const input = triples.addInput("x");
    const statement = new TermStatement();
    const add = (subject: string, property: string, object: string) =>
      triples.add(input, statement.set(1, iri(subject), iri(property), iri(object), undefined));
    const hub = "http://museum.example/concept/hub";
    const often = 200;
    for (let at = 0; at < often; at++) {
      add(hub, propertyIri("equivalent")!, `http://other.example/${"x".repeat(25_000)}${at}`);
      add(`http://museum.example/person/${at}`, RDF.type, classIri("Person")!);
      add(`http://museum.example/person/${at}`, propertyIri("classified_as")!, hub);
    }
    add(hub, RDF.type, classIri("Type")!);
    await expect(triples.divideAmong(new Grouper({ temporary }), 1)).rejects.toThrow(
      /^the triples without a graph: [\d,]+ bytes have become more than \d+ MiB, .* set max-expansion/,
    );
  });

  it("adds nothing if it has no triples", async () => {
    expect(await new DefaultGraphTriples(temporary).divideAmong(new Grouper({ temporary }))).toEqual([]);
  });
});
