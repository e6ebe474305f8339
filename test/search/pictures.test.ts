/** The pictures and licences of records, as other records come, change and go. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SearchIndex } from "../../src/search/search-index.js";
import type { SearchQuery } from "../../src/store/search.js";
import { BASE, publish } from "../http/service.js";
import { CONTEXT_URI, graphOf, type JsonObject } from "../jsonld/documents.js";
import { forAllAsync, runsOf } from "../properties.js";
import { SearchedStore } from "./searched-store.js";

const searched = new SearchedStore();

describe("pictures and licences", () => {
  const id = (path: string): string => `${BASE}/${path}`;
  const search = async (query: SearchQuery): Promise<string[]> =>
    (await searched.find(query)).map((iri) => iri.slice(BASE.length + 1));
  const right = (licence: string): JsonObject => ({ type: "Right", classified_as: [{ id: licence, type: "Type" }] });
  const load = async (documents: readonly JsonObject[], deleted: readonly string[] = []): Promise<void> => {
    const all = documents.map((each) => graphOf({ "@context": CONTEXT_URI, ...each, id: id(String(each.id)) }));
    await publish(searched.store, await Promise.all(all), deleted.map(id));
  };
  const file = (url: string): JsonObject => ({
    id: "digital/1",
    type: "DigitalObject",
    digitally_shows: [{ id: id("visual/1"), type: "VisualItem" }],
    access_point: [{ id: url, type: "DigitalObject" }],
  });
  const visual = (licence: string): JsonObject => ({
    id: "visual/1",
    type: "VisualItem",
    subject_to: [right(licence)],
  });

  it("of an object include those of what it shows, whenever that comes, changes or goes", async () => {
    const shows = [{ id: id("visual/1"), type: "VisualItem" }];
    await load([{ id: "object/1", type: "HumanMadeObject", _label: "Shown", shows }]);
    expect(await search({ isPictured: true })).toEqual([]);
    await load([file("https://images.example/1.jpg"), visual("urn:cc0")]);
    expect((await search({ isPictured: true })).sort()).toEqual(["digital/1", "object/1", "visual/1"]);
    const licensed = (licence: string): SearchQuery => ({ relations: [{ property: "licence", target: licence }] });
    expect((await search(licensed("urn:cc0"))).sort()).toEqual(["digital/1", "object/1", "visual/1"]);
    await load([visual("urn:reserved")]);
    expect((await search({ isPictured: true })).sort()).toEqual(["digital/1", "object/1", "visual/1"]);
    expect(await search(licensed("urn:cc0"))).toEqual([]);
    expect((await search(licensed("urn:reserved"))).sort()).toEqual(["digital/1", "object/1", "visual/1"]);
    await load([file("https://images.example/1.txt")]);
    expect(await search({ isPictured: true })).toEqual([]);
    await load([{ ...file("https://images.example/1"), format: "Image/JPEG" }]);
    expect(await search({ isPictured: false })).toEqual([]);
    await load([], ["digital/1"]);
    expect((await search({ isPictured: false })).sort()).toEqual(["object/1", "visual/1"]);
    const { digitally_shows: _, id: __, ...embedded } = file("https://images.example/1.jpg");
    await load([{ ...visual("urn:cc0"), digitally_shown_by: [embedded as JsonObject] }]);
    expect((await search({ isPictured: true })).sort()).toEqual(["object/1", "visual/1"]);
    await load([visual("urn:cc0")]);
    expect(await search({ isPictured: true })).toEqual([]);
  });

  it("of a record include a file that it or its picture only names, whenever that comes, changes or goes", async () => {
    const { digitally_shows: _, ...image } = file("https://images.example/1.jpg") as JsonObject;
    const named = { digitally_shown_by: [{ id: id("digital/1"), type: "DigitalObject" }] };
    const shows = [{ id: id("visual/1"), type: "VisualItem" }];
    await load([
      { id: "object/1", type: "HumanMadeObject", _label: "Shown", shows },
      { id: "object/2", type: "HumanMadeObject", _label: "Named", representation: [{ type: "VisualItem", ...named }] },
      { ...visual("urn:cc0"), ...named },
    ]);
    expect(await search({ isPictured: true })).toEqual([]);
    await load([image]);
    expect(await search({ isPictured: false })).toEqual([]);
    await load([{ ...image, format: "text/plain" }]);
    expect(await search({ isPictured: true })).toEqual([]);
    await load([image]);
    await load([visual("urn:cc0")]);
    expect((await search({ isPictured: true })).sort()).toEqual(["digital/1", "object/2"]);
    await load([], ["digital/1"]);
    expect(await search({ isPictured: true })).toEqual([]);
  });

  const iri = fc.integer({ min: 0, max: 8 }).map((at) => `urn:${at}`);
  const some = fc.uniqueArray(iri, { maxLength: 3 });
  const address = fc.constantFrom("urn:file.jpg", "urn:file.txt").map((each) => [each]);
  const content = fc.oneof(
    fc.record({ endpoint: fc.constant("object" as const), refers: fc.record({ shows: some, representation: some }) }),
    fc.record({
      endpoint: fc.constant("digital" as const),
      refers: fc.record({ digitally_shows: some, access_point: address }),
    }),
    fc.record({
      endpoint: fc.constant("visual" as const),
      refers: fc.record({ about: some, digitally_shown_by: some }),
    }),
  );

  it("are, after any changes, the same as in a newly built index", async () => {
    const pictured = async (): Promise<string[]> => (await searched.find({ isPictured: true })).sort();
    let seen = 0;
    await forAllAsync(
      [fc.dictionary(iri, content), fc.uniqueArray(iri, { maxLength: 3 })],
      runsOf(300, 20),
      async (put, gone) => {
        await searched.publish(
          put,
          gone.filter((each) => !(each in put)),
        );
        if ((await searched.store.stats()).records === 0) return;
        const followed = await pictured();
        const index = new SearchIndex(searched.directory, searched.store);
        await index.follow({ isAnew: true });
        index.close();
        expect(await pictured()).toEqual(followed);
        seen += followed.length;
      },
    );
    expect(seen).toBeGreaterThan(20);
  });
});
