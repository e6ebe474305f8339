import { describe, expect, it } from "vitest";
import { QueryTextError, readQuery } from "../../../src/store/index/query-text.js";
import { solutionCount } from "../../../src/store/index/row-count.js";

describe("a query's text", () => {
  it("tells its form and the graphs that it names", () => {
    const query = readQuery(
      "PREFIX x: <urn:x:> # SELECT\nSELECT ?s FROM x:a FROM NAMED <urn:b> { ?s ?p ?o GRAPH x:g { ?s ?p 'SELECT' } }",
    );
    expect(query).toMatchObject({
      form: "select",
      prologue: "PREFIX x: <urn:x:> # SELECT\n",
      from: ["x:a"],
      fromNamed: ["<urn:b>"],
      graphs: ["x:g"],
      asksForAnyGraph: false,
      asksDefaultGraph: true,
    });
  });

  it.each([
    ["SELECT * { GRAPH ?g { ?s ?p ?o } }", true, false],
    ["SELECT * { ?s ?p ?o FILTER EXISTS { GRAPH ?g { ?s ?p ?o } } }", true, true],
    [
      "SELECT * { { SELECT * { GRAPH <urn:a> { ?s ?p/?q* ?o } } } }".replaceAll("?p/?q*", "<urn:p>/<urn:q>*"),
      false,
      false,
    ],
    ["ASK { <urn:a> <urn:p>+ ?o }", false, true],
    ["ASK {}", false, false],
  ])("sees where %s looks", (text, asksForAnyGraph, asksDefaultGraph) => {
    expect(readQuery(text)).toMatchObject({ asksForAnyGraph, asksDefaultGraph });
  });

  it.each([
    ["SELECT * { ?s ?p ?o } # end", "SELECT * { ?s ?p ?o } # end\nLIMIT 5\n"],
    ["SELECT * {} LIMIT 3", "SELECT * {} LIMIT 3"],
    ["SELECT * {} LIMIT 30", "SELECT * {} \nLIMIT 5\n"],
    ["SELECT * {} LIMIT 30 OFFSET 2", "SELECT * {} \nOFFSET 2 LIMIT 5\n"],
    ["SELECT * {} OFFSET 2 VALUES ?x {1}", "SELECT * {} \nOFFSET 2 LIMIT 5\n VALUES ?x {1}"],
    [
      "SELECT ?s {{ SELECT ?s {} LIMIT 9 }} ORDER BY ?s VALUES ?s {1}",
      "SELECT ?s {{ SELECT ?s {} LIMIT 9 }} ORDER BY ?s \nLIMIT 5\nVALUES ?s {1}",
    ],
  ])("puts a limit into %s", (text, limited) => {
    expect(readQuery(text).limited(5)).toBe(limited);
  });

  it("finds what is described", () => {
    expect(
      readQuery("PREFIX describe: <urn:> DESCRIBE ?x describe:a <urn:b> WHERE { ?x ?p ?o } LIMIT 1"),
    ).toMatchObject({
      described: ["describe:a", "<urn:b>"],
      describedBySelect: "PREFIX describe: <urn:> SELECT DISTINCT ?x  WHERE { ?x ?p ?o } LIMIT 1",
    });
    expect(readQuery("DESCRIBE <urn:b>").describedBySelect).toBeUndefined();
  });

  it.each([
    ["DELETE WHERE { ?s ?p ?o }", "update"],
    ["SELECT", "malformed"],
    [`SELECT * ${"{".repeat(20_000)}${"}".repeat(20_000)}`, "too deep"],
  ])("refuses what is no query", (text, kind) => {
    expect(() => readQuery(text)).toThrow(QueryTextError);
    expect(() => readQuery(text)).toThrow(expect.objectContaining({ kind }));
  });
});

describe("the solutions of a result", () => {
  it.each([
    ["json", '{"head":{"vars":["a"]},"results":{"bindings":[]}}', 0],
    ["json", '{"head":{"vars":["a"]},"results":{"bindings":[{"a":{"type":"literal","value":"{\\"{"}},{}]}}', 2],
    ["xml", "<sparql><results><result><binding/></result><result></result></results></sparql>", 2],
    ["csv", 'a,b\r\n1,"two\r\nlines ""and"" quotes"\r\n3,\r\n', 2],
    ["tsv", '?a\t?b\n1\t"two\\nlines"\n\t\n', 2],
  ] as const)("are counted in %s", (format, text, count) => {
    expect(solutionCount(text, format)).toBe(count);
  });
});
