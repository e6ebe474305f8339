/** The two validators: the compiled one of the service, and rdf-validate-shacl as the reference. */
import { entryOf } from "../../src/base/entries.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import type { RecordGraph } from "../../src/rdf/record-graph.js";
import type { Result } from "../../src/validate/results.js";
import { Severities } from "../../src/validate/severities.js";
import { Validator } from "../../src/validate/validator.js";
import { ReferenceValidator } from "./reference-validator.js";

export class Validators {
  readonly #validator: Validator;
  readonly #severities: Severities;
  readonly #references = new Map<EndpointName | null, ReferenceValidator>();

  private constructor(validator: Validator, severities: Severities) {
    this.#validator = validator;
    this.#severities = severities;
  }

  /** The validators for some decisions. */
  static async make(decisions: readonly string[] = []): Promise<Validators> {
    return new Validators(await Validator.make({ model: DEFAULT_MODEL, decisions }), new Severities(decisions));
  }

  /** The results of the compiled rules. */
  compiled(graph: RecordGraph, endpoint: EndpointName | null): readonly Result[] {
    return this.#validator.record(graph, endpoint);
  }

  /** The results of rdf-validate-shacl. */
  reference(graph: RecordGraph, endpoint: EndpointName | null): readonly Result[] {
    const make = () => new ReferenceValidator(endpoint, this.#severities);
    return entryOf(this.#references, endpoint, make).results(graph);
  }
}
