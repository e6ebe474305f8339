/** The exit statuses of the command (DESIGN.md, Contracts), and what errors come to. */
import { RefusalError } from "../../base/named-error.js";
import { SyntaxProblem } from "../../rdf/syntax-problem.js";
import { systemProblem } from "./system-problem.js";

export const ExitStatus = {
  done: 0,
  /** Done, but some records were invalid or refused. */
  someInvalid: 1,
  /** Refused, nothing changed: wrong usage, unreadable input, a limit. */
  refused: 2,
  /** Failed, an uncaught exception too. */
  failed: 3,
} as const;

export type ExitStatus = (typeof ExitStatus)[keyof typeof ExitStatus];

/** The exit status that an error ends the command with. */
export function statusOf(error: unknown): ExitStatus {
  if (!(error instanceof RefusalError) && systemProblem(error) === undefined && !isInterruption(error))
    return ExitStatus.failed;
  return ExitStatus.refused;
}

/** Whether an error is the one that Node throws when the signal of an interruption ends a stream. */
function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** The words for an error that ends the command with this status: one sentence, or for a fault of ours where it happened. */
export function explanationOf(error: unknown, status: ExitStatus): string {
  const problem = systemProblem(error);
  if (problem !== undefined) return problem;
  if (isInterruption(error)) return "interrupted";
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SyntaxProblem && error.problem.endsWith(" is not valid UTF-8"))
    return `${error.message}: if Windows wrote it, iconv -f WINDOWS-1252 -t UTF-8 ${error.source} > NEW writes it anew`;
  return status === ExitStatus.failed ? (error.stack ?? error.message) : error.message;
}
