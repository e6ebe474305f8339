/** `vitrine profile` and `vitrine check-links`: what a collection uses, and which of its links are gone. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { NOT_PUBLIC } from "../../src/base/public-addresses.js";
import type { LinkState } from "../../src/harvest/outside-links.js";
import type { Profile } from "../../src/harvest/profile.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { type Listening, listening } from "../listening.js";
import { temporaryFolder } from "../temporary-folder.js";
import { run } from "./run.js";

const BASE = "https://data.museum.example/";

const folder = temporaryFolder();
let store: string;
const servers: Listening[] = [];
let site: string;
/** The requests that came, in order. */
const asked: string[] = [];

/** How the other site answers, by path. */
const ANSWERS: Readonly<Record<string, readonly [status: number, location?: string]>> = {
  "/fine": [200],
  "/gone": [410],
  "/old": [301, "/fine"],
  "/for-now": [302, "/fine"],
  "/secret": [403],
};

/** Start another site; resolves to its address. */
async function startSite(): Promise<string> {
  const server = await listening((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    // Some servers do not know HEAD.
    if (request.url === "/no-head" && request.method === "HEAD") response.writeHead(405).end();
    else {
      const [status, location] = ANSWERS[request.url!] ?? [200];
      response.writeHead(status, location === undefined ? {} : { location }).end();
    }
  });
  servers.push(server);
  return server.url;
}

/** Load records into a new store. */
async function load(name: string, documents: readonly object[]): Promise<string> {
  const input = join(folder, `${name}.jsonl`);
  const lines = documents.map((each) => JSON.stringify({ "@context": DEFAULT_MODEL.contextUri, ...each }));
  writeFileSync(input, lines.join("\n"));
  const directory = join(folder, name);
  await run(["load", input, "--store", directory, "--base-url", BASE, "--on-invalid", "accept"]);
  return directory;
}

beforeAll(async () => {
  site = await startSite();
  const language = { id: "http://vocab.getty.edu/aat/300388277", type: "Language", _label: "English" };
  const name = (content: string) => ({ type: "Name", content, language: [language] });
  const equivalent = (path: string) => ({ id: site + path, type: "Person", _label: path.slice(1) });
  store = await load("store", [
    { id: "person/1", type: "Person", _label: "One", identified_by: [name("One"), name("Eins")] },
    {
      ...{ id: "person/2", type: "Person", _label: "Two", identified_by: [name("Two")] },
      equivalent: [...Object.keys(ANSWERS), "/no-head"].map(equivalent),
    },
    {
      ...{ id: "object/1", type: "HumanMadeObject", _label: "A thing" },
      produced_by: {
        type: "Production",
        carried_out_by: ["person/1", "person/none"].map((id) => ({ id: BASE + id, type: "Person", _label: id })),
      },
    },
  ]);
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

async function profile(...args: readonly string[]): Promise<Profile> {
  const { status, stdout } = await run(["profile", "--store", store, "--json", ...args]);
  expect(status).toBe(0);
  return JSON.parse(stdout) as Profile;
}

describe("profile", () => {
  it("counts properties by endpoint, with shares and samples", async () => {
    const { records, endpoints } = await profile();
    expect(records).toBe(3);
    const person = endpoints.find(({ name }) => name === "person")!;
    const of = (path: string) => person.properties.find((each) => each.path === path);
    expect(person.records).toBe(2);
    expect(of("identified_by/content")).toEqual({
      ...{ path: "identified_by/content", records: 2, values: 3 },
      samples: ["One", "Eins", "Two"],
    });
    expect(of("equivalent")).toMatchObject({ records: 1, values: 6 });
    const [only] = (await profile("--endpoint", "object")).endpoints;
    expect(only).toMatchObject({ name: "object", records: 1 });
  });

  it("counts classes, languages and vocabularies, and finds references that lead nowhere", async () => {
    const { classes, languages, vocabularies, dangling } = await profile();
    expect(classes).toContainEqual({ name: "Name", nodes: 3 });
    expect(languages).toEqual([{ iri: "http://vocab.getty.edu/aat/300388277", label: "English", uses: 3 }]);
    expect(vocabularies.find(({ iri }) => iri === `${site}/`)).toMatchObject({ uses: 6, terms: 6 });
    expect(dangling).toEqual({
      iris: 1,
      most: [{ iri: `${BASE}person/none`, label: "person/none", uses: 1, record: `${BASE}object/1` }],
    });
  });

  it("is a table, a page or JSON", async () => {
    const { stdout } = await run(["profile", "--store", store]);
    expect(stdout).toMatch(/^ {2}identified_by\/content +2 +100 % +3 {2}One \| Eins \| Two$/m);
    const page = join(folder, "profile.html");
    expect((await run(["profile", "--store", store, "--output", page])).status).toBe(0);
    expect(readFileSync(page, "utf8")).toContain("<td>identified_by/content</td><td>2</td><td>100 %</td>");
    const { status, stderr } = await run(["profile", "--store", store, "--output", join(folder, "profile.txt")]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(".html or .json")]);
  });
});

describe("check-links", () => {
  const PATHS = [...Object.keys(ANSWERS), "/no-head"];
  let linked: string;
  /** Each link leads to a site of its own, so that none waits for another. */
  let links: ReadonlyMap<string, string>;
  const check = async (...args: readonly string[]) => {
    asked.length = 0;
    const { status, stdout, stderr } = await run(["check-links", "--store", linked, "--json", ...args]);
    const { summary, links } = JSON.parse(stdout) as { summary: object; links: readonly LinkState[] };
    return { status, stderr, summary, links, asked: [...asked] };
  };

  beforeAll(async () => {
    // The other sites are on this machine.
    vi.spyOn(NOT_PUBLIC, "check").mockReturnValue(false);
    links = new Map(await Promise.all(PATHS.map(async (path) => [path, (await startSite()) + path] as const)));
    const KNOWN = "http://vocab.getty.edu/aat/300388277";
    const equivalent = [...links.values(), KNOWN].map((id) => ({ id, type: "Person", _label: "Two" }));
    linked = await load("linked", [{ id: "person/2", type: "Person", _label: "Two", equivalent }]);
    mkdirSync(join(linked, "links"));
    const known = { iri: KNOWN, state: "fine", answer: 200, time: Date.now() };
    writeFileSync(join(linked, "links", "checked.jsonl"), `${JSON.stringify(known)}\n{"iri":`);
  });

  afterAll(() => vi.mocked(NOT_PUBLIC.check).mockRestore());

  it("goes on where it was, and reports what is gone, has moved or is refused, with a record", async () => {
    const first = await check("--limit", "2");
    expect([first.status, first.asked.sort()]).toEqual([1, ["HEAD /fine", "HEAD /gone"]]);
    expect(first.summary).toMatchObject({ fine: 2, gone: 1, unknown: 4 });
    const second = await check();
    const heads = ["/fine", "/fine", "/for-now", "/no-head", "/old", "/secret"].map((path) => `HEAD ${path}`);
    expect(second.asked.sort()).toEqual(["GET /no-head", "GET /secret", ...heads]);
    expect(second.status).toBe(1);
    const old = links.get("/old")!;
    expect(second.summary).toEqual({ fine: 4, moved: 1, gone: 1, refused: 1, failing: 0, unknown: 0 });
    expect(second.links).toEqual([
      expect.objectContaining({ iri: links.get("/gone"), state: "gone", answer: 410, record: `${BASE}person/2` }),
      expect.objectContaining({ iri: old, state: "moved", location: old.replace("/old", "/fine") }),
      expect.objectContaining({ iri: links.get("/secret"), state: "refused", answer: 403 }),
    ]);
    expect((await check()).asked).toEqual([]);
  });
});
