/** `vitrine export`: the whole store as N-Quads or JSON lines. */
import { createWriteStream } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { documentSettings } from "../jsonld/document-settings.js";
import { DocumentWriter } from "../jsonld/documents.js";
import { ENDPOINTS, type EndpointName } from "../model/tables/endpoints.js";
import { writeNQuads } from "../rdf/ntriples-writer.js";
import { openStore } from "../store/open.js";
import type { Store } from "../store/store.js";
import type { Command } from "./command.js";
import { givenContexts, modelOf } from "./common.js";
import { ExitStatus } from "./exit-status.js";

export const exportCommand: Command = {
  name: "export",
  operands: "",
  summary: "writes the whole store as N-Quads or JSON lines",
  options: [
    { name: "format", value: "NAME", choices: ["nq", "jsonl"], default: "nq", help: "N-Quads, or a document a line" },
    {
      name: "endpoint",
      value: "NAME",
      choices: ENDPOINTS.map(({ name }) => name),
      help: "only records of one endpoint",
    },
    { name: "output", value: "FILE", help: "instead of standard output; .gz compresses" },
  ],
  async run(options, { stdout, interrupted }) {
    const store = await openStore({ directory: options.required("store") });
    try {
      const contexts = [...(await store.contexts()), ...(await givenContexts(options))];
      const endpoint = options.text("endpoint") as EndpointName | undefined;
      const documents =
        options.required("format") === "jsonl"
          ? new DocumentWriter(documentSettings(modelOf(options), contexts))
          : undefined;
      await writeAll(Readable.from(chunks(store, endpoint, documents)), options.text("output"), stdout, interrupted);
      return ExitStatus.done;
    } finally {
      await store.close();
    }
  },
};

/** Text is handed on in pieces of about this many characters. */
const CHUNK = 65_536;

async function* chunks(
  store: Store,
  endpoint: EndpointName | undefined,
  documents: DocumentWriter | undefined,
): AsyncIterable<string> {
  let text = "";
  let records = 0;
  for await (const { graph } of store.records(endpoint)) {
    if (documents === undefined) {
      // In a file of quads a label means one node in all graphs, so each record gets labels of its own.
      text += writeNQuads(graph, `r${records}b`);
    } else {
      text += `${JSON.stringify(await documents.document(graph))}\n`;
    }
    records++;
    if (text.length >= CHUNK) {
      yield text;
      text = "";
    }
  }
  if (text !== "") yield text;
}

async function writeAll(
  text: Readable,
  file: string | undefined,
  stdout: Writable,
  signal: AbortSignal,
): Promise<void> {
  if (file === undefined) await pipeline(text, stdout, { end: false, signal });
  else if (file.endsWith(".gz")) await pipeline(text, createGzip(), createWriteStream(file), { signal });
  else await pipeline(text, createWriteStream(file), { signal });
}
