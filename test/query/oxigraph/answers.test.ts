/** The answers to queries, in whichever process they are made. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { QueryRequest } from "../../../src/query/engine.js";
import { blank, iri, literal, RDFS_LABEL } from "../../../src/rdf/terms.js";
import { InProcessIndex } from "../in-process-index.js";
import * as asking from "../records.js";
import { COUNT, NAME, object, objects, PAINTING, publish, recordOf, type TestStore, testStore } from "../records.js";

let there: TestStore;
let index: InProcessIndex;
beforeAll(async () => {
  there = await testStore();
  await publish(there.store, objects(5));
  index = new InProcessIndex(there.store);
});
afterAll(() => there.remove());

const ask = (query: string, more: Partial<QueryRequest> = {}) => asking.ask(index, query, more);
const count = (query: string, more: Partial<QueryRequest> = {}) => asking.count(index, query, more);
const text = async (query: string, more: Partial<QueryRequest> = {}) => (await ask(query, more)).text;

it("a result has no more rows than requested, and is refused instead of cut", async () => {
  const all = "SELECT * { ?s ?p ?o }";
  for (const results of ["json", "xml", "csv", "tsv"] as const) {
    const formats = { results, graph: undefined };
    await expect(ask(all, { rows: 15, formats })).rejects.toMatchObject({ reason: "too-many-rows" });
    expect((await ask(all, { rows: 16, formats })).rows).toBe(16);
  }
  await expect(ask("CONSTRUCT WHERE { ?s ?p ?o }", { rows: 15 })).rejects.toMatchObject({ reason: "too-many-rows" });
  expect((await ask("CONSTRUCT WHERE { ?s ?p ?o }", { rows: 16 })).rows).toBe(16);
});

it("results are written in every format", async () => {
  const solutions = async (format: "json" | "xml" | "csv" | "tsv") =>
    text(`SELECT ?o { <${object(1).iri}> a ?o }`, {
      formats: { results: format, graph: undefined },
    });
  expect(await solutions("csv")).toBe("o\r\nhttp://x.example/Painting\r\n");
  const terms = String.raw`(<http://e/full/9,/0> 1.50) ("a,\"b\"" true) ("\t\r\n\\n"@en UNDEF) ("?<x>" "5,"^^<urn:t>) (UNDEF "")`;
  const values = await text(`SELECT ?a ?b { VALUES (?a ?b) { ${terms} } }`, {
    formats: { results: "csv", graph: undefined },
  });
  expect(values).toBe('a,b\r\n"http://e/full/9,/0",1.5\r\n"a,""b""",true\r\n"\t\r\n\\n",\r\n?<x>,"5,"\r\n,\r\n');
  expect(await solutions("tsv")).toBe("?o\n<http://x.example/Painting>\n");
  expect(await solutions("xml")).toContain("<uri>http://x.example/Painting</uri>");
  const graph = async (format: "ttl" | "nt" | "nq" | "trig" | "rdf" | "jsonld") =>
    text(`CONSTRUCT WHERE { <${object(1).iri}> <${NAME.value}> ?n . ?n ?p ?o }`, {
      formats: { results: undefined, graph: format },
    });
  expect(await graph("ttl")).toMatch(/rdfs:label "Object 1"/);
  expect(await graph("trig")).toBe(await graph("ttl"));
  expect(await graph("nt")).toMatch(/^_:\S+ <\S+#label> "Object 1" \.$/m);
  expect(await graph("rdf")).toContain("<rdf:Description");
  expect(JSON.parse(await graph("jsonld"))["@graph"]).toHaveLength(2);
});

it("the columns of SELECT * are in the order in which the query names its variables", async () => {
  const columns = async (query: string, rows = 16) =>
    (await text(query, { rows, formats: { results: "csv", graph: undefined } })).split("\r\n")[0];
  expect(
    await columns("SELECT DISTINCT * { ?s ?p ?o . OPTIONAL { ?o ?b [] } FILTER(?a || true) BIND(1 AS $c) } LIMIT 3"),
  ).toBe("s,p,o,b,c");
  expect(await columns(`SELECT * { ?z <${NAME.value}> ?b . { SELECT ?y (1 AS ?x) { ?y a ?w } } } LIMIT 3`)).toBe(
    "z,b,y,x",
  );
  expect(await columns("SELECT * { VALUES (?z ?a) { (UNDEF 2) } } LIMIT 1", Number.POSITIVE_INFINITY)).toBe("z,a");
  expect(await columns("SELECT * {}")).toBe("");
});

it("decimals may begin with their point", async () => {
  const numbers = "SELECT (.5 AS ?a) (-.5 AS ?b) (1+.5 AS ?c) (1-.5 AS ?d) { FILTER(?nothing < .5 || 1 > .5) }";
  expect(await text(numbers, { formats: { results: "csv", graph: undefined } })).toBe(
    "a,b,c,d\r\n0.5,-0.5,1.5,0.5\r\n",
  );
});

it("DESCRIBE gives the record of an entity, and the triples of other nodes", async () => {
  const described = await text(`PREFIX o: <http://x.example/object/> DESCRIBE o:1`);
  expect(described.split("\n")).toHaveLength(5);
  expect(described).toContain('"Object 1"');
  expect(await text(`DESCRIBE <${PAINTING.value}>`)).toBe(`<${PAINTING.value}> <${RDFS_LABEL}> "painting" .\n`);
  const both = await text(`DESCRIBE ?s { ?s <${NAME.value}>/<${RDFS_LABEL}> ?label FILTER(?label < "Object 2") }`);
  expect(both.split("\n")).toHaveLength(8);
  expect(await text(`DESCRIBE ?t VALUES ?t { <${PAINTING.value}> }`)).toContain('"painting"');
  expect(await text("DESCRIBE ?t")).toBe("");
  const inGraph = await text(`DESCRIBE ?t { GRAPH <${object(1).iri}> { ?s a ?t } }`);
  expect(inGraph).toBe(`<${PAINTING.value}> <${RDFS_LABEL}> "painting" .\n`);
});

it.each([
  ["SELECT * { ?s x:p ?o }", { reason: "malformed" }],
  ["SELECT * { SERVICE SILENT <http://x.example/> { ?s ?p ?o } }", { reason: "malformed" }],
  ["DESCRIBE <http://[>", { reason: "malformed", message: "<http://[> is not an IRI", position: undefined }],
  ["SELECT * FROM <urn:%x> {}", { reason: "malformed", message: "<urn:%x> is not an IRI" }],
  [
    "SELECT (1 AS ?o) { ?s ?p ?o }",
    { message: "The SELECT overrides an existing variable using an expression", position: undefined },
  ],
  ["ASK { <http://[> ?p ?o }", { message: "the IRI that ends here is not valid", position: { line: 1, column: 17 } }],
  ["ASK { ?s ?p 'x'@en-toolongsubtag }", { message: "the language tag that ends here is not valid" }],
  ["SELECT * {} ORDER BY COUNT(?x)", { message: "SELECT * is not authorized with GROUP BY", position: undefined }],
  ["SELECT (<urn:f>(1) AS ?x) {}", { reason: "malformed", message: expect.stringContaining("urn:f") }],
  [`SELECT * ${"{".repeat(30_000)}${"}".repeat(30_000)}`, { reason: "malformed" }],
])("the query %.40s is refused with the reason", async (query, refusal) => {
  await expect(ask(query)).rejects.toMatchObject(refusal);
});

it.each(["object", "http://a b", "http://[", ""])(
  "the dataset's graph %j is refused, and a query after it answered",
  async (graph) => {
    await expect(ask("ASK {}", { namedGraphs: [graph] })).rejects.toMatchObject({ reason: "malformed" });
    expect(await count(COUNT, { defaultGraphs: [graph] })).toBe(0);
  },
);

it("answers come from the records that FROM, GRAPH and the protocol name, and count a triple of several records once", async () => {
  const [one, two] = [object(1).iri, object(2).iri];
  expect(await count(`SELECT (COUNT(*) AS ?n) FROM <${one}> FROM <${two}> { ?s ?p ?o }`)).toBe(7);
  expect(await count(COUNT, { defaultGraphs: [one] })).toBe(4);
  const inGraphs = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }";
  expect(await count(inGraphs, { namedGraphs: [one, two] })).toBe(8);
  expect(await count(`SELECT (COUNT(*) AS ?n) FROM NAMED <${one}> { GRAPH ?g { ?s ?p ?o } }`)).toBe(4);
  expect(await count(`SELECT (COUNT(*) AS ?n) FROM NAMED <${one}> { ?s ?p ?o }`)).toBe(0);
  // The dataset of the protocol overrides that of the query.
  expect(await count(`SELECT (COUNT(*) AS ?n) FROM <${one}> { ?s ?p ?o }`, { namedGraphs: [two] })).toBe(0);
  expect(await count(`SELECT (COUNT(*) AS ?n) { GRAPH <${one}> { ?s ?p ?o } }`)).toBe(4);
  // In the default graph, the class matches five objects; the label, the node of the name and the name match once each.
  expect(await count(`SELECT (COUNT(*) AS ?n) { GRAPH <${one}> { ?s ?p ?o } ?x ?y ?o }`)).toBe(8);
  const repeats = `EXISTS { GRAPH <${one}> { <${one}> ?q ?r } }`;
  expect(await count(`SELECT (IF(${repeats}, 1, 0) AS ?n) { <${two}> a ?t }`)).toBe(1);
  expect(await count(`SELECT (COUNT(*) AS ?n) { <${two}> a ?t } HAVING (${repeats})`)).toBe(1);
  expect(await count(COUNT)).toBe(16);
  expect(await count(`SELECT (COUNT(*) AS ?n) { GRAPH <urn:none> { ?s ?p ?o } }`)).toBe(0);
});

it("a record with an IRI that Oxigraph accepts only leniently has the same blank nodes in all graphs", async () => {
  const name = "http://x.example/odd";
  const named = [
    [iri(name), NAME, blank("n")],
    [blank("n"), iri(RDFS_LABEL), literal("odd")],
  ] as const;
  const image = [iri(name), iri("http://x.example/image"), iri("http://img.example/[1].jpg")] as const;
  await publish(there.store, [recordOf(name, [...named, image])]);
  try {
    const select = "SELECT (COUNT(*) AS ?n)";
    const from = `FROM <${name}> FROM <${object(1).iri}> FROM NAMED <${name}>`;
    const joined = `{ GRAPH <${name}> { ?s <${NAME.value}> ?b } ?b <${RDFS_LABEL}> ?label }`;
    expect(await count(`${select} ${joined}`)).toBe(1);
    expect(await count(`${select} ${from} ${joined}`)).toBe(1);
    expect(await count(`${select} ${from} { GRAPH ?g { ?s ?p ?o } }`)).toBe(3);
  } finally {
    await publish(there.store, [], [name]);
  }
});
