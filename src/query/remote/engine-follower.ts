/** The follower that fills an engine and keeps it in step with a store, whatever happens to either meanwhile. */
import { setTimeout as sleep } from "node:timers/promises";
import { pauseAfter } from "../../base/http-client.js";
import { thrownMessage } from "../../base/named-error.js";
import { changeMark } from "../../store/changes.js";
import { RecordDamagedError } from "../../store/errors.js";
import type { EngineState } from "../engine.js";
import { FillingLostError, fillSteps, nextStep } from "./engine-batches.js";
import { type ComparisonOptions, compareEngine, ensureGraphs, ForeignDataError } from "./engine-comparison.js";
import { type EnginePosition, EngineWriter } from "./engine-writer.js";

export interface FollowerOptions extends Pick<ComparisonOptions, "store" | "access" | "graphs"> {
  /** Milliseconds between two looks for changes in the store. Default 1 s. */
  readonly interval?: number | undefined;
  /** The pause after a first failure, in milliseconds, doubled with each further failure. Default 1 s, up to 60 s. */
  readonly pause?: number;
  /** Fill a merged graph by direct uploads, several times as fast. An upload that was given up may still arrive late, so compare the engine afterwards. */
  readonly fillsDirectly?: boolean;
  /** Called with messages for people, about failures and recoveries. */
  readonly report: (message: string, isError?: boolean) => void;
}

const INTERVAL = 1_000;
const FIRST_PAUSE = 1_000;
const MAX_PAUSE = 60_000;

export class EngineFollower {
  readonly #writer: EngineWriter;
  readonly #closing = new AbortController();
  state: EngineState = { state: "filling", done: 0, total: 0 };
  #position: EnginePosition | undefined;
  #running: Promise<void> | undefined;
  #following: Promise<void> | undefined;

  constructor(private readonly options: FollowerOptions) {
    this.#writer = new EngineWriter(options.access, this.#closing.signal);
  }

  /** The sequence number that the engine reflects; `undefined` until it is known and the engine is filled. */
  get sequence(): number | undefined {
    return this.#position?.filledTo === undefined ? this.#position?.sequence : undefined;
  }

  /** Follow the store until closed. Failures are retried with growing pauses. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** End following. @param reason what `follow` rejects with */
  async close(reason: unknown = new Error("closing")): Promise<void> {
    this.#closing.abort(reason);
    await this.#running;
    await this.#following?.catch(() => {});
  }

  /** Bring the engine up to date once. Rejects on a failure. */
  follow(): Promise<void> {
    this.#following ??= this.#follow().finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  async #run(): Promise<void> {
    const { interval = INTERVAL, pause = FIRST_PAUSE, report } = this.options;
    const { signal } = this.#closing;
    let failures = 0;
    let reported = "";
    while (!signal.aborted) {
      try {
        await this.follow();
        if (reported !== "") report("the engine is in step again");
        failures = 0;
        reported = "";
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        // What it would answer is not about these records.
        if (error instanceof ForeignDataError) this.#position = undefined;
        const message = thrownMessage(error);
        this.state = { ...this.state, state: "unreachable", detail: message };
        if (message !== reported) report(`the engine cannot be kept in step: ${message}; retrying`, true);
        reported = message;
      }
      const wait = failures === 0 ? interval : pauseAfter(failures, pause, MAX_PAUSE);
      await sleep(failures === 0 ? wait : wait * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
    }
  }

  async #follow(): Promise<void> {
    const { store, graphs, report } = this.options;
    // Use the engine's own position, not the remembered one: the engine may have been restored, or changed by another process.
    const there = await this.#writer.position();
    if (there === undefined && (await this.#writer.holdsAnything()))
      throw new ForeignDataError("the engine's graph for the records is not empty, and its state is unknown");
    let position = there ?? (await this.restart());
    ensureGraphs(position, graphs);
    if ((await changeMark(store, position.sequence)) !== position.mark)
      throw new ForeignDataError(
        "the engine was filled from another store, or from a state that this store no longer has",
      );
    this.#position = position;
    try {
      if (position.filledTo !== undefined) position = await this.#fill(position);
      for (;;) {
        const step = await nextStep(store, this.#writer, position);
        if (step === undefined) break;
        await this.#writer.apply(step.batch, position, step.to, step.turn);
        position = step.to;
        this.#position = position;
      }
    } catch (error) {
      const isDamaged = error instanceof RecordDamagedError;
      if (!(error instanceof FillingLostError) && !isDamaged) throw error;
      report(error.message, true);
      ({ position } = await compareEngine({ ...this.options, isRepaired: true, signal: this.#closing.signal }));
      this.#position = position;
    }
    const { triples } = await store.stats();
    this.state = { state: "ready", done: triples, total: triples, sequence: position.sequence };
  }

  /** Clear the engine, and mark the beginning of a new filling. */
  async restart(): Promise<EnginePosition> {
    const { store, graphs } = this.options;
    const { sequence } = await store.stats();
    const first = { sequence, mark: (await changeMark(store, sequence)) ?? "", graphs, filledTo: "" };
    await this.#writer.restart(first);
    return first;
  }

  async #fill(first: EnginePosition): Promise<EnginePosition> {
    const { store, report, fillsDirectly = false } = this.options;
    const { triples: total } = await store.stats();
    let position = first;
    let done = 0;
    this.state = { state: "filling", done, total };
    for await (const { batch, to, triples } of fillSteps(store, first, ({ message }) => report(message))) {
      if (batch.graphs === "merged" && fillsDirectly) await this.#writer.fill(batch.add, position, to);
      else await this.#writer.apply(batch, position, to);
      position = to;
      this.#position = to;
      done += triples;
      this.state = { state: "filling", done, total };
    }
    await this.#writer.tidy();
    return position;
  }
}
