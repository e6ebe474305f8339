/** The cache of other records that pages read: it keeps nothing that is out of date. */
import { expect, it } from "vitest";
import { Known } from "../../../src/http/pages/known.js";
import type { RecordHandle } from "../../../src/store/record.js";
import { graphOf } from "../../jsonld/documents.js";

const IRI = "urn:x";

/** A record as a store finds it, and how often it was decoded. */
async function foundAt(sequence: number, label: string): Promise<{ found: RecordHandle; decoded: () => number }> {
  const graph = graphOf({ id: IRI, type: "Person", _label: label });
  const hash = Buffer.from(label);
  const meta = { endpoint: "person", label, valid: true, sequence, modified: 0, hash } as const;
  let times = 0;
  const record = () => {
    times++;
    return { meta, graph };
  };
  return { found: { sequence, modified: 0, hash, triples: 2, bytes: 100, meta, record }, decoded: () => times };
}

it("the cache decodes a record once, until it is replaced", async () => {
  const known = new Known();
  const first = await foundAt(1, "Before");
  for (let time = 0; time < 3; time++) {
    expect((await known.record(IRI, first.found)).meta.label).toBe("Before");
    expect(known.label(IRI, first.found).label).toBe("Before");
  }
  expect(first.decoded()).toBe(1);
  const next = await foundAt(2, "After");
  expect((await known.record(IRI, next.found)).meta.label).toBe("After");
  expect(known.label(IRI, next.found).label).toBe("After");
});

it("the cache keeps nothing of a held record, whose sequence number does not show its changes", async () => {
  const known = new Known();
  for (const label of ["Held", "Held anew"]) {
    const { found } = await foundAt(0, label);
    expect((await known.record(IRI, found)).meta.label).toBe(label);
    expect(known.label(IRI, found).label).toBe(label);
  }
});
