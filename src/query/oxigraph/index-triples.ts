/** A record's triples for the index: terms in Oxigraph's form, blank nodes distinct from those of other records, each triple with a key. */
import type * as oxigraph from "oxigraph";
import { remembering } from "../../base/bounded-map.js";
import { tripleLine } from "../../rdf/ntriples/writer.js";
import { blank, iri, literal, RDF, type Term, XSD, XSD_NAMESPACE } from "../../rdf/terms.js";
import { mixed, type TextHash, textHash } from "../../rdf/text-hash.js";
import type { NumberedRecord } from "../../store/snapshots.js";
import { free, Store } from "./wasm-instance.js";

/** RDF/JS terms as plain objects. Oxigraph accepts them, and they take no WebAssembly memory. */
type PlainTerm = { readonly termType: string; readonly value: string };

interface IndexTerm {
  readonly term: Term;
  readonly plain: PlainTerm;
  /** Whether Oxigraph's term constructors accept it; its parser is more lenient. */
  readonly isStrict: boolean;
  readonly key: TextHash;
}

/** The triples of a record, each once, in source order. */
export function indexTriplesOf({ number, graph }: NumberedRecord): IndexTriple[] {
  const terms = new Array<IndexTerm>(graph.terms.length);
  const labels = blankLabels(number);
  let blanks = 0;
  const termOf = (at: number): IndexTerm => {
    const term = graph.terms[at]!;
    terms[at] ??= indexTerm(term.termType === "BlankNode" ? blank(`${labels}${blanks++}`) : term);
    return terms[at];
  };
  const found: IndexTriple[] = [];
  // Different lexical forms may have the same value. Two such triples of the record are one in the index.
  const seen = new Set<string>();
  for (let at = 0; at < graph.triples.length; at += 3) {
    const subject = termOf(graph.triples[at]!);
    const predicate = termOf(graph.triples[at + 1]!);
    const object = termOf(graph.triples[at + 2]!);
    const triple = new IndexTriple(subject, predicate, object);
    if (object.term.termType === "Literal" && object.term.datatype !== XSD.string) {
      const { keyText } = triple;
      if (seen.has(keyText)) continue;
      seen.add(keyText);
    }
    found.push(triple);
  }
  return found;
}

/** The prefix of a record's blank node labels, the same at each reading. It begins with `b`, so that the labels are hexadecimal numbers without a leading zero, which Oxigraph stores as numbers. */
export function blankLabels(record: number): string {
  return `b${record.toString(16).padStart(15, "0")}`;
}

export class IndexTriple {
  readonly key: TextHash;

  constructor(
    private readonly subject: IndexTerm,
    private readonly predicate: IndexTerm,
    private readonly object: IndexTerm,
  ) {
    const [s, p, o] = [subject.key, predicate.key, object.key];
    this.key = { a: combined(s.a, p.a, o.a), b: combined(s.b, p.b, o.b), c: combined(s.c, p.c, o.c) };
  }

  get keyText(): string {
    return `${this.key.a} ${this.key.b} ${this.key.c}`;
  }

  /** Whether other records may state the same triple, since it has no blank node. */
  get isShared(): boolean {
    return this.subject.term.termType !== "BlankNode" && this.object.term.termType !== "BlankNode";
  }

  /** Whether Oxigraph accepts it as a quad. Otherwise only its lenient parser does, as a line. */
  get isStrict(): boolean {
    return this.subject.isStrict && this.predicate.isStrict && this.object.isStrict;
  }

  /** The triple for Oxigraph, in the default graph or in the named graph of this IRI. */
  quad(graph?: string): oxigraph.Quad {
    const quad = {
      termType: "Quad",
      value: "",
      subject: this.subject.plain,
      predicate: this.predicate.plain,
      object: this.object.plain,
      graph: graph === undefined ? DEFAULT_GRAPH : named(graph),
    };
    return quad as unknown as oxigraph.Quad;
  }

  /** The triple as a line of N-Quads. */
  line(graph?: string): string {
    const line = tripleLine(this.subject.term, this.predicate.term, this.object.term);
    return graph === undefined ? line : `${line.slice(0, -2)}<${graph}> .\n`;
  }
}

const SOMETHING = iri("urn:x");
const DEFAULT_GRAPH: PlainTerm = { termType: "DefaultGraph", value: "" };
const named = (value: string): PlainTerm => ({ termType: "NamedNode", value });
const plainLiteral = (value: string, language: string, datatype: PlainTerm) =>
  ({ termType: "Literal", value, language, datatype }) as const;
const XSD_STRING = named(XSD.string);

function indexTerm(given: Term): IndexTerm {
  const { termType, value } = given;
  if (termType === "NamedNode")
    return { term: given, plain: { termType, value }, isStrict: isStrictIri(value), key: textHash(`<${value}`) };
  if (termType === "BlankNode")
    return { term: given, plain: { termType, value }, isStrict: true, key: textHash(`_${value}`) };
  if (given.datatype === XSD.string)
    return { term: given, plain: plainLiteral(value, "", XSD_STRING), isStrict: true, key: textHash(`"${value}`) };
  const term = canonicalLiteral(given);
  const { datatype, language } = term;
  const plain = plainLiteral(term.value, language, named(datatype));
  const isStrict =
    language === ""
      ? datatype.startsWith(XSD_NAMESPACE) || isAcceptedDatatype(datatype)
      : STRICT_LANGUAGE.test(language) || isAcceptedLanguage(language);
  return { term, plain, isStrict, key: textHash(`${language === "" ? datatype : `@${language}`}"${term.value}`) };
}

/** Matches nearly all IRIs that conform strictly to RFC 3987. */
const STRICT_IRI =
  /^(?:https?:\/\/[a-z0-9.-]+(?::\d+)?(?:[/?#]|$)|urn:[a-z0-9-]+:)(?:[a-z0-9._~:/?@!$&'()*+,;=-]|%[0-9a-f]{2})*(?:#(?:[a-z0-9._~:/?@!$&'()*+,;=-]|%[0-9a-f]{2})*)?$/i;
const STRICT_LANGUAGE = /^[a-z]{2,3}(?:-[a-z0-9]{2,4})?$/;

/** Whether Oxigraph accepts an IRI. Most match a pattern; the others are tried. */
export function isStrictIri(value: string): boolean {
  return STRICT_IRI.test(value) || isAcceptedIri(value);
}

const MAX_REMEMBERED = 10_000;
/** Created when it is needed, since an index image can only be read into an unused Oxigraph. */
let emptyStore: oxigraph.Store | undefined;

/** A function that tells whether Oxigraph accepts the term that is made of a text. */
function acceptance(termOf: (text: string) => PlainTerm): (text: string) => boolean {
  const node = named(SOMETHING.value);
  return remembering(MAX_REMEMBERED, (text) => {
    try {
      emptyStore ??= new Store();
      const quad = { subject: node, predicate: node, object: termOf(text), graph: DEFAULT_GRAPH };
      emptyStore.has(quad as unknown as oxigraph.Quad);
      return true;
    } catch {
      return false;
    }
  });
}

const isAcceptedIri = acceptance(named);
/** Oxigraph refuses `rdf:langString` without a language, for example. */
const isAcceptedDatatype = acceptance((datatype) => plainLiteral("", "", named(datatype)));
const isAcceptedLanguage = acceptance((language) => plainLiteral("", language, named(RDF.langString)));

/** A literal as Oxigraph returns it: numbers and dates are stored by value, language tags in lower case. */
function canonicalLiteral({ value, datatype, language }: Term): Term {
  return language === "" ? canonicalValue(`${datatype}"${value}`) : literal(value, undefined, language.toLowerCase());
}

/** The literal of a datatype and a value, with a quotation mark between them. */
const canonicalValue = remembering(MAX_REMEMBERED, (key: string): Term => {
  const end = key.indexOf('"');
  const scratch = new Store();
  const line = tripleLine(SOMETHING, SOMETHING, literal(key.slice(end + 1), key.slice(0, end)));
  scratch.load(line, { format: "application/n-triples", lenient: true });
  const object = scratch.match()[0]!.object as oxigraph.Literal;
  free(scratch);
  return literal(object.value, object.datatype.value);
});

function combined(subject: number, predicate: number, object: number): number {
  return mixed(mixed(mixed(subject + 0x9e3779b9) + predicate) + object);
}
