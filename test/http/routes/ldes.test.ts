/** The change log as a Linked Data Event Stream: each member once, pages that stay, and relations to the next page. */
import { Parser, type Quad } from "n3";
import { beforeAll, describe, expect, it } from "vitest";
import { BASE, publish, publishDocuments, serviceForAll } from "../service.js";

const TREE = "https://w3id.org/tree#";
const AS = "https://www.w3.org/ns/activitystreams#";

const service = serviceForAll({});
beforeAll(async () => {
  await put(120);
});

async function put(count: number, label = "One"): Promise<void> {
  const documents = Array.from({ length: count }, (_, at) => ({
    id: `${BASE}/object/many-${at}`,
    type: "HumanMadeObject",
    _label: label,
  }));
  await publishDocuments(service.store, ...documents);
}

async function page(path: string, accept = "text/turtle") {
  const answer = await fetch(service.origin + path, { headers: { accept } });
  const body = await answer.text();
  const quads: Quad[] = answer.status === 200 && accept === "text/turtle" ? new Parser().parse(body) : [];
  const values = (predicate: string) =>
    quads.filter((quad) => quad.predicate.value === predicate).map(({ object }) => object.value);
  return { answer, body, quads, values };
}

describe("the event stream", () => {
  it("has each change once, as its activity, on pages linked by time", async () => {
    const view = await page("/ldes");
    expect(view.values(`${TREE}member`)).toEqual([]);
    let path: string | undefined = view.values(`${TREE}view`)[0]!.slice(BASE.length);
    const members: string[] = [];
    while (path !== undefined) {
      const { values, quads } = await page(path);
      members.push(...values(`${TREE}member`));
      const [node] = values(`${TREE}node`);
      const [bound] = values(`${TREE}value`);
      const times = quads
        .filter(({ predicate }) => predicate.value === `${AS}endTime`)
        .map(({ object }) => object.value);
      if (bound !== undefined) expect(times.every((time) => time <= bound)).toBe(true);
      path = node?.slice(BASE.length);
    }
    const count = await service.store.changes.count();
    expect(members).toEqual(Array.from({ length: count }, (_, at) => `${BASE}/activity/change/${at + 1}`));
  });

  it("says what happened to which record", async () => {
    await publish(service.store, [], [`${BASE}/object/many-0`]);
    const last = Math.ceil((await service.store.changes.count()) / 100);
    const { quads } = await page(`/ldes/page/${last}`);
    const [deletion] = quads.filter(({ object }) => object.value === `${AS}Delete`);
    const said = quads.find((quad) => quad.subject.equals(deletion!.subject) && quad.predicate.value === `${AS}object`);
    expect(said!.object.value).toBe(`${BASE}/object/many-0`);
  });

  it("has pages that never change once another follows", async () => {
    const before = await page("/ldes/page/1");
    expect(before.answer.headers.get("cache-control")).toContain("immutable");
    expect(before.values("https://w3id.org/ldes#immutable")).toEqual(["true"]);
    await put(30, "Two");
    const after = await page("/ldes/page/1");
    expect([after.body, after.answer.headers.get("etag")]).toEqual([before.body, before.answer.headers.get("etag")]);
    const last = Math.ceil((await service.store.changes.count()) / 100);
    expect((await page(`/ldes/page/${last}`)).answer.headers.get("cache-control")).toBe("no-cache");
    expect((await page(`/ldes/page/${last + 1}`)).answer.status).toBe(404);
    expect((await page("/ldes/page/0")).answer.status).toBe(404);
  });

  it("is available in the other syntaxes", async () => {
    expect(JSON.parse((await page("/ldes", "application/ld+json")).body)).toBeDefined();
    expect((await page("/ldes/page/1", "application/n-triples")).body).toContain(`<${TREE}member>`);
  });
});
