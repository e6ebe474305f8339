/** The committed shapes: with them shacl-engine, which uses no table of rules, finds the same as rdf-validate-shacl with generated shapes. */
import { describe, expect, it } from "vitest";
import { IS_SHORT } from "../extent.js";
import { allCases } from "./cases.js";
import { CORPORA, graphsOf, someOf } from "./corpora.js";
import { graphOf } from "./nodes.js";
import { brokenByReference, brokenByShapes, shaclEngine } from "./second-engine.js";
import { Validators } from "./validators.js";

/** One case in this many is tried. */
const ONE_IN = IS_SHORT ? 20 : 1;

const engine = await shaclEngine();
const validators = await Validators.make();

describe.skipIf(engine === undefined)("shacl-engine (skipped: npm does not install it)", () => {
  it("finds each rule kept and broken by its cases", async () => {
    // Shapes cannot limit the depth of a record.
    const cases = allCases().filter(({ breaks }) => !breaks.includes("record.nesting"));
    for (const { name, endpoint, record } of cases.filter((_, at) => at % ONE_IN === 0)) {
      const graph = graphOf(record);
      const results = validators.reference(graph, endpoint);
      const broken = await brokenByShapes(engine!, graph, endpoint);
      expect([name, ...broken]).toEqual([name, ...brokenByReference(graph, results)]);
    }
  });

  it.each(CORPORA)("finds the same in $name (skipped where ../shared is absent)", async ({ isThere, records }) => {
    if (!isThere) return;
    for (const { graph, endpoint } of graphsOf(IS_SHORT ? someOf(records()) : records())) {
      const results = validators.reference(graph, endpoint);
      const broken = await brokenByShapes(engine!, graph, endpoint);
      expect([graph.iri, ...broken]).toEqual([graph.iri, ...brokenByReference(graph, results)]);
    }
  });
});
