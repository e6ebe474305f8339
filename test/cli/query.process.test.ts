import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { table } from "../../src/cli/table.js";
import { exampleQuery } from "../../src/http/sparql/example-query.js";
import { type Running, run, runApart, serve } from "./run.js";

const BASE = "http://localhost:3000/";
const CONTEXT = "https://linked.art/ns/v1/linked-art.json";
const COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }";

/** What the sample collection, being as it should, lacks: an unclassified object, a missing person, a second label. */
const FLAWED = {
  "@context": CONTEXT,
  id: `${BASE}object/flawed`,
  type: "HumanMadeObject",
  _label: "Flawed",
  identified_by: [{ type: "Name", content: "Flawed" }],
  current_owner: [{ id: `${BASE}person/missing`, type: "Person", _label: "Nobody" }],
  current_location: { id: `${BASE}place/delft`, type: "Place", _label: "Delft (misspelt)" },
};

let folder: string;
let store: string;
/** A store of a few records for queries each of which fills an index, which takes seconds over the whole sample. */
let small: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-query-"));
  store = join(folder, "store");
  small = join(folder, "small");
  await runApart(["load", "data/records", "--base-url", BASE, "--store", store]);
  const flawed = join(folder, "flawed.json");
  writeFileSync(flawed, JSON.stringify(FLAWED));
  await runApart(["load", flawed, "--on-invalid", "accept", "--store", store]).catch(() => undefined);
  await run(["load", "data/records/place", flawed, "--base-url", BASE, "--on-invalid", "accept", "--store", small]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const query = (text: string, ...more: string[]) => run(["query", text, "--store", store, ...more]);

/** What is the same with a service and without; in a store with more triples than so many. */
function asked(storeOf: () => string, triples: number): void {
  const query = (text: string, ...more: string[]) => run(["query", text, "--store", storeOf(), ...more]);

  it("answers people with a table", async () => {
    const { status, stdout } = await query(
      "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> SELECT ?type ?label { <place/delft> a ?type ; rdfs:label ?label } ORDER BY ?label",
    );
    expect([status, stdout]).toEqual([
      0,
      [
        "type           label",
        "-------------  ----------------",
        "crm:E53_Place  Delft",
        "crm:E53_Place  Delft (misspelt)",
        "(2 rows)",
        "",
      ].join("\n"),
    ]);
    expect((await query("ASK { <place/delft> ?p ?o }")).stdout).toBe("yes\n");
  });

  it("answers machines in the formats of results and graphs", async () => {
    const json = JSON.parse((await query(COUNT, "--json")).stdout);
    expect(Number(json.results.bindings[0].n.value)).toBeGreaterThan(triples);
    expect((await query("SELECT ?o { <place/delft> a ?o }", "--format", "csv")).stdout).toBe(
      "o\r\nhttp://www.cidoc-crm.org/cidoc-crm/E53_Place\r\n",
    );
    expect((await query("DESCRIBE <place/delft>")).stdout).toContain(`<${BASE}place/delft> a crm:E53_Place`);
    expect((await query("DESCRIBE <place/delft>", "--format", "nt")).stdout).toContain(`<${BASE}place/delft> <`);
    expect((await query(COUNT, "--format", "ttl")).status).toBe(2);
  });

  it.each([
    ["SELECT * {", 2, /line 1, column 11: found the end of the query, expected/],
    ["CLEAR ALL", 2, /this is an update/],
    ["@nothing.rq", 2, /nothing\.rq cannot be read/],
  ])("refuses %s", async (text, status, message) => {
    const refused = await query(text);
    expect([refused.status, refused.stdout]).toEqual([status, ""]);
    expect(refused.stderr).toMatch(message);
  });

  it("ends a query at --timeout", async () => {
    const endless = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }";
    const { status, stderr } = await query(endless, "--timeout", "1");
    expect([status, stderr]).toEqual([2, "vitrine: The query took longer than 1 seconds.\n"]);
  });

  it("reads a query from a file", async () => {
    const file = join(folder, "count.rq");
    writeFileSync(file, COUNT);
    expect((await query(`@${file}`, "--format", "csv")).stdout).toMatch(/^n\r\n\d+\r\n$/);
  });
}

/** More than a service gives unless it is told otherwise. */
async function hasNoLimit(): Promise<void> {
  const { stdout } = await query("SELECT ?s ?p ?o { ?s ?p ?o }", "--format", "tsv");
  expect(stdout.split("\n").length).toBeGreaterThan(15_000);
}

describe("query with an index of its own", () => {
  asked(() => small, 1_000);
  it("has no limit of rows", hasNoLimit);
});

describe("query through a running service", () => {
  let running: Running;
  beforeAll(async () => {
    running = await serve(["--store", store, "--query-rows", "10"]);
    while (!(await isReady(new URL(running.url).port)));
  });
  afterAll(async () => {
    await running.stop();
    expect(readdirSync(store)).not.toContain("query.sock");
  });

  asked(() => store, 15_000);
  it("has no limit of rows", hasNoLimit);

  /** At least so many rows, and what one of them has. */
  const MEANING: Readonly<Record<string, readonly [rows: number, part: string | RegExp]>> = {
    "broken-references": [1, /person\/missing,Nobody/],
    "labels-that-differ": [1, /place\/delft,Delft,Delft \(misspelt\)/],
    "largest-objects": [10, /centimetre,379\.5,.*The Night Watch/],
    "members-of-a-group": [1, "person/johannes-vermeer"],
    "members-of-a-set": [4, "View of Delft"],
    "names-in-a-language": [5, "神曲"],
    "objects-by-material": [10, "oil paint,20"],
    "objects-made-of": [15, "Adele Bloch-Bauer II"],
    "objects-without-image": [2, "object/flawed,Flawed"],
    "objects-without-location": [2, "Portrait of Dr Gachet"],
    payments: [8, "135000000,United States dollar"],
    "people-by-place-of-birth": [10, /Florence,5,"[^"]*Dante Alighieri/],
    "places-within": [5, "Trippenhuis"],
    "provenance-of-an-object": [5, /1911-08-21T00:00:00Z.*Theft of the Mona Lisa/],
    record: [30, "Girl with a Pearl Earring"],
    "records-per-class": [10, "E21_Person,72"],
    "timeline-of-an-object": [8, /1664-01-01.*E12_Production.*Painting of Girl/],
    "unclassified-records": [1, "object/flawed"],
    "what-refers-to": [15, /object\/girl-with-a-pearl-earring,.*P14_carried_out_by/],
    "who-carried-out-what": [20, "Johannes Vermeer"],
  };

  const files = readdirSync("docs/queries");

  it("has fifteen examples and more, each with its meaning", () => {
    expect(files.length).toBeGreaterThanOrEqual(15);
    expect(files.map((file) => file.replace(/\.ttl$/, ""))).toEqual(Object.keys(MEANING).sort());
  });

  it.each(files)("answers docs/queries/%s", async (file) => {
    const { comment, keywords, text } = exampleQuery(readFileSync(`docs/queries/${file}`, "utf8"), file);
    expect([comment.length > 20, keywords.length > 0]).toEqual([true, true]);
    const isGraph = /^CONSTRUCT/m.test(text);
    const { status, stdout } = await query(`@docs/queries/${file}`, "--format", isGraph ? "nt" : "csv");
    expect(status).toBe(0);
    const [rows, part] = MEANING[file.replace(/\.ttl$/, "")]!;
    expect(stdout.trimEnd().split("\n").length - (isGraph ? 0 : 1)).toBeGreaterThanOrEqual(rows);
    expect(stdout).toMatch(part);
  });
});

describe.skipIf(process.platform !== "linux")("a service that is killed (skipped where there is no /proc)", () => {
  it("leaves no index process behind, even one that runs a query", async () => {
    const child = spawn(process.execPath, ["bin/vitrine.js", "serve", "--store", store, "--port", "0"]);
    const port = await new Promise<string>((listening) => {
      let told = "";
      child.stderr.on("data", (chunk: Buffer) => {
        told += chunk.toString();
        const found = /listening on http:.*:(\d+)/.exec(told);
        if (found !== null) listening(found[1]!);
      });
    });
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ");
    expect(children).toHaveLength(1);
    const endless = new URLSearchParams({ query: "ASK { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . FILTER(?a = 1) }" });
    let status = 503;
    const asked = (async () => {
      while (status === 503) status = (await fetch(`http://127.0.0.1:${port}/sparql?${endless}`)).status;
    })().catch(() => undefined);
    const isBusy = () => /^State:\tR/m.test(readFileSync(`/proc/${children[0]}/status`, "utf8"));
    while (!(await isReady(port)) || !isBusy()) await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill("SIGKILL");
    while (existsSync(`/proc/${children[0]}`)) await new Promise((resolve) => setTimeout(resolve, 50));
    await asked;
  });
});

async function isReady(port: string): Promise<boolean> {
  const ready = (await (await fetch(`http://127.0.0.1:${port}/ready`)).json()) as { index: { state: string } };
  return ready.index.state === "ready";
}

describe("an example", () => {
  it("has one query", () => {
    expect(() => exampleQuery("<urn:a> <urn:b> 1 .", "x.ttl")).toThrow("x.ttl has 0 queries");
  });
});

describe("a table", () => {
  it("aligns wide characters and has columns as the query mentions them", () => {
    const bindings = [
      { b: { type: "literal", value: "神曲\n1" }, a: { type: "uri", value: "http://x.example/" } },
      { b: { type: "literal", value: "Hölle", "xml:lang": "de" } },
    ];
    const json = JSON.stringify({ head: { vars: ["a", "b"] }, results: { bindings } });
    expect(table(json, "SELECT * { ?b ?a ?ab }")).toBe(
      "b          a\n---------  -----------------\n神曲 1     http://x.example/\nHölle @de\n(2 rows)\n",
    );
    expect(table(json, "SELECT ?a ?b {}")).toMatch(/^a +b\n/);
  });
});
