/** The accept-only check and the judge hold together on records that are spoilt at random: neither finds what the other does not. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import type { EndpointName } from "../../src/model/tables/endpoints.js";
import { classIri } from "../../src/model/vocabulary/vocabulary.js";
import { type RecordGraph, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, type Term, XSD } from "../../src/rdf/terms.js";
import type { Result } from "../../src/validate/results.js";
import { RuleBooks } from "../../src/validate/rule-books.js";
import { Severities } from "../../src/validate/severities.js";
import { CORPORA, graphsOf } from "./corpora.js";

/** What the check finds must be what the judge finds; where it finds nothing to say, the judge does. */
function disagreement(graph: RecordGraph, endpoint: EndpointName | null, by: RuleBooks): readonly Result[] | undefined {
  const checked = by.check(graph, endpoint);
  const together = by.results(graph, endpoint);
  const judged = by.judge(graph, endpoint);
  const isSame = (results: readonly Result[]): boolean => JSON.stringify(results) === JSON.stringify(judged);
  return isSame(together) && isSame(checked ?? together) ? undefined : judged;
}

/** Terms that break rules where they do not belong. */
const TERMS: readonly Term[] = [
  iri("https://museum.example/other/1"),
  iri("urn:isbn:1"),
  iri(classIri("Type")!),
  iri(classIri("Place")!),
  iri(classIri("Activity")!),
  iri(`${DEFAULT_MODEL.vocabBase}/300055863`),
  iri("https://museum.example/ns/Thing"),
  blank("another"),
  literal("text", XSD.string),
  literal("1889", XSD.dateTime),
  literal("1889-01-01T00:00:00Z", XSD.dateTime),
  literal("12", XSD.integer),
  literal("1e3", XSD.double),
  literal("INF", XSD.double),
  literal("12", `${XSD.string.slice(0, -6)}int`),
  literal("12.5", `${XSD.string.slice(0, -6)}float`),
  literal("POINT (1 2", XSD.string),
  { termType: "Literal", value: "texte", datatype: `${RDF.type.slice(0, -4)}langString`, language: "fr" },
];

const SUBCLASS_OF = "http://www.w3.org/2000/01/rdf-schema#subClassOf";

interface Mutation {
  readonly kind: "drop" | "subclass" | "add" | "object" | "join" | "predicate";
  readonly triple: number;
  readonly term: number;
  readonly other: number;
}

const position = fc.nat(1_000_000);

const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("drop", "subclass", "add", "object", "join", "predicate"),
    triple: position,
    term: fc.nat(TERMS.length - 1),
    other: position,
  }),
  { minLength: 1, maxLength: 3 },
);

function mutated(graph: RecordGraph, those: readonly Mutation[]): RecordGraph {
  const triples = Array.from({ length: graph.triples.length / 3 }, (_, at) =>
    [0, 1, 2].map((place) => graph.terms[graph.triples[at * 3 + place]!]!),
  );
  for (const mutation of those) {
    if (triples.length === 0) break;
    const at = mutation.triple % triples.length;
    const [subject, predicate, object] = triples[at] as [Term, Term, Term];
    if (mutation.kind === "drop") triples.splice(at, 1);
    else if (mutation.kind === "add") triples.push([subject, predicate, TERMS[mutation.term]!]);
    else if (mutation.kind === "object") triples[at] = [subject, predicate, TERMS[mutation.term]!];
    else if (mutation.kind === "subclass") triples.push([object, iri(SUBCLASS_OF), iri(classIri("Type")!)]);
    else {
      const [, otherPredicate, otherObject] = triples[mutation.other % triples.length] as [Term, Term, Term];
      triples.push(mutation.kind === "join" ? [subject, predicate, otherObject] : [subject, otherPredicate, object]);
    }
  }
  const builder = new RecordGraphBuilder(graph.iri);
  for (const [subject, predicate, object] of triples) {
    if (subject!.termType === "Literal") continue;
    builder.add(builder.term(subject!), builder.term(predicate!), builder.term(object!));
  }
  return builder.build();
}

describe("mutated records", () => {
  it.each([
    ["as the specification has it", []],
    ["with an institution's decisions", ["*.presence=violation", "reference.*=off", "timespan.*=warning"]],
  ])("are found the same by check and judge, %s", async (_name, decisions) => {
    const decided = new RuleBooks(DEFAULT_MODEL, new Severities(decisions));
    const records: { graph: RecordGraph; endpoint: EndpointName | null }[] = [];
    for (const corpus of CORPORA.filter(({ isThere }) => isThere)) {
      for await (const record of graphsOf(corpus.records())) records.push(record);
    }
    fc.assert(
      fc.property(fc.nat(records.length - 1), mutations, (chosen, those) => {
        const { graph, endpoint } = records[chosen]!;
        expect(disagreement(mutated(graph, those), endpoint, decided)).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });
});
