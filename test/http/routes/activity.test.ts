/** The change stream, read as harvesters read it. */
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../jsonld/documents.js";
import { graphOf } from "../../jsonld/documents.js";
import { BASE, DOCUMENTS, publish, publishDocuments, rawGet, serviceForAll } from "../service.js";

interface Activity {
  readonly id: string;
  readonly type: string;
  readonly object: { readonly id: string; readonly type: string; readonly seeAlso?: readonly { id: string }[] };
  readonly endTime: string;
}

interface Page {
  readonly id: string;
  readonly prev?: { readonly id: string };
  readonly next?: { readonly id: string };
  readonly orderedItems: readonly Activity[];
}

function member(number: number, label: string, sets: readonly string[]): JsonObject {
  return {
    id: `${BASE}/member/${number}`,
    type: number % 2 === 0 ? "HumanMadeObject" : "Person",
    _label: label,
    member_of: sets.map((id) => ({ id, type: number % 2 === 0 ? "Set" : "Group", _label: "A set" })),
  };
}

const service = serviceForAll();

async function get(url: string, headers = "") {
  const answer = await rawGet(service.port, url.replace(BASE, ""), headers);
  return { ...answer, json: answer.body.length === 0 ? undefined : (JSON.parse(answer.body.toString()) as JsonObject) };
}

/** The walk of LUX's harvester: from the last page backwards until it meets what it knows; items without an `endTime` are skipped. */
async function harvestBackwards(start: string, since = ""): Promise<Activity[]> {
  const { json } = await get(start);
  const found: Activity[] = [];
  for (let url: string | undefined = (json!.last as { id: string }).id; url !== undefined; ) {
    const page = (await get(url)).json as unknown as Page;
    for (const item of page.orderedItems.toReversed()) {
      if (item.endTime === undefined) continue;
      if (item.endTime < since) return found;
      found.push(item);
    }
    url = page.prev?.id;
  }
  return found;
}

/** The resources that the specification's own algorithm keeps: those whose last activity is not a deletion. */
function copied(newestFirst: readonly Activity[]): string[] {
  const last = new Map<string, string>();
  for (const { object, type } of newestFirst) if (!last.has(object.id)) last.set(object.id, type);
  return [...last].flatMap(([id, type]) => (type === "Delete" ? [] : [id])).sort();
}

async function stored(): Promise<string[]> {
  const iris: string[] = [];
  for await (const { graph } of service.store.lists.records()) iris.push(graph.iri);
  return iris.sort();
}

const SET = `${BASE}/set/s`;

beforeAll(async () => {
  const members = Array.from({ length: 250 }, (_, at) => member(at, `m${at}`, at < 120 ? [SET] : []));
  await publishDocuments(service.store, ...members);
  await publish(
    service.store,
    [graphOf(member(0, "renamed", []))],
    [`${BASE}/member/2`, `${BASE}/member/4`, `${BASE}/member/7`],
  );
});

describe("the change stream", () => {
  it("is a collection whose pages hold every change once, in order, and link to each other", async () => {
    const { json, headers } = await get("/activity");
    expect(headers.get("content-type")).toBe("application/ld+json");
    const total = await service.store.changes.count();
    expect(json).toMatchObject({
      "@context": [expect.any(String), "http://iiif.io/api/discovery/1/context.json"],
      id: `${BASE}/activity`,
      type: "OrderedCollection",
      totalItems: total,
    });
    const items: Activity[] = [];
    let previous: string | undefined;
    let number = 0;
    for (let url: string | undefined = (json!.first as { id: string }).id; url !== undefined; ) {
      const page = (await get(url)).json as unknown as Page;
      expect(page).toMatchObject({ id: url, type: "OrderedCollectionPage", startIndex: items.length });
      expect(page.id.endsWith(`/${++number}`)).toBe(true);
      expect(page.prev?.id).toBe(previous);
      items.push(...page.orderedItems);
      [previous, url] = [page.id, page.next?.id];
    }
    expect(previous).toBe((json!.last as { id: string }).id);
    expect(items).toHaveLength(total);
    expect(new Set(items.map(({ id }) => id)).size).toBe(total);
    expect(new Set(items.map(({ endTime }) => endTime.length))).toEqual(new Set([24]));
    expect(items.map(({ endTime }) => endTime)).toEqual(items.map(({ endTime }) => endTime).toSorted());
    expect(items[0]).toMatchObject({ type: "Create", object: { type: "HumanMadeObject" } });
  });

  it("keeps a harvester that walks backwards in step with the store, on its first visit and on later ones", async () => {
    const first = await harvestBackwards("/activity");
    expect(copied(first)).toEqual(await stored());
    const since = first[0]!.endTime;
    await publish(service.store, [graphOf(member(2, "is back", [SET]))], [`${BASE}/member/9`]);
    const news = await harvestBackwards("/activity", since);
    expect(news.length).toBeLessThan(20);
    expect(copied([...news, ...first])).toEqual(await stored());
  });

  it("names for each change an activity that resolves, and the representations of records that are not deleted", async () => {
    const newest = await harvestBackwards("/activity");
    const deletion = newest.find(({ type }) => type === "Delete")!;
    const update = newest.find(({ type }) => type === "Update")!;
    expect(deletion.object.seeAlso).toBeUndefined();
    expect(update.object.seeAlso!.map(({ id }) => id)).toContain(`${update.object.id}.ttl`);
    expect((await get(update.object.seeAlso!.find(({ id }) => id.endsWith(".jsonld"))!.id)).status).toBe(200);
    for (const each of [deletion, update]) {
      const { json, status } = await get(each.id);
      expect(status).toBe(200);
      expect(json).toMatchObject({ ...each });
    }
  });

  it("is offered by kind of record, by Set, by record, and with the last change of each record", async () => {
    const ofPersons = await harvestBackwards("/activity/person");
    expect(new Set(ofPersons.map(({ object }) => object.type))).toEqual(new Set(["Person"]));
    expect(ofPersons).toHaveLength(await service.store.changes.count({ endpoint: "person" }));
    const asked = `/activity/set?uri=${encodeURIComponent(SET)}`;
    const { json } = await get(asked);
    expect((json!.last as { id: string }).id).toMatch(/&page=1$/);
    const ofSet = await harvestBackwards(asked);
    expect(ofSet.map(({ object }) => object.id)).toContain(`${BASE}/member/0`);
    expect(ofSet).toHaveLength(await service.store.changes.count({ set: SET }));
    const ofRecord = await harvestBackwards(`/activity/record?uri=${encodeURIComponent(`${BASE}/member/2`)}`);
    expect(ofRecord.map(({ type }) => type)).toEqual(["Create", "Delete", "Create"]);
    expect((await get(`/activity/record?uri=${encodeURIComponent(`${BASE}/member/2`)}`)).json).toMatchObject({
      totalItems: 3,
    });
    const latest = await harvestBackwards("/activity/latest");
    expect(new Set(latest.map(({ object }) => object.id)).size).toBe(latest.length);
    expect(copied(latest)).toEqual(await stored());
    // A page loses activities that later ones outdate, which its dates do not show.
    const since = `If-Modified-Since: ${new Date().toUTCString()}\r\n`;
    const statuses = ["/activity/page/1", "/activity/latest/page/1"].map(
      async (path) => (await get(path, since)).status,
    );
    expect(await Promise.all(statuses)).toEqual([304, 200]);
  });

  it("is offered by source: the changes of its records, until another source brings them", async () => {
    const load = async (source: string, numbers: readonly number[], deleted: readonly number[] = []) => {
      const stage = await service.store.stage({ source });
      for (const number of numbers) {
        const graph = graphOf(member(number, `${source} ${number}`, []));
        await stage.put({ graph, endpoint: "object", label: "", valid: true });
      }
      for (const number of deleted) await stage.delete(`${BASE}/member/${number}`);
      await stage.publish();
    };
    await load("feed a", [400, 401, 402]);
    await load("feed b", [402, 403]);
    await load("feed a", [], [400]);
    const told = async (source: string) =>
      (await harvestBackwards(`/activity/source/${encodeURIComponent(source)}`)).map(
        ({ type, object }) => `${type} ${object.id.slice(-3)}`,
      );
    expect(await told("feed a")).toEqual(["Delete 400", "Create 402", "Create 401", "Create 400"]);
    expect(await told("feed b")).toEqual(["Create 403", "Update 402"]);
  });

  it("misses nothing while loads run, for a harvester that walks it backwards again and again", async () => {
    let isLoading = true;
    const loading = (async () => {
      for (let round = 0; round < 12; round++) {
        const graphs = Array.from({ length: 30 }, (_, at) =>
          graphOf(member(500 + ((round * 7 + at) % 90), `${round}`, [])),
        );
        await publish(service.store, await Promise.all(graphs), [`${BASE}/member/${500 + round}`]);
      }
    })().finally(() => {
      isLoading = false;
    });
    let known: Activity[] = [];
    let since = "";
    let visits = 0;
    for (let isLast = false; !isLast; visits++) {
      isLast = !isLoading;
      const news = await harvestBackwards("/activity", since);
      expect(news.map(({ endTime }) => endTime)).toEqual(
        news
          .map(({ endTime }) => endTime)
          .toSorted()
          .reverse(),
      );
      known = [...news, ...known];
      since = known[0]!.endTime;
    }
    await loading;
    expect(visits).toBeGreaterThan(1);
    expect(copied(known)).toEqual(await stored());
  });

  it("lets caches keep a page forever once another follows it, and has the last one revalidated each time", async () => {
    const first = await get("/activity/page/1");
    expect(first.headers.get("cache-control")).toContain("immutable");
    const { json } = await get("/activity");
    const last = (json!.last as { id: string }).id;
    const { headers } = await get(last);
    expect(headers.get("cache-control")).toBe("no-cache");
    expect((await get(last, `If-None-Match: ${headers.get("etag")}\r\n`)).status).toBe(304);
    await publishDocuments(service.store, member(300, "new", []));
    expect((await get(last, `If-None-Match: ${headers.get("etag")}\r\n`)).status).toBe(200);
    expect((await get("/activity/page/1")).body.equals(first.body)).toBe(true);
  });

  it("shows the link to the next page to a harvester that asks by date", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    const set = `${BASE}/set/full`;
    const page = `/activity/set?uri=${encodeURIComponent(set)}&page=1`;
    const of = (numbers: readonly number[]) => numbers.map((number) => member(number, "full", [set]));
    await publishDocuments(service.store, ...of(Array.from({ length: 100 }, (_, at) => 1_000 + 2 * at)));
    const since = `If-Modified-Since: ${(await get(page)).headers.get("last-modified")}\r\n`;
    expect((await get(page, since)).status).toBe(304);
    vi.setSystemTime(Date.now() + 2_000);
    await publishDocuments(service.store, ...of([1_200]));
    expect((await get(page, since)).json).toMatchObject({ next: { id: expect.stringContaining("page=2") } });
  });

  it("has an empty page when nothing changed, and 404 for pages that do not exist", async () => {
    const { json } = await get("/activity/source/nobody");
    expect(json).toMatchObject({ totalItems: 0, last: { id: `${BASE}/activity/source/nobody/page/1` } });
    expect(json!.first).toBeUndefined();
    expect((await get("/activity/source/nobody/page/1")).json).toMatchObject({ orderedItems: [] });
    for (const path of ["/activity/page/999", "/activity/page/0", "/activity/page/x", "/activity/painting"]) {
      expect((await get(path)).status, path).toBe(404);
    }
    expect((await get("/activity/set?uri=")).status).toBe(400);
    expect((await get("/activity/change/999999")).status).toBe(404);
  });

  it("names no address that ends in a longer suffix: it would be one of another record", async () => {
    const id = `${BASE}/member/1.schema`;
    await publishDocuments(service.store, { ...member(0, "Ends like a suffix", []), id });
    const { json } = await get(`/activity/record?uri=${encodeURIComponent(id)}&page=1`);
    const [{ object }] = (json as unknown as Page).orderedItems as [Activity];
    const addresses = object.seeAlso!.map((each) => each.id);
    expect(addresses).toContain(`${id}.json`);
    expect(addresses).not.toContain(`${id}.jsonld`);
    await publish(service.store, [], [id]);
  });

  it("gives way to a record with its IRI, and is then at /activity/all", async () => {
    const record = { ...DOCUMENTS[0]!, id: `${BASE}/activity`, _label: "A record called activity" };
    await publishDocuments(service.store, record);
    expect((await get("/activity")).json).toMatchObject({ _label: "A record called activity" });
    const { json } = await get("/activity/all");
    expect(json).toMatchObject({ id: `${BASE}/activity/all`, type: "OrderedCollection" });
    expect((await get((json!.last as { id: string }).id)).json).toMatchObject({
      partOf: { id: `${BASE}/activity/all` },
    });
    await publish(service.store, [], [`${BASE}/activity`]);
    expect((await get("/activity")).json).toMatchObject({ id: `${BASE}/activity` });
  });
});

it("is that of the record or the Set whose IRI is spelled as its URI is, as in cite-as (RFC 3987, 3.1)", async () => {
  const [set, iri] = [`${BASE}/set/größe`, `${BASE}/künstler/Brücke`];
  await publishDocuments(service.store, { id: set, type: "Set", _label: "Größe" }, member(70, "Of a set", [set]));
  for (const [path, given] of [
    ["/activity/record", iri],
    ["/activity/set", set],
  ] as const) {
    const { json } = await get(`${path}?uri=${encodeURIComponent(encodeURI(given))}`);
    expect(json).toEqual((await get(`${path}?uri=${encodeURIComponent(given)}`)).json);
    expect(json).toMatchObject({ totalItems: 1 });
  }
});
