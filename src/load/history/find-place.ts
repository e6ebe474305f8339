/** The place of a record in an input that was loaded, as long as the file is unchanged. */
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { isJsonObject } from "../../rdf/record-graph.js";
import { documentsOf } from "../read/json-documents.js";
import { cutJson } from "../read/json-texts.js";
import { formatOf, holdsDocuments, listSources, type Source } from "../read/sources.js";
import type { LoadEntry } from "./history.js";

/** The place of a record as `file:line`, or `null` when no input has it, or the input is gone or has changed. Triples count more than documents, and of documents the last. One input is read at a time: there may be more than a process may open. @param refused the places of refused documents */
export async function placeInInputs({ inputs, baseUrl: base }: LoadEntry, iri: string, refused: readonly string[]) {
  const ids = [iri, ...(base !== null && iri.startsWith(base) ? [iri.slice(base.length)] : [])];
  const triples = inputs.filter((each) => !holdsDocuments(each));
  for (const input of [...triples, ...inputs.filter(holdsDocuments).toReversed()]) {
    const { path, name, format, size, modified } = input;
    const now = path === null ? undefined : await stat(path).catch(() => undefined);
    if (path === null || now?.size !== size || now?.mtimeMs !== modified) continue;
    const [source] = await listSources([path], { stdin: Readable.from([]), format });
    const isRefused = (line: number): boolean => refused.includes(`${name}:${line}`);
    const find = holdsDocuments(input) ? lineOfDocument(source!, ids, isRefused) : lineOfTriples(source!, iri, base);
    const line = await find.catch(() => undefined);
    if (line !== undefined) return `${name}:${line}`;
  }
  return null;
}

async function lineOfDocument(source: Source, ids: readonly string[], isRefused: (line: number) => boolean) {
  // JSON may escape slashes (`\/`) and characters beyond ASCII, so only pieces with the plain end of an id are parsed.
  const ends = ids.map((id) => /[\w.~-]*$/.exec(id)![0]);
  let last: number | undefined;
  for await (const piece of cutJson(source)) {
    const { buffer, byteOffset, byteLength } = piece.bytes;
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    if (!ends.some((end) => bytes.includes(end))) continue;
    for (const { document, line } of documentsOf(piece))
      if (isJsonObject(document) && ids.includes(String(document.id ?? document["@id"])) && !isRefused(line))
        last = line;
  }
  return last;
}

/** The line of a record's first triple: in its named graph, or about its entity without one. */
async function lineOfTriples(source: Source, iri: string, baseUrl: string | null): Promise<number | undefined> {
  let first: number | undefined;
  const options = { source: source.name, ...(baseUrl === null ? {} : { baseIri: baseUrl }) };
  const reader = await formatOf(source.format)!.read!(options, (statement) => {
    if ((statement.graph() ?? statement.subject()).value === iri) first ??= statement.line;
  });
  for await (const chunk of source.open()) {
    reader.push(chunk);
    if (first !== undefined) return first;
  }
  reader.end();
  return first;
}
