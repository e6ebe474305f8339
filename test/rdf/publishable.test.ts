/** Terms that formats cannot read back, and so are refused. */
import { expect, it } from "vitest";
import { refusedTerms } from "../../src/rdf/publishable.js";
import { blank, iri, literal, RDF, type Term } from "../../src/rdf/terms.js";
import { ENTITY, graphOf } from "./record-graphs.js";

const DIR_LANG_STRING = RDF.langString.replace("lang", "dirLang");

it.each<[Term, string | undefined]>([
  [literal("x"), undefined],
  [literal("x", undefined, "de-Latn-x-private8"), undefined],
  [blank("b"), undefined],
  [literal("\ud800"), "half of a surrogate pair"],
  [iri("urn:\ud800"), "half of a surrogate pair"],
  [literal("x", undefined, "de-ninechars"), "has the language de-ninechars"],
  [{ ...literal("x"), datatype: RDF.langString }, "rdf:langString and no language"],
  [literal("x", DIR_LANG_STRING), "rdf:dirLangString"],
  [iri("urn:a#b"), undefined],
  [iri("urn:a#b#c"), "has two #"],
  [literal("x", "urn:a#b#c"), "has the datatype <urn:a#b#c>, which has two #"],
  [literal("#x#"), undefined],
])("%j has the problem: %s", (term, problem) => {
  const graph = graphOf(ENTITY, [
    [iri(ENTITY), iri("urn:p"), literal("before")],
    [iri(ENTITY), iri("urn:q"), term],
  ]);
  const refused = problem === undefined ? [] : [{ term, property: "urn:q", problem: expect.stringContaining(problem) }];
  expect(refusedTerms(graph)).toEqual(refused);
});

it("many refused terms are found in time linear in their number", () => {
  const terms = Array.from({ length: 2_000 }, (_, at) => iri(`urn:#a#${at}`));
  const graph = graphOf(
    ENTITY,
    terms.map((term) => [iri(ENTITY), iri("urn:p"), term]),
  );
  let reads = 0;
  const triples = new Proxy(graph.triples, {
    get: (target, key) => {
      reads++;
      return Reflect.get(target, key) as unknown;
    },
  });
  expect(refusedTerms({ ...graph, triples })).toHaveLength(2_000);
  expect(reads).toBeLessThan(10 * terms.length);
});

it("a refused term that is not an object has no property", () => {
  const graph = graphOf(ENTITY, [[iri("urn:\ud800"), iri("urn:p"), literal("x")]]);
  expect(refusedTerms(graph)).toMatchObject([{ property: undefined }]);
});
