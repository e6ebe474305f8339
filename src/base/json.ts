/** JSON that may be malformed: a truncated file, or another service's answer. */
import { readFile } from "node:fs/promises";

/** The value of a JSON text, with or without a byte order mark, or `undefined` if it is malformed. */
export function jsonIn<T>(text: string | Buffer): T | undefined {
  try {
    return JSON.parse(text.toString().replace(/^\uFEFF/, "")) as T;
  } catch {
    return undefined;
  }
}

/** The value of a JSON file, or `undefined` if it cannot be read or is malformed. */
export async function jsonFile<T>(path: string): Promise<T | undefined> {
  return jsonIn(await readFile(path, "utf8").catch(() => ""));
}
