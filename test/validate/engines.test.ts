/** The rules in two engines: the compiled validator, and rdf-validate-shacl with the shapes. The campaign `shapes` has a third. */
import { describe, expect, it } from "vitest";
import { SHAPES } from "../../src/model/rules/shapes.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { allRules } from "../../src/validate/severities.js";
import { Validator } from "../../src/validate/validator.js";
import { shareOf } from "../extent.js";
import { allCases, type Case } from "./cases.js";
import { CORPORA, graphsOf, someOf } from "./corpora.js";
import { graphOf } from "./nodes.js";
import { Validators } from "./validators.js";

const validators = await Validators.make();
const cases = allCases();

describe("every rule", () => {
  const bySet = new Map<string, Case[]>();
  for (const each of cases) {
    const set = each.breaks[0]?.split(".")[0] ?? `${each.endpoint}, sound`;
    bySet.set(set, [...(bySet.get(set) ?? []), each]);
  }

  it("is kept by sound records, and broken alone by its cases", async () => {
    // A validator of its own, so that coverage counts the compilation of rules for this test.
    const validator = await Validator.make({ model: DEFAULT_MODEL });
    for (const { name, endpoint, record, breaks } of cases) {
      const results = validator.record(graphOf(record), endpoint);
      const broken = new Set(results.map(({ rule }) => rule.slice(SHAPES.length)));
      expect([name, ...[...broken].sort()]).toEqual([name, ...[...breaks].sort()]);
    }
  });

  it.each([...bySet])("of %s is the same in both engines", (_set, those) => {
    for (const { name, endpoint, record } of shareOf(those, 50)) {
      const graph = graphOf(record);
      const results = validators.reference(graph, endpoint);
      expect([name, validators.compiled(graph, endpoint)]).toEqual([name, results]);
    }
  });

  it("has a case that breaks it", () => {
    const broken = new Set(cases.flatMap(({ breaks }) => breaks));
    const missing = allRules().filter(({ name }) => !broken.has(name) && !name.startsWith("document."));
    expect(missing).toEqual([]);
  });
});

describe.each(CORPORA)("$name", ({ isThere, records }) => {
  it.skipIf(!isThere)("gives the same results in both engines (skipped where ../shared is absent)", async () => {
    for await (const { graph, endpoint } of graphsOf(shareOf(someOf(records()), 3))) {
      const results = validators.reference(graph, endpoint);
      expect([graph.iri, validators.compiled(graph, endpoint)]).toEqual([graph.iri, results]);
    }
  });
});
