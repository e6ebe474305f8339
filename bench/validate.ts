/** Validation: the accept-only check beside rdf-validate-shacl alone, on records that conform. */

import { describe } from "../src/load/pipeline/describe.js";
import { DEFAULT_MODEL } from "../src/model/settings.js";
import type { EndpointName } from "../src/model/tables/endpoints.js";
import type { RecordGraph } from "../src/rdf/record-graph.js";
import { isValid } from "../src/validate/results.js";
import { RuleBooks } from "../src/validate/rule-books.js";
import { Severities } from "../src/validate/severities.js";
import { corpus, reader } from "./documents.js";
import { fixed, microseconds, report, seconds } from "./figures.js";

/** The judge takes milliseconds a record, so it gets a sample of them. */
const SAMPLE = 200;

interface Read {
  readonly graph: RecordGraph;
  readonly endpoint: EndpointName | null;
}

export async function benchValidate(): Promise<void> {
  const books = new RuleBooks(DEFAULT_MODEL, new Severities());
  const { name, documents } = corpus();
  const records = documents.map((document): Read => {
    const { graph } = reader.read(document) as { graph: RecordGraph };
    return { graph, endpoint: describe(graph, DEFAULT_MODEL.vocabBase).endpoint };
  });
  const conforming = records.filter(({ graph, endpoint }) => isValid(books.results(graph, endpoint)));
  const told = conforming.filter(({ graph, endpoint }) => books.check(graph, endpoint) !== undefined);
  report(
    `\nValidation: ${documents.length} of ${name}, ${conforming.length} conform, of which the check alone tells ${told.length}`,
  );

  const check = microseconds(conforming, ({ graph, endpoint }) => books.check(graph, endpoint));
  const step = Math.max(1, Math.floor(conforming.length / SAMPLE));
  const some = conforming.filter((_, index) => index % step === 0);
  for (const { graph, endpoint } of some) books.judge(graph, endpoint);
  const spent = await seconds(() => {
    for (const { graph, endpoint } of some) books.judge(graph, endpoint);
  });
  const judge = (spent * 1e6) / some.length;
  report(
    `  accept-only check    ${fixed(check)} µs; rdf-validate-shacl ${fixed(judge)} µs: ${fixed(judge / check)} times`,
  );
}
