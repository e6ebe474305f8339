/** The streaming reader of N-Quads and N-Triples (RDF 1.1): strict, in bounded memory, with the place of every error. */
import { isAscii } from "node:buffer";
import type { StatementSink } from "../statement.js";
import { SyntaxProblem } from "../syntax-problem.js";
import { BlockReader, CR, endOfLine, LF } from "./line-blocks.js";
import { ScannedStatement, skipBlanks } from "./scanned-statement.js";

const HASH = 0x23;

/**
 * A push reader of N-Quads or N-Triples.
 * @example
 * const values: string[] = [];
 * const reader = new LineReader({ source: "x.nt", graphs: false }, (statement) => void values.push(statement.object().value));
 * reader.push(Buffer.from('<urn:x> <urn:p> "1" .\n<urn:x> <urn:p> "2" .\n'));
 * reader.end();
 * values; // => ["1", "2"]
 */
export class LineReader extends BlockReader {
  readonly #statement: ScannedStatement;

  constructor(
    { source, graphs }: Pick<ScannedStatement, "source" | "graphs">,
    private readonly sink: StatementSink,
  ) {
    super();
    this.#statement = new ScannedStatement(source, graphs);
  }

  /** Read a buffer of whole lines that were read before, and so are free of errors. */
  readAgain(lines: Buffer): void {
    this.read(lines, Number.POSITIVE_INFINITY);
  }

  protected read(lines: Buffer, inputEnd: number): void {
    const statement = this.#statement;
    const sink = this.sink;
    statement.useBuffer(lines, isAscii(lines), inputEnd);
    let at = 0;
    while (at < lines.length) {
      at = skipBlanks(lines, at);
      if (!isLineEndOrComment(lines[at]!)) {
        at = statement.scan(at);
        sink(statement);
        at = skipBlanks(lines, at);
        if (!isLineEndOrComment(lines[at]!)) statement.fail(at, 'expected the end of the line after "."');
      }
      at = endOfLine(lines, at);
      statement.line++;
      statement.lineStart = at;
    }
  }

  protected failAtLine(problem: string): never {
    const { source, line } = this.#statement;
    throw new SyntaxProblem(source, { line }, problem);
  }
}

function isLineEndOrComment(byte: number): boolean {
  return byte === LF || byte === CR || byte === HASH;
}
