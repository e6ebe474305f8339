/** Searches and referring records over HTTP, for a client written from linked.art/api/1.0. */
import { EventEmitter, on, once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import fc from "fast-check";
import * as oxigraph from "oxigraph";
import { beforeAll, describe, expect, it } from "vitest";
import type { Asker } from "../../../src/base/shared-thread.js";
import { ENGLISH_WORDS } from "../../../src/http/pages/words/words.js";
import { facetLink } from "../../../src/http/routes/search/facets.js";
import { AccessLog } from "../../../src/http/telemetry/access-log.js";
import { createLog } from "../../../src/http/telemetry/log.js";
import { Metrics } from "../../../src/http/telemetry/metrics.js";
import { type PathStep, RELATIONS, type RelationPath } from "../../../src/model/relations.js";
import { endpointNamed, isEntityClass } from "../../../src/model/tables/endpoints.js";
import type { EndpointName } from "../../../src/model/tables/names.js";
import { classIri, propertyIri } from "../../../src/model/vocabulary/vocabulary.js";
import { writeNQuads } from "../../../src/rdf/ntriples/writer.js";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { openSearchedForLoading } from "../../../src/search/open.js";
import { SearchIndexError } from "../../../src/search/search-index.js";
import type { Search } from "../../../src/store/search.js";
import { SAMPLE } from "../../data/sample.js";
import { IS_WHOLE, shareOf } from "../../extent.js";
import { ANY_CODE_POINT } from "../../generated-texts.js";
import { readingAt } from "../../jsonld/documents.js";
import { documents, MUSEUMS, OFFICIAL } from "../../model/corpus.js";
import { forAllAsync, runsOf } from "../../properties.js";
import { BASE, publish, serviceForAll, startService } from "../service.js";

let graphs: RecordGraph[];
const service = serviceForAll({ hal: true });
beforeAll(async () => {
  const corpus = [OFFICIAL, MUSEUMS].flatMap((file) => (existsSync(file) ? shareOf(documents(file)) : []));
  const third = new Set(shareOf([...SAMPLE.values()], 3));
  const sample = [...SAMPLE.values()]
    .filter((record) => third.has(record) || record.text.includes("rembrandt"))
    .map(({ document }) => document);
  const all = [...corpus, ...sample].map(readingAt(`${BASE}/`));
  graphs = [...new Map(all.map((graph) => [graph.iri, graph])).values()];
  await publish(service.store, graphs);
});

interface Page {
  readonly "@context": string;
  readonly id: string;
  readonly type: string;
  readonly partOf: { readonly id: string; readonly first: Link; readonly last: Link; readonly totalItems?: number };
  readonly next?: Link;
  readonly prev?: Link;
  readonly startIndex?: number;
  readonly orderedItems: readonly { readonly id: string; readonly type: string }[];
}

interface Link {
  readonly id: string;
  readonly type: string;
}

/** The address in the test's service for an address of the collection. */
function here(url: string): string {
  return url.replace(BASE, `${service.origin}/collection`);
}

async function get(url: string, accept = "*/*", redirect: RequestInit["redirect"] = "follow"): Promise<Response> {
  return fetch(here(url.startsWith("/") ? BASE + url : url), { headers: { Accept: accept }, redirect });
}

async function page(url: string): Promise<Page> {
  const response = await get(url);
  expect([url, response.status]).toEqual([url, 200]);
  return (await response.json()) as Page;
}

/** All pages from one on, following only `next` (or `prev`), as the search API says. */
async function walk(url: string, by: "next" | "prev" = "next"): Promise<Page[]> {
  const pages: Page[] = [];
  for (let at: string | undefined = url; at !== undefined; at = pages.at(-1)![by]?.id) pages.push(await page(at));
  return pages;
}

const idsOf = (pages: readonly Page[]): string[] =>
  pages.flatMap(({ orderedItems }) => orderedItems.map(({ id }) => id));

describe("/search", () => {
  it("answers with pages in the search API's form, in both directions", async () => {
    const pages = await walk("/search/all?text=of");
    expect(pages.length).toBeGreaterThan(1);
    const [first] = pages;
    expect((await page(first!.partOf.first.id)).orderedItems).toEqual(first!.orderedItems);
    let index = 0;
    for (const [at, each] of pages.entries()) {
      expect(each).toMatchObject({
        "@context": "https://linked.art/ns/v1/search.json",
        type: "OrderedCollectionPage",
        startIndex: index,
      });
      expect(each.prev === undefined).toBe(at === 0);
      for (const item of each.orderedItems) expect(Object.keys(item)).toEqual(["id", "type"]);
      expect((await page(each.id)).orderedItems).toEqual(each.orderedItems);
      index += each.orderedItems.length;
    }
    const ids = idsOf(pages);
    expect(new Set(ids).size).toBe(ids.length);
    const backwards = await walk(first!.partOf.last.id, "prev");
    expect(idsOf(backwards.reverse())).toEqual(ids);
    // To the end of the list, from a page whose records were deleted: the index in its link is that of another page.
    const { orderedItems, startIndex } = await page(first!.partOf.last.id);
    expect(await page("/search/all?text=of&before=&index=1000")).toMatchObject({ orderedItems, startIndex });
    const collection = await (await get(first!.partOf.id)).json();
    expect(collection).toMatchObject({ "@context": "https://linked.art/ns/v1/search.json", type: "OrderedCollection" });
  });

  it("lists every record of an endpoint, and finds records by their labels", async () => {
    for (const endpoint of ["person", "concept", "event"]) {
      const listed = idsOf(await walk(`/search/${endpoint}`));
      const { endpoints } = await service.store.stats();
      expect(new Set(listed).size).toBe(endpoints[endpoint as "person"]);
      expect(listed.length).toBe(new Set(listed).size);
    }
    for (const graph of graphs.filter((_, at) => at % 40 === 0)) {
      const label = (await service.store.find(graph.iri))!.meta.label;
      if (label === "") continue;
      expect(idsOf(await walk(`/search/all?name=${encodeURIComponent(label)}`)), label).toContain(graph.iri);
    }
  });

  it("is the same at an address to which a campaign or a social network added its parameters", async () => {
    for (const path of ["/search/all?text=rembrandt", "/browse/person?page=first"]) {
      const [own, shared] = await Promise.all(
        [path, `${path}&fbclid=x&utm_source=mail`].map((each) => get(each, "text/html")),
      );
      expect([shared!.status, await shared!.text()]).toEqual([200, await own!.text()]);
    }
  });

  it("accepts classes and relations, and gives labels on request and pages to browsers", async () => {
    const rembrandt = `${BASE}/person/rembrandt`;
    const made = idsOf(await walk(`/search/object?carriedOutBy=${encodeURIComponent(rembrandt)}`));
    expect(made.length).toBeGreaterThan(0);
    const people = await page("/search/all?type=Person&text=rembrandt");
    expect(people.orderedItems[0]).toEqual({ id: rembrandt, type: "Person" });
    const labels = await get("/search/all?name=rembrandt", `application/ld+json;profile="${BASE}/search#labels"`);
    expect(((await labels.json()) as Page).orderedItems[0]).toEqual({
      id: rembrandt,
      type: "Person",
      _label: "Rembrandt",
    });
    const byProfile = await fetch(`${service.origin}/search/all?name=rembrandt`, {
      headers: { "accept-profile": `<${BASE}/search#labels>` },
    });
    expect(((await byProfile.json()) as Page).orderedItems[0]).toHaveProperty("_label", "Rembrandt");
    for (const { headers } of [labels, byProfile])
      expect(headers.get("link")).toMatch(`<${BASE}/search#labels>; rel="profile", <`);
    const read = await get("/search/all?text=rembrandt", "text/html");
    expect(await read.text()).toMatch(/<form class="find"[\s\S]*<a href="[^"]*\/person\/rembrandt">/);
    const home = await (await get("/", "text/html")).text();
    expect(home).toContain('action="/collection/search/all"');
  });

  it.each([
    ["", ""],
    ["?q=van%20rijn&view=grid", "?text=van%20rijn&view=grid"],
    ["?query=Caf%C3%A9", "?text=Caf%C3%A9"],
    ["?text=rijn&a%0D%0ASet-Cookie:=b", "?text=rijn&a%0D%0ASet-Cookie%3A=b"],
  ])("redirects from the guessed address /search%s to the search for everything", async (guessed, meant) => {
    const { status, headers } = await get(`/search${guessed}`, "text/html", "manual");
    expect([status, headers.get("location")]).toEqual([302, `${BASE}/search/all${meant}`]);
  });

  it("says what to write instead of a guessed parameter", async () => {
    const problem = (await (await get("/search/all?q=rijn")).json()) as { status: number; detail: string };
    expect([problem.status, problem.detail]).toEqual([400, "There is no parameter q; use text=rijn."]);
  });

  it.each([
    ["madeof", "There is no parameter madeof; did you mean madeOf? /openapi.json lists all."],
    ["identifer", "There is no parameter identifer; did you mean identifier? /openapi.json lists all."],
    ["owner", "There is no parameter owner; did you mean currentOwner? /openapi.json lists all."],
    ["xyz", "There is no parameter xyz. /openapi.json lists all."],
  ])("suggests the parameter nearest to %s", async (name, detail) => {
    expect(await (await get(`/search/all?${name}=x`)).json()).toMatchObject({ status: 400, detail });
  });

  it("explains what is wrong with years in the wrong order", async () => {
    for (const path of ["/search/object", "/search/all/facets"])
      expect(await (await get(`${path}?begin=1900&end=1800`)).json()).toMatchObject({
        status: 400,
        detail: "The year in begin must not be after the year in end; 1900 is after 1800.",
      });
    expect((await get("/search/object?begin=1900&end=1900")).status).toBe(200);
  });

  it.each([
    ["under=place/delft", "The IRI place/delft in under is not absolute: it has no scheme such as https:."],
    [
      "not.madeOf=a:%20b",
      'The IRI a: b in not.madeOf has the character " ", which no IRI may contain: write %20 for a space.',
    ],
  ])("says what is wrong with the IRI of %s", async (query, detail) => {
    expect(await (await get(`/search/all?${query}`)).json()).toMatchObject({ status: 400, detail });
  });

  it("ignores the empty fields of a form", async () => {
    const [all, empty] = await Promise.all(
      ["?text=rijn", "?text=rijn&madeOf=&under=&begin=&sort=&view="].map(async (query) =>
        (await get(`/search/all${query}`)).json(),
      ),
    );
    expect(empty).toMatchObject({ orderedItems: (all as { orderedItems: unknown[] }).orderedItems });
    expect(await (await get("/search/all?text=rijn&madeOf=&type=", "text/html")).text()).not.toContain("Remove ");
  });

  it("refuses a second value where only one counts", async () => {
    for (const query of ["text=rijn&text=delft", "begin=1600&begin=1700", "under=a:b&under=c:d"])
      expect(await (await get(`/search/all?${query}`)).json()).toMatchObject({
        status: 400,
        detail: `The parameter ${query.split("=")[0]} may be given only once.`,
      });
    for (const path of [
      "all/facets?facet=century&facet=decade",
      "all.csv?columns=id&columns=_label",
      "all?page=first&page=last",
    ])
      expect([path, (await get(`/search/${path}`)).status]).toEqual([path, 400]);
    expect((await get("/search/all?madeOf=a:b&madeOf=c:d")).status).toBe(200);
  });

  it("refuses unknown parameters, values and paths", async () => {
    for (const path of [
      "/search/all?nom=x",
      "/search/all?type=Painting",
      "/search/all?after=x",
      "/search/all?page=2",
      "/related/objectPartOfObject?uri=http://a/&page=0",
      "/related/objectPartOfObject",
      "/related/objectPartOfObject?uri=http://a/&propperty=x",
      "/related/objectPartOfObject?uri=http://a/&uri=http://b/",
      "/related/objectPartOfObject?uri=http://a/&columns=id",
      "/related/objectPartOfObject.csv?uri=http://a/&column=id",
      "/referring?uri=http://a/&property=part_of&from=a",
      "/referring?uri=http://a/&property=part_of&property=about",
      "/referring.csv?uri=http://a/&property=part_of&col=id",
    ]) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 400]);
    }
    for (const path of ["/search/all?=rijn", "/related/objectPartOfObject?uri=http://a/&=rijn"])
      expect(await (await get(path)).json()).toMatchObject({
        status: 400,
        detail: "The value rijn needs the name of a parameter before its =.",
      });
    for (const path of ["/search/painting", "/related/nothing?uri=x"]) expect((await get(path)).status, path).toBe(404);
  });

  it("refuses a text that is too long to be repeated in each link", async () => {
    const [longest, longer] = ["a".repeat(2_000), "a".repeat(2_001)];
    expect((await get(`/search/all?text=${longest}`)).status).toBe(200);
    for (const path of ["/search/all?text=", "/search/all/facets?text=", "/search/person?name="])
      expect(await (await get(path + longer)).json()).toMatchObject({
        status: 400,
        detail: "The text to search for has 2001 characters; it may have 2000 at most.",
      });
  });

  it("refuses a list whose links to further pages would be too long to be followed, and gives its table", async () => {
    const not = (count: number) =>
      Array.from({ length: count }, (_, at) => `not.classifiedAs=http://a/${100 + at}`).join("&");
    const { next } = await page(`/search/all?${not(190)}`);
    expect(next!.id.length).toBeGreaterThan(7_000);
    expect((await page(next!.id)).orderedItems.length).toBeGreaterThan(0);
    for (const accept of ["application/json", "text/html"])
      expect((await get(`/search/all?${not(200)}`, accept)).status).toBe(414);
    expect(await (await get(`/search/all?${not(200)}`)).json()).toMatchObject({
      detail: expect.stringMatching(/query of this list have \d{4} bytes; they may have 7500/),
    });
    expect((await get(`/search/all.csv?${not(200)}`)).status).toBe(200);
    // A list of one page has no such links, however long the address is as links write it.
    expect((await get(`/search/all?${not(230)}&text=zzzz`)).status).toBe(200);
  });

  it("leaves out what has the words that a text excludes at its end", async () => {
    const ids = async (text: string) => idsOf(await walk(`/search/all?text=${encodeURIComponent(text)}`)).sort();
    const [all, excluded] = [await ids("rembrandt"), await ids("rembrandt painter")];
    const others = all.filter((each) => !excluded.includes(each));
    expect([excluded.length > 0, others.length > 0]).toEqual([true, true]);
    for (const text of ["rembrandt -painter", "rembrandt NOT painter", 'rembranddt -"painter" -zzzz'])
      expect([text, await ids(text)]).toEqual([text, others]);
    for (const text of ["rembrandt - painter", "painter -rembrandt painter"]) expect(await ids(text)).toEqual(excluded);
    const { orderedItems } = (await (
      await get("/search/all/facets?facet=endpoint&text=rembrandt -painter")
    ).json()) as {
      orderedItems: { totalItems: number }[];
    };
    expect(orderedItems.reduce((sum, { totalItems }) => sum + totalItems, 0)).toBe(others.length);
    const html = await (await get("/search/all?text=rembrandt%20-painter", "text/html")).text();
    expect(html).toContain('value="rembrandt -painter"');
  });

  it("gives a well-formed answer to any text in any parameter", async () => {
    const text = fc.oneof(
      fc.string({ unit: ANY_CODE_POINT, maxLength: 200 }),
      fc.string({ unit: "grapheme", maxLength: 200 }),
      fc.constantFrom(
        "\u202e\u05e9\u05dc\u05d5\u05dd",
        "e\u0301".repeat(900),
        "\u0301".repeat(900),
        "\ud800",
        "\0",
        "%",
        "x".repeat(7000),
        "😀",
        "*",
      ),
    );
    const name = fc.constantFrom(
      ..."text name identifier type classifiedAs after before page index uri prefix id queries extend".split(" "),
    );
    const path = fc.constantFrom(
      "/search/all",
      "/search/person",
      "/related/workAboutPlace",
      "/reconcile",
      "/reconcile/suggest/entity",
      "/reconcile/suggest/property",
      "/reconcile/preview",
      "/reconcile/extend/propose",
    );
    await forAllAsync([path, name, text], runsOf(1_000, 20), async (at, parameter, value) => {
      const response = await get(`${at}?${parameter}=${encodeURIComponent(value.toWellFormed())}`);
      expect([200, 400, 404, 414]).toContain(response.status);
      if (response.headers.get("content-type")?.includes("json") === true)
        expect(typeof (await response.json())).toBe("object");
      else await response.text();
    });
    expect(service.reported).toEqual([]);
  });
});

describe("/search/.../facets", () => {
  interface FacetPage {
    readonly orderedItems: readonly {
      id: string;
      facet: string;
      value: string;
      label: { none: string[] };
      totalItems: number;
    }[];
  }
  const facets = async (url: string): Promise<FacetPage> => (await (await get(url)).json()) as FacetPage;

  it.each([
    "/search/all/facets",
    "/search/object/facets",
    "/search/all/facets?text=of",
    "/search/all/facets?text=painting%2017th%20century",
    "/search/all/facets?text=paintings%20by%20vermeer%20xyzzy",
    "/search/object/facets?begin=1600&end=1700",
    "/search/object/facets?view=table&sort=date&from=m",
  ])("count what the linked searches find: %s", async (url) => {
    const { orderedItems } = await facets(url);
    expect(orderedItems.length).toBeGreaterThan(5);
    for (const { id, totalItems, label } of shareOf(orderedItems)) {
      expect([id, ((await page(id)) as unknown as { partOf: { totalItems: number } }).partOf.totalItems]).toEqual([
        id,
        totalItems,
      ]);
      expect(label.none[0]).not.toBe("");
    }
  });

  it("lead to no changes before those that were counted", () => {
    const week = { facet: "changed", value: "week", label: "in the last week", records: 1 } as const;
    for (const [changed, to] of [
      ["day", "day"],
      ["2100-01-01", "2100-01-01"],
      ["year", "week"],
      ["2000", "week"],
      ["", "week"],
    ] as const)
      expect(facetLink("", "/search/all", [["changed", changed]], week, ENGLISH_WORDS).url).toBe(
        `/search/all?changed=${to}`,
      );
  });

  it.each(["century", "decade"])("are in chronological order for periods: %s", async (facet) => {
    for (const path of ["/search/all/facets", "/search/all/facets?text=of"]) {
      const { orderedItems } = await facets(`${path}${path.includes("?") ? "&" : "?"}facet=${facet}`);
      const years = orderedItems.map(({ value }) => Number(value));
      expect(years.length).toBeGreaterThan(2);
      expect(years).toEqual([...years].sort((a, b) => a - b));
    }
  });

  it("count what SPARQL counts", async () => {
    const dataset = new oxigraph.Store();
    for (const graph of graphs) dataset.load(writeNQuads(graph), { format: "application/n-quads" });
    const { orderedItems } = await facets("/search/object/facets?facet=classifiedAs");
    const object = "http://www.cidoc-crm.org/cidoc-crm/E22_Human-Made_Object";
    const counted = dataset.query(
      `SELECT ?c (COUNT(DISTINCT ?o) AS ?n) { GRAPH ?o { ?o a <${object}> ; <http://www.cidoc-crm.org/cidoc-crm/P2_has_type> ?c } } GROUP BY ?c`,
    ) as Map<string, { value: string }>[];
    const expected = counted.map((row) => `${row.get("c")!.value} ${row.get("n")!.value}`);
    expect(orderedItems.map(({ value, totalItems }) => `${value} ${totalItems}`).sort()).toEqual(expected.sort());
  });

  it("are nofollow links on pages, which say how much was found, and for which text", async () => {
    const read = async (url: string): Promise<string> => (await get(url, "text/html")).text();
    const text = await read("/search/all?text=of");
    expect(text).toMatch(/<h2>Kind of record<\/h2><ul><li><a rel="nofollow" href="[^"]*\/search\/[a-z]+\?text=of">/);
    expect(text).toMatch(/<p class="aside">\d+ records, page 1 of \d+<\/p>/);
    const slip = await read("/search/all?text=rembranddt");
    expect(slip).toContain("Results for <em>rembrandt</em>: there is nothing for “rembranddt”.");
    const headers = { accept: "text/html", "accept-language": "fr" };
    const french = await fetch(here(`${BASE}/search/all?text=print+before+1900`), { headers });
    expect(await french.text()).toContain("Résultats pour <em>print 1900 ou avant</em>");
    const json = await (await get("/search/all?text=rembranddt")).json();
    expect(json).toMatchObject({ partOf: { label: { en: ["Results for rembrandt"] } } });
  });

  it("can narrow, exclude and sort", async () => {
    const { orderedItems } = await facets("/search/object/facets?facet=classifiedAs");
    const [first, second] = orderedItems.map(({ value }) => `classifiedAs=${encodeURIComponent(value)}`);
    const ids = async (query: string): Promise<Set<string>> => new Set(idsOf(await walk(`/search/object?${query}`)));
    const [one, other, both, all] = [
      await ids(first!),
      await ids(second!),
      await ids(`${first}&${second}`),
      await ids(""),
    ];
    expect([...both].sort()).toEqual([...new Set([...one, ...other])].sort());
    expect((await ids(`not.${first}`)).size).toBe(all.size - one.size);
    const sorted = idsOf(await walk("/search/object?sort=date"));
    expect(new Set(sorted)).toEqual(all);
    expect(sorted).not.toEqual(idsOf(await walk("/search/object?sort=-date")));
    expect(idsOf(await walk("/search/object?sort=number")).sort()).toEqual([...all].sort());
    const pictured = [await ids("picture=yes"), await ids("picture=no")];
    expect(pictured.map((each) => each.size > 0)).toEqual([true, true]);
    expect(pictured[0]!.size + pictured[1]!.size).toBe(all.size);
    expect(await ids("changed=week&sort=-changed")).toEqual(all);
    expect((await ids("changed=2100-01-01")).size).toBe(0);
    const under = `under=${encodeURIComponent(orderedItems[0]!.value)}`;
    expect([...(await ids(under))]).toEqual(expect.arrayContaining([...one]));
    for (const wrong of [
      "sort=size",
      "begin=soon",
      "not.name=x",
      "picture=maybe",
      "changed=lately",
      "changed=constructor",
      "changed=2026-02-30",
      "changed=yesterday%201",
    ])
      expect((await get(`/search/object?${wrong}`)).status).toBe(400);
    expect((await get("/search/object/facets?facet=size")).status).toBe(400);
    expect((await get("/search/planet/facets")).status).toBe(404);
  });
});

describe("/related", () => {
  it("encodes the values of parameters in its links", async () => {
    const response = await get("/related/workAboutPlace?uri=x%C3%A9%26%3E");
    expect(response.status).toBe(200);
    expect(response.headers.get("link")).toContain("workAboutPlace.csv?uri=x%C3%A9%26%3E>");
  });

  it("gives the same answer as SPARQL for every relation", async () => {
    const store = new oxigraph.Store();
    for (const graph of graphs) store.load(writeNQuads(graph), { format: "application/n-quads", no_transaction: true });
    let compared = 0;
    const relations = shareOf(RELATIONS, 3);
    for (const { name, sources, targets, paths, setPaths } of relations) {
      const found = new Map<string, Set<string>>();
      const patterns = [...paths.map((path) => patternOf(path, sources)), ...setPaths.map(patternOfMembers)];
      for (const pattern of patterns) {
        const rows = store.query(
          `SELECT DISTINCT ?record ?target ?class WHERE { ${pattern} FILTER(isIRI(?record) && isIRI(?target)) }`,
        );
        for (const row of rows as Map<string, { value: string }>[]) {
          const [record, target] = [row.get("record")!.value, row.get("target")!.value];
          const endpoint = (await service.store.find(record))?.meta.endpoint;
          const of = (await service.store.find(target))?.meta.endpoint;
          if (!sources.some((source) => source === endpoint) || (of != null && !targets.includes(of))) continue;
          const stated = row.get("class")?.value;
          const fits = targets.some((each) => endpointNamed(each).classes.some((one) => classIri(one) === stated));
          if (stated !== undefined && isEntityClass(stated) && !fits) continue;
          found.set(target, (found.get(target) ?? new Set()).add(record));
        }
      }
      for (const [target, records] of [...found].slice(0, IS_WHOLE ? 12 : 1)) {
        const pages = await walk(`/related/${name}?uri=${encodeURIComponent(target)}`);
        expect([...idsOf(pages)].sort(), `${name} ${target}`).toEqual([...records].sort());
        expect(pages[0]!.partOf.totalItems).toBe(records.size);
        compared++;
      }
      for (const [target, records] of shareOf([...found], 4)) {
        const { total } = await service.store.search!.find({ related: { relation: name, iri: target } }, { limit: 0 });
        expect(total, `${name} ${target}`).toBe(records.size);
      }
    }
    expect(compared).toBeGreaterThan(relations.length / 2);
  });

  it("is linked from records in HAL's form when it is not empty", async () => {
    const response = await get("/person/rembrandt", "application/json");
    const { _links } = (await response.json()) as { _links: Record<string, { href: string }> };
    expect(_links).toMatchObject({
      self: { href: `${BASE}/person/rembrandt` },
      "la:apiVersion": { href: "https://linked.art/api/1.0/", name: "v1.0.0" },
      collection: { href: `${BASE}/activity` },
    });
    const lists = Object.entries(_links).filter(([name]) => /^(?:la:object|la:work|la:activity)/.test(name));
    expect(lists.length).toBeGreaterThan(0);
    for (const [name, { href }] of lists) {
      const { type, orderedItems } = await page(href);
      expect([name, type, orderedItems.length > 0]).toEqual([name, "OrderedCollectionPage", true]);
    }
    expect(Object.keys(_links)).toContain("la:objectProducedByAgent");
    const tag = response.headers.get("etag")!;
    const again = await fetch(here(`${BASE}/person/rembrandt`), {
      headers: { Accept: "application/json", "If-None-Match": tag },
    });
    expect(again.status).toBe(304);
  });
});

const CLASS = "OPTIONAL { ?target a ?class }";

/** A path as a graph pattern from `?record` to `?target`, with the class that the graph gives `?target`. */
function patternOf({ inverse, steps }: RelationPath, sources: readonly EndpointName[]): string {
  const classes = sources.flatMap((source) => endpointNamed(source).classes);
  if (inverse === undefined) return `GRAPH ?record { ${way(steps, classes)} ${CLASS} }`;
  const subject = `<${propertyIri(inverse)}>`;
  if (steps.length === 0) return `GRAPH ?target { ?target ${subject} ?record ${CLASS} }`;
  return `GRAPH ?other { ?node ${subject} ?record . ?node <${propertyIri(steps[0]!.property)}> ?target ${CLASS} }`;
}

/** A graph pattern for the members of Sets from which a path leads to `?target`. */
function patternOfMembers({ steps }: RelationPath): string {
  const from = way(steps, endpointNamed("set").classes).replace("?record", "?set");
  return `GRAPH ?set { ${from} ${CLASS} } GRAPH ?record { ?record <${propertyIri("member_of", "HumanMadeObject")}> ?set }`;
}

function way(steps: readonly PathStep[], classes: readonly string[]): string {
  const iris = (term: string, at: number): string => {
    const meanings = at === 0 ? classes.map((name) => propertyIri(term, name)!) : [propertyIri(term, "Activity")!];
    return [...new Set(meanings)].map((iri) => `<${iri}>`).join("|");
  };
  const classified = steps.findIndex((step) => step.classified !== undefined);
  const path = (from: number, to: number): string =>
    steps
      .slice(from, to)
      .map(({ property, repeats }, at) => `(${iris(property, from + at)})${repeats ? "*" : ""}`)
      .join("/");
  if (classified === -1) return `?record ${path(0, steps.length)} ?target`;
  const concept = `<http://vocab.getty.edu/aat/${steps[classified]!.classified}>`;
  return `?record ${path(0, classified + 1)} ?use . ?use <${propertyIri("classified_as")}> ${concept} . ?use ${path(classified + 1, steps.length)} ?target`;
}

it("searches that their client no longer waits for end, and are no failures of the service", async () => {
  const seen = new EventEmitter();
  const [asked, counted] = [on(seen, "asked"), on(seen, "counted")];
  const metrics = new Metrics();
  metrics.count = (_, __, status) => seen.emit("counted", status);
  const log = createLog({ write: () => {} }, { format: "json", level: "error" });
  const watch = new AccessLog({ log, metrics, logRequests: "slow", logClients: false, trustProxy: false });
  const waiting = await startService({ watch }, async (directory) => {
    const store = await openSearchedForLoading({ directory });
    const search: Search = Object.assign(Object.create(store.search), {
      for(asker: Asker) {
        seen.emit("asked", asker);
        const find = () =>
          once(asker.signal as AbortSignal, "abort").then(() => Promise.reject(new SearchIndexError(directory)));
        return { ...search, find };
      },
    });
    return { ...store, search };
  });
  await using _ = { [Symbol.asyncDispose]: () => waiting.stop() };
  const socket = connect(waiting.port, "127.0.0.1");
  // The second answer waits for the first.
  socket.write("GET /search/all?text=x HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2));
  for (let search = 0; search < 2; search++)
    expect((await asked.next()).value).toMatchObject([{ client: "127.0.0.1" }]);
  socket.destroy();
  for (let search = 0; search < 2; search++) expect((await counted.next()).value).toEqual([499]);
  expect(waiting.reported).toEqual([]);
});

it("a search says when the search index is being built, and the log does not report it as a failure", async () => {
  const building = await startService({}, async (directory) => {
    const store = await openSearchedForLoading({ directory });
    const find = () => Promise.reject(new SearchIndexError(directory));
    const search = { ...store.search, find, for: () => search } as Search;
    return { ...store, search };
  });
  await using _ = { [Symbol.asyncDispose]: () => building.stop() };
  const answer = await fetch(`${building.origin}/search/all?text=x`);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(await answer.json()).toMatchObject({ detail: expect.stringContaining("The search index is being built") });
  expect(building.reported).toEqual([]);
});
