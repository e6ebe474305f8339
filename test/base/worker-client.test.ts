/** A thread and its client: order, parts, moved bytes, classes of errors, and pending questions when the thread ends. */
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WorkerClient, withMoved } from "../../src/base/worker-client.js";
import { bundled } from "../bundled.js";

class OddError extends Error {
  readonly number: number;

  constructor(number: number) {
    super(`${number} is odd`);
    this.number = number;
  }
}

interface NumberTasks {
  double(of: number): number;
  half(of: number): number;
  upTo(most: number): AsyncIterable<number>;
  reversed(bytes: Uint8Array): Uint8Array;
  exit(): void;
  /** Says first that it has begun. */
  wait(milliseconds: number): AsyncIterable<true>;
}

const MODULE = `
  import { setTimeout as wait } from "node:timers/promises";
  import { answerTasks, withMoved } from "./src/base/worker-client.js";
  class OddError extends Error {}
  class VeryOddError extends OddError {}
  answerTasks(async (data) => {
    if (data === "no start") throw new OddError("no start");
    return {
      double: (of) => 2 * of,
      half(of) {
        if (of % 2 === 0) return of / 2;
        throw Object.assign(new VeryOddError(of + " is odd", { cause: new TypeError("odd") }), { number: of });
      },
      async *upTo(most) {
        for (let at = 1; at <= most; at++) yield at;
        if (most === 3) throw new Error("three");
      },
      reversed(bytes) {
        bytes.reverse();
        return withMoved(bytes, bytes);
      },
      exit: () => process.exit(7),
      async *wait(milliseconds) {
        yield true;
        await wait(milliseconds);
      },
    };
  });`;

function start(data?: unknown): WorkerClient<NumberTasks> {
  const module = pathToFileURL(bundled("worker-client", MODULE));
  const client = new WorkerClient<NumberTasks>({ name: "a thread of numbers", module, data, errors: [OddError] });
  onTestFinished(() => client.terminate());
  return client;
}

describe("a thread", () => {
  it("answers in order, also in parts, and ends when it is closed", async () => {
    const client = start();
    const answered: unknown[] = [];
    const asked = [
      client.ask("double", 2).then((four) => answered.push(four)),
      client.askParts("upTo", 2, (part) => answered.push(`part ${part}`)).then((nothing) => answered.push(nothing)),
      client.ask("half", 6).then((three) => answered.push(three)),
    ];
    expect(client.pending).toBe(3);
    await Promise.all(asked);
    await client.close();
    // Parts are passed on at once, and answers one turn of promises later.
    expect(answered.filter((each) => typeof each === "number")).toEqual([4, 3]);
    expect(answered.filter((each) => typeof each === "string")).toEqual(["part 1", "part 2"]);
    expect(answered).toHaveLength(5);
    expect([client.pending, client.isLost]).toEqual([0, true]);
  });

  it("moves bytes there and back, and passes on errors with the nearest known class, and with their members, cause and stack", async () => {
    const client = start();
    const bytes = Uint8Array.of(1, 2, 3);
    expect([...(await client.ask("reversed", withMoved(bytes, bytes)))]).toEqual([3, 2, 1]);
    expect(bytes).toHaveLength(0);
    const error = await client.ask("half", 3).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OddError);
    expect(error).toMatchObject({ message: "3 is odd", number: 3, cause: { message: "odd" } });
    expect((error as Error).stack).toContain("at Object.half");
    expect(await client.ask("half", 4)).toBe(2);
    await expect(client.askParts("upTo", 3, () => {})).rejects.toThrow("three");
    await expect(start("no start").ask("double", 1)).rejects.toThrow(OddError);
  });

  it("that ends rejects pending questions", async () => {
    const client = start();
    const asked = [client.ask("exit", undefined), client.ask("double", 1)];
    for (const each of asked) await expect(each).rejects.toThrow("ended in the middle of its work");
    await expect(client.ask("double", 1)).rejects.toThrow(
      "a thread of numbers ended in the middle of its work: it exited with status 7. Nothing was changed; try again",
    );
  });

  it("that cannot be started rejects all questions, and is closed at once", async () => {
    const client = start(() => "no data for a thread");
    expect(client.isLost).toBe(true);
    await expect(client.ask("double", 1)).rejects.toThrow(/^a thread of numbers cannot be started: .*cloned/);
    await client.close();
  });

  it("that was lost does not end the process by answers that come after its error", async () => {
    const unref = vi.spyOn(Worker.prototype, "unref");
    const client = start();
    const [thread] = unref.mock.contexts as Worker[];
    unref.mockRestore();
    const asked = client.ask("wait", 1_000);
    thread!.emit("error", new Error("lost"));
    await expect(asked).rejects.toThrow("a thread of numbers ended in the middle of its work: lost");
    expect(thread!.emit("message", { answer: undefined })).toBe(true);
  });

  it("rejects waiting questions when it is closed, and is terminated after a grace period", async () => {
    const client = start();
    await client.ask("double", 1);
    const asked: Promise<unknown>[] = [];
    await new Promise((begun) => asked.push(client.askParts("wait", 100, begun), client.ask("double", 1)));
    await client.close();
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    const slow = start();
    const late = slow.askParts("wait", 3_600_000, () => {});
    await slow.close(20);
    await expect(late).rejects.toThrow("ended in the middle of its work");
  });

  it("keeps the process alive until it is terminated, also if it still answers meanwhile", async () => {
    const client = start();
    const answer = client.ask("double", 1);
    const unref = vi.spyOn(Worker.prototype, "unref");
    vi.spyOn(Worker.prototype, "terminate").mockImplementationOnce(() => answer);
    onTestFinished(() => void vi.restoreAllMocks());
    await client.terminate();
    expect(unref).not.toHaveBeenCalled();
  });
});
