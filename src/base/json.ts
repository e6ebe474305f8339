/** JSON that may be malformed: a truncated file, another service's answer, or a text in a URL. */
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "./folders.js";
import { replaceFile } from "./whole-file.js";

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

/** Replace a JSON file, durably, in a folder that is made if it is not there. */
export async function replaceJsonFile<T>(path: string, value: T): Promise<void> {
  await makeFolder(dirname(path));
  await replaceFile(path, `${JSON.stringify(value)}\n`);
}
