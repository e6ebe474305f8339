/** The managed engine: a query engine that this service sizes, starts, fills, keeps in step, watches and ends itself. */
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { totalmem } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pauseAfter } from "../../base/http-client.js";
import { jsonFile } from "../../base/json.js";
import { thrownMessage } from "../../base/named-error.js";
import { builtModule } from "../../base/package-files.js";
import { replaceFileNow } from "../../base/whole-file.js";
import { WorkerClient } from "../../base/worker-client.js";
import { EngineAccess } from "../../engine/engine-access.js";
import { EngineError } from "../../engine/engine-client.js";
import { changeMark } from "../../store/changes.js";
import { StoreError, StoreLockedError } from "../../store/errors.js";
import { lockFolder } from "../../store/open.js";
import type { EngineState, QueryContext, QueryEngine, QueryRequest, QueryResult } from "../engine.js";
import { QueryRefusedError } from "../engine.js";
import { QueryIndex } from "../oxigraph/query-index.js";
import type { QueryText } from "../query-text.js";
import { compareEngine } from "../remote/engine-comparison.js";
import type { FollowerOptions } from "../remote/engine-follower.js";
import { askedOfThread } from "../remote/engine-texts.js";
import { EngineWriter } from "../remote/engine-writer.js";
import { namesGraphs, SynchronizedEngine } from "../remote/synchronized-engine.js";
import { beingFilled, closing } from "../waiting.js";
import { EngineProcess, freePorts, installedVersion } from "./engine-process.js";
import { type EngineHome, type ManagedKind, PARTS } from "./managed-kind.js";
import type { PartsData, PartTasks } from "./parts-thread.js";
import { VIRTUOSO } from "./virtuoso.js";

/** The table of engines that a service can run itself. */
export const MANAGED_ENGINES = { virtuoso: VIRTUOSO } as const satisfies Readonly<Record<string, ManagedKind>>;

export type ManagedName = keyof typeof MANAGED_ENGINES;

interface ManagedSettings extends Pick<FollowerOptions, "store" | "interval" | "pause"> {
  readonly engine: ManagedName;
  /** The store's directory; the engine has a folder in it. */
  readonly directory: string;
  /** The memory that a query may take, in bytes. */
  readonly queryMemory?: number;
  /** The maximum number of triples that are also kept in named graphs, for `GRAPH ?g`. */
  readonly graphTriples?: number;
  readonly timeout: number;
  readonly report: (message: string, isError?: boolean) => void;
}

/** A note in an engine's folder, written once it is filled: which version filled it, and how to reach it. */
interface FilledNote extends Pick<EngineHome, "password" | "ports"> {
  readonly version: string;
  /** IRIs of records that could not be read when the engine was filled. */
  readonly leftOut: readonly string[];
}

/** The engine's maximum share of the machine's memory; the rest is needed to cache the records. */
const SHARE = 1 / 3;
const QUERY_MEMORY = 2 ** 30;
const LEAST_MEMORY = 64 * 2 ** 20;
const FIRST_PAUSE = 500;
const MAX_PAUSE = 60_000;
/** Milliseconds that one request to maintain the engine may take. */
const UPKEEP = 600_000;

const NOTE_FILE = "made.json";

export class ManagedEngine implements QueryEngine {
  readonly #kind: ManagedKind;
  readonly #folder: string;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #synchronized: SynchronizedEngine | undefined;
  /** Created for the first query that names records. */
  #named: QueryIndex | undefined;
  pid: number | undefined;
  #state: EngineState = { state: "filling", done: 0, total: 0 };
  #leftOut: readonly string[] = [];
  /** The number of processes in a row that ended before the engine was in step. */
  #failures = 0;

  constructor(private readonly settings: ManagedSettings) {
    this.#kind = MANAGED_ENGINES[settings.engine];
    this.#folder = join(resolve(settings.directory), "engine", settings.engine);
    this.#running = this.#run();
  }

  get state(): EngineState {
    const leftOut = this.#leftOut;
    return { ...(this.#synchronized?.state ?? this.#state), ...(leftOut.length > 0 && { leftOut }) };
  }

  async query(request: QueryRequest, asking: QueryContext): Promise<QueryResult> {
    const text = await askedOfThread("read", request.text, asking);
    if (namesGraphs(request, text)) return this.#queryNamed(request, text, asking);
    if (this.#synchronized !== undefined) return this.#synchronized.query(request, asking, text);
    const { state, detail } = this.#state;
    if (state === "unreachable")
      throw new QueryRefusedError("unreachable", `The query engine cannot be reached: ${detail}.`);
    throw beingFilled("The query engine", this.#state);
  }

  /** Answer a query that names records: Oxigraph reads them from the store into a small dataset. */
  async #queryNamed(request: QueryRequest, text: QueryText, asking: QueryContext): Promise<QueryResult> {
    const { defaultGraphs, namedGraphs } = request;
    const hasDataset = [defaultGraphs, namedGraphs, text.from, text.fromNamed].some(({ length }) => length > 0);
    if (!hasDataset && !text.asksForAnyGraph && text.asksDefaultGraph)
      throw new QueryRefusedError(
        "no-graphs",
        "The query engine does not join named graphs with all records. Leave out GRAPH, or name the records with FROM, too.",
      );
    if (this.#closing.signal.aborted) throw closing();
    const { engine: _, store: __, ...settings } = this.settings;
    this.#named ??= new QueryIndex({ ...settings, isEmpty: true });
    return this.#named.query(request, asking);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("closing"));
    await Promise.all([this.#running, this.#named?.close()]);
  }

  /** Run one process after another, until closed. */
  async #run(): Promise<void> {
    const { report, pause = FIRST_PAUSE } = this.settings;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await using _lock = await lockFolder(this.#folder);
        await this.#runProcess();
      } catch (error) {
        if (signal.aborted) return;
        const detail =
          error instanceof StoreLockedError ? `${error.holder} runs the engine of this store` : thrownMessage(error);
        this.#state = { ...this.#state, state: "unreachable", detail };
        const wait = pauseAfter(++this.#failures, pause, MAX_PAUSE);
        report(`the query engine is down: ${detail}; it is started again in ${wait / 1_000} s`, true);
        await sleep(wait, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Start a process, and keep the engine in step until the process ends. Throws the reason for its end. */
  async #runProcess(): Promise<void> {
    // An engine that was filled before it had a user for queries, or lost parts of texts, is filled again.
    const version = `${await installedVersion(this.#kind)}, with a reader and escapes`;
    const last = await jsonFile<FilledNote>(join(this.#folder, NOTE_FILE));
    const isFilled = last?.version === version;
    if (!isFilled)
      for (const each of [NOTE_FILE, DATA]) rmSync(join(this.#folder, each), { recursive: true, force: true });
    const home = await this.#home(last?.password ?? randomBytes(24).toString("hex"));
    const process = new EngineProcess(this.#kind, home);
    this.pid = process.pid;
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, this.#closing.signal]);
    void process.ended.then((how) => ended.abort(new EngineError(how)));
    const addresses = this.#kind.addresses(home);
    try {
      await process.answers(addresses.url, signal);
      using access = new EngineAccess(addresses, UPKEEP);
      if (isFilled) await this.#ensureOurs(access, signal);
      this.#leftOut = isFilled ? last.leftOut : await this.#fill(home, access, signal);
      const { ports, password } = home;
      const note: FilledNote = { version, ports, password, leftOut: this.#leftOut };
      replaceFileNow(join(this.#folder, NOTE_FILE), JSON.stringify(note), 0o600);
      await this.#keepInStep(addresses, signal);
    } catch (error) {
      // The reason why the process ended is more helpful than the failed request.
      throw signal.aborted ? signal.reason : error;
    } finally {
      this.pid = undefined;
      await process.end();
    }
  }

  async #home(password: string): Promise<EngineHome> {
    const { store, queryMemory = QUERY_MEMORY, timeout } = this.settings;
    const { triples } = await store.stats();
    const folder = join(this.#folder, DATA);
    mkdirSync(join(folder, PARTS), { recursive: true, mode: 0o700 });
    const most = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) * SHARE;
    const memory = Math.min(most, Math.max(LEAST_MEMORY, triples * this.#kind.bytesOfTriple));
    return { folder, ports: await freePorts(), password, memory, queryMemory, queryTime: timeout / 1_000 };
  }

  /** Fill an empty engine by its bulk loader, and repair what that refused. Returns the IRIs of records that could not be read. */
  async #fill(home: EngineHome, access: EngineAccess, signal: AbortSignal): Promise<readonly string[]> {
    const { directory, store, report } = this.settings;
    // The thread opens the store itself, so that requests are answered meanwhile.
    const parts = new WorkerClient<PartTasks>({
      name: "a thread that reads the records for the engine",
      module: builtModule("query/managed/parts-thread.js"),
      data: { directory, folder: join(home.folder, PARTS) } satisfies PartsData,
      errors: [StoreError],
    });
    const loader = this.#kind.bulkLoader(home);
    signal.addEventListener("abort", () => loader.close());
    try {
      const { sequence, mark, total } = await parts.ask("begin", undefined);
      let done = 0;
      this.#state = { state: "filling", done, total };
      let next = parts.ask("next", undefined);
      for (let part = await next; part !== undefined; part = await next) {
        // The next part is written while this one is loaded.
        next = parts.ask("next", undefined);
        await loader.add(part.name);
        rmSync(join(home.folder, PARTS, part.name));
        done += part.triples;
        this.#state = { state: "filling", done, total };
      }
      const refused = await loader.finish();
      await new EngineWriter(access, signal).claim({ sequence, mark, graphs: "merged" });
      const leftOut = await parts.ask("leftOut", undefined);
      if (refused.length === 0) return leftOut;
      report(`the query engine did not load all records: ${refused[0]}; comparing it with the store`, true);
      await compareEngine({ store, access, graphs: "merged", isRepaired: true, signal });
      return leftOut;
    } finally {
      loader.close();
      await parts.terminate();
    }
  }

  /** Check that the engine reflects a state of this store. Otherwise throws `EngineError`, and the next process fills it again. */
  async #ensureOurs(access: EngineAccess, signal: AbortSignal): Promise<void> {
    const position = await new EngineWriter(access, signal).position();
    if (position !== undefined && (await changeMark(this.settings.store, position.sequence)) === position.mark) return;
    rmSync(join(this.#folder, NOTE_FILE), { force: true });
    throw new EngineError("it reflects another state of the store, so it is filled again");
  }

  async #keepInStep(addresses: ReturnType<ManagedKind["addresses"]>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { store, report, interval } = this.settings;
    const synchronized = new SynchronizedEngine({ ...addresses, graphs: "merged", store, report, interval });
    this.#synchronized = synchronized;
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    this.#synchronized = undefined;
    // An engine that was in step had started well, however it ended.
    if (synchronized.state.sequence !== undefined) this.#failures = 0;
    await synchronized.close();
    throw signal.reason;
  }
}

const DATA = "data";
