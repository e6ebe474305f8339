/** Findings as results: their order, paths, values and messages, each once. */
import { expect, it } from "vitest";
import type { Demand, Rule, Severity } from "../../../src/model/rules/rule.js";
import { SH, SHAPES } from "../../../src/model/rules/shapes.js";
import { classIri, propertyIri } from "../../../src/model/vocabulary/vocabulary.js";
import { RecordGraphBuilder } from "../../../src/rdf/record-graph.js";
import { RDF, RDFS_LABEL, XSD } from "../../../src/rdf/terms.js";
import { type Finding, missing, resultsOf } from "../../../src/validate/compiled/findings.js";

const IRI = "https://museum.example/1";
const CONTENT = propertyIri("content")!;

/** An applied rule for a property. */
function applied(
  demand: Demand,
  order: number,
  property?: Rule["property"],
  severity: Severity = "Warning",
  when?: Rule["when"],
) {
  const path = property === undefined ? undefined : propertyIri(property);
  const name = `rule.${order}`;
  const rule = { name, severity, property, path, demand, meaning: "", section: "", message: `m${order}` };
  return { rule: when === undefined ? rule : { ...rule, when }, severity, order };
}

const builder = new RecordGraphBuilder(IRI);
const other = builder.iri("urn:other");
const [type, label, root, name] = [
  builder.iri(RDF.type),
  builder.iri(RDFS_LABEL),
  builder.iri(IRI),
  builder.blank("n"),
];
const [one, two, five] = [builder.literal("A"), builder.literal("B"), builder.literal("5", XSD.integer)];
builder.add(root, type, builder.iri(classIri("HumanMadeObject")));
builder.add(root, label, one);
builder.add(root, label, two);
builder.add(root, builder.iri(propertyIri("identified_by")!), name);
builder.add(name, type, builder.iri(classIri("Name")));
builder.add(name, builder.iri(CONTENT), five);
builder.add(root, builder.iri("urn:p"), other);
builder.add(other, type, builder.iri("urn:Appelation"));
const graph = builder.build();

const found = (of: Finding["applied"], focus: number, value = -1, more: Partial<Finding> = {}): Finding => ({
  applied: of,
  focus,
  value,
  component: `${SH}X`,
  ...more,
});

it("results are in the order of nodes, rules and values, each once", () => {
  const literal = applied({ kind: "literal", literal: "text" }, 4, "content", "Violation");
  const closed = applied({ kind: "closed", properties: [] }, 3);
  const labels = applied({ kind: "literal", literal: "text" }, 2, "_label");
  const address = applied({ kind: "address" }, 1);
  const findings = [
    found(literal, name, five),
    found(closed, root, other, { property: "urn:p" }),
    found(labels, root, two),
    found(labels, root, one),
    found(literal, name, five),
    found(address, root),
    found(closed, root, name, { property: propertyIri("identified_by")! }),
    found(address, other),
  ];
  const rows = [
    ["m1", "", `<${IRI}>`, null, null],
    ["m2", "_label[0]", `<${IRI}>`, '"A"', RDFS_LABEL],
    ["m2", "_label[1]", `<${IRI}>`, '"B"', RDFS_LABEL],
    ["m3", "identified_by[0]", `<${IRI}>`, "_:n", propertyIri("identified_by")],
    ["m3", "urn:p", `<${IRI}>`, "<urn:other>", "urn:p"],
    ["m1", "urn:p", "<urn:other>", null, null],
    ['m4: write "5"', "identified_by[0]/content", "_:n", `"5"^^<${XSD.integer}>`, CONTENT],
  ];
  // Terms are in the order in which they were added: the other node first.
  const order = [0, 1, 2, 4, 3, 5, 6].map((at) => rows[at]);
  const results = resultsOf(graph, findings);
  expect(results.map(({ message, path, focus, value, property }) => [message, path, focus, value, property])).toEqual(
    order,
  );
  expect(results.at(-1)).toMatchObject({ severity: "Violation", rule: `${SHAPES}rule.4`, component: `${SH}X` });
  expect(resultsOf(graph, [])).toEqual([]);
});

it("too many values give one result, with the values, of the severest rule", () => {
  const count = (order: number, severity: Severity) => applied({ kind: "count" }, order, "_label", severity);
  const told = (...findings: Finding[]) =>
    resultsOf(graph, findings).map(({ message, severity }) => [message, severity]);
  const [first, second, third] = [count(1, "Warning"), count(2, "Violation"), count(3, "Violation")];
  expect(told(found(first, root), found(second, root), found(third, root))).toEqual([['m2: "A", "B"', "Violation"]]);
  expect(told(found(first, root), found(count(4, "Warning"), root))).toEqual([['m1: "A", "B"', "Warning"]]);
  const elsewhere = applied({ kind: "count" }, 5, "content");
  const presence = applied({ kind: "presence" }, 0, "_label");
  expect(told(found(first, root), found(elsewhere, root), found(presence, root), found(third, name))).toEqual([
    ["m0", "Warning"],
    ['m1: "A", "B"', "Warning"],
    ["m5: ", "Warning"],
    ["m3: ", "Violation"],
  ]);
});

it("a message lists ten of the values that are too many, and says how many more there are", () => {
  const many = new RecordGraphBuilder(IRI);
  for (let at = 0; at < 12; at++) many.add(many.iri(IRI), many.iri(RDFS_LABEL), many.literal(`${at}`));
  const [result] = resultsOf(many.build(), [found(applied({ kind: "count" }, 1, "_label"), 0)]);
  expect(result!.message).toBe('m1: "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" and 2 more');
});

it("results for very many nodes of one property are found soon", () => {
  const many = new RecordGraphBuilder(IRI);
  const nodes = Array.from({ length: 20_000 }, (_, at) => many.blank(`n${at}`));
  for (const node of nodes) {
    many.add(many.iri(IRI), many.iri(propertyIri("identified_by")!), node);
    many.add(node, many.iri(RDF.type), many.iri(classIri("Name")!));
  }
  const [content, label] = [applied({ kind: "count" }, 1, "content"), applied({ kind: "count" }, 2, "_label")];
  const findings = nodes.flatMap((node) => [found(content, node), found(label, node)]);
  expect(resultsOf(many.build(), findings).at(-1)!.path).toBe("identified_by[19999]/_label");
});

it("results for a record that no triple mentions have the record as focus node", () => {
  const lonely = { ...graph, iri: "urn:lonely" };
  expect(resultsOf(lonely, [found(applied({ kind: "address" }, 1), -1)])).toMatchObject([
    { path: "", focus: "<urn:lonely>", value: null, message: "m1" },
  ]);
});

it("results for missing values name the constraint component of their shape", () => {
  const components = [
    missing(applied({ kind: "presence" }, 1, "_label"), 7),
    missing(applied({ kind: "includes", iri: "urn:x" }, 1, "_label"), 7),
    missing(applied({ kind: "presence" }, 1, "_label", "Warning", ["Person"]), 7),
  ].map(({ focus, value, component }) => [focus, value, component]);
  expect(components).toEqual(["MinCount", "HasValue", "Or"].map((name) => [7, -1, `${SH}${name}ConstraintComponent`]));
});

it("a message about a wrong class says which the value has, known or not", () => {
  const demand: Demand = { kind: "class", classes: ["Identifier"] };
  const messages = [name, other].map(
    (value) => resultsOf(graph, [found(applied(demand, 1, "identified_by"), root, value)])[0]!.message,
  );
  expect(messages).toEqual(["m1, not Name", "m1, not <urn:Appelation>"]);
  const [classless] = resultsOf(graph, [found(applied(demand, 1, "identified_by"), root, five)]);
  expect(classless!.message).toBe("m1");
});
