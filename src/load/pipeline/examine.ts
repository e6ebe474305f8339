/** Examining: turns what was read into record graphs, with a description and the results of validation. */
import { grouped } from "../../base/counted.js";
import { beginning } from "../../base/shortened.js";
import { UnknownContextError } from "../../jsonld/contexts.js";
import { DocumentReader, DocumentWriter, documentSettings, isExpanded } from "../../jsonld/documents.js";
import { NAMELESS } from "../../jsonld/expand.js";
import { UnwritableError } from "../../jsonld/frame.js";
import { MAX_DEPTH } from "../../jsonld/json-values.js";
import { DocumentError } from "../../jsonld/loss.js";
import type { ModelSettings } from "../../model/settings.js";
import { endpointNamed } from "../../model/tables/endpoints.js";
import type { EndpointName } from "../../model/tables/names.js";
import { misspeltTerm } from "../../model/vocabulary/vocabulary.js";
import { isIsomorphic } from "../../rdf/isomorphism.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { type RefusedTerm, refusedTerms } from "../../rdf/publishable.js";
import { graphWith, isJsonObject, type Json, type RecordGraph, strayNodes } from "../../rdf/record-graph.js";
import { literal, RDF, XSD } from "../../rdf/terms.js";
import { lossResults, placedIn, withoutConsequences } from "../../validate/document.js";
import { isValid, type RecordResults, type Result, resultWithoutShape } from "../../validate/results.js";
import type { ShapesFile } from "../../validate/shapes/shapes-graph.js";
import { Validator } from "../../validate/validator.js";
import type { UnownedNode } from "../divide/default-graph.js";
import { DIVIDE_HINT, type GroupedRecord } from "../group/grouped-records.js";
import type { InputLimits } from "../limits.js";
import type { MendRule } from "../mend/mend-rule.js";
import { MEND_RULES } from "../mend/mend-rules.js";
import { type MendSelection, mend, selectRules } from "../mend/mender.js";
import type { InputDocument } from "../read/json-documents.js";
import { describe, identifiersOf } from "./describe.js";

/** The settings of an examiner, as data that can be sent to other threads. */
export interface ExaminerSettings {
  readonly model: ModelSettings;
  /** The contexts besides the model's own, by URI. */
  readonly contexts: readonly (readonly [uri: string, context: Json])[];
  readonly baseUrl?: string | undefined;
  /** An institution's changes to the severities of rules. */
  readonly decisions: readonly string[];
  readonly shapes: readonly ShapesFile[];
  /** With `applies`, records are mended; otherwise a report only says what mending would do. */
  readonly mending?: { readonly selection: MendSelection; readonly applies: boolean } | undefined;
}

/** A record on its way into the store, with the place where it begins. */
export type LoadedRecord = InputDocument | GroupedRecord;

export interface Examined extends RecordResults {
  /** `undefined` when the record could not be converted or named; such a record is refused whatever `onInvalid` says. */
  readonly graph: RecordGraph | undefined;
  /** The number of keys beginning with `_` that no context defines, such as `_links`. They are not part of the record. */
  readonly droppedKeys: number;
  readonly document?: Json;
}

/** A refused value may be long; messages show this many characters. */
const MAX_SHOWN = 200;

/** A result for a node that triples without a graph describe, but that belongs to no record. */
export function examinedUnowned({ source, line, node }: UnownedNode): Examined {
  const message = "is described by triples without a graph, but belongs to no record";
  const result = resultWithoutShape("input.owner", "Violation", "", message, node);
  const [, iri = null] = /^<(.*)>$/.exec(node) ?? [];
  return refused(`${source}:${line}`, iri, [result]);
}

const ALL_TOGETHER = MEND_RULES.filter(({ name }) => name !== "actors-as-groups");

export class Examiner {
  readonly #reader: DocumentReader;
  /** Checks that the record can be written as a document, since otherwise nobody could dereference it. */
  readonly #writer: DocumentWriter;
  readonly #rules: readonly MendRule[];
  readonly #groups: ReadonlySet<string>;

  private constructor(
    private readonly settings: ExaminerSettings,
    private readonly limits: InputLimits,
    private readonly validator: Validator,
  ) {
    const documents = documentSettings(settings.model, settings.contexts, settings.baseUrl);
    this.#reader = new DocumentReader(documents);
    this.#writer = new DocumentWriter(documents, { exactNumbers: true });
    const { selection } = settings.mending ?? {};
    this.#rules = selection === undefined ? [] : selectRules(selection);
    this.#groups = new Set(selection?.groups);
  }

  /** Rejects with `SeverityError`, `SyntaxProblem`, `ShapesError`, and with `InputError` for unknown mending rules. */
  static async make(settings: ExaminerSettings, limits: InputLimits): Promise<Examiner> {
    return new Examiner(settings, limits, await Validator.make(settings));
  }

  /** Examine a record. An invalid one is mended, or only checked for what mending would do. */
  examine(record: LoadedRecord): Examined {
    const examined = this.#asRead(record);
    const { mending } = this.settings;
    if (mending === undefined || isValid(examined.results)) return examined;
    const mended = this.#mended(record, examined, this.#rules) ?? examined;
    const isWhole = isValid(mended.results);
    // If mending is not enough, also the rules that must be requested.
    const asked = isWhole ? undefined : this.#rulesToAsk(record, examined);
    if (mending.applies) return asked === undefined ? mended : { ...mended, mendable: { rules: [], isWhole, asked } };
    const left = new Set(mended.results.map(({ rule }) => rule));
    const rules = new Set(examined.results.map(({ rule }) => rule).filter((rule) => !left.has(rule)));
    return { ...examined, mendable: { rules: [...rules], isWhole, ...(asked && { asked }) } };
  }

  /** The rules that make a record valid but only run on request, or `undefined` when no rules make it valid. */
  #rulesToAsk(record: LoadedRecord, examined: Examined): readonly string[] | undefined {
    const most = this.#mended(record, examined, ALL_TOGETHER);
    if (most === undefined || !isValid(most.results)) return undefined;
    const asked = ALL_TOGETHER.filter((rule) => rule.isAsked && !this.#rules.includes(rule)).map(({ name }) => name);
    return [...new Set(most.changes?.map(({ rule }) => rule))].filter((rule) => asked.includes(rule));
  }

  /** The record after mending, or `undefined` when mending changes nothing or would lose the record. */
  #mended(record: LoadedRecord, examined: Examined, rules: readonly MendRule[]): Examined | undefined {
    if ("refusal" in record || ("problem" in record && record.problem !== undefined)) return undefined;
    // Of quads beyond a limit only a part was read, which might come within it.
    const isPart = "graph" in record && limitResults(record.graph, this.limits).length > 0;
    const given = "document" in record ? record.document : this.#writer.documentIfAny(record.graph);
    if (given === undefined || isPart) return undefined;
    const { document, changes } = mend(given, rules, this.settings.model.contextUri, this.#groups);
    if (changes.length === 0) return undefined;
    const { source, line } = record;
    const mended = this.#asRead({ source, line, document });
    if (mended.graph === undefined && examined.graph !== undefined) return undefined;
    // A record read from quads has no document of its own, so neither its form nor its order counts.
    if ("document" in record || mended.graph === undefined) return { ...mended, document, changes };
    const graph = graphWith(mended.graph, { context: undefined });
    return { ...this.#asRead({ source, line, graph }), changes };
  }

  #asRead(record: LoadedRecord): Examined {
    const source = `${record.source}:${record.line}`;
    if ("refusal" in record)
      return refused(source, record.iri, [resultWithoutShape("record.limit", "Violation", "", record.refusal)]);
    if (!("document" in record)) return this.#graph(source, record.graph);
    const { document, problem } = record;
    if (problem !== undefined) {
      const result = resultWithoutShape("document.json", "Violation", "", problem);
      return refused(source, this.#iriOf(document), [result]);
    }
    const results = isExpanded(document) ? [] : this.validator.document(document);
    try {
      const { graph, droppedKeys } = this.#reader.read(document);
      return this.#graph(source, graph, results, droppedKeys, document);
    } catch (error) {
      return this.#lost(source, document, results, error);
    }
  }

  /** A result for a document that could not become a record, with everything else that is wrong with it. Rethrows other errors. */
  #lost(source: string, document: Json, before: readonly Result[], error: unknown): Examined {
    const base = refused(source, this.#iriOf(document), [...before, ...conversionResults(error, before)]);
    if (!(error instanceof DocumentError) || error.rest === undefined || error.rest.triples.length === 0) return base;
    const { rest, losses } = error;
    const { endpoint, label } = describe(rest, this.settings.model.vocabBase);
    const found = withoutConsequences(placedIn(document, losses, this.validator.record(rest, endpoint)), losses);
    const named = found.map((result) => (result.focus === `<${NAMELESS}>` ? { ...result, focus: null } : result));
    return { ...base, endpoint, label, identifiers: identifiersOf(rest), results: [...base.results, ...named] };
  }

  /** @param before the results of the document from which the graph was read */
  #graph(source: string, graph: RecordGraph, before: readonly Result[] = [], dropped = 0, document?: Json): Examined {
    const { iri } = graph;
    const refusals = [...limitResults(graph, this.limits), ...refusedTerms(graph).map(termResult)];
    if (refusals.length > 0) return refused(source, iri, [...before, ...refusals]);
    try {
      this.#checkWritable(graph);
    } catch (error) {
      if (!(error instanceof UnwritableError)) throw error;
      return refused(source, iri, [...before, resultWithoutShape("record.document", "Violation", "", error.problem)]);
    }
    const { endpoint, label } = describe(graph, this.settings.model.vocabBase);
    const found = graphResults(this.validator, graph, endpoint);
    const results = [...before, ...(document === undefined ? found : placedIn(document, [], found))];
    const identifiers = results.length === 0 ? [] : identifiersOf(graph);
    return { source, iri, endpoint, label, identifiers, results, graph, droppedKeys: dropped };
  }

  /** Check that a record's document states exactly the record's triples, so that it can be dereferenced. Throws `UnwritableError`. */
  #checkWritable(graph: RecordGraph): void {
    const hasOwnContext = graph.context !== undefined && graph.context !== this.settings.model.contextUri;
    // The record is also handed on as quads, which have no context but the model's.
    if (isSuspect(graph)) this.#writer.document(graphWith(graph, { context: undefined }));
    if (!hasOwnContext) return;
    const document = this.#writer.document(graph);
    if (graph.terms.length > MAX_COMPARED || isIsomorphic(graph, this.#readBack(document, graph.iri))) return;
    throw new UnwritableError(graph.iri, "under its @context a document would say something other than its triples");
  }

  #readBack(document: Json, iri: string): RecordGraph {
    try {
      return this.#reader.read(document).graph;
    } catch (error) {
      if (error instanceof DocumentError) throw new UnwritableError(iri, `it would be refused: ${error.message}`);
      throw error;
    }
  }

  /** The IRI of a document's record, or the value that stands in its place. Without a usable context, it is read under the model's own. */
  #iriOf(document: Json): string | null {
    if (!isJsonObject(document)) return null;
    const id = document.id ?? document["@id"];
    return this.#reader.iriOf(document) ?? (typeof id === "string" ? (this.#reader.iriOf({ id }) ?? id) : null);
  }
}

/** What is wrong with a record's graph, by the rules and beyond them. */
export function graphResults(validator: Validator, graph: RecordGraph, endpoint: EndpointName | null): Result[] {
  const instants = graph.context === undefined ? instantsOf(graph) : undefined;
  const broken = validator.record(instants?.graph ?? graph, endpoint);
  return [...(instants?.results ?? []), ...broken, ...formResults(graph, endpoint), ...misspeltResults(graph)];
}

/** Why a document could not become a graph, without what was reported before. Rethrows other errors. */
function conversionResults(error: unknown, before: readonly Result[]): readonly Result[] {
  if (error instanceof DocumentError) {
    const isReported = (path: string): boolean =>
      before.some((each) => each.path === path && each.severity === "Violation");
    return lossResults(error.losses.filter(({ path }) => path === "" || !isReported(path)));
  }
  if (error instanceof UnknownContextError)
    return [resultWithoutShape("document.context", "Violation", "@context", error.message)];
  throw error;
}

function limitResults({ terms, triples, context }: RecordGraph, limits: InputLimits): readonly Result[] {
  const problems: string[] = [];
  const { iriBytes, recordTriples } = limits;
  const most = grouped(recordTriples);
  if (triples.length > 3 * recordTriples)
    problems.push(`the record has more than ${most} triples. ${context === undefined ? DIVIDE_HINT : ""}`.trim());
  for (const { termType, value, datatype } of terms) {
    const iri = termType === "NamedNode" ? value : termType === "Literal" ? datatype : "";
    if (3 * iri.length <= iriBytes || Buffer.byteLength(iri) <= iriBytes) continue;
    problems.push(`<${beginning(iri, MAX_SHOWN)}...> is longer than ${grouped(iriBytes)} bytes`);
    break;
  }
  return problems.map((problem) => resultWithoutShape("record.limit", "Violation", "", problem));
}

/** An instant in UTC that may differ in form from the specification's, which ends in seconds and `Z`. */
const INSTANT = /^(-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.0+)?(?:Z|[+-]00:00)$/;

/** The graph with the instants of quads in the specification's form, and a warning for each that a library wrote in another, such as `00:00:00+00:00`; `undefined` if there are none. */
function instantsOf(graph: RecordGraph): { graph: RecordGraph; results: readonly Result[] } | undefined {
  const results: Result[] = [];
  const terms = graph.terms.map((term) => {
    if (term.datatype !== XSD.dateTime) return term;
    const [, seconds] = INSTANT.exec(term.value) ?? [];
    if (seconds === undefined || term.value === `${seconds}Z`) return term;
    const message = `${formatTerm(term)} is the instant that the specification writes as ${seconds}Z`;
    results.push({ ...resultWithoutShape("record.instant", "Warning", "", message), value: formatTerm(term) });
    return literal(`${seconds}Z`, XSD.dateTime);
  });
  return results.length === 0 ? undefined : { graph: graphWith(graph, { terms }), results };
}

function refused(source: string, iri: string | null, results: readonly Result[]): Examined {
  return { source, iri, endpoint: null, label: "", identifiers: [], results, graph: undefined, droppedKeys: 0 };
}

/** A result for a value that could be loaded, but neither written unchanged nor queried. */
function termResult({ term, property, problem }: RefusedTerm): Result {
  const text = formatTerm(term);
  const value = text.length > MAX_SHOWN ? `${beginning(text, MAX_SHOWN)}...` : text;
  const result = resultWithoutShape("record.value", "Violation", "", `the value ${value} ${problem}`);
  return { ...result, value, property: property ?? null };
}

/** Records with more terms are not compared with what their documents state. */
const MAX_COMPARED = 5000;

/** Whether a record might not be writable under the model's own context: nested too deeply, or with an IRI that could be a compact one. */
function isSuspect({ terms }: RecordGraph): boolean {
  return (
    terms.length > MAX_DEPTH ||
    terms.some(({ termType, value, datatype }) => {
      if (termType === "BlankNode") return false;
      return !(termType === "NamedNode" ? value : datatype).startsWith("http");
    })
  );
}

/** Warnings for terms that the data model lacks, and that nobody would therefore look for. */
function misspeltResults({ terms }: RecordGraph): readonly Result[] {
  return terms.flatMap(({ termType, value }) => {
    const misspelt = termType === "NamedNode" ? misspeltTerm(value) : undefined;
    return misspelt === undefined ? [] : resultWithoutShape("record.term", "Warning", "", misspelt);
  });
}

/** Results for what a document cannot hold: classes that are not IRIs, and, where the endpoint is closed, nodes that nothing leads to (2.1). */
function formResults(graph: RecordGraph, endpoint: EndpointName | null): readonly Result[] {
  const { terms, triples } = graph;
  const results: Result[] = [];
  for (let at = 0; at < triples.length; at += 3) {
    if (terms[triples[at + 1]!]!.value !== RDF.type || terms[triples[at + 2]!]!.termType === "NamedNode") continue;
    const message = `${formatTerm(terms[triples[at + 2]!]!)} is not a class: a class must be an IRI`;
    results.push(resultWithoutShape("record.class", "Violation", "type", message, formatTerm(terms[triples[at]!]!)));
  }
  if (endpoint === null || !endpointNamed(endpoint).closed) return results;
  const { title } = endpointNamed(endpoint);
  for (const node of strayNodes(graph)) {
    const term = formatTerm(terms[node]!);
    const message = `${term} is described, but nothing in the record leads to it: a ${title} has no place for it`;
    results.push(resultWithoutShape("record.stray", "Violation", "", message, term));
  }
  return results;
}
