/** The SHACL shapes of all endpoints and structures, generated from the field tables (SHACL, W3C Recommendation of 2017). */
import { integer, iri, literal, RDF, type Term, XSD, XSD_NAMESPACE } from "../../rdf/terms.js";
import { TurtleTerms } from "../../rdf/turtle/terms.js";
import type { ModelSettings } from "../settings.js";
import { endpointNamed } from "../tables/endpoints.js";
import type { EndpointName, LiteralKind } from "../tables/names.js";
import type { ClassName } from "../vocabulary/classes.js";
import { classIri, PREFIXES } from "../vocabulary/vocabulary.js";
import type { Rule, RuleSet } from "./rule.js";
import { endpointRules, recordRules, structureRules } from "./rules.js";

/** The namespace of shapes. A rule's IRI is this, followed by the rule's name. */
export const SHAPES = "urn:vitrine:shape:";

export const SH = "http://www.w3.org/ns/shacl#";

/** The IRI of the shape of a rule or a rule set. */
export function shapeIri(name: string): string {
  return SHAPES + name;
}

/** A rule's name in reports and decisions: that of a rule of the specification, or the IRI of an institution's shape. */
export function ruleName(shape: string): string {
  return shape.startsWith(SHAPES) ? shape.slice(SHAPES.length) : shape;
}

/** The beginning of a geometry: WKT, with or without the reference system of GeoSPARQL or EWKT, or JSON. Blanks match in one way only, so that it takes linear time. */
const GEOMETRY_START =
  "^\\s*(((SRID=[0-9]+;|<[^<>]*>)\\s*)?(POINT|LINESTRING|POLYGON|MULTIPOINT|MULTILINESTRING|MULTIPOLYGON|GEOMETRYCOLLECTION|" +
  "CIRCULARSTRING|COMPOUNDCURVE|CURVEPOLYGON|MULTICURVE|MULTISURFACE|POLYHEDRALSURFACE|TIN|TRIANGLE)(\\s*(Z|M|ZM))?\\s*(\\(|EMPTY)|\\{)";

/** The parts of dates: years of four or more digits, the days that occur in every year, and the years with a 29 February. */
const YEAR = "([1-9][0-9]{3,}|0[0-9]{3})";
const DAY_OF_EVERY_YEAR =
  "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))";
const LEAP_YEAR = "([1-9][0-9]*)?([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)";
/** A date that exists, as a regular expression. */
export const DATE = `-?(${YEAR}-${DAY_OF_EVERY_YEAR}|${LEAP_YEAR}-02-29)`;

/** The forms of literals beyond their datatype, as regular expressions that mean the same in XPath and JavaScript. */
export const LITERAL_FORMS: Readonly<
  Record<LiteralKind, { datatypes: readonly string[]; pattern?: string; flags?: string }>
> = {
  text: { datatypes: [XSD.string] },
  number: {
    datatypes: "integer decimal double float int long short byte nonNegativeInteger positiveInteger"
      .split(" ")
      .map((name) => XSD_NAMESPACE + name),
    // Not NaN.
    pattern: "[0-9]|INF",
  },
  timestamp: {
    datatypes: [XSD.dateTime],
    pattern: `^${DATE}T(([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]|24:00:00)Z$`,
  },
  // RFC 6838, 4.2, with parameters as in RFC 9110, 8.3.1.
  "media type": {
    datatypes: [XSD.string],
    pattern: "^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*(\\s*;.*)?$",
  },
  geometry: { datatypes: [XSD.string], pattern: GEOMETRY_START, flags: "i" },
};

export const HTTP_ADDRESS = "^[Hh][Tt][Tt][Pp][Ss]?://[^/]";

/** A path to the node itself: zero or one step along a property that does not exist. */
const ITSELF: TreeValue = { node: { "sh:zeroOrOnePath": shape("itself") } };

function sh(name: string): Term {
  return iri(SH + name);
}

function shape(name: string): Term {
  return iri(shapeIri(name));
}

/** The shape of a table, followed by those of its rules. */
function setBlocks({ name, title, section, rules, targets, repeats, nested }: RuleSet): readonly Block[] {
  const repeated = `${name}.itself_and_parts`;
  const own = rules.find(isOfTable);
  const table: Block = {
    comment: `${section} ${title}`,
    subject: shapeIri(name),
    properties: {
      a: sh("NodeShape"),
      "rdfs:label": literal(title),
      "sh:targetObjectsOf": targets.map(iri),
      ...(own && { ...demanded(own), "sh:message": literal(own.message) }),
      "sh:property": [
        ...(repeats === undefined ? ruleShapes(rules) : [shape(repeated)]),
        ...(nested === undefined ? [] : [shape(nested.set.name)]),
      ],
    },
  };
  const steps: Block[] = [];
  if (repeats !== undefined) steps.push(stepBlock(repeated, { node: { "sh:zeroOrMorePath": iri(repeats) } }, rules));
  if (nested !== undefined) steps.push(stepBlock(nested.set.name, iri(nested.path), nested.set.rules));
  const all = [...rules, ...(nested?.set.rules ?? [])];
  return [table, ...steps, ...all.filter(hasShape).map(ruleBlock)];
}

function ruleShapes(rules: readonly Rule[]): readonly Term[] {
  return rules.filter(hasShape).map(({ name }) => shape(name));
}

function hasShape(rule: Rule): boolean {
  return rule.demand.kind !== "geometry" && rule.demand.kind !== "order" && !isOfTable(rule);
}

/** Whether the table's own shape states the rule: engines look for `sh:closed` only on node shapes. */
function isOfTable({ demand }: Rule): boolean {
  return demand.kind === "closed";
}

/** A shape that only leads to other shapes. */
function stepBlock(name: string, path: TreeValue, rules: readonly Rule[]): Block {
  const properties = { a: sh("PropertyShape"), "sh:path": path, "sh:property": ruleShapes(rules) };
  return { subject: shapeIri(name), properties };
}

function ruleBlock(rule: Rule): Block {
  const { path, demand, when } = rule;
  return {
    subject: shapeIri(rule.name),
    properties: {
      a: sh("PropertyShape"),
      // A rule that depends on the node's own class is about the node itself, not about the property's values.
      "sh:path": path === undefined || when !== undefined || demand.kind === "usable" ? ITSELF : iri(path),
      "sh:name": rule.property === undefined ? [] : literal(rule.property),
      "sh:description": literal(rule.meaning),
      "rdfs:seeAlso": rule.section === undefined ? [] : literal(`specification, section ${rule.section}`),
      "sh:severity": sh(rule.severity),
      ...constraints(rule),
      "sh:message": literal(rule.message),
    },
  };
}

function constraints(rule: Rule): TreeProperties {
  const { path, demand, when } = rule;
  if (demand.kind === "usable") return either(...demand.classes.map(ofClass), without(path!));
  if (when === undefined) return demanded(rule);
  const node = when.length === 1 ? ofClass(when[0]!) : either(...when.map(ofClass));
  return either({ "sh:not": { node } }, { "sh:path": iri(path!), ...demanded(rule) });
}

function demanded({ demand }: Rule): TreeProperties {
  switch (demand.kind) {
    case "presence":
      return { "sh:minCount": integer(1) };
    case "count":
      return { "sh:maxCount": integer(1) };
    case "absence":
      return { "sh:maxCount": integer(0) };
    case "includes":
      return { "sh:hasValue": iri(demand.iri) };
    case "literal":
      return literalConstraints(demand.literal);
    case "node":
      return { "sh:nodeKind": sh(demand.named ? "IRI" : "BlankNodeOrIRI") };
    case "class":
      return { "sh:nodeKind": sh("BlankNodeOrIRI"), ...either(...demand.classes.map(ofClass), without(RDF.type)) };
    case "id": {
      const named = { "sh:nodeKind": sh("IRIOrLiteral") };
      if (demand.unless === undefined) return named;
      return either(named, { "sh:path": iri(demand.unless.path), "sh:minCount": integer(1) });
    }
    case "type":
      return { "sh:in": { list: demand.classes.map((each) => iri(classIri(each))) } };
    case "address":
      return { "sh:nodeKind": sh("IRI"), "sh:pattern": literal(HTTP_ADDRESS) };
    case "closed":
      return {
        "sh:closed": literal("true", XSD.boolean),
        "sh:ignoredProperties": { list: demand.properties.map(iri) },
      };
    case "usable":
    case "geometry":
    case "order":
    case "nesting":
      return {};
  }
}

function literalConstraints(kind: LiteralKind): TreeProperties {
  const { datatypes, pattern, flags } = LITERAL_FORMS[kind];
  const types = datatypes.map((each) => ({ "sh:datatype": iri(each) }));
  return {
    ...(types.length === 1 ? types[0] : either(...types)),
    "sh:pattern": pattern === undefined ? [] : literal(pattern),
    "sh:flags": flags === undefined ? [] : literal(flags),
  };
}

function either(...shapes: readonly TreeProperties[]): TreeProperties {
  return { "sh:or": { list: shapes.map((node) => ({ node })) } };
}

function without(path: string): TreeProperties {
  return { "sh:path": iri(path), "sh:maxCount": integer(0) };
}

function ofClass(name: ClassName): TreeProperties {
  return { "sh:class": iri(classIri(name)) };
}

const USED_PREFIXES = { sh: SH, shape: SHAPES, ...PREFIXES };

const HEADING = [
  "Generated from the field tables of the data model (npm run generate). Each rule is a property shape of its own; its local",
  "name is the rule's name in reports and in --severity.",
];

/** The file of an endpoint's shapes, which are complete only together with the structures' shapes. */
export function endpointShapesFile(name: EndpointName, model: ModelSettings): string {
  const { title } = endpointNamed(name);
  const heading = [
    `SHACL shapes for records of the ${title} endpoint; use them together with structures.ttl.`,
    ...HEADING,
    "They have no targets, because they apply only to a record's own node: for each record add a triple",
    `shape:${name} sh:targetNode <IRI> (vitrine validate --targets FILE writes these triples).`,
  ];
  return writeBlocks(heading, setBlocks(endpointRules(name, model)));
}

/** The file of the shapes that all endpoints share: for structures, references, and records of no endpoint. */
export function structureShapesFile(model: ModelSettings): string {
  const heading = [
    "SHACL shapes for the structures and references inside records of every endpoint.",
    ...HEADING,
    "The targets are the values of the properties that lead to a structure. shape:record has none: it is for records whose",
    "class belongs to no endpoint.",
  ];
  const blocks = [...structureRules(model), recordRules()].flatMap(setBlocks);
  return writeBlocks(heading, blocks);
}

/** A value of a property: a term, an anonymous nested node, or a list. */
type TreeValue = Term | { readonly node: TreeProperties } | { readonly list: readonly TreeValue[] };

/** Properties by prefixed name (`a` is the class), in the order in which they are written. Properties without values are omitted. */
type TreeProperties = { readonly [name: string]: TreeValue | readonly TreeValue[] };

/** A named node with its properties, and a comment for readers of the file. */
interface Block {
  readonly subject: string;
  readonly properties: TreeProperties;
  readonly comment?: string;
}

const INDENT = "    ";
const LINE_LENGTH = 116;

/** Blocks as Turtle, after a heading of comment lines and the declarations of the prefixes that are used. */
function writeBlocks(heading: readonly string[], blocks: readonly Block[]): string {
  const terms = new TurtleTerms(USED_PREFIXES);
  const written = blocks.map(({ subject, properties, comment }) => {
    const head = comment === undefined ? "" : `# ${comment}\n`;
    return `${head}${terms.iri(subject)}\n${INDENT}${writeProperties(properties, 1, terms)} .\n`;
  });
  const comments = heading.map((line) => `# ${line}\n`).join("");
  return [comments + terms.directives(), ...written].join("\n");
}

function writeProperties(properties: TreeProperties, depth: number, terms: TurtleTerms): string {
  return writtenProperties(properties, depth, terms).join(` ;\n${INDENT.repeat(depth)}`);
}

function writtenProperties(properties: TreeProperties, depth: number, terms: TurtleTerms): string[] {
  return Object.entries(properties).flatMap(([name, values]) => {
    const all = [values].flat();
    if (all.length === 0) return [];
    const [prefix = "", local] = name.split(":");
    const property = local === undefined ? name : terms.iri(terms.prefixes[prefix] + local);
    return [`${property} ${writeMany(all, depth, terms, " ,")}`];
  });
}

/** Values on one line if they fit, otherwise one per line. */
function writeMany(values: readonly TreeValue[], depth: number, terms: TurtleTerms, separator: string): string {
  const written = values.map((value) => writeValue(value, depth, terms));
  const onOneLine = written.join(`${separator} `);
  const fits = onOneLine.length + depth * INDENT.length < LINE_LENGTH && !onOneLine.includes("\n");
  return fits || written.length === 1 ? onOneLine : written.join(`${separator}\n${INDENT.repeat(depth + 1)}`);
}

function writeValue(value: TreeValue, depth: number, terms: TurtleTerms): string {
  if ("termType" in value) return value.termType === "Literal" ? terms.literal(value) : terms.iri(value.value);
  if ("list" in value) return `( ${writeMany(value.list, depth + 1, terms, "")} )`;
  const onOneLine = `[ ${writtenProperties(value.node, 0, terms).join(" ; ")} ]`;
  if (onOneLine.length < LINE_LENGTH - depth * INDENT.length && !onOneLine.includes("\n")) return onOneLine;
  return `[\n${INDENT.repeat(depth + 1)}${writeProperties(value.node, depth + 1, terms)}\n${INDENT.repeat(depth)}]`;
}
