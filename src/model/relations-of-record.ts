/** The relations of a record to the entities that it refers to, by Linked Art's names (linked.art/api/rels/1), found in one walk over it. */
import { entryOf } from "../base/entries.js";
import { indexBySubject, objectsOf, type RecordGraph, rootOf, valuesOf } from "../rdf/record-graph.js";
import { RDF } from "../rdf/terms.js";
import { CLASSIFIED_AS } from "./embedding.js";
import { type PathStep, RELATIONS, type RelationPath } from "./relations.js";
import { endpointNamed, isEntityClass } from "./tables/endpoints.js";
import type { EndpointName } from "./tables/names.js";
import { classIri, propertyIri } from "./vocabulary/vocabulary.js";

/** The role numbers of relations by name: their positions in the list. */
export const ROLES: ReadonlyMap<string, number> = new Map(RELATIONS.map(({ name }, role) => [name, role]));

const OF_SETS = RELATIONS.filter(({ setPaths }) => setPaths.length > 0);

/** The roles of Sets through which their members are related to an entity, numbered after the others. */
export const SET_ROLES: ReadonlyMap<string, number> = new Map(
  OF_SETS.map(({ name }, at) => [name, RELATIONS.length + at]),
);

/** The classes that a role may lead to, by the role's number. */
const TARGET_CLASSES: readonly ReadonlySet<string>[] = [...RELATIONS, ...OF_SETS].map(({ targets }) =>
  classesOfTargets(targets),
);

function classesOfTargets(targets: readonly EndpointName[]): ReadonlySet<string> {
  return new Set(targets.flatMap((target) => endpointNamed(target).classes.map((name) => classIri(name)!)));
}

interface Rest {
  readonly steps: readonly PathStep[];
  readonly role: number;
}

/** Where a predicate leads: further along a way, to the ends of paths (`roles`), or both. `classified` is a condition on the node reached. */
interface Lead {
  readonly classified: string | undefined;
  readonly way: Way | undefined;
  readonly roles: readonly number[];
}

/** A state of the walk: where each predicate leads from here. */
interface Way {
  readonly number: number;
  readonly leads: Map<string, Lead[]>;
}

const ways = new Map<EndpointName, Way>();

function waysFrom(endpoint: EndpointName): Way {
  return entryOf(ways, endpoint, () => {
    const rests = RELATIONS.flatMap(({ name, sources, paths, setPaths }) => [
      ...(sources.includes(endpoint) ? restsOf(paths, ROLES.get(name)!) : []),
      ...(endpoint === "set" ? restsOf(setPaths, SET_ROLES.get(name)!) : []),
    ]);
    const { classes } = endpointNamed(endpoint);
    return compile(rests, (term) => classes.map((each) => propertyIri(term, each)!), new Map());
  });
}

function restsOf(paths: readonly RelationPath[], role: number): Rest[] {
  return paths.filter(({ inverse }) => inverse === undefined).map(({ steps }) => ({ steps, role }));
}

/** Compile the rests of paths into a way. @param irisOf the IRIs of a term at this place; after the first step all nodes are activities */
function compile(rests: readonly Rest[], irisOf: (term: string) => readonly string[], known: Map<string, Way>): Way {
  const key = JSON.stringify([irisOf("part"), rests]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const way: Way = { number: known.size, leads: new Map() };
  known.set(key, way);
  /** The rests of paths after each predicate and condition, each once, by its text. */
  const groups = new Map<string, { iri: string; classified: string | undefined; rests: Map<string, Rest> }>();
  // Search indexes store a record's relations in this order, and are rebuilt when it changes.
  for (const { step, rest } of rests.toReversed().flatMap(stepsOf)) {
    const { property, classified } = step;
    for (const iri of irisOf(property)) {
      const group = entryOf(groups, `${iri} ${classified ?? ""}`, () => ({ iri, classified, rests: new Map() }));
      group.rests.set(JSON.stringify(rest), rest);
    }
  }
  for (const { iri, classified, rests: behind } of groups.values()) {
    const further = [...behind.values()].filter(({ steps }) => steps.length > 0);
    const ended = [...behind.values()].filter(({ steps }) => steps.length === 0);
    const onward =
      further.length === 0 ? undefined : compile(further, (term) => [propertyIri(term, "Activity")!], known);
    entryOf(way.leads, iri, () => []).push({ classified, way: onward, roles: ended.map(({ role }) => role) });
  }
  return way;
}

/** The steps that a path may begin with, each with the rest of the path. A repeating step leads to the same rest, or may be skipped. */
function stepsOf(rest: Rest): { readonly step: PathStep; readonly rest: Rest }[] {
  const [step, ...steps] = rest.steps;
  if (step === undefined) return [];
  const after = { steps, role: rest.role };
  return step.repeats ? [{ step, rest }, ...stepsOf(after)] : [{ step, rest: after }];
}

/** A relation to an IRI: from the record, or from another entity, `subject`, when the record states it about that entity. */
export interface Related {
  readonly iri: string;
  readonly role: number;
  readonly subject?: string;
}

/** The relations of a record, each once. Paths end within the record; relations that lead through other records, such as Sets, are found from these. */
export function relationsOf(graph: RecordGraph, endpoint: EndpointName | null): Related[] {
  if (endpoint === null) return [];
  const root = rootOf(graph);
  if (root === -1) return [];
  const index = indexBySubject(graph);
  const related: Related[] = [];
  const seen = new Set<number>();
  const fits = classTest(graph);
  const walked = new Set<string>();
  // A loop instead of recursion, since a chain of parts may have any length.
  const waiting = [{ node: root, way: waysFrom(endpoint) }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, way } = next;
    for (let at = index.first[node]!; at !== -1; at = index.next[at]!) {
      const leads = way.leads.get(graph.terms[graph.triples[at * 3 + 1]!]!.value);
      if (leads === undefined) continue;
      const object = graph.triples[at * 3 + 2]!;
      const { termType, value } = graph.terms[object]!;
      for (const lead of leads) {
        if (lead.classified !== undefined && !isClassified(graph, object, lead.classified)) continue;
        for (const role of termType === "NamedNode" ? lead.roles : []) {
          const key = object * 256 + role;
          if (!seen.has(key) && fits(object, TARGET_CLASSES[role]!)) related.push({ iri: value, role });
          seen.add(key);
        }
        if (lead.way === undefined || index.first[object] === -1) continue;
        const step = `${object} ${lead.way.number}`;
        if (walked.has(step)) continue;
        walked.add(step);
        waiting.push({ node: object, way: lead.way });
      }
    }
  }
  return related;
}

/** A function that tells whether a node may be of one of the expected classes. A node may be of any class if the record gives it no class of an endpoint. */
function classTest(graph: RecordGraph): (node: number, expected: ReadonlySet<string>) => boolean {
  const known = new Map<number, readonly string[]>();
  return (node, expected) => {
    const classes = entryOf(known, node, () => valuesOf(graph, node, RDF.type).filter(isEntityClass));
    return classes.length === 0 || classes.some((name) => expected.has(name));
  };
}

/** A path that begins at a node that refers to the subject, and leads to a target: the node itself when there is no step. */
interface InversePath {
  readonly subject: string;
  readonly target: string | undefined;
  readonly classes: ReadonlySet<string>;
}

/** The inverse paths, each once, by a text of their parts. Relations that differ only in their sources share a path. */
const INVERSE_PATHS = new Map<string, InversePath>();
/** The roles of relations that other records state, by name: the positions of their paths in the list. */
export const INVERSE_ROLES: ReadonlyMap<string, readonly number[]> = new Map(
  RELATIONS.map(({ name, targets, paths }) => [
    name,
    paths.flatMap(({ inverse, steps: [step] }) => {
      if (inverse === undefined) return [];
      const key = JSON.stringify([inverse, step, targets]);
      const target = step && propertyIri(step.property)!;
      INVERSE_PATHS.set(key, { subject: propertyIri(inverse)!, target, classes: classesOfTargets(targets) });
      return [[...INVERSE_PATHS.keys()].indexOf(key)];
    }),
  ]),
);
const PATHS: readonly InversePath[] = [...INVERSE_PATHS.values()];
const SUBJECTS: ReadonlySet<string> = new Set(PATHS.map(({ subject }) => subject));

/** At most this many targets of a node are paired with its subjects, so that the number of pairs is linear in the size of the record. */
const MAX_TARGETS = 8;

/** The relations of other entities that a record states, each once: who was active at a place, what was encountered there, which works are about the entity. */
export function inverseRelationsOf(graph: RecordGraph): Related[] {
  const { terms, triples } = graph;
  const root = rootOf(graph);
  const nodes = new Set<number>();
  for (let at = 0; at < triples.length; at += 3)
    if (SUBJECTS.has(terms[triples[at + 1]!]!.value)) nodes.add(triples[at]!);
  const related = new Map<string, Related>();
  const fits = classTest(graph);
  const named = (node: number, property: string): number[] =>
    objectsOf(graph, node, property).filter((object) => terms[object]!.termType === "NamedNode");
  for (const node of nodes) {
    for (const [role, { subject, target, classes }] of PATHS.entries()) {
      if (target === undefined && node !== root) continue;
      const targets = target === undefined ? [node] : named(node, target).slice(0, MAX_TARGETS);
      const led = targets.filter((each) => fits(each, classes)).map((each) => terms[each]!.value);
      for (const each of led.length === 0 ? [] : named(node, subject)) {
        const { value } = terms[each]!;
        for (const iri of led) related.set(`${role} ${iri} ${value}`, { iri, role, subject: value });
      }
    }
  }
  return [...related.values()];
}

/** Whether a node is classified with the concept of an identifier, under whichever `{vocab_base}` the record uses. */
export function isClassified(graph: RecordGraph, node: number, identifier: string): boolean {
  return valuesOf(graph, node, CLASSIFIED_AS).some((iri) => iri.endsWith(`/${identifier}`));
}
