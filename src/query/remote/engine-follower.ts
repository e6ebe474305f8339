/** The follower that keeps an engine in step with a store, from the first filling on, whatever becomes of either meanwhile. */
import { setTimeout as sleep } from "node:timers/promises";
import { pauseAfter } from "../../base/http-client.js";
import { thrownMessage } from "../../base/named-error.js";
import { EngineError } from "../../engine/engine-client.js";
import { changeMark } from "../../store/changes.js";
import { RecordDamagedError } from "../../store/errors.js";
import type { EngineState } from "../engine.js";
import { FillingLostError, fillSteps, nextStep } from "./engine-batches.js";
import { type ComparisonOptions, compareEngine } from "./engine-comparison.js";
import { type EnginePosition, EngineWriter } from "./engine-writer.js";

export interface FollowerOptions extends Pick<ComparisonOptions, "store" | "access" | "graphs"> {
  /** How often the store is looked at for changes, in milliseconds. Default 1 s. */
  readonly interval?: number;
  /** The first pause after a failure, in milliseconds, doubled while it goes on failing. Default 1 s, up to 60 s. */
  readonly pause?: number;
  /** Fill a merged graph by direct uploads, several times as fast. One that is given up may arrive late, so only who compares afterwards asks for it. */
  readonly fillsDirectly?: boolean;
  /** For people: what went wrong, and that it is right again. */
  readonly report: (message: string) => void;
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
    this.#writer = new EngineWriter(options.access);
  }

  /** The sequence number that the engine reflects, once that is known. */
  get sequence(): number | undefined {
    return this.#position?.filledTo === undefined ? this.#position?.sequence : undefined;
  }

  /** Follow until it is closed; what goes wrong is tried again, ever less often. */
  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("closing"));
    await this.#running;
    await this.#following?.catch(() => {});
  }

  /** Take over all that changed. Throws what goes wrong. */
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
    let told = "";
    while (!signal.aborted) {
      try {
        await this.follow();
        if (told !== "") report("the engine is in step again");
        failures = 0;
        told = "";
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        const message = thrownMessage(error);
        this.state = { ...this.state, state: "unreachable", detail: message };
        if (message !== told) report(`the engine is not kept in step: ${message}; it is tried again`);
        told = message;
      }
      const wait = failures === 0 ? interval : pauseAfter(failures, pause, MAX_PAUSE);
      await sleep(failures === 0 ? wait : wait * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    const { store, graphs, report } = this.options;
    // The engine's own position counts, not the one we remember: it may have been put back, or another process was there.
    const there = await this.#writer.position(signal);
    let position = there ?? (await this.#begin(signal));
    await this.#check(position);
    this.#position = position;
    try {
      if (position.filledTo !== undefined) position = await this.#fill(position, signal);
      for (;;) {
        const step = await nextStep(store, this.#writer, position, signal);
        if (step === undefined) break;
        await this.#writer.apply(step.batch, position, step.to, signal, step.turn);
        position = step.to;
        this.#position = position;
      }
    } catch (error) {
      const isDamaged = error instanceof RecordDamagedError;
      if (!(error instanceof FillingLostError) && !isDamaged) throw error;
      report(error.message);
      ({ position } = await compareEngine({ ...this.options, graphs, isRepaired: true, signal }));
      this.#position = position;
    }
    const { triples } = await store.stats();
    this.state = { state: "ready", done: triples, total: triples, sequence: position.sequence };
  }

  async #begin(signal: AbortSignal): Promise<EnginePosition> {
    const { graphs } = this.options;
    if (graphs === "merged" && (await this.#writer.holdsAnything(signal))) {
      throw notOurs("the engine's graph for the records is not empty, and its state is unknown");
    }
    return this.restart(signal);
  }

  /** Take out what the engine holds, and begin to fill it. */
  async restart(signal?: AbortSignal): Promise<EnginePosition> {
    const { store, graphs } = this.options;
    const { sequence } = await store.stats();
    const first = { sequence, mark: (await changeMark(store, sequence)) ?? "", graphs, filledTo: "" };
    await this.#writer.restart(first, signal);
    return first;
  }

  async #check({ sequence, mark, graphs }: EnginePosition): Promise<void> {
    const { store, graphs: wanted } = this.options;
    if (graphs !== wanted) throw notOurs(`the engine was filled with --engine-graphs ${graphs}`);
    if ((await changeMark(store, sequence)) === mark) return;
    throw notOurs("the engine was filled from another store, or from a state that this store no longer has");
  }

  async #fill(first: EnginePosition, signal: AbortSignal): Promise<EnginePosition> {
    const { store, report, fillsDirectly = false } = this.options;
    const { triples: total } = await store.stats();
    let position = first;
    let done = 0;
    this.state = { state: "filling", done, total };
    for await (const { batch, to, triples } of fillSteps(store, first, ({ message }) => report(message))) {
      if (batch.graphs === "merged" && fillsDirectly) await this.#writer.fill(batch.add, position, to, signal);
      else await this.#writer.apply(batch, position, to, signal);
      position = to;
      this.#position = to;
      done += triples;
      this.state = { state: "filling", done, total };
    }
    await this.#writer.tidy(signal);
    return position;
  }
}

/** The engine holds something that this store cannot know: it is left alone until somebody says so. */
function notOurs(what: string): EngineError {
  return new EngineError(
    `${what}: run vitrine engine fill to begin anew, which takes out what it holds of other stores`,
  );
}
