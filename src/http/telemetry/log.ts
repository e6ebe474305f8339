/** The log of a service: JSON lines for machines, readable ones on a terminal; nobody's address, query or token in it. */
import pino from "pino";
import type { LOG_LEVELS } from "./names.js";

interface LogStream {
  write(line: string): unknown;
}

interface LogSettings {
  readonly format: "json" | "text";
  readonly level: (typeof LOG_LEVELS)[number];
}

/** The log, as the parts of the service write to it. */
export type Log = Pick<pino.Logger, "debug" | "info" | "warn" | "error">;

/** A log that writes to a stream. */
export function createLog(stream: LogStream, { format, level }: LogSettings): Log {
  const gathered = new Gathered(stream);
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

/** Lines that wait for others are written after so many milliseconds, or when they are so many characters. */
const WAIT = 20;
const MOST_WAITING = 16_384;

/** Writes lines that come one after another together: a write for each would cost a hot answer as much as the answer itself. */
class Gathered {
  #lines = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly stream: LogStream) {}

  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length > MOST_WAITING) this.#flush();
    else if (this.#timer === undefined) {
      // It holds the process up until the lines are out, unless that is told to exit.
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

/** A line for people: the message, and behind it what else there is. */
function readable(line: string): string {
  const { level, time: _, pid: __, msg = "", ...more } = JSON.parse(line) as Record<string, unknown>;
  const { error, ...rest } = more;
  const fields = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const head = level === "info" || level === "debug" ? "" : `${String(level)}: `;
  const words = [`${head}${String(msg)}`, ...fields].filter((word) => word !== "").join(" ");
  return `${words}${error === undefined ? "" : `\n${String(error)}`}\n`;
}
