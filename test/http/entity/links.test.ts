/** The links that a record states: FAIR Signposting's relations, read from its triples. */
import { describe, expect, it } from "vitest";
import { boundedLinks, entityLinks, headLinks, MAX_LINK } from "../../../src/http/entity/links.js";
import { type Link, linkText } from "../../../src/http/message/headers/link.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { IndexedGraph, nodesOf, type RecordGraph } from "../../../src/rdf/record-graph.js";
import { graphOf, type JsonObject } from "../../jsonld/documents.js";
import { fileAt } from "../../jsonld/parts.js";

/** The links of a record of no endpoint, without the type of its page. */
function statedLinks(graph: RecordGraph): Link[] {
  return entityLinks({ nodes: nodesOf(graph), meta: { endpoint: null } }, DEFAULT_MODEL.vocabBase, undefined).slice(1);
}

async function links(document: JsonObject): Promise<string[]> {
  const graph = graphOf({ id: "http://data.museum.example/1", ...document });
  return statedLinks(graph).map(linkText);
}

const person = (id: string): JsonObject => ({ id: `http://data.museum.example/person/${id}`, type: "Person" });

describe("the links that a record states", () => {
  it("have the makers, of all parts of the production, as author", async () => {
    const made = await links({
      type: "HumanMadeObject",
      produced_by: {
        type: "Production",
        carried_out_by: [person("1")],
        part: [
          { type: "Production", carried_out_by: [person("2")] },
          { type: "Production", carried_out_by: [person("1")] },
        ],
      },
    });
    expect(made.filter((link) => link.includes("author"))).toEqual([
      '<http://data.museum.example/person/1>; rel="author"',
      '<http://data.museum.example/person/2>; rel="author"',
    ]);
  });

  it("have its licence, but not the kind of right", async () => {
    const licensed = await links({
      type: "LinguisticObject",
      subject_to: [
        {
          type: "Right",
          classified_as: [
            { id: "https://creativecommons.org/publicdomain/zero/1.0/", type: "Type" },
            { id: "http://vocab.getty.edu/aat/300435434", type: "Type" },
          ],
        },
      ],
    });
    expect(licensed).toContain('<https://creativecommons.org/publicdomain/zero/1.0/>; rel="license"');
    expect(licensed.join()).not.toContain("300435434");
  });

  it("have its files, its own or those of its images, as item", async () => {
    const file = (name: string): JsonObject => fileAt(`http://data.museum.example/${name}`);
    const object = {
      type: "HumanMadeObject",
      representation: [{ type: "VisualItem", digitally_shown_by: [file("a")] }],
    };
    expect(await links(object)).toContain('<http://data.museum.example/a>; rel="item"');
    expect(await links(file("b"))).toContain('<http://data.museum.example/b>; rel="item"');
  });

  it("have the media type of a file when the record's format is one", async () => {
    const item = async (format: string): Promise<string | undefined> =>
      (await links(fileAt("http://data.museum.example/f", { format }))).find((link) => link.includes("item"));
    const plain = '<http://data.museum.example/f>; rel="item"';
    expect(await item("image/jpeg")).toBe(`${plain}; type="image/jpeg"`);
    expect(await item('text/html; charset="a, <b"')).toBe(`${plain}; type="text/html"`);
    for (const other of ["JPEG", 'image/"x', "http://iiif.io/api/image"]) expect(await item(other)).toBe(plain);
  });

  it("have all the sets that it is in, and all its files", async () => {
    const several = (name: string, type: string) =>
      Array.from({ length: 30 }, (_, at) => ({ id: `http://data.museum.example/${name}/${at}`, type }));
    const member = await links({
      type: "DigitalObject",
      member_of: several("set", "Set"),
      access_point: several("file", "DigitalObject"),
    });
    for (const relation of ["collection", "item"])
      expect(member.filter((link) => link.endsWith(`rel="${relation}"`))).toHaveLength(30);
    const graph = graphOf({ id: "http://data.museum.example/1", type: "Set", member_of: several("set", "Set") });
    const header = headLinks(
      { nodes: nodesOf(graph), meta: { endpoint: "set" } },
      DEFAULT_MODEL.vocabBase,
      undefined,
      "",
    );
    expect(header.filter((link) => link.endsWith('rel="collection"'))).toEqual([
      '<http://data.museum.example/set/0>; rel="collection"',
    ]);
  });

  it("have the licence that an institution's own concept is equivalent to", async () => {
    const concept = {
      id: "http://data.museum.example/concept/public-domain",
      type: "Type",
      equivalent: [{ id: "https://creativecommons.org/publicdomain/mark/1.0/", type: "Type" }],
    };
    const licensed = await links({ type: "VisualItem", subject_to: [{ type: "Right", classified_as: [concept] }] });
    expect(licensed.filter((link) => link.includes("license"))).toEqual([
      '<https://creativecommons.org/publicdomain/mark/1.0/>; rel="license"',
    ]);
  });

  it("come with the licence of all records, which applies only to the description when rights are stated", async () => {
    const license = "https://creativecommons.org/publicdomain/zero/1.0/";
    const licenses = async (document: JsonObject): Promise<string[]> => {
      const graph = graphOf({ id: "http://data.museum.example/1", ...document });
      const links = headLinks(
        { nodes: nodesOf(graph), meta: { endpoint: null } },
        DEFAULT_MODEL.vocabBase,
        license,
        "http://data.museum.example/1.ttl",
      );
      return links.filter((link) => link.includes("license"));
    };
    const right = (id: string): JsonObject => ({ type: "Right", classified_as: [{ id, type: "Type" }] });
    expect(await licenses({ type: "Person" })).toEqual([`<${license}>; rel="license"`]);
    const unnamed = right("http://vocab.getty.edu/aat/300435434");
    expect(await licenses({ type: "VisualItem", subject_to: [unnamed] })).toEqual([`<${license}>; rel="license"`]);
    expect(await licenses({ type: "VisualItem", subject_to: [right("https://rights.example/InC/")] })).toEqual([
      '<https://rights.example/InC/>; rel="license"',
      `<${license}>; rel="license"; anchor="http://data.museum.example/1.ttl"`,
    ]);
  });

  it("never break out of the header", async () => {
    const [type, set] = await links({
      type: "HumanMadeObject",
      member_of: [{ id: "http://data.museum.example/ünd", type: "Set" }],
    });
    expect(type).toBe('<http://www.cidoc-crm.org/cidoc-crm/E22_Human-Made_Object>; rel="type"');
    expect(set).toBe('<http://data.museum.example/%C3%BCnd>; rel="collection"');
  });
});

describe("the header", () => {
  const link = (length: number, relation: string) =>
    `<${"x".repeat(length - `<>; rel="${relation}"`.length)}>; rel="${relation}"`;

  it("is filled up to its limit and not beyond", () => {
    const [first, whole, longer] = [link(100, "a"), link(MAX_LINK - 102, "b"), link(MAX_LINK - 101, "b")];
    expect(boundedLinks([first, whole])).toHaveLength(MAX_LINK);
    expect(boundedLinks([first, longer])).toBe(first);
  });

  it("keeps whole links, even after one that is too long", () => {
    expect(boundedLinks([link(900, "a"), link(100, "b"), link(900, "c"), link(50, "d")])).toBe(
      `${link(100, "b")}, ${link(50, "d")}`,
    );
    expect(boundedLinks([link(900, "a")])).toBe("");
  });
});

describe("the walk over a record's triples", () => {
  /** How many times the triples are read, divided by their number. */
  async function looksAt(document: JsonObject): Promise<number> {
    const graph = graphOf({ id: "http://data.museum.example/1", ...document });
    let looks = 0;
    const triples = new Proxy([...(graph.triples as number[])], {
      get(target, name) {
        looks++;
        return Reflect.get(target, name);
      },
    });
    statedLinks(new IndexedGraph(graph.iri, graph.terms, triples, undefined));
    return looks / triples.length;
  }

  it("takes linear time", async () => {
    const parts = (count: number): JsonObject => ({
      type: "HumanMadeObject",
      produced_by: {
        type: "Production",
        part: Array.from({ length: count }, (_, at) => ({ type: "Production", carried_out_by: [person(String(at))] })),
      },
    });
    const [few, many] = [await looksAt(parts(30)), await looksAt(parts(3_000))];
    expect(many).toBeLessThan(2 * few);
    expect(many).toBeLessThan(10);
  });

  it("visits once a node that many nodes lead to", async () => {
    const shared = { id: "http://data.museum.example/shared", type: "Production" };
    const many = Array.from({ length: 300 }, (_, at) => person(String(at)));
    const parts = Array.from({ length: 300 }, (_, at) => ({
      id: `http://data.museum.example/part/${at}`,
      type: "Production",
      part: [shared],
    }));
    const [first, ...rest] = parts;
    const document = { type: "HumanMadeObject", produced_by: { type: "Production", part: [...rest, first!] } };
    expect(await looksAt(document)).toBeLessThan(10);
    const told = { ...shared, carried_out_by: many };
    expect(await looksAt({ ...document, created_by: { type: "Creation", part: [told] } })).toBeLessThan(10);
  });
});
