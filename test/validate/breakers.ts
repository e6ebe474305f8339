/** The ways to break each rule on a node that keeps it. */
import type { Demand, Rule } from "../../src/model/rules/rule.js";
import type { Field, Range } from "../../src/model/tables/fields.js";
import type { LiteralKind, StructureName } from "../../src/model/tables/names.js";
import { structureNamed } from "../../src/model/tables/structures.js";
import { classIri, propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { iri, literal, RDF, type Term, XSD } from "../../src/rdf/terms.js";
import { add, type Node, OTHER, reference, soundValue, structureNode, type Value, without } from "./nodes.js";

export const ANOTHER_CLASS = iri("https://museum.example/ns/Thing");

interface Breaker {
  readonly how: string;
  apply(node: Node): void;
}

/** The ways to break a rule on a node that keeps all rules. */
export function breakers(rule: Rule, fields: readonly Field[]): readonly Breaker[] {
  const { demand, path } = rule;
  const field = fields.find(({ property }) => property === rule.property);
  const value = (nth = 0): Value => (field === undefined ? literal("x", XSD.string) : soundValue(field, nth));
  const replace = (how: string, ...values: Value[]): Breaker => ({
    how,
    apply(node) {
      without(node, path!);
      for (const each of values) add(node, path!, each);
    },
  });
  switch (demand.kind) {
    case "presence":
      return [replace("missing")];
    case "count":
      return [
        rule.property === "type"
          ? { how: "two", apply: (node) => add(node, RDF.type, ANOTHER_CLASS) }
          : replace("two", ...secondOf(value(), value(1))),
      ];
    case "absence":
      return [{ how: "there", apply: (node) => add(node, path!, reference("VisualItem", `${OTHER}0`)) }];
    case "usable":
      return [{ how: "on another class", apply: (node) => add(node, path!, value()) }];
    case "includes":
      return [replace("another", reference("Type", `${OTHER}type`))];
    case "literal":
      return WRONG_LITERALS[demand.literal].map((term) => replace(JSON.stringify(term), term));
    case "geometry":
      return ["POINT (1 2", "POLYGON ((1 x))", '{"type": "Point"}'].map((text) =>
        replace(text, literal(text, XSD.string)),
      );
    case "order":
      return ORDERS.flatMap(([end, begin]) =>
        demand.notBefore
          .map((each) => propertyIri(each)!)
          .map((other) => ({
            how: `${end} before ${begin}`,
            apply: (node) => {
              without(node, other);
              add(node, other, literal(begin, XSD.dateTime));
              replace("", literal(end, XSD.dateTime)).apply(node);
            },
          })),
      );
    case "node":
      return [replace("text", literal("text", XSD.string))];
    case "class":
      return field?.includes === undefined
        ? [replace("of another class", wrongNode(demand, field!)), replace("text", literal("text", XSD.string))]
        : [{ how: "one of another class", apply: (node) => add(node, path!, wrongNode(demand, field)) }];
    case "id":
      return [replace("without an id", withoutId(field!.range))];
    case "type":
      return [replace("of a class of its own", ANOTHER_CLASS)];
    case "address":
      return [
        {
          how: "a URN",
          apply: (node) => {
            node.iri = "urn:isbn:1";
          },
        },
      ];
    case "closed":
      return [
        {
          how: "a further property",
          apply: (node) => add(node, "https://museum.example/ns/weather", literal("rain", XSD.string)),
        },
      ];
    case "nesting":
      return [];
  }
}

/** Timestamps, each pair in the wrong order. */
const ORDERS = [
  ["1889-12-31T23:59:59Z", "1890-01-01T00:00:00Z"],
  ["-0500-12-31T23:59:59Z", "-0499-01-01T00:00:00Z"],
  ["-0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
  ["9999-12-31T23:59:59Z", "10000-01-01T00:00:00Z"],
  ["-13800000000-01-01T00:00:00Z", "-13800000000-01-01T00:00:01Z"],
  [`-${"9".repeat(30)}-01-01T00:00:00Z`, "1889-01-01T00:00:00Z"],
] as const;

function secondOf(first: Value, second: Value): readonly Value[] {
  if (!("termType" in first) || first.termType !== "Literal") return [first, second];
  const another = first.value.replace("4.5", "5.5").replace("-12000", "1900").replace("52.5", "52.6");
  return [first, { ...first, value: another === first.value ? `${another}2` : another }];
}

const WRONG_LITERALS: Readonly<Record<LiteralKind, readonly Term[]>> = {
  text: [
    literal("12", XSD.integer),
    { ...literal("text", `${RDF.type.slice(0, -4)}langString`), language: "en" },
    iri(`${OTHER}0`),
  ],
  number: [
    literal("12", XSD.string),
    literal("12,5", XSD.decimal),
    literal("NaN", XSD.double),
    literal("2020-01-01T00:00:00Z", XSD.dateTime),
  ],
  timestamp: [
    literal("1889", XSD.dateTime),
    literal("1889-06-01", XSD.dateTime),
    literal("1889-06-01T00:00:00", XSD.dateTime),
    literal("1889-06-01T00:00:00+01:00", XSD.dateTime),
    literal("1889-13-01T00:00:00Z", XSD.dateTime),
    literal("1889-06-31T00:00:00Z", XSD.dateTime),
    literal("1889-06-01T00:00:00Z", XSD.string),
  ],
  "media type": [literal("JPEG", XSD.string), literal("image/", XSD.string)],
  geometry: [
    literal("4.9, 52.4", XSD.string),
    literal("POINT (4.9 52.4)", "http://www.opengis.net/ont/geosparql#wktLiteral"),
  ],
};

/** A value that is right except for its class. */
function wrongNode({ classes }: Demand & { kind: "class" }, { range }: Field): Node {
  const wrong = iri(classIri((["Place", "TimeSpan"] as const).find((each) => !classes.includes(each))!)!);
  const node =
    range.kind === "structure"
      ? structureNode(leastDemanding(range.structures)[0]!)
      : reference("Place", `${OTHER}wrong`);
  node.statements = node.statements.map(([property, value]) => [property, property === RDF.type ? wrong : value]);
  return node;
}

function withoutId(range: Range): Node {
  const classes = range.kind === "reference" || range.kind === "concept" ? range.classes : "any";
  const node = reference(classes === "any" ? "HumanMadeObject" : classes[0]!, "");
  delete node.iri;
  return node;
}

/** Structures, ordered by the number of properties that they require. */
export function leastDemanding(structures: readonly StructureName[]): readonly StructureName[] {
  const demands = (name: StructureName): number =>
    structureNamed(name).fields.filter(({ requirement }) => requirement === "required").length;
  return [...structures].sort((a, b) => demands(a) - demands(b));
}
