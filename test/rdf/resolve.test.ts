/** Relative IRI references: the examples of RFC 3986, section 5.4, and a base without a scheme. */
import { expect, it } from "vitest";
import { resolveIri } from "../../src/rdf/resolve.js";

const EXAMPLES: Readonly<Record<string, string>> = {
  "g:h": "g:h",
  g: "http://a/b/c/g",
  "./g": "http://a/b/c/g",
  "g/": "http://a/b/c/g/",
  "/g": "http://a/g",
  "//g": "http://g",
  "?y": "http://a/b/c/d;p?y",
  "g?y": "http://a/b/c/g?y",
  "#s": "http://a/b/c/d;p?q#s",
  "g#s": "http://a/b/c/g#s",
  "g?y#s": "http://a/b/c/g?y#s",
  ";x": "http://a/b/c/;x",
  "g;x?y#s": "http://a/b/c/g;x?y#s",
  "": "http://a/b/c/d;p?q",
  ".": "http://a/b/c/",
  "..": "http://a/b/",
  "../g": "http://a/b/g",
  "../..": "http://a/",
  "../../g": "http://a/g",
  // Abnormal examples (5.4.2).
  "../../../../g": "http://a/g",
  "/./g": "http://a/g",
  "/../g": "http://a/g",
  "g.": "http://a/b/c/g.",
  "..g": "http://a/b/c/..g",
  "./g/.": "http://a/b/c/g/",
  "g/./h": "http://a/b/c/g/h",
  "g/../h": "http://a/b/c/h",
  "g;x=1/../y": "http://a/b/c/y",
  "g?y/../x": "http://a/b/c/g?y/../x",
  "g#s/../x": "http://a/b/c/g#s/../x",
};

it.each(Object.entries(EXAMPLES))("%j is resolved as RFC 3986 says", (reference, target) => {
  expect(resolveIri("http://a/b/c/d;p?q", reference)).toBe(target);
});

it("a reference stays relative if the base is relative", () => {
  expect(resolveIri("/b/c", "../g?y")).toBe("/g?y");
  expect(resolveIri("//a/b/c", "g")).toBe("//a/b/g");
});

it.each([
  ["http://a", "g", "http://a/g"],
  ["http://a?q", "g", "http://a/g"],
  ["x:", "g", "x:g"],
  ["urn:b", "./g", "urn:g"],
  ["urn:b", ".", "urn:"],
  ["urn:b", "a/../g", "urn:g"],
  ["urn:b", "../g", "urn:g"],
  ["urn:b/c", "a.b/c.", "urn:b/a.b/c."],
  ["http://a/b", "s://c/./d/../e", "s://c/./d/../e"],
  ["http://a/b", "//c/./d", "http://c/d"],
  ["http://a/b#f", "", "http://a/b"],
  ["http://a/b", "?", "http://a/b?"],
  ["http://a/b", "#", "http://a/b#"],
  ["http://a/b", "c\nd", "http://a/c\nd"],
])("with the base %s, %j is resolved to %s", (base, reference, target) => {
  expect(resolveIri(base, reference)).toBe(target);
});

it("resolution keeps every character as it is written", () => {
  expect(resolveIri("HTTP://A.example/É/x", "%7eü")).toBe("HTTP://A.example/É/%7eü");
});
