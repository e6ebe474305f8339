/** A second, independent SHACL engine on the shapes as they are committed. */
import { readFileSync } from "node:fs";
import factory from "@rdfjs/data-model";
import { Parser, type Quad, Store } from "n3";
import { Validator } from "shacl-engine";
import { SHAPES, shapeIri } from "../../src/model/rules/shapes.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import { formatTerm, writeNTriples } from "../../src/rdf/ntriples/writer.js";
import type { RecordGraph } from "../../src/rdf/record-graph.js";
import type { Result } from "../../src/validate/results.js";
import { ruleNameOf } from "./rule-names.js";

const validators = new Map<EndpointName | null, Validator>();

function validatorOf(endpoint: EndpointName | null): Validator {
  let validator = validators.get(endpoint);
  if (validator === undefined) {
    const files = ["structures", ...(endpoint === null ? [] : [endpoint])];
    const texts = files.map((name) => readFileSync(`shapes/${name}.ttl`, "utf8"));
    // One parser a file: each file has prefixes of its own.
    const quads = texts.flatMap((text) => new Parser().parse(text));
    validator = new Validator(new Store(quads), { factory });
    validators.set(endpoint, validator);
  }
  return validator;
}

/** The rules that are broken, each with the node that breaks it, sorted. */
export async function brokenByShapes(graph: RecordGraph, endpoint: EndpointName | null): Promise<readonly string[]> {
  const dataset = new Store(new Parser({ blankNodePrefix: "" }).parse(writeNTriples(graph)) as Quad[]);
  const validator = validatorOf(endpoint);
  const record = [factory.namedNode(graph.iri)];
  const reports = [
    await validator.validate({ dataset }),
    await validator.validate({ dataset, terms: record }, [
      { terms: [factory.namedNode(shapeIri(endpoint ?? "record"))] },
    ]),
  ];
  const broken = reports.flatMap(({ results }) =>
    results
      .filter(({ focusNode }) => focusNode.term.termType !== "Literal")
      .map(({ focusNode, shape, constraintComponent }) => {
        const { termType, value } = focusNode.term;
        const focus = termType === "NamedNode" ? `<${value}>` : `_:${value}`;
        return `${ruleNameOf(shape.ptr.term.value, constraintComponent.value)} ${focus}`;
      }),
  );
  return [...new Set(broken)].sort();
}

/** The same of the reference's results, but for the rules that no shape can say. */
export function brokenByReference(graph: RecordGraph, results: readonly Result[]): readonly string[] {
  const labels = blankLabels(graph);
  const broken = results
    .filter(({ component }) => component !== null)
    .map(({ rule, focus }) => `${rule.slice(SHAPES.length)} ${labels.get(focus!) ?? focus}`);
  return [...new Set(broken)].sort();
}

/** The writer numbers blank nodes as they come. */
function blankLabels({ terms, triples }: RecordGraph): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  for (let at = 0; at < triples.length; at++) {
    const term = terms[triples[at]!]!;
    if (term.termType !== "BlankNode") continue;
    const label = formatTerm(term);
    if (!labels.has(label)) labels.set(label, `_:b${labels.size}`);
  }
  return labels;
}
