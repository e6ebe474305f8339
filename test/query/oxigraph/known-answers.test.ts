/** Wrong answers of Oxigraph that docs/use/sparql.md lists: if a test fails, Oxigraph has fixed the answer, and the entry must go. */
import { readFileSync } from "node:fs";
import * as oxigraph from "oxigraph";
import { describe, expect, it } from "vitest";

const store = new oxigraph.Store();
store.load("<urn:s> <urn:p> 1 .", { format: "text/turtle", to_graph_name: oxigraph.namedNode("urn:g") });

/** The rows of an answer, as CSV. */
function answer(query: string): string[] {
  const csv = store.query(query, { results_format: "text/csv" }) as string;
  return csv.replace(/\r\n$/, "").split("\r\n").slice(1);
}

const KNOWN: readonly [query: string, right: readonly string[], given: readonly string[]][] = [
  // Without GROUP BY there is one group, even without solutions (SPARQL 1.1 Query, 11.2 and 18.5.1).
  ["SELECT (SUM(?x) AS ?sum) { VALUES ?x {} }", ["0"], []],
  ["SELECT (COUNT(*) AS ?count) { FILTER(false) }", ["0"], []],
  // `$1` is followed by text (XPath Functions 3.1, 5.6.4).
  ['SELECT (REPLACE("abc", "(b)", "$1x") AS ?text) {}', ["abxc"], ["ac"]],
  ['SELECT (REPLACE("abc", "(b)", "$10") AS ?text) {}', ["ab0c"], ["ac"]],
  ['SELECT (REPLACE("abc", "b", "\\\\$") AS ?text) {}', ["a$c"], ["a\\$c"]],
  // A pattern that matches the empty string is an error, which leaves the variable without a value (5.6.4, FORX0003).
  ['SELECT (REPLACE("abc", "x*", "-") AS ?text) {}', [""], ["-a-b-c-"]],
  // The name of the graph is joined after the group, where the filter has no value for it (SPARQL 1.1 Query, 18.6).
  ["SELECT ?g { GRAPH ?g { ?s ?p ?o FILTER(BOUND(?g)) } }", [], ["urn:g"]],
];

describe("Oxigraph", () => {
  it.each(KNOWN)("does not answer %s as the specification does", (query, right, given) => {
    expect(answer(query)).toEqual(given);
    expect(given).not.toEqual(right);
    expect(readFileSync("docs/use/sparql.md", "utf8")).toContain(query);
  });

  it("answers similar queries correctly", () => {
    expect(answer("SELECT (SUM(?x) AS ?sum) { ?s <urn:none> ?x }")).toEqual(["0"]);
    expect(answer('SELECT (REPLACE("abc", "(b)", "[$1]") AS ?text) {}')).toEqual(["a[b]c"]);
    expect(answer("SELECT ?g { GRAPH ?g { ?s ?p ?o } FILTER(BOUND(?g)) }")).toEqual(["urn:g"]);
  });
});
