/** Loads over HTTP while they wait for others, when the service ends, and after it was killed. */
import { EventEmitter } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { brotliCompressSync, deflateSync } from "node:zlib";
import { pino } from "pino";
import { afterEach, expect, it, vi } from "vitest";
import { Loads, MAX_SILENCE, type StartedCommand } from "../../../src/http/loads/loads.js";
import { temporaryFolder } from "../../temporary-folder.js";

const directory = temporaryFolder();
afterEach(() => vi.useRealTimers());

/** A command that runs until it is told to end. */
class Command extends EventEmitter {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();

  /** Ends as a command does that is interrupted before it has changed anything. */
  kill(): void {
    this.stdout.end();
    queueMicrotask(() => this.emit("exit", 2, null));
  }
}

/** A command that does not react to SIGTERM, such as one that waits for a disk. */
class HungCommand extends Command {
  override kill(signal?: string): void {
    if (signal !== "SIGKILL") return;
    this.stdout.end();
    queueMicrotask(() => this.emit("exit", null, signal));
  }
}

/** What Node gives for a process when no file descriptors are left. */
class NoCommand extends EventEmitter {
  constructor() {
    super();
    process.nextTick(() => this.emit("error", new Error("spawn node EMFILE")));
  }
}

const OPTIONS = { directory, confirmation: "", log: pino({ level: "silent" }), maxBytes: 2 ** 20 };

function loadsOf(started: Command[], { folder = directory, log = OPTIONS.log } = {}): Loads {
  const start = (): StartedCommand => {
    started.push(new Command());
    return started.at(-1) as unknown as StartedCommand;
  };
  return new Loads({ ...OPTIONS, directory: folder, start, log });
}

const DELETION = { args: ["delete"], conditions: {}, by: "collection", source: undefined, what: "DELETE" };

/** A load whose command writes this and ends, and what is sent of it. */
async function outcomeOf(written: string) {
  const started: Command[] = [];
  const { ended, lines } = loadsOf(started).take(DELETION);
  let sent = "";
  lines.on("data", (chunk) => (sent += chunk));
  await expect.poll(() => started).toHaveLength(1);
  started[0]!.stdout.write(written);
  started[0]!.kill();
  return { load: await ended, sent };
}

it("sends lines while a load waits, so that its connection is not closed as idle", async () => {
  vi.useFakeTimers();
  const loads = loadsOf([]);
  loads.take(DELETION);
  const { id, lines } = loads.take(DELETION);
  let sent = "";
  lines.on("data", (chunk) => (sent += chunk));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent.trim().split("\n")).toEqual([`{"load":"${id}","waiting":1}`, ...Array(6).fill(`{"load":"${id}"}`)]);
  await loads.close();
});

it("starts none of the waiting loads when the service ends, and blames no input for that", async () => {
  const started: Command[] = [];
  const loads = loadsOf(started);
  const [running, waiting] = [loads.take(DELETION), loads.take(DELETION)];
  await expect.poll(() => started).toHaveLength(1);
  await loads.close();
  const stopped = { state: "interrupted", unmet: "store", problem: expect.stringContaining("the service ended") };
  expect(await Promise.all([running.ended, waiting.ended])).toMatchObject([stopped, stopped]);
  expect(started).toHaveLength(1);
});

it("says of a command that failed why it did, and not where in the program", async () => {
  const started: Command[] = [];
  const { ended } = loadsOf(started).take(DELETION);
  await expect.poll(() => started).toHaveLength(1);
  started[0]!.stderr.write("warning: x\nvitrine: TypeError: y\n    at load (file:///srv/z.js:1:1)\n");
  started[0]!.stdout.end();
  queueMicrotask(() => started[0]!.emit("exit", 3, null));
  expect(await ended).toMatchObject({ state: "failed", status: 3, problem: "TypeError: y" });
});

it("kills a command that does not end with the service, so that the service ends", async () => {
  vi.useFakeTimers();
  const start = () => new HungCommand() as unknown as StartedCommand;
  const loads = new Loads({ ...OPTIONS, start });
  const { ended } = loads.take(DELETION);
  await vi.advanceTimersByTimeAsync(0);
  const closed = loads.close();
  await vi.advanceTimersByTimeAsync(3_000);
  await closed;
  expect(await ended).toMatchObject({ state: "interrupted", unmet: "store" });
});

/** A request whose whole body has come, and waits to be read. */
function wholeRequest(...parts: readonly string[]): IncomingMessage {
  const message = Object.assign(new IncomingMessage(new Socket()), { complete: true });
  for (const part of [...parts, null]) message.push(part);
  return message;
}

it("goes on with the next load when a client that has sent all leaves before its load begins", async () => {
  const started: Command[] = [];
  const loads = loadsOf(started);
  const message = wholeRequest("{}");
  const [, left] = [loads.take(DELETION), loads.take({ ...DELETION, message }), loads.take(DELETION)];
  await expect.poll(() => started).toHaveLength(1);
  message.destroy();
  started[0]!.kill();
  expect(await left.ended).toMatchObject({ state: "interrupted", problem: "the sender disconnected" });
  await expect.poll(() => started).toHaveLength(2);
  await loads.close();
});

it("ends a load whose client leaves after all has come, and before all was read", async () => {
  const loads = loadsOf([]);
  const message = wholeRequest("{}".repeat(50_000), "{}");
  const { ended } = loads.take({ ...DELETION, message });
  await expect.poll(() => message.isPaused()).toBe(true);
  message.destroy();
  const problem = "the sender disconnected before the input was complete";
  expect(await ended).toMatchObject({ state: "interrupted", problem });
  await loads.close();
});

it("ends a load whose sender is silent, but not one whose command has kept it waiting", async () => {
  vi.useFakeTimers();
  const started: Command[] = [];
  const loads = loadsOf(started);
  const message = new IncomingMessage(new Socket());
  const { id, ended } = loads.take({ ...DELETION, message });
  await vi.advanceTimersByTimeAsync(MAX_SILENCE - 1);
  message.push("{}".repeat(50_000));
  await vi.advanceTimersByTimeAsync(2 * MAX_SILENCE);
  started[0]!.stdin.resume();
  await vi.advanceTimersByTimeAsync(MAX_SILENCE - 1);
  message.push("{}");
  await vi.advanceTimersByTimeAsync(MAX_SILENCE - 1);
  expect(loads.find(id)).toMatchObject({ state: "running" });
  await vi.advanceTimersByTimeAsync(1);
  const problem = "the sender sent nothing for 300 seconds before the input was complete";
  expect(await ended).toMatchObject({ state: "interrupted", problem });
  await loads.close();
});

it.each([
  ["br", brotliCompressSync, true],
  ["deflate", deflateSync, false],
])(
  "ends a load whose body in %s goes on after the end of its coding, and begins the next",
  async (coding, encode, isWhole) => {
    const loads = loadsOf([]);
    const message = Object.assign(new IncomingMessage(new Socket()), { complete: isWhole });
    message.headers = { "content-encoding": coding };
    for (const part of [encode("{}"), encode("{}")]) message.push(part);
    if (isWhole) message.push(null);
    const [{ ended }, next] = [loads.take({ ...DELETION, message }), loads.take(DELETION)];
    const problem = `the input is not ${coding}, as Content-Encoding says`;
    expect(await ended).toMatchObject({ state: "interrupted", problem });
    await loads.close();
    expect(await next.ended).toMatchObject({ problem: expect.stringContaining("the service ended") });
  },
);

it.each([
  ["EMFILE", () => new NoCommand() as unknown as StartedCommand],
  [
    "E2BIG",
    () => {
      throw new Error("spawn node E2BIG");
    },
  ],
])("says that a load could not start because of %s, and begins the next", async (code, start) => {
  const loads = new Loads({ ...OPTIONS, start });
  const problem = `the process of the load cannot start: spawn node ${code}`;
  for (const order of [DELETION, { ...DELETION, message: wholeRequest("{}") }])
    expect(await loads.take(order).ended).toMatchObject({ state: "failed", status: null, problem });
  await loads.close();
});

it.each([
  ["SIGKILL", { state: "failed", problem: "the process of the load was ended by SIGKILL", unmet: null }],
  ["SIGTERM", { state: "interrupted", problem: "the service ended, or its store was replaced", unmet: "store" }],
])("says what became of a load that %s ends before it can say so", async (signal, expected) => {
  const started: Command[] = [];
  const loads = loadsOf(started);
  const { ended } = loads.take(DELETION);
  await expect.poll(() => started).toHaveLength(1);
  started[0]!.stdout.end();
  started[0]!.emit("exit", null, signal);
  expect(await ended).toMatchObject(expected);
  await loads.close();
});

it("logs in one line that an outcome cannot be recorded, and remembers it", async () => {
  const lines: string[] = [];
  const folder = join(directory, "file");
  writeFileSync(folder, "");
  const loads = loadsOf([], { folder, log: pino({ level: "warn" }, { write: (line) => lines.push(line) }) });
  const { id, ended } = loads.take(DELETION);
  await loads.close();
  await ended;
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ load: id, reason: expect.stringMatching(/^ENOTDIR: .*, mkdir '.*sent'$/) }),
  ]);
  expect(loads.find(id)).toMatchObject({ state: "interrupted" });
});

it("calls a load interrupted whose process was killed, also if this one has its number", () => {
  const id = "20261127212352-34ef7d7a";
  mkdirSync(join(directory, "loads", "sent"), { recursive: true });
  const load = { load: id, state: "running", ended: null, pid: process.pid };
  writeFileSync(join(directory, "loads", "sent", `${id}.json`), JSON.stringify(load));
  expect(loadsOf([]).find(id)).toMatchObject({ state: "interrupted" });
});

it("passes lines on whole that have line separators of Unicode in their texts", async () => {
  const record = JSON.stringify({ record: { label: "A\u2028B\u2029C" } });
  const { load, sent } = await outcomeOf(`${record}\n`);
  expect(load.records).toEqual([{ label: "A\u2028B\u2029C" }]);
  expect(sent.split("\n")).toContain(record);
});

it("sends all that is not about single records, and the number of lines about records that it leaves out", async () => {
  const told = [...Array(10_003).keys()].flatMap((n) => [
    { record: { n } },
    { clean: 1 },
    { progress: { records: n } },
  ]);
  const { sent } = await outcomeOf(
    [...told, { summary: {} }, ""].map((each) => each && JSON.stringify(each)).join("\n"),
  );
  const keys = sent
    .trim()
    .split("\n")
    .map((line) => Object.keys(JSON.parse(line))[0]);
  const times = ["record", "clean", "progress"].map((key) => keys.filter((each) => each === key).length);
  expect(times).toEqual([10_000, 10_003, 10_003]);
  expect(sent).toContain('{"summary":{},"omitted":3}\n');
});
