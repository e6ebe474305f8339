/** Hashes of texts, which must not change, since stores contain them. */
import { expect, it } from "vitest";
import { textHash } from "../../src/rdf/text-hash.js";

it.each([
  ["", 2872998923, 3954623016, 1020716019],
  ["View of Delft", 4233985840, 1749940560, 1384929852],
  ["名😀", 198699119, 1428941477, 1817977817],
])("%j still has the same hash", (text, a, b, c) => {
  expect(textHash(text)).toEqual({ a, b, c });
});
