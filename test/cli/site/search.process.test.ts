/** What a site's records are found by, what pagefind makes of it, and a site without pagefind. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { SearchableRecord } from "../../../src/cli/site/site-search.js";
import { openSearched } from "../../../src/search/open.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { run } from "../run.js";

const BASE = "http://museum.example/collection/";

const folder = temporaryFolder();
let store: string;
let site: string;
beforeAll(async () => {
  [store, site] = [join(folder, "store"), join(folder, "site")];
  const records = [
    "object/night-watch",
    "person/rembrandt",
    "concept/canvas",
    "place/amsterdam",
    "digital/night-watch",
    "visual/night-watch",
  ];
  const files = records.map((path) => `data/records/${path}.json`);
  await run(["load", ...files, "--store", store, "--base-url", BASE]);
});
afterEach(() => vi.doUnmock("pagefind"));

const build = (to = site) => run(["site", to, "--store", store]);
const load = async (document: object) => {
  writeFileSync(join(folder, "changed.json"), JSON.stringify(document));
  await run(["load", join(folder, "changed.json"), "--store", store, "--on-invalid", "accept"]);
};

/** What is known of a record by its place. */
function soughtIn(place: string): SearchableRecord {
  const lines = readFileSync(join(site, ".vitrine-site.jsonl"), "utf8").split("\n");
  const said = lines.filter((line) => line.startsWith(`[${JSON.stringify(place)}`)).map((line) => JSON.parse(line)[1]);
  return said.findLast((files) => files[".html"] !== undefined)[".html"].sought;
}

/** The fragments of the index, as the search page gets them. */
function fragments(): readonly { url: string; meta: object; filters: Record<string, string[]> }[] {
  return readdirSync(join(site, "pagefind/fragment")).map((name) => {
    const bytes = gunzipSync(readFileSync(join(site, "pagefind/fragment", name)));
    return JSON.parse(bytes.toString().slice("pagefind_dcd".length));
  });
}

describe("the search of a site", () => {
  it("finds a record by its texts and facets, in the words of its lists", async () => {
    expect((await build()).status).toBe(0);
    const { url, content, language, meta, filters, sort } = soughtIn("object/night-watch");
    expect([url, language, sort]).toEqual(["/object/night-watch", "en", { title: "night watch" }]);
    expect(meta).toEqual({
      title: "The Night Watch",
      by: "Rembrandt, about 1639 to 1642",
      about: "Painting · SK-C-5",
      image: "/collection/images/night-watch.svg",
    });
    expect(filters).toMatchObject({
      endpoint: ["Objects"],
      picture: ["with a picture"],
      carriedOutBy: expect.arrayContaining(["Rembrandt"]),
      madeOf: ["oil paint", "canvas"],
      century: expect.arrayContaining(["1600 to 1699"]),
    });
    for (const each of ["De Nachtwacht", "SK-C-5", "Oil on canvas"]) expect(content).toContain(each);
    expect(soughtIn("concept/canvas").meta).toMatchObject({ title: "canvas", is: "Concept" });
    expect(fragments()).toHaveLength(6);
    expect(fragments()).toContainEqual(expect.objectContaining({ url, meta, filters }));
    expect(readdirSync(join(site, "pagefind")).filter((name) => /\.css$|-ui/.test(name))).toEqual([]);
    const page = readFileSync(join(site, "object/night-watch/index.html"), "utf8");
    expect(page).toContain('action="/collection/search/"');
    expect(page).not.toContain("suggestions");
  });

  it("counts licences as a service does, those of pictures that are records of their own, too", async () => {
    await using searched = await openSearched({ directory: store });
    const { values } = await searched.search.facets({}, ["licence", "made_of", "century"], 100);
    const counted = new Map<string, number>();
    for (const { filters } of fragments())
      for (const label of [filters.licence, filters.madeOf, filters.century].flatMap((each) => each ?? []))
        counted.set(label, (counted.get(label) ?? 0) + 1);
    expect(counted).toEqual(new Map(values.map(({ label, records }) => [label, records])));
    expect(counted.get("Public domain")).toBe(3);
  });

  it("makes the index again where what a record is found by changed, even in another", async () => {
    const before = readFileSync(join(site, "pagefind/pagefind-entry.json"), "utf8");
    expect((await build()).stderr).toMatch(/^0 files written/);
    const person = JSON.parse(readFileSync("data/records/person/rembrandt.json", "utf8"));
    await load({ ...person, _label: "Rembrandt van Rijn" });
    await build();
    expect(soughtIn("object/night-watch").filters.carriedOutBy).toContain("Rembrandt van Rijn");
    expect(readFileSync(join(site, "pagefind/pagefind-entry.json"), "utf8")).not.toBe(before);
    rmSync(join(site, "pagefind/pagefind.js"));
    await build();
    expect(existsSync(join(site, "pagefind/pagefind.js"))).toBe(true);
    expect((await build()).stderr).toMatch(/^0 files written/);
    await run(["delete", "digital/night-watch", "--store", store]);
    await build();
    expect(fragments()).toHaveLength(5);
  });

  it("ends where it is interrupted, and says what pagefind says", async () => {
    await load({ "@context": "https://linked.art/ns/v1/linked-art.json", id: "place/x", type: "Place", _label: "X" });
    const interrupted = new AbortController();
    const stopping = { createIndex: async () => ({ index: { addCustomRecord: async () => interrupted.abort() } }) };
    vi.doMock("pagefind", () => ({ ...stopping, close: async () => null }));
    const stopped = await run(["site", site, "--store", store], { interrupted: interrupted.signal });
    expect(stopped.status).not.toBe(0);
    const refusing = {
      createIndex: async () => ({ index: { addCustomRecord: async () => ({ errors: ["no room"] }) } }),
    };
    vi.doMock("pagefind", () => ({ ...refusing, close: async () => null }));
    expect((await build()).stderr).toContain("Error: pagefind: no room");
    vi.doUnmock("pagefind");
    await build();
    expect(fragments()).toHaveLength(6);
  });

  it("is not there without pagefind, which is said", async () => {
    vi.doMock("pagefind", () => {
      throw new Error("not installed");
    });
    const bare = join(folder, "bare");
    const { status, stderr } = await build(bare);
    expect([status, stderr.split("\n")[0]]).toEqual([
      0,
      "vitrine: the site has no search; npm install pagefind gives it one",
    ]);
    expect(existsSync(join(bare, "search"))).toBe(false);
    expect(existsSync(join(bare, "pagefind"))).toBe(false);
    expect(readFileSync(join(bare, "object/night-watch/index.html"), "utf8")).not.toContain('role="search"');
  });
});
