/** `vitrine query`: with an index of its own, and through the service of a store. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exampleQuery } from "../../src/http/sparql/example-query.js";
import { temporaryFolder } from "../temporary-folder.js";
import { indexesOf, isRunning, startServing, timeUsed, until } from "./built.js";
import { inFile } from "./in-file.js";
import { type Running, run, serve } from "./run.js";
import { tearPagesOf } from "./torn-pages.js";

const BASE = "http://localhost:3000/";
const CONTEXT = "https://linked.art/ns/v1/linked-art.json";
const COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }";
const LABELS =
  "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> SELECT ?type ?label { <place/delft> a ?type ; rdfs:label ?label } ORDER BY ?label";
const LABELS_TABLE = [
  "type           label",
  "-------------  ----------------",
  "crm:E53_Place  Delft",
  "crm:E53_Place  Delft (misspelt)",
  "(2 rows)",
  "",
].join("\n");
const ENDLESS =
  "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?o ?p . ?q ?r ?s . ?t ?u ?v }";
const TOO_LONG = "vitrine: The query took longer than 0.3 seconds.\n";

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

const folder = temporaryFolder();
let store: string;
/** A store of two records for queries each of which fills an index, which takes seconds over the whole sample. */
let small: string;
beforeAll(async () => {
  store = join(folder, "store");
  small = join(folder, "small");
  const flawed = join(folder, "flawed.json");
  writeFileSync(flawed, JSON.stringify(FLAWED));
  const accepting = [flawed, "--base-url", BASE, "--on-invalid", "accept"];
  await run(["load", "data/records", ...accepting, "--store", store]);
  await run(["load", "data/records/place/delft.json", ...accepting, "--store", small]);
});

const query = (text: string, ...more: string[]) => run(["query", text, "--store", store, ...more]);

// Each of them starts an index process.
describe("query with an index of its own", () => {
  const query = (text: string, ...more: string[]) => run(["query", text, "--store", small, ...more]);

  it("answers people with a table, and reads a query from a file", async () => {
    const file = join(folder, "labels.rq");
    writeFileSync(file, `\uFEFF${LABELS}`);
    expect(await query(`@${file}`)).toMatchObject({ status: 0, stdout: LABELS_TABLE });
  });

  it("asks an example about the collection of the store, not the sample", async () => {
    const [other, base] = [join(folder, "other"), "https://museum.example/$&/"];
    const flawed = join(folder, "flawed-elsewhere.json");
    writeFileSync(
      flawed,
      JSON.stringify(FLAWED).replaceAll(BASE, () => base),
    );
    await run(["load", flawed, "--base-url", base, "--store", other, "--on-invalid", "accept"]);
    const example = "@docs/publish/queries/broken-references.ttl";
    expect((await run(["query", example, "--store", other])).stdout).toContain(`${base}person/missing`);
  });

  it("answers with a graph, without a limit of rows", async () => {
    const { stdout } = await query(
      "CONSTRUCT { <place/delft> a ?type . [] <urn:of> ?d } { <place/delft> a ?type . ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } LIMIT 16000",
    );
    expect(stdout).toContain(`<${BASE}place/delft> a crm:E53_Place`);
    expect(stdout.match(/<urn:of>/g)).toHaveLength(16_000);
  });

  it("refuses what is malformed, and says where", async () => {
    const refused = await query("SELECT * {");
    expect([refused.status, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(/line 1, column 11: found the end of the query, expected/);
  });

  it("gives up if the records cannot be read", async () => {
    const damaged = join(folder, "damaged");
    cpSync(small, damaged, { recursive: true });
    tearPagesOf(damaged, `${BASE}place/delft`);
    const answered = await run(["query", COUNT, "--store", damaged]);
    expect(answered).toMatchObject({ status: 2, stdout: "" });
    expect(answered.stderr).toContain("vitrine: The index cannot be filled: the disk changed pages");
  });

  it("ends a query at --timeout", async () => {
    expect(await query(ENDLESS, "--timeout", "0.3")).toMatchObject({ status: 2, stderr: TOO_LONG });
  });
});

describe("query through a running service", () => {
  let running: Running;
  beforeAll(async () => {
    running = await serve(["--store", store, ...inFile({ "query-rows": 10 })]);
    await running.told(/the index for SPARQL is ready/);
  });
  afterAll(async () => {
    await running.stop();
    expect(readdirSync(store)).not.toContain("query.sock");
  });

  it("answers people with a table", async () => {
    expect(await query(LABELS)).toMatchObject({ status: 0, stdout: LABELS_TABLE });
    expect((await query("ASK { <place/delft> ?p ?o }")).stdout).toBe("yes\n");
  });

  it("answers machines in the formats of results and graphs", async () => {
    const json = JSON.parse((await query(COUNT, "--json")).stdout);
    expect(Number(json.results.bindings[0].n.value)).toBeGreaterThan(15_000);
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

  it("has no limit of rows, where others have one of the service", async () => {
    const { stdout } = await query("SELECT ?s ?p ?o { ?s ?p ?o }", "--format", "tsv");
    expect(stdout.split("\n").length).toBeGreaterThan(15_000);
    const asked = new URLSearchParams({ query: "SELECT * { ?s ?p ?o } LIMIT 11" });
    expect((await fetch(`${running.url}/sparql?${asked}`)).status).toBe(422);
  });

  /** At least so many rows, and what one of them has. */
  const MEANING: Readonly<Record<string, readonly [rows: number, part: string | RegExp]>> = {
    "broken-references": [1, /person\/missing,Nobody/],
    "collection-size": [1, /^\d{5},\d{3}$/m],
    "labels-that-differ": [1, /place\/delft,Delft,Delft \(misspelt\)/],
    "labels-with-a-word": [10, "place/delft,Delft"],
    "largest-objects": [10, /centimetre,379\.5,.*The Night Watch/],
    "members-of-a-group": [1, "person/johannes-vermeer"],
    "members-of-a-set": [4, "View of Delft"],
    "names-in-a-language": [5, "神曲"],
    "objects-by-material": [10, "oil paint,20"],
    "objects-made-of": [15, "Adele Bloch-Bauer II"],
    "objects-of-a-year": [2, /girl-with-a-pearl-earring.*1664-01-01T00:00:00Z,1667-12-31/],
    "objects-without-image": [2, "object/flawed,Flawed"],
    "objects-without-location": [2, "Portrait of Dr Gachet"],
    payments: [8, "135000000,United States dollar"],
    "people-by-place-of-birth": [10, /Florence,5,"[^"]*Dante Alighieri/],
    "places-within": [5, "Trippenhuis"],
    "properties-in-use": [100, /P2_has_type,\d{4}/],
    "provenance-of-an-object": [5, /1911-08-21T00:00:00Z.*Theft of the Mona Lisa/],
    record: [30, "Girl with a Pearl Earring"],
    "records-per-class": [10, "E21_Person,72"],
    "timeline-of-an-object": [8, /1664-01-01.*E12_Production.*Painting of Girl/],
    "unclassified-records": [1, "object/flawed"],
    "what-refers-to": [15, /object\/girl-with-a-pearl-earring,.*P14_carried_out_by/],
    "who-carried-out-what": [20, "Johannes Vermeer"],
  };

  const files = readdirSync("docs/publish/queries");

  it("has two dozen examples, each with its meaning", () => {
    expect(files.length).toBe(24);
    expect(files.map((file) => file.replace(/\.ttl$/, ""))).toEqual(Object.keys(MEANING).sort());
  });

  it.each(files)("answers docs/publish/queries/%s", async (file) => {
    const { comment, keywords, text } = exampleQuery(readFileSync(`docs/publish/queries/${file}`, "utf8"), file);
    expect([comment.length > 20, keywords.length > 0]).toEqual([true, true]);
    const isGraph = /^CONSTRUCT/m.test(text);
    const { status, stdout } = await query(`@docs/publish/queries/${file}`, "--format", isGraph ? "nt" : "csv");
    expect(status).toBe(0);
    const [rows, part] = MEANING[file.replace(/\.ttl$/, "")]!;
    expect(stdout.trimEnd().split("\n").length - (isGraph ? 0 : 1)).toBeGreaterThanOrEqual(rows);
    expect(stdout).toMatch(part);
  });

  // The last: while another process takes the place of the one that is ended, queries fill an index of their own.
  it("ends a query at --timeout", async () => {
    expect(await query(ENDLESS, "--timeout", "0.3")).toMatchObject({ status: 2, stderr: TOO_LONG });
  });
});

describe.skipIf(process.platform !== "linux")("a service that is killed (skipped where there is no /proc)", () => {
  it("leaves no index process behind, even one that runs a query", async () => {
    const served = await startServing(["--store", small]);
    await served.told(/the index for SPARQL is ready/);
    const [index, ...others] = indexesOf(served.pid);
    expect(others).toEqual([]);
    const before = timeUsed([index!]);
    const asked = fetch(`${served.url}/sparql?${new URLSearchParams({ query: ENDLESS })}`).catch(() => undefined);
    // Whatever else it finds to do is done sooner.
    await until(() => timeUsed([index!]) > before + 30);
    served.process.kill("SIGKILL");
    await until(() => !isRunning(index!));
    await asked;
  });
});
