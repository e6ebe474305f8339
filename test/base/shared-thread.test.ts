/** A thread that clients share: their turns, what is left out, and what is refused. */
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { type Askers, MAX_ANSWER_TIME, SharedThread } from "../../src/base/shared-thread.js";
import { bundled } from "../bundled.js";

interface NoteTasks {
  /** All notes until now. */
  note(name: string): readonly string[];
}

const MODULE = `
  import { answerTasks } from "./src/base/worker-client.js";
  const notes = [];
  answerTasks(async () => ({
    note(name) {
      if (name === "fails") throw new Error("failed");
      while (name === "never ends");
      if (name === "exits") process.exit(7);
      notes.push(name);
      return notes;
    },
  }));`;

const STAYS = new AbortController();

/** A thread with the outcomes of its questions: the notes in the order of their turns, and what was refused. */
class Noted {
  readonly thread: SharedThread<NoteTasks>;
  readonly #outcomes: Promise<unknown>[] = [];
  readonly refused: string[] = [];
  notes: readonly string[] = [];

  constructor(most = 20, data: { readonly value: unknown } = { value: undefined }) {
    const module = pathToFileURL(bundled("shared-thread", MODULE));
    this.thread = new SharedThread({
      name: "a thread of notes",
      module,
      get data() {
        return data.value;
      },
      most,
      refusal: () => new Error("refused"),
    });
    onTestFinished(() => this.thread.close(0));
  }

  ask(client: string, name: string, askers: Askers = [{ client, signal: STAYS.signal }]): void {
    const noted = this.thread.ask("note", name, askers).then((notes) => {
      this.notes = notes;
    });
    this.#outcomes.push(noted.catch(({ message }: Error) => this.refused.push(`${name} ${message}`)));
  }

  async answered(): Promise<void> {
    await Promise.all(this.#outcomes);
  }
}

it("clients take turns, however many questions one of them has", async () => {
  const noted = new Noted();
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) noted.ask("a", name);
  for (const name of ["b1", "b2"]) noted.ask("b", name);
  noted.ask("c", "c1");
  await noted.answered();
  expect(noted.notes).toEqual(["a1", "a2", "a3", "b1", "c1", "a4", "b2", "a5"]);
});

it("a question is left out when every client that asked it has gone", async () => {
  const noted = new Noted();
  const gone = new AbortController();
  const [left, here] = [gone, STAYS].map(({ signal }) => ({ client: "a", signal }));
  noted.ask("x", "first");
  noted.ask("x", "second");
  noted.ask("a", "nobody's", [left]);
  noted.ask("a", "shared", [left, here]);
  noted.ask("a", "of one who waits until the end", [left, undefined]);
  gone.abort();
  await noted.answered();
  expect(noted.notes).toEqual(["first", "second", "shared", "of one who waits until the end"]);
  expect(noted.refused).toEqual(["nobody's refused"]);
});

it("when too many wait, the client with the most loses one for which it no longer waits, or else its last", async () => {
  const noted = new Noted(6);
  const gone = new AbortController();
  for (const name of ["a1", "a2", "a3", "a4"]) noted.ask("a", name);
  noted.ask("a", "a5", [{ client: "a", signal: gone.signal }]);
  noted.ask("a", "a6");
  noted.ask("b", "b1");
  gone.abort();
  noted.ask("b", "b2");
  noted.ask("b", "b3");
  await noted.answered();
  expect(noted.refused).toEqual(["a6 refused", "a5 refused", "b3 refused"]);
  expect(noted.notes).toEqual(["a1", "a2", "a3", "b1", "a4", "b2"]);
});

it("a failed question gives up its turn, and closing refuses what waits", async () => {
  const noted = new Noted();
  for (const name of ["fails", "a1", "fails", "a2"]) noted.ask("a", name);
  await noted.answered();
  expect(noted.refused).toEqual(["fails failed", "fails failed"]);
  expect(noted.notes).toEqual(["a1", "a2"]);
  for (const name of ["a3", "a4", "a5"]) noted.ask("a", name);
  await noted.thread.close(0);
  expect(noted.refused).toContain("a5 refused");
});

it("questions whose thread cannot be started fail, and hold up none of those after them", async () => {
  const data: { value: unknown } = { value: () => "no data for a thread" };
  const noted = new Noted(20, data);
  for (const name of ["a1", "a2", "a3"]) noted.ask("a", name);
  await noted.answered();
  expect(noted.refused).toEqual(
    ["a1", "a2", "a3"].map((name) => expect.stringMatching(`^${name} .*could not be cloned`)),
  );
  data.value = undefined;
  noted.ask("a", "a4");
  await noted.answered();
  expect(noted.notes).toEqual(["a4"]);
});

it("a thread that ended in a question does not count as one that hangs, however late the next question comes", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const noted = new Noted();
  noted.ask("a", "exits");
  await noted.answered();
  expect(noted.refused).toEqual([expect.stringContaining("it exited with status 7")]);
  vi.advanceTimersByTime(MAX_ANSWER_TIME);
  noted.ask("a", "a1");
  await noted.answered();
  expect(noted.notes).toEqual(["a1"]);
});

it("a question that takes too long ends the thread, and another is started when it has ended", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const noted = new Noted();
  noted.ask("a", "a1");
  // After a pause of the process, one timer is due before the answer is there.
  vi.advanceTimersToNextTimer();
  await noted.answered();
  vi.advanceTimersByTime(MAX_ANSWER_TIME);
  noted.ask("a", "a2");
  await noted.answered();
  expect(noted.notes).toEqual(["a1", "a2"]);
  noted.ask("a", "never ends");
  vi.advanceTimersByTime(MAX_ANSWER_TIME);
  noted.ask("b", "b1");
  await noted.answered();
  expect(noted.refused.sort()).toEqual(["b1 refused", expect.stringContaining("it gave no answer for 60 s")]);
  vi.useRealTimers();
  const next = async () => {
    noted.ask("b", "b2");
    await noted.answered();
    return noted.notes;
  };
  await expect.poll(next).toEqual(["b2"]);
});
