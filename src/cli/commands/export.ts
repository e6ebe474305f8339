/** `vitrine export`: the whole store as N-Quads or JSON lines. */
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { writeWhole } from "../../base/whole-file.js";
import { UnknownContextError } from "../../jsonld/contexts.js";
import { documentSettings } from "../../jsonld/document-settings.js";
import { DocumentWriter } from "../../jsonld/documents.js";
import { UnwritableError } from "../../jsonld/frame.js";
import { ENDPOINTS, type EndpointName } from "../../model/tables/endpoints.js";
import { EXPORT_BEGINS, exportEnds } from "../../rdf/export-marks.js";
import { writeNQuads } from "../../rdf/ntriples/writer.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import { type LocalStore, openStore } from "../../store/open.js";
import type { Command } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { ensureFolder, givenContexts, modelOf } from "../settings/common.js";

export const exportCommand: Command = {
  name: "export",
  operands: "",
  summary: "writes the whole store as N-Quads or JSON lines",
  notes: [
    "N-Quads end with how many records there are; load refuses such a file that was cut off. --output replaces a file",
    "only once the export is whole and on disk.",
  ],
  examples: ["export --output records.nq.gz", "export --format jsonl --endpoint person --output people.jsonl"],
  options: [
    {
      name: "format",
      kind: "argument",
      value: "NAME",
      choices: ["nq", "jsonl"],
      default: "nq",
      help: "N-Quads, or a document a line",
    },
    {
      name: "endpoint",
      kind: "argument",
      value: "NAME",
      choices: ENDPOINTS.map(({ name }) => name),
      help: "only records of one endpoint",
    },
    { name: "output", kind: "argument", value: "FILE", help: "instead of standard output; .gz compresses" },
  ],
  async run(options, { stdout, stderr, interrupted }) {
    await using store = await openStore({ directory: options.required("store") });
    const contexts = [...(await store.contexts()), ...(await givenContexts(options))];
    const endpoint = options.text("endpoint") as EndpointName | undefined;
    const documents =
      options.required("format") === "jsonl"
        ? new DocumentWriter(documentSettings(modelOf(options), contexts), { exactNumbers: true })
        : undefined;
    let skipped = 0;
    const skip = (problem: string): void => {
      skipped++;
      stderr.write(`vitrine: left out: ${problem}\n`);
    };
    const isUnread = (): boolean => options.text("output") === undefined && stdout.isClosed;
    const text = Readable.from(chunks(store, endpoint, documents, { skip, isUnread }));
    await writeAll(text, options.text("output"), stdout, interrupted);
    if (documents === undefined && contexts.length > 0) {
      const uris = contexts.map(([uri]) => uri).join(", ");
      stderr.write(
        `vitrine: N-Quads have no contexts, so these are not in it: ${uris} (--format jsonl keeps to them)\n`,
      );
    }
    return skipped === 0 ? ExitStatus.done : ExitStatus.someInvalid;
  },
};

/** Text is handed on in pieces of about this many characters. */
const CHUNK = 65_536;

async function* chunks(
  { lists }: LocalStore,
  endpoint: EndpointName | undefined,
  documents: DocumentWriter | undefined,
  { skip, isUnread }: { readonly skip: (problem: string) => void; readonly isUnread: () => boolean },
): AsyncIterable<string> {
  let text = documents === undefined ? EXPORT_BEGINS : "";
  let records = 0;
  for await (const { graph } of lists.records(endpoint)) {
    // In a file of quads a label means one node in all graphs, so each record gets labels of its own.
    if (documents === undefined) text += writeNQuads(graph, `r${records}b`);
    else text += documentLine(graph, documents, skip);
    records++;
    if (text.length < CHUNK) continue;
    yield text;
    text = "";
    if (isUnread()) return;
  }
  // A line of JSON is a document, so that only quads have a place to say how many there are.
  if (documents === undefined) text += exportEnds(records);
  if (text !== "") yield text;
}

/** A record that no document can tell is passed over. */
function documentLine(graph: RecordGraph, documents: DocumentWriter, skip: (problem: string) => void): string {
  try {
    return `${JSON.stringify(documents.document(graph))}\n`;
  } catch (error) {
    if (error instanceof UnwritableError) skip(error.message);
    else if (error instanceof UnknownContextError) skip(`<${graph.iri}>: ${error.message}`);
    else throw error;
    return "";
  }
}

async function writeAll(
  text: Readable,
  file: string | undefined,
  stdout: Writable,
  signal: AbortSignal,
): Promise<void> {
  if (file === undefined) {
    await pipeline(text, stdout, { end: false, signal });
    return;
  }
  ensureFolder(file);
  await writeWhole(file, (stream) =>
    file.endsWith(".gz") ? pipeline(text, createGzip(), stream, { signal }) : pipeline(text, stream, { signal }),
  );
}
