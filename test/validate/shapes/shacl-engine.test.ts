/** The dataset of a record's quads compared with a plain list, for fewer quads than are indexed and for more. */
import factory from "@rdfjs/data-model";
import type { Quad, Term } from "@rdfjs/types";
import fc from "fast-check";
import { expect, it } from "vitest";
import { RecordDataset } from "../../../src/validate/shapes/shacl-engine.js";
import { runsOf } from "../../extent.js";

const { namedNode, blankNode, literal } = factory;
const NODES = [namedNode("urn:a"), namedNode("urn:b"), blankNode("urn:a"), blankNode("c")];
const PREDICATES = ["urn:p", "urn:q", "urn:a"].map((each) => namedNode(each));
const OBJECTS = [...NODES, literal("urn:a"), literal("urn:a", "en"), literal("1", namedNode("urn:d"))];

const quad = fc
  .tuple(fc.constantFrom(...NODES), fc.constantFrom(...PREDICATES), fc.constantFrom(...OBJECTS))
  // A new term object each time, as the library makes them.
  .map(([s, p, o]): Quad => factory.quad(s, namedNode(p.value), o));
const pattern = fc.tuple(
  fc.constantFrom(undefined, null, ...NODES),
  fc.constantFrom(undefined, null, ...PREDICATES),
  fc.constantFrom(undefined, null, ...OBJECTS),
);
const operations = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: quad.map((added) => ({ added, deleted: undefined })) },
    quad.map((deleted) => ({ added: undefined, deleted })),
  ),
  { maxLength: 60, size: "max" },
);

it("the dataset holds each quad once, and finds matching quads", () => {
  fc.assert(
    fc.property(fc.array(quad, { maxLength: 20 }), operations, pattern, (first, further, asked) => {
      const dataset = new RecordDataset(first);
      const list: Quad[] = [];
      const placeOf = (quad: Quad): number => list.findIndex((each) => each.equals(quad));
      const insert = (quad: Quad): void => {
        if (placeOf(quad) === -1) list.push(quad);
      };
      const isAsked = (term: Term, wanted: Term | null | undefined): boolean => !wanted || wanted.equals(term);
      const expectSame = (): void => {
        expect(dataset.size).toBe(list.length);
        const [s, p, o] = asked;
        const matching = list.filter(
          (each) => isAsked(each.subject, s) && isAsked(each.predicate, p) && isAsked(each.object, o),
        );
        expect([...dataset.match(...asked)]).toEqual(matching);
      };
      for (const each of first) insert(each);
      expectSame();
      for (const { added, deleted } of further) {
        if (added !== undefined) {
          expect(dataset.has(added)).toBe(placeOf(added) !== -1);
          expect(dataset.add(added)).toBe(dataset);
          insert(added);
        } else {
          expect(dataset.delete(deleted)).toBe(dataset);
          if (placeOf(deleted) !== -1) list.splice(placeOf(deleted), 1);
        }
        expectSame();
      }
      expect([...dataset]).toEqual(list);
    }),
    runsOf(2_000),
  );
});
