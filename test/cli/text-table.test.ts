/** Tables of results for people. */
import { expect, it } from "vitest";
import { table } from "../../src/cli/main/text-table.js";

it("aligns wide characters, and has the columns in their order", () => {
  const bindings = [
    { b: { type: "literal", value: "神曲\n1" }, a: { type: "uri", value: "http://x.example/" } },
    { b: { type: "literal", value: "Hölle", "xml:lang": "de" } },
  ];
  const json = JSON.stringify({ head: { vars: ["b", "a"] }, results: { bindings } });
  expect(table(json)).toBe(
    "b          a\n---------  -----------------\n神曲 1     http://x.example/\nHölle @de\n(2 rows)\n",
  );
});

it("leaves the cell of an unbound variable empty, whatever its name", () => {
  const bindings = [{ a: { type: "literal", value: "1" } }];
  const json = JSON.stringify({ head: { vars: ["constructor", "a"] }, results: { bindings } });
  expect(table(json)).toBe("constructor  a\n-----------  -\n             1\n(1 row)\n");
});
