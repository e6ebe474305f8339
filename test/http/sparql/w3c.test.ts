/** The W3C's test cases for queries in the SPARQL 1.1 Protocol, and for the Service Description, over HTTP. */
import { existsSync, readFileSync } from "node:fs";
import { type NamedNode, Parser, type Quad, Store, type Term } from "n3";
import { describe, expect, it } from "vitest";
import { startedForAll } from "../../started.js";
import { type RawAnswer, raw } from "../service.js";
import { labelled, startSmallSparqlService } from "./service.js";

const FOLDER = "../shared/w3c/sparql-protocol";
const isThere = existsSync(FOLDER);

const MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
const HT = "http://www.w3.org/2011/http#";
const CNT = "http://www.w3.org/2011/content#";
const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/** The cases that only an endpoint with updates can pass. Malformed updates are refused, as their cases demand. */
const UPDATES = /^update_/;

class Manifest {
  readonly graph: Store;

  constructor(file: string) {
    this.graph = new Store(new Parser({ baseIRI: "urn:manifest" }).parse(readFileSync(file, "utf8")) as Quad[]);
  }

  all(subject: Term, property: string): Term[] {
    return this.graph.getObjects(subject as NamedNode, property, null);
  }

  one(subject: Term, property: string): Term | undefined {
    return this.all(subject, property)[0];
  }

  list(head: Term | undefined): Term[] {
    if (head === undefined || head.value === `${RDF}nil`) return [];
    return [this.one(head, `${RDF}first`)!, ...this.list(this.one(head, `${RDF}rest`))];
  }
}

interface Case {
  readonly name: string;
  readonly requests: readonly Term[];
}

function cases(manifest: Manifest): Case[] {
  const [whole] = manifest.graph.getSubjects(`${MF}entries`, null, null);
  return manifest.list(manifest.one(whole!, `${MF}entries`)).map((entry) => ({
    name: entry.value.slice(entry.value.indexOf("#") + 1),
    requests: manifest.list(manifest.one(manifest.one(entry, `${MF}action`)!, `${HT}requests`)),
  }));
}

const manifest = isThere ? new Manifest(`${FOLDER}/manifest.ttl`) : undefined;

const service = startedForAll(() => {
  const names = [0, 1, 2, 3].map((number) => `http://kasei.us/2009/09/sparql/data/data${number}.rdf`);
  return startSmallSparqlService(names.map((name) => labelled(name)));
});

/** Send a request that the manifest describes. */
function sent(request: Term): Promise<RawAnswer> {
  const of = (property: string) => manifest!.one(request, HT + property)?.value ?? "";
  const content = manifest!.one(request, `${HT}body`);
  const characters = (content && manifest!.one(content, `${CNT}chars`)?.value) ?? "";
  const encoding = content && manifest!.one(content, `${CNT}characterEncoding`)?.value;
  const body = Buffer.from(characters, encoding === "UTF-16" ? "utf16le" : "utf8");
  const headers = manifest!.list(manifest!.one(request, `${HT}headers`)).map((header) => {
    return `${manifest!.one(header, `${HT}fieldName`)?.value}: ${manifest!.one(header, `${HT}fieldValue`)?.value}\r\n`;
  });
  const path = of("absolutePath").replace("/sparql/", "/sparql");
  const head = `${of("methodName")} ${path} HTTP/1.1\r\nHost: www.example\r\nConnection: close\r\n`;
  const length = content === undefined ? "" : `Content-Length: ${body.length}\r\n`;
  return raw(service.port, Buffer.concat([Buffer.from(`${head}${headers.join("")}${length}\r\n`), body]));
}

const TYPES = {
  boolean: /^application\/sparql-results\+(?:json|xml)/,
  tabular: /^(?:application\/sparql-results\+(?:json|xml)|text\/(?:csv|tab-separated-values))/,
  RDF: /^(?:application\/(?:rdf\+xml|n-triples)|text\/turtle)/,
} as const;

async function check(request: Term): Promise<void> {
  const expected = manifest!.one(request, `${HT}resp`)!;
  const { status, headers, body } = await sent(request);
  const statuses = manifest!.all(expected, `${MF}expectedStatus`).map(({ value }) => value.at(-3)!);
  expect(statuses, body.toString()).toContain(String(status)[0]);
  const format = manifest!.one(expected, `${MF}expectedFormat`)?.value as keyof typeof TYPES | undefined;
  if (format !== undefined) expect(headers.get("content-type")).toMatch(TYPES[format]);
  const truth = manifest!.one(expected, `${MF}expectedBoolean`)?.value;
  if (truth !== undefined) expect(String(JSON.parse(body.toString()).boolean)).toBe(truth);
}

describe.skipIf(!isThere)("the W3C's protocol cases (skipped where ../shared/w3c is absent)", () => {
  const queries = manifest === undefined ? [] : cases(manifest).filter(({ name }) => !UPDATES.test(name));

  it("include all that need no update", () => {
    expect(queries).toHaveLength(27);
  });

  it.each(queries)("$name", async ({ requests }) => {
    expect(requests.length).toBeGreaterThan(0);
    for (const request of requests) await check(request);
  });
});

/** The namespace of service descriptions, whose schema gives the classes of the values of these properties. */
const SD = "http://www.w3.org/ns/sparql-service-description#";

describe("the W3C's cases of the service description", () => {
  const description = async () => {
    const answer = await fetch(service.url);
    return { answer, graph: new Store(new Parser().parse(await answer.text()) as Quad[]) };
  };

  it("returns-rdf", async () => {
    const { answer, graph } = await description();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/turtle; charset=utf-8"]);
    expect(graph.size).toBeGreaterThan(10);
  });

  it("has-endpoint-triple", async () => {
    const { graph } = await description();
    expect(graph.getObjects(null, `${SD}endpoint`, null).map(({ value }) => value)).toEqual([
      "http://data.museum.example/sparql",
    ]);
  });

  it("conforms-to-schema", async () => {
    const { graph } = await description();
    const [endpoint] = graph.getObjects(null, `${SD}endpoint`, null);
    expect(graph.countQuads(endpoint!, `${RDF}type`, `${SD}Service`, null)).toBe(1);
    for (const [property, type] of [
      ["defaultDataset", "Dataset"],
      ["defaultGraph", "Graph"],
    ]) {
      const objects = graph.getObjects(null, SD + property, null);
      expect(objects).toHaveLength(1);
      for (const object of objects) expect(graph.countQuads(object, `${RDF}type`, SD + type, null)).toBe(1);
    }
    for (const property of ["supportedLanguage", "resultFormat", "feature"]) {
      const objects = graph.getObjects(null, SD + property, null);
      expect(objects.every(({ termType }) => termType === "NamedNode")).toBe(true);
    }
  });

  it("has no number of triples, since the store counts those that records share several times", async () => {
    const { graph } = await description();
    expect(graph.getObjects(null, "http://rdfs.org/ns/void#triples", null)).toEqual([]);
    expect(graph.getObjects(null, "http://rdfs.org/ns/void#uriSpace", null)).toHaveLength(1);
  });

  it.each(["application/rdf+xml", "application/ld+json", "application/n-triples"])(
    "is available as %s",
    async (type) => {
      const answer = await fetch(service.url, { headers: { Accept: type } });
      expect(answer.headers.get("content-type")).toBe(type);
      expect(await answer.text()).toContain("http://www.w3.org/ns/sparql-service-description#SPARQL11Query");
    },
  );
});
