/** The error for text that violates a grammar: where it is, what was expected and what was found. */
import { RefusalError } from "../base/named-error.js";

/** A place in an input: lines and columns count from 1, columns in characters (code points). */
export interface InputPlace {
  readonly line: number;
  /** `undefined` if only the line is known. */
  readonly column: number | undefined;
}

/** Malformed input. The message begins with `source:line:column`, as compilers write it. */
export class SyntaxProblem extends RefusalError {
  /** @param source the input's name as the user gave it @param problem what is wrong, without the place: `expected "." after the object, found the end of the line` */
  constructor(
    readonly source: string,
    readonly position: InputPlace,
    readonly problem: string,
  ) {
    const { line, column } = position;
    super(`${source}:${line}${column === undefined ? "" : `:${column}`}: ${problem}`);
  }
}
