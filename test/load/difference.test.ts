/** The places where two documents differ. */
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { differencesOf } from "../../src/load/difference.js";
import { isJsonObject, type Json, type JsonObject } from "../../src/rdf/record-graph.js";
import { forAll, runsOf } from "../properties.js";

/** A value without the members that are null, which a document states no more than those that it lacks. */
function stated(value: Json): Json {
  if (Array.isArray(value)) return value.map(stated);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, stated(member)]).sort());
}

it("are none exactly for documents that state the same", () => {
  const document = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
  const pair = fc.oneof(
    fc.tuple(document, document),
    document.map((one): [Json, Json] => [one, structuredClone(one)]),
  );
  forAll([pair], runsOf(2_000), ([before, after]) => {
    const isSame = JSON.stringify(stated(before)) === JSON.stringify(stated(after));
    expect(differencesOf(before, after).length === 0).toBe(isSame);
  });
});

it("are one for the same values in another order", () => {
  expect(differencesOf({ a: [{ b: 1 }, 2, 2] }, { a: [2, { b: 1 }, 2] })).toEqual([
    { property: "a", before: "the same values", after: "in another order" },
  ]);
  expect(differencesOf({ a: [1, 2] }, { a: [2, 2] })).toEqual([{ property: "a", before: 1, after: 2 }]);
});

it("are found by reading each value once, however deep it is", () => {
  const get = vi.fn(() => "A");
  const nested = (inner: object): JsonObject => {
    let document = inner as JsonObject;
    for (let level = 0; level < 100; level++) document = { part: [document] };
    return document;
  };
  const before = nested(Object.defineProperty({}, "_label", { enumerable: true, get }));
  const [difference] = differencesOf(before, nested({ _label: "B" }));
  expect(difference).toMatchObject({ before: "A", after: "B" });
  expect(get).toHaveBeenCalledOnce();
});
