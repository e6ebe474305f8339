/** The results of engines, counted and converted to the formats that clients want. */
import { jsonIn } from "../../base/json.js";
import { escapeXml, xmlElement } from "../../base/xml.js";
import { type JsonTerm, solutionsIn } from "../../engine/engine-access.js";
import type { FormatName, ResultFormat } from "../../rdf/formats.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { type Term, XSD } from "../../rdf/terms.js";
import { QueryRefusedError } from "../engine.js";
import { occurrences, solutionCount, wellFormed, writeGraph } from "../results.js";

/** The kind of a result, and the format in which the client gets it. */
export type Wanted =
  | { readonly kind: "solutions" | "truth"; readonly format: ResultFormat }
  | { readonly kind: "graph"; readonly format: FormatName };

/** The format in which a result is requested, to be converted here: N-Triples for graphs and JSON for truth values, which all engines write faithfully, and JSON for TSV and XML, since Virtuoso writes all terms of TSV as strings, and in XML escapes XML literals twice and names characters that XML does not allow. */
export function requestedFor({ kind, format }: Wanted): ResultFormat | "nt" {
  if (kind === "graph") return "nt";
  return kind === "truth" || format !== "csv" ? "json" : format;
}

/** The whole answer of an engine to a query. */
export interface EngineAnswer {
  readonly given: Uint8Array;
  readonly wanted: Wanted;
  /** The maximum number of rows for the client, and of those that the engine returns. */
  readonly most: number;
  readonly engineRows: number;
}

/** Convert an answer. Throws `QueryRefusedError` if it has too many rows or cannot be read. */
export function convertedAnswer({ given, wanted, most, engineRows }: EngineAnswer): Uint8Array {
  const text = Buffer.from(given.buffer, given.byteOffset, given.length).toString("utf8");
  const format = requestedFor(wanted);
  const isTruth = wanted.kind === "truth";
  const rows = isTruth ? 1 : format === "nt" ? occurrences(text, "\n") : solutionCount(text, format);
  if (rows >= engineRows && wanted.kind === "solutions")
    throw tooMany("rows", `The query engine returns at most ${engineRows} rows of a result.`);
  if (rows > most) throw tooMany("rows", `The result has more than ${most} rows.`);
  const result = converted(text, wanted);
  return result === text ? given : new TextEncoder().encode(result);
}

/** The refusal of a result that is too large. */
export function tooMany(what: "bytes" | "rows", message: string): QueryRefusedError {
  return new QueryRefusedError(`too-many-${what}`, `${message} Ask for less with LIMIT and OFFSET.`);
}

/** A result in the format that is wanted, from what the engine wrote. */
function converted(given: string, { kind, format }: Wanted): string {
  if (kind === "graph") return writeGraph(given, format);
  if (kind === "truth") return truthText(given, format);
  if (format === "csv") return given;
  if (format === "json") return standardJson(given);
  const solutions = solutionsIn(given) ?? unreadable();
  return format === "tsv" ? tsvText(solutions) : xmlText(solutions);
}

/** A truth value in JSON in another format (SPARQL 1.1 Query Results JSON Format, 3.3; XML Format, 2.3.2; in CSV and TSV the bare word, as Oxigraph writes it). */
function truthText(json: string, format: ResultFormat): string {
  const { boolean } = jsonIn<{ boolean?: boolean }>(json) ?? {};
  if (typeof boolean !== "boolean") unreadable();
  if (format === "json") return JSON.stringify({ head: {}, boolean });
  if (format !== "xml") return String(boolean);
  return `${XML_BEGINS}<head/><boolean>${boolean}</boolean></sparql>`;
}

const XML_BEGINS = '<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#">';
const XML_NAMES = { NamedNode: "uri", BlankNode: "bnode", Literal: "literal" } as const;

type Solutions = NonNullable<ReturnType<typeof solutionsIn>>;

/** Solutions in XML (SPARQL Query Results XML Format, 2.3.1). */
function xmlText({ names, rows }: Solutions): string {
  const cell = (name: string, { termType, value, datatype, language }: Term): string => {
    const isPlain = termType !== "Literal" || language !== "" || datatype === XSD.string;
    const attributes = { "xml:lang": language || undefined, datatype: isPlain ? undefined : datatype };
    return xmlElement("binding", { name }, xmlElement(XML_NAMES[termType], attributes, escapeXml(value)));
  };
  const cells = (row: Solutions["rows"][0]) => names.flatMap((name) => (row[name] ? cell(name, row[name]) : []));
  const results = rows.map((row) => `<result>${cells(row).join("")}</result>`).join("");
  const variables = names.map((name) => xmlElement("variable", { name })).join("");
  return wellFormed(`${XML_BEGINS}<head>${variables}</head><results>${results}</results></sparql>`);
}

function tsvText(solutions: Solutions): string {
  const cell = (term: Term | undefined): string => (term === undefined ? "" : formatTerm(term).replaceAll("\t", "\\t"));
  const { names } = solutions;
  const rows = [names.map((name) => `?${name}`), ...solutions.rows.map((row) => names.map((name) => cell(row[name])))];
  return rows.map((cells) => `${cells.join("\t")}\n`).join("");
}

function unreadable(): never {
  throw new QueryRefusedError("unreachable", "the engine's result cannot be read");
}

/** Matches Virtuoso's deviations: the type `typed-literal`, bare numbers as values, and `lang`. */
const NON_STANDARD = /"type"\s*:\s*"typed-literal"|"value"\s*:\s*[^"\s]|"lang"\s*:/;

/** A result in JSON with literals as the standard writes them. Any other text is returned unchanged. */
export function standardJson(text: string): string {
  if (!NON_STANDARD.test(text)) return text;
  const result = jsonIn<{ results?: { bindings?: Record<string, JsonTerm>[] } }>(text);
  if (result === undefined) return text;
  for (const row of result.results?.bindings ?? [])
    for (const [name, term] of Object.entries(row)) row[name] = standardTerm(term);
  return JSON.stringify(result);
}

function standardTerm({ type, value, lang, ...others }: JsonTerm): JsonTerm {
  const language = lang === undefined ? {} : { "xml:lang": lang };
  return { type: type === "typed-literal" ? "literal" : type, value: String(value), ...language, ...others };
}
