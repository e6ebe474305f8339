/** Makes the store again that an archive was written of, in one transaction. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { LineReader } from "../../../rdf/ntriples-reader.js";
import { graphWith, type JsonObject, type RecordGraph, RecordGraphBuilder } from "../../../rdf/record-graph.js";
import { ArchiveError } from "../../errors.js";
import { endsLikeFile } from "../../store.js";
import { putBlockTime } from "../format/block-times.js";
import { contextSum } from "../format/checksum.js";
import { type Mutable, PAGE, type StoreDatabase, type StoreState } from "../format/database.js";
import { encodeRecord, endpointNumber, publishInto, seal, stored } from "../format/encoding.js";
import { iriKey, numberKey, setKeyOfHash } from "../format/keys.js";
import { encodeListed, listingKey } from "../format/listing.js";
import { PropertyNumbers } from "../format/property-numbers.js";
import { ChangeLog } from "../publish/change-log.js";
import { countRecord } from "../publish/count.js";
import { ensureDiskSpace, RESERVE } from "../publish/disk-space.js";
import { FoundQueue } from "../publish/found-queue.js";
import { MentionQueue } from "../publish/mention-queue.js";
import { stagedMentions } from "../publish/staged-entry.js";
import {
  type ChangeEntry,
  type HeadEntry,
  LEDGER,
  type LedgerEntry,
  type RecordEntry,
  type RecordFacts,
  type SetEntry,
  type VersionEntry,
} from "./entries.js";

/** After writing so many bytes it is looked whether the disk has room for more, and whether it is to go on. */
const BYTES_AT_ONCE = RESERVE / 8;
/** What a record or a change writes to besides its own bytes, in pages, at most. */
const PAGES_A_LINE = 8;

/** One restoring. */
export class Restorer {
  readonly #directory: string;
  readonly #database: StoreDatabase;
  readonly #properties = new PropertyNumbers([]);
  readonly #mentions: MentionQueue;
  readonly #found: FoundQueue;
  readonly #log: ChangeLog;
  readonly #contexts: string[] = [];
  /** How many changes of each Set were restored, by the hash of its IRI. */
  readonly #ofSets = new Map<string, number>();
  #state: Mutable<StoreState>;
  #head: HeadEntry | undefined;
  #lines = 0;
  #written = 0;
  #isWhole = false;

  constructor(directory: string, database: StoreDatabase) {
    this.#directory = directory;
    this.#database = database;
    this.#mentions = new MentionQueue(database);
    this.#found = new FoundQueue(database);
    this.#log = new ChangeLog(database);
    this.#state = database.state;
  }

  /** Throws `ArchiveError`, `StoreSpaceError`, and the signal's reason when it aborts; the store is then as empty as it was. */
  async restore(
    ledger: AsyncIterable<JsonObject>,
    graphs: AsyncIterable<RecordGraph>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (this.#state.sequence > 0)
      throw new ArchiveError(`the store in ${this.#directory} is not empty: name a new one`);
    const records = graphs[Symbol.asyncIterator]();
    await this.#database.root.transactionSync(async () => {
      for await (const entry of ledger) {
        this.#lines++;
        if (this.#isWhole) throw new ArchiveError("the ledger goes on behind its last line");
        await this.#take(entry as unknown as LedgerEntry, records);
        if (this.#written > BYTES_AT_ONCE) await this.#pause(signal);
      }
      if (!this.#isWhole) throw new ArchiveError("the ledger was cut off");
      if ((await records.next()).done !== true) throw new ArchiveError("there are more records than the ledger has");
      if (this.#state.records !== this.#head!.records) {
        throw new ArchiveError(`${this.#state.records} records of ${this.#head!.records} are there`);
      }
      for (const _ of this.#mentions.flush()) this.#written++;
      for (const _ of this.#found.flush()) this.#written++;
      this.#putFacts();
    });
  }

  async #pause(signal: AbortSignal | undefined): Promise<void> {
    this.#written = 0;
    await nextTurn();
    signal?.throwIfAborted();
    await ensureDiskSpace(this.#directory, 0);
  }

  async #take(entry: LedgerEntry, records: AsyncIterator<RecordGraph>): Promise<void> {
    const { contexts, documents, tombstones } = this.#database;
    this.#written += PAGE;
    if ("ledger" in entry) this.#begin(entry);
    else if (this.#head === undefined) throw new ArchiveError("this is no ledger of Vitrine");
    else if ("context" in entry && !("change" in entry))
      contexts.putSync(this.#contexts.push(entry.context), entry.context);
    else if ("document" in entry) documents.putSync(entry.document, entry.content);
    else if ("record" in entry) this.#record(entry, await graphOf(entry, records));
    else if ("logged" in entry) this.#change(entry);
    else if ("set" in entry) this.#set(entry);
    else if ("tombstone" in entry) tombstones.putSync(iriKey(entry.tombstone), numberKey(entry.change));
    else if ("version" in entry) this.#version(entry);
    else if (entry.lines === this.#lines) this.#isWhole = true;
    else throw new ArchiveError(`the ledger has ${this.#lines} lines of ${entry.lines}`);
  }

  #begin(head: HeadEntry): void {
    if (head.ledger !== LEDGER) {
      throw new ArchiveError(`the ledger has form ${head.ledger}, and this version of Vitrine knows ${LEDGER}`);
    }
    this.#head = head;
    const { sequence, lastChange, baseUrl, keeps, nextNumber } = head;
    Object.assign(this.#state, { sequence, lastChange, baseUrl, keeps, nextNumber });
  }

  #record(entry: RecordEntry, graph: RecordGraph): void {
    const { records, numbers, lists } = this.#database;
    const { iri } = graph;
    const { number, endpoint, label } = entry;
    const value = this.#encoded(entry, graph);
    const mentions = stagedMentions(graph, this.#properties);
    if (this.#mentions.isFullFor(mentions.length)) for (const _ of this.#mentions.flush()) this.#written++;
    this.#mentions.addAll(mentions, number);
    const listing = { endpoint: endpointNumber(endpoint), label, iri, number };
    records.putSync(iriKey(iri), value);
    if (this.#found.isFull) for (const _ of this.#found.flush()) this.#written++;
    this.#found.change(undefined, value, number);
    numbers.putSync(numberKey(number), Buffer.from(iri, "utf8"));
    if (endsLikeFile(iri)) this.#state.suffixed++;
    lists.putSync(listingKey(listing), encodeListed(listing));
    countRecord(this.#state, value, this.#head!.sources[entry.source - 1], 1);
    this.#written += value.length + PAGES_A_LINE * PAGE;
  }

  /** The record as it was stored. Throws `ArchiveError` when it is another. */
  #encoded(facts: RecordFacts, graph: RecordGraph): Buffer {
    const { endpoint, label, valid, change, time, number, source, hash } = facts;
    const text = facts.context === 0 ? undefined : this.#contexts[facts.context - 1];
    if (facts.context !== 0 && text === undefined) throw new ArchiveError(`the context of <${graph.iri}> is missing`);
    const context = text === undefined ? undefined : (JSON.parse(text) as RecordGraph["context"]);
    const value = encodeRecord({ graph: graphWith(graph, { context }), endpoint, label, valid });
    if (Buffer.from(stored.hash(value)).toString("hex") !== hash) {
      throw new ArchiveError(`<${graph.iri}> does not have the hash that the ledger gives: it was changed on the way`);
    }
    publishInto(value, { sequence: change, modified: time, number, context: facts.context, source });
    seal(iriKey(graph.iri), value, contextSum(text));
    return value;
  }

  #change({ logged, ...change }: ChangeEntry): void {
    this.#log.add(logged, change, []);
    this.#written += PAGES_A_LINE * 64;
  }

  #set({ set, changes }: SetEntry): void {
    const hash = Buffer.from(set, "hex");
    let ordinal = this.#ofSets.get(set) ?? 0;
    for (const change of changes) this.#database.setChanges.putSync(setKeyOfHash(hash, ++ordinal), numberKey(change));
    this.#ofSets.set(set, ordinal);
    this.#written += changes.length * 64;
  }

  #version(entry: VersionEntry): void {
    const value = this.#encoded(entry, graphIn(entry));
    this.#database.versions.putSync(numberKey(entry.change), value);
    this.#written += value.length;
  }

  #putFacts(): void {
    const { facts } = this.#database;
    for (const [block, time] of this.#head!.blockTimes.entries()) putBlockTime(this.#database, block, time);
    facts.putSync("properties", this.#properties.list());
    facts.putSync("sources", [...this.#head!.sources]);
    facts.putSync("state", this.#state);
  }
}

/** The next graph, which has to be that of an entry. Throws `ArchiveError`. */
async function graphOf({ record }: RecordEntry, graphs: AsyncIterator<RecordGraph>): Promise<RecordGraph> {
  const next = await graphs.next();
  if (next.done === true) throw new ArchiveError(`the records end before <${record}>`);
  if (next.value.iri !== record) throw new ArchiveError(`<${next.value.iri}> comes where the ledger has <${record}>`);
  return next.value;
}

/** The graph of an earlier version. Throws `SyntaxProblem`. */
function graphIn({ version, triples }: VersionEntry): RecordGraph {
  const builder = new RecordGraphBuilder(version);
  const reader = new LineReader({ source: "the ledger", graphs: false }, (statement) => {
    const [subject, predicate, object] = [statement.subject(), statement.predicate(), statement.object()];
    builder.add(builder.term(subject), builder.term(predicate), builder.term(object));
  });
  reader.push(Buffer.from(triples, "utf8"));
  reader.end();
  return builder.build();
}
