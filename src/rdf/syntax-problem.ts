/** The error for text that violates a grammar: where it is, what was expected and what was found. */
import { RefusalError } from "../base/named-error.js";

/** A place in an input: lines and columns count from 1, columns in characters (code points). */
export interface InputPlace {
  readonly line: number;
  /** Absent if only the line is known. */
  readonly column?: number | undefined;
}

/** A place in a text. It is a type alias, not an interface, so that it is assignable to JSON. */
export type TextPosition = { readonly line: number; readonly column: number };

const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** The place of a character. @param start the place where the text begins */
export function positionAt(text: string, offset: number, start: TextPosition = { line: 1, column: 1 }): TextPosition {
  const before = text.slice(0, offset).split("\n");
  const column = before.at(-1)!.replace(SURROGATE_PAIR, "x").length + (before.length === 1 ? start.column : 1);
  return { line: start.line + before.length - 1, column };
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
