/** Validation: what records that break rules cost beside conforming ones, and both beside rdf-validate-shacl. */
import { existsSync, readFileSync } from "node:fs";
import { DocumentError } from "../src/jsonld/loss.js";
import { describe } from "../src/load/pipeline/describe.js";
import { DEFAULT_MODEL } from "../src/model/settings.js";
import type { EndpointName } from "../src/model/tables/endpoints.js";
import { type RecordGraph, RecordGraphBuilder } from "../src/rdf/record-graph.js";
import { literal, XSD } from "../src/rdf/terms.js";
import { ReferenceValidator } from "../src/validate/reference/reference-validator.js";
import { isValid } from "../src/validate/results.js";
import { Severities } from "../src/validate/severities.js";
import { Validator } from "../src/validate/validator.js";
import { corpus, type JsonObject, many, reader } from "./documents.js";
import { fixed, microseconds, report } from "./figures.js";

/** rdf-validate-shacl takes milliseconds a record, so it gets a sample of them. */
const SAMPLE = 200;
/** Records of the volume that are spoilt. */
const SPOILT = 20_000;
const MESSY = "../shared/corpus/messy.jsonl";

interface Read {
  readonly graph: RecordGraph;
  readonly endpoint: EndpointName | null;
}

export async function benchValidate(): Promise<void> {
  const validator = new Validator({ model: DEFAULT_MODEL });
  const time = (records: readonly Read[]): number =>
    microseconds(records, ({ graph, endpoint }) => validator.record(graph, endpoint));
  const isConforming = ({ graph, endpoint }: Read): boolean => isValid(validator.record(graph, endpoint));

  const { name, documents } = corpus();
  const conforming = (await read(documents)).filter(isConforming);
  report(`\nValidation, microseconds a record; ${conforming.length} of ${name} conform`);
  const plain = time(conforming);
  const reference = referenceTime(conforming);
  report(
    `  conforming          ${fixed(plain)} µs; rdf-validate-shacl ${fixed(reference)} µs: ${fixed(reference / plain)} times`,
  );
  if (existsSync(MESSY)) {
    const messy = (await read(linesOf(MESSY))).filter((record) => !isConforming(record));
    compare(`${messy.length} of messy.jsonl`, time(messy), plain);
  }
  const volume = (await read(await many(SPOILT))).filter(isConforming);
  const spoilt = volume.map(spoil).filter((record) => !isConforming(record));
  const whole = time(volume);
  report(`  ${volume.length} of the volume, conforming ${fixed(whole)} µs`);
  compare(`${spoilt.length} of them with one value in each spoilt`, time(spoilt), whole);
}

function compare(what: string, spent: number, conforming: number): void {
  report(`  ${what}: ${fixed(spent)} µs, ${fixed(spent / conforming)} times a conforming record`);
}

/** Microseconds that rdf-validate-shacl takes for some of these records. */
function referenceTime(records: readonly Read[]): number {
  const references = new Map<EndpointName | null, ReferenceValidator>();
  const step = Math.max(1, Math.floor(records.length / SAMPLE));
  const some = records.filter((_, index) => index % step === 0);
  for (const { endpoint } of some) {
    if (!references.has(endpoint)) {
      references.set(endpoint, new ReferenceValidator(endpoint, DEFAULT_MODEL, new Severities()));
    }
  }
  return microseconds(some, ({ graph, endpoint }) => references.get(endpoint)!.results(graph));
}

/** Those documents that can become records, as record graphs. */
async function read(documents: readonly JsonObject[]): Promise<Read[]> {
  const records: Read[] = [];
  for (const document of documents) {
    try {
      const { graph } = await reader.read(document);
      records.push({ graph, endpoint: describe(graph, DEFAULT_MODEL.vocabBase).endpoint });
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
    }
  }
  return records;
}

function linesOf(file: string): JsonObject[] {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as JsonObject);
}

/** A record with a number where one of its texts or timestamps was, another one in each. */
function spoil({ graph, endpoint }: Read, nth: number): Read {
  const { terms, triples } = graph;
  const spoilable: number[] = [];
  for (let at = 0; at < triples.length; at += 3) {
    const { datatype } = terms[triples[at + 2]!]!;
    if (datatype === XSD.string || datatype === XSD.dateTime) spoilable.push(at);
  }
  const spoilt = spoilable[nth % Math.max(1, spoilable.length)];
  const builder = new RecordGraphBuilder(graph.iri);
  for (let at = 0; at < triples.length; at += 3) {
    const object = at === spoilt ? literal("12", XSD.integer) : terms[triples[at + 2]!]!;
    builder.add(builder.term(terms[triples[at]!]!), builder.term(terms[triples[at + 1]!]!), builder.term(object));
  }
  return { graph: builder.build(), endpoint };
}
