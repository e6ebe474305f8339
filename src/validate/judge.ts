/** The judge: rdf-validate-shacl on the shapes of one endpoint, a record at a time, and what no shape can say. */
import type { BlankNode, DatasetCore, Literal, NamedNode, Quad, Term as RdfTerm } from "@rdfjs/types";
import SHACLValidator from "rdf-validate-shacl";
import type { Rule } from "../model/rules/rules.js";
import { type Triple, treeTriples } from "../model/rules/shape-tree.js";
import { endpointBlocks, LITERAL_FORMS, ruleNameOf, shapeIri, structureBlocks } from "../model/rules/shapes.js";
import { PARTS } from "../model/rules/structure-groups.js";
import type { ModelSettings } from "../model/settings.js";
import type { EndpointName } from "../model/tables/endpoints.js";
import { PREFIXES } from "../model/vocabulary/vocabulary.js";
import { formatTerm } from "../rdf/ntriples-writer.js";
import { type RecordGraph, rootOf } from "../rdf/record-graph.js";
import { iri, type Term, XSD } from "../rdf/terms.js";
import type { Question } from "./conforms.js";
import type { Finding } from "./findings.js";
import { isGeometry } from "./geometry.js";
import { LightDataset } from "./light-dataset.js";
import { RecordPaths } from "./paths.js";
import type { RuleBook } from "./rule-book.js";

/** Labels of the shapes' blank nodes begin with what no record's do. */
const SHAPE_LABELS = "shape-";

/**
 * Judges records of one endpoint, or of none. The library's own entry points are asynchronous and collect the results of all
 * records, so its engine is driven here as they drive it.
 */
export class Judge {
  readonly #validator: SHACLValidator;
  readonly #shape: NamedNode;

  readonly #book: RuleBook;

  constructor(endpoint: EndpointName | null, model: ModelSettings, book: RuleBook) {
    const blocks = [...(endpoint === null ? [] : endpointBlocks(endpoint, model)), ...structureBlocks(model)];
    // No shape refers to itself, so the library's limit of checks of one node would only hide results.
    const factory = lightFactory();
    const options = { factory, maxNodeChecks: 0 } as ConstructorParameters<typeof SHACLValidator>[1];
    this.#validator = new SHACLValidator(datasetOf(treeTriples(blocks, SHAPE_LABELS), factory), options);
    this.#shape = factory.namedNode(shapeIri(endpoint ?? "record"));
    this.#book = book;
  }

  /** Everything that is wrong with a record: its own node against the endpoint's shape, and its structures. */
  judge(graph: RecordGraph): readonly Finding[] {
    const nesting = this.#nesting(graph);
    return nesting.length > 0 ? nesting : [...this.#shapes(graph), ...this.#geometries(graph)];
  }

  /** Records that are nested too deep come no further, for the engine follows properties by recursion. */
  #nesting(graph: RecordGraph): readonly Finding[] {
    const { demand, name } = this.#book.nesting;
    const applied = this.#book.applied.get(name);
    if (applied === undefined || demand.kind !== "nesting") return [];
    const focus = new RecordPaths(graph).deeperThan(demand.most);
    return focus === -1 ? [] : [{ applied, focus, value: -1, component: null }];
  }

  /** What is wrong with those nodes of a record that the check asks about. */
  answer(graph: RecordGraph, questions: readonly Question[]): readonly Finding[] {
    const { record } = this.#book;
    const { factory, validationEngine } = this.#validator;
    const root = factory.namedNode(graph.iri);
    this.#begin(graph);
    validationEngine.initReport();
    for (const { set, node } of questions) {
      // The parts of a provenance record are reached from the record itself.
      const focus = set === PARTS.name ? root : rdfTerm(graph.terms[node]!, factory);
      this.#validator.nodeConformsToShape(focus, factory.namedNode(shapeIri(set)), validationEngine);
    }
    const isRecordAsked = questions.some(({ set }) => set === record.name);
    return [...this.#found(graph), ...(isRecordAsked ? this.#geometries(graph) : [])];
  }

  #begin(graph: RecordGraph): void {
    const { factory } = this.#validator;
    this.#validator.$data = factory.clownface({ dataset: datasetOf(triplesOf(graph), factory) });
  }

  #shapes(graph: RecordGraph): readonly Finding[] {
    const validator = this.#validator;
    const { factory, validationEngine } = validator;
    this.#begin(graph);
    validationEngine.validateAll(validator.$data);
    validator.nodeConformsToShape(factory.namedNode(graph.iri), this.#shape, validationEngine);
    return this.#found(graph);
  }

  /** What the engine's report says. */
  #found(graph: RecordGraph): readonly Finding[] {
    const { validationEngine } = this.#validator;
    const numbers = new Map(graph.terms.map((term, number) => [formatTerm(term), number]));
    return validationEngine
      .getReport()
      .results.flatMap(({ sourceShape, sourceConstraintComponent, focusNode, value, path }) => {
        const component = sourceConstraintComponent!.value;
        const applied = this.#book.applied.get(ruleNameOf(sourceShape!.value, component));
        // Text where a structure belongs is told of the property; the structure's own rules say nothing more of it.
        if (applied === undefined || focusNode!.termType === "Literal") return [];
        const { demand } = applied.rule;
        const found = {
          applied,
          focus: numbers.get(formatTerm(termOf(focusNode!))) ?? -1,
          value: value === null || !tellsValue(applied.rule) ? -1 : (numbers.get(formatTerm(termOf(value))) ?? -1),
          component,
        };
        if (demand.kind !== "closed") return [found];
        return [{ ...found, property: path!.value === HIDDEN_SUBCLASS_OF.value ? SUBCLASS_OF : path!.value }];
      });
  }

  /** The geometries that begin like one, which is all that the shape asks, and are none. */
  #geometries(graph: RecordGraph): readonly Finding[] {
    const { terms, triples } = graph;
    const root = rootOf(graph);
    return this.#book.record.rules.flatMap(({ name, path, demand }) => {
      const applied = this.#book.applied.get(name);
      if (demand.kind !== "geometry" || applied === undefined) return [];
      const found: Finding[] = [];
      for (let at = 0; at < triples.length; at += 3) {
        if (triples[at] !== root || terms[triples[at + 1]!]!.value !== path) continue;
        const value = triples[at + 2]!;
        if (hasForm(terms[value]!) && !isGeometry(terms[value]!.value))
          found.push({ applied, focus: root, value, component: null });
      }
      return found;
    });
  }
}

const { pattern, flags } = LITERAL_FORMS.geometry;
const GEOMETRY = new RegExp(pattern!, flags);

function hasForm({ termType, datatype, value }: Term): boolean {
  return termType === "Literal" && datatype === XSD.string && GEOMETRY.test(value);
}

/** Where what is wrong is the node, and not a value of its own, SHACL gives the node as the value. */
function tellsValue({ demand, when }: Rule): boolean {
  return when === undefined && demand.kind !== "usable" && demand.kind !== "address";
}

const SUBCLASS_OF = `${PREFIXES.rdfs}subClassOf`;

/** What a record says of classes does not decide which it breaks, and a circle of subclasses would not end for the engine. */
const HIDDEN_SUBCLASS_OF = iri("urn:vitrine:hidden:subClassOf");

type Factory = SHACLValidator["factory"];

/** The library's own factory, but for its datasets. */
function lightFactory(): Factory {
  const { factory } = new SHACLValidator(new LightDataset());
  return Object.assign(Object.create(factory) as Factory, {
    dataset: (quads?: Iterable<Quad>) => new LightDataset(quads),
  });
}

function datasetOf(triples: Iterable<Triple>, factory: Factory): DatasetCore {
  const dataset = factory.dataset();
  for (const { subject, predicate, object } of triples) {
    const quad = factory.quad(
      rdfTerm(subject, factory) as Quad["subject"],
      factory.namedNode(predicate.value),
      rdfTerm(object, factory) as Quad["object"],
    );
    dataset.add(quad);
  }
  return dataset;
}

function* triplesOf({ terms, triples }: RecordGraph): Iterable<Triple> {
  for (let at = 0; at < triples.length; at += 3) {
    const predicate = terms[triples[at + 1]!]!;
    yield {
      subject: terms[triples[at]!]!,
      predicate: predicate.value === SUBCLASS_OF ? HIDDEN_SUBCLASS_OF : predicate,
      object: terms[triples[at + 2]!]!,
    };
  }
}

function rdfTerm(term: Term, factory: Factory): NamedNode | BlankNode | Literal {
  if (term.termType === "NamedNode") return factory.namedNode(term.value);
  if (term.termType === "BlankNode") return factory.blankNode(term.value);
  return factory.literal(term.value, term.language === "" ? factory.namedNode(term.datatype) : term.language);
}

function termOf(term: RdfTerm): Term {
  const { value } = term;
  if (term.termType !== "Literal") {
    return { termType: term.termType as Term["termType"], value, datatype: "", language: "" };
  }
  return { termType: "Literal", value, datatype: term.datatype.value || XSD.string, language: term.language };
}
