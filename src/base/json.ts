/** JSON that may be malformed: a file that was cut off, or the answer of somebody else. */
import { readFile } from "node:fs/promises";

/** The value of a text, or `undefined` where it is malformed. */
export function jsonIn<T>(text: string | Buffer): T | undefined {
  try {
    return JSON.parse(text.toString()) as T;
  } catch {
    return undefined;
  }
}

/** The value of a file, or `undefined` where it cannot be read or is malformed. */
export async function jsonFile<T>(path: string): Promise<T | undefined> {
  return jsonIn(await readFile(path, "utf8").catch(() => ""));
}
