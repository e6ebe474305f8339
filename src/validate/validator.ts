/** The validator: checks records and documents against the specification's rules, with the severities that an institution decided on. */
import { entryOf } from "../base/entries.js";
import type { ModelSettings } from "../model/settings.js";
import type { EndpointName } from "../model/tables/names.js";
import type { Json, RecordGraph } from "../rdf/record-graph.js";
import { CompiledValidator } from "./compiled/compiled-validator.js";
import { resultsOf } from "./compiled/findings.js";
import { validateDocument } from "./document.js";
import type { Result } from "./results.js";
import { appliedRules, Severities } from "./severities.js";
import type { ShapesFile } from "./shapes/shapes-graph.js";
import type { ShapesValidator } from "./shapes/shapes-validator.js";

/** The settings of validation, as data that can be sent to other threads. */
interface ValidationSettings {
  readonly model: ModelSettings;
  /** An institution's decisions, as `RULE=warning`, `RULE=violation` or `RULE=off`. */
  readonly decisions?: readonly string[];
  /** An institution's own shapes, which records must meet as well. */
  readonly shapes?: readonly ShapesFile[];
}

/**
 * Validates records of all endpoints, one at a time.
 * @example
 * import { DocumentReader, documentSettings } from "#jsonld/documents";
 * import { DEFAULT_MODEL } from "#model/settings";
 * const document = { "@context": DEFAULT_MODEL.contextUri, id: "urn:1", type: "Place" };
 * const { graph } = new DocumentReader(documentSettings(DEFAULT_MODEL, [])).read(document);
 * const validator = await Validator.make({ model: DEFAULT_MODEL });
 * validator.record(graph, "place").some(({ path }) => path === "_label"); // => true
 */
export class Validator {
  readonly #severities: Severities;
  readonly #compiled = new Map<EndpointName | null, CompiledValidator>();

  private constructor(
    private readonly model: ModelSettings,
    decisions: readonly string[],
    private readonly shapes: ShapesValidator | undefined,
  ) {
    this.#severities = new Severities(decisions, shapes?.rules);
  }

  /** Make a validator. Rejects with `SeverityError` for decisions that cannot be understood, and `SyntaxProblem` or `ShapesError` for faulty shapes. */
  static async make({ model, decisions = [], shapes = [] }: ValidationSettings): Promise<Validator> {
    if (shapes.length === 0) return new Validator(model, decisions, undefined);
    // The SHACL engine is loaded only for institutions with shapes of their own.
    const { ShapesValidator } = await import("./shapes/shapes-validator.js");
    return new Validator(model, decisions, new ShapesValidator(shapes));
  }

  /** The results of a record; `endpoint` is `null` when its class belongs to no endpoint. */
  record(graph: RecordGraph, endpoint: EndpointName | null): readonly Result[] {
    const compiled = entryOf(
      this.#compiled,
      endpoint,
      () => new CompiledValidator(appliedRules(endpoint, this.model, this.#severities)),
    );
    const results = resultsOf(graph, compiled.validate(graph));
    return this.shapes === undefined ? results : [...results, ...this.shapes.validate(graph, this.#severities)];
  }

  /** The results for a document that its record graph would not show. */
  document(document: Json): readonly Result[] {
    return validateDocument(document, this.model, this.#severities);
  }
}
