/** The place of a record in an input that was loaded, as long as the file is still the same. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { jsonIn } from "../../base/json.js";
import { formatOf } from "../read/sources.js";
import type { LoadInput } from "./history.js";

/** The first place of a record as `file:line`; `undefined` where the input lacks it, is gone or has changed. */
export async function placeInInput(input: LoadInput, iri: string, baseUrl: string | null): Promise<string | undefined> {
  const { path, name } = input;
  if (path === null || !(await isUnchanged(input))) return undefined;
  const ids = [iri, ...(baseUrl !== null && iri.startsWith(baseUrl) ? [iri.slice(baseUrl.length)] : [])];
  const file = createReadStream(path);
  try {
    const content = /\.gz$/i.test(path) ? file.pipe(createGunzip()) : file;
    let number = 0;
    for await (const line of createInterface({ input: content, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      if (ids.some((id) => line.includes(id)) && beginsRecord(line, ids, input.format)) return `${name}:${number}`;
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    file.destroy();
  }
}

async function isUnchanged({ path, size, modified }: LoadInput): Promise<boolean> {
  const now = await stat(path!).catch(() => undefined);
  return now !== undefined && now.size === size && now.mtimeMs === modified;
}

/** Whether a line that has one of the ids is of the record itself, and no other that refers to it. */
function beginsRecord(line: string, ids: readonly string[], format: string): boolean {
  const { isLines = false, holds } = formatOf(format) ?? {};
  if (!isLines) return ids.some((id) => line.includes(`"${id}"`) || line.includes(`<${id}>`));
  if (holds === "documents") return ids.includes(idOf(line));
  return holds === "quads" ? line.endsWith(`<${ids[0]}> .`) : line.startsWith(`<${ids[0]}>`);
}

function idOf(line: string): string {
  const { id, "@id": other } = jsonIn<{ id?: unknown; "@id"?: unknown } | null>(line) ?? {};
  return String(id ?? other);
}
