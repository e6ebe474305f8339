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
  const left = sideOf(a, numbers);
  const right = sideOf(b, numbers);
  for (const triple of left.ground) if (!right.ground.has(triple)) return false;
  return new Matching(left, right).matches();
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
  const named = (graph: RecordGraph, nodes: Iterable<number>): Map<string, number> =>
    new Map(
      [...nodes].flatMap((node) => {
        const { termType, value } = graph.terms[node]!;
        return termType === "NamedNode" ? [[value, node]] : [];
      }),
    );
  const others = named(b, right.keys());
  for (const [iri, node] of named(a, left.keys())) {
    const other = others.get(iri);
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
  /** The direction and the predicate: `>` if the node is the subject, `<` if it is the object. */
  readonly way: string;
  /** The node at the other end: the term number of a blank node, or -1 and the shared number of another term in `ground`. */
  readonly blank: number;
  readonly ground: number;
}

/** One of the two graphs. Equal terms have the same number in both, except blank nodes. */
interface Side {
  /** Triples without blank nodes. */
  readonly ground: ReadonlySet<string>;
  /** Term numbers of the blank nodes. */
  readonly blanks: readonly number[];
  /** The edges of each blank node. */
  readonly edges: ReadonlyMap<number, readonly Edge[]>;
}

function sideOf({ terms, triples }: RecordGraph, numbers: Map<string, number>): Side {
  const shared = terms.map((term) =>
    term.termType === "BlankNode" ? -1 : entryOf(numbers, termKey(term), () => numbers.size),
  );
  const ground = new Set<string>();
  const edges = new Map<number, Edge[]>();
  const addEdge = (node: number, way: string, other: number): void => {
    const edge = { way, blank: shared[other] === -1 ? other : -1, ground: shared[other]! };
    entryOf(edges, node, () => []).push(edge);
  };
  for (let at = 0; at < triples.length; at += 3) {
    const [subject, predicate, object] = [triples[at]!, shared[triples[at + 1]!]!, triples[at + 2]!];
    if (shared[subject] !== -1 && shared[object] !== -1) {
      ground.add(`${shared[subject]} ${predicate} ${shared[object]}`);
    }
    if (shared[subject] === -1) addEdge(subject, `>${predicate}`, object);
    if (shared[object] === -1) addEdge(object, `<${predicate}`, subject);
  }
  return { ground, blanks: [...edges.keys()], edges };
}

function termKey(term: Term): string {
  return term.termType === "NamedNode" ? term.value : `"${term.datatype}"${term.language}"${term.value}`;
}

/** The colour of each blank node, as a number. Nodes of different colours do not correspond. */
type Colours = ReadonlyMap<number, number>;

interface Colouring {
  readonly left: Colours;
  readonly right: Colours;
}

class Matching {
  #visits = 0;
  readonly #visitsPerRound: number;

  constructor(
    readonly left: Side,
    readonly right: Side,
  ) {
    this.#visitsPerRound = [...left.edges.values()].reduce((sum, edges) => sum + 2 * edges.length, 0);
  }

  matches(): boolean {
    const all = (side: Side): Colours => new Map(side.blanks.map((blank) => [blank, 0]));
    return this.#matches(all(this.left), all(this.right));
  }

  #matches(left: Colours, right: Colours): boolean {
    const refined = this.#refine(left, right);
    if (refined === undefined) return false;
    // Stable colours that are all different give the isomorphism: equal colours mean equal neighbours.
    const twins = [...byColour(refined.left)].find(([, nodes]) => nodes.length > 1);
    if (twins === undefined) return true;
    const [colour, ours] = twins;
    const theirs = byColour(refined.right).get(colour)!;
    // In real data, nodes of one colour are copies of each other and pair in any order. Otherwise each candidate is tried.
    if (this.#matchesPaired(refined, ours, theirs)) return true;
    return theirs.some((candidate) => this.#matchesPaired(refined, ours.slice(0, 1), [candidate]));
  }

  /** Whether the graphs match when these nodes correspond to each other. */
  #matchesPaired({ left, right }: Colouring, ours: readonly number[], theirs: readonly number[]): boolean {
    const [one, other] = [new Map(left), new Map(right)];
    for (const [at, node] of ours.entries()) {
      one.set(node, left.size + at);
      other.set(theirs[at]!, left.size + at);
    }
    return this.#matches(one, other);
  }

  /** Refine the colours until they are stable, or return `undefined` once the two sides differ. */
  #refine(left: Colours, right: Colours): Colouring | undefined {
    let [before, now] = [0, new Set(left.values()).size];
    let colours = { left, right };
    do {
      this.#visits += this.#visitsPerRound;
      if (this.#visits > MAX_VISITS) return undefined;
      const names = new Map<string, number>();
      colours = {
        left: recolour(this.left, colours.left, names),
        right: recolour(this.right, colours.right, names),
      };
      if (!haveSameCounts(colours.left, colours.right)) return undefined;
      before = now;
      now = names.size;
    } while (now > before);
    return colours;
  }
}

/** One round of refinement: a node's new colour is made of its own colour and those of its neighbours. */
function recolour(side: Side, colours: Colours, names: Map<string, number>): Colours {
  const next = new Map<number, number>();
  for (const blank of side.blanks) {
    const around = side.edges
      .get(blank)!
      .map((edge) => (edge.blank === -1 ? `${edge.way} ${edge.ground}` : `${edge.way}_${colours.get(edge.blank)}`));
    const name = `${colours.get(blank)}:${around.sort().join()}`;
    next.set(
      blank,
      entryOf(names, name, () => names.size),
    );
  }
  return next;
}

function byColour(colours: Colours): Map<number, number[]> {
  return groupBy(colours.keys(), (node) => colours.get(node)!);
}

function haveSameCounts(left: Colours, right: Colours): boolean {
  const [ours, theirs] = [byColour(left), byColour(right)];
  return ours.size === theirs.size && [...ours].every(([colour, nodes]) => theirs.get(colour)?.length === nodes.length);
}
