/** Errors of the operating system, in words that say what to do. */
import { constants } from "node:os";

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "a file may not grow so large (ulimit -f)",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is no directory",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its links form a circle",
  EADDRINUSE: "the address is taken",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no host of that name",
};

/** The reasons why a folder cannot be made. */
const NO_FOLDER: Readonly<Record<string, string>> = {
  EEXIST: "it is a file, and a folder is needed: name another",
  ENOENT: "no folder can be made there: name another",
};

/** LMDB gives the system's numbers where Node gives names. */
const CODES = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]));

/**
 * An error of the system in a sentence, or `undefined` for any other. Such an error is met before anything was
 * changed, or in the midst of what is then given up: publication itself looks for room first.
 */
export function systemProblem(error: unknown): string | undefined {
  // An abort has a number, too, which is none of the system's.
  if (!(error instanceof Error) || error instanceof DOMException) return undefined;
  const { code, syscall, path } = error as NodeJS.ErrnoException & { code?: string | number };
  const name = typeof code === "number" ? CODES.get(Math.abs(code)) : code;
  if (name === "ENOENT" && syscall === "uv_cwd")
    return "the folder that it was started in is gone: start it in another";
  const words = name === undefined ? undefined : (syscall === "mkdir" && NO_FOLDER[name]) || WORDS[name];
  if (words === undefined) return undefined;
  return path === undefined ? `${words} (${syscall ?? error.message})` : `${path}: ${words}`;
}
