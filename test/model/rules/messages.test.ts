/** What rules say to the one whose record breaks them. */
import { describe, expect, it } from "vitest";
import { messageFor, messageOf } from "../../../src/model/rules/messages.js";
import type { Demand, Rule } from "../../../src/model/rules/rule.js";
import type { LiteralKind } from "../../../src/model/tables/names.js";
import { literal, type Term, XSD } from "../../../src/rdf/terms.js";

describe("a rule", () => {
  it.each<[Demand, string]>([
    [{ kind: "geometry" }, "p is not well-formed WKT or GeoJSON"],
    [{ kind: "nesting", most: 3 }, "structures are nested more than 3 deep"],
    [{ kind: "absence" }, "p is not allowed for an Event"],
  ])("of %j says what is wrong", (demand, message) => {
    expect(messageOf(demand, "p", "Event", "Violation")).toBe(message);
  });

  const TIMESTAMP = "p must be a UTC timestamp in the form YYYY-MM-DDThh:mm:ssZ";
  it.each<[LiteralKind, Term, string]>([
    ["timestamp", literal("1889", XSD.dateTime), `${TIMESTAMP}: write 1889-12-31T23:59:59Z`],
    ["timestamp", literal("1889-01-01T00:00:00Z"), `${TIMESTAMP}: its datatype must be <${XSD.dateTime}>`],
    ["timestamp", literal("once"), `${TIMESTAMP}: for the year 1889 write 1889-12-31T23:59:59Z`],
    ["number", literal(" 4,5 "), "p must be a number: write 4.5, without quotes"],
    ["number", literal("4", undefined, "en"), "p must be a number, such as 12 or 4.5"],
    ["number", literal("four"), "p must be a number, such as 12 or 4.5"],
  ])("of a %s says of %j what is wrong with it", (kind, value, message) => {
    const demand: Demand = { kind: "literal", literal: kind };
    const rule = { demand, property: "p", message: messageOf(demand, "p", "Event", "Violation") } as unknown as Rule;
    expect(messageFor(rule, value)).toBe(message);
  });
});
