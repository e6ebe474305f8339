/** IIIF manifests: what each states, and all of the sample and the corpus against IIIF's own schema and parser. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Traverse } from "@iiif/parser";
import { Ajv } from "ajv";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { Publication } from "../../../src/http/entity/publication.js";
import { writtenText } from "../../../src/http/representations/representation.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { openForLoading } from "../../../src/store/open.js";
import { SAMPLE } from "../../data/sample.js";
import { shareOf } from "../../extent.js";
import { UNOPTIMIZED } from "../../json-schema.js";
import { type JsonObject, readingAt } from "../../jsonld/documents.js";
import { dimension, fileAt, fromService, HEIGHT, WIDTH } from "../../jsonld/parts.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { BASE, publish, publishDocuments, serviceForAll } from "../service.js";

const PRESENTATION = "http://iiif.io/api/presentation/3/context.json";

const SCHEMA = "../shared/outside/iiif/iiif_3_0.json";
const CORPUS = "../shared/corpus/official.jsonl";
const ZERO = "https://creativecommons.org/publicdomain/zero/1.0/";

/** The header of a GIF. */
const gif = (width: number, height: number): Buffer =>
  Buffer.from(`GIF89a${String.fromCharCode(width, 0, height, 0)}\x80\x00\x00`, "latin1");

function object(id: string, digital: JsonObject, more: JsonObject = {}): JsonObject {
  const shown = { _label: "A view", format: "image/jpeg", type: "DigitalObject", ...digital };
  return {
    id: `${BASE}/object/${id}`,
    type: "HumanMadeObject",
    _label: `Object ${id}`,
    representation: [{ type: "VisualItem", digitally_shown_by: [shown] }],
    ...more,
  };
}

const far = fileAt("https://images.example/1.jpg");
const pixels = { dimension: [dimension(WIDTH, 1200), dimension(HEIGHT, 800)] };
const member = { member_of: [{ id: `${BASE}/set/all`, type: "Set" }] };
const cm = "http://vocab.getty.edu/aat/300379098";

const DOCUMENTS: readonly JsonObject[] = [
  object("pixels", { ...far, ...pixels }, member),
  object("file", { ...fileAt(`${BASE}/images/small.gif`), format: "image/gif" }),
  object("replaced", { ...fileAt(`${BASE}/images/replaced.gif`), format: "image/gif" }),
  object("shape", far, { dimension: [dimension(WIDTH, 20, cm), dimension(HEIGHT, 40, cm)] }),
  object("unknown", far, member),
  object("inches", far, { dimension: [dimension(WIDTH, 20, cm), dimension(HEIGHT, 40, `${BASE}/concept/inch`)] }),
  object("service", { ...fromService("https://iiif.example/1", "http://iiif.io/api/image/3/level2.json"), ...pixels }),
  object("unsaid", { ...fromService("https://iiif.example/2", "http://iiif.io/api/image"), ...pixels }),
  object("tiles", fromService(`${BASE}/images/tiles`, "http://iiif.io/api/image/3/level0.json")),
  object("missing", fileAt(`${BASE}/images/missing.gif`)),
  object("garbled", { ...fromService(`${BASE}/images/%zz`, "http://iiif.io/api/image"), ...far }),
  object("outside", fileAt(`${BASE}/images/%2e%2e/outside.gif`)),
  object(
    "rights",
    { ...far, ...pixels },
    {
      subject_to: [{ type: "Right", classified_as: [{ id: ZERO, type: "Type", _label: "CC0" }] }],
      identified_by: [
        { type: "Name", content: "Girl", language: [{ id: "http://vocab.getty.edu/aat/300388277", type: "Language" }] },
        {
          type: "Name",
          content: "Meisje",
          language: [{ id: "http://vocab.getty.edu/aat/300388256", type: "Language" }],
        },
        { type: "Identifier", content: "<670> & more" },
      ],
      current_owner: [{ id: `${BASE}/group/1`, type: "Group", _label: "The <owner>" }],
      referred_to_by: [
        {
          type: "LinguisticObject",
          content: "Bequest of A. A. des Tombe",
          classified_as: [{ id: "http://vocab.getty.edu/aat/300026687", type: "Type" }],
        },
      ],
    },
  ),
  object(
    "unlabelled",
    { ...far, ...pixels },
    {
      made_of: [{ id: `${BASE}/concept/linen`, type: "Material" }],
      produced_by: { type: "Production", carried_out_by: [{ id: `${BASE}/person/anna`, type: "Person" }] },
      subject_to: [{ type: "Right", _label: "Copyright", possessed_by: [{ type: "Group", _label: "A press" }] }],
    },
  ),
  { id: `${BASE}/concept/linen`, type: "Material", _label: "Fine linen" },
  { id: `${BASE}/person/anna`, type: "Person", _label: "Anna" },
  { id: `${BASE}/set/all`, type: "Set", _label: "All" },
  { id: `${BASE}/set/none`, type: "Set", _label: "None" },
  { id: `${BASE}/set/over`, type: "Set", _label: "Over all" },
];

// biome-ignore lint/suspicious/noExplicitAny: a manifest is read here as a client reads it.
type Manifest = any;

const own = serviceForAll({ site: { title: "The museum" } });
beforeAll(async () => {
  await publishDocuments(own.store, ...DOCUMENTS);
  await writeFile(join(own.images, "small.gif"), gif(3, 2));
  await writeFile(join(own.images, "..", "outside.gif"), gif(3, 2));
});

async function answerOf(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${own.origin}/${path}`, { headers });
}

async function manifestOf(id: string): Promise<Manifest> {
  const answer = await answerOf(`object/${id}.manifest.json`);
  expect(answer.status, id).toBe(200);
  return answer.json();
}

const canvasOf = async (id: string): Promise<Manifest> => (await manifestOf(id)).items[0];
const bodyOf = async (id: string): Promise<Manifest> => (await canvasOf(id)).items[0].items[0].body;
const sizeOf = ({ width, height }: Manifest): unknown => [width, height];

describe("a canvas", () => {
  it("has the size that the record gives the image", async () => {
    expect(sizeOf(await canvasOf("pixels"))).toEqual([1200, 800]);
    expect(await bodyOf("pixels")).toEqual({
      id: "https://images.example/1.jpg",
      type: "Image",
      format: "image/jpeg",
      width: 1200,
      height: 800,
    });
  });

  it("has the size of the service's own image file", async () => {
    expect(sizeOf(await canvasOf("file"))).toEqual([3, 2]);
    expect(await bodyOf("file")).toMatchObject({ format: "image/gif", width: 3, height: 2 });
  });

  it("has the new size of a file that was replaced, and so has the page, each with a new entity tag", async () => {
    const file = join(own.images, "replaced.gif");
    const bodyIn: Record<string, RegExp> = { ".manifest.json": /"width":(\d+)/, ".html": /<img [^>]*width="(\d+)"/ };
    const get = (suffix: string, tag = "") => answerOf(`object/replaced${suffix}`, { "if-none-match": tag });
    const shown = async (suffix: string) => {
      const answer = await get(suffix);
      return { width: bodyIn[suffix]!.exec(await answer.text())?.[1], tag: answer.headers.get("etag")! };
    };
    await writeFile(file, gif(3, 2));
    const before = new Map<string, string>();
    for (const suffix of Object.keys(bodyIn)) {
      // The second request puts it into the cache.
      for (const _ of [1, 2]) before.set(suffix, (await shown(suffix)).tag);
      expect((await shown(suffix)).width).toBe("3");
    }
    await writeFile(file, gif(5, 4));
    const now = performance.now.bind(performance);
    // The size of a file is remembered for a while.
    const later = vi.spyOn(performance, "now").mockImplementation(() => now() + 20_000);
    onTestFinished(() => later.mockRestore());
    for (const suffix of Object.keys(bodyIn)) {
      expect((await get(suffix, before.get(suffix))).status).toBe(200);
      const { width, tag } = await shown(suffix);
      expect([width, (await get(suffix, tag)).status]).toEqual(["5", 304]);
    }
  });

  it("has the size of the service's own tiles, whose info.json has their address", async () => {
    const information = { "@context": "http://iiif.io/api/image/3/context.json", id: "x", type: "ImageService3" };
    await mkdir(join(own.images, "tiles"));
    const large = JSON.stringify({ ...information, profile: "level0", width: 3000, height: 3800 });
    await writeFile(join(own.images, "tiles", "info.json"), large);
    expect(sizeOf(await canvasOf("tiles"))).toEqual([3000, 3800]);
    const base = `${BASE}/images/tiles`;
    expect((await bodyOf("tiles")).service).toEqual([{ id: base, type: "ImageService3", profile: "level0" }]);
    const answer = await answerOf("images/tiles/info.json");
    expect(answer.headers.get("content-type")).toBe(`application/ld+json;profile="${information["@context"]}"`);
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    expect(await answer.json()).toEqual({ ...JSON.parse(large), id: base });
    // The address of the service itself leads there (Image API 3.0, 2).
    for (const path of ["images/tiles", "images/tiles/"]) {
      const leading = await fetch(`${own.origin}/${path}`, { redirect: "manual" });
      expect([leading.status, leading.headers.get("location")]).toEqual([303, `${base}/info.json`]);
    }
  });

  it.each([
    ["old/info.json", { "@id": "x", width: 3, height: 2 }, { "@id": `${BASE}/images/old`, width: 3, height: 2 }],
    ["other/info.json", { title: "No image" }, { title: "No image" }],
    ["a b/info.json", { "@id": "x", width: 3, height: 2 }, { "@id": `${BASE}/images/a%20b`, width: 3, height: 2 }],
  ])(
    "may have an info.json, which is served with its own address if it describes an image: %s",
    async (name, file, expected) => {
      await mkdir(join(own.images, name, ".."));
      await writeFile(join(own.images, name), JSON.stringify(file));
      expect(await (await answerOf(`images/${name}`)).json()).toEqual(expected);
    },
  );

  it("is never read from hidden files", async () => {
    await mkdir(join(own.images, ".hidden"));
    await writeFile(join(own.images, ".hidden", "info.json"), JSON.stringify({ width: 3, height: 2 }));
    for (const name of [".hidden", "%2ehidden", "%252ehidden"])
      for (const path of [name, `${name}/info.json`])
        expect([path, (await answerOf(`images/${path}`)).status]).toEqual([path, 404]);
  });

  it("has the proportions of the object when the image's size is unknown, and the image then has no size", async () => {
    expect(sizeOf(await canvasOf("shape"))).toEqual([500, 1000]);
    expect(sizeOf(await bodyOf("shape"))).toEqual([undefined, undefined]);
  });

  it.each(["unknown", "inches", "outside", "missing", "garbled"])("is not made up: %s", async (id) => {
    expect((await answerOf(`entity?uri=${encodeURIComponent(`${BASE}/object/${id}`)}&format=manifest`)).status).toBe(
      404,
    );
    expect((await answerOf(`object/${id}.manifest.json`)).status).toBe(404);
  });

  it("states the version and level of the image service, or the lowest level when unknown", async () => {
    expect((await bodyOf("service")).service).toEqual([
      { id: "https://iiif.example/1", type: "ImageService3", profile: "level2" },
    ]);
    expect((await bodyOf("unsaid")).service).toEqual([
      {
        "@id": "https://iiif.example/2",
        "@type": "ImageService2",
        profile: "http://iiif.io/api/image/2/level0.json",
      },
    ]);
  });
});

describe("a manifest", () => {
  it("has the statements of the page", async () => {
    const manifest = await manifestOf("rights");
    expect(manifest).toMatchObject({
      "@context": PRESENTATION,
      id: `${BASE}/object/rights.manifest.json`,
      type: "Manifest",
      label: { en: ["Girl"], nl: ["Meisje"] },
      rights: ZERO.replace("https:", "http:"),
      requiredStatement: { label: { en: ["Credit line"] }, value: { none: ["Bequest of A. A. des Tombe"] } },
      homepage: [{ id: `${BASE}/object/rights`, format: "text/html" }],
    });
    expect(manifest.provider[0].label).toEqual({ none: ["The museum"] });
    const rows = new Map(manifest.metadata.map(({ label, value }: Manifest) => [label.en[0], value.none]));
    expect(rows.get("Number")).toEqual(["<670> & more"]);
    expect(rows.get("Owner")).toEqual([`<span><a href="${BASE}/group/1">The &lt;owner&gt;</a></span>`]);
    const formats = manifest.seeAlso.map(({ format }: Manifest) => format);
    expect(formats).toEqual(expect.arrayContaining(["application/ld+json", "text/turtle"]));
  });

  it("calls what the record refers to without a label as its record here does, and keeps words apart", async () => {
    const { metadata } = await manifestOf("unlabelled");
    expect(metadata.map(({ value }: Manifest) => value.none[0])).toEqual([
      "Anna",
      `<span><a href="${BASE}/concept/linen">Fine linen</a></span>`,
      "Copyright Held by A press",
    ]);
  });

  it("links to the forms that the record has: EDM of objects alone", async () => {
    const linked = async (path: string): Promise<string[]> => {
      const { seeAlso }: Manifest = await (await answerOf(`${path}.manifest.json`)).json();
      return seeAlso.map(({ id }: Manifest) => id.slice(`${BASE}/${path}`.length));
    };
    const forms = [".jsonld", ".ttl", ".nt", ".rdf", ".schema.jsonld"];
    expect(await linked("object/pixels")).toEqual([...forms, ".edm.rdf"]);
    expect(await linked("set/all")).toEqual(forms);
  });

  it("is selected by its profile, and linked only when there is one", async () => {
    const accept = { Accept: `application/ld+json;profile="${PRESENTATION}"` };
    const negotiated = await answerOf("object/pixels", accept);
    expect(negotiated.headers.get("content-type")).toBe(accept.Accept);
    const refusal = await answerOf("object/unknown", accept);
    expect([refusal.status, await refusal.text()]).toEqual([406, expect.stringContaining("has nothing to show as")]);
    const missing = await answerOf("object/unknown.manifest.json");
    expect([missing.status, await missing.json()]).toMatchObject([
      404,
      { instance: expect.stringMatching("^[^:]*/object/unknown.manifest.json$"), record: `${BASE}/object/unknown` },
    ]);
    for (const path of ["object/pixels.linkset.txt", "object/pixels.html", "set/all.linkset.json"]) {
      expect(await (await answerOf(path)).text(), path).toContain(".manifest.json");
    }
    for (const path of ["object/1.linkset.txt", "object/unknown.html", "set/none.linkset.json"]) {
      expect(await (await answerOf(path)).text(), path).not.toContain("manifest.json");
    }
  });

  it("is not listed on 406 for a record that has none", async () => {
    const refusal = await answerOf("object/unknown", { Accept: "image/png" });
    expect([refusal.status, refusal.headers.get("link")]).toEqual([406, expect.not.stringContaining("manifest")]);
    expect(await refusal.text()).not.toContain("manifest");
  });

  it("comes and goes with the records that it depends on, even in cached answers", async () => {
    const seen: JsonObject = { id: `${BASE}/visual/late`, type: "VisualItem" };
    const record = { id: `${BASE}/object/late`, type: "HumanMadeObject", shows: [seen] };
    await publishDocuments(own.store, record);
    const hasLink = async (): Promise<boolean> =>
      (await (await answerOf("object/late.linkset.json")).text()).includes("late.manifest.json");
    for (let times = 0; times < 3; times++) expect(await hasLink()).toBe(false);
    const digital = { id: `${BASE}/digital/late`, ...far, ...pixels };
    await publishDocuments(own.store, { ...digital, digitally_shows: [seen] });
    for (let times = 0; times < 3; times++) expect(await hasLink()).toBe(true);
    expect(sizeOf(await canvasOf("late"))).toEqual([1200, 800]);
    const { headers } = await answerOf("object/late.manifest.json");
    const tag = { "If-None-Match": headers.get("etag")! };
    expect((await answerOf("object/late.manifest.json", tag)).status).toBe(304);
    await publish(own.store, [], [`${BASE}/digital/late`]);
    expect(await hasLink()).toBe(false);
    expect((await answerOf("object/late.manifest.json", tag)).status).toBe(404);
  });
});

describe("a Set", () => {
  it("is a Collection of the manifests of its members, and has none without them", async () => {
    const collection: Manifest = await (await answerOf("set/all.manifest.json")).json();
    expect(collection.type).toBe("Collection");
    expect(collection.items.map(({ id, type }: Manifest) => [id, type])).toEqual([
      [`${BASE}/object/pixels.manifest.json`, "Manifest"],
    ]);
    expect((await answerOf("set/none.manifest.json")).status).toBe(404);
  });

  it("is a Collection as long as a member has pictures, even when cached before", async () => {
    const seen: JsonObject = { id: `${BASE}/visual/of-member`, type: "VisualItem" };
    const set = { id: `${BASE}/set/late`, type: "Set", _label: "Late" };
    const of = { shows: [seen], member_of: [{ id: set.id, type: "Set" }] };
    const member = { id: `${BASE}/object/of-late`, type: "HumanMadeObject", ...of };
    const statuses = async (): Promise<number[]> => {
      const answers = [await answerOf("set/late.manifest.json"), await answerOf("set/late.manifest.json")];
      return answers.map(({ status }) => status);
    };
    await publishDocuments(own.store, set, member);
    expect(await statuses()).toEqual([404, 404]);
    const digital = { id: `${BASE}/digital/of-late`, ...far, ...pixels };
    await publishDocuments(own.store, { ...digital, digitally_shows: [seen] });
    expect(await statuses()).toEqual([200, 200]);
    await publish(own.store, [], [digital.id]);
    expect(await statuses()).toEqual([404, 404]);
  });

  it("names the Collections of the Sets in it", async () => {
    const within = { id: `${BASE}/set/all`, type: "Set", _label: "All" };
    const over = { member_of: [{ id: `${BASE}/set/over`, type: "Set" }] };
    await publishDocuments(own.store, { ...within, ...over });
    const collection: Manifest = await (await answerOf("set/over.manifest.json")).json();
    expect(collection.items).toEqual([
      { id: `${BASE}/set/all.manifest.json`, type: "Collection", label: { none: ["All"] } },
    ]);
  });
});

describe("all manifests", () => {
  const manifests = new Map<string, Manifest>();
  const directory = temporaryFolder();
  beforeAll(async () => {
    const corpus = existsSync(CORPUS) ? shareOf(readFileSync(CORPUS, "utf8").trim().split("\n"), 4) : [];
    const documents = [
      ...[...SAMPLE.values()].map(({ document }) => document),
      ...corpus.map((line) => JSON.parse(line)),
    ];
    const graphs = documents.map(readingAt(`${BASE}/`));
    const store = await openForLoading({ directory });
    await publish(store, graphs);
    const { addresses, representations } = new Publication({
      model: DEFAULT_MODEL,
      baseUrl: BASE,
      images: "data/images",
    });
    const { appliesTo, write } = representations.find(({ format }) => format === "manifest")!;
    for (const { iri } of graphs) {
      const record = await (await store.find(iri))!.record();
      const context = { store, addresses, languages: [] };
      if (await appliesTo!(record, context))
        manifests.set(iri.replace(`${BASE}/`, ""), JSON.parse(writtenText(await write(record, context))));
    }
    await store.close();
  });

  it("belong to records with pictures", () => {
    expect(manifests.size).toBeGreaterThan(60);
    for (const path of ["object/mona-lisa", "visual/mona-lisa", "digital/mona-lisa", "set/works-missing"]) {
      expect([...manifests.keys()]).toContain(path);
    }
    expect(manifests.has("concept/vellum")).toBe(false);
  });

  it.skipIf(!existsSync(SCHEMA))("pass IIIF's own schema (needs ../shared)", () => {
    const ajv = new Ajv({ ...UNOPTIMIZED, strict: false, validateFormats: false });
    const validate = ajv.compile(JSON.parse(readFileSync(SCHEMA, "utf8")));
    for (const [path, manifest] of manifests) {
      expect([path, validate(manifest) || validate.errors]).toEqual([path, true]);
    }
  });

  it("are read by IIIF's parser, and the members of Collections have manifests of their own", () => {
    const known = new Set([...manifests.values()].map(({ id }) => id));
    for (const manifest of manifests.values()) {
      const canvases: string[] = [];
      const members: string[] = [];
      const traverse = new Traverse({
        canvas: [(canvas: Manifest) => canvases.push(canvas.id)],
        collection: [(each: Manifest) => members.push(each.id)],
        manifest: [(each: Manifest) => members.push(each.id)],
      });
      traverse.traverseUnknown(manifest);
      // The manifest itself is counted as a member.
      expect(canvases.length + members.length).toBeGreaterThan(1);
      if (manifest.type === "Collection") for (const { id } of manifest.items) expect([...known]).toContain(id);
    }
  });
});
