/** The shapes say the same to two engines: the judge, and a second one that reads them as they are committed. */
import { describe, expect, it } from "vitest";
import { SHAPES } from "../../src/model/rules/shapes.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { RuleBooks } from "../../src/validate/rule-books.js";
import { allRules, Severities } from "../../src/validate/severities.js";
import { allCases, type Case } from "./cases.js";
import { CORPORA, graphsOf } from "./corpora.js";
import { graphOf } from "./nodes.js";
import { brokenByJudge, brokenByShapes } from "./second-engine.js";

const books = new RuleBooks(DEFAULT_MODEL, new Severities());
const cases = allCases();

describe("every rule", () => {
  const bySet = new Map<string, Case[]>();
  for (const each of cases) {
    const set = each.breaks[0]?.split(".")[0] ?? `${each.endpoint}, sound`;
    bySet.set(set, [...(bySet.get(set) ?? []), each]);
  }

  it.each([...bySet])("of %s is kept and broken for its reason alone", async (_set, those) => {
    for (const { name, endpoint, record, breaks } of those) {
      const graph = graphOf(record);
      const results = books.judge(graph, endpoint);
      const broken = new Set(results.map(({ rule }) => rule.slice(SHAPES.length)));
      expect([name, ...[...broken].sort()]).toEqual([name, ...[...breaks].sort()]);
      expect([name, books.check(graph, endpoint) ?? results]).toEqual([name, results]);
      expect([name, books.results(graph, endpoint)]).toEqual([name, results]);
      if (breaks.includes("record.nesting")) continue;
      expect([name, ...(await brokenByShapes(graph, endpoint))]).toEqual([name, ...brokenByJudge(graph, results)]);
    }
  });

  it("has a case that breaks it", () => {
    const broken = new Set(cases.flatMap(({ breaks }) => breaks));
    const missing = allRules().filter(({ name }) => !broken.has(name) && !name.startsWith("document."));
    expect(missing).toEqual([]);
  });
});

describe.each(CORPORA)("$name", ({ name, isThere, records }) => {
  it.skipIf(!isThere)("is judged alike by both engines and the check (skipped where ../shared is absent)", async () => {
    let told = 0;
    for await (const { graph, endpoint } of graphsOf(records())) {
      const results = books.judge(graph, endpoint);
      const checked = books.check(graph, endpoint);
      if (checked !== undefined) told++;
      expect([graph.iri, checked ?? results]).toEqual([graph.iri, results]);
      expect([graph.iri, books.results(graph, endpoint)]).toEqual([graph.iri, results]);
      const second = await brokenByShapes(graph, endpoint);
      expect([graph.iri, ...second]).toEqual([graph.iri, ...brokenByJudge(graph, results)]);
    }
    // Every record of messy.jsonl breaks a rule, so all of them are for the judge.
    expect(told > 0).toBe(name !== "messy.jsonl");
  });
});
