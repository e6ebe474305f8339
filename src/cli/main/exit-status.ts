/** The exit statuses of the command (docs/run/operation.md), and the status and message for each error. */
import { constants } from "node:os";
import { NamedError, RefusalError } from "../../base/named-error.js";
import { SyntaxProblem } from "../../rdf/syntax-problem.js";
import { pageProblem, StoreSpaceError } from "../../store/errors.js";

export const ExitStatus = {
  done: 0,
  /** Done, but some records were invalid or refused. With `--on-invalid abort`, nothing was loaded. */
  someInvalid: 1,
  /** Refused, nothing changed: wrong usage, unreadable input, a limit. */
  refused: 2,
  /** Failed; also for an uncaught exception. */
  failed: 3,
} as const;

export type ExitStatus = (typeof ExitStatus)[keyof typeof ExitStatus];

/** The exit status for an error that ends the command. */
export function statusOf(error: unknown): ExitStatus {
  const isRefusal = error instanceof RefusalError || systemProblem(error) !== undefined || isInterruption(error);
  return isRefusal ? ExitStatus.refused : ExitStatus.failed;
}

/** Whether a command failed because of the system, such as a full or read-only disk, and not because of its input. */
export function isOfDisk(error: unknown): boolean {
  return error instanceof StoreSpaceError || systemProblem(error) !== undefined;
}

/** Whether an error is what Node throws when an interruption's signal ends a stream. */
function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** The message for an error that ends the command with this status: one sentence, or a stack trace for a fault of this program. */
export function explanationOf(error: unknown, status: ExitStatus): string {
  const problem = systemProblem(error);
  if (problem !== undefined) return problem;
  if (isInterruption(error)) return "interrupted";
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SyntaxProblem && error.problem.endsWith(" is not valid UTF-8"))
    return `${error.message}: if Windows wrote it, iconv -f WINDOWS-1252 -t UTF-8 ${error.source} > NEW converts it`;
  const isFault = status === ExitStatus.failed && !(error instanceof NamedError);
  return isFault ? (error.stack ?? error.message) : error.message;
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "a file may not grow so large (ulimit -f)",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is not a directory",
  ENOTEMPTY: "the folder is not empty",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its symbolic links form a loop",
  EBUSY: "it is in use, as the root of a disk or volume is: name a folder in it",
  EMFILE: "too many files are open (ulimit -n)",
  EIO: "the disk failed",
  EADDRINUSE: "the address is taken",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no host of that name",
};

/** Why a file that was named cannot be read. A missing file that nobody named is a fault, so `WORDS` lacks its code. */
export function whyUnreadable({ code = "", message }: NodeJS.ErrnoException): string {
  return code === "ENOENT" ? "there is no such file" : (WORDS[code] ?? message);
}

const NO_FOLDER: Readonly<Record<string, string>> = {
  EEXIST: "it is a file, and a folder is needed: name another",
  ENOENT: "no folder can be made there: name another",
};

/** LMDB reports the system's error numbers where Node reports names. */
const CODES = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]));

/** The sentence for a system error, or for a page that the disk changed; `undefined` for another error. Nothing has been changed when it occurs: publication checks for room first. */
export function systemProblem(error: unknown): string | undefined {
  // An abort has a code, too, but not one of the system's.
  if (!(error instanceof Error) || error instanceof DOMException) return undefined;
  const { code, syscall, path } = error as Omit<NodeJS.ErrnoException, "code"> & { code?: string | number };
  const name = typeof code === "number" ? CODES.get(Math.abs(code)) : code;
  if (name === "ENOENT" && syscall === "uv_cwd")
    return "the folder that it was started in is gone: start it in another";
  const words = name === undefined ? undefined : (syscall === "mkdir" && NO_FOLDER[name]) || WORDS[name];
  if (words === undefined) return pageProblem(error);
  return path === undefined ? `${words} (${syscall ?? error.message})` : `${path}: ${words}`;
}
