/** The rule books of all endpoints, each with its check and its judge, made when first asked for. */

import type { ModelSettings } from "../model/settings.js";
import type { EndpointName } from "../model/tables/endpoints.js";
import type { RecordGraph } from "../rdf/record-graph.js";
import { ASK_THE_JUDGE, ConformanceCheck } from "./conforms.js";
import { resultsOf } from "./findings.js";
import { Judge } from "./judge.js";
import type { Result } from "./results.js";
import { type RuleBook, ruleBook } from "./rule-book.js";
import type { Severities } from "./severities.js";

interface Opened {
  readonly book: RuleBook;
  readonly check: ConformanceCheck;
  judge?: Judge;
}

export class RuleBooks {
  readonly #model: ModelSettings;
  readonly #severities: Severities;
  readonly #opened = new Map<EndpointName | null, Opened>();

  constructor(model: ModelSettings, severities: Severities) {
    this.#model = model;
    this.#severities = severities;
  }

  /** What is wrong with a record of an endpoint (`null`: of none), or `undefined` where the judge has to be asked. */
  check(graph: RecordGraph, endpoint: EndpointName | null): readonly Result[] | undefined {
    const checked = this.#open(endpoint).check.check(graph);
    return checked === ASK_THE_JUDGE || checked.questions.length > 0 ? undefined : resultsOf(graph, checked.findings);
  }

  /** What is wrong with a record: what the check can tell, and what the judge says of the rest. */
  results(graph: RecordGraph, endpoint: EndpointName | null): readonly Result[] {
    const checked = this.#open(endpoint).check.check(graph);
    if (checked === ASK_THE_JUDGE) return this.judge(graph, endpoint);
    const { findings, questions } = checked;
    if (questions.length === 0) return resultsOf(graph, findings);
    return resultsOf(graph, [...findings, ...this.#judgeOf(endpoint).answer(graph, questions)]);
  }

  /** What is wrong with a record, as rdf-validate-shacl finds it without the check. */
  judge(graph: RecordGraph, endpoint: EndpointName | null): readonly Result[] {
    return resultsOf(graph, this.#judgeOf(endpoint).judge(graph));
  }

  #judgeOf(endpoint: EndpointName | null): Judge {
    const opened = this.#open(endpoint);
    opened.judge ??= new Judge(endpoint, this.#model, opened.book);
    return opened.judge;
  }

  #open(endpoint: EndpointName | null): Opened {
    let opened = this.#opened.get(endpoint);
    if (opened === undefined) {
      const book = ruleBook(endpoint, this.#model, this.#severities);
      opened = { book, check: new ConformanceCheck(book) };
      this.#opened.set(endpoint, opened);
    }
    return opened;
  }
}
