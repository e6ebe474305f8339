/** Workers are replaced when they die, at growing intervals, and end with the first process; here they are no processes. */
import cluster, { type Worker } from "node:cluster";
import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { work } from "../../src/cli/serving/service.js";
import type { Setup } from "../../src/cli/serving/setup.js";
import { pauseBefore, SIGN_INTERVAL, superviseWorkers } from "../../src/cli/serving/workers.js";
import { UsageError } from "../../src/cli/settings/options.js";
import { temporaryFolder } from "../temporary-folder.js";

/** What a supervisor sees of a worker. */
class Fake extends EventEmitter {
  readonly signals: string[] = [];
  readonly process: { pid: number | undefined; kill(signal: string): void };

  constructor(pid: number) {
    super();
    this.process = { pid, kill: (signal) => void this.signals.push(signal) };
  }

  listen(): void {
    this.emit("listening", { port: 8080 });
  }

  /** End by a status, or a signal. */
  die(by: number | string): void {
    const [code, signal] = typeof by === "number" ? [by, null] : [null, by];
    this.emit("exit", code, signal);
  }
}

let workers: Fake[];
let told: string[];
let ports: number[];
let interrupt: AbortController;
beforeEach(() => {
  [workers, told, ports, interrupt] = [[], [], [], new AbortController()];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
  vi.spyOn(cluster, "fork").mockImplementation(() => {
    const worker = new Fake(workers.length + 1);
    workers.push(worker);
    return worker as unknown as Worker;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function supervise(count: number): Promise<void> {
  return superviseWorkers({
    count,
    given: { inner: "/inner", port: 0, seed: "seed" },
    interrupted: interrupt.signal,
    onListening: (port) => void ports.push(port),
    report: (message, isError) => void told.push(`${isError === true ? "error" : "info"}: ${message}`),
  });
}

/** The number of workers after so many seconds more. */
function countAfter(seconds: number): number {
  vi.advanceTimersByTime(seconds * 1_000);
  return workers.length;
}

it("pauses longer each time, up to a minute", () => {
  expect([0, 1, 2, 3, 6, 7, 40].map(pauseBefore)).toEqual([0, 1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
});

describe("workers", () => {
  it("are given the same, and it is told once when all listen", () => {
    void supervise(2);
    const given = { VITRINE_WORKER: JSON.stringify({ inner: "/inner", port: 0, seed: "seed" }) };
    expect(vi.mocked(cluster.fork).mock.calls).toEqual([[given], [given]]);
    workers[0]!.listen();
    expect(ports).toEqual([]);
    workers[1]!.listen();
    // With another store it listens anew.
    workers[0]!.listen();
    expect(ports).toEqual([8080]);
  });

  it("that die again and again are replaced at growing intervals, which the log tells, until one lives", () => {
    void supervise(1);
    workers[0]!.listen();
    workers[0]!.die("SIGKILL");
    expect([countAfter(0.999), countAfter(0.001)]).toEqual([1, 2]);
    workers[1]!.emit("message", { failed: "tokens.json is malformed" });
    workers[1]!.die(2);
    expect([countAfter(1.999), countAfter(0.001)]).toEqual([2, 3]);
    workers[2]!.die(2);
    expect([countAfter(3.999), countAfter(0.001)]).toEqual([3, 4]);
    workers[3]!.listen();
    vi.advanceTimersByTime(10_000);
    // What is sent to it after its death does not arrive.
    for (let message = 0; message < 2; message++) workers[3]!.emit("error", new Error("write EPIPE"));
    workers[3]!.die("SIGKILL");
    expect(countAfter(0)).toBe(5);
    expect(told).toEqual([
      "error: worker 1 died (SIGKILL); a new one replaces it in 1 s",
      "error: worker 2 died (tokens.json is malformed); a new one replaces it in 2 s",
      "error: worker 3 died (status 2); a new one replaces it in 4 s",
      "error: worker 4 died (SIGKILL); a new one replaces it",
    ]);
  });

  it("that the system does not start are tried again, and do not keep the service from its end", async () => {
    const ended = supervise(1);
    workers[0]!.listen();
    workers[0]!.die("SIGKILL");
    const refuse = (at: number): void => {
      workers[at]!.process.pid = undefined;
      workers[at]!.emit("error", new Error("spawn node EAGAIN"));
    };
    expect(countAfter(1)).toBe(2);
    refuse(1);
    expect([countAfter(1.999), countAfter(0.001)]).toEqual([2, 3]);
    refuse(2);
    interrupt.abort();
    await ended;
    expect(told).toEqual([
      "error: worker 1 died (SIGKILL); a new one replaces it in 1 s",
      "error: a worker cannot be started (spawn node EAGAIN); a new one replaces it in 2 s",
      "error: a worker cannot be started (spawn node EAGAIN); a new one replaces it in 4 s",
    ]);
  });

  it("that Node refuses to start are tried again, unless it refuses the first", async () => {
    const refuse = (): never => {
      throw new Error("spawn ENOMEM");
    };
    const ended = supervise(1);
    workers[0]!.listen();
    vi.mocked(cluster.fork).mockImplementationOnce(refuse);
    workers[0]!.die("SIGKILL");
    expect([countAfter(2.999), countAfter(0.001)]).toEqual([1, 2]);
    expect(told.at(-1)).toBe("error: a worker cannot be started (spawn ENOMEM); a new one replaces it in 2 s");
    interrupt.abort();
    workers[1]!.die(0);
    await ended;
    interrupt = new AbortController();
    vi.mocked(cluster.fork).mockImplementationOnce(refuse);
    await expect(supervise(2)).rejects.toThrow(new UsageError("spawn ENOMEM"));
    expect(workers).toHaveLength(2);
  });

  it("that give no sign of life for a minute are killed and replaced, once they listen", () => {
    void supervise(1);
    vi.advanceTimersByTime(100_000);
    workers[0]!.listen();
    for (let minute = 0; minute < 2; minute++) {
      vi.advanceTimersByTime(50_000);
      workers[0]!.emit("message", {});
    }
    vi.advanceTimersByTime(59_999);
    expect(workers[0]!.signals).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(workers[0]!.signals).toEqual(["SIGKILL"]);
    workers[0]!.die("SIGKILL");
    expect(countAfter(0)).toBe(2);
    expect(told).toEqual(["error: worker 1 died (no sign of life for 60 s); a new one replaces it"]);
  });

  it("give signs of life while they wait for a store", async () => {
    const send = vi.fn();
    const { send: own } = process;
    Object.assign(process, { send });
    onTestFinished(() => void Object.assign(process, { send: own }));
    const setup = { directory: temporaryFolder(onTestFinished), waits: true, observing: {}, announce: () => {} };
    const over = work(setup as unknown as Setup, "/inner", interrupt.signal);
    vi.advanceTimersByTime(2 * SIGN_INTERVAL);
    expect(send).toHaveBeenCalledTimes(2);
    interrupt.abort();
    await over;
  });

  it("that cannot begin end all, with what the first of them said", async () => {
    const ended = supervise(2);
    workers[0]!.emit("message", { failed: "the port is taken" });
    workers[0]!.die(2);
    expect(workers[1]!.signals).toEqual(["SIGTERM"]);
    workers[1]!.die(0);
    await expect(ended).rejects.toThrow(new UsageError("the port is taken"));
    expect(countAfter(100)).toBe(2);
  });

  it("end with the first process, which kills one that does not", async () => {
    const ended = supervise(2);
    for (const worker of workers) worker.listen();
    interrupt.abort();
    workers[0]!.die(0);
    vi.advanceTimersByTime(7_499);
    expect(workers[1]!.signals).toEqual(["SIGTERM"]);
    vi.advanceTimersByTime(1);
    expect(workers.map(({ signals }) => signals)).toEqual([["SIGTERM"], ["SIGTERM", "SIGKILL"]]);
    workers[1]!.die("SIGKILL");
    await ended;
    expect([told, countAfter(100)]).toEqual([[], 2]);
  });

  it("are not replaced when the end comes in the pause before, or before they begin", async () => {
    const ended = supervise(1);
    workers[0]!.listen();
    workers[0]!.die("SIGKILL");
    interrupt.abort();
    await ended;
    expect(countAfter(100)).toBe(1);
    const another = supervise(1);
    expect(workers[1]!.signals).toEqual(["SIGTERM"]);
    workers[1]!.die(0);
    await another;
  });
});
