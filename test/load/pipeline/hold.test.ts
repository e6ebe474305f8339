/** Rules for held records, as people write them: a rule that can match nothing would let records become public. */
import { describe, expect, it } from "vitest";
import { HoldRuleError, holdRule, listedRule } from "../../../src/load/pipeline/hold.js";

const IRI = "https://museum.example/place/1";
const CRM = "http://www.cidoc-crm.org/cidoc-crm/";

describe("a rule for held records", () => {
  it.each([
    ["class=Place", `${CRM}E53_Place`],
    [`class=${CRM}E53_Place`, `${CRM}E53_Place`],
    ["endpoint=person", "person"],
    ["source=the feed: aat", "the feed: aat"],
    [`classification=<${IRI}>`, IRI],
    [`iri=${IRI}`, IRI],
    [`iri= <${IRI}> `, IRI],
    ["iri=place/1", "place/1"],
    ["iri=urn:uuid:1", "urn:uuid:1"],
  ])("%s has the value %s", (text, value) => expect(holdRule(text)).toMatchObject({ value }));

  it.each([
    ["iri=", "is empty"],
    ["source=", "is not a rule"],
    [`iri="${IRI}"`, "no IRI may contain"],
    [`iri=${IRI} # a note`, "no IRI may contain"],
    ["iri=place/1 # a note", "no IRI may contain"],
    ["iri=wd:Q42", "write the whole IRI"],
    ["classification=aat:300008389", "write the whole IRI"],
    ["classification=300008389", "is not absolute"],
    ["class=crm:E53_Place", "write the whole IRI"],
    ["class=Widget", "is neither a class of the data model nor an IRI"],
    ["endpoint=widget", "does not name an endpoint"],
  ])("%s is refused", (text, problem) => {
    expect(() => holdRule(text)).toThrow(HoldRuleError);
    expect(() => holdRule(text)).toThrow(problem);
  });

  it.each(["2026.1", "NG-MC-1888", "object/3001,2026-12-01", `${IRI};2026-12-01`])(
    "of a line %s is one only in angle brackets",
    (text) => {
      expect(() => listedRule(text, "list.txt:1")).toThrow("looks like an inventory number or has a date behind");
      expect(listedRule(`<${text}>`, "list.txt:1")).toEqual({ by: "iri", value: text, place: "list.txt:1" });
    },
  );

  it("is told from a file's name", () => expect(holdRule("held.txt")).toBeUndefined());
});
