/** What loading makes of input that is odd, hostile, or only written in another way. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { MAX_JSON_DEPTH } from "../../src/load/limits.js";
import { propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { LOAD_LIMITS } from "../load/limits.js";
import { inFile } from "./in-file.js";
import { type Outcome, run } from "./run.js";
import { workspaceForEach } from "./workspace.js";

const CONTEXT = "https://linked.art/ns/v1/linked-art.json";
const BASE = "https://museum.example/";

const { path, file, feed, vitrine, on } = workspaceForEach();

const place = (name: string, rest: object = {}) => ({
  "@context": CONTEXT,
  id: `${BASE}place/${name}`,
  type: "Place",
  _label: name,
  identified_by: [
    { type: "Name", content: name },
    { type: "Identifier", content: "1" },
  ],
  ...rest,
});

function load(name: string, content: string | Buffer, ...options: string[]): Promise<Outcome> {
  return vitrine("load", file(name, content), "--base-url", BASE, ...options);
}

const lines = (...documents: readonly unknown[]): string =>
  documents.map((document) => `${typeof document === "string" ? document : JSON.stringify(document)}\n`).join("");

/** The keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, each]) => [key, reversed(each)]),
  );
}

const got = async (name: string, format: string, store = "store"): Promise<string> =>
  (await on(store).vitrine("get", `${BASE}place/${name}`, "--format", format)).stdout;

it("says which records --on-invalid accept loads, and which are refused nevertheless", async () => {
  const documents = lines(place("lost", { odd: "x" }), place("nameless", { _label: undefined }));
  const { status, stderr } = await load("accepted.jsonl", documents, "--on-invalid", "accept");
  expect([status, stderr]).toEqual([1, expect.stringContaining(`accepted.jsonl:1: refused <${BASE}place/lost>`)]);
  expect(stderr).toContain(`accepted.jsonl:2: invalid <${BASE}place/nameless>`);
});

it("says of an address that it is to be downloaded first", async () => {
  const { status, stderr } = await run(["validate", "https://museum.example/all.jsonl"]);
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/all\.jsonl: no such file or directory: download it first; .*follow/),
  ]);
});

it("warns of another base URL than the store's, which becomes the store's", async () => {
  const first = await load("first.jsonl", lines(place("a")));
  const again = await load("again.jsonl", lines(place("b")));
  const other = await vitrine("load", file("other.jsonl", lines(place("c"))), "--base-url", "https://other.example");
  const said = `warning: --base-url https://other.example/ changes the base URL of the store, which is ${BASE}\n`;
  expect([first, again, other].map(({ stderr }) => stderr.includes("warning: --base-url"))).toEqual([
    false,
    false,
    true,
  ]);
  expect([other.status, other.stderr]).toEqual([0, expect.stringContaining(said)]);
  expect((await vitrine("stats")).stdout).toMatch(/^base URL +https:\/\/other\.example\/$/m);
});

it("says where records have another scheme than the base URL", async () => {
  const input = feed("scheme.jsonl", place("a"), place("b"));
  const other = BASE.replace("https", "http");
  for (const args of [["validate"], ["load", "--store", path("store")]]) {
    const { stderr } = await run([...args, input, "--base-url", other]);
    expect(stderr).toContain(`2 records under ${BASE}, but the base URL is ${other}: these are different addresses`);
    expect((await run([...args, input, "--base-url", BASE])).stderr).not.toContain("different addresses");
  }
});

it("names the id that many documents share, in load and in validate", async () => {
  const documents = Array.from({ length: 30 }, (_, at) => ({ ...place("undefined"), _label: `place ${at}` }));
  const input = feed("shared.jsonl", place("a"), ...documents);
  const words = `at least 30 documents of the input have the id <${BASE}place/undefined>: only the last that is not refused counts\n`;
  for (const args of [["validate"], ["load", "--store", path("store")]]) {
    const { stdout, stderr } = await run([...args, input]);
    expect(stderr).toContain(words);
    expect(stdout + stderr).toContain("id ends in undefined: the program that wrote it found no number");
  }
});

describe("a record that is loaded again", () => {
  it("is unchanged with its keys in another order, and changed with its arrays so", async () => {
    const document = place("a", { part_of: [{ id: `${BASE}place/b`, type: "Place", _label: "b" }] });
    await load("a.jsonl", lines(document));
    expect((await load("a.jsonl", lines(reversed(document)))).stderr).toContain("0 replaced, 1 unchanged");
    const turned = { ...document, identified_by: [...document.identified_by].reverse() };
    expect((await load("a.jsonl", lines(turned))).stderr).toContain("1 replaced, 0 unchanged");
  });

  it("is unchanged when it comes back from an export of quads, or as expanded JSON-LD", async () => {
    await load("a.jsonl", lines(place("a"), place("b")));
    const { stdout: quads } = await vitrine("export");
    expect((await load("back.nq", quads)).stderr).toContain("0 replaced, 2 unchanged");
    const expanded = await got("a", "expanded");
    expect((await load("back.jsonld", expanded)).stderr).toContain("0 created, 0 replaced, 1 unchanged, 0 refused");
    const before = [await got("a", "jsonld"), await got("a", "nq")];
    const again = await on("again").vitrine("load", path("back.jsonld"));
    expect([again.status, again.stderr]).toEqual([0, expect.stringContaining("1 created")]);
    expect([await got("a", "jsonld", "again"), await got("a", "nq", "again")]).toEqual(before);
  });

  it("wins over an earlier one of the same id, across files and threads, with a warning", async () => {
    const filler = Array.from({ length: 30 }, (_, at) => place(`filler-${at}`, { _label: "x".repeat(150_000) }));
    const many = lines(place("a", { _label: "first" }), ...filler, place("a", { _label: "last" }));
    const { status, stdout, stderr } = await load("many.jsonl", many, "--json", "--report", path("many.json"));
    expect([status, stderr]).toEqual([0, expect.stringContaining("1 record came more than once: the last")]);
    expect(JSON.parse(stdout)).toMatchObject({ created: 31, repeated: 1 });
    const report = JSON.parse(readFileSync(path("many.json"), "utf8"));
    expect(report.summary).toMatchObject({ records: 32, created: 31, repeated: 1 });
    expect(await got("a", "jsonld")).toContain('"_label":"last"');
  });
});

describe("one bad record", () => {
  const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  it.each<[what: string, line: string, said: RegExp]>([
    [
      "a key twice",
      `{"@context": "${CONTEXT}", "id": "${BASE}place/x",  "type": "Place", "type": "Place"}`,
      /:2: refused <https:\/\/museum.example\/place\/x>: has the key "type" twice in one object \(line 2, column 116\)/,
    ],
    [
      "a key twice, once escaped",
      `{"@context": "${CONTEXT}", "id": "${BASE}place/x", "_label": "\\"{", "\\u005flabel": ""}`,
      /has the key "_label" twice/,
    ],
    ["a context of nested arrays", `{"@context": ${deep(100_000)}, "id": "${BASE}place/x"}`, /nested deeper than/],
    ["nested objects", `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`, /nested deeper than/],
    ["a context nested as deep as allowed", `{"@context": ${deep(MAX_JSON_DEPTH - 1)}, "id": "x:y"}`, /refused/],
    [
      "an unknown context",
      JSON.stringify({ ...place("x"), "@context": "https://no.example/" }),
      /is not known here.*--context/,
    ],
    ["an empty context", JSON.stringify({ ...place("x"), "@context": "" }), /refused <.*context/],
    [
      "half of a surrogate pair in a key",
      `{"@context": "${CONTEXT}", "id": "${BASE}place/x", "urn:a\\ud800": "x"}`,
      /half of a surrogate/,
    ],
    [
      "half of a surrogate pair in a text",
      JSON.stringify(place("x")).replace('"x"', '"\\ud800"'),
      /half of a surrogate/,
    ],
    ["an IRI of 9,000 bytes", JSON.stringify(place("x".repeat(9_000))), /is longer than 8,192 bytes/],
    [
      "a long prefix that is used often",
      JSON.stringify({ ...place("x"), "@context": [{ p: `http://a.example/${"x".repeat(9_000)}` }, CONTEXT] }),
      /@context with a text longer than 8192 characters/,
    ],
    ["nested arrays beside an empty @graph", `{"@graph": [], "x": ${deep(5_000)}}`, /nested deeper than/],
    ["a text of 2 MiB", JSON.stringify(place("x", { _label: "x".repeat(2 * 2 ** 20) })), /takes .* bytes in the store/],
    ["no object", "12", /is not a JSON object/],
    ["null", "null", /is not a JSON object/],
  ])("%s is refused, and the rest is loaded", async (_what, line, said) => {
    const limit = inFile({ "max-record-bytes": 1_000_000 });
    const { status, stderr } = await load("bad.jsonl", lines(place("a"), line, place("b")), ...limit);
    expect([status, stderr]).toEqual([1, expect.stringMatching(said)]);
    expect(stderr).toContain("2 created, 0 replaced, 0 unchanged, 1 refused");
    const validated = await run(["validate", path("bad.jsonl"), ...limit]);
    expect([validated.status, validated.stdout]).toEqual([1, expect.stringMatching(/bad\.jsonl:2: invalid/)]);
  });

  it.each([
    ["in a context that is not known", (document: object) => ({ ...document, "@context": "https://no.example/" })],
    [
      "in such a context and another",
      (document: object) => ({ ...document, "@context": ["https://no.example/", CONTEXT] }),
    ],
    ["nested too deep", (document: object) => ({ ...document, part: JSON.parse(deep(MAX_JSON_DEPTH + 1)) })],
    [
      "in an array, nested too deep",
      (document: object) => [place("b"), { ...document, part: JSON.parse(deep(MAX_JSON_DEPTH + 1)) }],
    ],
    [
      "with a long context",
      (document: object) => ({ ...document, "@context": [{ p: `http://a/${"x".repeat(9_000)}` }] }),
    ],
  ])("%s keeps its published version, also when the rest is synchronized", async (_what, broken) => {
    const relative = { ...place("x"), id: "place/x" };
    const sync = ["--sync", "--source", "feed", "--base-url", BASE];
    await load("good.jsonl", lines(place("a"), place("b"), relative), ...sync);
    const { status, stderr } = await load("bad.jsonl", lines(place("a"), broken(relative)), ...sync);
    expect([status, stderr]).toEqual([1, expect.stringContaining(`refused <${BASE}place/x>`)]);
    expect(await got("x", "jsonld")).toContain('"id":"https://museum.example/place/x"');
  });

  it("of provenance that is a Period is invalid, as 4 and 2.13 have it", async () => {
    const provenance = (type: string) => ({
      ...place("p"),
      type,
      classified_as: [{ id: "http://vocab.getty.edu/aat/300055863", type: "Type", _label: "Provenance" }],
      part: [
        {
          type: "Acquisition",
          classified_as: [{ id: "http://vocab.getty.edu/aat/1", type: "Type", _label: "sale" }],
          transferred_title_of: [{ id: `${BASE}object/o`, type: "HumanMadeObject", _label: "o" }],
        },
      ],
    });
    expect((await load("p.jsonl", lines(provenance("Activity")))).stderr).toContain("1 created");
    const { status, stderr } = await load("p.jsonl", lines(provenance("Period")));
    expect([status, stderr]).toEqual([1, expect.stringMatching(/type must be Event or Activity.*provenance\.type/)]);
  });

  it("of quads that is too large is refused by name", async () => {
    const iri = `<${BASE}place/x>`;
    const quads = Array.from({ length: 30 }, (_, at) => `${iri} <http://p.example/${at}> "x" ${iri} .\n`).join("");
    const { status, stderr } = await load("large.nq", quads, ...inFile({ "max-record-triples": 29 }));
    expect([status, stderr]).toEqual([1, expect.stringContaining("the record has more than 29 triples")]);
    expect((await load("large.nq", quads, ...inFile({ "max-record-triples": 30 }))).stderr).not.toContain(
      "more than 30 triples",
    );
  });

  it("of quads with an instant in another form is accepted with a warning, and published as it came", async () => {
    const iri = `${BASE}event/e`;
    const document = {
      "@context": CONTEXT,
      id: iri,
      type: "Event",
      _label: "e",
      timespan: {
        type: "TimeSpan",
        begin_of_the_begin: "1675-12-01T00:00:00Z",
        end_of_the_end: "1675-12-31T00:00:00Z",
      },
    };
    await load("event.jsonl", lines(document));
    const { stdout } = await vitrine("export");
    for (const written of ["1675-12-01T00:00:00+00:00", "1675-12-01T00:00:00.000Z"]) {
      const quads = stdout.replace("1675-12-01T00:00:00Z", written);
      const { status, stderr } = await load("event.nq", quads);
      expect([status, stderr]).toEqual([
        0,
        expect.stringMatching(/Warning.*\n.*is the instant that the specification/),
      ]);
      expect((await vitrine("get", iri)).stdout).toContain(written);
    }
    expect((await load("event.nq", stdout.replace("1675-12-01T00:00:00Z", "1675-12-01"))).status).toBe(1);
  });

  it("with a property or class that is misspelt, or of another CIDOC CRM, is accepted with a warning that names the right one", async () => {
    const crm = "http://www.cidoc-crm.org/cidoc-crm/";
    const [iri, typed] = [`${BASE}place/p`, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"];
    const object = `<${iri}> ${typed} <${crm}E22_Human-Made_Object> <${iri}> .\n<${iri}> <http://www.w3.org/2000/01/rdf-schema#label> "p" <${iri}> .\n`;
    for (const [written, right] of [
      ["P46_is_compossed_of", "P46_is_composed_of"],
      ["P108i_was_produce_by", "P108i_was_produced_by"],
      ["p52_has_current_owner", "P52_has_current_owner"],
    ]) {
      const { status, stderr } = await load("slip.nq", `${object}<${iri}> <${crm}${written}> <urn:part> <${iri}> .\n`);
      expect([status, stderr]).toEqual([0, expect.stringContaining(`no <${crm}${written}>: write <${crm}${right}>`)]);
      expect((await vitrine("get", iri, ...["--format", "nq"])).stdout).toContain(written);
    }
    const { stderr } = await load("former.nq", `${object}<${iri}> ${typed} <${crm}E22_Man-Made_Object> <${iri}> .\n`);
    expect(stderr).toContain(`write <${crm}E22_Human-Made_Object>`);
    expect((await load("right.nq", object)).stderr).not.toContain("data model");
  });
});

it("says of XML that is not RDF/XML where to read on", async () => {
  const lido = '<l:lido xmlns:l="http://www.lido-schema.org"><l:lidoRecID>1</l:lidoRecID></l:lido>';
  const { status, stderr } = await load("lido.xml", lido);
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/lido\.xml:1: .*LIDO .* see docs\/publish\/prepare\.md\n$/),
  ]);
});

it.each([
  "<adlibXML><record/></adlibXML>",
  '<application xmlns="http://www.zetcom.com/ria/ws/module"><module name="Object"/></application>',
])("says of %s where to read on", async (xml) => {
  const { status, stderr } = await load("records.xml", xml);
  expect([status, stderr]).toEqual([2, expect.stringContaining("with a script (docs/publish/prepare.md has some)")]);
});

describe("an input that becomes too much", () => {
  const part = `<${propertyIri("part_of")}>`;
  it("is bounded in each of its IRIs", async () => {
    const prefix = `@prefix p: <http://a.example/${"x".repeat(2 ** 20)}> .\n`;
    const turtle = `${prefix}${`p:a ${part} p:b, p:c .\n`.repeat(500)}`;
    const { status, stderr } = await load("bomb.ttl.gz", gzipSync(turtle));
    expect(status).toBeGreaterThan(0);
    expect(stderr).toMatch(/none of the triples without a graph describes a record/);
  });

  it("is refused as a whole when it is compressed beyond measure", async () => {
    const blank = gzipSync(Buffer.from(`${" ".repeat(2 ** 20)}\n`));
    const { status, stderr } = await load("bomb.jsonl.gz", Buffer.concat(Array<Buffer>(257).fill(blank)));
    expect([status, stderr]).toEqual([2, expect.stringMatching(/bomb\.jsonl\.gz: [\d,]+ bytes have become more than/)]);
  });
});

describe("RDF/XML", () => {
  const rdf = (content: string, doctype = ""): string =>
    `<?xml version="1.0"?>${doctype}\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:crm="http://www.cidoc-crm.org/cidoc-crm/">${content}</rdf:RDF>`;
  const ofPlace = `<crm:E53_Place rdf:about="place/x"><rdfs:label>x</rdfs:label><crm:P1_is_identified_by>
      <crm:E33_E41_Linguistic_Appellation><crm:P190_has_symbolic_content>x</crm:P190_has_symbolic_content>
      </crm:E33_E41_Linguistic_Appellation></crm:P1_is_identified_by></crm:E53_Place>`;

  it.each(["rdf", "owl", "xml"])("is loaded from .%s files, also compressed", async (extension) => {
    const { status, stderr } = await load(`x.${extension}.gz`, gzipSync(rdf(ofPlace)));
    expect([status, stderr]).toEqual([0, expect.stringContaining("1 created")]);
    expect(await got("x", "jsonld")).toContain('"content":"x"');
  });

  it("is refused with file and line where it is malformed, or expands without end", async () => {
    const broken = await load("broken.rdf", rdf(ofPlace.replace("</rdfs:label>", "</rdfs:name>")));
    expect([broken.status, broken.stderr]).toEqual([
      2,
      expect.stringMatching(/broken\.rdf:3:\d+: unexpected close tag/),
    ]);
    const laughs = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>`;
    const bomb = await load("laughs.rdf", rdf(ofPlace.replace(">x<", ">&b;<"), laughs));
    expect([bomb.status, bomb.stderr]).toEqual([2, expect.stringMatching(/laughs\.rdf:1:\d+: an entity that is/)]);
  });
});

describe("the table of limits", () => {
  it("names each limit once, and the options that set them work", async () => {
    expect(new Set(LOAD_LIMITS.map(({ name }) => name)).size).toBe(LOAD_LIMITS.length);
    for (const { option } of LOAD_LIMITS) {
      if (option === undefined) continue;
      const { status, stderr } = await load("a.jsonl", lines(place("a")), ...inFile({ [option]: 0 }));
      expect([status, stderr]).toEqual([2, expect.stringContaining(`${option} 0 is not a number from 1`)]);
    }
    const { stderr } = await load("a.jsonl", lines(place("a")), ...inFile({ "max-iri-bytes": 20 }));
    expect(stderr).toContain("is longer than 20 bytes");
  });
});

describe("--sync with a source", () => {
  it("warns when it has no records, but others have", async () => {
    const first = await load("a.jsonl", lines(place("a")), "--source", "objects", "--sync");
    expect(first.stderr).not.toContain("warning");
    const second = await load("a.jsonl", lines(place("b")), "--source", "object", "--sync");
    expect(second.stderr).toContain(
      "no record belongs to the source object, so --sync deletes nothing; known sources: objects",
    );
    const third = await load("a.jsonl", lines(place("b")), "--source", "objects", "--sync");
    expect(third.stderr).not.toContain("warning");
  });

  it("may delete ten records of a small feed", async () => {
    const many = Array.from({ length: 12 }, (_, at) => place(`n${at}`));
    await load("a.jsonl", lines(...many));
    expect((await load("a.jsonl", lines(...many.slice(11)), "--sync")).status).toBe(2);
    expect((await load("a.jsonl", lines(...many.slice(10)), "--sync")).status).toBe(0);
  });
});
