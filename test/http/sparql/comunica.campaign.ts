/** Unchanged Comunica as a client of the endpoint. `clients.test.ts` tries another widely used client. */
import { describe, expect, it } from "vitest";
import { comunica } from "../../query/remote/comunica-engine.js";
import { startedForAll } from "../../started.js";
import { labelled, startSmallSparqlService } from "./service.js";

const LABELS = "SELECT ?s ?label { ?s <http://www.w3.org/2000/01/rdf-schema#label> ?label } ORDER BY ?label";

const engine = await comunica();

describe.skipIf(engine === undefined)("Comunica (skipped: npm does not install it)", () => {
  const service = startedForAll(() => startSmallSparqlService([..."abc"].map((name) => labelled(`object/${name}`))));

  const context = () => ({ sources: [{ type: "sparql", value: service.url }] as const });

  it("runs SELECT", async () => {
    const bindings = await (await engine!.queryBindings(LABELS, context())).toArray();
    expect(bindings.map((each) => each.get("label")?.value)).toEqual(["object/a", "object/b", "object/c"]);
  });

  it("runs ASK and CONSTRUCT", async () => {
    expect(await engine!.queryBoolean('ASK { ?s ?p "object/a" }', context())).toBe(true);
    expect(await engine!.queryBoolean('ASK { ?s ?p "object/z" }', context())).toBe(false);
    const quads = await engine!.queryQuads("CONSTRUCT WHERE { ?s ?p ?o }", context());
    expect(await quads.toArray()).toHaveLength(6);
  });

  it("detects the endpoint by itself", async () => {
    const bindings = await (await engine!.queryBindings(LABELS, { sources: [service.url] })).toArray();
    expect(bindings).toHaveLength(3);
  });
});
