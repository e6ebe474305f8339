/** The way of odd values through everything: load, every representation, query, export in both formats, and load again. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { onTestFinished } from "vitest";
import { DocumentReader, DocumentWriter, documentSettings } from "../../src/jsonld/documents.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { PREFIXES } from "../../src/model/vocabulary/vocabulary.js";
import { indexTriplesOf } from "../../src/query/oxigraph/index-triples.js";
import { isIsomorphic } from "../../src/rdf/isomorphism.js";
import { LineReader } from "../../src/rdf/ntriples/reader.js";
import { writeNQuads, writeNTriples } from "../../src/rdf/ntriples/writer.js";
import { type Json, type RecordGraph, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import type { Statement, StatementReader } from "../../src/rdf/statement.js";
import { TurtleReader } from "../../src/rdf/turtle/reader.js";
import { writeTrig, writeTurtle } from "../../src/rdf/turtle/writer.js";
import { openStore } from "../../src/store/open.js";
import { run } from "../cli/run.js";
import { temporaryFolder } from "../temporary-folder.js";
import { contexts, documentOf, jsonText, type Triple, triplesOf } from "./arbitraries.js";

/** What became of the cases. */
export interface Journey {
  readonly loaded: number;
  /** Why records were refused, each with how often, without the values. */
  readonly refused: ReadonlyMap<string, number>;
  /** Where a record came out otherwise than it went in, or a refusal does not say what it is about. */
  readonly problems: readonly string[];
}

/** Contexts of the documents of one batch: as many as are kept compiled, and fewer in a small one, for compiling them takes long. */
const CONTEXTS = 200;
const CASES_A_CONTEXT = 10;

const BASE = "https://values.example/object/";

/** Drive so many cases from this seed through everything; half of them are documents, half are quads. */
export function travel(cases: number, seed: number): Promise<Journey> {
  return new Traveller(temporaryFolder(onTestFinished)).travel(cases, seed);
}

class Traveller {
  readonly #problems: string[] = [];

  constructor(readonly folder: string) {}

  async travel(cases: number, seed: number): Promise<Journey> {
    const made = makeInputs(cases, seed);
    writeFileSync(this.#path("in.jsonl"), made.documents);
    writeFileSync(this.#path("in.nq"), made.quads);
    const refused = await this.#load(["in.jsonl", "in.nq"], "store", [1]);
    const graphs = await this.#graphs("store");
    if (graphs.size + [...refused.values()].reduce((sum, count) => sum + count, 0) !== cases) {
      this.#problems.push(`of ${cases} cases ${graphs.size} were loaded, and not all others refused`);
    }
    for (const [iri, triples] of made.graphs) this.#compare("loaded", triples, graphs.get(iri), true);
    this.#represent(graphs);
    await this.#query(graphs);
    for (const format of ["nq", "jsonl"]) await this.#exportAndReload(format, graphs);
    return { loaded: graphs.size, refused, problems: this.#problems };
  }

  #path(name: string): string {
    return join(this.folder, name);
  }

  async #load(inputs: readonly string[], store: string, statuses: readonly number[]): Promise<Map<string, number>> {
    const report = this.#path("report.json");
    const files = inputs.map((name) => this.#path(name));
    const args = ["load", ...files, "--store", this.#path(store), "--on-invalid", "accept", "--report", report];
    const { status, stderr } = await run(args);
    if (!statuses.includes(status)) throw new Error(`load ended with ${status}: ${stderr.slice(-1000)}`);
    const { records } = JSON.parse(readFileSync(report, "utf8")) as Report;
    const refused = new Map<string, number>();
    const isRefusal = ({ rule }: ReportResult): boolean =>
      /:(?:document\.loss|document\.context|record\.\w+)$/.test(rule);
    const stored = await this.#graphs(store);
    for (const { iri, results } of records) {
      if (iri !== null && stored.has(iri)) continue;
      const [reason] = results.filter(isRefusal);
      if (reason === undefined) this.#problems.push(`${iri} was refused without a reason`);
      const text = (reason?.message ?? "").replace(/"(?:[^"\\]|\\.)*"/g, '"..."').slice(0, 100);
      refused.set(text, (refused.get(text) ?? 0) + 1);
    }
    return refused;
  }

  async #graphs(name: string): Promise<Map<string, RecordGraph>> {
    const store = await openStore({ directory: this.#path(name) });
    const graphs = new Map<string, RecordGraph>();
    for await (const { graph } of store.lists.records()) graphs.set(graph.iri, graph);
    await store.close();
    return graphs;
  }

  #compare(step: string, before: RecordGraph, after: RecordGraph | undefined, mayBeRefused = false): void {
    if (after === undefined ? mayBeRefused : isIsomorphic(before, after)) return;
    const now = after === undefined ? "nothing" : writeNTriples(after);
    this.#problems.push(
      `${step}: ${JSON.stringify(before.context)?.slice(0, 600)}\n${writeNTriples(before).slice(0, 1500)}became\n${now.slice(0, 1500)}`,
    );
  }

  #represent(graphs: ReadonlyMap<string, RecordGraph>): void {
    const settings = documentSettings(DEFAULT_MODEL, []);
    const reader = new DocumentReader(settings);
    const [published, exact] = [new DocumentWriter(settings), new DocumentWriter(settings, { exactNumbers: true })];
    const back = (document: Json): RecordGraph => reader.read(JSON.parse(JSON.stringify(document)) as Json).graph;
    const prefixes = { ...PREFIXES, aat: `${DEFAULT_MODEL.vocabBase}/` };
    const ways: { readonly [step: string]: (graph: RecordGraph) => RecordGraph } = {
      jsonld: (graph) => back(exact.document(graph)),
      expanded: (graph) => back((exact.expanded(graph) as Json[])[0]!),
      nt: (graph) => readBack(graph.iri, writeNTriples(graph), "nt"),
      nq: (graph) => readBack(graph.iri, writeNQuads(graph), "nq"),
      ttl: (graph) => readBack(graph.iri, writeTurtle(graph, prefixes), "turtle"),
      trig: (graph) => readBack(graph.iri, writeTrig(graph, prefixes), "trig"),
    };
    for (const graph of graphs.values()) {
      for (const [step, way] of Object.entries(ways))
        this.#try(step, graph, () => this.#compare(step, graph, way(graph)));
      // A number that is published by its value comes back with its datatype, in JSON-LD's own spelling.
      this.#try("published", graph, () =>
        this.#compare("published", withNumbers(graph), withNumbers(back(published.document(graph)))),
      );
    }
  }

  #try(step: string, graph: RecordGraph, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#problems.push(
        `${step}: ${error}\n${JSON.stringify(graph.context)}\n${writeNTriples(graph).slice(0, 1500)}`,
      );
    }
  }

  /** The index has every triple of every record once. */
  async #query(graphs: ReadonlyMap<string, RecordGraph>): Promise<void> {
    const count = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }";
    const { status, stdout, stderr } = await run(["query", count, "--format", "csv", "--store", this.#path("store")]);
    const keys = new Set<string>();
    for (const [number, graph] of [...graphs.values()].entries()) {
      for (const { key } of indexTriplesOf({ number, graph })) keys.add(`${key.a} ${key.b} ${key.c}`);
    }
    const found = Number(stdout.split("\n")[1]);
    if (status !== 0 || found !== keys.size || stderr.includes("left out")) {
      this.#problems.push(`query: ${found} of ${keys.size} triples; ${stderr.slice(0, 300)}`);
    }
  }

  async #exportAndReload(format: string, graphs: ReadonlyMap<string, RecordGraph>): Promise<void> {
    const output = this.#path(`out.${format}`);
    const args = ["export", "--format", format, "--output", output, "--store", this.#path("store")];
    const { status, stderr } = await run(args);
    if (status !== 0) this.#problems.push(`export as ${format} ended with ${status}: ${stderr.slice(0, 400)}`);
    await this.#load([`out.${format}`], `again-${format}`, [0, 1]);
    const again = await this.#graphs(`again-${format}`);
    for (const [iri, graph] of graphs) this.#compare(`exported as ${format} and loaded`, graph, again.get(iri));
    if (again.size !== graphs.size) this.#problems.push(`${again.size} of ${graphs.size} came back from ${format}`);
  }
}

interface ReportResult {
  readonly rule: string;
  readonly message: string;
}
interface Report {
  readonly records: readonly { readonly iri: string | null; readonly results: readonly ReportResult[] }[];
}

interface Inputs {
  readonly documents: string;
  readonly quads: string;
  /** What the quads are. */
  readonly graphs: ReadonlyMap<string, RecordGraph>;
}

function makeInputs(cases: number, seed: number): Inputs {
  const graphs = new Map<string, RecordGraph>();
  let [documents, quads] = ["", ""];
  const half = Math.floor(cases / 2);
  const triples = fc.sample(triplesOf(`${BASE}0`), { seed, numRuns: half });
  for (const [number, each] of triples.entries()) {
    const iri = `${BASE}q${number}`;
    const graph = graphOf(iri, each);
    graphs.set(iri, graph);
    quads += writeNQuads(graph, `r${number}b`);
  }
  const known = fc.sample(contexts, { seed, numRuns: Math.min(CONTEXTS, Math.ceil(cases / CASES_A_CONTEXT)) });
  for (const [number, document] of fc.sample(documentOf(BASE, known), { seed, numRuns: cases - half }).entries()) {
    documents += `${jsonText({ ...document, id: `${BASE}d${number}` })}\n`;
  }
  return { documents, quads, graphs };
}

function graphOf(iri: string, triples: readonly Triple[]): RecordGraph {
  const builder = new RecordGraphBuilder(iri);
  const self = (term: Triple[number]) => (term.value === `${BASE}0` ? { ...term, value: iri } : term);
  for (const [subject, predicate, object] of triples) {
    builder.add(builder.term(self(subject)), builder.term(predicate), builder.term(self(object)));
  }
  return builder.build();
}

function readBack(iri: string, text: string, format: "nt" | "nq" | "turtle" | "trig"): RecordGraph {
  const builder = new RecordGraphBuilder(iri);
  const sink = (statement: Statement): void => {
    builder.add(
      builder.term(statement.subject()),
      builder.term(statement.predicate()),
      builder.term(statement.object()),
    );
  };
  const reader: StatementReader =
    format === "nt" || format === "nq"
      ? new LineReader({ source: format, graphs: format === "nq" }, sink)
      : new TurtleReader({ source: format, format }, sink);
  reader.push(Buffer.from(text));
  reader.end();
  return builder.build();
}

/** The datatypes of numbers. */
const NUMBER_TYPE = /#(?:decimal|double|float|\w*integer|(?:unsigned)?(?:long|int|short|byte))$/i;

/** A graph with the numbers of each datatype in one spelling. */
function withNumbers(graph: RecordGraph): RecordGraph {
  const builder = new RecordGraphBuilder(graph.iri);
  const numbers = graph.terms.map((term) => {
    const number = Number(term.value);
    const isNumeral = term.termType === "Literal" && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(term.value);
    const isNumber = isNumeral && NUMBER_TYPE.test(term.datatype);
    return builder.term(isNumber && !Object.is(number, -0) ? { ...term, value: String(number) } : term);
  });
  for (let at = 0; at < graph.triples.length; at += 3) {
    const [subject, predicate, object] = [0, 1, 2].map((place) => numbers[graph.triples[at + place]!]!);
    builder.add(subject!, predicate!, object!);
  }
  return builder.build();
}
