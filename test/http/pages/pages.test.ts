/** Pages over HTTP: their headers and entity tags, the home page, lists, themes, and entities with many referrers. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { chooseExamples } from "../../../src/http/pages/home.js";
import { loadTheme } from "../../../src/http/pages/theme.js";
import { createServer } from "../../../src/http/server/server.js";
import type { Json } from "../../../src/rdf/record-graph.js";
import type { Store } from "../../../src/store/store.js";
import { graphOf, type JsonObject } from "../../jsonld/documents.js";
import { timeSpan } from "../../jsonld/parts.js";
import { MemoryStore } from "../../store/memory-store.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { BASE, publish, publishDocuments, rawGet, serverOptions, serviceForAll, serviceForTest } from "../service.js";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

const ARTIST = `${BASE}/person/artist`;
const BUSY = `${BASE}/person/busy`;
const ELSEWHERE = "https://elsewhere.example/person/1";

function record(path: string, type: string, label: string, more: JsonObject = {}): JsonObject {
  return { id: path.includes(":") ? path : `${BASE}/${path}`, type, _label: label, ...more };
}

function painting(path: string, label: string, artist = ARTIST): JsonObject {
  const produced_by: Json = { type: "Production", carried_out_by: [{ id: artist, type: "Person", _label: "Artist" }] };
  return record(path, "HumanMadeObject", label, { produced_by });
}

const service = serviceForAll();

async function put(documents: readonly JsonObject[], deleted: readonly string[] = []): Promise<void> {
  await publish(service.store, documents.map(graphOf), deleted);
}

beforeAll(async () => {
  await put([
    record("person/artist", "Person", "An artist"),
    record(ELSEWHERE, "Person", "An artist from elsewhere"),
    record("person/alone", "Person", "Nobody refers to her"),
    painting("object/a", "A picture"),
    painting("object/b", "B picture", ELSEWHERE),
    ...Array.from({ length: 120 }, (_, at) =>
      painting(`object/many-${at}`, `Picture ${String(at).padStart(3, "0")}`, BUSY),
    ),
    record("person/busy", "Person", "A busy artist"),
  ]);
});

async function page(path: string, headers: Record<string, string> = {}): Promise<{ response: Response; text: string }> {
  const response = await fetch(`http://127.0.0.1:${service.port}${path}`, { headers: { ...BROWSER, ...headers } });
  return { response, text: await response.text() };
}

async function tagOf(path: string): Promise<string> {
  return (await page(path)).response.headers.get("etag")!;
}

describe("an entity's page", () => {
  it("has a policy that allows only the service's own files", async () => {
    const { response, text } = await page("/person/artist");
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = response.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(policy).toContain("img-src 'self' data: blob:; connect-src 'self';");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("vary")).toContain("Accept-Language");
    expect(text).toContain("<h1");
  });

  it("has a policy that a picture's address can neither end nor widen", async () => {
    const at = (host: string): Json => ({ id: `https://${host}/a.jpg`, type: "DigitalObject" });
    const access_point = ["a;sandbox", "b,default-src", "*", "images.example:8443"].map(at);
    const digitally_shown_by = [{ type: "DigitalObject", access_point }];
    await put([record("visual/odd", "VisualItem", "Odd", { digitally_shown_by })]);
    const policy = (await page("/visual/odd")).response.headers.get("content-security-policy");
    const hosts = "https://images.example:8443";
    expect(policy).toContain(
      `font-src 'self'; img-src 'self' data: blob: ${hosts}; connect-src 'self' ${hosts}; base-`,
    );
  });

  it("shows a picture once that its file's own record describes, too", async () => {
    const access_point = [{ id: "https://images.example/once.jpg", type: "DigitalObject" }];
    const file = { id: `${BASE}/digital/once`, type: "DigitalObject" };
    const visual = { id: `${BASE}/visual/once`, type: "VisualItem" };
    const shown = [{ ...visual, digitally_shown_by: [{ ...file, access_point }] }];
    await put([
      record("object/once", "HumanMadeObject", "Once", { representation: shown, shows: [visual] }),
      record("digital/once", "DigitalObject", "As its record says", { access_point, digitally_shows: [visual] }),
    ]);
    const { text } = await page("/object/once");
    expect(text.match(/<figure.*?<\/figure>/g)).toEqual([expect.stringContaining('alt="As its record says"')]);
  });

  it("shows the pictures that only the record of a picture describes, or only that of a file that it names", async () => {
    const to = (path: string, type: string) => ({ id: `${BASE}/${path}`, type });
    const at = (name: string) => [{ id: `https://images.example/${name}.jpg`, type: "DigitalObject" }];
    const named = { digitally_shown_by: [to("digital/told", "DigitalObject")] };
    const described = { digitally_shown_by: [{ type: "DigitalObject", access_point: at("described") }] };
    const object = (path: string, picture: object) =>
      record(path, "HumanMadeObject", path, { representation: [picture] as Json });
    await put([
      record("digital/told", "DigitalObject", "A file", { access_point: at("told") }),
      record("visual/naming", "VisualItem", "Names its file", named),
      record("visual/describing", "VisualItem", "Describes its file", described),
      object("object/naming", to("visual/naming", "VisualItem")),
      object("object/describing", to("visual/describing", "VisualItem")),
      object("object/embedding", { type: "VisualItem", ...named }),
    ]);
    for (const path of [
      "object/naming",
      "object/embedding",
      "visual/naming",
      "object/describing",
      "visual/describing",
    ]) {
      const url = `https://images.example/${path.endsWith("describing") ? "described" : "told"}.jpg`;
      const { text } = await page(`/${path}`);
      expect([...text.matchAll(/<figure.*?<img src="([^"]*)"/g)].map(([, source]) => source)).toEqual([url]);
      expect(text.match(/"contentUrl":"([^"]*)"/)?.[1]).toBe(url);
      const [list] = path.split("/");
      expect((await page(`/browse/${list}`)).text).toContain(`<img src="${url}"`);
    }
  });

  it("shows in lists the picture that its own record describes, also where its file is no image", async () => {
    const at = (name: string) => [{ id: `https://images.example/${name}`, type: "DigitalObject" }];
    const visual = { id: `${BASE}/visual/both`, type: "VisualItem" };
    const image = { type: "DigitalObject", access_point: at("both.jpg") };
    await put([
      record("object/both", "HumanMadeObject", "both", { representation: [visual] }),
      record("visual/both", "VisualItem", "A picture", { digitally_shown_by: [image] }),
      record("digital/both", "DigitalObject", "A text", {
        ...{ format: "application/pdf", access_point: at("both.pdf"), digitally_shows: [visual] },
      }),
    ]);
    for (const path of ["/object/both", "/browse/object"])
      expect((await page(path)).text).toContain('<img src="https://images.example/both.jpg"');
    // The page of a file shows that file, not the others of the same picture.
    expect((await page("/digital/both")).text).not.toContain("both.jpg");
  });

  it("links to records here, even those with IRIs of other hosts", async () => {
    const { text } = await page("/object/b");
    expect(text).toContain(`href="/collection/entity?uri=${encodeURIComponent(ELSEWHERE)}"`);
    expect((await page("/object/a")).text).toContain('href="/collection/person/artist"');
  });

  it("tells in chronological order what other records say happened to the object", async () => {
    const happened = (path: string, label: string, year: number): JsonObject => {
      const timespan = timeSpan(String(year));
      const kind = { id: "http://vocab.getty.edu/aat/300055863", type: "Type", _label: "Provenance Activity" };
      const title = [{ id: `${BASE}/object/sold`, type: "HumanMadeObject", _label: "Sold" }];
      const by = [{ id: ARTIST, type: "Person", _label: `Owner of ${year}` }];
      const part = [{ type: "Acquisition", transferred_title_of: title, transferred_title_to: by }];
      return record(path, "Activity", label, { classified_as: [kind], timespan, part });
    };
    await put([
      record("object/sold", "HumanMadeObject", "Sold", {
        produced_by: { type: "Production", timespan: timeSpan("1650") },
      }),
      happened("provenance/later", "The later sale", 1820),
      happened("provenance/earlier", "The earlier sale", 1700),
    ]);
    const { text } = await page("/object/sold");
    const at = ["1650", "The earlier sale", "Owner of 1700", "The later sale", "Owner of 1820"].map((each) =>
      text.indexOf(each),
    );
    expect(at).toEqual(at.toSorted((one, other) => one - other));
    expect(Math.min(...at)).toBeGreaterThan(0);
    expect(text).toContain('href="/collection/provenance/earlier"');
  });

  it("has links to its own host and languages, even for a path of two slashes or another base URL", async () => {
    const [base, other] = ["http://museum.example", "http://other.example"];
    const own = await serviceForTest({ baseUrl: base, otherBaseUrls: [other] });
    const set = { id: `${base}//set/1`, type: "Set", _label: "A set" };
    await publishDocuments(
      own.store,
      set,
      record(`${base}//object/1`, "HumanMadeObject", "Two slashes", { member_of: [set] }),
      record(`${other}/object/1`, "HumanMadeObject", "Elsewhere"),
    );
    const canonical = async (target: string, host = "museum.example") => {
      const { body } = await rawGet(own.port, target, `Accept: ${BROWSER.accept}\r\n`, host);
      const links = [...body.toString().matchAll(/<(?:a|link)\b[^>]*? href="([^"]*)"/g)].map(([, href]) => href!);
      const hosts = links.map((href) => new URL(href, `http://${host}${target}`).host);
      expect(new Set(hosts)).toEqual(new Set([host]));
      return /<link rel="canonical" href="([^"]*)">/.exec(body.toString())?.[1];
    };
    expect(await canonical("//object/1")).toBe(`${base}//object/1`);
    expect(await canonical("//evil.example/nothing")).toBe(`${base}//evil.example/nothing`);
    expect(await canonical("/object/1", "other.example")).toBe(`${other}/object/1`);
  });

  it("is answered under its suffix, and with 304 to a client that has it", async () => {
    const { response } = await page("/person/artist.html", { accept: "*/*" });
    expect(response.headers.get("content-type")).toContain("text/html");
    const again = await page("/person/artist", { "if-none-match": await tagOf("/person/artist") });
    expect(again.response.status).toBe(304);
  });

  it("has an entity tag that changes with the date on it, also if the record is the same again after a deletion", async () => {
    const own = await serviceForTest();
    const address = `http://127.0.0.1:${own.port}/object/again`;
    const again = async () => {
      await publishDocuments(own.store, record("object/again", "HumanMadeObject", "Again"));
      const answer = await fetch(address, { headers: BROWSER });
      return { tag: answer.headers.get("etag"), text: await answer.text() };
    };
    const before = await again();
    await publish(own.store, [], [`${BASE}/object/again`]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
    onTestFinished(() => void vi.useRealTimers());
    const after = await again();
    expect(after.text).not.toBe(before.text);
    expect(after.tag).not.toBe(before.tag);
  });

  it("has an entity tag that changes with its referrers, and not otherwise", async () => {
    const before = await tagOf("/person/artist");
    const other = await tagOf("/person/alone");
    await put([painting("object/unrelated", "Unrelated", ELSEWHERE)]);
    expect(await tagOf("/person/artist")).toBe(before);
    await put([painting("object/c", "C picture")]);
    const after = await tagOf("/person/artist");
    expect(after).not.toBe(before);
    expect((await page("/person/artist")).text).toContain("C picture");
    await put([painting("object/c", "C picture by another name")]);
    const renamed = await tagOf("/person/artist");
    expect(renamed).not.toBe(after);
    await put([], [`${BASE}/object/c`]);
    expect(await tagOf("/person/artist")).toBe(before);
    expect(await tagOf("/person/alone")).toBe(other);
  });

  it("leads to the same records each time, however many IRIs of other hosts it names", async () => {
    const members = (name: string): JsonObject[] =>
      Array.from({ length: 600 }, (_, at) => ({ id: `https://${name}.example/${at}`, type: "Set", _label: `S ${at}` }));
    await put([
      record("set/wide", "Set", "Wide", { member_of: members("elsewhere") }),
      record("https://elsewhere.example/599", "Set", "The last of them"),
    ]);
    const leads = (language: string) =>
      page("/set/wide", { "accept-language": language }).then(({ text }) => text.includes("/entity?uri="));
    expect([await leads("en"), await leads("nl"), await leads("de")]).toEqual([false, false, false]);
  });

  it("has a map of the places that it names, which changes with them", async () => {
    const place = (id: string): JsonObject => ({ id: `${BASE}/place/${id}`, type: "Place", _label: `Not ${id}` });
    const at = (id: string, defined_by: string): JsonObject =>
      record(`place/${id}`, "Place", `The <${id}>`, { defined_by });
    const large = `LINESTRING (${Array.from({ length: 400 }, (_, x) => `${x / 10} 0`).join(", ")})`;
    const named = ["town", "large", "nowhere", "metres", "unknown"].map(place);
    await put([
      record("object/undrawn", "HumanMadeObject", "Undrawn", { current_location: named[1]! }),
      at("empty", "POINT EMPTY"),
      record("object/empty", "HumanMadeObject", "Empty", { current_location: place("empty") }),
      at("town", "POINT (4.36 52.01)"),
      at("large", large),
      at("nowhere", "Somewhere"),
      at("metres", "POINT (121000 487000)"),
      record("object/moved", "HumanMadeObject", "Moved", {
        current_location: named[0]!,
        used_for: [{ type: "Activity", took_place_at: named.slice(1) }],
      }),
    ]);
    const mapped = async (): Promise<Json> => {
      const data = /data-places="([^"]*)"/.exec((await page("/object/moved")).text)?.[1];
      return data === undefined
        ? null
        : JSON.parse(data.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">"));
    };
    const town = { name: "The <town>", url: "/collection/place/town" };
    expect(await mapped()).toEqual([{ ...town, geometry: { type: "Point", coordinates: [4.36, 52.01] } }]);
    expect((await page("/object/moved")).text).toMatch(/<a href="[^"]*place\/town">The &lt;town&gt;<\/a> and /);
    const tag = await tagOf("/object/moved");
    await put([at("town", "POINT (4 52)")]);
    expect(await mapped()).toEqual([{ ...town, geometry: { type: "Point", coordinates: [4, 52] } }]);
    expect(await tagOf("/object/moved")).not.toBe(tag);
    expect((await page("/place/town")).text).toContain("data-geometry=");
    for (const path of ["/place/metres", "/object/a", "/object/undrawn", "/object/empty"])
      expect((await page(path)).text).not.toContain('class="map"');
  });

  it("shows a few of its many referrers, and links to all of them", async () => {
    const { text } = await page("/person/busy");
    expect(text).toContain("<h2>Made</h2>");
    expect(text.match(/Picture \d{3}/g)!.length).toBe(8);
    expect(text).not.toContain("<h2>Mentioned in</h2>");
    const [, address] = /<a href="(\/collection\/search[^"]*)">See all/.exec(text)!;
    let next: string | undefined = address!.replaceAll("&amp;", "&").slice("/collection".length);
    const listed: string[] = [];
    while (next !== undefined) {
      const list: string = (await page(next)).text;
      listed.push(...list.match(/Picture \d{3}/g)!);
      next = /rel="next[^"]*" href="\/collection([^"]*)"/.exec(list)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(new Set(listed).size).toBe(120);
    expect(listed).toHaveLength(120);
  });
});

describe("the home page", () => {
  it("names what the collection has, and links to lists and search", async () => {
    const { response, text } = await page("/");
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(text).toContain('href="/collection/browse/person"');
    expect(text).toContain("People");
    expect(text).toContain("Search by name, maker, date or number");
    const [, action, field] = /<form[^>]* action="\/collection([^"]*)".*?<input[^>]* name="([^"]*)"/s.exec(text)!;
    const found = await page(`${action}?${field}=Picture+119`);
    expect([found.response.status, found.text.includes("Picture 119")]).toEqual([200, true]);
    const data = await page("/", { accept: "*/*" });
    expect(JSON.parse(data.text)).toMatchObject({ name: "Vitrine" });
  });

  it("has an example with much to say, also from a store that does not know how many triples a record has", async () => {
    const store = new MemoryStore();
    const contents = Array.from({ length: 9 }, (_, at) => ({ type: "LinguisticObject", content: `Note ${at}` }));
    await publishDocuments(
      store,
      ...Array.from({ length: 8 }, (_, at) => record(`object/${at}`, "HumanMadeObject", `A ${at}`)),
      record("object/rich", "HumanMadeObject", "Z", { referred_to_by: contents }),
    );
    const find: Store["find"] = async (iri) => {
      const found = await store.find(iri);
      return found && { ...found, triples: 0 };
    };
    expect(await chooseExamples({ ...store, find })).toContain(`${BASE}/object/rich`);
  });

  it("has examples with labels rather than without, however much these have to say", async () => {
    const store = new MemoryStore();
    const contents = Array.from({ length: 9 }, (_, at) => ({ type: "LinguisticObject", content: `Note ${at}` }));
    const unnamed = record("object/unnamed", "HumanMadeObject", "", { referred_to_by: contents });
    const named = ["a", "b", "c"].map((name) => record(`object/${name}`, "HumanMadeObject", name));
    await publishDocuments(store, unnamed, ...named);
    expect(await chooseExamples(store)).toEqual(["a", "b", "c"].map((name) => `${BASE}/object/${name}`));
  });

  it("links to lists by label, page by page", async () => {
    const first = await page("/browse/object");
    expect(first.text).toContain('<h1 dir="auto">Objects</h1>');
    expect(first.text).toMatch(/<p class="aside">\d+ records, page 1 of 3<\/p>/);
    expect(first.text.indexOf("A picture")).toBeLessThan(first.text.indexOf("Picture 001"));
    let last = first.text;
    for (let next: string | undefined; ; last = (await page(next)).text) {
      next = /rel="next[^"]*" href="\/collection([^"]*)"/.exec(last)?.[1]?.replaceAll("&amp;", "&");
      if (next === undefined) break;
    }
    expect(last).toContain("Picture 119");
    expect(last).toContain("page 3 of 3");
    expect((await page("/browse/nothing")).response.status).toBe(404);
    expect((await page("/browse/object?after=nonsense")).response.status).toBe(400);
    expect((await page("/referring?uri=x")).response.status).toBe(400);
  });

  it("loads only files of the service", async () => {
    for (const name of [
      "pages.css",
      "pages.js",
      "icon.svg",
      "leaflet/leaflet.js",
      "openseadragon/openseadragon.min.js",
    ]) {
      expect((await page(`/assets/${name}`)).response.status, name).toBe(200);
    }
    for (const name of ["nothing.js", "constructor"]) expect((await page(`/assets/${name}`)).response.status).toBe(404);
    expect((await page("/assets/..%2f..%2fpackage.json")).response.status).toBe(404);
  });
});

describe("works on a page", () => {
  const museum = { id: `${BASE}/group/museum`, type: "Group", _label: "Museum" };
  const cup = (path: string, label: string, more: JsonObject): JsonObject =>
    record(`object/${path}`, "HumanMadeObject", label, more);
  /** The titles of the cards in a section. */
  const cardsOf = (text: string, title: string): string[] => {
    const body =
      new RegExp(`<h2>${title}</h2>\n<div class="body"><ul class="cards">(.*?)</ul>`, "s").exec(text)?.[1] ?? "";
    return [...body.matchAll(/<bdi>([^<]*)<\/bdi><\/a>/g)].map(([, label]) => label!);
  };

  it("are those that the entity made, owns or keeps, and not those that it changed", async () => {
    await put([
      record("group/museum", "Group", "Museum"),
      cup("owned", "Owned cup", { current_owner: [museum] }),
      cup("kept", "Kept cup", { current_custodian: [museum], current_permanent_custodian: [museum] }),
      cup("made", "Cup made by it", {
        produced_by: { type: "Production", part: [{ type: "Production", carried_out_by: [museum] }] },
      }),
      cup("cleaned", "Cleaned cup", { modified_by: [{ type: "Modification", carried_out_by: [museum] }] }),
    ]);
    const { text } = await page("/group/museum");
    expect(cardsOf(text, "Owned")).toEqual(["Owned cup"]);
    expect(cardsOf(text, "Kept")).toEqual(["Kept cup"]);
    expect(text.match(/Kept cup/g)).toHaveLength(1);
    expect(cardsOf(text, "Made")).toEqual(["Cup made by it"]);
    expect(text).toMatch(/<h2>Mentioned in<\/h2>.*Made or carried out <span class="count">1<\/span>.*Cleaned cup/s);
  });

  it("are the members of a Set, of any kind, at the top of its page, and change its entity tag", async () => {
    const member_of = [{ id: `${BASE}/set/all`, type: "Set", _label: "All" }];
    const set = record("set/all", "Set", "All", {
      referred_to_by: [{ type: "LinguisticObject", content: "Some words" }],
    });
    await put([
      set,
      ...Array.from({ length: 30 }, (_, at) => cup(`member-${at}`, `Member ${at}`, { member_of })),
      record("person/member", "Person", "A member", { member_of }),
    ]);
    const { text } = await page("/set/all");
    expect(cardsOf(text, "Members")).toHaveLength(24);
    expect(text.indexOf("<h2>Members</h2>")).toBeLessThan(text.indexOf("Some words"));
    expect(text).toContain(`href="/collection/search/all?memberOf=${encodeURIComponent(`${BASE}/set/all`)}">See all`);
    const before = await tagOf("/set/all");
    await put([cup("member-1", "Member 1", { member_of, identified_by: [{ type: "Identifier", content: "N 1" }] })]);
    expect(await tagOf("/set/all")).not.toBe(before);
  });
});

describe("a theme", () => {
  const folder = temporaryFolder();

  beforeAll(async () => {
    await writeFile(join(folder, "theme.css"), ":root { --accent: #024; }");
    await writeFile(
      join(folder, "entity-person.html"),
      "<article class=ours>{{heading}}{{pictures}}{{glance}}{{sections}}{{referring}}{{forms}}{{terms}}</article>",
    );
  });

  it("provides an institution's own templates, colours and files", async () => {
    const { store } = service;
    // The description for search engines ends within the emoji.
    const text = `One.\n\nTwo & three.\n\n${"x".repeat(279)}😀`;
    const site = { title: "Museum <of> Things", text, theme: folder };
    const themed = createServer(serverOptions({ store, site }));
    const { port } = await themed.listen(0);
    try {
      const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`, { headers: BROWSER })).text();
      expect(await get("/person/artist")).toContain("<article class=ours>");
      expect(await get("/person/artist")).toContain('href="/collection/assets/theme/theme.css"');
      expect(await get("/assets/theme/theme.css")).toContain("--accent");
      const home = await get("/");
      expect(home).toContain("<h1>Museum &lt;of&gt; Things</h1>");
      expect(home).toContain("<p>Two &amp; three.</p>");
      expect(home).not.toContain("\uFFFD");
    } finally {
      await themed.close();
    }
  });

  it("has an example in the documentation", () => {
    const { hasStyle, entityTemplate } = loadTheme("docs/run/theme");
    expect(hasStyle).toBe(true);
    expect(entityTemplate("person")).not.toBe(entityTemplate("object"));
  });

  it("is refused when a template lacks a placeholder, or has an unknown one", async () => {
    const bad = temporaryFolder(onTestFinished);
    await writeFile(join(bad, "entity.html"), "{{heading}}");
    expect(() => loadTheme(bad)).toThrow(/entity\.html has no place for \{\{pictures\}\}/);
    await writeFile(join(bad, "entity.html"), "{{heading}}{{nonsense}}");
    expect(() => loadTheme(bad)).toThrow(/has \{\{nonsense\}\}, not one of/);
    expect(() => loadTheme(join(bad, "nothing"))).toThrow("nothing is not a directory");
  });
});
