/** The log of a service: JSON lines for programs, or readable lines on a terminal. It has no queries and no tokens, and addresses of clients only if asked to. */
import pino from "pino";
import type { LOG_LEVELS } from "./names.js";

interface LogSettings {
  readonly format: "json" | "text";
  readonly level: (typeof LOG_LEVELS)[number];
}

/** The log as the parts of the service see it. */
export type Log = Pick<pino.Logger, "debug" | "info" | "warn" | "error">;

/** Creates a log that writes to a stream. */
export function createLog(stream: { write(line: string): unknown }, { format, level }: LogSettings): Log {
  const gathered = new CollectedLines(stream);
  const destination = format === "json" ? gathered : { write: (line: string) => gathered.write(readable(line)) };
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: errorText },
    },
    destination,
  );
}

/** Collected lines are written after this many milliseconds, or at this many characters. */
const WAIT = 20;
const MAX_WAITING = 16_384;

/** Collects lines and writes them together: writing each line at once would take as long as a cached answer itself. */
class CollectedLines {
  #lines = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly stream: { write(line: string): unknown }) {}

  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length > MAX_WAITING) this.#flush();
    else if (this.#timer === undefined) {
      // The timer keeps the process alive until the lines are written; `process.exit` writes them at once.
      this.#timer = setTimeout(this.#flush, WAIT);
      process.once("exit", this.#flush);
    }
  }

  readonly #flush = (): void => {
    clearTimeout(this.#timer);
    process.off("exit", this.#flush);
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = "";
    this.stream.write(lines);
  };
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.stack ?? error.message;
  return error.cause === undefined ? text : `${text}\ncaused by ${errorText(error.cause)}`;
}

/** A line for people: the message, then the other fields. */
function readable(line: string): string {
  const { level, time: _, pid: __, msg = "", error, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const fields = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const head = level === "info" || level === "debug" ? "" : `${String(level)}: `;
  const words = [`${head}${String(msg)}`, ...fields].filter((word) => word !== "").join(" ");
  return `${words}${error === undefined ? "" : `\n${String(error)}`}\n`;
}
