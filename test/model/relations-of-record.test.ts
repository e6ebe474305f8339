/** The relations of records, compared with a step-by-step walk of their paths, as SPARQL reads them. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type PathStep, RELATIONS } from "../../src/model/relations.js";
import {
  INVERSE_ROLES,
  inverseRelationsOf,
  ROLES,
  relationsOf,
  SET_ROLES,
} from "../../src/model/relations-of-record.js";
import { ENDPOINTS, endpointNamed, isEntityClass } from "../../src/model/tables/endpoints.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import { classIri, propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import type { RecordGraph } from "../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, type Term } from "../../src/rdf/terms.js";
import { forAll, runsOf } from "../properties.js";
import { ENTITY, graphOf } from "../rdf/record-graphs.js";

type Triple = readonly [Term, Term, Term];

const CLASSIFIED_AS = propertyIri("classified_as")!;
const NODES: readonly Term[] = [
  iri(ENTITY),
  ...["a", "b", "c", "d"].map((name) => iri(`urn:${name}`)),
  blank("e"),
  blank("f"),
];
const CLASSES = [...ENDPOINTS.flatMap(({ classes }) => classes), "Production" as const].map((name) => classIri(name));

/** The IRIs of a term on nodes of these classes. All nodes after the record's own are taken as activities. */
function irisOf(property: string, classes: readonly string[]): ReadonlySet<string | undefined> {
  return new Set(classes.map((name) => propertyIri(property, name)));
}

/** The triples of a record as terms, for a slow and simple walk. */
class Reading {
  readonly triples: Triple[];

  constructor({ terms, triples }: RecordGraph) {
    this.triples = Array.from({ length: triples.length / 3 }, (_, at) => {
      const [subject, predicate, object] = [0, 1, 2].map((place) => terms[triples[at * 3 + place]!]!);
      return [subject!, predicate!, object!] as const;
    });
  }

  objects(subject: Term, predicates: ReadonlySet<string | undefined>): Term[] {
    return this.triples.flatMap(([s, p, o]) => (s === subject && predicates.has(p.value) ? [o] : []));
  }

  named(subject: Term, property: string): Term[] {
    return this.objects(subject, new Set([propertyIri(property)])).filter(({ termType }) => termType === "NamedNode");
  }

  /** The nodes at the ends of a path. */
  ends([step, ...steps]: readonly PathStep[], from: ReadonlySet<Term>, classes: readonly string[]): ReadonlySet<Term> {
    if (step === undefined) return from;
    const next = this.#next(step, from, classes);
    if (!step.repeats) return this.ends(steps, next, ["Activity"]);
    let [all, size] = [next, -1];
    while (all.size > size) [all, size] = [new Set([...all, ...this.#next(step, all, ["Activity"])]), all.size];
    return new Set([...this.ends(steps, from, classes), ...this.ends(steps, all, ["Activity"])]);
  }

  /** Whether a node can be of one of these endpoints by its classes. A class without an endpoint rules nothing out. */
  fits(node: Term, targets: readonly EndpointName[]): boolean {
    const classes = this.objects(node, new Set([RDF.type])).filter(({ value }) => isEntityClass(value));
    const expected = targets.flatMap((target) => endpointNamed(target).classes.map((name) => classIri(name)));
    return classes.length === 0 || classes.some(({ value }) => expected.includes(value));
  }

  #next({ property, classified }: PathStep, from: ReadonlySet<Term>, classes: readonly string[]): Set<Term> {
    const nodes = [...from].flatMap((node) => this.objects(node, irisOf(property, classes)));
    const isAsked = (node: Term): boolean =>
      classified === undefined ||
      this.objects(node, new Set([CLASSIFIED_AS])).some(({ value }) => value.endsWith(`/${classified}`));
    return new Set(nodes.filter((node) => node.termType !== "Literal" && isAsked(node)));
  }
}

/** The entities that a record of an endpoint refers to, as role and IRI. */
function expectedOf(graph: RecordGraph, endpoint: EndpointName): string[] {
  const reading = new Reading(graph);
  const root = graph.terms.find(({ value }) => value === graph.iri)!;
  return RELATIONS.flatMap(({ name, targets, sources, paths, setPaths }) =>
    [
      { role: ROLES.get(name), own: sources.includes(endpoint) ? paths : [] },
      { role: SET_ROLES.get(name), own: endpoint === "set" ? setPaths : [] },
    ].flatMap(({ role, own }) => {
      const forward = own.filter(({ inverse }) => inverse === undefined);
      const ends = forward.flatMap(({ steps }) => [
        ...reading.ends(steps, new Set([root]), endpointNamed(endpoint).classes),
      ]);
      const found = ends.filter((node) => node.termType === "NamedNode" && reading.fits(node, targets));
      return [...new Set(found)].map(({ value }) => `${role} ${value}`);
    }),
  );
}

/** The relations of other entities that a record states, as role, IRI and subject. */
function expectedOfOthers(graph: RecordGraph): ReadonlySet<string> {
  const reading = new Reading(graph);
  const nodes = [...new Set(reading.triples.map(([subject]) => subject))];
  const found = RELATIONS.flatMap(({ name, targets, paths }) =>
    paths
      .filter(({ inverse }) => inverse !== undefined)
      .flatMap(({ inverse, steps: [step] }, at) =>
        nodes
          .filter((node) => step !== undefined || node.value === graph.iri)
          .flatMap((node) => {
            const led = step === undefined ? [node] : reading.named(node, step.property).slice(0, 8);
            const fitting = led.filter((each) => reading.fits(each, targets));
            const pairs = fitting.map(({ value }) => `${INVERSE_ROLES.get(name)![at]} ${value}`);
            return reading.named(node, inverse!).flatMap(({ value }) => pairs.map((pair) => `${pair} ${value}`));
          }),
      ),
  );
  return new Set(found);
}

const node = fc.constantFrom(...NODES);
const paths = RELATIONS.flatMap(({ paths, setPaths }) => [...paths, ...setPaths]);

/** The triples of a path through any nodes, with some steps repeated. */
const path = fc
  .record({
    path: fc.constantFrom(...paths),
    first: fc.constantFrom(...ENDPOINTS.flatMap(({ classes }) => classes)),
    through: fc.array(node, { minLength: 9, maxLength: 9 }),
    times: fc.nat(2),
    classification: fc.constantFrom("urn:x/", "urn:x/9", undefined),
  })
  .map(({ path: { inverse, steps }, first, through, times, classification }): Triple[] => {
    const triples: Triple[] = [];
    let [at, subject] = [0, iri(ENTITY) as Term];
    const add = (property: string, onClass: string, object: Term): void => {
      const predicate = propertyIri(property, onClass) ?? propertyIri(property, "Activity");
      if (predicate !== undefined) triples.push([subject, iri(predicate), object]);
    };
    if (inverse !== undefined) {
      subject = through[at++]!;
      add(inverse, "Activity", through[at++]!);
    }
    for (const { property, repeats, classified } of steps) {
      for (let time = repeats ? times : 1; time > 0; time--) {
        add(property, triples.length === 0 ? first : "Activity", through[at]!);
        subject = through[at++]!;
        if (classified !== undefined && classification !== undefined)
          add("classified_as", "Activity", iri(classification + classified));
      }
    }
    return triples;
  });

const graphs = fc
  .record({
    paths: fc.array(path, { minLength: 1, maxLength: 4 }),
    classes: fc.array(fc.tuple(node, fc.constantFrom(...CLASSES)), { maxLength: 5 }),
    text: fc.boolean(),
  })
  .map(({ paths: all, classes, text }) => {
    const triples = all.flat();
    const types = classes.map(([subject, name]): Triple => [subject, iri(RDF.type), iri(name)]);
    const texts = text ? triples.map(([s, p]): Triple => [s, p, literal("x")]) : [];
    return graphOf(ENTITY, [[iri(ENTITY), iri("urn:p"), literal("x")], ...triples, ...types, ...texts]);
  });

it("the relations of a record are the ends of its paths", () => {
  forAll([graphs, fc.constantFrom(...ENDPOINTS)], runsOf(20_000, 600), (graph, { name }) => {
    const found = relationsOf(graph, name).map(({ role, iri }) => `${role} ${iri}`);
    expect(found.sort()).toEqual(expectedOf(graph, name).sort());
  });
});

it("the relations of others that a record states are its pairs of referenced entities", () => {
  forAll([graphs], runsOf(20_000, 600), (graph) => {
    const found = inverseRelationsOf(graph).map(({ role, iri, subject }) => `${role} ${iri} ${subject}`);
    expect(new Set(found)).toEqual(expectedOfOthers(graph));
    expect(new Set(found).size).toBe(found.length);
  });
});

it("a record without an endpoint, or that no triple mentions, has no relations", () => {
  const graph = graphOf(ENTITY, [[iri(ENTITY), iri(propertyIri("member_of", "Place")!), iri("urn:a")]]);
  expect(relationsOf(graph, "place")).not.toEqual([]);
  expect(relationsOf(graph, null)).toEqual([]);
  expect(relationsOf({ ...graph, iri: "urn:other" }, "place")).toEqual([]);
});

it("a Set has its members' relations, and only the first of many places are used", () => {
  const [set, museum] = [iri(ENTITY), iri("urn:museum")];
  const use = graphOf(ENTITY, [
    [set, iri(propertyIri("used_for")!), blank("a")],
    [blank("a"), iri(propertyIri("carried_out_by")!), museum],
  ]);
  expect(relationsOf(use, "set")).toEqual([{ iri: "urn:museum", role: SET_ROLES.get("objectCuratedByAgent") }]);
  expect(relationsOf(use, "object")).toEqual([]);
  const places = Array.from({ length: 9 }, (_, at) => iri(`urn:${at}`));
  const active = graphOf(ENTITY, [
    [set, iri(propertyIri("carried_out_by")!), museum],
    ...places.map((place): Triple => [set, iri(propertyIri("took_place_at")!), place]),
  ]);
  const [role] = INVERSE_ROLES.get("personActiveAtPlace")!;
  const told = inverseRelationsOf(active).filter((each) => each.role === role);
  expect(told.map(({ iri }) => iri)).toEqual(places.slice(0, 8).map(({ value }) => value));
});
