import { describe, expect, it } from "vitest";
import { QueryRefusedError } from "../../../src/query/engine.js";
import { limited, readQuery } from "../../../src/query/query-text.js";
import { solutionCount } from "../../../src/query/results.js";

describe("the text of a query", () => {
  it("shows its form and the graphs that it names", () => {
    const query = readQuery(
      "PREFIX x: <urn:x:> # SELECT\nSELECT ?s FROM x:a FROM NAMED <urn:b> { ?s ?p ?o GRAPH x:g { ?s ?p 'SELECT' } }",
    );
    expect(query).toMatchObject({
      form: "select",
      prologue: "PREFIX x: <urn:x:>",
      from: ["x:a"],
      fromNamed: ["<urn:b>"],
      graphs: ["x:g"],
      asksForAnyGraph: false,
      asksDefaultGraph: true,
    });
  });

  it.each([
    ["SELECT \\u003Fs { ?s ?p ?o }", "SELECT ?s { ?s ?p ?o }"],
    ["SELECT * { GRAPH <urn:\\u00e9> {} } LIMIT \\U00000035", "SELECT * { GRAPH <urn:é> {} } LIMIT 5"],
    [
      `ASK { ?s ?p 'it\\u0027s', "\\u0022\\u005C\\u000A", """a"\\u0022b\\\\""" }`,
      `ASK { ?s ?p 'it\\'s', "\\"\\\\\\n", """a"\\"b\\\\""" }`,
    ],
    ["ASK {} # \\u0041", "ASK {} # A"],
    ["\uFEFFASK { \\u003Fs ?p ?o }", "ASK { ?s ?p ?o }"],
    // A quotation mark in an IRI, a comment or a name begins no string.
    [`ASK { <urn:o'b> ?p "it's\\u000A" }`, `ASK { <urn:o'b> ?p "it's\\n" }`],
    [`ASK { ?s <urn:\\U000000e9'> "it's\\u000A" }`, `ASK { ?s <urn:é'> "it's\\n" }`],
    [`ASK { # "\\\n ?s ?p "\\u000A" }`, `ASK { # "\\\n ?s ?p "\\n" }`],
    [`PREFIX x: <urn:> ASK { x:o\\'b\\# ?p "it's\\u000A" }`, `PREFIX x: <urn:> ASK { x:o\\'b\\# ?p "it's\\n" }`],
  ])("is read with the escapes of %s replaced", (given, text) => {
    expect(readQuery(given).text).toBe(text);
    expect(readQuery("SELECT * { GRAPH <urn:\\u00e9> { ?s ?p ?o } }").graphs).toEqual(["<urn:é>"]);
  });

  it("is refused if it has half a surrogate pair", () => {
    expect(() => readQuery("ASK { ?s ?p <urn:\\uD800> }")).toThrow();
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
    ["SELECT (EXISTS { GRAPH ?g { ?s ?p ?o } } AS ?x) {}", true, false],
    ["SELECT ?s { GRAPH <urn:a> { ?s ?p ?o } } GROUP BY ?s HAVING (EXISTS { ?s ?q ?r })", false, true],
    ["SELECT ?s {} ORDER BY EXISTS { GRAPH ?g { ?s ?p ?o } }", true, false],
    ["SELECT ?x { ?s ?p ?o } GROUP BY (EXISTS { GRAPH ?g { ?s ?p ?o } } AS ?x)", true, true],
  ])("shows which graphs %s asks", (text, asksForAnyGraph, asksDefaultGraph) => {
    expect(readQuery(text)).toMatchObject({ asksForAnyGraph, asksDefaultGraph });
  });

  it.each([
    "SELECT (<urn:f>(?s) AS ?x) { ?s ?p ?o }",
    "BASE <http://base.example/> SELECT * { ?s ?p ?o FILTER <urn:f>() }",
    "PREFIX u: <urn:> SELECT * { ?s ?p ?o BIND(1 + u:f(?s) AS ?x) }",
    "PREFIX : <urn:f> SELECT (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY (:(?s) AS ?x)",
    "SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING (SUM(<urn:f>(?o)) > 1)",
    "SELECT ?s { ?s ?p ?o } ORDER BY DESC(<urn:f>(DISTINCT ?s))",
    "ASK { ?s ?p ?o FILTER NOT EXISTS { SELECT * { OPTIONAL { ?o ?q ?r FILTER(?r IN (<urn:f>(?s))) } } } }",
    "CONSTRUCT { ?s ?p ?o } { SELECT (IF(<urn:f>(), 1, 2) AS ?o) ?s ?p { ?s ?p ?o } }",
    "DESCRIBE ?s { ?s ?p ?o } ORDER BY <urn:f>(?s)",
    "ASK { ?s ?p ?o } #\r HAVING(\\u003curn:f>(1))",
    "ASK { ?s ?p ?o } # \\u000d HAVING(<urn:f>(1))",
  ])("shows which functions %j calls", (text) => {
    expect(readQuery(text).functions).toEqual(["urn:f"]);
  });

  it("shows each meaning of a function whose prefix is declared twice, and Virtuoso's functions as predicates", () => {
    const twice = "PREFIX x: <urn:a:> PREFIX x: <urn:b:> ASK { FILTER(x:f(1)) }";
    expect(readQuery(twice).functions).toEqual(["urn:a:f", "urn:b:f"]);
    expect(readQuery("ASK { ?s ?p ?o . ?o <bif:contains> 'x' }").functions).toEqual(["bif:contains"]);
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
  ])("is given a limit: %s", (text, expected) => {
    expect(limited(readQuery(text), 5)).toBe(expected);
  });

  it("shows what it describes", () => {
    expect(
      readQuery("PREFIX describe: <urn:> DESCRIBE ?x describe:a <urn:b> WHERE { ?x ?p ?o } LIMIT 1"),
    ).toMatchObject({
      described: ["describe:a", "<urn:b>"],
      describedBySelect: "PREFIX describe: <urn:>\nSELECT DISTINCT ?x  WHERE { ?x ?p ?o } LIMIT 1",
    });
    expect(readQuery("DESCRIBE <urn:b>").describedBySelect).toBeUndefined();
    expect(readQuery("DESCRIBE ?x FROM <urn:a> VALUES ?x { 1 }").describedBySelect).toBe(
      "\nSELECT DISTINCT ?x  FROM <urn:a> {} VALUES ?x { 1 }",
    );
  });

  it.each([
    ["DELETE WHERE { ?s ?p ?o }", "update"],
    ["SELECT", "malformed"],
    [`SELECT * ${"{".repeat(20_000)}${"}".repeat(20_000)}`, "malformed"],
    ["ASK { SERVICE SILENT <urn:a> { ?s ?p ?o } }", "malformed"],
    ["SELECT (NOT EXISTS { SERVICE ?s { ?s ?p ?o } } AS ?x) { ?s ?p ?o }", "malformed"],
    ["ASK {} HAVING(EXISTS { SERVICE <urn:a> { ?s ?p ?o } })", "malformed"],
  ])("is refused if it is not a query of these records", (text, kind) => {
    expect(() => readQuery(text)).toThrow(QueryRefusedError);
    expect(() => readQuery(text)).toThrow(expect.objectContaining({ reason: kind }));
  });
});

describe("the message about a malformed query", () => {
  it.each([
    ["SELECT * { ?s ?p }", 'found "}", expected a variable, an IRI, a literal, a blank node, "()", "(" or "["', 18],
    ["SELECT * { ?s ?p ?o", 'found the end of the query, expected "}"', 20],
    ["SELEC * {}", '"SELEC" is neither a SPARQL keyword nor a ?variable nor a prefixed:name', 1],
    ["PREFIX crm <http://x> SELECT * {}", '"crm" is neither a SPARQL keyword nor a ?variable nor a prefixed:name', 8],
    [
      "SELECT ?x { ?s a foaf:Person }",
      "the prefix foaf: is not declared; write PREFIX foaf: <...> before the query",
      18,
    ],
    ["SELECT (COUNT(?s) AS ) { ?s ?p ?o }", 'found ")", expected a variable', 22],
    ["SELECT * { ?s ?p 'x }", "the string that begins with ' is not closed", 18],
    ["SELECT * { ?s ?p <x y> }", "the IRI that begins here is not closed, or has a character that no IRI may have", 18],
    ["SELECT * { ?s ?p ?o } ORDER ?o", 'found "?o", expected "BY"', 29],
    ["SELECT ?x ?x { ?x ?y ?z }", "Variable x used more than once in SELECT clause", 8],
    [
      "ASK { ?x ?y ?z BIND(1 AS ?a) OPTIONAL { BIND(1 AS ?a) BIND(2 AS ?a) } }",
      "Variable used to bind is already bound (?a)",
      65,
    ],
    ["ASK {} ASK {}", 'found "ASK", which does not belong there', 8],
    ["SELECT ?a ?b { ?a ?p ?b } GROUP BY ?a", "a selected variable is neither in GROUP BY nor aggregated", undefined],
    ["PREFIX x: <urn:x> # nothing more", "there is no query", undefined],
  ])("%s", (text, message, column) => {
    const position = column === undefined ? undefined : { line: 1, column };
    expect(() => readQuery(text)).toThrow(expect.objectContaining({ reason: "malformed", message, position }));
  });

  it("counts lines and characters", () => {
    const text = 'SELECT * {\n  ?s ?p "🌻", }';
    expect(() => readQuery(text)).toThrow(expect.objectContaining({ position: { line: 2, column: 14 } }));
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
