/** The edition of search indexes: indexes keep the search texts of records, so a change to these needs another edition. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { textOf } from "../../src/search/record-text.js";
import { EDITION } from "../../src/search/schema.js";
import { SAMPLE } from "../data/sample.js";
import { readingAt } from "../jsonld/documents.js";

/** By edition, the digest of the search texts of the records below. */
const DIGESTS: Readonly<Record<number, string>> = {
  22: "4dc462b4f20948c4",
};

/** One record of the sample for each endpoint, chosen for its content. */
const RECORDS = [
  "object/night-watch",
  "visual/great-wave",
  "text/divine-comedy",
  "abstract/decree-of-memphis",
  "digital/night-watch-717-gigapixel",
  "person/rembrandt",
  "group/mauritshuis",
  "place/netherlands",
  "event/operation-night-watch",
  "provenance/girl-1881-des-tombe",
  "set/mauritshuis-collection",
  "concept/vellum",
];

describe("the search texts of records", () => {
  it("are those of EDITION: after a change, increase it, or existing indexes would keep the old texts", () => {
    const read = readingAt("https://museum.example/");
    const hash = createHash("sha256");
    for (const path of RECORDS) {
      const { document, endpoint } = SAMPLE.get(path)!;
      const graph = read(document);
      hash.update(
        JSON.stringify(
          textOf({ graph, endpoint }, (iri) => ({ names: iri.split("/").at(-1)!, licences: [], isFile: false })),
        ),
      );
    }
    expect(hash.digest("hex").slice(0, 16)).toBe(DIGESTS[EDITION]);
  });
});
