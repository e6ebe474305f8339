/** Temporary directories, named after the process that made them so that those of killed processes can be removed. */
import { hash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isAlive, processNamespace } from "./living-process.js";
import { NamedError } from "./named-error.js";

/** A hash of host name and process namespace, short since socket addresses are. In a directory that machines share, none can tell which processes of another are alive. */
const HOST = hash("sha256", `${hostname()}${processNamespace()}`).slice(0, 8);

const NAME = new RegExp(`^vitrine-[a-z-]+-${HOST}-(\\d+)-[^-]+$`);

/** A temporary file cannot be written: a failure of the machine, not of the input. */
export class TemporaryFileError extends NamedError {
  constructor(path: string, cause: NodeJS.ErrnoException) {
    const reason = cause.code === "ENOSPC" ? "no space is left on the device" : cause.message;
    super(`temporary file ${path}: ${reason}. Set TMPDIR to a directory with room for the uncompressed data`, {
      cause,
    });
  }
}

/** Make a directory in `parent`, which only its owner may enter. Throws `TemporaryFileError`. @param purpose a word for its name */
export function makeTemporaryDirectory(parent: string, purpose: string): string {
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
    const [, pid] = NAME.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
