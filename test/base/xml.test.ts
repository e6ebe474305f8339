import { expect, it } from "vitest";
import { xmlElement, xmlText } from "../../src/base/xml.js";

it("white space in attributes is escaped, since readers turn it into spaces", () => {
  expect(xmlElement("a", { title: "one\ttwo\nthree\rfour" })).toBe('<a title="one&#x9;two&#xA;three&#xD;four"/>');
});

it("white space in content stays, but for carriage returns", () => {
  expect(xmlElement("a", {}, xmlText("one\ttwo\nthree\rfour"))).toBe("<a>one\ttwo\nthree&#xD;four</a>");
});
