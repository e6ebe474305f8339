/** The records under an entity: those that refer to it, or to anything narrower, part of it or its member. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endpointNamed } from "../../src/model/tables/endpoints.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import { forAllAsync, runsOf } from "../properties.js";
import { CountedBySparql } from "./counted-by-sparql.js";
import { type Content, SearchedStore } from "./searched-store.js";

const searched = new SearchedStore();

describe("everything under an entity", () => {
  it("refers to it or to something below it, at any depth and through any circles", async () => {
    await searched.publish({
      "urn:arts": { label: "arts", endpoint: "concept" },
      "urn:painting": { label: "painting", endpoint: "concept", refers: { broader: ["urn:arts", "urn:oil"] } },
      "urn:oil": { label: "oil painting", endpoint: "concept", refers: { broader: ["urn:painting"] } },
      "urn:work": { label: "A work", refers: { classified_as: ["urn:oil"] } },
      "urn:frame": { label: "Its frame", refers: { part_of: ["urn:work"] } },
      "urn:other": { label: "Another", refers: { classified_as: ["urn:drawing"] } },
    });
    const under = (iri: string): Promise<string[]> => searched.find({ under: iri });
    expect((await under("urn:arts")).sort()).toEqual(["urn:oil", "urn:painting", "urn:work"]);
    expect((await under("urn:painting")).sort()).toEqual(["urn:oil", "urn:painting", "urn:work"]);
    expect(await under("urn:work")).toEqual(["urn:frame"]);
    expect(await under("urn:drawing")).toEqual(["urn:other"]);
    expect(await under("urn:nothing")).toEqual([]);
    expect(await searched.find({ under: "urn:arts", text: "work" })).toEqual(["urn:work"]);
  });

  const iri = fc.integer({ min: 0, max: 14 }).map((at) => `urn:${at}`);
  const some = fc.uniqueArray(iri, { maxLength: 3 });
  const kinds = fc.record({
    label: fc.constantFrom("a", "b"),
    endpoint: fc.constantFrom<EndpointName>("object", "concept", "place", "set"),
    refers: fc.record(
      { broader: some, part_of: some, member_of: some, classified_as: some, current_location: some },
      { requiredKeys: [] },
    ),
  });
  /** The content with only the references that its kind of record can have. */
  const able = ({ refers, ...content }: Content): Content => {
    const fields = endpointNamed(content.endpoint!).fields.map(({ property }): string => property);
    return {
      ...content,
      refers: Object.fromEntries(Object.entries(refers!).filter(([term]) => fields.includes(term))),
    };
  };

  it("is what SPARQL finds with property paths", async () => {
    await searched.publish({ "urn:0": { label: "a" } });
    await forAllAsync(
      [fc.dictionary(iri, kinds.map(able), { minKeys: 1, maxKeys: 12 })],
      runsOf(500, 10),
      async (contents) => {
        const before = await searched.find({});
        const gone = before.filter((each) => !(each in contents));
        await searched.publish(contents, gone);
        const snapshot = searched.store.snapshots.take();
        const sparql = new CountedBySparql(snapshot.records(() => {}));
        snapshot.close();
        for (const under of Array.from({ length: 15 }, (_, at) => `urn:${at}`))
          expect((await searched.find({ under })).sort(), under).toEqual(sparql.under(under));
      },
    );
  });
});
