/** Validation: the cost of records that break rules and of conforming ones, both beside rdf-validate-shacl. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { DocumentError } from "../src/jsonld/loss.js";
import { describe } from "../src/load/pipeline/describe.js";
import { DEFAULT_MODEL } from "../src/model/settings.js";
import type { EndpointName } from "../src/model/tables/names.js";
import { type RecordGraph, RecordGraphBuilder } from "../src/rdf/record-graph.js";
import { literal, XSD } from "../src/rdf/terms.js";
import { isValid } from "../src/validate/results.js";
import { Severities } from "../src/validate/severities.js";
import { Validator } from "../src/validate/validator.js";
import { ReferenceValidator } from "../test/validate/reference-validator.js";
import { corpus, type JsonObject, many, reader, VOLUME } from "./documents.js";
import { fixed, microseconds, report, seconds } from "./figures.js";

/** Records for rdf-validate-shacl, which takes milliseconds for each. */
const SAMPLE = 200;
/** Records of the volume that are made invalid. */
const SPOILT = 20_000;
const BASE = "http://localhost:3000/";
const MESSY = "../shared/corpus/messy.jsonl";

interface Read {
  readonly graph: RecordGraph;
  readonly endpoint: EndpointName | null;
}

export async function benchValidate(): Promise<void> {
  const validator = await Validator.make({ model: DEFAULT_MODEL });
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
  const spoilt = volume.flatMap((record, nth) => spoil(record, nth, isConforming));
  const whole = time(volume);
  report(`  ${volume.length} of the volume, conforming ${fixed(whole)} µs`);
  compare(`${spoilt.length} of them with one value in each spoilt`, time(spoilt), whole);
  if (existsSync(VOLUME)) await benchInvalidLoad();
}

function compare(what: string, spent: number, conforming: number): void {
  report(`  ${what}: ${fixed(spent)} µs, ${fixed(spent / conforming)} times a conforming record`);
}

/** The microseconds that rdf-validate-shacl takes for a sample of these records. */
function referenceTime(records: readonly Read[]): number {
  const references = new Map<EndpointName | null, ReferenceValidator>();
  const step = Math.max(1, Math.floor(records.length / SAMPLE));
  const some = records.filter((_, index) => index % step === 0);
  for (const { endpoint } of some) {
    if (!references.has(endpoint)) {
      references.set(endpoint, new ReferenceValidator(endpoint, new Severities()));
    }
  }
  return microseconds(some, ({ graph, endpoint }) => references.get(endpoint)!.results(graph));
}

/** The record graphs of the documents that can become records. */
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

/** A record made invalid by a number in place of one of its texts or timestamps, a different one in each record. */
function spoil(record: Read, nth: number, isConforming: (record: Read) => boolean): Read[] {
  const { terms, triples } = record.graph;
  const spoilable: number[] = [];
  for (let at = 0; at < triples.length; at += 3) {
    const { datatype } = terms[triples[at + 2]!]!;
    if (datatype === XSD.string || datatype === XSD.dateTime) spoilable.push(at);
  }
  for (let tried = 0; tried < spoilable.length; tried++) {
    const spoilt = withNumber(record, spoilable[(nth + tried) % spoilable.length]!);
    if (!isConforming(spoilt)) return [spoilt];
  }
  return [];
}

function withNumber({ graph, endpoint }: Read, spoilt: number): Read {
  const { iri, terms, triples } = graph;
  const builder = new RecordGraphBuilder(iri);
  for (let at = 0; at < triples.length; at += 3) {
    const object = at === spoilt ? literal("12", XSD.integer) : terms[triples[at + 2]!]!;
    builder.add(builder.term(terms[triples[at]!]!), builder.term(terms[triples[at + 1]!]!), builder.term(object));
  }
  return { graph: builder.build(), endpoint };
}

/** Reads N-Triples in parts, since no string can be longer than half a gigabyte. */
const OXIGRAPH = `
  import { createReadStream } from "node:fs";
  import { Store } from "oxigraph";
  const store = new Store();
  const options = { format: "application/n-triples", lenient: true, no_transaction: true };
  let rest = "";
  for await (const chunk of createReadStream(process.argv[1], { encoding: "utf8", highWaterMark: 1 << 24 })) {
    const end = chunk.lastIndexOf("\\n") + 1;
    store.load(rest + chunk.slice(0, end), options);
    rest = chunk.slice(end);
  }
  if (store.size === 0) process.exit(1);`;

/** Measures loads of the volume, with every record made invalid and all results reported, beside Oxigraph's raw load of the same triples. */
async function benchInvalidLoad(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  try {
    const [lines, quads, triples] = ["jsonl", "nq", "nt"].map((extension) => join(folder, `volume.${extension}`)) as [
      string,
      string,
      string,
    ];
    await pipeline(Readable.from(invalidLines()), createWriteStream(lines));
    const load = (input: string): Promise<number> => {
      rmSync(join(folder, "store"), { recursive: true, force: true });
      const options = ["--store", join(folder, "store"), "--base-url", BASE, "--on-invalid", "accept"];
      return seconds(() => run(["bin/vitrine.js", "load", input, ...options, "--report", join(folder, "report.json")]));
    };
    const ofLines = await load(lines);
    await run(["bin/vitrine.js", "export", "--store", join(folder, "store"), "--output", quads]);
    await pipeline(createReadStream(quads), withoutGraphs, createWriteStream(triples));
    const ofQuads = await load(quads);
    const theirs = await seconds(() => run(["--input-type=module", "--eval", OXIGRAPH, triples]));
    report(
      `  the volume, every record invalid, loaded with all results reported: N-Quads ${fixed(ofQuads)} s, JSON lines ` +
        `${fixed(ofLines)} s; Oxigraph's raw load ${fixed(theirs)} s; ${fixed(theirs / ofQuads)} and ${fixed(theirs / ofLines)} times as fast as that`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The volume's documents, each with a number as its first name, or else as its label. */
async function* invalidLines(): AsyncIterable<string> {
  for (const file of readdirSync(VOLUME)) {
    for await (const line of createInterface({ input: createReadStream(`${VOLUME}/${file}`).pipe(createGunzip()) })) {
      const document = JSON.parse(line) as JsonObject;
      const [name] = (Array.isArray(document.identified_by) ? document.identified_by : []) as (
        | JsonObject
        | undefined
      )[];
      if (name === undefined) document._label = 12;
      else name.content = 12;
      yield `${JSON.stringify(document)}\n`;
    }
  }
}

async function* withoutGraphs(chunks: AsyncIterable<Buffer>): AsyncIterable<string> {
  for await (const line of createInterface({ input: Readable.from(chunks) })) {
    yield `${line.slice(0, line.lastIndexOf(" <"))} .\n`;
  }
}

async function run(args: readonly string[]): Promise<void> {
  const [status] = await once(spawn(process.execPath, args, { stdio: ["ignore", "ignore", "ignore"] }), "exit");
  if (status !== 0 && status !== 1) throw new Error(`${args[1]} ended with ${status}`);
}
