/** The table of formats: a new row is read, written, offered, described and used for queries, with no other change. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Format } from "../../src/rdf/formats.js";
import { LineReader } from "../../src/rdf/ntriples/reader.js";
import { writeNQuads, writeNTriples } from "../../src/rdf/ntriples/writer.js";
import type { Service } from "../http/service.js";
import { temporaryFolder } from "../temporary-folder.js";

/** N-Quads written from right to left: the recipe of CONTRIBUTING.md, "A media type". */
const ROW: Format = {
  name: "mirrored",
  label: "Mirrored quads",
  mediaType: "application/x-mirrored",
  otherTypes: ["text/x-mirrored"],
  w3cName: "Mirrored",
  extensions: ["mirrored", "mir"],
  holds: "quads",
  isLines: true,
  read: ({ source }, sink) => {
    const reader = new LineReader({ source, graphs: true }, sink);
    const push = (chunk: Uint8Array): void => reader.push(Buffer.from(mirrored(chunk.toString())));
    return { push, end: () => reader.end() };
  },
  write: (graph) => mirrored(writeNQuads(graph)),
  writeTriples: (graph) => mirrored(writeNTriples(graph)),
  writeAmong: (graph, labels) => mirrored(writeNQuads(graph, labels)),
};

function mirrored(lines: string): string {
  return lines.replace(/.+/g, (line) => [...line].reverse().join(""));
}

const IRI = "http://data.museum.example/object/1";
const QUADS = [
  `<${IRI}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.cidoc-crm.org/cidoc-crm/E22_Human-Made_Object> <${IRI}> .\n`,
  `<${IRI}> <http://www.w3.org/2000/01/rdf-schema#label> "Sunflowers" <${IRI}> .\n`,
].join("");

const folder = temporaryFolder();
let run: typeof import("../cli/run.js").run;

/** The output of a command. Throws if it fails. */
async function vitrine(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run([...args, "--store", join(folder, "store")]);
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}

beforeAll(async () => {
  // Modules loaded before have made lists from the table without the new row.
  vi.resetModules();
  const { FORMATS } = await import("../../src/rdf/formats.js");
  (FORMATS as Format[]).push(ROW);
  ({ run } = await import("../cli/run.js"));
  await writeFile(join(folder, "records.mir"), mirrored(QUADS));
  await vitrine("load", join(folder, "records.mir"), "--on-invalid", "accept");
});
afterAll(async () => {
  vi.resetModules();
});

describe("a format in one row", () => {
  it("is loaded by its extension and by its name", async () => {
    expect(await vitrine("get", IRI, "--format", "nq")).toBe(QUADS);
    expect(await vitrine("load", join(folder, "records.mir"), "--format", "mirrored", "--json")).toContain(
      '"unchanged":1',
    );
  });

  it("is written by get, mend, dump and query", async () => {
    expect(await vitrine("get", IRI, "--format", "mirrored")).toBe(mirrored(QUADS));
    const copy = join(folder, "copy.mir");
    await run(["mend", join(folder, "records.mir"), "--output", copy, "--store", join(folder, "store")]);
    expect(await readFile(copy, "utf8")).toBe(mirrored(QUADS));
    const { files } = JSON.parse(await vitrine("dump", "--json")) as { files: { format: string }[] };
    expect(files.map(({ format }) => format)).toContain("mirrored");
    const { writeGraph } = await import("../../src/query/results.js");
    expect(writeGraph("<urn:s> <urn:p> <urn:o> .\n", "mirrored" as "nq")).toBe(mirrored("<urn:s> <urn:p> <urn:o> .\n"));
  });

  describe("in a service", () => {
    let service: Service;
    let BASE: string;
    beforeAll(async () => {
      const http = await import("../http/service.js");
      BASE = new URL(http.BASE).pathname;
      service = await http.startService();
    });
    afterAll(() => service.stop());

    it("is offered by Accept, by suffix and by links, as a dataset", async () => {
      const { origin } = service;
      const asked = await fetch(`${origin}${BASE}/object/1`, { headers: { accept: ROW.mediaType } });
      expect(asked.headers.get("content-type")).toBe(ROW.mediaType);
      type Links = Readonly<Record<string, readonly { readonly href: string; readonly type?: string }[]>>;
      const links = await fetch(`${origin}${BASE}/object/1.linkset.json`);
      const { linkset } = (await links.json()) as { readonly linkset: readonly Links[] };
      for (const relation of ["alternate", "describedby"]) {
        const types = linkset.flatMap((context) => context[relation] ?? []).map(({ type }) => type);
        expect(types).toContain(ROW.mediaType);
      }
      expect(await (await fetch(`${origin}${BASE}/object/1.mirrored`)).text()).toBe(await asked.text());
      const both = await fetch(`${origin}${BASE}/object/1`, { headers: { accept: `${ROW.mediaType}, text/turtle` } });
      expect(both.headers.get("content-type")).toMatch(/^text\/turtle/);
    });

    it("is compressed and described, and records with its suffix are noticed", async () => {
      const headers = { accept: ROW.mediaType, "accept-encoding": "br" };
      const lists = await fetch(`${service.origin}${BASE}/openapi.json`, { headers });
      expect(await lists.text()).toContain(ROW.mediaType);
      const described = await fetch(`${service.origin}${BASE}/.well-known/void`);
      expect(await described.text()).toContain("formats:Mirrored");
      const { GRAPH_OFFERS, W3C_NAMES } = await import("../../src/http/sparql/endpoint.js");
      expect(GRAPH_OFFERS.filter(({ format }) => (format as string) === "mirrored")).toHaveLength(2);
      expect(W3C_NAMES).toContain("Mirrored");
      const { endsLikeFile } = await import("../../src/store/store.js");
      expect(endsLikeFile(`${IRI}.mirrored`)).toBe(true);
      const { answerOf } = await import("../../src/http/message/content.js");
      const body = "x".repeat(2_000);
      const coded = await answerOf({ type: ROW.mediaType, body }, { headers }, "http://localhost");
      expect(coded.headers).toContain("br");
    });
  });
});
