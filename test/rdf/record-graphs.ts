/** Arbitrary record graphs for property tests. */
import fc from "fast-check";
import { type RecordGraph, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, type Term, XSD } from "../../src/rdf/terms.js";
import { ANY_CODE_POINT } from "../generated-texts.js";

export const ENTITY = "https://example.org/object/1";

const text = fc.oneof(
  fc.string({ unit: ANY_CODE_POINT }),
  fc.string({
    unit: fc.constantFrom(
      '"',
      "'",
      "\\",
      "\n",
      "\r",
      "\t",
      " ",
      "a",
      "é",
      "名",
      "😀",
      "\0",
      "\u007F",
      "\uFEFF",
      "\u2028",
    ),
  }),
);

const numeral = fc.oneof(
  fc.integer().map(String),
  fc.double().map(String),
  fc.constantFrom(
    "007",
    "+1",
    "-1",
    "1.",
    ".5",
    "-0.50",
    "1e5",
    "1.5E-3",
    "1E",
    "true",
    "false",
    "TRUE",
    "NaN",
    "INF",
    "",
    " 1",
    "1\n",
  ),
);

/** IRIs that test how names are abbreviated. */
export const IRIS = [
  ENTITY,
  "https://example.org/object/1/part",
  "https://example.org/object/2",
  "https://example.org/",
  "https://example.org/a.b",
  "https://example.org/.a",
  "https://example.org/a.",
  "https://example.org/-a",
  "https://example.org/0",
  "https://example.org/a:b",
  "https://example.org/a%20b",
  "https://example.org/a%zz",
  "https://example.org/a(b)",
  "https://example.org/é名",
  "https://example.org/·",
  "https://example.org/\u00D7",
  "https://example.org/object/#f",
  "http://www.cidoc-crm.org/cidoc-crm/P1_is_identified_by",
  "http://www.cidoc-crm.org/cidoc-crm/E33_E41_Linguistic_Appellation",
  "http://vocab.getty.edu/aat/300404670",
  "urn:x:1",
  RDF.type,
  RDF.nil,
  RDF.first,
  XSD.integer,
];

const iriTerm = fc.constantFrom(...IRIS).map(iri);
const blankTerm = fc.integer({ min: 0, max: 6 }).map((number) => blank(`x${number}`));

const literalTerm: fc.Arbitrary<Term> = fc.oneof(
  text.map((value) => literal(value)),
  fc
    .tuple(text, fc.constantFrom("en", "de-AT", "zh-Hant"))
    .map(([value, language]) => literal(value, RDF.langString, language)),
  fc
    .tuple(numeral, fc.constantFrom(XSD.integer, XSD.decimal, XSD.double, XSD.boolean, XSD.string))
    .map(([value, datatype]) => literal(value, datatype)),
  fc.tuple(text, fc.constantFrom(...IRIS)).map(([value, datatype]) => literal(value, datatype)),
);

/** Record graphs of any shape: trees, cycles, shared and unreferenced blank nodes, the entity missing or only an object. */
export const recordGraph: fc.Arbitrary<RecordGraph> = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 2, arbitrary: blankTerm }, { weight: 1, arbitrary: iriTerm }),
      iriTerm,
      fc.oneof(
        { weight: 2, arbitrary: blankTerm },
        { weight: 1, arbitrary: iriTerm },
        { weight: 2, arbitrary: literalTerm },
      ),
    ),
    { maxLength: 24 },
  )
  .map((triples) => graphOf(ENTITY, triples));

/** The record graph of triples of terms. */
export function graphOf(recordIri: string, triples: readonly (readonly [Term, Term, Term])[]): RecordGraph {
  const builder = new RecordGraphBuilder(recordIri);
  for (const [subject, predicate, object] of triples) {
    builder.add(builder.term(subject), builder.term(predicate), builder.term(object));
  }
  return builder.build();
}

/** A term of RDF/JS libraries. */
export interface RdfJsTerm {
  readonly termType: string;
  readonly value: string;
  readonly language?: string;
  readonly datatype?: { readonly value: string };
}

/** The record graph of another parser's quads, without their graph names. */
export function graphOfQuads(
  quads: Iterable<{ readonly subject: RdfJsTerm; readonly predicate: RdfJsTerm; readonly object: RdfJsTerm }>,
): RecordGraph {
  const triples = [...quads].map(
    ({ subject, predicate, object }) => [termOf(subject), termOf(predicate), termOf(object)] as const,
  );
  return graphOf(ENTITY, triples);
}

/** The term of another library's term. */
export function termOf({ termType, value, language, datatype }: RdfJsTerm): Term {
  if (termType === "NamedNode") return iri(value);
  return termType === "BlankNode" ? blank(value) : literal(value, datatype?.value, language);
}
