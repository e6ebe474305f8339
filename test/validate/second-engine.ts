/** A second, independent SHACL engine for campaigns: shacl-engine, with the committed shapes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import factory from "@rdfjs/data-model";
import type { DataFactory, DatasetCore, Term } from "@rdfjs/types";
import { Parser, type Quad, Store } from "n3";
import { SHAPES, shapeIri } from "../../src/model/rules/shapes.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import { formatTerm, writeNTriples } from "../../src/rdf/ntriples/writer.js";
import type { RecordGraph } from "../../src/rdf/record-graph.js";
import type { Result } from "../../src/validate/results.js";
import { installed } from "../packages.js";
import { ruleNameOf } from "./rule-names.js";

interface ValidationResult {
  readonly constraintComponent: Term;
  readonly focusNode: { readonly term: Term };
  readonly severity: Term;
  readonly path?: readonly { readonly predicates: readonly Term[] }[];
  readonly message: readonly Term[];
  readonly shape: { readonly ptr: { readonly term: Term } };
}

interface Validator {
  validate(
    data: { readonly dataset: DatasetCore; readonly terms?: readonly Term[] },
    shapes?: readonly { readonly terms: readonly Term[] }[],
  ): Promise<{ readonly results: readonly ValidationResult[] }>;
}

/** The part of shacl-engine that campaigns use. */
export interface ShaclEngine {
  readonly Validator: new (
    shapes: DatasetCore,
    options: { readonly factory: DataFactory; readonly validations?: unknown },
  ) => Validator;
  /** The validations that evaluate `sh:sparql`. */
  readonly validations: unknown;
}

/** shacl-engine, or `undefined` if npm does not install it. */
export async function shaclEngine(): Promise<ShaclEngine | undefined> {
  const modules = await installed("shacl-engine");
  if (modules === undefined) return undefined;
  const { Validator } = await import(join(modules, "shacl-engine/index.js"));
  const { validations } = await import(join(modules, "shacl-engine/sparql.js"));
  return { Validator, validations };
}

const validators = new Map<EndpointName | null, Validator>();

function validatorOf({ Validator }: ShaclEngine, endpoint: EndpointName | null): Validator {
  let validator = validators.get(endpoint);
  if (validator === undefined) {
    const files = ["structures", ...(endpoint === null ? [] : [endpoint])];
    const texts = files.map((name) => readFileSync(`shapes/${name}.ttl`, "utf8"));
    // One parser per file, since each file has prefixes of its own.
    const quads = texts.flatMap((text) => new Parser().parse(text));
    validator = new Validator(new Store(quads), { factory });
    validators.set(endpoint, validator);
  }
  return validator;
}

/** The broken rules, each with the node that breaks it, sorted. */
export async function brokenByShapes(
  engine: ShaclEngine,
  graph: RecordGraph,
  endpoint: EndpointName | null,
): Promise<readonly string[]> {
  const dataset = new Store(new Parser({ blankNodePrefix: "" }).parse(writeNTriples(graph)) as Quad[]);
  const validator = validatorOf(engine, endpoint);
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

/** The same for the reference's results, without the rules that no shape can express. */
export function brokenByReference(graph: RecordGraph, results: readonly Result[]): readonly string[] {
  const labels = blankLabels(graph);
  const broken = results
    .filter(({ component }) => component !== null)
    .map(({ rule, focus }) => `${rule.slice(SHAPES.length)} ${labels.get(focus!) ?? focus}`);
  return [...new Set(broken)].sort();
}

/** The labels that the writer gives blank nodes, which it numbers in order of appearance. */
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
