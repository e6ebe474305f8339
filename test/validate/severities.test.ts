/** Severities: an institution's decisions about rules. */
import { describe, expect, it } from "vitest";
import { allRules, decisionsIn, Severities, SeverityError } from "../../src/validate/severities.js";

const RULE = { name: "object._label.presence", severity: "Warning" } as const;

describe("severities", () => {
  it.each<[readonly string[], string]>([
    [[], "Warning"],
    [["object._label.presence=violation"], "Violation"],
    [[" urn:vitrine:shape:object._label.presence = OFF "], "off"],
    [["*.presence=violation", "object.*=off"], "off"],
    [["object.*=off", "*.presence=violation"], "Violation"],
    [["object.classified_as.presence=off"], "Warning"],
  ])("%j", (decisions, severity) => {
    expect(new Severities(decisions).of(RULE)).toBe(severity);
  });

  it.each([
    ["object._label.presence", /write RULE=warning/],
    ["object._label.presence=loud", /write RULE=warning/],
    ["object._label.presence=constructor", /write RULE=warning/],
    ["=off", /write RULE=warning/],
    ["a object._label.presence=off", /write RULE=warning/],
    ["object._label.presence=off now", /write RULE=warning/],
    ["object.colour.presence=off", /object\.colour\.presence is not a rule/],
    ["document.loss=off", /document\.loss has a severity that cannot be changed/],
    ["record.stray=warning", /record\.stray has a severity that cannot be changed/],
    ["object._label=off", /object\._label is not a rule/],
  ])("refuse %j", (decision, message) => {
    expect(() => new Severities([decision])).toThrow(SeverityError);
    expect(() => new Severities([decision])).toThrow(message);
  });

  it("are read from a file without comments and empty lines", () => {
    const text = "# ours\r\nobject.*=off # for now\r\n\r\n  place.closed=warning\nset.*=off\n";
    expect(decisionsIn(text)).toEqual(["object.*=off", "place.closed=warning", "set.*=off"]);
  });

  it("have a unique name for every rule", () => {
    const names = allRules().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
