/** The cache of other records that pages read: it keeps nothing that is out of date. */
import { expect, it } from "vitest";
import type { Dereferencer } from "../../../src/http/entity/dereference.js";
import { digest } from "../../../src/http/loads/tokens.js";
import { entriesOf } from "../../../src/http/pages/entries.js";
import { Known } from "../../../src/http/pages/known.js";
import { ENGLISH_WORDS } from "../../../src/http/pages/words/words.js";
import { heldAnswers } from "../../../src/http/routes/service/held.js";
import type { RecordHandle } from "../../../src/store/record.js";
import type { Store } from "../../../src/store/store.js";
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

it("what pages show of held records changes with them, though the store's sequence number does not", async () => {
  let label = "Held";
  const find = async () => ({ ...(await foundAt(0, label)).found, source: null });
  const store = { stats: async () => ({ sequence: 7 }), find, held: { find } } as unknown as Store;
  const token = { name: "t", hash: digest("t").toString("hex"), may: ["read"] as const, created: "" };
  const reader = { words: ENGLISH_WORDS, languages: [] };
  const existing = async (view: Store) => ({
    status: 200,
    headers: [],
    body: (await entriesOf(view, [IRI], reader)).map((entry) => entry.label).join(),
  });
  const answered = heldAnswers(
    store,
    { tokens: () => [token] } as never,
    (view) => ({ existing: () => existing(view) }) as unknown as Dereferencer,
  );
  const request = { method: "GET", url: "/x", headers: { authorization: "Bearer t" } };
  expect(await answered(request, false)).toMatchObject({ body: "Held" });
  label = "Held anew";
  expect(await answered(request, false)).toMatchObject({ body: "Held anew" });
});
