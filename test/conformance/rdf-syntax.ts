/** Runs the W3C RDF 1.1 suites (N-Triples, N-Quads, Turtle, TriG) over the readers of the load. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Parser } from "n3";
import { LineReader } from "../../src/rdf/ntriples/reader.js";
import type { StatementReader, StatementSink } from "../../src/rdf/statement.js";
import { SyntaxProblem } from "../../src/rdf/syntax-problem.js";
import { TurtleReader } from "../../src/rdf/turtle/reader.js";
import { canonical, type PlainQuad, plainTerm } from "../canonical.js";

const RDFT = "http://www.w3.org/ns/rdftest#";
const MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";

/** A test of a manifest: what kind it is, the file to read, and the N-Quads that it shall give. */
export interface SyntaxTest {
  /** `TestTurtleEval`, for example. */
  readonly kind: string;
  readonly name: string;
  readonly action: string;
  readonly result: string | undefined;
}

/**
 * The manifests of RDF suites at any depth under `folder`; `RDF_SUITES` in the environment names another folder than
 * `../shared/w3c`, for the suites as they come with other software (the source package of serd has them).
 */
export function rdfManifests(folder = process.env.RDF_SUITES ?? "../shared/w3c"): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => basename(file) === "manifest.ttl")
    .map((file) => join(folder, file))
    .filter((file) => /rdft:Test(NTriples|NQuads|Turtle|Trig)/.test(readFileSync(file, "utf8")))
    .sort();
}

/** The tests of a manifest, read by the n3 library alone. */
export function testsOf(manifest: string): SyntaxTest[] {
  const quads = new Parser({ baseIRI: "file:/" }).parse(readFileSync(manifest, "utf8"));
  const file = (iri: string | undefined) =>
    iri && join(dirname(manifest), decodeURIComponent(iri.slice("file:/".length)));
  return quads
    .filter(({ object }) => object.value.startsWith(`${RDFT}Test`))
    .map(({ subject, object }) => {
      const value = (property: string) =>
        quads.find((quad) => quad.subject.equals(subject) && quad.predicate.value === MF + property)?.object.value;
      return {
        kind: object.value.slice(RDFT.length),
        name: value("name") ?? subject.value,
        action: file(value("action"))!,
        result: file(value("result")),
      };
    });
}

/** Run a test; what went wrong, or `undefined`. */
export async function runSyntaxTest({ kind, action, result }: SyntaxTest): Promise<string | undefined> {
  const isNegative = kind.includes("Negative");
  let quads: PlainQuad[];
  try {
    quads = read(action);
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) return `failed with ${error}`;
    if (!isNegative) return `was refused: ${error.message}`;
    return error.position.line > 0 ? undefined : "was refused without a position";
  }
  if (isNegative) return "was read";
  if (result === undefined) return undefined;
  const [given, expected] = await Promise.all([quads, read(result)].map(canonical));
  return given === expected ? undefined : `gave\n${given}instead of\n${expected}`;
}

/** Where the W3C's files lie on the web, which is what their relative IRIs are resolved against. */
function webAddress(file: string): string {
  return `https://w3c.github.io/rdf-tests/rdf/rdf11/${basename(dirname(file))}/${basename(file)}`;
}

function read(file: string): PlainQuad[] {
  const quads: PlainQuad[] = [];
  const reader = readerOf(file, (statement) => {
    const graph = statement.graph();
    quads.push({
      subject: plainTerm(statement.subject()),
      predicate: plainTerm(statement.predicate()),
      object: plainTerm(statement.object()),
      graph: graph === undefined ? { termType: "DefaultGraph", value: "" } : plainTerm(graph),
    });
  });
  reader.push(readFileSync(file));
  reader.end();
  return quads;
}

function readerOf(file: string, sink: StatementSink): StatementReader {
  const extension = file.slice(file.lastIndexOf(".") + 1);
  if (extension === "nt" || extension === "nq") {
    return new LineReader({ source: file, graphs: extension === "nq" }, sink);
  }
  const format = extension === "trig" ? "trig" : "turtle";
  return new TurtleReader({ source: file, format, baseIri: webAddress(file) }, sink);
}
