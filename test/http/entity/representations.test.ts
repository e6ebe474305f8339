/** Representations: their bytes are pinned to their versions, which are part of entity tags. */

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Addresses } from "../../../src/http/entity/addresses.js";
import { DEFAULT_SITE, navigation, Site } from "../../../src/http/pages/site.js";
import type { RenderContext } from "../../../src/http/representations/representation.js";
import { representations } from "../../../src/http/representations/representations.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import type { StoredRecord } from "../../../src/store/record.js";
import { endsLikeFile } from "../../../src/store/store.js";
import { graphOf, writer } from "../../jsonld/documents.js";
import { OBJECT_META } from "./object-meta.js";

/** A record with one case of each decision of a writer: order, arrays, numbers, languages, blank nodes, escapes, prefixes. */
const RECORD = {
  id: "http://data.museum.example/object/1",
  type: "HumanMadeObject",
  _label: 'A "quoted" label\nof two lines, ünd Unicode 🌻',
  classified_as: [
    { id: "http://vocab.getty.edu/aat/300033618", type: "Type", _label: "Painting" },
    { id: "http://vocab.getty.edu/aat/300133025", type: "Type", _label: "Artwork" },
  ],
  identified_by: [{ type: "Name", content: "Sunflowers", language: [{ type: "Language", _label: "English" }] }],
  dimension: [
    { type: "Dimension", value: 92, unit: { id: "http://vocab.getty.edu/aat/300379098", type: "MeasurementUnit" } },
    { type: "Dimension", value: 73.5 },
  ],
  produced_by: {
    type: "Production",
    timespan: { type: "TimeSpan", begin_of_the_begin: "1888-01-01T00:00:00Z" },
    part: [{ type: "Production", carried_out_by: [{ id: "urn:x:1", type: "Person" }] }, { type: "Production" }],
  },
};

/**
 * When one of these fails because the bytes were meant to change: raise the representation's version, so that caches
 * learn of it, and put the new digest here.
 */
const PINNED: readonly (readonly [format: string, version: number, digest: string])[] = [
  ["jsonld", 5, "4641dc610a35a21e"],
  ["json", 5, "4641dc610a35a21e"],
  ["expanded", 2, "6cc069f82b144f3f"],
  ["ttl", 1, "adab291e0df08468"],
  ["nt", 1, "e1692ae85a65ad9f"],
  ["nq", 1, "0746e29dcf0086da"],
  ["trig", 1, "37cd6f269e1ebafd"],
  ["rdf", 1, "a9ff113a1fd8ec73"],
];

async function record(): Promise<StoredRecord> {
  return { graph: graphOf(RECORD), meta: OBJECT_META };
}

/** A render context that throws at any use, since graphs depend on the record alone. */
const UNREAD = new Proxy({} as RenderContext, {
  get: (_target, name) => {
    throw new Error(`${String(name)} was read`);
  },
});

const offered = representations({
  model: DEFAULT_MODEL,
  documents: writer,
  site: new Site(new Addresses({ baseUrl: "http://data.museum.example" }), DEFAULT_SITE, navigation({})),
});

describe("the bytes of a version never change", () => {
  it("for any representation that depends on the record alone", async () => {
    const stored = await record();
    const alone = offered.filter(({ dependsOn }) => dependsOn === undefined);
    const written = alone.map(async ({ format, version, write }) => {
      const digest = createHash("sha256")
        .update((await write(stored, UNREAD)) as string)
        .digest("hex")
        .slice(0, 16);
      return [format, version, digest];
    });
    expect(await Promise.all(written)).toEqual(PINNED);
  });
});

it("every suffix is one by which the store notices that a record's IRI ends like a file", () => {
  const suffixes = offered.flatMap(({ suffix }) => suffix ?? []);
  expect(suffixes.length).toBeGreaterThan(5);
  expect(suffixes.filter((suffix) => !endsLikeFile(`http://data.museum.example/object/1${suffix}`))).toEqual([]);
});
