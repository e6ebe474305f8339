/** Single values and records at the edge of what can be published: none takes anything else down with it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { iri, literal } from "../../src/rdf/terms.js";
import { openEmbeddedForLoading } from "../../src/store/embedded/embedded-store.js";
import { publish, recordOf } from "../query/records.js";
import { workspaceForEach } from "./workspace.js";

const CONTEXT = "https://linked.art/ns/v1/linked-art.json";
const BASE = "https://museum.example/";
const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const LABEL = "http://www.w3.org/2000/01/rdf-schema#label";

const { path, file, vitrine } = workspaceForEach();

const object = (name: string, rest: object = {}) => ({
  "@context": CONTEXT,
  id: `${BASE}object/${name}`,
  type: "HumanMadeObject",
  _label: name,
  ...rest,
});

const GOOD = JSON.stringify(object("good"));

interface Report {
  readonly summary: { readonly records: number };
  readonly records: readonly { iri: string | null; results: readonly { message: string; value: string | null }[] }[];
}

/** Load an input with a good record beside a bad one; what the report says of the bad one. */
async function refusalOf(input: string): Promise<Report["records"][number]> {
  const report = path("report.json");
  const { status, stderr } = await vitrine("load", input, "--report", report, "--on-invalid", "accept");
  expect(status, stderr).toBe(1);
  const { records } = JSON.parse(readFileSync(report, "utf8")) as Report;
  expect((await vitrine("get", `${BASE}object/good`)).status).toBe(0);
  return records.find(({ iri }) => iri !== `${BASE}object/good`)!;
}

const quads = (name: string, object: string, property = LABEL) =>
  `<${BASE}object/${name}> <${property}> ${object} <${BASE}object/${name}> .\n`;

describe("what no one can be handed is refused at loading, and the rest is loaded", () => {
  it.each<[string, string, RegExp]>([
    [
      "a string with a language and none, in JSON",
      JSON.stringify(object("bad", { content: { "@value": "x", "@type": `${RDF}langString` } })),
      /"x"\^\^<.*langString> has the datatype rdf:langString and no language/,
    ],
    [
      "a string with a direction, in JSON",
      JSON.stringify(object("bad", { content: { "@value": "x", "@type": `${RDF}dirLangString` } })),
      /rdf:dirLangString, which RDF 1.1 does not have/,
    ],
    [
      "half a surrogate pair in a text beside a list",
      JSON.stringify(object("bad", { content: "\ud800", about: [{ "@list": [{ id: "urn:a" }] }] })),
      /half of a surrogate pair/,
    ],
  ])("%s", async (_name, line, message) => {
    const { iri, results } = await refusalOf(file("in.jsonl", `${line}\n${GOOD}\n`));
    expect(iri).toBe(`${BASE}object/bad`);
    expect(results.map(({ message }) => message).join("\n")).toMatch(message);
  });

  it.each<[string, string, RegExp]>([
    ["a string with a direction", `"x"^^<${RDF}dirLangString>`, /rdf:dirLangString/],
    ["a datatype that a context would read as a compact IRI", '"1889"^^<xsd:gYear>', /prefix "?xsd/],
    ["an IRI that a context would read as a compact IRI", "<crm:x>", /prefix "?crm/],
  ])("%s, in quads", async (_name, value, message) => {
    const { iri, results } = await refusalOf(file("in.nq", quads("bad", value) + quads("good", '"good"')));
    expect(iri).toBe(`${BASE}object/bad`);
    expect(results.map(({ message }) => message).join("\n")).toMatch(message);
  });
});

it("refuses what a Place has no place for", async () => {
  const place = {
    "@context": CONTEXT,
    id: `${BASE}place/bad`,
    type: "Place",
    "@included": [{ id: "urn:x", _label: "x" }],
  };
  const input = file("in.jsonl", `${JSON.stringify(place)}\n${GOOD}\n`);
  const { status, stderr } = await vitrine("load", input);
  expect([status, stderr]).toEqual([1, expect.stringContaining("a Place has no place for it")]);
});

describe("export", () => {
  it("of quads says which contexts are not in it", async () => {
    const uri = "https://museum.example/context.json";
    const context = file("context.json", JSON.stringify({ "@context": { weather: "https://museum.example/weather" } }));
    const document = object("good", { "@context": [uri, CONTEXT], weather: "rain" });
    const input = file("in.jsonl", `${JSON.stringify(document)}\n`);
    await vitrine("load", input, "--context", `${uri}=${context}`);
    expect((await vitrine("export")).stderr).toContain(`not in it: ${uri}`);
    expect((await vitrine("export", "--format", "jsonl")).stderr).toBe("");
  });

  it("passes over a record that no document can tell, names it, goes on, and ends with 1", async () => {
    const there = await openEmbeddedForLoading(path("store"));
    const label = (name: string, value: string, datatype?: string) => {
      const entity = `${BASE}object/${name}`;
      return recordOf(entity, [[iri(entity), iri(LABEL), literal(value, datatype)]]);
    };
    // Loading refuses such a value; a store of an earlier version may have it.
    await publish(there, [label("a", "a"), label("b", "1889", "xsd:gYear"), label("c", "c")]);
    await there.close();
    const { status, stdout, stderr } = await vitrine("export", "--format", "jsonl");
    expect(status).toBe(1);
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { id: string }).id),
    ).toEqual([`${BASE}object/a`, `${BASE}object/c`]);
    expect(stderr).toContain(`left out: <${BASE}object/b>`);
  });
});
