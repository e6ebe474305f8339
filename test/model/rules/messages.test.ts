/** The messages of rules. */
import { describe, expect, it } from "vitest";
import { messageFor, messageOf } from "../../../src/model/rules/messages.js";
import type { Demand, Rule } from "../../../src/model/rules/rule.js";
import type { LiteralKind } from "../../../src/model/tables/names.js";
import type { ClassName } from "../../../src/model/vocabulary/classes.js";
import { iri, literal, type Term, XSD, XSD_NAMESPACE } from "../../../src/rdf/terms.js";

describe("a rule", () => {
  const CLASSES = ["Person", "Group", "Place"] as const;
  it.each<[Demand, string, (readonly ClassName[])?]>([
    [{ kind: "presence" }, "p is missing: it is required for an Event"],
    [{ kind: "presence" }, "p is missing: it is required for an Event of type Person", ["Person"]],
    [{ kind: "count" }, "p has more than one value, but an Event may have only one"],
    [{ kind: "absence" }, "p is not allowed for an Event"],
    [{ kind: "usable", classes: ["Person", "Group"] }, "p is usable only when type is Person or Group"],
    [{ kind: "includes", iri: "urn:x" }, "p must include <urn:x> for an Event"],
    [{ kind: "includes", iri: "urn:x" }, "p must include <urn:x> for an Event of type Person, Group or Place", CLASSES],
    [
      { kind: "literal", literal: "text" },
      "p must be one plain string: no object, number, language tag or other datatype",
    ],
    [{ kind: "literal", literal: "number" }, "p must be a number, such as 12 or 4.5"],
    [{ kind: "literal", literal: "media type" }, "p must be a media type in the form type/subtype, such as image/jpeg"],
    [{ kind: "literal", literal: "geometry" }, "p must be a geometry as WKT, such as POINT (4.9 52.4), or as GeoJSON"],
    [{ kind: "order", notBefore: ["part_of"] }, "p is before part_of"],
    [{ kind: "geometry" }, "p is not well-formed WKT or GeoJSON"],
    [{ kind: "node", named: true }, "p must be a term of the data model or an IRI"],
    [{ kind: "node", named: false }, "p must be an object with id and type, not text"],
    [{ kind: "class", classes: ["Person"] }, "p must be of type Person"],
    [{ kind: "id" }, "p refers to an entity without naming it: give its id"],
    [
      { kind: "id", unless: { property: "digitally_shown_by", path: "urn:x" } },
      "p refers to an entity without naming it: give its id, or its Digital Object by digitally_shown_by",
    ],
    [{ kind: "type", classes: CLASSES }, "type must be Person, Group or Place"],
    [{ kind: "address" }, "the id of an Event must be an HTTP or HTTPS URI"],
    [
      { kind: "closed", properties: [] },
      "an Event may only have the properties of its table, and this is not one of them",
    ],
    [{ kind: "nesting", most: 3 }, "structures are nested more than 3 levels deep"],
  ])("of %j says what is wrong", (demand, message, when) => {
    expect(messageOf(demand, "p", "Event", "Violation", when)).toBe(message);
  });

  it("that only warns says recommended, with the right article", () => {
    expect(messageOf({ kind: "presence" }, "p", "Set", "Warning")).toBe("p is missing: it is recommended for a Set");
  });

  const TEXT = "p must be one plain string: no object, number, language tag or other datatype";
  const TIMESTAMP = "p must be a UTC timestamp in the form YYYY-MM-DDThh:mm:ssZ";
  it.each<[LiteralKind, Term, string]>([
    ["timestamp", literal("1889", XSD.dateTime), `${TIMESTAMP}: write 1889-12-31T23:59:59Z`],
    ["timestamp", literal("1889-01-01T00:00:00Z"), `${TIMESTAMP}: its datatype must be <${XSD.dateTime}>`],
    ["timestamp", literal("once"), `${TIMESTAMP}: for the year 1889 write 1889-12-31T23:59:59Z`],
    ["number", literal(" 4,5 "), "p must be a number: write 4.5, as a number, not as a text"],
    ["number", literal("4", undefined, "en"), "p must be a number, such as 12 or 4.5"],
    ["number", literal("four"), "p must be a number, such as 12 or 4.5"],
    ["number", literal("+4.5.6"), "p must be a number, such as 12 or 4.5"],
    ["number", literal("x4"), "p must be a number, such as 12 or 4.5"],
    ["number", iri("urn:4"), "p must be a number, such as 12 or 4.5"],
    ["text", literal("x", undefined, "en"), `${TEXT}: remove the language en, or give it as language`],
    ["text", literal("12", XSD.integer), `${TEXT}: write "12"`],
    ["text", literal("x"), TEXT],
    ["text", iri("urn:4"), TEXT],
    [
      "timestamp",
      literal("1889-01-01T00:00:00Z", XSD.dateTime),
      `${TIMESTAMP}: for the year 1889 write 1889-12-31T23:59:59Z`,
    ],
    ["number", literal("12"), "p must be a number: write 12, as a number, not as a text"],
    [
      "number",
      literal("300", `${XSD_NAMESPACE}byte`),
      `p must be a number: write 300, with the datatype <${XSD.decimal}>`,
    ],
    ["text", literal("1.9195E3", XSD.double), `${TEXT}: write "1919.5"`],
    ["text", literal("1919.50", XSD.double), `${TEXT}: write "1919.50"`],
    ...[
      ["007", "7"],
      ["+5", "5"],
      ["-00,50", "-0.50"],
      ["000", "0"],
      ["1,234", "1.234 or 1234, whichever is meant"],
      ["-123,456", "-123.456 or -123456, whichever is meant"],
      ["1.234", "1.234"],
      ["1,2345", "1.2345"],
      ["1,23", "1.23"],
      ["1234,567", "1234.567"],
      ["0,234", "0.234"],
    ].map(([value, advice]): [LiteralKind, Term, string] => [
      "number",
      literal(value!),
      `p must be a number: write ${advice}, as a number, not as a text`,
    ]),
    ["number", literal("1,234,567"), "p must be a number, such as 12 or 4.5"],
    ["number", literal("-4.55"), "p must be a number: write -4.55, as a number, not as a text"],
    ["media type", literal("x"), "p must be a media type in the form type/subtype, such as image/jpeg"],
  ])("for a %s says what is wrong with %j", (kind, value, message) => {
    const demand: Demand = { kind: "literal", literal: kind };
    const rule = { demand, property: "p", message: messageOf(demand, "p", "Event", "Violation") } as unknown as Rule;
    expect(messageFor(rule, value)).toBe(message);
  });

  it("for a begin suggests the first instant", () => {
    const demand: Demand = { kind: "literal", literal: "timestamp" };
    const message = messageOf(demand, "begin_of_the_end", "TimeSpan", "Violation");
    expect(message).toMatch(/: for the year 1889 write 1889-01-01T00:00:00Z$/);
    const rule = { demand, property: "begin_of_the_end", message } as unknown as Rule;
    expect(messageFor(rule, literal("1700"))).toMatch(/YYYY-MM-DDThh:mm:ssZ: write 1700-01-01T00:00:00Z$/);
    const other = { demand: { kind: "presence" }, property: "p", message: "m" } as unknown as Rule;
    expect(messageFor(other, literal("1700"))).toBe("m");
  });
});
