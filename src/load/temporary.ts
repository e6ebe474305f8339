/** Temporary directories, named after the process that made them so that those of killed processes can be removed. */
import { mkdtempSync, readlinkSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isAlive } from "../base/living-process.js";
import { TemporaryFileError } from "./errors.js";

const NAME = /^vitrine-(?:group|dry-run|release)-(.+)-(\d+)-[^-]+$/;

/** The host name and the process namespace. Where several machines share a directory, none can tell which processes of another are alive. */
const HOST = `${hostname()}${processNamespace()}`.replace(/[^A-Za-z0-9.-]/g, "_");

function processNamespace(): string {
  try {
    return `.${/\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0]}`;
  } catch {
    return "";
  }
}

/** Make a directory in `parent` for grouping, or for the store of a dry run or of a release. Throws `TemporaryFileError`. */
export function makeTemporaryDirectory(parent: string, purpose: "group" | "dry-run" | "release"): string {
  try {
    return mkdtempSync(join(parent, `vitrine-${purpose}-${HOST}-${process.pid}-`));
  } catch (error) {
    throw new TemporaryFileError(parent, error as NodeJS.ErrnoException);
  }
}

/** Remove what ended processes left in `parent`. A directory that cannot be removed belongs to another user, and stays. */
export async function removeAbandoned(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const [, host, pid] = NAME.exec(name) ?? [];
    if (host !== HOST || isAlive(Number(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
