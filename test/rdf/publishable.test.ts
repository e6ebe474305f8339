/** Terms that no format takes back. */
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
])("%j is refused: %s", (term, problem) => {
  const graph = graphOf(ENTITY, [
    [iri(ENTITY), iri("urn:p"), literal("before")],
    [iri(ENTITY), iri("urn:q"), term],
  ]);
  const refused = problem === undefined ? [] : [{ term, property: "urn:q", problem: expect.stringContaining(problem) }];
  expect(refusedTerms(graph)).toEqual(refused);
});

it("are refused with no property where they are no objects", () => {
  const graph = graphOf(ENTITY, [[iri("urn:\ud800"), iri("urn:p"), literal("x")]]);
  expect(refusedTerms(graph)).toMatchObject([{ property: undefined }]);
});
