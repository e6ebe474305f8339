/** One visit of `follow`: fetches what has changed since the last visit and loads it batch by batch. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { counted } from "../../base/counted.js";
import { makeFolder } from "../../base/folders.js";
import { jsonFile, jsonIn, replaceJsonFile } from "../../base/json.js";
import { type Client, FollowError } from "../../harvest/follow/client.js";
import { type Dump, discover, type FollowedService } from "../../harvest/follow/discover.js";
import { type FetchedRecord, fetchRecord } from "../../harvest/follow/records.js";
import type { ResourceChange, StreamPosition } from "../../harvest/follow/stream.js";
import { changesSince, loggedChange, START } from "../../harvest/follow/stream.js";
import { InterruptedError } from "../../load/errors.js";
import type { LoadEvent, LoadSettings } from "../../load/pipeline/load.js";
import { listSources, type Source } from "../../load/read/sources.js";
import { isJsonObject, type Json } from "../../rdf/record-graph.js";
import type { Change } from "../../store/changes.js";
import type { LoadableStore } from "../../store/open.js";
import { loadSources } from "../commands/load.js";
import type { Terminal } from "../main/command.js";
import { modelOf } from "../settings/common.js";
import { type Options, UsageError } from "../settings/options.js";
import { keepingOf } from "../settings/record-options.js";
import { openWhenFree } from "./remote-load-guard.js";
import { RESTORED, type Restored } from "./restored.js";

/** How far a store has followed a source. Kept beside the records, and written after the changes it covers are published. */
interface Progress {
  readonly url: string;
  readonly position: StreamPosition;
  /** The last page of the stream when everything in it was processed: its address and entity tag. */
  readonly lastPage?: string | null;
  /** Changes that could not be fetched and will be requested again. */
  readonly missed?: readonly ResourceChange[];
  /** When the store last had everything that the source had; this is the time at which that visit began. */
  readonly inStep?: string | undefined;
  /** Whether the store was an exact copy of the publisher's. */
  readonly isCopy?: boolean;
}

/** Saves how far everything has been published. */
type Save = (progress: Omit<Progress, "url">) => Promise<void>;

/** A batch ends early when its documents have this many characters, which must fit in memory twice: one batch is fetched while another is loaded. */
const MAX_BATCH = 16 * 2 ** 20;

/** The terminal shows at most this many lines about single records. */
const MAX_SHOWN = 100;

/** Visit a publisher. Resolves to the number of refused records. Throws `FollowError`, `StoreError`, `InterruptedError`. @param isQuiet whether a visit without changes says nothing */
export async function visit(client: Client, options: Options, terminal: Terminal, isQuiet: boolean): Promise<number> {
  const { stdout, stderr } = terminal;
  const { url } = client.settings;
  const directory = options.required("store");
  const source = options.text("source") ?? new URL(url).host;
  const file = join(directory, "follow", `${encodeURIComponent(source)}.json`);
  const started = performance.now();
  const inStep = new Date().toISOString();
  const before = options.isSet("afresh") ? undefined : await jsonFile<Progress>(file);
  const known = before?.url === url ? before : undefined;
  const publisher = await discover(client, url);
  await using store = await openWhenFree(directory, false, terminal);
  const follower = new Follower(client, publisher, source, store, options, terminal);
  let last: Omit<Progress, "url"> = { position: START, ...known, isCopy: false };
  const save: Save = async (progress) => {
    last = progress;
    await replaceJsonFile<Progress>(file, { url, inStep: known?.inStep, ...progress });
  };
  await follower.catchUp(known, directory, save);
  if ((last.missed ?? []).length === 0) await replaceJsonFile<Progress>(file, { ...last, url, inStep });
  if (known?.isCopy && !last.isCopy)
    stderr.line(`warning: ${url} lacks changes of this store, which is no exact copy now: restore a backup`);
  const { records, deleted, refused, others } = follower.outcome;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const news = `${counted(records, "record")} changed, ${deleted} deleted or moved, ${refused} refused, in ${seconds} s`;
  if (!isQuiet || records + deleted + refused > 0) stderr.line(news);
  if (others > 0)
    stderr.line(`${counted(others, "deletion")} ignored: these records came from sources other than ${source}`);
  if (options.isSet("json")) stdout.json({ records, deleted, refused, others, position: last.position });
  return refused;
}

class Follower {
  /** `others` counts deletions and moves of records from other sources; these records stay. */
  readonly outcome = { records: 0, deleted: 0, refused: 0, others: 0 };
  /** The changes that could not be fetched, by IRI. A later change of the same IRI replaces or removes its entry. */
  readonly #missed = new Map<string, ResourceChange>();
  #shown = 0;

  constructor(
    private readonly client: Client,
    private readonly publisher: FollowedService,
    private readonly source: string,
    private readonly store: LoadableStore,
    private readonly options: Options,
    private readonly terminal: Terminal,
  ) {}

  /** Load what the store lacks after `known`: the dump if there is no `known`, then the changes. Throws `InterruptedError`. */
  async catchUp(known: Progress | undefined, directory: string, save: Save): Promise<void> {
    const { dump, collection } = this.publisher;
    let { position, lastPage = null } = known ?? { position: START };
    const before = known?.missed ?? [];
    const saveAt = (reached: StreamPosition, seen: string | null = null): Promise<void> =>
      save({ position: reached, lastPage: seen, missed: [...this.#missed.values()] });
    const copied = await this.#copied();
    try {
      if (copied !== undefined)
        return await this.#mirror(copied, known?.position.key === copied.key ? lastPage : null, save);
      await this.#loadChanges(before, position);
      if (known === undefined && dump !== undefined) {
        await this.#loadDump(dump, directory);
        position = dump.position;
        await saveAt(position);
      }
      const since = await changesSince(this.client, collection, position, lastPage);
      if (since?.isRewritten) await this.#loadChanges(await this.#recordsBeside(since.changes), position);
      if (since !== undefined) position = await this.#loadChanges(since.changes, position, saveAt);
      if (since !== undefined || before.length > 0) await saveAt(position, since?.lastPage ?? lastPage);
    } catch (error) {
      const { records, deleted } = this.outcome;
      if (!this.terminal.interrupted.aborted || records + deleted === 0) throw error;
      const changes = `${counted(records, "record")} changed and ${deleted} deleted or moved`;
      throw new InterruptedError(`${changes}: these stay, and the next run continues from there`);
    }
  }

  /** The records of this source that a stream does not name, to be requested as if they had changed. The publisher may no longer have them. */
  async #recordsBeside(changes: readonly ResourceChange[]): Promise<ResourceChange[]> {
    const named = new Set(changes.map(({ iri }) => iri));
    const beside: ResourceChange[] = [];
    using snapshot = this.store.snapshots.take();
    for (const iri of snapshot.iris()) {
      if (named.has(iri) || (await this.store.changes.sourceOf(iri)) !== this.source) continue;
      beside.push({ iri, kind: "include", target: undefined, seeAlso: [], position: START });
    }
    return beside;
  }

  /** The position up to which this store is an exact copy of the publisher's, as after restoring its backup; `undefined` when it is not a copy. Throws `UsageError` if it would become one in spite of what the options say. */
  async #copied(): Promise<StreamPosition | undefined> {
    const { options, source, store } = this;
    const { base } = this.publisher;
    const { sequence, sources = {} } = await store.stats();
    const file = join(options.required("store"), RESTORED);
    // Anybody can show the changes of a public log as if they were their own.
    const restored = await jsonFile<Restored>(file);
    const isNew = restored?.source === undefined && restored?.sequence === sequence && !(source in sources);
    const [last] = await store.changes.page({ before: Number.POSITIVE_INFINITY, limit: 1 });
    if (base === undefined || last === undefined || !(isNew || restored?.source === source)) return undefined;
    const key = `${base}activity/change/${last.sequence}`;
    const { status, body } = await this.client.get(key, { accept: "application/ld+json" });
    if (status !== 200 && status !== 404) throw new FollowError(`${key} answers ${status}`);
    const activity = status === 200 ? jsonIn<Json>(body) : undefined;
    if (!isJsonObject(activity)) return undefined;
    const { iri, time } = loggedChange(activity);
    if (iri !== last.iri || time !== last.time) return undefined;
    const selecting = isNew ? ["mend", "hold", "on-invalid"] : ["mend"];
    const given = selecting.find((name) => (options.settings.get(name)?.origin ?? "default") !== "default");
    if (given !== undefined)
      throw new UsageError(
        `as an exact copy of ${base}, the restored store takes every record as it is there: leave out --${given} or, if another service made the backup, do not follow this one`,
      );
    if (isNew) await replaceJsonFile<Restored>(file, { sequence, source });
    return { key, time: String(activity.endTime) };
  }

  /** Follow as a copy: the changes get the publisher's numbers and times, and no record is refused, held or mended. */
  async #mirror(from: StreamPosition, seen: string | null, save: Save): Promise<void> {
    const since = await changesSince(this.client, this.publisher.collection, from, seen, true);
    let position = from;
    const size = this.options.number("batch")!;
    const { changes = [], log = [] } = since ?? {};
    const byIri = new Map(changes.map((change) => [change.iri, change]));
    for (let at = 0; at < log.length; ) {
      const batch = log.slice(at, at + size);
      const named = [...new Set(batch.map(({ iri }) => iri))];
      const states = await this.#fetch(named.map((iri) => byIri.get(iri)!));
      const iris = new Set(named.slice(0, states.length));
      const end = batch.findIndex(({ iri }) => !iris.has(iri));
      const mirrored = end < 0 ? batch : batch.slice(0, end);
      at += mirrored.length;
      const fetched = states.flat();
      const missing = fetched.find((each) => each.kind === "problem");
      if (missing?.kind === "problem") throw new FollowError(`<${missing.iri}> ${missing.problem}`);
      // The target of a move has a change of its own.
      const own = fetched.filter(({ iri }) => iris.has(iri));
      await this.#loadBatch(own, mirrored);
      const { sequence, time } = mirrored.at(-1)!;
      position = { key: `${this.publisher.base}activity/change/${sequence}`, time: new Date(time).toISOString() };
    }
    await save({ position, lastPage: since?.lastPage ?? seen, isCopy: true });
  }

  async #loadDump({ url, extension, sha256 }: Dump, directory: string): Promise<void> {
    const folder = join(directory, "follow");
    await makeFolder(folder);
    // One name for all visits, of which the store allows one at a time: the next one replaces what a killed one left.
    const path = join(folder, `dump.${extension}`);
    await using _ = { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    this.terminal.stderr.line(`fetching ${url}`);
    await this.client.save(url, path);
    if (sha256 !== undefined) {
      const hash = createHash("sha256");
      await pipeline(createReadStream(path), hash);
      if (hash.digest("hex") !== sha256)
        throw new FollowError(`${url} does not have the SHA-256 that its publisher gives: it was changed or damaged`);
    }
    // A record of this source that is missing from the dump was deleted before the dump was made.
    const known = { ...(await this.store.stats()).sources, ...this.store.held?.stats().sources };
    await this.#load(await listSources([path], this.terminal), [], { sync: this.source in known, isPart: false });
  }

  /** Fetch and load changes in order, and fetch the next batch while one is loaded. `onPosition` gets the position up to which everything is published. */
  async #loadChanges(
    changes: readonly ResourceChange[],
    from: StreamPosition,
    onPosition?: (position: StreamPosition) => Promise<void>,
  ): Promise<StreamPosition> {
    const size = this.options.number("batch")!;
    let position = from;
    let next = this.#fetch(changes.slice(0, size));
    next.catch(() => {});
    for (let at = 0; at < changes.length; ) {
      const states = await next;
      for (const { iri } of changes.slice(at, at + states.length)) this.#missed.delete(iri);
      at += states.length;
      next = this.#fetch(changes.slice(at, at + size));
      next.catch(() => {});
      await this.#loadBatch(states.flat());
      position = changes[at - 1]!.position;
      await onPosition?.(position);
    }
    return position;
  }

  /** The states of the first of these resources: of all, unless their documents are too large together. */
  async #fetch(changes: readonly ResourceChange[]): Promise<readonly (readonly FetchedRecord[])[]> {
    const { contextUri } = modelOf(this.options);
    const fetched: (readonly FetchedRecord[])[] = [];
    let next = 0;
    let length = 0;
    const fetchSome = async (): Promise<void> => {
      while (next < changes.length && length < MAX_BATCH) {
        const at = next++;
        fetched[at] = await fetchRecord(this.client, changes[at]!, contextUri);
        for (const each of fetched[at]) if (each.kind === "document") length += each.text.length;
      }
    };
    await Promise.all(Array.from({ length: this.client.settings.connections }, fetchSome));
    return fetched;
  }

  async #loadBatch(fetched: readonly FetchedRecord[], mirrored?: readonly Change[]): Promise<void> {
    const documents: string[] = [];
    const deletions: { iri: string; movedTo?: string }[] = [];
    const moves: { iri: string; movedTo: string }[] = [];
    for (const each of fetched) {
      if (each.kind === "document") documents.push(each.text);
      else if (each.kind === "deletion") {
        // A record from another source is not this source's to delete or to move.
        const owner = mirrored === undefined ? await this.store.changes.sourceOf(each.iri) : this.source;
        if (owner !== undefined && owner !== this.source) this.outcome.others++;
        else if (each.movedTo === undefined || mirrored !== undefined) deletions.push(each);
        else moves.push({ iri: each.iri, movedTo: each.movedTo });
      } else {
        this.#refuse(each.iri, each.problem);
        if (each.again !== undefined) this.#missed.set(each.again.iri, each.again);
      }
    }
    const { collection } = this.publisher;
    // For a copy, the publisher has decided which records are published.
    const how = { source: undefined, onInvalid: "accept", hold: undefined, mirrored } as const;
    await this.#load([sourceOf(collection, documents)], deletions, mirrored === undefined ? {} : how);
    if (moves.length === 0) return;
    // Nothing may lead to a record that is refused or held here.
    const moved = await Promise.all(
      moves.map(async (move) => ((await this.store.find(move.movedTo)) === undefined ? { iri: move.iri } : move)),
    );
    await this.#load([sourceOf(collection, [])], moved);
  }

  /** @param more with `sync`, the records of this source that are not among `sources` are deleted */
  async #load(
    sources: readonly Source[],
    deletions: LoadSettings["deletions"] & object,
    more: Partial<LoadSettings> = {},
  ): Promise<void> {
    const { options, store, source, terminal } = this;
    const tell = ({ record }: LoadEvent): void => {
      const violations = record?.results.filter(({ severity }) => severity === "Violation") ?? [];
      const problem = violations.map(({ message }) => message).join("; ");
      if (violations.length > 0) this.#refuse(record?.iri ?? "a record", problem, false);
    };
    const how = { ...keepingOf(options), source, deletions, sync: false, isPart: true, tell, ...more };
    const { base } = this.publisher;
    const summary = await loadSources(options, store, options.required("store"), sources, base, terminal, how);
    const { created, replaced, deleted, refused } = summary;
    this.outcome.records += created + replaced;
    this.outcome.deleted += deleted;
    this.outcome.refused += refused;
    if (summary.unpublished !== null) throw new FollowError("nothing is loaded of the records that came with these");
  }

  /** Report a record that could not be fetched or loaded. */
  #refuse(iri: string, problem: string, counts = true): void {
    if (counts) this.outcome.refused++;
    if (this.#shown++ < MAX_SHOWN) this.terminal.stderr.line(`<${iri}>: ${problem}`);
    else if (this.#shown === MAX_SHOWN + 1)
      this.terminal.stderr.line("... and more: vitrine explain IRI shows what a load refused");
  }
}

/** Documents in memory, as an input of a load. */
function sourceOf(name: string, documents: readonly string[]): Source {
  const open = () => Readable.from(documents.map((document) => Buffer.from(`${document}\n`)));
  return { name, format: "jsonl", size: undefined, bytesRead: 0, open };
}
