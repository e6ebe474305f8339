/** The streams of a command: results for machines, words for people, and neither ends the command when nobody reads it. */
import { type Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { LoadConditions, StartedCommand } from "../../http/loads/loads.js";

type ProcessStream = Writable & { readonly isTTY?: boolean };

/** The environment variable by which a service tells a command that it is told its conditions, and when its input is whole. */
export const SERVICE_CHANNEL = "VITRINE_SENT";

/** The message of the service once the whole input is there. */
export const WHOLE_INPUT = "whole";

/** The messages of a service to a command that works for somebody else. */
export interface ServiceChannel {
  readonly conditions: LoadConditions;
  /** Whether the standard input is whole, once its sender knows. */
  readonly isWhole: () => Promise<boolean>;
}

/** The process around a command; tests give their own. */
export interface ProcessStreams {
  readonly stdin: Readable;
  readonly stdout: ProcessStream;
  readonly stderr: ProcessStream;
  readonly environment: { readonly [name: string]: string | undefined };
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. */
  readonly interrupted: AbortSignal;
  /** Where a service has the command work for somebody else. */
  readonly channel?: ServiceChannel;
  /** Run a command of this program beside this one, with its standard input to be confirmed. Default: in a process of its own. */
  readonly start?: (args: readonly string[], conditions: LoadConditions) => StartedCommand;
}

/**
 * Characters that would do something to a terminal instead of being shown: control characters but for line ends and tabs, C1 controls,
 * separators of lines, and what turns the direction of text (Unicode Bidirectional Algorithm, 2), half a surrogate pair.
 */
const ACTIVE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A text as it may go to a terminal: what would act on it is written as `\uXXXX`, which JSON and Turtle read as the same. */
export function visible(text: string): string {
  return text.replace(ACTIVE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Words wait in memory for a reader that is slow, up to so many bytes; beyond that they are dropped. */
const MAX_WORDS_WAITING = 2 ** 20;

/** Standard error: lines for people and the log, whatever reads them. Nothing out of data reaches it raw. */
export class TerminalWords {
  constructor(private readonly stream: ProcessStream) {
    // A log that nobody reads any more is no reason to end.
    stream.on("error", () => {});
  }

  get isTTY(): boolean {
    return this.stream.isTTY === true;
  }

  write(text: string): boolean {
    return this.#send(visible(text));
  }

  /** Write a text in place of the line that stands there, on a terminal. */
  rewrite(text: string): boolean {
    return this.#send(`\r\x1b[K${visible(text)}`);
  }

  #send(text: string): boolean {
    if (this.stream.destroyed || this.stream.writableLength > MAX_WORDS_WAITING) return false;
    return this.stream.write(text);
  }
}

/** Standard output: results, byte for byte, unless a terminal shows them. */
export class Results extends Writable {
  readonly #decoder = new StringDecoder("utf8");
  #failure: NodeJS.ErrnoException | undefined;

  constructor(private readonly stream: ProcessStream) {
    super({ decodeStrings: false });
    stream.on("error", (error) => this.#fail(error));
  }

  /** Nothing can be written any more: whatever makes results may stop. */
  get isClosed(): boolean {
    return this.#failure !== undefined;
  }

  /** Why results were lost, unless their reader left on its own, as `head` does. */
  get failure(): Error | undefined {
    return this.#failure?.code === "EPIPE" ? undefined : this.#failure;
  }

  override _write(chunk: Buffer | string, _encoding: string, done: () => void): void {
    if (this.#failure !== undefined) {
      done();
      return;
    }
    const shown =
      this.stream.isTTY === true ? visible(typeof chunk === "string" ? chunk : this.#decoder.write(chunk)) : chunk;
    this.stream.write(shown, (error) => {
      if (error) this.#fail(error);
      done();
    });
  }

  #fail(error: NodeJS.ErrnoException): void {
    this.#failure ??= error;
  }
}
