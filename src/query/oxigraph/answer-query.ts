/** Answering one query, from the merged store or from the records that it names. */
import type * as oxigraph from "oxigraph";
import { csvCell } from "../../base/csv.js";
import { decodeEscapes } from "../../rdf/characters.js";
import { writeNTriples } from "../../rdf/ntriples/writer.js";
import type { NumberedRecord, Snapshot } from "../../store/snapshots.js";
import { QueryRefusedError, type QueryRequest, type QueryResult } from "../engine.js";
import { limited, malformedQuery, type QueryText, readQuery } from "../query-text.js";
import { occurrences, RESULT_TYPES, refuseFormat, solutionCount, wellFormed, writeGraph } from "../results.js";
import { blankLabels } from "./index-triples.js";
import { keepsBlanks, type MergedStore, smallDataset } from "./merged-store.js";
import { defaultGraph, isTrap, namedNode, Store } from "./wasm-instance.js";

export interface WrittenResult extends Pick<QueryResult, "kind" | "sequence"> {
  readonly text: string;
}

/** Only an index with named graphs can answer the query. It has `GRAPH ?g`, or joins the default graph with records whose blank nodes have other labels there (`keepsBlanks`). */
export class GraphsNeededError extends Error {}

type Options = NonNullable<Parameters<oxigraph.Store["query"]>[1]>;

/** Answer a query on the dataset that it or the protocol names (SPARQL 1.1 Query, 13). @param sequence the sequence number that the merged store reflects, which may be behind the snapshot. Throws `QueryRefusedError`, `GraphsNeededError`, and Oxigraph's error if it traps. */
export function answerQuery(request: QueryRequest, merged: MergedStore, snapshot: Snapshot, sequence: number) {
  const { withGraphs } = merged;
  const query = readQuery(request.text);
  const { sequence: now } = snapshot.stats;
  const answerOn = (store: oxigraph.Store, dataset: Options = {}): WrittenResult => {
    const reflected = store === merged.oxigraph ? sequence : now;
    const options = { base_iri: request.base, ...dataset };
    return { sequence: reflected, ...write(query, request, store, options, snapshot, reflected) };
  };
  const records = (iris: readonly string[]): NumberedRecord[] =>
    [...new Set(iris)].flatMap((iri) => snapshot.record(iri) ?? []);
  const dataset = datasetOf(query, request);
  if (dataset !== undefined) {
    const store = smallDataset(records(dataset.defaults), records(dataset.named));
    return answerOn(store, { default_graph: defaultGraph(), named_graphs: dataset.named.map(graphNamed) });
  }
  if (query.asksForAnyGraph && !withGraphs) throw new GraphsNeededError();
  if (query.asksForAnyGraph || query.graphs.length === 0) return answerOn(merged.oxigraph);
  // The labels of a record's blank nodes hold for one version.
  if (query.asksDefaultGraph && !withGraphs && sequence !== now)
    throw new QueryRefusedError("busy", "The index is behind, and cannot join GRAPH with all records. Ask again soon.");
  const named = records(resolved(query.prologue, query.graphs, request.base));
  if (query.asksDefaultGraph && !withGraphs && !named.every(keepsBlanks)) throw new GraphsNeededError();
  if (query.asksDefaultGraph) return merged.withNamedGraphs(named, () => answerOn(merged.oxigraph));
  return answerOn(smallDataset([], named));
}

/** The dataset of the protocol, or else of the query; `undefined` means all records. */
function datasetOf({ prologue, from, fromNamed }: QueryText, { defaultGraphs, namedGraphs, base }: QueryRequest) {
  if (defaultGraphs.length + namedGraphs.length > 0) return { defaults: defaultGraphs, named: namedGraphs };
  if (from.length + fromNamed.length === 0) return undefined;
  return { defaults: resolved(prologue, from, base), named: resolved(prologue, fromNamed, base) };
}

/** The name of a graph. Throws `QueryRefusedError` for what Oxigraph does not take for an absolute IRI; its own error would end the process. */
function graphNamed(iri: string): oxigraph.NamedNode {
  try {
    return namedNode(iri);
  } catch (error) {
    if (!(error instanceof Error) || isTrap(error)) throw error;
    throw malformedQuery(`<${iri}> cannot name a graph: ${error.message}`);
  }
}

/** Resolve the prefixed and relative IRIs of a query, by asking Oxigraph. Throws `QueryRefusedError`. */
function resolved(prologue: string, names: readonly string[], base: string): string[] {
  if (names.length === 0) return [];
  const columns = names.map((name, index) => `(${name} AS ?name${index})`);
  try {
    const solutions = run(new Store(), `${prologue}\nSELECT ${columns.join(" ")} {}`, { base_iri: base });
    const [solution] = solutions as Map<string, oxigraph.Term>[];
    return names.map((_, index) => solution!.get(`name${index}`)!.value);
  } catch (error) {
    if (!(error instanceof QueryRefusedError)) throw error;
    // The position in Oxigraph's error is not one in the query.
    const which = names.length === 1 ? names[0] : `one of ${names.slice(0, MAX_NAMED).join(", ")}`;
    throw malformedQuery(`${which} is not an IRI`);
  }
}

function write(
  query: QueryText,
  request: QueryRequest,
  store: oxigraph.Store,
  options: Options,
  snapshot: Snapshot,
  sequence: number,
): Omit<WrittenResult, "sequence"> & Partial<Pick<WrittenResult, "sequence">> {
  const { formats, rows: most } = request;
  if (query.form === "ask" || query.form === "select") {
    const format = formats.results ?? refuseFormat("results");
    if (query.form === "ask") return { kind: "truth", text: runText(store, query.text, options, RESULT_TYPES[format]) };
    const wanted = Number.isFinite(most) ? limited(query, most + 1) : query.text;
    const written = format === "csv" ? "tsv" : format;
    const text = runText(store, withNamedColumns(query, wanted, options), options, RESULT_TYPES[written]);
    checkRows(solutionCount(text, written), most, "solutions");
    const whole = format === "xml" ? wellFormed(text) : format === "csv" ? csvOf(text) : text;
    return { kind: "solutions", text: whole };
  }
  const format = formats.graph ?? refuseFormat("graph");
  const given =
    query.form === "construct"
      ? { text: runText(store, query.text, options, "application/n-triples") }
      : describe(query, store, options, snapshot, sequence);
  checkRows(occurrences(given.text, "\n"), most, "triples");
  return { kind: "graph", ...given, text: writeGraph(given.text, format) };
}

/** A query with the variables of its `SELECT *` in the order in which it names them; Oxigraph would sort them. @param text the query, possibly limited */
function withNamedColumns(query: QueryText, text: string, options: Options): string {
  const { star } = query;
  if (star === undefined) return text;
  const { head } = JSON.parse(runText(new Store(), limited(query, 0), options, RESULT_TYPES.json));
  const named = [...text.slice(star).matchAll(/[?$]([\p{L}\p{M}\p{N}_·]+)/gu)].map(([, name]) => name!);
  const order = new Set<string>([...named.filter((name) => head.vars.includes(name)), ...head.vars]);
  const columns = [...order].map((name) => `?${name}`).join(" ");
  return columns === "" ? text : text.slice(0, star) + columns + text.slice(star + 1);
}

/** A result in TSV as CSV (SPARQL 1.1 Query Results CSV and TSV Formats, 3): Oxigraph's own CSV leaves commas in IRIs unquoted. */
function csvOf(tsv: string): string {
  return tsv.replace(/[\t\n]|[^\t\n]+/g, (found) => {
    if (found === "\t" || found === "\n") return found === "\t" ? "," : "\r\n";
    const isText = found.startsWith('"');
    return csvCell(isText ? decodeEscapes(found.slice(1, found.lastIndexOf('"'))) : found.replace(/^[?<]|>$/g, ""));
  });
}

function checkRows(rows: number, most: number, what: string): void {
  if (rows <= most) return;
  throw new QueryRefusedError(
    "too-many-rows",
    `The result has more than ${most} ${what}. Ask for less with LIMIT and OFFSET, count with COUNT, or ` +
      "use `vitrine query`, which has no such limit.",
  );
}

/** The result of a DESCRIBE: the records of the entities; for a node without a record, its triples and those of its blank nodes. @param sequence what `store` reflects. Throws `QueryRefusedError` if a record has changed since, unless the records are all that the query is about. */
function describe(query: QueryText, store: oxigraph.Store, options: Options, snapshot: Snapshot, sequence: number) {
  const { prologue, described, describedBySelect: select } = query;
  const solutions = select === undefined ? [] : (run(store, select, options) as Map<string, oxigraph.Term>[]);
  const named = resolved(prologue, described, options.base_iri as string).map((iri) => namedNode(iri));
  const found: oxigraph.Term[] = [...named, ...solutions.flatMap((solution) => [...solution.values()])];
  const lines = new Set<string>();
  let isOfNow = select === undefined;
  let changed: string | undefined;
  for (const term of new Map(found.map((each) => [each.toString(), each])).values()) {
    const record = term.termType === "NamedNode" ? snapshot.record(term.value) : undefined;
    const text = record ? writeNTriples(record.graph, blankLabels(record.number)) : triplesAbout(term, store);
    for (const line of text.split("\n")) if (line !== "") lines.add(line);
    isOfNow &&= record !== undefined;
    if (record !== undefined && record.sequence > sequence) changed = record.graph.iri;
  }
  if (!isOfNow && changed !== undefined)
    throw new QueryRefusedError("busy", `The index is behind, and <${changed}> has changed. Ask again soon.`);
  const text = [...lines].map((line) => `${line}\n`).join("");
  return { text, sequence: isOfNow ? snapshot.stats.sequence : sequence };
}

function triplesAbout(node: oxigraph.Term, store: oxigraph.Store): string {
  let lines = "";
  const seen = new Set<string>();
  const waiting: oxigraph.Term[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.termType === "Literal" || seen.has(next.toString())) continue;
    seen.add(next.toString());
    for (const quad of store.match(next, null, null, defaultGraph())) {
      lines += `${quad.toString()} .\n`;
      if (quad.object.termType === "BlankNode") waiting.push(quad.object);
    }
  }
  return lines;
}

function runText(store: oxigraph.Store, text: string, options: Options, format: string): string {
  return run(store, text, { ...options, results_format: format }) as string;
}

/** Evaluate a query by Oxigraph. Its errors become `QueryRefusedError`s; a trap is rethrown. */
function run(store: oxigraph.Store, text: string, options: Options): ReturnType<oxigraph.Store["query"]> {
  try {
    return store.query(text, options);
  } catch (error) {
    if (!(error instanceof Error) || isTrap(error)) throw error;
    const [, line, column, detail] = /^error at (\d+):(\d+): (.*)$/s.exec(error.message) ?? [];
    if (detail === undefined) throw malformedQuery(error.message);
    // Among what it expected, Oxigraph says in words what is wrong: with a term that ends here, or with the query.
    const problem = detail.split(/^expected (?:one of )?|, /).find((each) => /^[\w\\]+(?: [\w*]+)+$/.test(each));
    const term = /^(.*) parsing failed$/.exec(problem ?? "")?.[1];
    if (problem !== undefined && term === undefined) throw malformedQuery(problem);
    const what = term === undefined ? "what" : `the ${term} that`;
    throw malformedQuery(`${what} ends here is not valid`, { line: Number(line), column: Number(column) });
  }
}

/** The IRIs of a query that a message names at most. */
const MAX_NAMED = 12;
