/** Loads over HTTP: each runs as a command in a process of its own, one after another, and its outcome is recorded. */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { jsonIn } from "../../base/json.js";
import { linesFrom } from "../../base/lines.js";
import { isAlive } from "../../base/living-process.js";
import { replaceFileNow } from "../../base/whole-file.js";
import { codingOf, decodedBody } from "../message/body.js";
import type { Log } from "../telemetry/log.js";

const MAX_REMEMBERED = 200;
/** The maximum number of lines about records to send for a load, and of those to keep. */
const MAX_LINES = 10_000;
const MAX_KEPT_LINES = 100;
export const MAX_WAITING_LOADS = 20;
/** How many characters of a command's standard error to keep: the last ones. */
const MAX_WORDS = 4_000;
/** How often to send a line, in milliseconds, until a load ends: neither this server nor an intermediary may close the connection as idle. */
const HEARTBEAT = 10_000;

/** How long a sender may send nothing, in milliseconds, while its load waits for more and others wait for the load. */
export const MAX_SILENCE = 300_000;
/** The problem of a load whose sender is silent for longer. */
export const SILENT = `the sender sent nothing for ${MAX_SILENCE / 1_000} seconds before the input was complete`;

/** How long after SIGTERM a command is killed, in milliseconds. Also such a load has published all or nothing. */
const KILL_AFTER = 3_000;

const UNSTARTED = "the process of the load cannot start";

type LoadState = "waiting" | "running" | "published" | "dry run" | "refused" | "failed" | "interrupted";

export interface HttpLoad {
  readonly load: string;
  readonly state: LoadState;
  readonly by: string;
  readonly source: string | null;
  /** What the load is, for people: `load`, or a method with the IRI of an entity. */
  readonly what: string;
  readonly received: string;
  readonly ended: string | null;
  /** The exit status of the command, once it has ended. */
  readonly status: number | null;
  readonly summary: object | null;
  readonly problem: string | null;
  readonly unmet: UnmetCondition | null;
  /** The results of the first `MAX_KEPT_LINES` records that have any. */
  readonly records: readonly object[];
}

/** Why a change is refused. The record is not in the wanted `state`, is of another `source`, or lacks `existence`; or the `store` cannot be written to, or its service ended. */
export type UnmetCondition = "state" | "source" | "existence" | "store";

/** The values of `LoadConditions.hash` for a record that must not exist, and for one that must exist in any state. No hash contains a space. */
export const NO_RECORD = "no record";
export const ANY_RECORD = "any record";

export type StartedCommand = Pick<
  ChildProcess,
  "stdin" | "stdout" | "stderr" | "connected" | "send" | "disconnect" | "kill" | "once"
>;

/** The conditions of a command that runs for a client. Only the service can set them, so they are not options of the command. */
export interface LoadConditions {
  /** The command stops if a record of any other source would change. */
  readonly onlySource?: string;
  /** Whether the command names no held record but those that it is given. */
  readonly hidesHeld?: boolean;
  /** The spellings of one entity's IRI. The command stops if any other record would change. */
  readonly onlyRecord?: readonly string[];
  /** Hashes separated by commas, or `NO_RECORD` or `ANY_RECORD`. The command stops unless the record has one of the hashes. A record's entity tags begin with its hash. */
  readonly hash?: string;
  /** The command stops if the record changed after this time, in milliseconds since 1970. */
  readonly unmodifiedSince?: number;
  /** The service's rules of `hold`, which may be too many for arguments. */
  readonly hold?: readonly string[];
  /** The service's severities, if it decides them. They hold where its arguments and the settings of loads say nothing. */
  readonly severity?: readonly string[];
}

interface LoadsOptions {
  readonly directory: string;
  /** Starts the command with these arguments and conditions. It waits for `confirmation` that its standard input is complete. */
  readonly start: (args: readonly string[], conditions: LoadConditions) => StartedCommand;
  readonly confirmation: string;
  readonly log: Log;
  readonly maxBytes: number;
}

interface Order extends Pick<HttpLoad, "by" | "what"> {
  readonly args: readonly string[];
  readonly conditions: LoadConditions;
  readonly source: string | undefined;
  /** The request whose body is the input. Default: no input. */
  readonly message?: IncomingMessage;
}

export class Loads {
  readonly maxBytes: number;
  readonly #folder: string;
  readonly #known = new Map<string, HttpLoad>();
  readonly #children = new Set<StartedCommand>();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isClosed = false;

  constructor(private readonly options: LoadsOptions) {
    this.maxBytes = options.maxBytes;
    this.#folder = join(options.directory, "loads", "sent");
  }

  get isFull(): boolean {
    return this.#waiting > MAX_WAITING_LOADS;
  }

  /** Takes an order. It runs when those before it have ended. `lines` are lines of JSON, the last with the outcome. */
  take(order: Order) {
    const received = new Date().toISOString();
    const id = `${received.replace(/\D/g, "").slice(0, 14)}-${randomBytes(4).toString("hex")}`;
    const { by, source = null, what } = order;
    const outcome = { ended: null, status: null, summary: null, problem: null, unmet: null, records: [] };
    const load: HttpLoad = { load: id, state: "waiting", by, source, what, received, ...outcome };
    const lines = new PassThrough();
    // The reader may disconnect; the load continues.
    lines.on("error", () => {});
    const running = new Running(load, order, lines, this.options, (now) => this.#remember(now));
    this.#remember(load);
    running.line({ load: id, waiting: this.#waiting });
    this.#waiting++;
    const heartbeat = setInterval(() => running.line({ load: id }), HEARTBEAT);
    const ended = this.#last.then(() => running.run(this.#children, () => this.#isClosed));
    this.#last = ended
      .catch(() => {})
      .finally(() => {
        clearInterval(heartbeat);
        this.#waiting--;
      });
    return { id, lines, ended };
  }

  /** Finds a load by its id, even if another process or an earlier one ran it. */
  find(id: string): HttpLoad | undefined {
    if (!/^\d{14}-[0-9a-f]{8}$/.test(id)) return undefined;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    try {
      const text = readFileSync(join(this.#folder, `${id}.json`), "utf8");
      const { pid, ...load } = JSON.parse(text) as HttpLoad & { pid: number };
      // The load was interrupted if its process no longer exists. In a container, an earlier process may have had this one's number: `#known` has this one's loads.
      const isOver = pid === process.pid || !isAlive(pid);
      return load.ended === null && isOver ? { ...load, state: "interrupted" } : load;
    } catch {
      return undefined;
    }
  }

  /** The latest loads, newest first, without their records. */
  latest(): readonly Omit<HttpLoad, "records">[] {
    const loads = this.#names().flatMap((name) => this.find(name.slice(0, -".json".length)) ?? []);
    return loads.map(({ records: _, ...rest }) => rest);
  }

  /** Ends the running loads, and starts none of the waiting ones. They publish nothing unless they already have. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const child of this.#children) endCommand(child);
    await this.#last;
  }

  #names(): string[] {
    try {
      const names = readdirSync(this.#folder).filter((name) => name.endsWith(".json"));
      return names.sort().reverse();
    } catch {
      return [];
    }
  }

  #remember(load: HttpLoad): void {
    this.#known.set(load.load, load);
    try {
      mkdirSync(this.#folder, { recursive: true });
      replaceFileNow(join(this.#folder, `${load.load}.json`), JSON.stringify({ ...load, pid: process.pid }));
      if (load.ended === null) return;
      this.#known.delete(load.load);
      for (const name of this.#names().slice(MAX_REMEMBERED)) rmSync(join(this.#folder, name), { force: true });
    } catch (error) {
      // The load continues, and this process remembers it. Only an outcome that cannot be recorded deserves a warning.
      if (load.ended === null) return;
      const { message: reason } = error as Error;
      this.options.log.warn({ load: load.load, reason }, "the outcome of a load cannot be recorded");
    }
  }
}

/** The members that `Loads` reads in a line of a command's output. */
interface CommandLine {
  readonly record?: object;
  readonly clean?: number;
  readonly progress?: object;
  readonly summary?: object;
  readonly unmet?: UnmetCondition;
  readonly isInterrupted?: boolean;
}

class Running {
  #records: object[] = [];
  /** The number of lines about records, those that were not sent included. */
  #recordLines = 0;
  #errors = "";
  #isInterrupted = false;

  constructor(
    private load: HttpLoad,
    readonly order: Order,
    readonly lines: PassThrough,
    readonly options: LoadsOptions,
    readonly remember: (load: HttpLoad) => void,
  ) {}

  line(value: object): void {
    if (!this.lines.destroyed && this.lines.writable) this.lines.write(`${JSON.stringify(value)}\n`);
  }

  async run(children: Set<StartedCommand>, isClosed: () => boolean): Promise<HttpLoad> {
    if (isClosed()) return this.#stop(null);
    const { message } = this.order;
    // Also if all of the body came: what was not read of it is lost with the connection.
    if (message?.destroyed === true) return this.#end("interrupted", null, "the sender disconnected");
    this.load = { ...this.load, state: "running" };
    this.remember(this.load);
    let child: StartedCommand;
    try {
      child = this.options.start(this.order.args, this.order.conditions);
    } catch (error) {
      return this.#end("failed", null, `${UNSTARTED}: ${(error as Error).message}`);
    }
    children.add(child);
    try {
      return await this.#follow(child, isClosed);
    } catch (error) {
      endCommand(child);
      return this.#end("failed", null, (error as Error).message);
    } finally {
      children.delete(child);
    }
  }

  async #follow(child: StartedCommand, isClosed: () => boolean): Promise<HttpLoad> {
    const { message } = this.order;
    const exited = new Promise<number | null>((resolve) => {
      child.once("exit", (code, signal) => {
        // Until a command listens to signals, a signal ends it.
        if (signal !== null) this.#errors = `the process of the load was ended by ${signal}`;
        if (signal === "SIGTERM" || signal === "SIGINT" || signal === "SIGHUP") this.#isInterrupted = true;
        resolve(code);
      });
      child.once("error", (error) => {
        this.#errors = `${UNSTARTED}: ${error.message}`;
        resolve(null);
      });
    });
    // A process for which there are no file descriptors has no channels, and says so in the next turn.
    if (!child.stderr) return exited.then(() => this.#end("failed", null, this.#errors));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.#errors = (this.#errors + chunk).slice(-MAX_WORDS);
    });
    const cut = message === undefined ? undefined : feed(message, child, this.options);
    let summary: object | null = null;
    for await (const text of linesFrom(child.stdout!)) summary = this.#heard(text) ?? summary;
    const status = await exited;
    const isDone = status === 0 || status === 1;
    // The system may signal all processes of a service at once. Then the command ends before the service ends it.
    if (!isDone && (isClosed() || (this.#isInterrupted && cut?.reason === undefined))) return this.#stop(status);
    // A stack trace may follow the error.
    const [, words = this.#errors.trim().split("\n").at(-1)!] = /^vitrine: (.*)/m.exec(this.#errors) ?? [];
    const state = stateOf(status, summary, cut?.reason !== undefined);
    const isRun = state === "published" || state === "dry run";
    return this.#end(state, status, isRun ? null : (cut?.reason ?? words), summary);
  }

  #heard(text: string): object | undefined {
    const line = jsonIn<CommandLine>(text);
    if (line?.isInterrupted === true) this.#isInterrupted = true;
    if (line === undefined || this.#isInterrupted) return undefined;
    if (line.unmet !== undefined) this.load = { ...this.load, unmet: line.unmet };
    if (line.record !== undefined && this.#records.length < MAX_KEPT_LINES) this.#records.push(line.record);
    const { clean, progress, summary } = line;
    const omitted = Math.max(this.#recordLines - MAX_LINES, 0);
    if (summary !== undefined) this.line(omitted > 0 ? { summary, omitted } : line);
    else if (clean !== undefined || progress !== undefined || ++this.#recordLines <= MAX_LINES) this.line(line);
    return summary;
  }

  /** Ends a load that the service did not let run to its end, for no fault of the input. */
  #stop(status: number | null): HttpLoad {
    this.load = { ...this.load, unmet: "store" };
    return this.#end("interrupted", status, "the service ended, or its store was replaced");
  }

  #end(state: LoadState, status: number | null, problem: string | null, summary: object | null = null): HttpLoad {
    const ended = new Date().toISOString();
    this.load = { ...this.load, state, status, problem, summary, ended, records: this.#records };
    this.remember(this.load);
    const { load, by, source, what } = this.load;
    this.options.log.info({ load, by, source, what, state, status, problem }, "a load over HTTP ended");
    this.line({ load, state, status, problem });
    this.lines.end();
    return this.load;
  }
}

/** Ends a command, by force if it does not end by itself. */
function endCommand(child: StartedCommand): void {
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), KILL_AFTER).unref();
}

function stateOf(status: number | null, summary: object | null, isCut: boolean): LoadState {
  if (isCut) return "interrupted";
  if (status === 0 || status === 1) {
    const { unpublished = null } = (summary ?? {}) as { unpublished?: string | null };
    if (unpublished === null) return "published";
    return unpublished === "dry run" ? unpublished : "refused";
  }
  return status === 2 ? "refused" : "failed";
}

/** Feeds the body to a command as fast as it reads. If the body is cut off or too large, ends the command before it can take the input as complete. */
function feed(message: IncomingMessage, child: StartedCommand, { maxBytes, confirmation }: LoadsOptions) {
  const input = child.stdin!;
  const cut: { reason?: string } = {};
  let bytes = 0;
  const end = (reason: string): void => {
    cut.reason ??= reason;
    // The closed channel tells the command that its input is not complete, whatever it waits for.
    if (child.connected) child.disconnect();
    input.destroy();
    endCommand(child);
  };
  // A command that has ended reads no more.
  input.on("error", () => {});
  // Commands decode gzip themselves, with a limit on the decoded size.
  const coding = codingOf(message);
  const body: ReturnType<typeof decodedBody> = coding === "gzip" ? message : decodedBody(message);
  const endMiscoded = () => end(`the input is not ${coding}, as Content-Encoding says`);
  if (body !== message) body.once("error", endMiscoded);
  const silence = setTimeout(() => {
    // A command that takes no more has kept the sender waiting.
    if (input.writableNeedDrain) silence.refresh();
    else end(SILENT);
  }, MAX_SILENCE);
  let received = 0;
  message.on("data", (chunk: Buffer) => {
    received += chunk.length;
    silence.refresh();
  });
  body.on("data", (chunk: Buffer) => {
    // Commands take input that does not begin like gzip as it is.
    if (bytes === 0 && coding === "gzip" && chunk[0] !== 0x1f) endMiscoded();
    bytes += chunk.length;
    if (bytes > maxBytes) end(`the input has more than ${maxBytes} bytes`);
  });
  body.pipe(input, { end: false });
  input.on("drain", () => silence.refresh());
  body.once("end", () => {
    // A decoder ends where its coding does. What follows there would be lost.
    const { bytesWritten: decoded = received } = body;
    if (decoded < received) endMiscoded();
    if (cut.reason !== undefined || !message.complete) return;
    if (child.connected) child.send(confirmation, () => {});
    input.end();
  });
  message.once("end", () => clearTimeout(silence));
  message.once("close", () => {
    if (!message.readableEnded) end("the sender disconnected before the input was complete");
  });
  // After the command has ended, read and drop the rest of the body, so that the sender can read the answer.
  child.once("exit", () => {
    clearTimeout(silence);
    message.unpipe();
    message.resume();
  });
  return cut;
}
