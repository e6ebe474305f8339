/** In which of Linked Art's relations a record stands to what it refers to (linked.art/api/rels/1), found in one walk over it. */
import { entryOf } from "../base/entries.js";
import { indexBySubject, type RecordGraph, rootOf, valuesOf } from "../rdf/record-graph.js";
import { ACTIVITY_PART } from "./found-by.js";
import { type PathStep, RELATIONS, type Relation } from "./relations.js";
import { type EndpointName, endpointNamed } from "./tables/endpoints.js";
import { propertyIri } from "./vocabulary/vocabulary.js";

/**
 * Relations that differ only in what they lead to have one role: which records refer, and by which paths. A relation's role
 * by its name; roles are numbered from 0 in the order of the relations.
 */
export const ROLES: ReadonlyMap<string, number> = numbered(RELATIONS);

function numbered(relations: readonly Relation[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  const roles = new Map<string, number>();
  for (const { name, sources, paths } of relations) {
    const key = JSON.stringify([sources, paths]);
    numbers.set(
      name,
      entryOf(roles, key, () => roles.size),
    );
  }
  return numbers;
}

/** What is left of a path, and the role that is at its end. */
interface Rest {
  readonly steps: readonly PathStep[];
  readonly role: number;
}

/** Where a predicate leads: on along a way, to the ends of paths, or both; `classified` is asked of the node that it leads to. */
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

const TYPE = propertyIri("classified_as")!;

/** The ways from the records of each endpoint. */
const ways = new Map<EndpointName, Way>();

function waysFrom(endpoint: EndpointName): Way {
  return entryOf(ways, endpoint, () => {
    const rests = RELATIONS.filter(({ sources }) => sources.includes(endpoint)).flatMap(({ name, paths }) =>
      paths.map(({ steps }) => ({ steps, role: ROLES.get(name)! })),
    );
    const irisOf = (term: string) => endpointNamed(endpoint).classes.map((each) => propertyIri(term, each)!);
    return compile(rests, irisOf, new Map());
  });
}

/** @param irisOf what a term means at this place. Behind the first step all nodes are activities. */
function compile(rests: readonly Rest[], irisOf: (term: string) => readonly string[], known: Map<string, Way>): Way {
  const key = JSON.stringify([irisOf("part"), rests]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const way: Way = { number: known.size, leads: new Map() };
  known.set(key, way);
  const groups = new Map<string, { iri: string; classified: string | undefined; rests: Rest[] }>();
  const lead = (step: PathStep, rest: Rest): void => {
    for (const iri of new Set(irisOf(step.property))) {
      const name = `${iri} ${step.classified ?? ""}`;
      const group = entryOf(groups, name, () => ({ iri, classified: step.classified, rests: [] }));
      if (!group.rests.some((each) => JSON.stringify(each) === JSON.stringify(rest))) group.rests.push(rest);
    }
  };
  const waiting = [...rests];
  for (let rest = waiting.pop(); rest !== undefined; rest = waiting.pop()) {
    const [step, ...after] = rest.steps;
    if (step === undefined) continue;
    if (step.repeats) {
      lead(step, rest);
      waiting.push({ steps: after, role: rest.role });
    } else lead(step, { steps: after, role: rest.role });
  }
  for (const { iri, classified, rests: next } of groups.values()) {
    const further = next.filter(({ steps }) => steps.length > 0);
    const roles = [...new Set(next.filter(({ steps }) => steps.length === 0).map(({ role }) => role))];
    const onward = further.length === 0 ? undefined : compile(further, ofActivity, known);
    const leads = way.leads.get(iri) ?? [];
    way.leads.set(iri, [...leads, { classified, way: onward, roles }]);
  }
  return way;
}

function ofActivity(term: string): readonly string[] {
  return [term === "part" ? ACTIVITY_PART : propertyIri(term, "Activity")!];
}

/** A relation of a record to an IRI. */
export interface Related {
  readonly iri: string;
  readonly role: number;
}

/** The relations of a record, each once. Paths stay in the record: what others say of the nodes on them is theirs. */
export function relationsOf(graph: RecordGraph, endpoint: EndpointName | null): Related[] {
  if (endpoint === null) return [];
  const root = rootOf(graph);
  if (root === -1) return [];
  const index = indexBySubject(graph);
  const related: Related[] = [];
  const seen = new Set<number>();
  const walked = new Set<string>();
  // Not by recursion: a chain of parts may be as long as its maker likes.
  const waiting = [{ node: root, way: waysFrom(endpoint) }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, way } = next;
    for (let at = index.first[node]!; at !== -1; at = index.next[at]!) {
      const leads = way.leads.get(graph.terms[graph.triples[at * 3 + 1]!]!.value);
      if (leads === undefined) continue;
      const object = graph.triples[at * 3 + 2]!;
      const { termType, value } = graph.terms[object]!;
      if (termType === "Literal") continue;
      for (const lead of leads) {
        if (lead.classified !== undefined && !isClassified(graph, object, lead.classified)) continue;
        for (const role of termType === "NamedNode" ? lead.roles : []) {
          const key = object * 256 + role;
          if (!seen.has(key)) related.push({ iri: value, role });
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

/** Whether a node is classified with the concept of an identifier, under whatever `{vocab_base}` the record has it. */
function isClassified(graph: RecordGraph, node: number, identifier: string): boolean {
  return valuesOf(graph, node, TYPE).some((iri) => iri.endsWith(`/${identifier}`));
}
