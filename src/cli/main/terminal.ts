/** The streams of a command: results for machines, messages for people. The command continues when nobody reads them. */
import { type Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { LoadConditions, StartedCommand } from "../../http/loads/loads.js";
import type { EnvironmentVariables } from "../settings/options.js";

type ProcessStream = Writable & { readonly isTTY?: boolean };

/** The environment variable by which a service announces that it will send conditions, and say when the input is whole. */
export const SERVICE_CHANNEL = "VITRINE_SENT";

/** The service's message that the whole input has arrived. */
export const WHOLE_INPUT = "whole";

/** What a service sends to a command that it runs on somebody's behalf. */
interface ServiceChannel {
  readonly conditions: LoadConditions;
  /** Resolves to whether the standard input is whole, when the service knows. */
  readonly isWhole: () => Promise<boolean>;
}

/** The process around a command; tests pass their own. */
export interface ProcessStreams {
  readonly stdin: Readable;
  readonly stdout: ProcessStream;
  readonly stderr: ProcessStream;
  readonly environment: EnvironmentVariables;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. */
  readonly interrupted: AbortSignal;
  /** Present when a service runs the command on somebody's behalf. */
  readonly channel?: ServiceChannel;
  /** Starts a command of this program beside this one, whose standard input must be confirmed. Default: in a process of its own. */
  readonly start?: (args: readonly string[], conditions: LoadConditions) => StartedCommand;
}

/** Characters that act on a terminal: controls except line feed and tab, line separators, changes of direction (Unicode Bidirectional Algorithm, 2), U+FEFF, halves of surrogate pairs. */
const ACTIVE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression must find them.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A text that is safe on a terminal: characters that would act on it become `\uXXXX`, which JSON and Turtle read as the same. */
export function visible(text: string): string {
  return text.replace(ACTIVE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** When more bytes of messages than this wait in memory for a slow reader, further messages are dropped. */
const MAX_WORDS_WAITING = 2 ** 20;

/** Standard error: messages for people, and the log. No characters from data reach it unescaped. */
export class TerminalWords {
  constructor(private readonly stream: ProcessStream) {
    // A log that nobody reads any more must not end the command.
    stream.on("error", () => {});
  }

  get isTTY(): boolean {
    return this.stream.isTTY === true;
  }

  write(text: string): boolean {
    return this.#send(visible(text));
  }

  /** Write a line. The function can be passed on by itself. */
  readonly line = (text: string): void => void this.write(`${text}\n`);

  /** Replace the current line of the terminal. */
  rewrite(text: string): boolean {
    return this.#send(`\r\x1b[K${visible(text)}`);
  }

  #send(text: string): boolean {
    if (this.stream.destroyed || this.stream.writableLength > MAX_WORDS_WAITING) return false;
    return this.stream.write(text);
  }
}

/** Standard output: results, byte for byte, or escaped when a terminal shows them. */
export class Results extends Writable {
  readonly #decoder = new StringDecoder("utf8");
  #failure: NodeJS.ErrnoException | undefined;

  constructor(private readonly stream: ProcessStream) {
    super({ decodeStrings: false });
    stream.on("error", (error) => {
      this.#failure ??= error;
    });
  }

  /** Write a value as a line of JSON. The function can be passed on by itself. */
  readonly json = (value: unknown): void => void this.write(`${JSON.stringify(value)}\n`);

  /** Whether nothing can be written any more, so that no further results need be made. */
  get isClosed(): boolean {
    return this.#failure !== undefined;
  }

  /** Why results were lost, unless their reader closed the pipe, as `head` does. */
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
      if (error) this.#failure ??= error;
      done();
    });
  }
}
