/** Runs the command in this process, with streams that are kept. */
import { execFile } from "node:child_process";
import { PassThrough, Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import { onTestFinished, vi } from "vitest";
import { main } from "../../src/cli/main/main.js";
import type { ProcessStreams } from "../../src/cli/main/terminal.js";
import { listenTo } from "./words.js";

export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

class Kept extends Writable {
  text = "";
  isTTY = false;
  override _write(chunk: Buffer | string, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

export interface RunOptions {
  readonly stdin?: string | Readable;
  readonly environment?: { readonly [name: string]: string };
  /** Whether its streams are a terminal's. Default false. */
  readonly isTTY?: boolean;
  /** Ends the command, as Ctrl-C does. */
  readonly interrupted?: AbortSignal;
  /** Where results go, in place of a stream that keeps them. */
  readonly stdout?: Writable;
}

/** A stream that nobody reads any more, or that fails by another error. */
export function failing(code = "EPIPE"): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(`write ${code}`), { code, syscall: "write" })),
  });
}

/** Run `vitrine` with these arguments to its end. */
export async function run(
  args: readonly string[],
  { stdin = "", environment = {}, isTTY = false, interrupted = new AbortController().signal, ...to }: RunOptions = {},
): Promise<Outcome> {
  const stdout = Object.assign(new Kept(), { isTTY });
  const stderr = Object.assign(new Kept(), { isTTY });
  const status = await main(args, {
    stdin: typeof stdin === "string" ? Readable.from([Buffer.from(stdin)]) : stdin,
    stdout: to.stdout ?? stdout,
    stderr,
    environment,
    interrupted,
  });
  return { status, stdout: stdout.text, stderr: stderr.text };
}

/** Run `vitrine` as it is built, in a process of its own; rejects when it does not end with 0. */
export async function runApart(args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, ["bin/vitrine.js", ...args]);
}

/** Let the seconds be over at once for which queries and loads may go on when a service ends. */
export function hurryEnd() {
  const { setTimeout: later } = globalThis;
  const hurried = (work: () => void, pause: number) => later(work, pause === 4_000 ? 0 : pause);
  return vi.spyOn(globalThis, "setTimeout").mockImplementation(hurried as never);
}

/** A command that goes on until it is interrupted. */
export interface Ongoing {
  readonly stderr: () => string;
  /** Resolves when something was said that this matches. Rejects when the command ends before. */
  told(message: RegExp): Promise<RegExpExecArray>;
  /** Interrupt it, as Ctrl-C does; resolves to its status. */
  stop(): Promise<number>;
}

/** Start a command, and wait until it has said something; resolves to what that was as well. */
export async function begin(
  args: readonly string[],
  said: RegExp,
  more: Partial<Pick<ProcessStreams, "start" | "environment">> = {},
): Promise<Ongoing & { readonly match: RegExpExecArray }> {
  const stderr = new PassThrough();
  const words = listenTo(stderr);
  const interrupt = new AbortController();
  const terminal = {
    stdin: new PassThrough(),
    stdout: new Kept(),
    stderr,
    environment: { VITRINE_LOG_FORMAT: "text" },
    interrupted: interrupt.signal,
    ...more,
  };
  const ended = main(args, terminal).finally(() => stderr.end());
  return {
    match: await words.told(said),
    stderr: words.text,
    told: words.told,
    stop: () => {
      interrupt.abort();
      return ended;
    },
  };
}

export interface Running extends Ongoing {
  /** Where it listens. */
  readonly url: string;
}

/** Start `vitrine serve` and wait until it listens. */
export async function serve(args: readonly string[], more?: Parameters<typeof begin>[2]): Promise<Running> {
  const { match, ...ongoing } = await begin(["serve", "--port", "0", ...args], /listening on (http:\S*)\//, more);
  return { ...ongoing, url: match[1]! };
}

/** Serve until the test ends. */
export async function serveForTest(...args: Parameters<typeof serve>): Promise<Running> {
  const running = await serve(...args);
  onTestFinished(async () => void (await running.stop()));
  return running;
}
