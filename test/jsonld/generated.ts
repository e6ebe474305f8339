/** Documents that fast-check makes up. */
import fc from "fast-check";
import type { Json } from "../../src/rdf/record-graph.js";
import { ANY_CODE_POINT } from "../generated-texts.js";
import { CONTEXT_URI, type JsonObject } from "./documents.js";

/** Few IRIs, so that nodes meet: shared, described twice, inside themselves. */
const iris = fc.constantFrom(
  ...["a", "b", "c", "d"].map((name) => `https://example.org/${name}`),
  "http://vocab.getty.edu/aat/300404670",
  "http://www.cidoc-crm.org/cidoc-crm/P45_consists_of",
  "urn:example:é",
  "_:x",
  "_:y",
);

/** Classes whose nodes may have parts, by five different properties. */
export const CLASSES = [
  "AttributeAssignment",
  "HumanMadeObject",
  "Right",
  "TimeSpan",
  "Type",
  "Place",
  "PropositionalObject",
];

/**
 * Classes whose names and whose IRIs sort alike: scoped contexts are applied in the order of the names (JSON-LD 1.1 API,
 * 6.1), and jsonld.js takes that of the IRIs when it compacts.
 */
export const CLASSES_IN_ORDER = CLASSES.slice(0, 5);

export const texts = fc.oneof(
  fc.string({ unit: ANY_CODE_POINT, maxLength: 8 }),
  fc.constantFrom("", "a", "http://x.org/", '"\\\n\t'),
);

const scalars: fc.Arbitrary<Json> = fc.oneof(
  texts,
  fc.integer(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: 1e-6, max: 1e20 })
    .map((value) => Number(value.toPrecision(12))),
  fc.boolean(),
  texts.map((value) => ({ "@value": value, "@type": "xsd:date" })),
  texts.map((value) => ({ "@value": value, "@language": "en" })),
  fc.constantFrom("007", "1.50", "true").map((value) => ({ "@value": value, "@type": "xsd:decimal" })),
);

const literalKeys = fc.constantFrom(
  "_label",
  "content",
  "value",
  "begin_of_the_begin",
  "crm:P3_has_note",
  "https://example.org/p",
);
/** Keys that mean something on every node, and such as only a class gives a meaning. */
const generalKeys = [
  "classified_as",
  "produced_by",
  "attributed_by",
  "current_permanent_custodian",
  "formed_by",
  "broader",
  "conceptually_part_of",
  "crm:P999_invented",
];
const classKeys = ["part", "part_of", "member_of"];

/** Documents whose nodes have these classes, some of them several; each says something. */
export function documentsOf(classes: readonly string[]): fc.Arbitrary<JsonObject> {
  const types = fc.constantFrom(...classes);
  return nodesOf(types).map((body) => ({
    ...body,
    "@context": CONTEXT_URI,
    id: "https://example.org/a",
    produced_by: "urn:p",
  }));
}

function nodesOf(types: fc.Arbitrary<string>): fc.Arbitrary<JsonObject> {
  const { node } = fc.letrec<{ node: JsonObject; values: Json; body: JsonObject }>((tie) => {
    const values = fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      iris,
      fc.array(tie("node"), { maxLength: 3 }) as fc.Arbitrary<Json>,
      tie("node"),
    );
    const body = (keys: readonly string[], properties: readonly string[]): fc.Arbitrary<JsonObject> =>
      fc
        .tuple(
          fc.option(iris, { nil: undefined }),
          fc.array(fc.tuple(literalKeys, fc.array(scalars, { maxLength: 3 })), { maxLength: 3 }),
          fc.array(fc.tuple(fc.constantFrom(...keys), values), { maxLength: 3 }),
          fc.option(fc.constantFrom(...properties), { nil: undefined }),
        )
        .map(([id, literals, nodes, property]) => ({
          ...(id === undefined ? {} : { id }),
          ...Object.fromEntries(literals),
          ...Object.fromEntries(nodes),
          ...(property === undefined ? {} : { assigned_property: property }),
        }));
    const typed = fc
      .tuple(
        fc.oneof(types, fc.uniqueArray(types, { minLength: 2, maxLength: 3 })),
        body([...generalKeys, ...classKeys], ["part_of", "classified_as", "crm:P45_consists_of"]),
      )
      .map(([type, rest]) => ({ type, ...rest }));
    return {
      values,
      body: body(generalKeys, ["classified_as", "crm:P45_consists_of"]),
      node: fc.oneof({ weight: 3, arbitrary: typed }, { weight: 1, arbitrary: tie("body") }),
    };
  });
  return node;
}
