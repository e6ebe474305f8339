/** Records with up to five random changes, in which the compiled validator and rdf-validate-shacl find the same. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import { classIri } from "../../src/model/vocabulary/vocabulary.js";
import { type RecordGraph, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, type Term, XSD } from "../../src/rdf/terms.js";
import { forAll, runsOf } from "../properties.js";
import { CORPORA, graphsOf, someOf } from "./corpora.js";
import { Validators } from "./validators.js";

/** Terms that break rules in most places. */
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
  literal("twelve", XSD.integer),
  literal("2020-02-30T00:00:00+01:00", XSD.dateTime),
  literal("-2147483648", `${XSD.string.slice(0, -6)}int`),
  literal("2147483648", `${XSD.string.slice(0, -6)}int`),
  literal("12.5", `${XSD.string.slice(0, -6)}float`),
  literal("POINT (1 2", XSD.string),
  { termType: "Literal", value: "texte", datatype: `${RDF.type.slice(0, -4)}langString`, language: "fr" },
];

const SUBCLASS_OF = "http://www.w3.org/2000/01/rdf-schema#subClassOf";

interface Mutation {
  readonly kind: "drop" | "subclass" | "add" | "object" | "join" | "predicate" | "type";
  readonly triple: number;
  readonly term: number;
  readonly other: number;
}

const position = fc.nat(1_000_000);

const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("drop", "subclass", "add", "object", "join", "predicate", "type"),
    triple: position,
    term: fc.nat(TERMS.length - 1),
    other: position,
  }),
  { minLength: 1, maxLength: 5 },
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
    else if (mutation.kind === "type") triples.push([subject, iri(RDF.type), TERMS[mutation.term]!]);
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
  const records: { graph: RecordGraph; endpoint: EndpointName | null }[] = [];
  beforeAll(async () => {
    for (const corpus of CORPORA.filter(({ isThere }) => isThere)) {
      for await (const record of graphsOf(someOf(corpus.records()))) records.push(record);
    }
  });

  it.each([
    ["by the specification", []],
    ["with an institution's decisions", ["*.presence=violation", "reference.*=off", "timespan.*=warning"]],
  ])("give exactly the same results %s", async (_name, decisions) => {
    const validators = await Validators.make(decisions);
    forAll([fc.nat(records.length - 1), mutations], runsOf(10_000, 20), (chosen, those) => {
      const { graph, endpoint } = records[chosen]!;
      const spoilt = mutated(graph, those);
      expect(validators.compiled(spoilt, endpoint)).toEqual(validators.reference(spoilt, endpoint));
    });
  });
});
