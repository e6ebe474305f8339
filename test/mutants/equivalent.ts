/** Mutants that were looked at and that no test can notice, since the code does the same with them. */

interface Judged {
  /** The file, under `src`. */
  readonly file: string;
  /** The line in which the change begins, as it stands there. All lines of the file that are the same are meant. */
  readonly line: string;
  /** The line, or the lines joined to one, with each of the changes. */
  readonly mutants: readonly string[];
  /** Why nothing is different. */
  readonly why: string;
}

export const EQUIVALENT: readonly Judged[] = [];

/** A mutant as Stryker reports it. Lines and columns begin with 1, and the end is the place after the last character. */
export interface Mutant {
  readonly status: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** The line that a mutant changes, and what becomes of it. */
export function changeOf(source: string, { location, replacement = "" }: Mutant): { line: string; mutant: string } {
  const { start, end } = location;
  const lines = source.split("\n");
  const [first = "", last = ""] = [lines[start.line - 1], lines[end.line - 1]];
  const changed = first.slice(0, start.column - 1) + replacement + last.slice(end.column - 1);
  return { line: first.trim(), mutant: changed.replace(/\s+/g, " ").trim() };
}

/** Whether a mutant of a file, such as `src/rdf/terms.ts`, is one that cannot be noticed. */
export function isEquivalent(path: string, source: string, mutant: Mutant): boolean {
  const change = changeOf(source, mutant);
  return EQUIVALENT.some(
    ({ file, line, mutants }) => path === `src/${file}` && line === change.line && mutants.includes(change.mutant),
  );
}
