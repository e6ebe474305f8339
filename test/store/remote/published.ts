/** Records put into an engine as others do it, with blank nodes, and their comparison with the records published from there. */
import { EngineAccess, type EngineAddresses, type EngineGraphs } from "../../../src/engine/engine-access.js";
import { describe } from "../../../src/load/pipeline/describe.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { agreedTerm } from "../../../src/query/remote/engine-lines.js";
import { writeNQuads, writeNTriples } from "../../../src/rdf/ntriples/writer.js";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { canonicalGraph, type TermTriple } from "../../../src/store/remote/canonical-graph.js";
import { RemoteStore, type RemoteStoreSettings } from "../../../src/store/remote/remote-store.js";

export function triplesOf({ terms, triples }: RecordGraph): TermTriple[] {
  const found: TermTriple[] = [];
  for (let at = 0; at < triples.length; at += 3) {
    found.push([terms[triples[at]!]!, terms[triples[at + 1]!]!, terms[triples[at + 2]!]!]);
  }
  return found;
}

/** Put records into an engine: each into its own graph, or all into one. */
export async function putAll(
  addresses: EngineAddresses,
  graphs: EngineGraphs,
  records: readonly RecordGraph[],
): Promise<void> {
  const access = new EngineAccess(addresses, 120_000);
  if (graphs === "records") {
    for (const graph of records) await access.add(graph.iri, writeNTriples(graph));
  } else await access.add("urn:all", records.map((graph, at) => writeNTriples(graph, `r${at}b`)).join(""));
  access.client.close();
}

/** Remove everything that tests put into an engine. */
export async function clearAll(addresses: EngineAddresses): Promise<void> {
  const access = new EngineAccess(addresses, 120_000);
  const { rows } = await access.select("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }");
  for (const { g } of rows) {
    // Leaves Virtuoso's own graphs alone.
    if (!/openlinksw|w3\.org|^http:\/\/127|localhost:8890|virtrdf/.test(g!.value)) {
      await access.update(`DROP SILENT GRAPH <${g!.value}>`);
    }
  }
  access.client.close();
}

export function remoteStore(
  addresses: EngineAddresses,
  graphs: EngineGraphs,
  more: Partial<RemoteStoreSettings> = {},
): RemoteStore {
  const describes = (graph: RecordGraph) => describe(graph, DEFAULT_MODEL.vocabBase);
  return new RemoteStore({ ...addresses, graphs, describe: describes, report: () => {}, ...more });
}

/** The N-Quads of a record as a store on an engine must give it. */
export function expectedText(graph: RecordGraph): string {
  return writeNQuads(canonicalGraph(graph.iri, triplesOf(graph)));
}

/** The difference of a published record: none, only what engines are known to change, or a description. */
export async function difference(store: RemoteStore, graph: RecordGraph): Promise<"none" | "known" | string> {
  const found = await (await store.find(graph.iri))?.record();
  if (found === undefined) return `<${graph.iri}> is not there`;
  if (writeNQuads(found.graph) === expectedText(graph)) return "none";
  const agreed = (each: RecordGraph): string[] => {
    const lines = triplesOf(each).map(([s, p, o]) => {
      const node = (term: typeof s): string => (term.termType === "BlankNode" ? "_:" : agreedTerm(term));
      return `${node(s)} ${p.value} ${node(o)}`;
    });
    return [...new Set(lines)].sort();
  };
  const [mine, theirs] = [agreed(graph), agreed(found.graph)];
  if (mine.join("\n") === theirs.join("\n")) return "known";
  const missing = mine.filter((line) => !theirs.includes(line)).slice(0, 3);
  const surplus = theirs.filter((line) => !mine.includes(line)).slice(0, 3);
  return `<${graph.iri}> lacks ${missing.join("; ")} and has ${surplus.join("; ")}`;
}
