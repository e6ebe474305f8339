/** Lists to download: all records of searches, relations, endpoints and references as CSV and JSON lines. */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { RateLimits } from "../../../src/http/server/rate-limit.js";
import { describe as described } from "../../../src/load/pipeline/describe.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { ENDPOINTS } from "../../../src/model/tables/endpoints.js";
import { propertyIri } from "../../../src/model/vocabulary/vocabulary.js";
import { openSearchedForLoading } from "../../../src/search/open.js";
import { parseCsv } from "../../base/parse-csv.js";
import { graphOf, type JsonObject } from "../../jsonld/documents.js";
import { timeSpan } from "../../jsonld/parts.js";
import { BASE, publish, publishDocuments, raw, serviceForAll, serviceForTest } from "../service.js";

const SET = `${BASE}/set/prints`;
const MAKER = `${BASE}/person/9`;
const PRINTS = 70;
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

function print(at: number, more: JsonObject = {}): JsonObject {
  return {
    id: `${BASE}/print/${at}`,
    type: "HumanMadeObject",
    _label: `Print ${String(at).padStart(4, "0")}`,
    identified_by: [{ type: "Identifier", content: `P.${at}` }],
    member_of: [{ id: SET, type: "Set", _label: "Prints" }],
    produced_by: {
      type: "Production",
      carried_out_by: [{ id: MAKER, type: "Person", _label: "A printer" }],
      timespan: timeSpan("1665", "1667"),
    },
    ...more,
  };
}

/** A record with texts that a spreadsheet would run, or that have to be quoted. */
const HOSTILE = print(0, {
  _label: '=HYPERLINK("http://evil.example","x")',
  identified_by: [
    { type: "Identifier", content: "+1" },
    { type: "Identifier", content: "two, or 2" },
  ],
  made_of: [
    { id: `${BASE}/concept/paper`, type: "Material", _label: "@paper\nof rags" },
    { id: `${BASE}/concept/ink`, type: "Material", _label: "ink" },
  ],
  dimension: [
    {
      type: "Dimension",
      classified_as: [{ id: "http://vocab.getty.edu/aat/300055644", type: "Type", _label: "height" }],
      value: 44.5,
      unit: { id: "http://vocab.getty.edu/aat/300379098", type: "MeasurementUnit", _label: "centimeters" },
    },
  ],
  representation: [
    {
      type: "VisualItem",
      digitally_shown_by: [
        { type: "DigitalObject", access_point: [{ id: "https://images.example/0.jpg", type: "DigitalObject" }] },
      ],
    },
  ],
});

const service = serviceForAll();
beforeAll(async () => {
  const prints = Array.from({ length: PRINTS - 1 }, (_, at) => print(at + 1));
  await publish(service.store, [HOSTILE, ...prints].map(graphOf));
});

function get(path: string, accept = "*/*", { origin } = service): Promise<Response> {
  return fetch(`${origin}/collection${path}`, { headers: { accept } });
}

async function rowsOf(path: string, accept?: string): Promise<string[][]> {
  const response = await get(path, accept);
  expect([path, response.status, response.headers.get("content-type")]).toEqual([
    path,
    200,
    "text/csv; charset=utf-8; header=present",
  ]);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(0, 3).toString("hex")).toBe("efbbbf");
  return parseCsv(bytes.subarray(3).toString("utf8"));
}

async function linesOf(path: string, accept?: string): Promise<JsonObject[]> {
  const response = await get(path, accept);
  expect([path, response.status, response.headers.get("content-type")]).toEqual([path, 200, "application/x-ndjson"]);
  const text = await response.text();
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
}

const PRINT_IRIS = Array.from({ length: PRINTS }, (_, at) => `${BASE}/print/${at}`).sort();
const uri = encodeURIComponent;

/** Every kind of list, with a query. */
const LISTS: readonly (readonly [path: string, query: string])[] = [
  ["/search/object", `memberOf=${uri(SET)}`],
  ["/search/all", `text=print&memberOf=${uri(SET)}&sort=label`],
  ["/related/objectMemberOfSet", `uri=${uri(SET)}`],
  ["/referring", `uri=${uri(SET)}&property=${uri(propertyIri("member_of", "HumanMadeObject")!)}`],
];
/** The same lists, asked for in other words. */
const ALIKE = [
  `/search/all.jsonl?memberOf=${uri(SET)}`,
  ...["member_of", "memberOf"].map((property) => `/referring.jsonl?uri=${uri(SET)}&property=${property}`),
];

describe("a list", () => {
  it("is complete as a table, at its path with a suffix and by Accept", async () => {
    for (const [path, query] of LISTS) {
      for (const rows of [await rowsOf(`${path}.csv?${query}`), await rowsOf(`${path}?${query}`, "text/csv")]) {
        const address = rows[0]!.indexOf("Address");
        const addresses = rows.slice(1).map((row) => row[address]);
        expect(addresses.sort(), path).toEqual(PRINT_IRIS);
        expect(new Set(rows.map(({ length }) => length)).size).toBe(1);
      }
      const byType = await linesOf(`${path}?${query}&view=grid&after=`, "application/jsonl");
      expect(byType.map(({ id }) => id).sort(), path).toEqual(PRINT_IRIS);
      expect(await linesOf(`${path}.jsonl?${query}`)).toEqual(byType);
    }
    for (const path of ALIKE) expect((await linesOf(path)).map(({ id }) => id).sort(), path).toEqual(PRINT_IRIS);
  });

  it("that is empty is a table without rows", async () => {
    for (const path of [`/related/objectMemberOfSet.csv?uri=${uri(`${BASE}/print/1`)}`, "/search/place.csv?text=xyz"])
      expect(await rowsOf(path), path).toHaveLength(1);
    expect(await (await get("/search/place.jsonl?text=xyz")).text()).toBe("");
  });

  it("of an endpoint has all its records, as a search and for browsing", async () => {
    const { endpoints } = await service.store.stats();
    for (const path of ["/search/object.csv", "/browse/object.csv", "/search/all.csv"]) {
      const rows = await rowsOf(path);
      expect(rows).toHaveLength(endpoints.object! + 1);
      expect(new Set(rows.map((row) => row.at(-1))).size).toBe(rows.length);
    }
    expect(await rowsOf("/browse/object", "text/csv")).toEqual(await rowsOf("/browse/object.csv"));
    expect((await rowsOf("/browse/object.csv"))[0]!.slice(0, 4)).toEqual([
      "Label",
      "Inventory number",
      "Maker",
      "Date made",
    ]);
    expect((await rowsOf("/search/person.csv"))[0]).toEqual(
      expect.arrayContaining(["Birth date", "Death date", "Occupation", "Nationality"]),
    );
  });

  it("links to its tables, without the parameters of the page", async () => {
    for (const accept of ["*/*", BROWSER]) {
      const { headers } = await get(`/search/object?text=print&page=first`, accept);
      expect(headers.get("link")).toBe(
        `<${BASE}/search/object.csv?text=print>; rel="alternate"; type="text/csv", ` +
          `<${BASE}/search/object.jsonl?text=print>; rel="alternate"; type="application/x-ndjson"`,
      );
    }
    expect((await get(`/browse/object`, BROWSER)).headers.get("link")).toContain(`<${BASE}/browse/object.csv>`);
    const long = await get(`/search/object?classifiedAs=urn:${"x".repeat(5_000)}`);
    expect([long.status, long.headers.get("link")]).toEqual([200, null]);
  });

  it("is still JSON-LD or a page for clients that accept those", async () => {
    const types = async (accept: string): Promise<string> =>
      (await get("/search/object", accept)).headers.get("content-type")!;
    for (const accept of ["*/*", "application/json", "application/ld+json, text/csv;q=0.5", "image/png"])
      expect(await types(accept), accept).toBe("application/ld+json");
    for (const accept of [BROWSER, "text/html, text/csv", "text/*"])
      expect(await types(accept), accept).toMatch(/^text\/html/);
    expect(await types("text/csv, */*;q=0.1")).toMatch(/^text\/csv/);
    expect((await get("/search/object.csv", BROWSER)).headers.get("content-type")).toMatch(/^text\/csv/);
    for (const path of ["/search/object.xlsx", "/search/painting.csv", "/browse/painting.csv"])
      expect((await get(path)).status, path).toBe(404);
    for (const path of [
      "/referring.csv?uri=x",
      "/referring.csv?uri=x&property=membr_of",
      "/related/objectMemberOfSet.csv",
      "/search/all.csv?nom=x",
    ])
      expect((await get(path)).status, path).toBe(400);
  });
});

describe("CSV", () => {
  it("has readable cells, none of which runs in a spreadsheet", async () => {
    const [head, first] = await rowsOf(`/search/object.csv?identifier=two`);
    expect(Object.fromEntries(head!.map((name, at) => [name, first![at]]))).toMatchObject({
      Label: `'=HYPERLINK("http://evil.example","x")`,
      "Inventory number": "'+1 | two, or 2",
      Maker: "A printer",
      "Date made": expect.stringMatching(/1665 and 1667|1665 to 1667/),
      Material: "'@paper\nof rags | ink",
      Dimensions: "44.5 cm (height)",
      Picture: "https://images.example/0.jpg",
      "Member of": "Prints",
      Address: `${BASE}/print/0`,
    });
  });

  it("has the default columns if a form sends none", async () => {
    for (const columns of ["", ",", "%20,"]) {
      expect(await rowsOf(`/search/object.csv?identifier=two&columns=${columns}`)).toEqual(
        await rowsOf("/search/object.csv?identifier=two"),
      );
    }
    expect((await get("/search/object.jsonl?identifier=two&columns=")).status).toBe(200);
  });

  it("has the requested columns, with addresses for /id", async () => {
    const columns = "id,identified_by/Identifier,produced_by/carried_out_by/id,endpoint,technique";
    const rows = await rowsOf(`/search/object.csv?identifier=two&columns=${columns}`);
    expect(rows).toEqual([
      ["Address", "Inventory number", "Maker (address)", "Kind of record", "Technique"],
      [`${BASE}/print/0`, "'+1 | two, or 2", MAKER, "object", ""],
    ]);
    const one = await rowsOf("/search/object.csv?columns=technique,");
    expect(one).toHaveLength((await service.store.stats()).endpoints.object! + 1);
  });

  it("names records here that are referred to without a label, and gives the addresses of others", async () => {
    const [known, unknown] = [`${BASE}/person/known`, "urn:unknown"];
    const carried_out_by = [known, unknown].map((id) => ({ id, type: "Person" }));
    const plate = print(200, { _label: "Plate", produced_by: { type: "Production", carried_out_by } });
    await publishDocuments(service.store, plate, { id: known, type: "Person", _label: "Known" });
    const maker = "produced_by/carried_out_by";
    const rows = await rowsOf(`/search/object.csv?text=plate&columns=${maker},${maker}/id`);
    expect(rows[1]).toEqual([`Known | ${unknown}`, `${known} | ${unknown}`]);
    const extend = JSON.stringify({
      ids: [plate.id],
      properties: [{ id: maker }, { id: maker, settings: { content: "name" } }],
    });
    const extended = (await (await get(`/reconcile?extend=${uri(extend)}`)).json()) as { rows: JsonObject };
    expect(extended.rows[plate.id as string]).toEqual({ [maker]: [{ str: "Known" }, { str: unknown }] });
    await publish(service.store, [], [plate.id as string, known]);
  });

  it("has distinct columns for every kind of record", async () => {
    for (const { name } of ENDPOINTS) {
      const [head = []] = await rowsOf(`/search/${name}.csv?text=xyz`);
      expect([head[0], head.at(-1), new Set(head).size]).toEqual(["Label", "Address", head.length]);
      expect(head.length).toBeGreaterThan(6);
    }
  });

  it("refuses unknown columns, and suggests the right ones", async () => {
    const refusal = async (columns: string, form = "csv"): Promise<string> => {
      const response = await get(`/search/object.${form}?columns=${columns}`);
      expect(response.status).toBe(400);
      return ((await response.json()) as { detail: string }).detail;
    };
    expect(await refusal("_label,produced_by/carriedout_by")).toContain("did you mean carried_out_by?");
    for (const name of ["maker", "Maker"])
      expect(await refusal(name)).toContain("did you mean produced_by/carried_out_by?");
    expect(await refusal("pictures")).toContain("did you mean picture?");
    expect(await refusal("Name")).toBe(
      "There is no column Name: a path begins with a property: did you mean identified_by/Name?",
    );
    expect(await refusal("300055644")).toContain("did you mean dimension/300055644?");
    expect(await refusal("picture/id")).toBe("There is no column picture: no property is called picture");
    expect(await refusal("constructor")).toContain("There is no column constructor");
    expect(await refusal("part/".repeat(7))).toContain("up to 6 steps");
    expect(await refusal(Array(101).fill("id").join())).toContain("up to 100 columns");
    expect(await refusal("id", "jsonl")).toContain("whole records");
  });
});

describe("JSON lines", () => {
  it("have the same documents as the records' own addresses", async () => {
    const documents = await linesOf("/search/all.jsonl?text=print%20000");
    expect(documents).toHaveLength(9);
    for (const document of documents) {
      const own = await get((document.id as string).slice(BASE.length), "application/ld+json");
      expect(document).toEqual(await own.json());
    }
  });
});

describe("a table", () => {
  it("never includes a held record", async () => {
    const stage = await service.store.stage();
    for (const id of [`${BASE}/print/held`, `${BASE}/print/1`]) {
      const graph = graphOf({ ...print(1), id, _label: "Print that is held" });
      await stage.put({ graph, ...described(graph, DEFAULT_MODEL.vocabBase), valid: true, hold: "name" });
    }
    await stage.publish();
    for (const path of ["/search/object", "/browse/object"]) {
      for (const form of ["csv", "jsonl"]) {
        const text = await (await get(`${path}.${form}`)).text();
        expect(text).not.toMatch(/held|print\/1\b/);
      }
    }
    await publishDocuments(service.store, print(1));
  });

  it("is compressed on request, and answers HEAD", async () => {
    const head = await fetch(`${service.origin}/collection/search/object.csv`, { method: "HEAD" });
    expect([head.status, head.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(head.headers.get("vary")).toContain("Accept");
    const coded = await raw(
      service.port,
      "GET /collection/search/object.csv HTTP/1.1\r\nHost: data.museum.example\r\nAccept-Encoding: br\r\nConnection: close\r\n\r\n",
    );
    expect([coded.status, coded.headers.get("content-encoding")]).toEqual([200, "br"]);
  });

  it("has a class of cost of its own, however it is requested", async () => {
    const limited = await serviceForTest({ rateLimits: new RateLimits({ table: 2, search: 1 }, "") });
    const statuses = [];
    for (const [path, accept] of [
      ["/search/all.csv"],
      ["/search/all", "text/csv"],
      ["/search/all", "application/x-ndjson"],
      ["/browse/object.jsonl"],
      ["/search/all"],
      ["/search/all"],
    ] as const)
      statuses.push((await get(path, accept, limited)).status);
    expect(statuses).toEqual([200, 200, 429, 429, 200, 429]);
  });
});

describe("a table being sent", () => {
  /** The number of records read from the store, and a function called at each. */
  let reads = 0;
  let atRead: (iri: string) => void | Promise<void> = () => {};
  const large = serviceForAll({}, async (directory) => {
    const store = await openSearchedForLoading({ directory });
    const find: typeof store.find = async (iri) => {
      if (iri.includes("/print/")) {
        reads++;
        await atRead(iri);
      }
      return store.find(iri);
    };
    return { ...store, find };
  });
  const MANY = 400;
  beforeAll(async () => {
    const text = { type: "LinguisticObject", content: "A long story. ".repeat(3_000) };
    const prints = Array.from({ length: MANY }, (_, at) => print(at, { referred_to_by: [text] }));
    await publishDocuments(large.store, ...prints);
  });

  it("is read no faster than its client takes it, and not at all once the client leaves", async () => {
    reads = 0;
    const socket = connect(large.port, "127.0.0.1");
    socket.write("GET /collection/search/object.jsonl?text=print HTTP/1.1\r\nHost: data.museum.example\r\n\r\n");
    await new Promise((resolve) => socket.once("readable", resolve));
    // The buffers of both ends fill up; after that nothing is read.
    let before = -1;
    while (reads !== before) {
      before = reads;
      await sleep(100);
    }
    expect(reads).toBeLessThan(MANY);
    socket.destroy();
    await sleep(100);
    expect(reads).toBeLessThan(MANY);
    expect(large.reported).toEqual([]);
  });

  it("has each unchanged record once, whatever is loaded meanwhile", async () => {
    for (const query of ["text=print", `memberOf=${uri(SET)}`, ""]) {
      let loads = 0;
      atRead = async () => {
        if (reads % 50 !== 0 || loads > 5) return;
        const at = ++loads;
        await publishDocuments(large.store, print(1_000 + at, { _label: `A print ${at}` }));
      };
      const text = await (await get(`/search/object.csv?columns=id&${query}`, "*/*", large)).text();
      const ids = parseCsv(text)
        .flat()
        .filter((id) => /\/print\/\d{1,3}$/.test(id));
      expect(ids.sort()).toEqual(Array.from({ length: MANY }, (_, at) => `${BASE}/print/${at}`).sort());
      expect(loads).toBeGreaterThan(3);
    }
    atRead = () => {};
  });

  it("that breaks off does not look complete to any client", async () => {
    reads = 0;
    atRead = () => {
      if (reads > 200) throw new Error("the disk is gone");
    };
    const broken = await raw(
      large.port,
      "GET /collection/search/object.csv?text=print HTTP/1.1\r\nHost: data.museum.example\r\nConnection: close\r\n\r\n",
    );
    expect([broken.status, broken.headers.get("transfer-encoding")]).toEqual([200, "chunked"]);
    expect(broken.body.toString("latin1").endsWith("\r\n0\r\n\r\n")).toBe(false);
    const fetched = get("/search/object.csv?text=print", "*/*", large).then((response) => response.text());
    await expect(fetched).rejects.toThrow();
    expect(large.reported).toHaveLength(2);
    atRead = () => {};
    const whole = await raw(
      large.port,
      "GET /collection/search/object.csv?text=print HTTP/1.1\r\nHost: data.museum.example\r\nConnection: close\r\n\r\n",
    );
    expect(whole.body.toString("latin1").endsWith("\r\n0\r\n\r\n")).toBe(true);
  });
});
