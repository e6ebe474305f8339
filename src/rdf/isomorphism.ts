/** Graph isomorphism: whether two record graphs state the same triples, regardless of order and blank node labels. */
import { entryOf, groupBy } from "../base/entries.js";
import type { RecordGraph } from "./record-graph.js";
import type { Term } from "./terms.js";

/** At most this many edges are visited. Only graphs built to be hard to compare need more; they count as different. */
const MAX_VISITS = 2_000_000;

/**
 * Whether two graphs are isomorphic (RDF 1.1 Concepts, section 3.6): equal except for the labels of blank nodes.
 * Blank nodes are distinguished by their neighbours, round after round (colour refinement). Only if that leaves nodes of the
 * same colour are pairings tried. Graphs that would take too long give `false`; records of real data never do.
 * @example
 * import { RecordGraphBuilder } from "#rdf/record-graph";
 * const graphs = ["a", "b"].map((label) => {
 *   const graph = new RecordGraphBuilder("urn:x");
 *   graph.add(graph.iri("urn:x"), graph.iri("urn:p"), graph.blank(label));
 *   return graph.build();
 * });
 * isIsomorphic(graphs[0]!, graphs[1]!); // => true
 */
export function isIsomorphic(a: RecordGraph, b: RecordGraph): boolean {
  if (a.triples.length !== b.triples.length) return false;
  const numbers = new Map<string, number>();
  const edges: Edges = new Map();
  const ground = groundTriples(a, (term) => term, numbers, edges);
  const others = groundTriples(b, (term) => -1 - term, numbers, edges);
  for (const triple of ground) if (!others.has(triple)) return false;
  return new Matching(edges).matches(new Map([...edges.keys()].map((node) => [node, 0])));
}

/** Whether two graphs differ at most in the order of keys: each node has the same properties, each with the same values in the same order. `false` for unreachable blank nodes. */
export function isSameByProperty(a: RecordGraph, b: RecordGraph): boolean {
  if (a.iri !== b.iri || a.triples.length !== b.triples.length) return false;
  const [left, right] = [propertiesOf(a), propertiesOf(b)];
  const pairs = new Map<number, number>();
  const paired = new Set<number>();
  const isPair = (ours: number, theirs: number): boolean => {
    const [one, two] = [a.terms[ours]!, b.terms[theirs]!];
    const isSame = one.termType === "BlankNode" ? two.termType === "BlankNode" : termKey(one) === termKey(two);
    if (!isSame || pairs.has(ours) || paired.has(theirs)) return isSame && pairs.get(ours) === theirs;
    pairs.set(ours, theirs);
    paired.add(theirs);
    return true;
  };
  const others = new Map([...right.keys()].map((node) => [termKey(b.terms[node]!), node]));
  for (const node of left.keys()) {
    if (a.terms[node]!.termType === "BlankNode") continue;
    const other = others.get(termKey(a.terms[node]!));
    if (other === undefined || !isPair(node, other)) return false;
  }
  // The loop also visits the pairs that `isPair` adds.
  for (const [ours, theirs] of pairs) {
    const [ourProperties, theirProperties] = [left.get(ours), right.get(theirs)];
    for (const [property, values] of ourProperties ?? []) {
      const theirValues = theirProperties?.get(property);
      if (theirValues?.length !== values.length) return false;
      if (!values.every((value, at) => isPair(value, theirValues[at]!))) return false;
    }
  }
  return [...left.keys()].every((node) => pairs.has(node));
}

/** The values of each subject's properties, in source order. */
function propertiesOf({ terms, triples }: RecordGraph): Map<number, Map<string, number[]>> {
  const nodes = new Map<number, Map<string, number[]>>();
  for (let at = 0; at < triples.length; at += 3) {
    const property = terms[triples[at + 1]!]!.value;
    const node = entryOf(nodes, triples[at]!, () => new Map());
    entryOf(node, property, () => []).push(triples[at + 2]!);
  }
  return nodes;
}

/** A triple with a blank node, as seen from that node. */
interface Edge {
  /** The direction, `>` if the node is the subject and `<` if it is the object, the predicate, and the node at the other end unless it is blank. */
  readonly text: string;
  readonly blank: number | undefined;
}

/** The edges of the blank nodes of both graphs. A node is the number of its term, from 0 in the first graph and from -1 downwards in the second. */
type Edges = Map<number, Edge[]>;

/** Add the edges of a graph's blank nodes, and return its triples without blank nodes. @param numbers those of terms that are not blank, the same in both graphs */
function groundTriples(
  { terms, triples }: RecordGraph,
  nodeOf: (term: number) => number,
  numbers: Map<string, number>,
  edges: Edges,
): ReadonlySet<string> {
  const shared = terms.map((term) =>
    term.termType === "BlankNode" ? -1 : entryOf(numbers, termKey(term), () => numbers.size),
  );
  const ground = new Set<string>();
  const addEdge = (term: number, way: string, other: number): void => {
    const isBlank = shared[other] === -1;
    const edge = { text: isBlank ? way : `${way} ${shared[other]}`, blank: isBlank ? nodeOf(other) : undefined };
    entryOf(edges, nodeOf(term), () => []).push(edge);
  };
  for (let at = 0; at < triples.length; at += 3) {
    const [subject, predicate, object] = [triples[at]!, shared[triples[at + 1]!]!, triples[at + 2]!];
    if (shared[subject] !== -1 && shared[object] !== -1)
      ground.add(`${shared[subject]} ${predicate} ${shared[object]}`);
    if (shared[subject] === -1) addEdge(subject, `>${predicate}`, object);
    if (shared[object] === -1) addEdge(object, `<${predicate}`, subject);
  }
  return ground;
}

function termKey(term: Term): string {
  return term.termType === "NamedNode" ? term.value : `"${term.datatype}"${term.language}"${term.value}`;
}

/** The colour of each blank node, as a number. Nodes of different colours do not correspond. */
type Colours = ReadonlyMap<number, number>;

class Matching {
  #visits = 0;
  readonly #visitsPerRound: number;

  constructor(private readonly edges: Edges) {
    this.#visitsPerRound = [...edges.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Whether the graphs match when only nodes of the same colour correspond to each other. */
  matches(colours: Colours): boolean {
    const refined = this.#refine(colours);
    if (refined === undefined) return false;
    // Stable colours that are all different give the isomorphism: equal colours mean equal neighbours.
    const twins = byColour(refined).find(({ ours }) => ours.length > 1);
    if (twins === undefined) return true;
    const { ours, theirs } = twins;
    // In real data, nodes of one colour are copies of each other and pair in any order. Otherwise each candidate is tried.
    if (this.#matchesPaired(refined, ours, theirs)) return true;
    return theirs.some((candidate) => this.#matchesPaired(refined, ours.slice(0, 1), [candidate]));
  }

  /** Whether the graphs match when these nodes correspond to each other. */
  #matchesPaired(colours: Colours, ours: readonly number[], theirs: readonly number[]): boolean {
    const paired = new Map(colours);
    for (const [at, node] of ours.entries()) {
      paired.set(node, colours.size + at);
      paired.set(theirs[at]!, colours.size + at);
    }
    return this.matches(paired);
  }

  /** Refine the colours until they are stable, or return `undefined` once the two graphs differ. */
  #refine(colours: Colours): Colours | undefined {
    let [before, now] = [0, new Set(colours.values()).size];
    let refined = colours;
    do {
      this.#visits += this.#visitsPerRound;
      if (this.#visits > MAX_VISITS) return undefined;
      const names = new Map<string, number>();
      refined = this.#recolour(refined, names);
      if (byColour(refined).some(({ ours, theirs }) => ours.length !== theirs.length)) return undefined;
      before = now;
      now = names.size;
    } while (now > before);
    return refined;
  }

  /** One round of refinement: a node's new colour is made of its own colour and those of its neighbours. */
  #recolour(colours: Colours, names: Map<string, number>): Colours {
    const next = new Map<number, number>();
    for (const [node, edges] of this.edges) {
      const around = edges.map(({ text, blank }) => (blank === undefined ? text : `${text}_${colours.get(blank)}`));
      const name = `${colours.get(node)}:${around.sort().join()}`;
      const colour = entryOf(names, name, () => names.size);
      next.set(node, colour);
    }
    return next;
  }
}

/** The nodes of each colour in the first graph (`ours`) and in the second. */
function byColour(colours: Colours): { readonly ours: readonly number[]; readonly theirs: readonly number[] }[] {
  const groups = groupBy(colours.keys(), (node) => colours.get(node)!);
  return [...groups.values()].map((nodes) => ({
    ours: nodes.filter((node) => node >= 0),
    theirs: nodes.filter((node) => node < 0),
  }));
}
