/** The division of triples without a graph: which IRIs become records, and which triples each gets. */
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

/** The share of each record as indices of triples, by the last part of its IRI; and the nodes that are left over. */
function shares(triples: readonly Triple[]): Record<string, unknown> {
  const dataset = graphOf("", triples);
  const result: Record<string, unknown> = {};
  const left = divide(dataset, (entity, share) => {
    result[dataset.terms[entity]!.value.replace("http://m/", "")] = share;
  });
  return left.length === 0 ? result : { ...result, left: left.map((node) => formatTerm(dataset.terms[node]!)) };
}

describe("the records of triples", () => {
  it.each<[what: string, triples: Triple[], result: Record<string, unknown>]>([
    ["are none if there are no triples", [], {}],
    [
      "include an entity with more than a reference",
      [
        [object, type, HumanMadeObject],
        [object, identifiedBy, x],
      ],
      { "object/1": [0, 1] },
    ],
    [
      "include an entity without referrers, whatever its triples",
      [[object, type, HumanMadeObject]],
      { "object/1": [0] },
    ],
    [
      "do not include a reference",
      [
        [object, type, HumanMadeObject],
        [object, carriedOutBy, person],
        [person, type, Person],
        [person, label, x],
      ],
      { "object/1": [0, 1, 2, 3] },
    ],
    [
      "do not include an embedded node, whatever its class and IRI",
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
      "include a concept that is described, even if others are classified as it",
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
      "do not include a blank node, or an IRI of another class",
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
      "include only the first of entities that embed each other",
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

describe("a record", () => {
  it("gets blank and embedded nodes with everything that they lead to", () => {
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

  it("gets the triples of a reference that references have, and those of its own references", () => {
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

  it("shares a blank node with the other records that lead to it", () => {
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

  it("gets the whole of a node that it first met as a reference", () => {
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

  it("may have nesting and cycles without limit", () => {
    const chain = Array.from(
      { length: 20_000 },
      (_, index) => [blank(`n${index}`), identifiedBy, blank(`n${index + 1}`)] as const,
    );
    const triples: Triple[] = [
      [object, type, HumanMadeObject],
      [object, identifiedBy, blank("n0")],
      ...chain,
      [blank("n20000"), identifiedBy, blank("n0")],
      [blank("n20000"), identifiedBy, object],
    ];
    expect(shares(triples)["object/1"]).toHaveLength(triples.length);
  });
});

const examples = new URL("../../../../shared/corpus/examples.nq", import.meta.url);

it.skipIf(!existsSync(examples))(
  "dividing the examples of the corpus loses no triple and no record (needs ../shared)",
  () => {
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
    // These records classify what they refer to, which is more than a reference does, so the targets become records.
    expect(reduced).toBe(6);
    expect(divided.size).toBe(graphs.size + 10);
  },
);
