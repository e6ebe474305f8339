/** The Reconciliation Service API 0.2 at `/reconcile`: against its schemas, and with queries as OpenRefine sends them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Ajv, type AnySchema } from "ajv";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { candidatesOf, parseQueries } from "../../../src/http/routes/search/reconcile-queries.js";
import { ENDPOINTS } from "../../../src/model/tables/endpoints.js";
import type { yearsIn } from "../../../src/search/years.js";
import { SAMPLE } from "../../data/sample.js";
import { shareOf } from "../../extent.js";
import { UNOPTIMIZED } from "../../json-schema.js";
import { type JsonObject, readingAt } from "../../jsonld/documents.js";
import { forAllAsync, runsOf } from "../../properties.js";
import { turnsDuring } from "../../turns.js";
import { BASE, publish, publishDocuments, serviceForAll } from "../service.js";

const SPEC = "../shared/reconciliation/0.2";
const isAbsent = !existsSync(SPEC);

/** The records of the sample that the service has. */
const SAMPLES = [...SAMPLE.values()].filter(({ endpoint }) =>
  ["person", "group", "object", "place", "event", "text", "digital", "visual"].includes(endpoint),
);

const service = serviceForAll();
beforeAll(async () => {
  const read = readingAt(`${BASE}/`);
  await publish(
    service.store,
    SAMPLES.map(({ document }) => read(document)),
  );
});

const ajv = new Ajv({ ...UNOPTIMIZED, strict: false, validateFormats: false });

/** Whether a response conforms to its schema, or the errors. `true` when the schemas are absent. */
function isSound(name: string, value: unknown): true | string {
  if (isAbsent) return true;
  if (ajv.getSchema("type.json") === undefined) ajv.addSchema(read(`${SPEC}/schemas/type.json`), "type.json");
  const swagger = "http://swagger.io/v2/schema.json";
  if (ajv.getSchema(swagger) === undefined)
    ajv.addSchema({ definitions: { securityDefinitions: { additionalProperties: {} } } }, swagger);
  const validate =
    ajv.getSchema(name) ?? ajv.addSchema(resolved(read(`${SPEC}/schemas/${name}.json`)), name).getSchema(name)!;
  return validate(value) === true || ajv.errorsText(validate.errors);
}

function read(file: string): AnySchema {
  return JSON.parse(readFileSync(file, "utf8")) as AnySchema;
}

/** A schema without `$id`, so that its references lead to the files beside it and not to the published schemas. */
function resolved(schema: AnySchema): AnySchema {
  const { $id: _id, ...rest } = schema as JsonObject;
  return rest;
}

const at = (path: string): string => `${service.origin}/collection/reconcile${path}`;

async function json(path: string): Promise<JsonObject> {
  const response = await fetch(at(path));
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as JsonObject;
}

function post(parameters: Record<string, string>): Promise<Response> {
  return fetch(at(""), { method: "POST", body: new URLSearchParams(parameters) });
}

interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly score: number;
  readonly match: boolean;
  readonly description: string;
  readonly type: readonly { readonly id: string }[];
}

async function reconcile(query: JsonObject): Promise<readonly Candidate[]> {
  const response = await post({ queries: JSON.stringify({ q0: query }) });
  expect(response.status).toBe(200);
  const results = (await response.json()) as { q0: { result: Candidate[] } };
  expect(isSound("reconciliation-result-batch", results)).toBe(true);
  return results.q0.result;
}

const ROOT = "http://data.museum.example/collection/";
const REMBRANDT = `${ROOT}person/rembrandt`;

describe("/reconcile", () => {
  it("describes itself and its abilities", async () => {
    const manifest = await json("");
    expect(isSound("manifest", manifest)).toBe(true);
    expect(manifest).toMatchObject({ versions: ["0.2"], name: "Vitrine" });
  });

  it("finds an entity by name, beginning, words, identifier and IRI, with different scores", async () => {
    const [exact] = await reconcile({ query: "rembrandt", type: "person" });
    expect(exact).toMatchObject({ id: REMBRANDT, name: "Rembrandt", score: 100, match: true });
    expect((await reconcile({ query: REMBRANDT }))[0]).toMatchObject({ id: REMBRANDT, score: 100, match: true });
    // The four digits of a port are no life dates.
    const iri = "http://localhost:4200/place/delft";
    await publishDocuments(service.store, { id: iri, type: "Place", _label: "Delft" });
    expect((await reconcile({ query: iri }))[0]).toMatchObject({ id: iri, score: 100, match: true });
    await publish(service.store, [], [iri]);
    const [begun] = await reconcile({ query: "rembr", type: "person" });
    expect(begun).toMatchObject({ id: REMBRANDT, match: false });
    expect(begun!.score).toBeLessThan(100);
    expect(await reconcile({ query: "rembrandt", type: "place", limit: 3 })).not.toContainEqual(
      expect.objectContaining({ id: REMBRANDT }),
    );
    expect(await reconcile({ query: "rembrandt", limit: 1 })).toHaveLength(1);
    const scores = (await reconcile({ query: "rembrandt" })).map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(await reconcile({ query: "rembrandt", type: "no such type" })).toEqual([]);
  });

  it("leaves the event loop to others after each candidate", async () => {
    const { store } = service;
    const [query] = parseQueries(JSON.stringify({ q: { query: "a", limit: 50 } })).values();
    let candidates: readonly JsonObject[] = [];
    const turns = await turnsDuring(async () => {
      candidates = await candidatesOf(store, store.search!, query!);
    });
    expect(candidates.length).toBeGreaterThan(10);
    expect(turns).toBeGreaterThanOrEqual(candidates.length);
  });

  it("compares some values of each property, leaves the event loop to others after each, and stops if the client leaves", async () => {
    const { store } = service;
    const properties = [{ pid: "_label", v: Array.from({ length: 1_000 }, (_, at) => `b${at}`) }];
    const [query] = parseQueries(JSON.stringify({ q: { query: "a", limit: 3, properties } })).values();
    let candidates: readonly JsonObject[] = [];
    const turns = await turnsDuring(async () => {
      candidates = await candidatesOf(store, store.search!, query!);
    });
    expect(turns).toBeGreaterThan(10 * candidates.length);
    expect(turns).toBeLessThan(1_000);
    expect(await candidatesOf(store, store.search!, query!, AbortSignal.abort())).toEqual([]);
  });

  it("reads the years of a value once for all candidates, and no more of them if the client leaves", async () => {
    const { store } = service;
    const v = ["1650", "undated 1"];
    const properties = ["produced_by/timespan", "produced_by/timespan"].map((pid) => ({ pid, v }));
    const [query] = parseQueries(JSON.stringify({ q: { query: "a", type: "object", limit: 50, properties } })).values();
    const leaving = new AbortController();
    const read: string[] = [];
    const yearsOf: typeof yearsIn = (value) => {
      if (read.push(value) === v.length) leaving.abort();
      return query!.yearsOf(value);
    };
    await candidatesOf(store, store.search!, { ...query!, yearsOf }, leaving.signal);
    expect(read).toEqual(v);
    expect(query!.yearsOf("1650")).toBe(query!.yearsOf("1650"));
  });

  it("reads the beginning of long texts, so that caches and patterns need not keep or search the rest", () => {
    const long = "Night Watch ".repeat(50_000);
    const [query] = parseQueries(
      JSON.stringify({ q: { query: long, properties: [{ pid: "_label", v: long }] } }),
    ).values();
    const beginning = long.slice(0, 2_000);
    expect(query).toMatchObject({ query: beginning, properties: [{ pid: "_label", values: [beginning] }] });
  });

  it("understands typing errors, initials and extra words, but does not match automatically on them", async () => {
    for (const query of [
      "rembrant",
      "R. van Rijn",
      "Rembrandt Amsterdam",
      "rem brandt",
      "Rembrandt, Zzyzx Qwrtz Xyzzyx",
      "Rembrandt (Zzyzx, b. Qwrtz 1606)",
    ]) {
      const [first] = await reconcile({ query, type: "person" });
      expect([query, first]).toMatchObject([query, { id: REMBRANDT, match: false }]);
      expect(first!.score).toBeLessThan(100);
    }
    expect(await reconcile({ query: "Rembrandt Zzyzx Qwrtz Xyzzyx", type: "person" })).toEqual([]);
  });

  it("treats inverted names and names with the record's life dates as the name", async () => {
    const scoreOf = async (query: string) => (await reconcile({ query, type: "person" }))[0];
    for (const query of ["Rembrandt (1606-1669)", "Rembrandt, 1606–1669", "van Rijn, Rembrandt Harmensz (1606-)"])
      expect([query, await scoreOf(query)]).toMatchObject([query, { id: REMBRANDT, score: 100, match: true }]);
    for (const query of ["Ptolemy V Epiphanes (210–180 BC)", "Ptolemy V Epiphanes, 210 av. J.-C.-180 av. J.-C."])
      expect([query, await scoreOf(query)]).toMatchObject([query, { score: 100, match: true }]);
    expect(await scoreOf("Ptolemy V Epiphanes (310-280 BC)")).toMatchObject({ score: 60, match: false });
    expect(await scoreOf("Rembrandt (1640-1660)")).toMatchObject({ id: REMBRANDT, score: 90, match: false });
    expect(await scoreOf("Rembrandt (1806-1869)")).toMatchObject({ id: REMBRANDT, score: 60, match: false });
    expect(await scoreOf("Alfredo Geri (1866-1940)")).toMatchObject({ name: "Alfredo Geri", score: 90 });
    for (const query of ["Delft, Netherlands", "Delft (Netherlands)", "Delft, Zuid-Holland, Nederland"])
      expect((await reconcile({ query, type: "place" }))[0]).toMatchObject({ name: "Delft", score: 85 });
    // An inventory number is not a pair of life dates.
    expect((await reconcile({ query: "SL 5218-161" }))[0]).toMatchObject({
      name: "Drawing of a rhinoceros",
      score: 100,
    });
  });

  it("finds the same first candidate and the same match, however few are wanted", async () => {
    const titled = [
      "Quince and a lemon on a dish",
      "Quince and pears on a table",
      "Quince before a window",
      "Quince tree",
    ];
    const works = titled.map((_label, at) => ({ id: `${ROOT}object/quince-${at}`, type: "HumanMadeObject", _label }));
    await publishDocuments(service.store, ...works);
    for (const limit of [10, 1])
      expect([limit, (await reconcile({ query: "Quince", limit }))[0]!.name]).toEqual([limit, "Quince tree"]);
  });

  it("describes candidates by what distinguishes records of the same name", async () => {
    const described = async (query: string, type: string) => (await reconcile({ query, type }))[0]!.description;
    expect(await described("rembrandt", "person")).toBe("Person: Dutch, Painter, 1606 – 1669, Leiden");
    expect(await described("jan van eyck", "person")).toMatch(/^Person: .*– 1441/);
    expect(await described("Girl with a Pearl Earring", "object")).toBe(
      "Object: Painting, Johannes Vermeer, about 1665, 670",
    );
    expect(await described("Delft", "place")).toMatch(/^Place: /);
  });

  it("ranks a person before an event named after them, unless events are asked for, and does not match on one word", async () => {
    const [first, ...others] = await reconcile({ query: "Vermeer" });
    expect(first).toMatchObject({ id: `${ROOT}person/johannes-vermeer`, match: false });
    const event = others.find(({ id }) => id === `${ROOT}event/vermeer-2023`)!;
    expect(event.score).toBeLessThan(first!.score);
    expect((await reconcile({ query: "Vermeer", type: "event" }))[0]).toMatchObject({ id: event.id, score: 100 });
    for (const query of ["Vermeer,", "“Vermeer”", "Ve\u0301rmeer", "Louvre.", "(Louvre)"])
      expect([query, ...(await reconcile({ query })).filter(({ match }) => match)]).toEqual([query]);
    // Another record has the same name.
    expect((await reconcile({ query: "Johannes Vermeer" }))[0]).toMatchObject({ match: false, score: 100 });
  });

  it("ranks the record with exactly the name first, if it is a match", async () => {
    const [exhibition, society] = [
      { id: `${ROOT}event/haarlem`, type: "Activity", _label: "Haarlem School" },
      { id: `${ROOT}group/haarlem`, type: "Group", _label: "Haarlem School Society" },
    ];
    await publishDocuments(service.store, exhibition, society);
    const found = await reconcile({ query: "Haarlem School" });
    expect(found.map(({ id, match }) => [id, match])).toEqual([
      [exhibition.id, true],
      [society.id, false],
    ]);
    expect(found[0]!.score).toBe(100);
  });

  it("ranks no other type before the requested one, and matches none automatically", async () => {
    const typesOf = async (query: string, strict: string) =>
      (await reconcile({ query, type: "object", type_strict: strict, limit: 50 })).map(({ type }) => type[0]!.id);
    expect(new Set(await typesOf("Rijksmuseum", "any"))).toEqual(new Set(["object"]));
    const kinds = (type_strict: string, ...type: string[]) => reconcile({ query: "Rembrandt", type, type_strict });
    expect((await kinds("any", "object", "person")).length).toBeGreaterThan(0);
    expect(await kinds("all", "object", "person")).toEqual([]);
    expect((await kinds("all", "person", "Person")).map(({ type }) => type[0]!.id)).toContain("person");
    const found = await typesOf("Rijksmuseum", "should");
    expect(found).toContain("object");
    expect(found.lastIndexOf("object")).toBeLessThan(found.indexOf("group"));
    const candidates = await reconcile({ query: "Rijksmuseum", type: "object", type_strict: "should", limit: 50 });
    expect(candidates.map(({ match }) => match)).not.toContain(true);
    const scores = candidates.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((left, right) => right - left));
    // A record of the requested type with the requested name needs no hints at other types.
    expect(new Set(await typesOf("Milkmaid", "should"))).toEqual(new Set(["object"]));
  });

  it("matches every record of the sample by its label and type, and no other record by a word of a person's name", async () => {
    const matchesOf = async (queries: readonly JsonObject[]): Promise<(string | undefined)[]> => {
      const found: (string | undefined)[] = [];
      for (let from = 0; from < queries.length; from += 200) {
        const batch = queries.slice(from, from + 200).map((query, at) => [`q${at}`, query]);
        const answer = await post({ queries: JSON.stringify(Object.fromEntries(batch)) });
        const results = Object.values((await answer.json()) as Record<string, { result: Candidate[] }>);
        found.push(...results.map(({ result }) => result.find(({ match }) => match)?.id));
      }
      return found;
    };
    const people = SAMPLES.filter(({ endpoint }) => endpoint === "person");
    const labelled = shareOf(SAMPLES);
    const typed = labelled.map(({ document, endpoint: type }) => ({ query: document._label as string, type }));
    expect(await matchesOf(typed)).toEqual(labelled.map(({ path }) => ROOT + path));
    const words = shareOf(people).flatMap(({ path, document }) =>
      (document._label as string).split(/[\s-]+/).map((query) => ({ query, iri: ROOT + path })),
    );
    const matched = await matchesOf(words.map(({ query }) => ({ query, limit: 1 })));
    expect(matched.filter((iri, at) => iri !== undefined && iri !== words[at]!.iri)).toEqual([]);
  });

  it("takes properties into account", async () => {
    const [object] = (
      (await (
        await fetch(`${service.origin}/collection/search/object?carriedOutBy=${encodeURIComponent(REMBRANDT)}`)
      ).json()) as { orderedItems: { id: string }[] }
    ).orderedItems;
    const label = (await service.store.find(object!.id))!.meta.label;
    const plain = (await reconcile({ query: label }))[0]!.score;
    const by = (v: string) => reconcile({ query: label, properties: [{ pid: "produced_by/carried_out_by", v }] });
    expect((await by(REMBRANDT))[0]).toMatchObject({ id: object!.id, score: 100 });
    expect((await by("urn:other"))[0]!.score).toBeLessThan(plain);
    const without = await reconcile({ properties: [{ pid: "produced_by/carried_out_by", v: { id: REMBRANDT } }] });
    expect(without.map(({ id }) => id)).toContain(object!.id);
  });

  it("finds nothing by a query or a column that is blank or has only control characters, and matches other columns as without it", async () => {
    const blanks = ["", " ", "\u0001", "\u0000 \u001f"];
    for (const blank of blanks) {
      expect(await reconcile({ query: blank })).toEqual([]);
      expect(await reconcile({ properties: [{ pid: "made_of", v: blank }] })).toEqual([]);
      const asked = [{ pid: "produced_by/carried_out_by", v: REMBRANDT }];
      const found = await reconcile({ query: blank, properties: asked });
      expect(found).toEqual(await reconcile({ properties: asked }));
    }
  });

  it("never scores lower with a column that does not contradict, and scores higher with one that agrees", async () => {
    const girl = (v: unknown, pid = "produced_by/timespan", query = "Girl with the Pearl Earring") =>
      reconcile({ query, type: "object", properties: [{ pid, v }] as JsonObject[] }).then(([first]) => first!);
    const { score } = (await reconcile({ query: "Girl with the Pearl Earring", type: "object" }))[0]!;
    for (const v of ["1665", 1665, "1665-01-01", "c. 1665", "between 1660 and 1670", "about 1665", "17th century"])
      expect([v, (await girl(v)).score > score]).toEqual([v, true]);
    for (const v of ["", "undated", "c. 1672"]) expect((await girl(v)).score).toBeGreaterThanOrEqual(score);
    for (const v of ["1761", "18th century"]) expect((await girl(v)).score).toBeLessThan(score);
    expect((await girl("45", "born/timespan")).score).toBe(score);
    expect(await girl("1665", "produced_by/timespan", "Girl with a Pearl Earring")).toMatchObject({
      score: 100,
      match: true,
    });
    expect((await girl("Vermeer, J.", "produced_by/carried_out_by")).score).toBeGreaterThan(score);
    expect((await girl("39 cm", "dimension")).score).toBeGreaterThan(score);
    const scoreOf = async (...cells: readonly (readonly [pid: string, v: string])[]): Promise<number> => {
      const properties = cells.map(([pid, v]) => ({ pid, v }));
      return (await reconcile({ query: "Girl Earring", type: "object", properties }))[0]!.score;
    };
    const maker = ["produced_by/carried_out_by", "Vermeer, J."] as const;
    const one = await scoreOf(maker);
    expect(await scoreOf(maker, ["born/timespan", "1632"])).toBe(one);
    for (const v of ["1665", "c. 1672"])
      expect([v, (await scoreOf(maker, ["produced_by/timespan", v])) > one]).toEqual([v, true]);
    expect(await scoreOf(maker, ["produced_by/timespan", "1761"])).toBeLessThan(one);
  });

  it.skipIf(isAbsent)("accepts the valid example queries, and refuses the invalid ones (needs ../shared)", async () => {
    for (const kind of ["valid", "invalid"]) {
      const folder = `${SPEC}/examples/reconciliation-query-batch/${kind}`;
      for (const file of readdirSync(folder)) {
        const queries = readFileSync(`${folder}/${file}`, "utf8");
        const posted = await post({ queries });
        expect([file, posted.status]).toEqual([file, kind === "valid" ? 200 : 400]);
        const got = await fetch(`${at("")}?queries=${encodeURIComponent(queries)}`);
        expect([file, got.status]).toEqual([file, posted.status]);
        if (kind === "valid") expect(isSound("reconciliation-result-batch", await posted.json()), file).toBe(true);
      }
    }
    const folder = `${SPEC}/examples/data-extension-query/valid`;
    for (const file of readdirSync(folder)) {
      const response = await post({ extend: readFileSync(`${folder}/${file}`, "utf8") });
      expect(isSound("data-extension-response", await response.json()), file).toBe(true);
    }
  });

  it("answers any valid query, even a very long one", async () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.constantFrom("1000 ".repeat(20_000), "x, ".repeat(10_000), "c".repeat(50_000), "1".repeat(50_000), "(1606-"),
    );
    const pid = fc.constantFrom(
      "produced_by/timespan",
      "dimension",
      "born/timespan",
      "a/__proto__",
      "identified_by",
      "",
    );
    const properties = fc.array(fc.record({ pid, v: text }), { maxLength: 2 });
    await forAllAsync([text, properties], runsOf(100, 12), async (query, asked) => {
      const results = await reconcile({ query, properties: asked });
      expect(results.every(({ score }) => score >= 0 && score <= 100)).toBe(true);
    });
    const v = Array.from({ length: 150_000 }, () => 1);
    expect(await reconcile({ query: "Rembrandt", properties: [{ pid: "born/timespan", v }] })).not.toEqual([]);
  });

  it("refuses an invalid batch", async () => {
    for (const queries of [
      "",
      "[",
      "[]",
      "1",
      '{"q": 1}',
      '{"q": {"query": 1}}',
      '{"q": {"query": "x", "limit": "1"}}',
      '{"q": {"query": "x", "more": 1}}',
      '{"q": {"query": "x", "type": 1}}',
      '{"q": {"query": "x", "type_strict": "no"}}',
      '{"q": {"query": "x", "properties": {}}}',
      '{"q": {"query": "x", "properties": [{"pid": "made_of"}]}}',
      '{"q": {"query": "x", "properties": [{"pid": "made_of", "v": [null]}]}}',
      '{"q": {}}',
    ]) {
      expect((await post({ queries })).status, queries).toBe(400);
    }
    expect((await post({})).status).toBe(400);
    expect(
      (await fetch(at(""), { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } })).status,
    ).toBe(415);
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`q${n}`, { query: "x" }]));
    expect((await post({ queries: JSON.stringify(many) })).status).toBe(400);
    const columns = Array.from({ length: 51 }, () => ({ pid: "made_of", v: "oil" }));
    expect((await post({ queries: JSON.stringify({ q: { query: "x", properties: columns } }) })).status).toBe(400);
    expect(await reconcile({ query: "x".repeat(10_000) })).toEqual([]);
  });

  it("accepts all columns that it proposes, with and without a type", async () => {
    for (const type of ["", ...ENDPOINTS.map(({ name }) => `?type=${name}`)]) {
      const { properties } = await json(`/extend/propose${type}`);
      const ids = (properties as { id: string }[]).map(({ id }) => ({ id }));
      const response = await post({ extend: JSON.stringify({ ids: [REMBRANDT], properties: ids }) });
      expect([type, ids.length > 10, response.status]).toEqual([type, true, 200]);
    }
  });

  it("suggests entities, types and properties, proposes columns, and fills them", async () => {
    for (const [path, schema] of [
      ["/suggest/entity?prefix=rem", "suggest-entities-response"],
      ["/suggest/type?prefix=per", "suggest-types-response"],
      ["/suggest/property?prefix=made", "suggest-properties-response"],
      ["/extend/propose?type=object&limit=5", "data-extension-property-proposal"],
    ] as const) {
      const answer = await json(path);
      expect(isSound(schema, answer), path).toBe(true);
      expect(((answer.result ?? answer.properties) as unknown[]).length, path).toBeGreaterThan(0);
    }
    for (const [prefix, id] of [
      ["maker", "produced_by/carried_out_by"],
      ["inventory", "identified_by/Identifier"],
      ["title", "identified_by/Name"],
      ["birth", "born/timespan"],
    ] as const)
      expect((await json(`/suggest/property?prefix=${prefix}`)).result).toContainEqual(expect.objectContaining({ id }));
    const all = (await json("/suggest/property?prefix=")).result as { id: string }[];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const properties = [{ id: "identified_by" }, { id: "born/timespan" }, { id: "classified_as" }];
    const response = await post({ extend: JSON.stringify({ ids: [REMBRANDT, "urn:none"], properties }) });
    const { meta, rows } = (await response.json()) as {
      meta: unknown;
      rows: Record<string, Record<string, JsonObject[]>>;
    };
    expect(isSound("data-extension-response", { meta, rows })).toBe(true);
    expect(rows[REMBRANDT]!.identified_by!.length).toBeGreaterThan(0);
    expect(rows[REMBRANDT]!["born/timespan"]![0]).toHaveProperty("str");
    expect(rows["urn:none"]!.identified_by).toEqual([]);
  });

  it("fills columns according to their settings, and names them for the kind of the first record", async () => {
    const girl = "http://data.museum.example/collection/object/girl-with-a-pearl-earring";
    const encoded = girl.replace("-", "%2D");
    const extended = (properties: JsonObject[]) =>
      post({ extend: JSON.stringify({ ids: ["urn:none", girl, encoded], properties }) });
    const answer = await extended([
      { id: "identified_by/Name", settings: { limit: "1", language: "nl" } },
      { id: "produced_by/carried_out_by", settings: { content: "id" } },
      { id: "made_of", settings: { content: "literal" } },
    ]);
    const { meta, rows } = (await answer.json()) as { meta: JsonObject[]; rows: Record<string, JsonObject> };
    expect(meta.map(({ name }) => name)).toEqual(["Title", "Maker", "Material"]);
    expect(rows[girl]).toEqual({
      "identified_by/Name": [{ str: "Meisje met de parel" }],
      "produced_by/carried_out_by": [{ str: "http://data.museum.example/collection/person/johannes-vermeer" }],
      made_of: [{ str: "oil paint" }, { str: "canvas" }],
    });
    expect(rows[encoded]).toEqual(rows[girl]);
    const { meta: named } = (await (await extended([{ id: "maker" }])).json()) as { meta: JsonObject[] };
    expect(named[0]!.name).toBe(
      "There is no column maker: no property is called maker: did you mean produced_by/carried_out_by?",
    );
    for (const settings of [{ limit: "many" }, { content: "all" }, { language: 1 }])
      expect((await extended([{ id: "made_of", settings }])).status).toBe(400);
  });

  it("suggests further entities after those that a client skips, each once", async () => {
    const idsFrom = async (cursor: number, prefix = "of") =>
      ((await json(`/suggest/entity?prefix=${prefix}&cursor=${cursor}`)).result as { id: string }[]).map(
        ({ id }) => id,
      );
    const pages = [await idsFrom(0), await idsFrom(20), await idsFrom(40)];
    expect(pages.slice(0, 2).map(({ length }) => length)).toEqual([20, 20]);
    expect(new Set(pages.flat()).size).toBe(pages.flat().length);
    expect(await idsFrom(999_999)).toEqual([]);
    // The end of this IRI is the text, so that it would come second, but its name is not.
    const [ended, ...named] = Array.from({ length: 25 }, (_, at) => {
      return {
        id: `${ROOT}set/${at === 0 ? "qq7" : `n${at}`}`,
        type: "Set",
        _label: at === 0 ? "End" : `Qq7 No. ${at}`,
      };
    });
    await publishDocuments(service.store, ended!, ...named);
    const listed = [...(await idsFrom(0, "qq7")), ...(await idsFrom(20, "qq7"))];
    expect(listed.sort()).toEqual(named.map(({ id }) => id).sort());
  });

  it("suggests entities by name with kind and dates, those that show the name first, and says why it suggests others", async () => {
    const suggested = async (prefix: string) =>
      (await json(`/suggest/entity?prefix=${encodeURIComponent(prefix)}`)).result as {
        name: string;
        description: string;
      }[];
    expect((await suggested("verm"))[0]).toMatchObject({
      name: "Johannes Vermeer",
      description: "Person: Dutch, Painter, 1632 – 1675, Delft",
    });
    const gioc = await suggested("gioc");
    expect(gioc.map(({ name }) => name)).toContain("Lisa del Giocondo");
    expect(gioc.find(({ name }) => name === "Mona Lisa")!.description).toMatch(/^“La Gioconda”, Object: /);
    expect(gioc.at(-1)!.description).toMatch(/^“/);
    expect((await suggested("SK-C"))[0]).toMatchObject({ description: expect.stringMatching(/^“SK-C-5”, /) });
    const response = await fetch(at("/suggest/entity?prefix=verm"), { headers: { "accept-language": "nl" } });
    expect([response.headers.get("vary"), await response.text()]).toEqual([
      expect.stringContaining("Accept-Language"),
      expect.stringContaining('"description":"Persoon: Dutch, Painter, 1632 – 1675, Delft"'),
    ]);
    const gioconda = await fetch(at("/suggest/entity?prefix=gioc"), { headers: { "accept-language": "fr" } });
    expect(await gioconda.text()).toMatch(/"description":"« La Gioconda », Objet: /);
    expect(await suggested(" ")).toEqual([]);
    // A record that has the words as they are typed, in a text, is not what the letter begins.
    const lettered = `${ROOT}person/lettered`;
    const referred_to_by = [{ type: "LinguisticObject", content: "Lisa G" }];
    await publishDocuments(service.store, { id: lettered, type: "Person", _label: "Anna", referred_to_by });
    expect((await suggested("lisa g")).map(({ name }) => name)).toEqual(["Lisa del Giocondo", "Mona Lisa"]);
    const label = { id: lettered, type: "Person", _label: "Müller" };
    const night = { type: "Name", content: "Nachtwerker", language: [{ type: "Language", notation: "nl" }] };
    await publishDocuments(service.store, { ...label, identified_by: [night] });
    for (const prefix of ["muelle", "mulle"])
      expect(await suggested(prefix)).toContainEqual(
        expect.objectContaining({ name: "Müller", description: "Person" }),
      );
    const dutch = await fetch(at("/suggest/entity?prefix=nachtwerk"), { headers: { "accept-language": "nl" } });
    expect(await dutch.text()).toContain('"name":"Nachtwerker","description":"Persoon"');
    await publish(service.store, [], [lettered]);
    const ofType = async (type: string) =>
      ((await json(`/suggest/entity?prefix=delft&type=${type}`)).result as { notable: { id: string }[] }[]).map(
        ({ notable }) => notable[0]?.id,
      );
    expect(new Set(await ofType(""))).toContain("object");
    expect(new Set(await ofType("place"))).toEqual(new Set(["place"]));
    expect(await ofType("painting")).toEqual([]);
    expect((await suggested("curved lips")).every(({ name }) => name !== "")).toBe(true);
  });

  it("previews an entity with picture, names and dates, in the pages' style, in any site's frame", async () => {
    const response = await fetch(at(`/preview?id=${encodeURIComponent(REMBRANDT)}`));
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors *");
    const text = await response.text();
    expect(text).toContain(">Rembrandt</a>");
    expect(text).toContain("1606 – 1669");
    expect(text).toContain('href="/collection/assets/pages.css"');
    const girl = await fetch(at(`/preview?id=${encodeURIComponent(`${ROOT}object/girl-with-a-pearl-earring`)}`));
    expect(await girl.text()).toMatch(/<img src="[^"]+girl-with-a-pearl-earring\.svg"/);
    expect((await fetch(at("/preview?id=urn:none"))).status).toBe(404);
    for (const query of ["", "?id="]) expect((await fetch(at(`/preview${query}`))).status).toBe(400);
  });

  it("finds the right one of very many records of a name by its properties, and matches none that merely lacks them", async () => {
    const portraits = Array.from({ length: 60 }, (_, at): JsonObject => {
      const timespan = at % 2 === 0 ? { timespan: spanOf(at < 50 ? 1650 + at : 1720) } : {};
      const carried_out_by = [
        { id: `urn:maker:${at}`, type: "Person", ...(at < 40 ? { _label: `Maker Num${at}` } : {}) },
      ];
      const produced_by = { type: "Production", carried_out_by, ...timespan };
      const kind = { id: "http://vocab.getty.edu/aat/300435443", type: "Type" };
      const classified_as = [{ id: `urn:kind:${at}`, type: "Type", classified_as: [kind] }];
      return {
        ...{ id: `${ROOT}object/self-${at}`, type: "HumanMadeObject", _label: "Self-Portrait" },
        ...{ classified_as, produced_by },
      };
    });
    await publishDocuments(service.store, ...portraits);
    const row = async (maker: string, year: string): Promise<string | undefined> => {
      const properties = [
        { pid: "produced_by/carried_out_by", v: maker },
        { pid: "produced_by/timespan", v: year },
      ].filter(({ v }) => v !== "");
      const found = await reconcile({ query: "Self-Portrait", type: "object", limit: 3, properties });
      return found
        .find(({ match }) => match)
        ?.id.split("/")
        .at(-1);
    };
    expect(await row("Maker Num38", "1688")).toBe("self-38");
    expect(await row("Maker Num38", "")).toBe("self-38");
    expect(await row("", "1690")).toBe("self-40");
    // No record of this name has such a property.
    const [maker, none] = [
      { pid: "produced_by/carried_out_by", v: "Maker Num38" },
      { pid: "destroyed_by/timespan", v: "1900" },
    ];
    const named = { query: "Self-Portrait", type: "object", properties: [maker, none, { pid: "typo", v: "x" }] };
    expect((await reconcile(named as JsonObject))[0]).toMatchObject({ id: `${ROOT}object/self-38`, match: true });
    // All have a kind. Another one is no contradiction, but does not agree either.
    const kind = { pid: "classified_as", v: "Sculpture" };
    const others = { query: "Self-Portrait", type: "object", properties: [maker, kind] };
    expect((await reconcile(others as JsonObject))[0]).toMatchObject({ id: `${ROOT}object/self-38`, match: false });
    // The first have no year, or no name of the maker; others are of the same year.
    for (const [maker, year] of [
      ["Nobody", "1500"],
      ["Nobody", "1690"],
      ["", "1500"],
      ["", "1720"],
      ["", ""],
    ] as const)
      expect(await row(maker, year), `${maker} ${year}`).toBeUndefined();
    // The path leads to the entity by its last property; what follows only filters.
    const ofKind = { type: "object", limit: 3, properties: [{ pid: "classified_as/300435443", v: "urn:kind:38" }] };
    expect((await reconcile({ ...ofKind, query: "Self-Portrait" }))[0]).toMatchObject({ match: true });
    for (const query of ["Self-Portrait", ""])
      expect((await reconcile({ ...ofKind, query }))[0]?.id).toBe(`${ROOT}object/self-38`);
  });

  it("offers a record with one word of the name if a property agrees, and one whose address ends in the text", async () => {
    const properties = [{ pid: "born/timespan", v: "1606" }];
    const query = "Harmensz Zzyzx Qwrtz Rembrandt";
    expect((await reconcile({ query, type: "person", properties }))[0]).toMatchObject({ id: REMBRANDT, match: false });
    const [ended] = await reconcile({ query: "self-7" });
    expect(ended).toMatchObject({ id: `${ROOT}object/self-7`, score: 85, match: false });
  });

  it("finds whom a slip means that some text has, too", async () => {
    const maker = { id: `${ROOT}person/gauguin`, type: "Person", _label: "Paul Gauguin" };
    const works = Array.from({ length: 21 }, (_, at): JsonObject => {
      const produced_by = { type: "Production", carried_out_by: [maker] };
      return { id: `${ROOT}object/tahiti-${at}`, type: "HumanMadeObject", _label: `Tahiti ${at}`, produced_by };
    });
    const letter = {
      id: `${ROOT}object/letter`,
      type: "HumanMadeObject",
      _label: "Letter",
      referred_to_by: [{ type: "LinguisticObject", content: "Written to Paul Gaugin" }],
    };
    const others = [1, 2, 3].map((at) => ({ id: `${ROOT}person/paul-${at}`, type: "Person", _label: "Paul" }));
    await publishDocuments(service.store, maker, letter, ...works, ...others);
    const [first] = await reconcile({ query: "Paul Gaugin", limit: 1 });
    expect(first).toMatchObject({ id: maker.id, match: false });
  });
});

function spanOf(year: number): JsonObject {
  return { type: "TimeSpan", begin_of_the_begin: `${year}-01-01T00:00:00Z`, end_of_the_end: `${year}-12-31T23:59:59Z` };
}
