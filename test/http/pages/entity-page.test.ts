/** Pages of records: everything that a record states is on its page, and none of it has an effect there. */
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_MARKUP_DEPTH } from "../../../src/http/pages/renderer.js";
import { ENDPOINTS } from "../../../src/model/tables/endpoints.js";
import type { Field } from "../../../src/model/tables/fields.js";
import { structureNamed } from "../../../src/model/tables/structures.js";
import type { Json, RecordGraph } from "../../../src/rdf/record-graph.js";
import { SAMPLE } from "../../data/sample.js";
import { firstOfEach, IS_WHOLE, shareOf } from "../../extent.js";
import { CONTEXT_URI, type JsonObject, readingAt } from "../../jsonld/documents.js";
import { forAllAsync, runsOf } from "../../properties.js";
import { ALONE, brokenParagraphs, missingFrom, pageOf, toldBy, wrongWith } from "./told.js";

const CORPUS = "../shared/corpus";
const VOLUME = "../shared/volume";

const graphOf = readingAt("http://localhost/");

/** The maximum size of a sample record's page without header and footer, in bytes. */
const MAX_PAGE = 40_000;

it("the page of a record takes time linear in the lengths of IRIs", () => {
  const file = { id: `https://a.example/${"/".repeat(300_000)}x`, type: "DigitalObject" };
  const copy = { id: `https://a.example/${"a".repeat(300_000)}/copy`, type: "DigitalObject" };
  const work = { type: "DigitalObject", access_point: [file] };
  const text = { type: "LinguisticObject", digitally_carried_by: [work, copy] };
  const document = {
    "@context": CONTEXT_URI,
    id: "http://localhost/object/1",
    type: "HumanMadeObject",
    subject_of: [text],
  };
  const page = pageOf(graphOf(document));
  expect(page).toContain(file.id);
  expect(page).toContain(">copy</a>");
});

it("the page of a record takes time linear in the number of makers without a label", () => {
  const makers = Array.from({ length: 5_000 }, (_, at) => ({ id: `https://a.example/${at}`, type: "Person" }));
  const produced_by = { type: "Production", carried_out_by: makers };
  const document = { "@context": CONTEXT_URI, id: "http://localhost/object/1", type: "HumanMadeObject", produced_by };
  expect(pageOf(graphOf(document)).match(/an unnamed maker/g)).toHaveLength(5_000);
});

it.each([
  ["elements that do not end", "<b>", false],
  ["elements of which others end", "<b></i>", false],
  ["elements that others end for the reader, but not for the parser", "<b><svg></b>", false],
  ["tables in cells", "<table><tr><td>", false],
  ["elements that are not shown", "<svg><math>", false],
  ["elements that end", "<b>bold</b>", true],
  ["paragraphs without an end tag", "<p>One", true],
  ["rows without an end tag", "<tr><td>One<td>Two", true],
  ["line breaks", "One<br>", true],
  ["pictures, which are not shown", "<i>One</i><img>", true],
  ["options without an end tag, which are not shown", "<i>One</i><select><option>One<option>Two</select>", true],
])("the page of a record takes time linear in the length of markup: %s", (_, unit, isMarkup) => {
  const content = `<p>Kept</p>${unit.repeat(2 * MAX_MARKUP_DEPTH)}`;
  const referred_to_by = [{ type: "LinguisticObject", format: "text/html", content }];
  const document = {
    "@context": CONTEXT_URI,
    id: "http://localhost/object/1",
    type: "HumanMadeObject",
    referred_to_by,
  };
  const page = pageOf(graphOf(document));
  expect(page).toContain("Kept");
  // The sanitizer stops early at markup that would take it longer, and the page has the text alone.
  expect(page.includes("<p>Kept")).toBe(isMarkup);
});

/** The graph of a document, or `undefined` for a document that no load would accept. */
function readable(document: Json): RecordGraph | undefined {
  try {
    return graphOf(document);
  } catch {
    return undefined;
  }
}

/** A document of an endpoint with every property of its table and, to a depth, of the structures in it. */
function fullDocument(classes: readonly string[], fields: readonly Field[], depth: number, path: string): JsonObject {
  const document: JsonObject = { id: `http://localhost/${path}`, type: classes[0]! };
  for (const field of fields) {
    const { property, datatype } = field;
    if (property === "@context" || property === "id" || property === "type") continue;
    if (field.when !== undefined && !field.when.some((each) => each === classes[0])) continue;
    const value = fullValue(field, depth, `${path}-${property}`);
    if (value !== undefined) document[property] = datatype === "array" ? [value].flat() : ([value].flat()[0] ?? null);
  }
  return document;
}

let numbers = 1_000;

function fullValue({ range }: Field, depth: number, path: string): Json | undefined {
  switch (range.kind) {
    case "literal":
      if (range.literal === "number") return numbers++ + 0.5;
      if (range.literal === "timestamp") return `${numbers++}-02-03T04:05:06Z`;
      if (range.literal === "geometry") return "POINT(4.5 52.25)";
      return range.literal === "media type" ? "text/plain" : `Text of ${path}`;
    case "term":
      return "part_of";
    case "structure":
      if (depth === 0) return undefined;
      return range.structures.map((name) => {
        const { classes, fields } = structureNamed(name);
        return fullDocument(classes, fields, depth - 1, `${path}-${name}`);
      });
    case "reference":
    case "concept": {
      const [first = "HumanMadeObject"] = range.classes === "any" ? [] : range.classes;
      return { id: `http://localhost/${path}`, type: first, _label: `Label of ${path}` };
    }
    case "entity":
      return { id: `http://localhost/${path}`, type: "Person", _label: `Label of ${path}` };
    default:
      return undefined;
  }
}

describe("the page of a record", () => {
  it.each(ENDPOINTS.map(({ name }) => name))("has a place for every property of the tables: %s", (name) => {
    const { classes, fields } = ENDPOINTS.find((each) => each.name === name)!;
    const document = fullDocument([classes.at(-1)!], fields, 2, name);
    if (name === "provenance") {
      (document.classified_as as Json[]).push({ id: "http://vocab.getty.edu/aat/300055863", type: "Type" });
    }
    const graph = graphOf({ "@context": CONTEXT_URI, ...document });
    expect(graph.triples.length / 3).toBeGreaterThan(fields.length);
    expect(missingFrom(pageOf(graph), graph)).toEqual([]);
    expect(brokenParagraphs(pageOf(graph))).toEqual([]);
    expect(pageOf(graph)).not.toContain("<h2>Further</h2>");
  });

  it("shows everything that each record of the sample states, in few bytes", () => {
    const records = [...SAMPLE.values()];
    const some = new Set([...shareOf(records), ...firstOfEach(records, 5, ({ endpoint }) => endpoint)]);
    for (const { path, document } of some) {
      const graph = graphOf({ ...document, id: `http://localhost/${path}` } as Json);
      const page = pageOf(graph);
      expect(wrongWith(graph), path).toEqual([]);
      expect(Buffer.byteLength(page), path).toBeLessThan(MAX_PAGE);
    }
  });

  it("shows a name once that the record has twice", () => {
    const name = { type: "Name", content: "One Laptop per Child" };
    const document = { id: "http://localhost/p", type: "Person", identified_by: [name, name] };
    const page = pageOf(graphOf({ "@context": CONTEXT_URI, ...document }));
    expect(page.match(/<bdi class="name">One Laptop per Child<\/bdi>/g)).toHaveLength(1);
  });

  it("names a picture by its label, or by a name where the label is blank", async () => {
    const file = { type: "DigitalObject", access_point: [{ id: "http://localhost/p.jpg", type: "DigitalObject" }] };
    const alternative = async (named: JsonObject): Promise<string | undefined> => {
      const image = {
        ...file,
        ...named,
        classified_as: [{ id: "http://vocab.getty.edu/aat/300215302", type: "Type" }],
      };
      const shown = { type: "VisualItem", digitally_shown_by: [image] };
      const document = { id: "http://localhost/o", type: "HumanMadeObject", _label: "A vase", representation: [shown] };
      return / alt="([^"]*)"/.exec(pageOf(graphOf({ "@context": CONTEXT_URI, ...document })))?.[1];
    };
    const name = { type: "Name", content: "Front" };
    expect(await alternative({ _label: "Photograph", identified_by: [name] })).toBe("Photograph");
    expect(await alternative({ _label: "  ", identified_by: [name] })).toBe("Front");
    expect(await alternative({ _label: "  " })).toBe("A vase");
  });

  it("is headed by the kind and number, or as unnamed, where label and names are blank", async () => {
    const headed = async (_label: string, ...names: readonly string[]): Promise<string | undefined> => {
      const type = (content: string): string => (/\d/.test(content) ? "Identifier" : "Name");
      const identified_by = names.map((content) => ({ type: type(content), content }));
      const document = { id: "http://localhost/o", type: "HumanMadeObject", _label, identified_by };
      const page = pageOf(graphOf({ "@context": CONTEXT_URI, ...document }));
      return /<h1[^>]*>([^<]*)<\/h1>/.exec(page)?.[1];
    };
    expect(await headed("", " ", "")).toBe("Unnamed object");
    expect(await headed("  ", "", "A vase")).toBe("A vase");
    expect(await headed("", "1930.5 ")).toBe("Object 1930.5");
  });

  it("has one main heading, a value for each row of facts, and no inline styles", () => {
    const { document } = SAMPLE.get("object/night-watch")!;
    const { elements, attributes } = toldBy(pageOf(graphOf({ ...document, id: "http://localhost/n" } as Json)));
    expect(elements.filter((name) => name === "h1")).toHaveLength(1);
    expect(elements.filter((name) => name === "dt").length).toBeLessThanOrEqual(
      elements.filter((name) => name === "dd").length,
    );
    expect(attributes).not.toContain("style");
  });

  it("chooses the heading by the reader's languages, and lists all names", () => {
    const { document } = SAMPLE.get("object/night-watch")!;
    const graph = graphOf({ ...document, id: "http://localhost/n" } as Json);
    const heading = (languages: string[]) =>
      /<h1[^>]*>(.*?)<\/h1>/.exec(pageOf(graph, { site: ALONE.site.for({ languages }) }))?.[1];
    expect(heading([])).toBe("The Night Watch");
    expect(heading(["ja"])).toBe("夜警");
    expect(heading(["nl-BE", "fr"])).toBe("De Nachtwacht");
    expect(heading(["fi", "fr"])).toBe("La Ronde de nuit");
    const avicenna = graphOf({
      ...{ "@context": CONTEXT_URI, id: "http://localhost/a", type: "Person", _label: "Avicenna" },
      identified_by: [
        {
          ...{ type: "Name", content: "ابن سينا" },
          language: [{ id: "http://vocab.getty.edu/aat/300387843", type: "Language", _label: "Arabic" }],
        },
      ],
    });
    expect(pageOf(avicenna, { site: ALONE.site.for({ languages: ["ar-EG"] }) })).toContain(
      '<h1 dir="auto" lang="ar">ابن سينا</h1>',
    );
    for (const name of ["夜警", "De Nachtwacht", "La Ronde de nuit"]) expect(pageOf(graph)).toContain(name);
  });

  it("escapes plain text and sanitizes only what declares itself HTML", () => {
    const statement = (content: string, format?: string): Json => ({
      type: "LinguisticObject",
      content,
      ...(format === undefined ? {} : { format }),
    });
    const graph = graphOf({
      "@context": CONTEXT_URI,
      id: "http://localhost/1",
      type: "HumanMadeObject",
      referred_to_by: [
        statement("<March 1963-July 1967>"),
        statement(
          '<p>Kept <em>well</em><script>alert(1)</script><img src=x onerror=alert(1)> <a href="javascript:a()">x</a></p>',
          "text/html",
        ),
      ],
    });
    const page = pageOf(graph);
    expect(page).toContain("&lt;March 1963-July 1967&gt;");
    expect(page).toContain("Kept <em>well</em>");
    expect(page).not.toMatch(/alert|onerror|javascript:|<img/);
  });

  it("turns no text into markup, whatever it is and wherever it occurs", async () => {
    const hostile = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        '"><script>alert(1)</script>',
        "' onmouseover='x",
        "</h1><base href=//x>",
        "&lt;b&gt;",
        "<!--",
        "]]>",
        "\u202Eevil\u2066",
        "x".repeat(5_000),
      ),
    );
    const templates = [...SAMPLE.values()].filter(({ path }) =>
      /night-watch$|girl-1881|mount-fuji$|rembrandt$/.test(path),
    );
    const replaced = (value: Json, next: () => string): Json => {
      if (Array.isArray(value)) return value.map((each) => replaced(each, next));
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [
          key,
          ["content", "_label", "notation", "defined_by"].includes(key) && typeof inner === "string"
            ? next()
            : replaced(inner, next),
        ]),
      );
    };
    await forAllAsync(
      [fc.constantFrom(...templates), fc.array(hostile, { minLength: 5, maxLength: 5 })],
      runsOf(60, 15),
      async ({ document }, texts) => {
        let at = 0;
        const source = { ...document, id: "http://localhost/n" } as Json;
        const graph = graphOf(replaced(source, () => `t${at}${texts[at++ % 5]!}`));
        const { elements, attributes } = toldBy(pageOf(graph));
        expect(elements).not.toContain("script");
        expect(elements).not.toContain("base");
        expect(attributes.filter((name) => name.startsWith("on") || name === "style")).toEqual([]);
        expect(missingFrom(pageOf(graph), graph)).toEqual([]);
      },
    );
  });

  it("terminates for a record that embeds itself", () => {
    const graph = graphOf({
      "@context": CONTEXT_URI,
      id: "http://localhost/1",
      type: "HumanMadeObject",
      _label: "Whole",
      part_of: [
        {
          id: "http://localhost/2",
          type: "HumanMadeObject",
          _label: "Two",
          part_of: [
            { id: "http://localhost/1", type: "HumanMadeObject", dimension: [{ type: "Dimension", value: 3 }] },
          ],
        },
      ],
    });
    expect(missingFrom(pageOf(graph), graph)).toEqual([]);
  });
});

describe.skipIf(!existsSync(CORPUS))("pages of the corpus (skipped: ../shared/corpus is not there)", () => {
  it.each(["official.jsonl", "museums.jsonl", "messy.jsonl"])(
    "show everything that each record of %s states",
    (file) => {
      let told = 0;
      for (const line of shareOf(readFileSync(`${CORPUS}/${file}`, "utf8").trimEnd().split("\n"), 4)) {
        const graph = readable(JSON.parse(line) as Json);
        if (graph === undefined) continue;
        expect(missingFrom(pageOf(graph), graph), graph.iri).toEqual([]);
        told++;
      }
      expect(told).toBeGreaterThan(IS_WHOLE ? 50 : 12);
    },
  );
});

/** The number of records of each museum. */
const MANY = IS_WHOLE ? 100 : 20;

describe.skipIf(!existsSync(VOLUME))("pages of many records (skipped: ../shared/volume is not there)", () => {
  it.each(["cma", "moma-exhibitions", "nga"])(
    "show everything that records of %s state (all records: the campaign `pages`)",
    async (name) => {
      const lines = createInterface({ input: createReadStream(`${VOLUME}/${name}.jsonl.gz`).pipe(createGunzip()) });
      let told = 0;
      for await (const line of lines) {
        const graph = readable(JSON.parse(line) as Json);
        if (graph === undefined) continue;
        expect(missingFrom(pageOf(graph), graph), graph.iri).toEqual([]);
        if (++told === MANY) break;
      }
      lines.close();
      expect(told).toBe(MANY);
    },
  );
});
