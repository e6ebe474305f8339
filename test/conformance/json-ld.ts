/** Runs the W3C JSON-LD 1.1 suites over the compiled plans, and counts what they cover. */
import { readFileSync } from "node:fs";
import jsonld from "jsonld";
import { NQuads } from "rdf-canonize";
import { ActiveContext, type ContextEnvironment } from "../../src/jsonld/active-context.js";
import { ContextError } from "../../src/jsonld/context-definition.js";
import { ContextRegistry, UnknownContextError } from "../../src/jsonld/contexts.js";
import { NodeWalk } from "../../src/jsonld/expand.js";
import { frame } from "../../src/jsonld/frame.js";
import { DocumentError, LossCollector } from "../../src/jsonld/loss.js";
import { compactPlan, expandedPlan, type NodePlans } from "../../src/jsonld/plan.js";
import { type Json, type RecordGraph, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import { XSD } from "../../src/rdf/terms.js";
import { canonical, type PlainQuad, type PlainTerm, plainQuads } from "../canonical.js";

type JsonObject = { [key: string]: Json };

export const SUITES = ["toRdf", "expand", "fromRdf", "compact", "frame"] as const;
export type Suite = (typeof SUITES)[number];

export interface SuiteResult {
  readonly suite: Suite;
  /** Positive evaluation tests of JSON-LD 1.1 in the manifest. */
  readonly tests: number;
  /** Those for which the compiled plans give the expected outcome. */
  readonly passed: number;
  /** Those that are about what records never have, with the reason. */
  readonly left: ReadonlyMap<string, number>;
  /** Those where a compiled plan gave another outcome. */
  readonly failed: readonly string[];
}

interface TestEntry {
  readonly "@id": string;
  readonly "@type": readonly string[];
  readonly input: string;
  readonly expect: string;
  readonly expectErrorCode?: string;
  readonly context?: string;
  readonly frame?: string;
  readonly option?: { readonly [name: string]: Json };
}

/** The test is about something that records never have. */
class NotARecordsError extends Error {}

const LAYOUT = {
  fieldOrder: () => [],
  fieldForm: () => undefined,
  isNumberProperty: () => false,
  standsAlone: () => false,
};
const OPTIONS = { layout: LAYOUT, exactNumbers: true };
const BASE = "https://w3c.github.io/json-ld-api/tests/";

/** Options under which a test is about something that documents of records never have. */
const FOREIGN_OPTIONS = [
  "expandContext",
  "compactArrays",
  "compactToRelative",
  "produceGeneralizedRdf",
  "useRdfType",
  "rdfDirection",
  "extractAllScripts",
  "contentType",
  "redirectTo",
  "httpLink",
  "omitGraph",
  "pruneBlankNodeIdentifiers",
];

/** The tests of JSON-LD 1.1 of one kind in a suite's manifest. */
function testsOf(suite: Suite, home: string, kind: "Positive" | "Negative"): readonly TestEntry[] {
  const manifest = JSON.parse(readFileSync(`${home}/${suite}-manifest.jsonld`, "utf8")) as { sequence: TestEntry[] };
  return manifest.sequence.filter(
    (test) =>
      test["@type"].includes(`jld:${kind}EvaluationTest`) &&
      test.option?.processingMode !== "json-ld-1.0" &&
      test.option?.specVersion !== "json-ld-1.0",
  );
}

/** Run one suite of the W3C's; `folder` holds `json-ld-api` and `json-ld-framing`. */
export async function runSuite(suite: Suite, folder: string): Promise<SuiteResult> {
  const home = `${folder}/${suite === "frame" ? "json-ld-framing" : "json-ld-api"}`;
  const tests = testsOf(suite, home, "Positive");
  const left = new Map<string, number>();
  const failed: string[] = [];
  let passed = 0;
  for (const test of tests) {
    try {
      if (await runTest(suite, home, test)) passed++;
      else failed.push(test["@id"]);
    } catch (error) {
      const reason = reasonToLeave(error);
      if (reason === undefined) failed.push(`${test["@id"]} ${error}`);
      else left.set(reason, (left.get(reason) ?? 0) + 1);
    }
  }
  return { suite, tests: tests.length, passed, left, failed };
}

function reasonToLeave(error: unknown): string | undefined {
  if (error instanceof UnknownContextError) return "a context in a file of its own";
  const isRefusal =
    error instanceof NotARecordsError || error instanceof DocumentError || error instanceof ContextError;
  return isRefusal ? error.message : undefined;
}

/** The documents that JSON-LD refuses, and by which error, and what the compiled plans say of each: `undefined` where they read it. */
export function refusals(folder: string): { readonly error: string; readonly problem: string | undefined }[] {
  const home = `${folder}/json-ld-api`;
  return testsOf("expand", home, "Negative").map(({ input, expectErrorCode = "" }) => {
    const environment: ContextEnvironment = { registry: new ContextRegistry(), base: BASE + input };
    try {
      toGraph(JSON.parse(readFileSync(`${home}/${input}`, "utf8")), environment);
      return { error: expectErrorCode, problem: undefined };
    } catch (error) {
      const problem = reasonToLeave(error);
      if (problem === undefined) throw error;
      return { error: expectErrorCode, problem };
    }
  });
}

/** Whether the compiled plans give the expected outcome. Throws `NotARecordsError` where they do not cover the test. */
async function runTest(suite: Suite, home: string, test: TestEntry): Promise<boolean> {
  for (const option of FOREIGN_OPTIONS)
    if (option in (test.option ?? {})) throw new NotARecordsError(`option ${option}`);
  const read = (file: string): string => readFileSync(`${home}/${file}`, "utf8");
  const base = typeof test.option?.base === "string" ? test.option.base : BASE + test.input;
  const environment: ContextEnvironment = { registry: new ContextRegistry(), base };
  switch (suite) {
    case "toRdf": {
      const triples = canonical(plainQuads(toGraph(JSON.parse(read(test.input)), environment)));
      return (await triples) === (await canonical(parse(read(test.expect))));
    }
    case "expand": {
      const triples = canonical(plainQuads(toGraph(JSON.parse(read(test.input)), environment)));
      return (await triples) === (await canonical(await toRdf(JSON.parse(read(test.expect)), base)));
    }
    case "fromRdf":
      return keepsTriples(parse(read(test.input)), expandedPlan(), undefined, base);
    case "compact": {
      const context = (JSON.parse(read(test.context!)) as JsonObject)["@context"] ?? {};
      const plans = compactPlan(context, environment, OPTIONS);
      return keepsTriples(await toRdf(JSON.parse(read(test.input)), base), plans, context, base);
    }
    case "frame":
      return runFrame(read, test, environment, base);
  }
}

function toGraph(document: Json, environment: ContextEnvironment): RecordGraph {
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw new NotARecordsError("a document that is no node object");
  }
  return new NodeWalk(new LossCollector(true)).record(document, environment);
}

/** Whether the document of a graph's first subject says what the graph says. */
async function keepsTriples(
  quads: readonly PlainQuad[],
  plans: NodePlans,
  context: Json | undefined,
  base: string,
): Promise<boolean> {
  const isIllTyped = ({ object }: PlainQuad): boolean =>
    object.datatype?.value === XSD.double && Number.isNaN(Number(object.value));
  if (quads.some(isIllTyped)) throw new NotARecordsError("an ill-typed double, which jsonld.js reads back as NaN");
  const graph = recordOf(quads);
  const document = frame(graph, plans, context);
  return (await canonical(await toRdf(document, base))) === (await canonical(quads));
}

/** Frames that ask for one node with everything embedded, as the frames of records do. */
async function runFrame(
  read: (file: string) => string,
  test: TestEntry,
  environment: ContextEnvironment,
  base: string,
): Promise<boolean> {
  const wanted = JSON.parse(read(test.frame!)) as JsonObject;
  const expected = JSON.parse(read(test.expect)) as JsonObject;
  for (const [key, value] of Object.entries(wanted)) {
    const isFlag = (key === "@embed" && value === "@always") || (key === "@omitDefault" && value === true);
    const isWildcard = typeof value === "object" && value !== null && Object.keys(value).length === 0;
    if (!isFlag && !isWildcard && !["@context", "@id", "id", "@type", "type"].includes(key)) {
      throw new NotARecordsError("a frame that is not a record's");
    }
  }
  const id = expected["@id"] ?? expected.id;
  if ("@graph" in expected || typeof id !== "string")
    throw new NotARecordsError("a frame that matches not exactly one node");
  const context = wanted["@context"] ?? {};
  if (JSON.stringify(context).includes('"@reverse"')) throw new NotARecordsError("a frame of what refers to a node");
  const quads = await toRdf(JSON.parse(read(test.input)), base);
  const iri = ActiveContext.of(context, environment).expandIri(id, { vocab: false, base: true });
  const graph = { ...recordOf(quads), iri: String(iri) };
  // Where no node is mentioned twice, embedding always and embedding once are the same.
  const objects = quads.filter((quad) => quad.object.termType !== "Literal").map((quad) => quad.object.value);
  if (wanted["@embed"] !== "@always" && new Set(objects).size < objects.length) {
    throw new NotARecordsError("a frame without @embed @always");
  }
  // A frame asks for one node, where a record's document tells of all.
  const { "@included": _, ...document } = frame(graph, compactPlan(context, environment, OPTIONS), context);
  return (await canonical(await toRdf(document, base))) === (await canonical(await toRdf(expected, base)));
}

/** The quads as a record of their first subject. Throws where they are no single graph. */
function recordOf(quads: readonly PlainQuad[]): RecordGraph {
  const root = quads.find((quad) => quad.subject.termType === "NamedNode")?.subject.value;
  if (root === undefined) throw new NotARecordsError("a graph that describes no IRI");
  const builder = new RecordGraphBuilder(root);
  const add = (term: PlainTerm): number =>
    term.termType === "NamedNode"
      ? builder.iri(term.value)
      : term.termType === "BlankNode"
        ? builder.blank(term.value.replace(/^_:/, ""))
        : builder.literal(term.value, term.datatype?.value, term.language ?? "");
  for (const { subject, predicate, object, graph } of quads) {
    if (graph.termType !== "DefaultGraph") throw new NotARecordsError("a dataset of several graphs");
    builder.add(add(subject), add(predicate), add(object));
  }
  return builder.build();
}

async function toRdf(document: Json, base: string): Promise<PlainQuad[]> {
  try {
    const quads = (await jsonld.toRDF(document as object, { base })) as unknown as PlainQuad[];
    // jsonld.js gives a triple as often as a document says it.
    return [...new Map(quads.map((quad) => [JSON.stringify(quad), quad])).values()];
  } catch (error) {
    throw new NotARecordsError(`jsonld.js refuses it: ${error instanceof Error ? error.message : error}`);
  }
}

function parse(nquads: string): PlainQuad[] {
  try {
    return NQuads.parse(nquads) as PlainQuad[];
  } catch {
    throw new NotARecordsError("N-Quads that the canonicalization's parser refuses");
  }
}
