/** The Reconciliation Service API 0.2 at `/reconcile`: against its schemas, and as OpenRefine asks. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Ajv, type AnySchema } from "ajv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../../src/model/tables/endpoints.js";
import { SAMPLE } from "../../data/sample.js";
import { graphOf, type JsonObject } from "../../jsonld/documents.js";
import { publish, type Service, startService } from "../service.js";

const SPEC = "../shared/reconciliation/0.2";
const isAbsent = !existsSync(SPEC);

let service: Service;
beforeAll(async () => {
  service = await startService();
  const sample = [...SAMPLE.values()].filter(({ endpoint }) =>
    ["person", "group", "object", "place"].includes(endpoint),
  );
  const text = (document: unknown): JsonObject =>
    JSON.parse(
      JSON.stringify(document).replace(/"id":"(?![a-z]+:)\/?/g, '"id":"http://data.museum.example/collection/'),
    ) as JsonObject;
  await publish(service.store, await Promise.all(sample.map(({ document }) => graphOf(text(document)))));
});
afterAll(() => service?.stop());

const ajv = new Ajv({ strict: false, validateFormats: false });

/** Whether a response is as its schema says; all are where the schemas are absent. */
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

/** References to files beside it lead to those, not to where the schemas are published. */
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
}

async function reconcile(query: JsonObject): Promise<readonly Candidate[]> {
  const response = await post({ queries: JSON.stringify({ q0: query }) });
  expect(response.status).toBe(200);
  const results = (await response.json()) as { q0: { result: Candidate[] } };
  expect(isSound("reconciliation-result-batch", results)).toBe(true);
  return results.q0.result;
}

const REMBRANDT = "http://data.museum.example/collection/person/rembrandt";

describe("/reconcile", () => {
  it("says what it is and can do", async () => {
    const manifest = await json("");
    expect(isSound("manifest", manifest)).toBe(true);
    expect(manifest).toMatchObject({ versions: ["0.2"], name: "Vitrine" });
  });

  it("finds an entity by name, beginning, words, identifier and IRI, with scores that tell them apart", async () => {
    const [exact] = await reconcile({ query: "rembrandt", type: "person" });
    expect(exact).toMatchObject({ id: REMBRANDT, name: "Rembrandt", score: 100, match: true });
    expect((await reconcile({ query: REMBRANDT }))[0]).toMatchObject({ id: REMBRANDT, score: 100, match: true });
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

  it("understands slips and life dates, and matches nothing of itself by them; kind and years describe a candidate", async () => {
    for (const query of ["rembrant", "Rembrandt (1606-1669)"]) {
      const [first] = await reconcile({ query, type: "person" });
      expect(first).toMatchObject({ id: REMBRANDT, match: false });
      expect(first!.score).toBeLessThan(100);
    }
    const [exact] = await reconcile({ query: "rembrandt", type: "person" });
    expect(exact).toMatchObject({ description: expect.stringMatching(/^person(?:, \d{4}–\d{4})?$/i) });
  });

  it("weighs properties", async () => {
    const [object] = (
      (await (
        await fetch(`${service.origin}/collection/search/object?carriedOutBy=${encodeURIComponent(REMBRANDT)}`)
      ).json()) as { orderedItems: { id: string }[] }
    ).orderedItems;
    const label = (await service.store.find(object!.id))!.meta.label;
    const by = (v: string) => reconcile({ query: label, properties: [{ pid: "produced_by/carried_out_by", v }] });
    expect((await by(REMBRANDT))[0]).toMatchObject({ id: object!.id, score: 100 });
    expect((await by("urn:other"))[0]!.score).toBeLessThan(100);
    const without = await reconcile({ properties: [{ pid: "produced_by/carried_out_by", v: { id: REMBRANDT } }] });
    expect(without.map(({ id }) => id)).toContain(object!.id);
  });

  it.skipIf(isAbsent)(
    "understands the valid examples of queries, and refuses the invalid ones (needs ../shared)",
    async () => {
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
    },
  );

  it("refuses what is no batch", async () => {
    for (const queries of [
      "",
      "[",
      "[]",
      "1",
      '{"q": 1}',
      '{"q": {"query": 1}}',
      '{"q": {"query": "x", "limit": "1"}}',
    ]) {
      expect((await post({ queries })).status, queries).toBe(400);
    }
    expect((await post({})).status).toBe(400);
    expect(
      (await fetch(at(""), { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } })).status,
    ).toBe(415);
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`q${n}`, { query: "x" }]));
    expect((await post({ queries: JSON.stringify(many) })).status).toBe(400);
    expect(await reconcile({ query: "x".repeat(10_000) })).toEqual([]);
  });

  it("takes all columns that it proposes, of every type and of none", async () => {
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

  it("fills columns as their settings say, and names them after the first record's kind", async () => {
    const girl = "http://data.museum.example/collection/object/girl-with-a-pearl-earring";
    const extended = (properties: JsonObject[]) =>
      post({ extend: JSON.stringify({ ids: ["urn:none", girl], properties }) });
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
    for (const settings of [{ limit: "many" }, { content: "all" }, { language: 1 }])
      expect((await extended([{ id: "made_of", settings }])).status).toBe(400);
  });

  it("previews an entity in a frame of anybody's", async () => {
    const response = await fetch(at(`/preview?id=${encodeURIComponent(REMBRANDT)}`));
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors *");
    expect(await response.text()).toContain(">Rembrandt</a>");
    expect((await fetch(at("/preview?id=urn:none"))).status).toBe(404);
  });
});
