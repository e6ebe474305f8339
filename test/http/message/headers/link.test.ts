/** Links in the form of the `Link` header (RFC 8288, 3). */
import { expect, it } from "vitest";
import { linkText } from "../../../../src/http/message/headers/link.js";

it.each([
  [{}, '<urn:a>; rel="item"'],
  [{ type: "text/html" }, '<urn:a>; rel="item"; type="text/html"'],
  [{ profile: 'a"b\\' }, '<urn:a>; rel="item"; profile="a\\"b\\\\"'],
  [{ anchor: "urn:é" }, '<urn:a>; rel="item"; anchor="urn:%C3%A9"'],
])("a link is written with %j", (rest, text) => {
  expect(linkText({ relation: "item", href: "urn:a", ...rest })).toBe(text);
});
