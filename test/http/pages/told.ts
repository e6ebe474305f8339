/** The content of a page: its text and link targets, and the values of a record that are missing there. */
import { Parser } from "htmlparser2";
import { Addresses } from "../../../src/http/entity/addresses.js";
import { nodeLabel } from "../../../src/http/pages/caption.js";
import { descriptionOf } from "../../../src/http/pages/description.js";
import { type Around, entityParts } from "../../../src/http/pages/entity-page.js";
import { picturesOf } from "../../../src/http/pages/pictures.js";
import { Site } from "../../../src/http/pages/site.js";
import { describe } from "../../../src/load/pipeline/describe.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { className } from "../../../src/model/vocabulary/vocabulary.js";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { RDF } from "../../../src/rdf/terms.js";

/** The context of a page that has no other records around it. */
export const ALONE: Around = {
  href: (iri) => (/^https?:/i.test(iri) ? { url: iri, isHere: false } : undefined),
  labels: new Map(),
  pictures: { images: [], manifests: [] },
  history: [],
  places: [],
  referring: [],
  forms: [{ name: "JSON-LD", suffix: ".jsonld" }],
  site: new Site(new Addresses({ baseUrl: "http://data.museum.example" }), { title: "Test" }, []),
  modified: Date.UTC(2026, 0, 1),
};

/** The part of a record's page between header and footer. */
export function pageOf(graph: RecordGraph, around: Partial<Around> = {}): string {
  const { endpoint } = describe(graph, DEFAULT_MODEL.vocabBase);
  const pictures = picturesOf(descriptionOf(graph));
  const { parts } = entityParts(graph, endpoint, { ...ALONE, pictures, ...around });
  return Object.values(parts).join("\n");
}

export interface Told {
  /** All text, with runs of white space as one space. */
  readonly text: string;
  /** The values of attributes that tell readers something: addresses, and the exact values behind words. */
  readonly values: ReadonlySet<string>;
  /** Names of all elements, in order. */
  readonly elements: readonly string[];
  /** Names of all attributes, in order. */
  readonly attributes: readonly string[];
}

const SAYING = new Set(["href", "src", "datetime", "title", "value", "alt", "data-geometry"]);

export function toldBy(markup: string): Told {
  let text = "";
  const values = new Set<string>();
  const elements: string[] = [];
  const attributes: string[] = [];
  const parser = new Parser({
    ontext: (more) => {
      text += more;
    },
    onopentag: (name, attribs) => {
      elements.push(name);
      if (/^(?:p|div|dd|dt|li|h\d|section|tr|td|br)$/.test(name)) text += " ";
      for (const [attribute, value] of Object.entries(attribs)) {
        attributes.push(attribute);
        if (!SAYING.has(attribute)) continue;
        values.add(value);
        for (const part of value.split(" – ")) values.add(part);
      }
    },
  });
  parser.end(markup);
  return { text: plain(text), values, elements, attributes };
}

/** Text for comparison: each run of white space is one space. */
export function plain(text: string): string {
  return text.replace(/[\s\u00a0]+/g, " ").trim();
}

function turned(text: string): string {
  return text.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
}

/** The objects of a record's triples that its page does not show. Classes of nodes are left out: the place of a node shows its class. */
export function missingFrom(markup: string, { terms, triples, iri }: RecordGraph): string[] {
  const { text, values } = toldBy(markup);
  const missing = new Set<string>();
  for (let at = 0; at < triples.length; at += 3) {
    const { termType, value } = terms[triples[at + 2]!]!;
    const property = terms[triples[at + 1]!]!.value;
    if (termType === "BlankNode" || value === iri || (property === RDF.type && className(value) !== undefined))
      continue;
    if (values.has(value) || values.has(turned(value)) || text.includes(plain(value))) continue;
    if (property === RDF.type) continue;
    // A text that declares itself HTML is shown without its markup.
    if (termType === "Literal" && value.includes("<") && text.includes(toldBy(value).text)) continue;
    missing.add(`${property} ${value}`);
  }
  return [...missing];
}

/** Texts on a page that are the address of a node that has a label or name in the record. */
export function addressesIn(markup: string, graph: RecordGraph): string[] {
  const description = descriptionOf(graph);
  const labelled = new Set(
    graph.terms.flatMap(({ termType, value }, node) =>
      termType === "NamedNode" &&
      value !== graph.iri &&
      nodeLabel(description, node)?.trim() !== value &&
      nodeLabel(description, node) !== undefined
        ? [value]
        : [],
    ),
  );
  const found: string[] = [];
  let codes = 0;
  const parser = new Parser({
    onopentag: (name) => {
      if (name === "code") codes++;
    },
    onclosetag: (name) => {
      if (name === "code") codes--;
    },
    ontext: (text) => {
      if (codes === 0 && labelled.has(text.trim())) found.push(text.trim());
    },
  });
  parser.end(markup);
  // A literal may be an address itself.
  const literals = new Set(
    graph.terms.flatMap(({ termType, value }) => (termType === "Literal" ? [value.trim()] : [])),
  );
  return found.filter((address) => !literals.has(address));
}

/** The paragraphs of a page that a block would end in the middle. */
export function brokenParagraphs(markup: string): string[] {
  const paragraphs = markup.match(/<p\b[^>]*>.*?<\/p>/gs) ?? [];
  return paragraphs.filter((each) => /<(?:p|div|dl|ol|ul)\b/.test(each.slice(1)));
}

/** Rows of facts that occur twice in a list, and values that occur twice in a row. */
export function repeatedIn(markup: string): string[] {
  interface List {
    readonly rows: string[];
    row: string;
    values: string[];
    value: string;
  }
  const repeated: string[] = [];
  const lists: List[] = [];
  const twice = (all: readonly string[]): string[] => all.filter((each, at) => each !== "" && all.indexOf(each) !== at);
  const add = (text: string): void => {
    for (const list of lists) {
      list.row += text;
      list.value += text;
    }
  };
  const parser = new Parser({
    onopentag: (name, attributes) => {
      add(`<${name} ${attributes.href ?? ""}>`);
      const list = lists.at(-1);
      if (name === "dl") lists.push({ rows: [], row: "", values: [], value: "" });
      else if (name === "dt" && list !== undefined) Object.assign(list, { row: "<dt>", values: [] });
      else if (name === "dd" && list !== undefined) list.value = "";
    },
    onclosetag: (name) => {
      const list = lists.at(-1);
      if (name === "dd" && list !== undefined) list.values.push(list.value);
      else if (name === "dl" && list !== undefined) {
        repeated.push(...twice(list.rows));
        lists.pop();
      } else if (name === "div" && list !== undefined && list.row !== "") {
        repeated.push(...twice(list.values));
        list.rows.push(list.row);
        list.row = "";
      }
      add(`</${name}>`);
    },
    ontext: add,
  });
  parser.end(markup);
  return repeated.map((each) => each.slice(0, 300));
}

/** Everything wrong with a record's page: values that it lacks, shows by their address, or repeats, and paragraphs with blocks in them. */
export function wrongWith(graph: RecordGraph): string[] {
  const page = pageOf(graph);
  return [
    ...missingFrom(page, graph).map((missing) => `${graph.iri} lacks ${missing}`),
    ...addressesIn(page, graph).map((address) => `${graph.iri} calls ${address} by its address`),
    ...repeatedIn(page).map((row) => `${graph.iri} has twice ${row}`),
    ...brokenParagraphs(page).map((paragraph) => `${graph.iri} has a block in ${paragraph}`),
  ];
}
