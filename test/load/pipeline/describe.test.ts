import { expect, it, describe as suite } from "vitest";
import { describe } from "../../../src/load/pipeline/describe.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { CONTEXT_URI, graphOf, type JsonObject } from "../../jsonld/documents.js";

async function described(rest: JsonObject): Promise<{ endpoint: string | null; label: string }> {
  return describe(graphOf({ "@context": CONTEXT_URI, id: "https://example.org/1", ...rest }), DEFAULT_MODEL.vocabBase);
}

const PROVENANCE = { id: `${DEFAULT_MODEL.vocabBase}/300055863`, type: "Type" };

suite("the endpoint", () => {
  it.each<[string, JsonObject, string | null]>([
    ["a painting", { type: "HumanMadeObject" }, "object"],
    ["a material", { type: "Material" }, "concept"],
    ["an activity", { type: "Activity" }, "event"],
    ["an activity that is provenance", { type: "Activity", classified_as: [PROVENANCE] }, "provenance"],
    ["a painting that is about provenance", { type: "HumanMadeObject", classified_as: [PROVENANCE] }, "object"],
    ["a class of no endpoint", { type: "Actor" }, null],
    ["an embedded node's class", { type: "Actor", produced_by: { type: "Activity" } }, null],
  ])("of %s is %3$s", async (_name, rest, endpoint) => {
    expect((await described(rest)).endpoint).toBe(endpoint);
  });
});

suite("the label", () => {
  const names = [
    { type: "Identifier", content: "1234" },
    { type: "Name", content: "Meisje" },
    { type: "Name", content: "Girl" },
  ];
  it.each<[string, JsonObject, string]>([
    ["_label", { _label: "A girl", identified_by: names }, "A girl"],
    ["the first Name, not an Identifier", { identified_by: names }, "Meisje"],
    [
      "the first Name that is not blank",
      { _label: " ", identified_by: [{ type: "Name", content: "" }, ...names] },
      "Meisje",
    ],
    ["the first Name, not a label that is an object", { _label: { type: "Name" }, identified_by: names }, "Meisje"],
    ["nothing", { identified_by: [names[0]!] }, ""],
    ["not that of another node", { produced_by: { type: "Production", _label: "made" } }, ""],
  ])("is %s", async (_name, rest, label) => {
    expect((await described({ type: "HumanMadeObject", ...rest })).label).toBe(label);
  });
});
