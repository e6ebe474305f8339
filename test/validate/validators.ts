/** The two validators: the compiled one of the service, and rdf-validate-shacl as the reference. */
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import type { RecordGraph } from "../../src/rdf/record-graph.js";
import type { Result } from "../../src/validate/results.js";
import { Severities } from "../../src/validate/severities.js";
import { Validator } from "../../src/validate/validator.js";
import { ReferenceValidator } from "./reference-validator.js";

const made = new Map<string, Validators>();

export class Validators {
  readonly #validator: Validator;
  readonly #severities: Severities;
  readonly #references = new Map<EndpointName | null, ReferenceValidator>();

  private constructor(validator: Validator, severities: Severities) {
    this.#validator = validator;
    this.#severities = severities;
  }

  /** The validators for some decisions, made once: the reference takes a tenth of a second for each endpoint. */
  static async make(decisions: readonly string[] = []): Promise<Validators> {
    const key = decisions.join();
    let validators = made.get(key);
    if (validators === undefined) {
      validators = new Validators(await Validator.make({ model: DEFAULT_MODEL, decisions }), new Severities(decisions));
      made.set(key, validators);
    }
    return validators;
  }

  /** The results of the compiled rules. */
  compiled(graph: RecordGraph, endpoint: EndpointName | null): readonly Result[] {
    return this.#validator.record(graph, endpoint);
  }

  /** The results of rdf-validate-shacl. */
  reference(graph: RecordGraph, endpoint: EndpointName | null): readonly Result[] {
    let reference = this.#references.get(endpoint);
    if (reference === undefined) {
      reference = new ReferenceValidator(endpoint, DEFAULT_MODEL, this.#severities);
      this.#references.set(endpoint, reference);
    }
    return reference.results(graph);
  }
}
