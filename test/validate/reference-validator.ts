/** The reference for the compiled validator: rdf-validate-shacl with the generated shapes of one endpoint, and the rules that no shape can express. */
import { entryOf } from "../../src/base/entries.js";
import type { Rule } from "../../src/model/rules/rule.js";
import { endpointShapesFile, LITERAL_FORMS, shapeIri, structureShapesFile } from "../../src/model/rules/shapes.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import { propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { formatTerm } from "../../src/rdf/ntriples/writer.js";
import { type RecordGraph, rootOf } from "../../src/rdf/record-graph.js";
import { iri, type Term, XSD } from "../../src/rdf/terms.js";
import { type Finding, resultsOf } from "../../src/validate/compiled/findings.js";
import { isGeometry } from "../../src/validate/compiled/geometry.js";
import { RecordPaths } from "../../src/validate/paths.js";
import type { Result } from "../../src/validate/results.js";
import { type AppliedRules, appliedRules, type Severities } from "../../src/validate/severities.js";
import { Engine, type EngineResult, rdfjsTerm } from "../../src/validate/shapes/shacl-engine.js";
import { ShapesGraph } from "../../src/validate/shapes/shapes-graph.js";
import { ruleNameOf } from "./rule-names.js";

/** The engines, made once, whatever the severities: each takes a tenth of a second. */
const engines = new Map<EndpointName | null, Engine>();

function engineOf(endpoint: EndpointName | null): Engine {
  const own = endpoint === null ? [] : [endpointShapesFile(endpoint, DEFAULT_MODEL)];
  const files = [...own, structureShapesFile(DEFAULT_MODEL)].map((text, at) => ({ name: `shapes ${at}`, text }));
  return new Engine(new ShapesGraph(files).triples);
}

/** Validates records of one endpoint, or with `null` records of none, in a few milliseconds each. */
export class ReferenceValidator {
  readonly #engine: Engine;
  readonly #shape: Term;
  readonly #rules: AppliedRules;

  constructor(endpoint: EndpointName | null, severities: Severities) {
    this.#engine = entryOf(engines, endpoint, () => engineOf(endpoint));
    this.#shape = iri(shapeIri(endpoint ?? "record"));
    this.#rules = appliedRules(endpoint, DEFAULT_MODEL, severities);
  }

  /** The results for a record. */
  results(graph: RecordGraph): readonly Result[] {
    return resultsOf(graph, this.validate(graph));
  }

  /** The findings for a record: its own node validated with the endpoint's shape, and its structures. */
  validate(graph: RecordGraph): readonly Finding[] {
    const nesting = this.#nesting(graph);
    return nesting.length > 0 ? nesting : [...this.#shapes(graph), ...this.#geometries(graph), ...this.#orders(graph)];
  }

  /** The finding that a record is nested too deeply. Such a record is not validated further, since the library recurses along properties. */
  #nesting(graph: RecordGraph): readonly Finding[] {
    const { demand, name } = this.#rules.nesting;
    const applied = this.#rules.byName.get(name);
    if (applied === undefined || demand.kind !== "nesting") return [];
    const focus = new RecordPaths(graph).deeperThan(demand.most);
    return focus === -1 ? [] : [{ applied, focus, value: -1, component: null }];
  }

  #shapes(graph: RecordGraph): readonly Finding[] {
    this.#engine.begin(graph);
    this.#engine.validationEngine.validateAll(this.#engine.$data);
    this.#engine.apply(this.#shape, iri(graph.iri));
    const numbers = new Map(graph.terms.map((term, number) => [formatTerm(term), number]));
    const isOfPattern = ({ sourceConstraintComponent }: EngineResult): boolean =>
      sourceConstraintComponent!.value.endsWith("PatternConstraintComponent");
    // The library checks the constraints of a shape in any order. A value of the wrong datatype is reported as that.
    const results = [...this.#engine.results()].sort((a, b) => Number(isOfPattern(a)) - Number(isOfPattern(b)));
    return results.flatMap((result) => this.#findingOf(result, numbers) ?? []);
  }

  #findingOf(result: EngineResult, numbers: ReadonlyMap<string, number>): Finding | undefined {
    const { sourceShape, sourceConstraintComponent, focusNode, value, path } = result;
    const component = sourceConstraintComponent!.value;
    const applied = this.#rules.byName.get(ruleNameOf(sourceShape!.value, component));
    // A text in place of a structure is a finding for the property; the structure's own rules do not apply.
    if (applied === undefined || focusNode!.termType === "Literal") return undefined;
    const finding = {
      applied,
      focus: numbers.get(formatTerm(rdfjsTerm(focusNode!))) ?? -1,
      value: value === null || !tellsValue(applied.rule) ? -1 : (numbers.get(formatTerm(rdfjsTerm(value))) ?? -1),
      component,
    };
    if (applied.rule.demand.kind !== "closed") return finding;
    // The engine hides a record's statements about subclasses from the library.
    return {
      ...finding,
      property: path!.value.replace("urn:vitrine:hidden:", "http://www.w3.org/2000/01/rdf-schema#"),
    };
  }

  /** Timestamps of time spans before others that they should not be before. */
  #orders({ terms, triples: all }: RecordGraph): readonly Finding[] {
    const triples = Array.from(all);
    const { rules, targets } = this.#rules.structures.find(({ name }) => name === "timespan")!;
    const statements = Array.from({ length: triples.length / 3 }, (_, at) => triples.slice(at * 3, at * 3 + 3));
    const spans = statements.flatMap(([, property, span]) => (targets.includes(terms[property!]!.value) ? span! : []));
    const valuesOf = (span: number, path: string): readonly number[] =>
      statements.flatMap(([subject, property, value]) =>
        subject === span && terms[property!]!.value === path ? value! : [],
      );
    const isBefore = (one: number, other: number): boolean => {
      const [[year, rest] = [0n, ""], [otherYear, otherRest] = [0n, ""]] = [one, other].map((each) =>
        yearAndRest(terms[each]!),
      );
      return rest !== "" && otherRest !== "" && (year < otherYear || (year === otherYear && rest < otherRest));
    };
    return rules.flatMap(({ name, path, demand }) => {
      const applied = this.#rules.byName.get(name);
      if (demand.kind !== "order" || applied === undefined) return [];
      return [...new Set(spans)].flatMap((focus) =>
        // Several values are wrong anyway.
        valuesOf(focus, path!)
          .slice(0, 1)
          .flatMap((value) => {
            const later = demand.notBefore.flatMap((each) => valuesOf(focus, propertyIri(each)!));
            return later.some((each) => isBefore(value, each)) ? [{ applied, focus, value, component: null }] : [];
          }),
      );
    });
  }

  /** Texts that begin like a geometry, which is all that the shape checks, but are not one. */
  #geometries(graph: RecordGraph): readonly Finding[] {
    const { terms, triples } = graph;
    const root = rootOf(graph);
    return this.#rules.record.rules.flatMap(({ name, path, demand }) => {
      const applied = this.#rules.byName.get(name);
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

/** The year of a timestamp, and the rest of it. */
function yearAndRest({ datatype, value }: Term): readonly [bigint, string] | undefined {
  if (datatype !== XSD.dateTime || !new RegExp(LITERAL_FORMS.timestamp.pattern!).test(value)) return undefined;
  const end = value.indexOf("-", 1);
  return [BigInt(value.slice(0, end)), value.slice(end)];
}

const { pattern, flags } = LITERAL_FORMS.geometry;
const GEOMETRY = new RegExp(pattern!, flags);

function hasForm({ termType, datatype, value }: Term): boolean {
  return termType === "Literal" && datatype === XSD.string && GEOMETRY.test(value);
}

/** Whether a finding has a value. If the node itself is wrong, SHACL gives the node as the value. */
function tellsValue({ demand, when }: Rule): boolean {
  return when === undefined && demand.kind !== "usable" && demand.kind !== "address";
}
