/** OAI-PMH 2.0: verbs, sets, deletions, errors, and lists that continue while records change. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { entryOf } from "../../../src/base/entries.js";
import { packed, unpacked } from "../../../src/base/json.js";
import { selectionOf, specOf } from "../../../src/http/routes/oai/record-lists.js";
import { datestamp, readRequest } from "../../../src/http/routes/oai/request.js";
import { openSearchedForLoading } from "../../../src/search/open.js";
import { type ChangeLog, changeMark } from "../../../src/store/changes.js";
import { type LoadableStore, lockFolder } from "../../../src/store/open.js";
import type { RecordHandle } from "../../../src/store/record.js";
import type { WritableStore } from "../../../src/store/writable-store.js";
import { graphOf, type JsonObject } from "../../jsonld/documents.js";
import { forAll, forAllAsync, runsOf } from "../../properties.js";
import { MemoryStore } from "../../store/memory-store.js";
import { temporaryFolder } from "../../temporary-folder.js";
import {
  BASE,
  publish,
  publishDocuments,
  type Service,
  serviceForAll,
  serviceForTest,
  startService,
} from "../service.js";

const SET = `${BASE}/set/own`;

function object(id: string | number, label: string, more: JsonObject = {}): JsonObject {
  return { id: `${BASE}/object/${id}`, type: "HumanMadeObject", _label: label, ...more };
}

const inSet = { member_of: [{ id: SET, type: "Set", _label: "A set" }] };

const service = serviceForAll({
  dataset: { language: "en", keywords: [], contact: "data@museum.example" },
  site: { title: "Museum & friends" },
});
beforeAll(async () => {
  await put({ id: SET, type: "Set", _label: "A <set>" }, object("member", "In it", inSet));
});

async function put(...documents: readonly JsonObject[]): Promise<void> {
  await publishDocuments(service.store, ...documents);
}

async function oai(query: Record<string, string> | string, port = service.port): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/oai?${new URLSearchParams(query)}`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/xml; charset=utf-8"]);
  return answer.text();
}

/** The contents of all elements of a name. */
function all(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, "g"))].map(([, text]) => text!);
}

const errorOf = (xml: string) => /<error code="(\w+)">/.exec(xml)?.[1];
const tokenIn = (xml: string) => /<resumptionToken[^>]*(?<!\/)>([^<]+)</.exec(xml)?.[1];

/** The records of a list in order, and whether each is deleted; `between` is called between two parts. */
async function harvest(
  query: Record<string, string>,
  between: () => Promise<void> = async () => {},
): Promise<ReadonlyMap<string, boolean>> {
  const found = new Map<string, boolean>();
  let xml = await oai({ verb: "ListIdentifiers", metadataPrefix: "oai_dc", ...query });
  for (;;) {
    for (const [, status, iri] of xml.matchAll(/<header( status="deleted")?><identifier>([^<]*)</g)) {
      found.delete(iri!);
      found.set(iri!, status !== undefined);
    }
    const resumptionToken = tokenIn(xml);
    if (resumptionToken === undefined) return found;
    await between();
    xml = await oai({ verb: "ListIdentifiers", resumptionToken });
  }
}

/** A service that counts how often it reads the change log. */
async function countedService(): Promise<Service & { reads(): number }> {
  let reads = 0;
  const other = await startService({}, async (directory) => {
    const store = await openSearchedForLoading({ directory });
    const page: ChangeLog["page"] = (query) => {
      reads++;
      return store.changes.page(query);
    };
    return { ...store, changes: { ...store.changes, page } };
  });
  return { ...other, reads: () => reads };
}

describe("OAI-PMH", () => {
  it("identifies the repository", async () => {
    const xml = await oai({ verb: "Identify" });
    const said = ["repositoryName", "baseURL", "adminEmail", "deletedRecord", "granularity"].map((name) =>
      all(xml, name),
    );
    expect(said).toEqual([
      ["Museum &amp; friends"],
      [`${BASE}/oai`],
      ["data@museum.example"],
      ["persistent"],
      ["YYYY-MM-DDThh:mm:ssZ"],
    ]);
    expect(xml).toContain(`<request verb="Identify">${BASE}/oai</request>`);
    const unsaid = await serviceForTest({
      dataset: { language: "en", keywords: [], contact: "https://museum.example/" },
    });
    expect(all(await oai({ verb: "Identify" }, unsaid.port), "adminEmail")).toEqual(["webmaster@data.museum.example"]);
  });

  it("gives a record in each format, and lists the formats that it has", async () => {
    const identifier = `${BASE}/object/member`;
    const get = (metadataPrefix: string, iri = identifier) =>
      oai({ verb: "GetRecord", metadataPrefix, identifier: iri });
    expect(all(await get("oai_dc"), "dc:title")).toEqual(["In it"]);
    expect(all(await get("oai_dc"), "dc:relation")).toEqual([SET]);
    expect(await get("edm")).toContain(`<edm:ProvidedCHO rdf:about="${identifier}">`);
    expect(await get("rdf")).toContain("<rdfs:label>In it</rdfs:label>");
    expect((await get("rdf")).match(/<\?xml/g)).toHaveLength(1);
    expect(errorOf(await get("edm", SET))).toBe("cannotDisseminateFormat");
    const formats = async (iri: string) =>
      all(await oai({ verb: "ListMetadataFormats", identifier: iri }), "metadataPrefix");
    expect([await formats(identifier), await formats(SET)]).toEqual([
      ["oai_dc", "edm", "rdf"],
      ["oai_dc", "rdf"],
    ]);
    expect(all(await get("oai_dc"), "setSpec")).toEqual(["kind.object", specOf("set", SET)]);
  });

  it("leaves out records that a format cannot express", async () => {
    await put(object("odd", "Odd \u0007 character"));
    const identifier = `${BASE}/object/odd`;
    expect(errorOf(await oai({ verb: "GetRecord", metadataPrefix: "rdf", identifier }))).toBe(
      "cannotDisseminateFormat",
    );
    expect(all(await oai({ verb: "GetRecord", metadataPrefix: "oai_dc", identifier }), "dc:title")).toEqual([
      "Odd \uFFFD character",
    ]);
    const formats = await oai({ verb: "ListMetadataFormats", identifier });
    expect(all(formats, "metadataPrefix")).toEqual(["oai_dc", "edm"]);
    for (const verb of ["ListRecords", "ListIdentifiers"]) {
      const listed = await oai({ verb, metadataPrefix: "rdf" });
      expect(all(listed, "identifier")).toContain(`${BASE}/object/member`);
      expect(all(listed, "identifier")).not.toContain(identifier);
    }
    // An update that takes a format from a record tells those who have it.
    await put(object("lost", "Plain"));
    await put(object("lost", "Odd \u0007 character"));
    const lost = `<header status="deleted"><identifier>${BASE}/object/lost</identifier>`;
    for (const verb of ["ListRecords", "ListIdentifiers"]) {
      expect(await oai({ verb, metadataPrefix: "rdf", from: "2020-01-01" })).toContain(lost);
      expect(await oai({ verb, metadataPrefix: "edm", from: "2020-01-01" })).not.toContain(lost);
    }
  });

  it("lists kinds and Sets as sets, and the records in them", async () => {
    const xml = await oai({ verb: "ListSets" });
    expect(all(xml, "setSpec")).toEqual(expect.arrayContaining(["kind.object", "kind.concept", specOf("set", SET)]));
    expect(all(xml, "setName")).toContain("A &lt;set&gt;");
    expect([...(await harvest({ set: specOf("set", SET) })).keys()]).toEqual([`${BASE}/object/member`]);
    expect([...(await harvest({ set: "kind.set" })).keys()]).toEqual([SET]);
    expect([...(await harvest({ set: specOf("set", SET), metadataPrefix: "edm" })).keys()]).toHaveLength(1);
    for (const set of ["kind.set", "kind.nothing", "set", "set.*zz", specOf("source", "nobody")]) {
      expect(errorOf(await oai({ verb: "ListRecords", metadataPrefix: "edm", set })), set).toBe("noRecordsMatch");
    }
  });

  it("takes from a crafted token only what it knows, and refuses one whose change is another", async () => {
    await put(...Array.from({ length: 150 }, (_, at) => object(`one-of-many/${at}`, `Object ${at}`)));
    const resumptionToken = packed({ prefix: "oai_dc", after: 0, mark: "", given: 0, more: "crafted" });
    const next = tokenIn(await oai({ verb: "ListIdentifiers", resumptionToken }))!;
    expect(Object.keys(unpacked(next) as object).sort()).toEqual(["after", "given", "mark", "prefix"]);
    // After a restored backup, the number may be that of another change.
    const { after, ...rest } = unpacked<{ readonly after: number }>(next)!;
    const ofOther = packed({ ...rest, after: after - 1 });
    expect(errorOf(await oai({ verb: "ListIdentifiers", resumptionToken: ofOther }))).toBe("badResumptionToken");
  });

  it("lists sets in parts", async () => {
    const sets = Array.from({ length: 250 }, (_, at) => ({
      id: `${BASE}/set/many/${at}`,
      type: "Set",
      _label: `Set ${at}`,
    }));
    await put(...sets);
    const first = await oai({ verb: "ListSets" });
    const rest = await oai({ verb: "ListSets", resumptionToken: tokenIn(first)! });
    expect(rest).toContain("<resumptionToken/>");
    expect(new Set([...all(first, "setSpec"), ...all(rest, "setSpec")]).size).toBe(12 + 1 + 250);
    for (const resumptionToken of ["%", packed(7), packed("nowhere")]) {
      expect(errorOf(await oai({ verb: "ListSets", resumptionToken }))).toBe("badResumptionToken");
    }
    // A harvester whose token is refused would start again.
    vi.spyOn(service.store.lists!, "page").mockRejectedValueOnce(new Error("damaged"));
    const query = new URLSearchParams({ verb: "ListSets", resumptionToken: tokenIn(first)! });
    expect((await fetch(`http://127.0.0.1:${service.port}/oai?${query}`)).status).toBe(503);
  });

  it("names sets by characters that an address can have, and reads the names back", () => {
    forAll(
      [fc.constantFrom("source", "set"), fc.string({ minLength: 1, unit: "grapheme" })],
      runsOf(10_000),
      (kind, name) => {
        const spec = specOf(kind as "set", name);
        expect(spec).toMatch(/^[A-Za-z0-9\-_.!~*'()]+$/);
        expect(selectionOf(spec)).toEqual({ [kind]: name });
      },
    );
  });

  it.each([
    ["badVerb", ""],
    ["badVerb", "verb=Identify&verb=Identify"],
    ["badVerb", "verb=toString"],
    ["badArgument", "verb=Identify&from=2020-01-01"],
    ["badArgument", "verb=GetRecord&metadataPrefix=oai_dc"],
    ["badArgument", "verb=ListRecords"],
    ["badArgument", "verb=ListRecords&metadataPrefix=oai_dc&metadataPrefix=rdf"],
    ["badArgument", "verb=ListRecords&metadataPrefix=oai_dc&resumptionToken=x"],
    ["badArgument", "verb=ListRecords&metadataPrefix=oai_dc&from=2020-02-30"],
    ["badArgument", "verb=ListRecords&metadataPrefix=oai_dc&from=2020-01-01&until=2021-01-01T00:00:00Z"],
    ["badArgument", "verb=ListRecords&metadataPrefix=oai_dc&from=2021-01-01&until=2020-01-01"],
    ["badArgument", "verb=ListRecords&metadataPrefix="],
    ["badArgument", "verb=ListRecords&metadataPrefix=oai_dc&set=A%20Set"],
    ["badResumptionToken", "verb=ListRecords&resumptionToken=!"],
    ["badResumptionToken", `verb=ListRecords&resumptionToken=${packed({ prefix: "oai_dc", after: 0, mark: "" })}`],
    [
      "badResumptionToken",
      `verb=ListRecords&resumptionToken=${packed({ prefix: "oai_dc", set: 1, after: 0, mark: "", given: 0 })}`,
    ],
    [
      "badResumptionToken",
      `verb=ListRecords&resumptionToken=${packed({ prefix: "oai_dc", after: 1e9, mark: "", given: 0 })}`,
    ],
    ["cannotDisseminateFormat", "verb=ListRecords&metadataPrefix=marc"],
    ["idDoesNotExist", "verb=GetRecord&metadataPrefix=oai_dc&identifier=urn:nothing"],
    ["idDoesNotExist", "verb=ListMetadataFormats&identifier=urn:nothing"],
    ["noRecordsMatch", "verb=ListRecords&metadataPrefix=oai_dc&until=1990-01-01"],
    ["noRecordsMatch", "verb=ListRecords&metadataPrefix=oai_dc&from=2990-01-01"],
  ])("answers %s: %s", async (code, query) => {
    const xml = await oai(query);
    expect(errorOf(xml)).toBe(code);
    expect(/<request>/.test(xml)).toBe(code === "badVerb" || code === "badArgument");
  });

  it("looks for few arguments among those of a request, however many it has", () => {
    const parameters = new URLSearchParams(
      `verb=Identify${Array.from({ length: 5_000 }, (_, at) => `&a${at}`).join("")}`,
    );
    const all = vi.spyOn(parameters, "getAll");
    expect(() => readRequest(parameters)).toThrow("Identify has no argument a0");
    expect(all.mock.calls.length).toBeLessThan(10);
  });

  it("accepts arguments in a form, and no other body", async () => {
    const post = (body: string, type: string) =>
      fetch(`${service.origin}/oai`, { method: "POST", body, headers: { "Content-Type": type } });
    const form = await post("verb=Identify", "application/x-www-form-urlencoded; charset=utf-8");
    expect(await form.text()).toContain("<Identify>");
    expect((await post("verb=Identify", "text/plain")).status).toBe(415);
  });

  it("is compressed on request, and complete", async () => {
    const answer = await fetch(`${service.origin}/oai?verb=ListRecords&metadataPrefix=oai_dc`, {
      headers: { "Accept-Encoding": "gzip" },
    });
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect((await answer.text()).trimEnd()).toMatch(/<\/ListRecords>\n<\/OAI-PMH>$/);
  });
});

describe("deletions and changes", () => {
  it("are reported permanently, with their time", async () => {
    await put(object("brief", "Brief"));
    await publish(service.store, [], [`${BASE}/object/brief`]);
    const xml = await oai({ verb: "GetRecord", metadataPrefix: "edm", identifier: `${BASE}/object/brief` });
    expect(xml).toMatch(/<record><header status="deleted"><identifier>[^<]*brief<\/identifier><datestamp>20/);
    expect(xml).not.toContain("<metadata>");
    expect((await harvest({ metadataPrefix: "edm" })).get(`${BASE}/object/brief`)).toBe(true);
  });

  it("are selected by from and until, in seconds and days, both inclusive", async () => {
    const [today, now] = [10, 19].map((length) => new Date().toISOString().slice(0, length)) as [string, string];
    expect((await harvest({ from: today, until: today })).size).toBeGreaterThan(200);
    // One second later on a fake clock.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_000 });
    onTestFinished(() => void vi.useRealTimers());
    const from = `${new Date().toISOString().slice(0, 19)}Z`;
    await put(object("later", "Later"));
    expect([...(await harvest({ from })).keys()]).toEqual([`${BASE}/object/later`]);
    expect((await harvest({ until: `${now}Z` })).has(`${BASE}/object/later`)).toBe(false);
  });

  it("on their way, of a load or a followed store, are in the next harvest, which begins with the date of this answer", async () => {
    const directory = temporaryFolder(onTestFinished);
    const { port, store } = await serviceForTest({ directory });
    const dates = async () => all(await oai({ verb: "Identify" }, port), "responseDate");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    const loading = await lockFolder(directory);
    expect(await dates()).toEqual([datestamp((await store.stats()).lastChange!)]);
    await loading[Symbol.asyncDispose]();
    expect(await dates()).toEqual([datestamp(Date.now())]);
    mkdirSync(join(directory, "follow/museum.example.json"), { recursive: true });
    expect(await dates()).toEqual([datestamp((await store.stats()).lastChange!)]);
  });

  it("remove from a set the records that leave a Set", async () => {
    await put(object("member", "Out of it"));
    expect(errorOf(await oai({ verb: "ListRecords", metadataPrefix: "oai_dc", set: specOf("set", SET) }))).toBe(
      "noRecordsMatch",
    );
    await put(object("member", "In it again", inSet));
  });
});

it("an object in EDM has its files as they are, also from a store that returns the same record again", async () => {
  const memory = new MemoryStore() as WritableStore as LoadableStore;
  const records = new Map<number, ReturnType<RecordHandle["record"]>>();
  const find: LoadableStore["find"] = async (iri) => {
    const found = await memory.find(iri);
    return found && { ...found, record: () => entryOf(records, found.sequence, () => found.record()) };
  };
  const { store, port } = await serviceForTest({}, async () => ({ ...memory, find }));
  const picture = `${BASE}/visual/own`;
  const file = (address: string): JsonObject => ({
    id: `${BASE}/digital/own`,
    type: "DigitalObject",
    digitally_shows: [{ id: picture, type: "VisualItem" }],
    access_point: [{ id: address, type: "DigitalObject" }],
  });
  const shown = object("shown", "Shown", { representation: [{ id: picture, type: "VisualItem" }] });
  const edm = (id: string) =>
    oai({ verb: "GetRecord", metadataPrefix: "edm", identifier: `${BASE}/object/${id}` }, port);
  await publishDocuments(store, shown, object("other", "Other"), file("https://images.example/before.jpg"));
  expect(await edm("shown")).toContain("before.jpg");
  await edm("other");
  await publishDocuments(store, file("https://images.example/after.jpg"));
  expect(await edm("shown")).toContain("after.jpg");
});

describe("a list that continues while records change", () => {
  let next = 0;
  beforeEach(async () => {
    await put(...Array.from({ length: 150 }, (_, at) => object(`first-${at}`, `First ${next++}`)));
  });

  it("ends with every record in its current state, whatever loads do between its parts", async () => {
    const change = fc.record({
      puts: fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 60 }),
      deletes: fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 20 }),
    });
    await forAllAsync([fc.array(change, { maxLength: 4 })], runsOf(50, 5), async (changes) => {
      const waiting = [...changes];
      const found = await harvest({}, async () => {
        const { puts = [], deletes = [] } = waiting.shift() ?? {};
        const documents = [...new Set(puts)].map((id) => object(`first-${id}`, `Changed ${next++}`));
        const gone = deletes.filter((id) => !puts.includes(id)).map((id) => `${BASE}/object/first-${id}`);
        await publish(service.store, documents.map(graphOf), [...new Set(gone)]);
      });
      const held = [...found].filter(([, isDeleted]) => !isDeleted).map(([iri]) => iri);
      const exported: string[] = [];
      for await (const { graph } of service.store.lists.records()) exported.push(graph.iri);
      expect(held.sort()).toEqual(exported.sort());
    });
  });

  it("skips records that changed since, without reading them again for each request", async () => {
    const other = await countedService();
    for (let times = 0; times < 5; times++) {
      const documents = Array.from({ length: 150 }, (_, at) => object(`same-${at}`, `Again ${times}`));
      await publishDocuments(other.store, ...documents);
    }
    const ask = async (): Promise<readonly [number, readonly string[]]> => {
      const before = other.reads();
      const xml = await oai({ verb: "ListIdentifiers", metadataPrefix: "edm" }, other.port);
      return [other.reads() - before, all(xml, "identifier")];
    };
    const [[first, listed], [second, again]] = [await ask(), await ask()];
    expect(again).toEqual(listed);
    expect(second).toBeLessThan(first - 1);
    await other.stop();
  });

  it("skips records that left a Set, without reading them again for each request", async () => {
    const other = await countedService();
    const set = `${BASE}/set/left`;
    const member = (at: number, sets: readonly string[]) => ({
      ...object(`member-${at}`, `Member ${at} of ${sets.length}`),
      member_of: sets.map((id) => ({ id, type: "Set", _label: "A set" })),
    });
    for (const sets of [[set], []])
      await publishDocuments(other.store, ...Array.from({ length: 500 }, (_, at) => member(at, sets)));
    await publishDocuments(other.store, member(1_000, [set]));
    const ask = async () =>
      all(
        await oai({ verb: "ListIdentifiers", metadataPrefix: "oai_dc", set: specOf("set", set) }, other.port),
        "identifier",
      );
    const listed = await ask();
    const before = other.reads();
    expect(await ask()).toEqual(listed);
    expect([other.reads() - before, listed]).toEqual([1, [`${BASE}/object/member-1000`]]);
    await other.stop();
  });

  it("takes as many reads for a part, wherever the part begins", async () => {
    const other = await countedService();
    const documents = Array.from({ length: 1_500 }, (_, at) => object(`many-${at}`, `Many ${at}`));
    await publishDocuments(other.store, ...documents);
    const reads: number[] = [];
    for (const after of [10, 350, 700, 1_350]) {
      const mark = await changeMark(other.store, after);
      const resumptionToken = packed({ prefix: "oai_dc", after, mark, given: after });
      const before = other.reads();
      expect(all(await oai({ verb: "ListRecords", resumptionToken }, other.port), "identifier")).toHaveLength(100);
      reads.push(other.reads() - before);
    }
    expect(reads).toEqual(reads.map(() => reads[0]));
    await other.stop();
  });
});

it("OAI-PMH is not offered when the store has no change log", async () => {
  const other = await serviceForTest({}, async () => {
    const { changes: _changes, ...store } = new MemoryStore() as WritableStore as LoadableStore;
    return store as LoadableStore;
  });
  expect((await fetch(`http://127.0.0.1:${other.port}/oai?verb=Identify`)).status).toBe(404);
});
