/** JSON that may be malformed: a truncated file, another service's answer, or a text in a URL. */
import { readFile } from "node:fs/promises";

/** The value of a JSON text, with or without a byte order mark, or `undefined` if it is malformed. */
export function jsonIn<T>(text: string | Buffer): T | undefined {
  try {
    return JSON.parse(text.toString().replace(/^\uFEFF/, "")) as T;
  } catch {
    return undefined;
  }
}

/** A value as a text that needs no encoding in URLs. */
export function packed(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** The value in a text that `packed` made, or `undefined` if the text has another form. */
export function unpacked<T>(text: string): T | undefined {
  return /^[\w-]+$/.test(text) ? jsonIn(Buffer.from(text, "base64url")) : undefined;
}

/** The value of a JSON file, or `undefined` if it cannot be read or is malformed. */
export async function jsonFile<T>(path: string): Promise<T | undefined> {
  return jsonIn(await readFile(path, "utf8").catch(() => ""));
}
