/** The place of a record in an input that was loaded, as long as the file is unchanged. */
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { isJsonObject } from "../../rdf/record-graph.js";
import { documentsOf } from "../read/json-documents.js";
import { cutJson } from "../read/json-texts.js";
import { formatOf, listSources, type Source } from "../read/sources.js";
import type { LoadEntry, LoadInput } from "./history.js";

/** The first place of a record as `file:line`, or `null` when no input has it, or the input is gone or has changed. One input is read at a time: they may be more than a process may open. */
export async function placeInInputs({ inputs, baseUrl }: LoadEntry, iri: string): Promise<string | null> {
  for (const input of inputs) {
    const place = await placeInInput(input, iri, baseUrl);
    if (place !== undefined) return place;
  }
  return null;
}

async function placeInInput(input: LoadInput, iri: string, baseUrl: string | null): Promise<string | undefined> {
  const { path, name, format } = input;
  const now = path === null ? undefined : await stat(path).catch(() => undefined);
  if (path === null || now?.size !== input.size || now?.mtimeMs !== input.modified) return undefined;
  const ids = [iri, ...(baseUrl !== null && iri.startsWith(baseUrl) ? [iri.slice(baseUrl.length)] : [])];
  try {
    const [source] = await listSources([path], { stdin: Readable.from([]), format });
    const find = formatOf(format)?.holds === "documents" ? lineOfDocument : lineOfTriples;
    const line = await find(source!, ids);
    return line === undefined ? undefined : `${name}:${line}`;
  } catch {
    return undefined;
  }
}

async function lineOfDocument(source: Source, ids: readonly string[]): Promise<number | undefined> {
  // JSON may escape slashes (`\/`), so only pieces with the text after the last slash of an id are parsed.
  const ends = ids.map((id) => id.slice(id.lastIndexOf("/") + 1));
  for await (const piece of cutJson(source)) {
    const { buffer, byteOffset, byteLength } = piece.bytes;
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    if (!ends.some((end) => bytes.includes(end))) continue;
    const found = documentsOf(piece).find(
      ({ document }) => isJsonObject(document) && ids.includes(String(document.id ?? document["@id"])),
    );
    if (found !== undefined) return found.line;
  }
  return undefined;
}

async function lineOfTriples(source: Source, ids: readonly string[]): Promise<number | undefined> {
  let number = 0;
  const lines = createInterface({ input: Readable.from(source.open()), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    number++;
    if (ids.some((id) => line.includes(id)) && beginsRecord(line, ids, source.format)) return number;
  }
  return undefined;
}

/** Whether a line with one of the ids belongs to the record itself, not to one that refers to it. */
function beginsRecord(line: string, ids: readonly string[], format: string): boolean {
  const { isLines = false, holds } = formatOf(format) ?? {};
  if (isLines) return holds === "quads" ? line.endsWith(`<${ids[0]}> .`) : line.startsWith(`<${ids[0]}>`);
  const text = line.trimStart().replace(/^GRAPH\s+/i, "");
  return ids.some((id) => text.startsWith(`<${id}>`) || text.includes(`about="${id}"`));
}
