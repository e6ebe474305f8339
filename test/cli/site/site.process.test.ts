/** A site of some records of the sample: what it has, what a later build does, and how hosts of files serve it. */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { escapeHtml } from "../../../src/base/html.js";
import { buildSite } from "../../../src/cli/site/build.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { openForLoading } from "../../../src/store/open.js";
import { publishDocuments } from "../../http/service.js";
import type { JsonObject } from "../../jsonld/documents.js";
import { until } from "../built.js";
import { feed, painting } from "../feeds.js";
import { run } from "../run.js";
import { HOSTS, type Host, plain, withoutSuffixes } from "./hosts.js";
import {
  BASE,
  build,
  buildingLine,
  expectSame,
  filesOf,
  PATH,
  type SampleSite,
  sampleSite,
  siteOf,
  walked,
} from "./sample-site.js";

/** What a site is built of again and again: enough for a second page of the event stream. */
const SOME = [
  ...["place", "set", "digital/mona-lisa.json", "concept/oil-paint.json"],
  ...["johannes-vermeer", "leonardo-da-vinci"].map((name) => `person/${name}.json`),
  ...["mona-lisa", "view-of-delft", "girl-with-a-pearl-earring", "milkmaid", "young-hare"].map(
    (name) => `object/${name}.json`,
  ),
];

/** The header of a GIF, whose size tests compare. */
const gif = (width: number) => Buffer.from([...Buffer.from("GIF89a"), width, 0, 2, 0, 128, 0, 0]);

/** What a record has that is shown by a file of the images. */
const picturedBy = (name: string) => {
  const file = { id: `${BASE}images/${encodeURIComponent(name)}`, type: "DigitalObject" };
  return {
    representation: [{ type: "VisualItem", digitally_shown_by: [{ type: "DigitalObject", access_point: [file] }] }],
  };
};

/** A site is built by a process that has not read the files before. */
function asLaterProcess(): void {
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, "now").mockImplementation(() => now() + 20_000);
  onTestFinished(() => later.mockRestore());
}

let sample: SampleSite;
let folder: string;
let site: string;

beforeAll(async () => {
  sample = await sampleSite(SOME, ["object/milkmaid"]);
  ({ folder, site } = sample);
});
afterAll(() => sample.remove());

describe("a site", () => {
  it("has each record in its forms, lists, stream, description, dumps and rules", () => {
    const files = filesOf(site);
    for (const end of [
      "/index.html",
      ".html",
      ".jsonld",
      ".ttl",
      ".nt",
      ".schema.jsonld",
      ".manifest.json",
      ".edm.rdf",
      ".linkset.json",
    ]) {
      expect(files).toContain(`object/mona-lisa${end}`);
    }
    expect(files).toEqual(
      expect.arrayContaining([
        ...[
          "index.html",
          "openapi.html",
          "404.html",
          "browse/object/index.html",
          "activity.json",
          "activity/page/1.json",
        ],
        ...[
          "ldes.ttl",
          "ldes/page/2.ttl",
          "search/index.html",
          "assets/site-search.js",
          "pagefind/pagefind-entry.json",
        ],
        ...[".well-known/void", "sitemap.xml", "sitemap/1.xml", "robots.txt", "context.jsonld", "shapes/object.ttl"],
        ...[
          ".htaccess",
          "_headers",
          "_host/nginx-site.conf",
          "_host/w3id.htaccess",
          "assets/pages.css",
          "dumps/index.html",
        ],
      ]),
    );
    expect(files).not.toContain("person/leonardo-da-vinci.edm.rdf");
    expect(files).not.toContain("CNAME");
    expect(files.some((file) => /^dumps\/[^/]+\/museum\.example-all-.*\.jsonl\.gz$/.test(file))).toBe(true);
    expect(readFileSync(join(site, "object/mona-lisa.jsonld"), "utf8")).toContain(`"id":"${BASE}object/mona-lisa"`);
    const data = readFileSync(join(site, "openapi.html"), "utf8");
    expect(data).toMatch(/Node\.js 24 or newer.*comunica-sparql-file.*addresses of their Turtle as its sources/s);
    const description = readFileSync(join(site, ".well-known/void"), "utf8");
    expect(description).toMatch(/endpointDescription <[^>]*\/openapi\.html>/);
    expect(description.match(/formats:[\w-]+/g)).toEqual(["formats:Turtle", "formats:N-Triples", "formats:JSON-LD"]);
    const stream = JSON.parse(readFileSync(join(site, "activity.json"), "utf8"));
    expect([stream.id, stream.first.id]).toEqual([`${BASE}activity.json`, `${BASE}activity/page/1.json`]);
    expect(readFileSync(join(site, "ldes/page/1.ttl"), "utf8")).toContain(`tree:node <${BASE}ldes/page/2.ttl>`);
  });

  it("has the page of a record at its address, whichever of two files the host gives there", async () => {
    for (const begin of [plain, withoutSuffixes]) {
      const host = await begin(sample.www);
      for (const suffix of ["", "/", ".html"]) {
        const answer = await fetch(`http://127.0.0.1:${host.port}${PATH}object/mona-lisa${suffix}`);
        expect([begin.name, suffix, answer.status]).toEqual([begin.name, suffix, 200]);
        expect(await answer.text()).toContain('<link rel="alternate" title="JSON-LD"');
      }
      await host.stop();
    }
  });

  it("has the description before the home page, which would not wait for the counts of a large collection", () => {
    const [description, home] = [".well-known/void", "index.html"].map((file) => statSync(join(site, file)).mtimeMs);
    expect(description).toBeLessThan(home!);
  });

  it("is written anew only where it differs, and is then what a first build gives that was interrupted and goes on", async () => {
    const { store } = sample;
    const before = new Map(filesOf(site).map((file) => [file, readFileSync(join(site, file))]));
    const begun = Date.now();
    const read = (path: string) => JSON.parse(readFileSync(`data/records/${path}.json`, "utf8"));
    const changed = [
      { ...read("person/johannes-vermeer"), _label: "Jan Vermeer" },
      { ...read("place/delft"), _label: "Delft in Holland" },
      { ...read("concept/oil-paint"), _label: "oil colour" },
      { ...read("object/view-of-delft"), _label: "A view", member_of: [] },
      { ...read("object/view-of-delft"), id: "object/a-copy", _label: "A copy" },
    ];
    const { digitally_shows: _shows, ...file } = read("digital/mona-lisa");
    const path = join(folder, "changed.jsonl");
    feed(path, ...changed, file);
    await run(["load", path, "--store", store, "--on-invalid", "accept"]);
    await run(["delete", "object/mona-lisa", "set/paintings-by-vermeer", "--store", store]);
    const { stderr } = await build(store, site);
    const [, written, unchanged, removed] = /^([\d,]+) files? written, ([\d,]+) unchanged, ([\d,]+) removed/.exec(
      stderr,
    )!;
    const [isWritten, isUnchanged, isRemoved] = [written, unchanged, removed].map((text) =>
      Number(text!.replaceAll(",", "")),
    );
    expect(isUnchanged).toBeGreaterThan(isWritten!);
    const anew = filesOf(site).filter((file) => statSync(join(site, file)).mtimeMs >= begun);
    expect(anew).toHaveLength(isWritten!);
    expect(anew.filter((file) => before.get(file)?.equals(readFileSync(join(site, file))))).toEqual([]);
    expect(isRemoved).toBeGreaterThan(10);
    expect(existsSync(join(site, "object/mona-lisa"))).toBe(false);
    // The campaign `site` kills it.
    const whole = join(folder, "whole");
    const interrupt = new AbortController();
    const building = run(buildingLine(store, whole), { interrupted: interrupt.signal });
    await until(() => existsSync(whole) && filesOf(whole).length > filesOf(site).length / 4);
    interrupt.abort();
    expect(await building).toMatchObject({ status: 2, stderr: expect.stringContaining("interrupted") });
    expect(await build(store, whole)).toMatchObject({ status: 0, stderr: expect.not.stringMatching(/, 0 unchanged/) });
    expectSame(site, whole);
  });

  it("ends at once when it is interrupted, also while it writes only pages", async () => {
    const early = join(folder, "early");
    const interrupt = new AbortController();
    const building = run(buildingLine(sample.store, early), { interrupted: interrupt.signal });
    while (!existsSync(join(early, ".vitrine-site.jsonl"))) await turn();
    interrupt.abort();
    expect((await building).status).toBe(2);
    expect(filesOf(early).length).toBeLessThan(10);
  });

  it("is written anew where the picture of an object names what changed", async () => {
    const { remove, store, site } = await sampleSite([
      "visual/great-wave.json",
      "object/great-wave-london.json",
      "concept",
    ]);
    expect(readFileSync(join(site, "object/great-wave-london.edm.rdf"), "utf8")).toContain("concept/boat");
    await run(["delete", "concept/boat", "--store", store]);
    await build(store, site);
    await build(store, `${site}-anew`);
    expectSame(site, `${site}-anew`);
    remove();
  });

  it("is written anew with other settings of the model and another context", async () => {
    const { site: own, store } = await siteOf(join(folder, "settings"), [{ name: "object/1" }]);
    const context = join(folder, "linked-art.json");
    const text = readFileSync("data/context.json", "utf8");
    writeFileSync(context, text.replace('"HumanMadeObject"', '"Thing"'));
    for (const more of [
      ["--context-uri", "https://museum.example/context.json"],
      ["--vocab-base", "https://vocabulary.example/aat"],
      ["--context", `https://linked.art/ns/v1/linked-art.json=${context}`],
    ]) {
      const fresh = join(folder, `fresh${more[0]}`);
      for (const to of [own, fresh]) await run(["site", to, "--store", store, ...more]);
      expectSame(own, fresh);
    }
  });

  it("is written anew where a store that was made anew differs, also if that has as many changes", async () => {
    const names = Array.from({ length: 101 }, (_, at) => `place/${at}`);
    const records = names.map((name) => ({ name, type: "Place" }));
    const { site, store, load, again } = await siteOf(join(folder, "remade"), records);
    rmSync(store, { recursive: true });
    await load([...records.slice(1), { name: "place/0", type: "Place", _label: "renamed" }]);
    expect((await again()).status).toBe(0);
    expect(readFileSync(join(site, "place/0.jsonld"), "utf8")).toContain('"renamed"');
    await run(["site", join(folder, "remade-anew"), "--store", store]);
    expectSame(site, join(folder, "remade-anew"));
    const both = await Promise.all([again(), again()]);
    const [done, refused] = both.toSorted((one, other) => one.status - other.status);
    expect(done!.stderr).toContain("0 files written");
    expect(refused!.stderr).toMatch(/^vitrine: process \d+ is writing the site in \S+: try again when it has ended$/m);
    // Nobody can make a folder in /sys, as in a store that can only be read.
    rmSync(join(store, "site"), { recursive: true });
    symlinkSync("/sys", join(store, "site"));
    expect((await again()).stderr).toContain("0 files written");
  });

  /** A store to which records are added one by one, in whose order builds write their files, and a function that builds its site. */
  async function ownBuilds(name: string, service: Parameters<typeof buildSite>[0]["service"] = {}, base = BASE) {
    const [directory, site, anew] = ["store", "built", "anew"].map((each) => join(folder, name, each));
    const store = await openForLoading({ directory: directory! });
    const others = Array.from({ length: 20 }, (_, at) => object(`c/${at}`));
    const add = async (...documents: readonly JsonObject[]) => {
      for (const each of documents) await publishDocuments(store, each);
    };
    const buildIn = (to: string, find = store.find, signal = new AbortController().signal) =>
      buildSite({
        ...{ folder: to, store: { ...store, find }, service, pagefind: undefined, signal, onProblem: () => {} },
        publication: { model: DEFAULT_MODEL, baseUrl: base.slice(0, -1), contexts: [], site: { title: "A museum" } },
      });
    const says = (place: string, text: string, form = ".ttl") => {
      const file = join(site!, place + form);
      return existsSync(file) && readFileSync(file, "utf8").includes(text);
    };
    const expectWhole = async () => {
      for (const to of [site!, anew!]) await buildIn(to);
      expectSame(site!, anew!);
    };
    return { store, add, others, build: buildIn.bind(undefined, site!), says, expectWhole };
  }
  const object = (name: string, more: JsonObject = {}) => ({
    ...{ id: BASE + name, type: "HumanMadeObject", _label: name, ...more },
  });
  const memberOf = (set: string) => object("r", { member_of: [{ id: BASE + set, type: "Set", _label: "A set" }] });
  const renamed = (name: string, type = "HumanMadeObject") => object(name, { type, _label: "renamed" });

  it("shows at the next build what a load changed during this one", async () => {
    const { store, add, others, build, says, expectWhole } = await ownBuilds("during");
    await add(object("a", { type: "Set" }), object("b"), ...others, memberOf("a"));
    await build();
    await add(renamed("a", "Set"), renamed("b"));
    // When the page of the Set is written, and that of its member is not.
    const loading = vi.fn(() => add(memberOf("d")));
    await build(async (iri) => {
      if (iri === `${BASE}b` && says("a", "renamed") && loading.mock.calls.length === 0) await loading();
      return store.find(iri);
    });
    expect(loading).toHaveBeenCalled();
    await expectWhole();
    await store.close();
  });

  it("shows at the next build the size of a picture that was replaced during this one", async () => {
    const images = join(folder, "replaced-during");
    mkdirSync(images);
    writeFileSync(join(images, "a.gif"), gif(3));
    const { store, add, build, says, expectWhole } = await ownBuilds("sizes", { images });
    await add(object("a", picturedBy("a.gif")), object("b"));
    const hasWidth = (width: number) => says("a", `width="${width}"`, "/index.html");
    await build(async (iri) => {
      if (iri === `${BASE}b` && hasWidth(3)) writeFileSync(join(images, "a.gif"), gif(5));
      return store.find(iri);
    });
    expect(hasWidth(3)).toBe(true);
    asLaterProcess();
    await expectWhole();
    expect(hasWidth(5)).toBe(true);
    await store.close();
  });

  it("shows pictures with their sizes under a base URL in Unicode, also when one was replaced", async () => {
    const [images, base] = [join(folder, "of-museum"), "https://data.example/musée/"];
    mkdirSync(images);
    writeFileSync(join(images, "a.gif"), gif(3));
    const { store, add, build, says, others } = await ownBuilds("unicode", { images }, base);
    await add(JSON.parse(JSON.stringify(object("a", picturedBy("a.gif"))).replaceAll(BASE, base)), ...others);
    for (const width of [3, 5]) {
      writeFileSync(join(images, "a.gif"), gif(width));
      await build();
      expect(says("a", `width="${width}"`, "/index.html")).toBe(true);
      asLaterProcess();
    }
    await store.close();
  });

  it("names in the EDM of an object what its maker names without a label, also when that is renamed", async () => {
    const { store, add, others, build, says, expectWhole } = await ownBuilds("described");
    const born = { type: "Birth", took_place_at: [{ id: `${BASE}y`, type: "Place" }] };
    const maker = [{ id: `${BASE}x`, type: "Person" }];
    await add(object("y", { type: "Place" }), object("x", { type: "Person", born }), ...others);
    await add(object("made", { produced_by: { type: "Production", carried_out_by: maker } }));
    await build();
    expect(says("made", ">y</rdaGr2:placeOfBirth>", ".edm.rdf")).toBe(true);
    await add(renamed("y", "Place"));
    await expectWhole();
    await store.close();
  });

  it("shows with the works of a maker the file that only the picture of a work names, also when that is replaced", async () => {
    const { store, add, build, others, says, expectWhole } = await ownBuilds("named");
    const to = (id: string, type: string) => [{ id: BASE + id, type }];
    const file = (name: string) =>
      object("f", {
        type: "DigitalObject",
        access_point: [{ id: `https://x.example/${name}.jpg`, type: "DigitalObject" }],
      });
    const made = { produced_by: { type: "Production", carried_out_by: to("x", "Person") } };
    await add(object("x", { type: "Person" }), object("made", { ...made, representation: to("v", "VisualItem") }));
    await add(
      object("v", { type: "VisualItem", digitally_shown_by: to("f", "DigitalObject") }),
      file("old"),
      ...others,
    );
    await build();
    expect(says("x", "https://x.example/old.jpg", "/index.html")).toBe(true);
    await add(file("new"));
    await expectWhole();
    await store.close();
  });

  it("shows what changed before a build that did not end", async () => {
    const { store, add, others, build, says, expectWhole } = await ownBuilds("killed");
    await add(memberOf("a"), object("b"), ...others, object("a", { type: "Set" }));
    await build();
    await add(memberOf("d"), renamed("b"));
    const killing = new AbortController();
    const find: typeof store.find = (iri) => {
      if (iri === `${BASE}b` && says("r", `${BASE}d`)) killing.abort();
      return store.find(iri);
    };
    await expect(build(find, killing.signal)).rejects.toThrow();
    await expectWhole();
    await store.close();
  });

  it("gives records with other spellings of the same address one place, and the next of them when the first is gone", async () => {
    const [store, spelt] = [join(folder, "spelt"), join(folder, "spelt-site")];
    const path = join(folder, "spelt.jsonl");
    const names = ["caf%C3%A9", "caf%c3%A9", "café", "y", "y%2Ettl", "z.ttl", "%7A", "x/", "x"];
    const others = Array.from({ length: 20 }, (_, at) => `other-${at}`);
    feed(path, ...[...names, ...others].map((name) => painting(`${BASE}object/${name}`, name)));
    await run(["load", path, "--store", store, "--on-invalid", "accept", "--base-url", BASE]);
    const built = async () => {
      const { status, stderr } = await run(["site", spelt, "--store", store]);
      const elsewhere = /object\/(\S+)> is at \S+\/entity\/[0-9a-f]+\/: a file of another record/g;
      const left = [...stderr.matchAll(elsewhere)].map(([, name]) => name!);
      const holds = (name: string): string =>
        /"_label":"(.*?)"/.exec(readFileSync(join(spelt, `${name}.jsonld`), "utf8"))![1]!;
      return { status, left: left.sort(), held: ["object/café", "object/x", "object/y"].map(holds), stderr };
    };
    const first = await built();
    expect(first).toMatchObject({ status: 1, left: ["caf%c3%A9", "café", "x/", "y%2Ettl", "z.ttl"] });
    expect(first.held).toEqual(["caf%C3%A9", "x", "y"]);
    expect((await built()).stderr).toContain("0 files written");
    await run(["delete", `${BASE}object/caf%C3%A9`, `${BASE}object/x`, "--store", store]);
    const second = await built();
    expect(second).toMatchObject({ status: 1, left: ["café", "y%2Ettl", "z.ttl"], held: ["caf%c3%A9", "x/", "y"] });
    expect((await built()).stderr).toContain("0 files written");
  });

  it("has records elsewhere that would have files of its own", async () => {
    const names = ["robots.txt", "favicon.ico", "sitemap.xml", "sitemap/1.xml", "CNAME", ".htaccess", "_headers/x"];
    names.push("openapi", "openapi.html", "activity", "activity.json", "ldes.ttl", "context", "index.html");
    names.push("shapes/object", "browse/object", ".well-known/void", ".vitrine-site.jsonl");
    const base = "https://museum.example/";
    const others = ["context/12", "shapes/17", "sitemap/1", "entity/1", "_host"];
    const fragments = ["browse/object#x", "activity/page/1#a"];
    const records = [...names, ...others, ...fragments].map((name) => ({ name, _label: `record ${name}` }));
    const { status, stderr, site } = await siteOf(join(folder, "own-files"), records, base);
    expect(status).toBe(1);
    expect(stderr).toContain(`; ${names.length} problems\n`);
    expect(names.filter((name) => existsSync(join(site, `${name}.nt`)))).toEqual([]);
    const content = (file: string) => readFileSync(join(site, file), "utf8");
    expect(content("context.jsonld")).toMatch(/^\{\s*"@context"/);
    expect(content("browse/object/index.html")).toContain("record context/12");
    expect(content("shapes/object.ttl")).toContain("sh:NodeShape");
    expect(content("activity/page/1.json")).toContain("OrderedCollectionPage");
    expect(content("robots.txt")).toContain("User-agent");
    expect(content("CNAME")).toBe("museum.example\n");
    for (const name of others) expect(content(`${name}.jsonld`)).toContain(`"record ${name}"`);
  });

  it("gives a file that two records would have to the one with the shorter name", async () => {
    const longer = ["a/index", "b.schema", "c.ttl"];
    const others = Array.from({ length: 40 }, (_, at) => `other-${at}`);
    const records = (names: readonly string[]) => names.map((name) => ({ name, _label: `record ${name}` }));
    const own = join(folder, "shared");
    const { status, site, store, load, again } = await siteOf(own, records([...longer, ...others]));
    expect(status).toBe(0);
    await load(records(["a", "a/index.html", "b", "c"]));
    const { stderr } = await again();
    for (const name of [...longer, "a/index.html"])
      expect(stderr).toMatch(new RegExp(`<${BASE}${name}> is at ${BASE}entity/[0-9a-f]+/: a file of another record`));
    expect(readFileSync(join(site, "a/index.html"), "utf8")).toContain("<title>record a –");
    expect(readFileSync(join(site, "b.schema.jsonld"), "utf8")).toContain('"record b"');
    expect(readFileSync(join(site, "c.ttl"), "utf8")).toContain('"record c"');
    await run(["site", join(own, "with"), "--store", store]);
    expectSame(site, join(own, "with"));
    await run(["delete", ...["a", "a/index.html", "b", "c"].map((name) => BASE + name), "--store", store]);
    expect((await again()).status).toBe(0);
    await run(["site", join(own, "without"), "--store", store]);
    expectSame(site, join(own, "without"));
  });

  it("has the addresses of a service in what a record says as they are", async () => {
    const root = join(folder, "addresses");
    const access_point = [{ id: `${BASE}activity`, type: "DigitalObject" }];
    const content = `${BASE}entity?uri=urn:x`;
    const { site: built } = await siteOf(root, [
      {
        name: "object/x",
        subject_of: [
          { type: "LinguisticObject", content, digitally_carried_by: [{ type: "DigitalObject", access_point }] },
        ],
      },
    ]);
    for (const suffix of ["jsonld", "ttl", "nt"]) {
      const data = readFileSync(join(built, `object/x.${suffix}`), "utf8");
      expect([data.includes(`"${content}"`), /activity(?=[">])/.test(data)], suffix).toEqual([true, true]);
    }
  });

  it("leads to addresses with apostrophes", async () => {
    const wikipedia = "https://fr.wikipedia.org/wiki/Musée_d'Orsay";
    const equivalent = [{ id: wikipedia, type: "Place", _label: "Musée" }];
    const located = { current_location: { id: `${BASE}place/l'aquila`, type: "Place", _label: "L'Aquila" } };
    const objects = Array.from({ length: 60 }, (_, at) => ({ name: `object/${at}`, ...located }));
    const { www, site } = await siteOf(join(folder, "apostrophes"), [
      { name: "place/l'aquila", type: "Place", equivalent },
      { name: "https://elsewhere.example/l'aquila", type: "Place" },
      ...objects,
    ]);
    const host = await plain(www);
    expect((await walked(host)).broken).toEqual([]);
    await host.stop();
    expect(filesOf(site).filter((file) => file.startsWith("referring/"))).toHaveLength(2);
    const page = readFileSync(join(site, "place/l'aquila/index.html"), "utf8");
    expect(page).toContain(`href="${escapeHtml(wikipedia)}"`);
  });

  it("leads to records elsewhere whose IRIs end like the names of files", async () => {
    const elsewhere = "https://elsewhere.example/";
    const names = ["map.ttl", "page.html", "two.schema.jsonld.nt"].map((name) => elsewhere + name);
    const records = names.map((name) => ({ name, _label: name }));
    const { www, status, site } = await siteOf(join(folder, "elsewhere"), records);
    expect(status).toBe(0);
    const host = await plain(www);
    expect((await walked(host)).broken).toEqual([]);
    await host.stop();
    const documents = filesOf(site).filter((file) => file.startsWith("entity/") && file.endsWith(".jsonld"));
    for (const name of names) {
      const [own] = documents.filter((file) => JSON.parse(readFileSync(join(site, file), "utf8")).id === name);
      const linkset = JSON.parse(readFileSync(join(site, own!.replace(/jsonld$/, "linkset.json")), "utf8"));
      const links = linkset.linkset[0].describedby.map(({ href }: { href: string }) => href);
      expect(links).toContain(`${BASE}${own}`);
    }
  });

  it("has the pictures that a service would give: also behind links, but nothing hidden and no pipes", async () => {
    const images = join(folder, "pictures");
    const elsewhere = join(folder, "more-pictures");
    for (const each of [images, join(images, ".hidden"), elsewhere]) mkdirSync(each);
    for (const file of [join(images, "a.jpg"), join(images, ".hidden/b.jpg"), join(elsewhere, "c.jpg")])
      writeFileSync(file, "a picture");
    symlinkSync(elsewhere, join(images, "folder"));
    symlinkSync(join(elsewhere, "c.jpg"), join(images, "file.jpg"));
    symlinkSync(join(elsewhere, "none.jpg"), join(images, "broken.jpg"));
    symlinkSync(images, join(elsewhere, "around"));
    execFileSync("mkfifo", [join(images, "pipe.jpg")]);
    mkdirSync(join(images, "in tiles"));
    const tiled = { "@context": "http://iiif.io/api/image/3/context.json", type: "ImageService3", width: 9, height: 9 };
    writeFileSync(join(images, "in tiles/info.json"), JSON.stringify({ ...tiled, id: "https://example.com/tiles" }));
    writeFileSync(join(elsewhere, "info.json"), "of something else");
    const { store, site: own } = await siteOf(join(folder, "pictured"), [{ name: "object/1" }]);
    const buildIt = () => run(["site", own, "--store", store, "--images", images]);
    const { status } = await buildIt();
    const copied = filesOf(own).filter((file) => file.startsWith("images/"));
    const names = ["a.jpg", "file.jpg", "folder/c.jpg", "folder/info.json", "in tiles/info.json"];
    expect([status, copied.sort()]).toEqual([0, names.map((name) => `images/${name}`)]);
    const information = JSON.parse(readFileSync(join(own, "images/in tiles/info.json"), "utf8"));
    expect(information).toEqual({ ...tiled, id: `${BASE}images/in%20tiles` });
    expect((await buildIt()).stderr).toMatch(/^0 files written/);
  });

  it("is written anew where the file of a picture was replaced, or is gone", async () => {
    const images = join(folder, "replaced");
    mkdirSync(images);
    const names = ["a b.gif", "a#b.gif", "gone.gif", "same.gif"];
    const put = (name: string, width: number) => writeFileSync(join(images, name), gif(width));
    for (const name of names) put(name, 3);
    const records = names.map((name, at) => ({ name: `object/${at}`, ...picturedBy(name) }));
    const others = Array.from({ length: 30 }, (_, at) => ({ name: `object/other${at}` }));
    const { store, site: own } = await siteOf(join(folder, "sized"), [...records, ...others]);
    const buildIn = (to: string) => run(["site", to, "--store", store, "--images", images]);
    await buildIn(own);
    const pages = [0, 1].map((at) => join(own, `object/${at}/index.html`));
    for (const page of pages) expect(readFileSync(page, "utf8")).toContain('width="3"');
    for (const name of names.slice(0, 2)) put(name, 5);
    rmSync(join(images, "gone.gif"));
    asLaterProcess();
    await buildIn(own);
    for (const page of pages) expect(readFileSync(page, "utf8")).toContain('width="5"');
    const anew = join(folder, "sized-anew");
    await buildIn(anew);
    expectSame(own, anew);
  });

  it("says which address cannot be a file's, leads to the record elsewhere, and needs a folder and a base URL", async () => {
    const own = join(folder, "odd");
    const path = join(folder, "odd.jsonl");
    const names = [
      "a%2Fb",
      "k%E4se",
      "object/.htaccess",
      "object?id=7",
      "k%C3%BCnstler/1",
      "browse/object",
      "a",
      "a/",
      "a.ttl",
      "activity",
    ];
    const ids = [...names, "x".repeat(300), "y".repeat(231), "z".repeat(230)].map((each) => BASE + each);
    ids.push("urn:x:1");
    feed(path, ...ids.map((id) => painting(id, id)));
    await run(["load", path, "--store", own, "--on-invalid", "accept", "--base-url", BASE]);
    const www = join(folder, "odd-site");
    const { status, stderr } = await run(["site", join(www, PATH), "--store", own]);
    expect(status).toBe(1);
    expect(stderr).toContain(`vitrine: 13 of 14 records are under ${BASE}: the others are in entity/\n`);
    const saysOf = (id: string) => new RegExp(`<${BASE}${id}> is at ${BASE}entity/[0-9a-f]+/: (.*)`).exec(stderr)?.[1];
    for (const id of ["a%2Fb", "k%E4se", "object/.htaccess", "browse/object", "activity", "x{300}", "y{231}"])
      expect([id, saysOf(id)]).toEqual([id, "no file can be called so"]);
    for (const id of ["a/", "a.ttl"]) expect(saysOf(id)).toBe("a file of another record is called so");
    const files = filesOf(join(www, PATH));
    for (const file of ["künstler/1.jsonld", `${"z".repeat(230)}.schema.jsonld`]) expect(files).toContain(file);
    expect(files.filter((file) => /^entity\/[0-9a-f]+\.jsonld$/.test(file))).toHaveLength(ids.length - 3);
    const read = (file: string) => readFileSync(join(www, PATH, file), "utf8");
    for (const file of files.filter((each) => /^entity\/|^sitemap\/|^activity\//.test(each)))
      expect(read(file)).not.toMatch(/\?uri=|\?id=7(?:<\/loc>|\.\w+")/);
    const named = [...read("activity/page/1.json").matchAll(/(entity\/[0-9a-f]+\.jsonld)"/g)].map(([, file]) => file);
    expect(named.toSorted()).toEqual(files.filter((file) => /^entity\/[0-9a-f]+\.jsonld$/.test(file)));
    for (const [, location] of read("sitemap/1.xml").matchAll(/<loc>(.*?)<\/loc>/g))
      expect(files).toContain(`${decodeURI(location!.slice(BASE.length)).replace(/\/$/, "")}/index.html`);
    const host = await plain(www);
    expect((await walked(host)).broken).toEqual([]);
    await host.stop();
    expect((await run(["site", "--store", own])).status).toBe(2);
    const bare = join(folder, "bare");
    await run(["load", path, "--store", bare, "--on-invalid", "accept"]);
    expect((await run(["site", join(folder, "none"), "--store", bare])).stderr).toContain("give --base-url");
  });
});

describe.each(Object.entries(HOSTS).filter(([name]) => name !== "a plain server"))("by %s", (name, begin) => {
  if (begin === undefined) console.warn(`${name} is not installed: it is not tried as the host of a site`);
  let host: Host;
  beforeAll(async () => {
    if (begin !== undefined) host = await begin(sample.www, PATH);
  });
  afterAll(() => host?.stop());

  const ask = async (path: string, accept = "*/*") => {
    const answer = await fetch(`http://127.0.0.1:${host.port}${PATH}${path}`, { headers: { accept } });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  it.skipIf(begin === undefined)("records are given in the form that is asked for", async () => {
    const types: Readonly<Record<string, string>> = {
      "*/*": "application/ld+json",
      "application/ld+json": "application/ld+json",
      "text/html,application/xhtml+xml,*/*;q=0.8": "text/html",
      "text/turtle": "text/turtle",
      "application/n-triples": "application/n-triples",
      "text/turtle, text/html;q=0.2": "text/turtle",
      'application/ld+json;profile="https://schema.org/"': "application/ld+json",
    };
    for (const [accept, type] of Object.entries(types)) {
      const { status, headers } = await ask("object/young-hare", accept);
      expect([accept, status, headers.get("content-type")?.split(";")[0]]).toEqual([accept, 200, type]);
      expect(headers.get("access-control-allow-origin")).toBe("*");
    }
    expect((await ask("object/young-hare", 'application/ld+json;profile="https://schema.org/"')).text).toContain(
      '"@context":"https://schema.org"',
    );
    for (const path of ["activity", "activity/page/1", "ldes", "ldes/page/2", "context"])
      expect((await ask(path)).status, path).toBe(200);
    expect((await ask(".well-known/void")).headers.get("content-type")).toBe("text/turtle");
    const missing = await ask("object/nothing", "text/html");
    expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "text/html"]);
    expect(missing.headers.get("access-control-allow-origin")).toBe("*");
    expect(missing.text).toContain(`There is nothing at this address`);
    expect(missing.text).toContain(`href="${PATH}#browse"`);
    if (name === "Apache") {
      const { headers } = await ask("object/young-hare");
      expect(headers.get("link")).toContain("young-hare.linkset.json>");
      expect(headers.get("access-control-expose-headers")).toBe("*");
    }
    const above = await fetch(`http://127.0.0.1:${host.port}${PATH.slice(0, -1)}`, { redirect: "manual" });
    expect([above.status, above.headers.get("location")]).toEqual([301, expect.stringMatching(`${PATH}$`)]);
    // Browsers ask before a request with a profile.
    const preflight = await fetch(`http://127.0.0.1:${host.port}${PATH}object/young-hare`, { method: "OPTIONS" });
    expect([preflight.ok, preflight.headers.get("access-control-allow-headers")]).toEqual([true, "*"]);
  });

  it.skipIf(begin === undefined)(
    "records with characters of queries and of encodings in their names are given, too",
    async () => {
      const names = [
        "object/a%3Fb",
        "object/a%23b",
        "object/a%25",
        "object/a%2541",
        "object/a%3Fb/c",
        "object/a%26%3B%2B+",
      ];
      const { www, store } = await siteOf(
        join(folder, `encoded-${name}`),
        names.map((each) => ({ name: each })),
      );
      const host = await begin!(www, PATH);
      for (const each of names) {
        const { stdout } = await run(["get", BASE + each, "--format", "ttl", "--store", store]);
        const answer = await fetch(`http://127.0.0.1:${host.port}${PATH}${each}`, {
          headers: { accept: "text/turtle" },
        });
        expect([each, await answer.text()]).toEqual([each, stdout]);
        if (name === "Apache") expect(answer.headers.get("link")).toContain(`, <${BASE}${each}>; rel="canonical"`);
      }
      expect((await walked(host)).broken).toEqual([]);
      await host.stop();
    },
  );

  it.skipIf(begin === undefined)("records whose IRIs end in a slash are given in every form, too", async () => {
    const members = {
      name: "object/x/",
      representation: [
        {
          type: "VisualItem",
          digitally_shown_by: [
            { type: "DigitalObject", access_point: [{ id: `https://elsewhere.example/x.jpg`, type: "DigitalObject" }] },
          ],
        },
      ],
    };
    const { www, site } = await siteOf(join(folder, `slashes-${name}`), [members, { name: "object/caf%C3%A9%20noir" }]);
    const host = await begin!(www, PATH);
    const address = `http://127.0.0.1:${host.port}${PATH}object/x/`;
    for (const type of ["application/ld+json", "text/turtle", "text/html"]) {
      const { status, headers } = await fetch(address, { headers: { accept: type } });
      expect([status, headers.get("content-type")?.split(";")[0]]).toEqual([200, type]);
      if (name === "Apache" && type !== "text/html") {
        expect(headers.get("link")).toContain(`<${BASE}object/x.linkset.json>; rel="linkset"`);
        expect(headers.get("link")).toContain(`<${BASE}object/x/>; rel="canonical"`);
      }
    }
    if (name === "Apache") {
      const { headers } = await fetch(`http://127.0.0.1:${host.port}${PATH}object/caf%C3%A9%20noir`);
      expect(headers.get("link")).toContain(`<${BASE}object/caf%c3%a9%20noir.linkset.json>; rel="linkset"`);
      expect(headers.get("link")).toContain(`<${BASE}object/caf%C3%A9%20noir>; rel="canonical"`);
    }
    expect((await walked(host)).broken).toEqual([]);
    await host.stop();
    const texts = filesOf(site).filter((file) => file.startsWith("object/"));
    expect(texts.filter((file) => readFileSync(join(site, file), "utf8").includes("/x/."))).toEqual([]);
  });
});

it.skipIf(HOSTS.Apache === undefined)("w3id.org redirects to a base URL with encoded characters", async () => {
  const base = "https://museum.example/l'%C3%A9t%C3%A9%201/$1/100%25";
  const { www, site } = await siteOf(join(folder, "w3id"), [{ name: "object/1" }], `${base}/`);
  mkdirSync(join(www, "museum"));
  copyFileSync(join(site, "_host/w3id.htaccess"), join(www, "museum/.htaccess"));
  const host = await HOSTS.Apache!(www, "/");
  const address = `http://127.0.0.1:${host.port}/museum/object/caf%C3%A9%20noir?a=b`;
  const { status, headers } = await fetch(address, { redirect: "manual" });
  expect([status, new URL(headers.get("location")!).href]).toEqual([
    303,
    `${base.replaceAll("%C3%A9", "%c3%a9")}/object/caf%c3%a9%20noir?a=b`,
  ]);
  await host.stop();
});
