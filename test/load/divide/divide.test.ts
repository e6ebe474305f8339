/** Dividing triples without a graph: which IRIs are records, and what each of them takes. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { divide } from "../../../src/load/divide/divide.js";
import { classIri, propertyIri } from "../../../src/model/vocabulary/vocabulary.js";
import { LineReader } from "../../../src/rdf/ntriples/reader.js";
import { formatTerm } from "../../../src/rdf/ntriples/writer.js";
import { RecordGraphBuilder } from "../../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, RDFS_LABEL, type Term } from "../../../src/rdf/terms.js";
import { graphOf } from "../../rdf/record-graphs.js";

const type = iri(RDF.type);
const label = iri(RDFS_LABEL);
const [equivalent, notation, classifiedAs, identifiedBy, content, referredToBy, usedFor, producedBy, carriedOutBy] = (
  [
    "equivalent",
    "notation",
    "classified_as",
    "identified_by",
    "content",
    "referred_to_by",
    "used_for",
    "produced_by",
    "carried_out_by",
  ] as const
).map((term) => iri(propertyIri(term)!)) as [Term, Term, Term, Term, Term, Term, Term, Term, Term];
const [HumanMadeObject, Person, Type, Language, Name, LinguisticObject, Activity, Production] = (
  ["HumanMadeObject", "Person", "Type", "Language", "Name", "LinguisticObject", "Activity", "Production"] as const
).map((name) => iri(classIri(name))) as [Term, Term, Term, Term, Term, Term, Term, Term];

const object = iri("http://m/object/1");
const person = iri("http://m/person/1");
const concept = iri("http://m/concept/1");
const metaConcept = iri("http://m/concept/2");
const x = literal("x");

type Triple = readonly [Term, Term, Term];

/** Each record's share by the last part of its IRI, as the indices of the triples; and the nodes that are left. */
function shares(triples: readonly Triple[]): Record<string, unknown> {
  const dataset = graphOf("", triples);
  const result: Record<string, unknown> = {};
  const left = divide(dataset, (entity, share) => {
    result[dataset.terms[entity]!.value.replace("http://m/", "")] = share;
  });
  return left.length === 0 ? result : { ...result, left: left.map((node) => formatTerm(dataset.terms[node]!)) };
}

describe("what is a record", () => {
  it.each<[what: string, triples: Triple[], result: Record<string, unknown>]>([
    ["nothing is none", [], {}],
    [
      "an entity with more than a reference",
      [
        [object, type, HumanMadeObject],
        [object, identifiedBy, x],
      ],
      { "object/1": [0, 1] },
    ],
    ["an entity that nothing refers to, whatever it says", [[object, type, HumanMadeObject]], { "object/1": [0] }],
    [
      "not a reference",
      [
        [object, type, HumanMadeObject],
        [object, carriedOutBy, person],
        [person, type, Person],
        [person, label, x],
      ],
      { "object/1": [0, 1, 2, 3] },
    ],
    [
      "not a node that is embedded, whatever its class and IRI",
      [
        [object, type, HumanMadeObject],
        [object, referredToBy, iri("http://m/text/1")],
        [iri("http://m/text/1"), type, LinguisticObject],
        [iri("http://m/text/1"), content, x],
        [object, usedFor, iri("http://m/event/1")],
        [iri("http://m/event/1"), type, Activity],
        [iri("http://m/event/1"), identifiedBy, x],
      ],
      { "object/1": [0, 1, 2, 3, 4, 5, 6] },
    ],
    [
      "a concept that is described, also when others are classified as it",
      [
        [object, type, HumanMadeObject],
        [object, classifiedAs, concept],
        [concept, type, Type],
        [concept, label, x],
        [concept, identifiedBy, x],
      ],
      { "object/1": [0, 1, 2, 3], "concept/1": [2, 3, 4] },
    ],
    [
      "not a blank node, nor an IRI of another class",
      [
        [blank("a"), type, HumanMadeObject],
        [blank("a"), label, x],
        [iri("http://m/z"), type, Name],
        [iri("http://m/z"), content, x],
        [object, type, HumanMadeObject],
      ],
      { "object/1": [4], left: ["_:a", "<http://m/z>"] },
    ],
    [
      "the first of entities that embed each other",
      [
        [iri("http://m/a"), type, Activity],
        [iri("http://m/b"), type, Activity],
        [iri("http://m/a"), usedFor, iri("http://m/b")],
        [iri("http://m/b"), usedFor, iri("http://m/a")],
      ],
      { a: [0, 1, 2, 3] },
    ],
  ])("%s", (_, triples, result) => {
    expect(shares(triples)).toEqual(result);
  });
});

describe("what a record takes", () => {
  it("takes blank and embedded nodes with all that they reach", () => {
    const production = iri("http://m/object/1/production");
    expect(
      shares([
        [object, type, HumanMadeObject],
        [object, producedBy, production],
        [production, type, Production],
        [production, identifiedBy, blank("n")],
        [blank("n"), type, Name],
        [blank("n"), content, x],
        [blank("n"), identifiedBy, blank("m")],
        [blank("m"), content, x],
      ]),
    ).toEqual({ "object/1": [0, 1, 2, 3, 4, 5, 6, 7] });
  });

  it("takes of a reference what references carry, and of these references too", () => {
    const elsewhere = iri("http://elsewhere/1");
    const english = iri("http://m/concept/en");
    expect(
      shares([
        [object, type, HumanMadeObject],
        [object, carriedOutBy, person],
        [person, type, Person],
        [person, label, x],
        [person, equivalent, elsewhere],
        [person, identifiedBy, x],
        [person, classifiedAs, concept],
        [elsewhere, type, Person],
        [elsewhere, label, x],
        [object, classifiedAs, concept],
        [concept, type, Type],
        [concept, classifiedAs, metaConcept],
        [metaConcept, type, Type],
        [metaConcept, label, x],
        [object, iri(propertyIri("language")!), english],
        [english, type, Language],
        [english, notation, x],
      ]),
    ).toEqual({
      "object/1": [0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
      "person/1": [2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13],
    });
  });

  it("shares a blank node between the records that reach it", () => {
    const second = iri("http://m/object/2");
    expect(
      shares([
        [object, identifiedBy, blank("n")],
        [object, type, HumanMadeObject],
        [blank("n"), content, x],
        [second, identifiedBy, blank("n")],
        [second, type, HumanMadeObject],
      ]),
    ).toEqual({ "object/1": [0, 1, 2], "object/2": [2, 3, 4] });
  });

  it("takes the whole of a node that it first met as a reference", () => {
    const production = iri("http://m/object/1/production");
    expect(
      shares([
        [object, type, HumanMadeObject],
        [object, equivalent, production],
        [object, producedBy, production],
        [production, identifiedBy, x],
      ]),
    ).toEqual({ "object/1": [0, 1, 2, 3] });
  });

  it("does not follow classes into an ontology", () => {
    const triples: Triple[] = [
      [object, type, HumanMadeObject],
      [object, identifiedBy, x],
      [HumanMadeObject, label, x],
    ];
    expect(shares(triples)).toEqual({ "object/1": [0, 1], left: [formatTerm(HumanMadeObject)] });
  });

  it("survives nesting and cycles without limit", () => {
    const chain = Array.from(
      { length: 50_000 },
      (_, index) => [blank(`n${index}`), identifiedBy, blank(`n${index + 1}`)] as const,
    );
    const triples: Triple[] = [
      [object, type, HumanMadeObject],
      [object, identifiedBy, blank("n0")],
      ...chain,
      [blank("n50000"), identifiedBy, blank("n0")],
      [blank("n50000"), identifiedBy, object],
    ];
    expect(shares(triples)["object/1"]).toHaveLength(triples.length);
  });
});

const examples = new URL("../../../../shared/corpus/examples.nq", import.meta.url);

it.skipIf(!existsSync(examples))("loses no triple of the corpus' examples, and no record (needs ../shared)", () => {
  const graphs = new Map<string, Set<string>>();
  const builder = new RecordGraphBuilder("");
  const reader = new LineReader({ source: "examples.nq", graphs: true }, (statement) => {
    const graph = statement.graph()!.value;
    const own = (term: Term) => (term.termType === "BlankNode" ? blank(`${term.value}-${graph}`) : term);
    const triple = [own(statement.subject()), statement.predicate(), own(statement.object())] as const;
    builder.add(builder.term(triple[0]), builder.term(triple[1]), builder.term(triple[2]));
    const triples = graphs.get(graph) ?? new Set();
    graphs.set(graph, triples.add(triple.map(formatTerm).join(" ")));
  });
  reader.push(readFileSync(examples));
  reader.end();
  const dataset = builder.build();
  const text = (triple: number) =>
    [0, 1, 2].map((place) => formatTerm(dataset.terms[dataset.triples[triple * 3 + place]!]!)).join(" ");
  const divided = new Map<string, Set<string>>();
  expect(
    divide(dataset, (entity, share) => divided.set(dataset.terms[entity]!.value, new Set(share.map(text)))),
  ).toEqual([]);
  let reduced = 0;
  for (const [graph, triples] of graphs) {
    const lost = [...triples].filter((triple) => !divided.get(graph)!.has(triple));
    if (lost.length > 0) reduced++;
  }
  // Those records classify what they refer to, so that the references become records: more than references say.
  expect(reduced).toBe(6);
  expect(divided.size).toBe(graphs.size + 10);
});
