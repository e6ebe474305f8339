/** The rules in two engines: the compiled validator, and rdf-validate-shacl with the shapes. The campaign `shapes` has a third. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SHAPES } from "../../src/model/rules/shapes.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { classIri } from "../../src/model/vocabulary/vocabulary.js";
import { type RecordGraph, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, type Term, XSD } from "../../src/rdf/terms.js";
import { allRules } from "../../src/validate/severities.js";
import { Validator } from "../../src/validate/validator.js";
import { shareOf } from "../extent.js";
import { forAll, runsOf } from "../properties.js";
import { allCases, type Case } from "./cases.js";
import { CORPORA, graphsOf, someOf } from "./corpora.js";
import { graphOf } from "./nodes.js";
import { Validators } from "./validators.js";

const validators = await Validators.make();
const cases = allCases();

describe("every rule", () => {
  const bySet = new Map<string, Case[]>();
  for (const each of cases) {
    const set = each.breaks[0]?.split(".")[0] ?? `${each.endpoint}, sound`;
    bySet.set(set, [...(bySet.get(set) ?? []), each]);
  }

  it("is kept by sound records, and broken alone by its cases", async () => {
    // A validator of its own, so that coverage counts the compilation of rules for this test.
    const validator = await Validator.make({ model: DEFAULT_MODEL });
    for (const { name, endpoint, record, breaks } of cases) {
      const results = validator.record(graphOf(record), endpoint);
      const broken = new Set(results.map(({ rule }) => rule.slice(SHAPES.length)));
      expect([name, ...[...broken].sort()]).toEqual([name, ...[...breaks].sort()]);
    }
  });

  it.each([...bySet])("of %s is the same in both engines", (_set, those) => {
    for (const { name, endpoint, record } of shareOf(those, 50)) {
      const graph = graphOf(record);
      const results = validators.reference(graph, endpoint);
      expect([name, validators.compiled(graph, endpoint)]).toEqual([name, results]);
    }
  });

  it("has a case that breaks it", () => {
    const broken = new Set(cases.flatMap(({ breaks }) => breaks));
    const missing = allRules().filter(({ name }) => !broken.has(name) && !name.startsWith("document."));
    expect(missing).toEqual([]);
  });
});

/** Some records of each corpus that is there. */
const corpora = new Map(
  CORPORA.filter(({ isThere }) => isThere).map(({ name, records }) => [name, [...graphsOf(someOf(records()))]]),
);

describe.each(CORPORA)("$name", ({ name, isThere }) => {
  it.skipIf(!isThere)("gives the same results in both engines (skipped where ../shared is absent)", () => {
    for (const { graph, endpoint } of shareOf(corpora.get(name)!, 3)) {
      const results = validators.reference(graph, endpoint);
      expect([graph.iri, validators.compiled(graph, endpoint)]).toEqual([graph.iri, results]);
    }
  });
});

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
  const records = [...corpora.values()].flat();

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
