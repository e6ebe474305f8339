/**
 * Mutants that were looked at and that no test can notice, since the code does the same with them. `equivalent.diff` has them: the reason
 * (`#`), the file under `src` (`@`), the line in which the change begins (`-`), and what becomes of it, or of the lines joined to one (`+`).
 */
import { readFileSync } from "node:fs";

interface Judged {
  readonly file: string;
  /** All lines of the file that are the same are meant. */
  readonly line: string;
  readonly mutant: string;
}

export const EQUIVALENT: readonly Judged[] = judgedIn(readFileSync("test/mutants/equivalent.diff", "utf8"));

function judgedIn(text: string): Judged[] {
  let [file, line] = ["", ""];
  return text.split("\n").flatMap((row) => {
    const content = row.slice(2);
    if (row.startsWith("@ ")) file = content;
    if (row.startsWith("- ")) line = content;
    return row.startsWith("+ ") ? [{ file, line, mutant: content }] : [];
  });
}

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
    (each) => path === `src/${each.file}` && each.line === change.line && each.mutant === change.mutant,
  );
}
