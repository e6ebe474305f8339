/** Counts how often the terms of a graph are read, to see whether the work on it grows with its size alone. */
import { graphWith, type RecordGraph } from "../src/rdf/record-graph.js";

/** The same graph, and the number of times that its terms were read. */
export function countingReads(graph: RecordGraph): { readonly counted: RecordGraph; readonly reads: () => number } {
  let reads = 0;
  const terms = new Proxy(graph.terms, {
    get: (target, key) => {
      reads++;
      return Reflect.get(target, key) as unknown;
    },
  });
  return { counted: graphWith(graph, { terms }), reads: () => reads };
}
