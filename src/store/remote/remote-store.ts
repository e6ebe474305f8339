/** The store that is an engine which others fill: read-only, by queries, with what was asked for lately kept. */
import { hash as digestOf } from "node:crypto";
import { LRUCache } from "lru-cache";
import { entryOf } from "../../base/entries.js";
import { NamedError } from "../../base/named-error.js";
import { EngineAccess, type EngineAddresses } from "../../engine/engine-access.js";
import { embeds, REFERENCE_PROPERTIES } from "../../model/embedding.js";
import { endpointOf, isEntityClass } from "../../model/tables/endpoints.js";
import type { EndpointName } from "../../model/tables/names.js";
import { LineReader } from "../../rdf/ntriples/reader.js";
import { formatTerm, writeNQuads } from "../../rdf/ntriples/writer.js";
import { type Json, type RecordGraph, tripleCount } from "../../rdf/record-graph.js";
import { blank, iriProblem, literal, RDF, type Term, XSD } from "../../rdf/terms.js";
import { InvalidCursorError } from "../errors.js";
import {
  NO_STATS,
  type Paged,
  type PageQuery,
  type RecordHandle,
  type StoredRecord,
  type StoreStats,
} from "../record.js";
import type { Origin, Reference, ReferenceCount, References, Store } from "../store.js";
import { canonicalGraph, type TermTriple } from "./canonical-graph.js";
import {
  classesQuery,
  countQuery,
  type RemoteGraphs,
  recordQuery,
  referrerCountsQuery,
  referrersQuery,
} from "./record-queries.js";

export interface RemoteStoreSettings extends EngineAddresses {
  readonly graphs: RemoteGraphs;
  readonly describe: (graph: RecordGraph) => { readonly endpoint: EndpointName | null; readonly label: string };
  readonly report: (message: string) => void;
  /** For how many milliseconds a record is answered without looking again. Default 10 s. */
  readonly fresh?: number;
  /** Bytes of records that are kept, about. Default 64 MiB. */
  readonly cacheBytes?: number;
}

const TIMEOUT = 10_000;
const FRESH = 10_000;
const CACHE_BYTES = 64 * 2 ** 20;
const TRIPLE_BYTES = 400;
/** Counts are asked for as often as this, in milliseconds: they cost the engine much. */
const STATS_FRESH = 600_000;
/** Virtuoso gives no more triples of a CONSTRUCT than `MaxConstructTriples`, and does not say so: its default, and of what others are multiples. */
const CUT = { usual: 10_000, round: 100 };

/** Values that an engine may give as others, where their canonical form does not bring them together again. */
const PROBES: readonly (readonly [Term, string])[] = [
  [literal("true", XSD.boolean), "takes booleans for numbers"],
  [literal("1966", XSD.dateTime), "completes dates that are none"],
];

interface Kept {
  /** `undefined` where the engine has no such record. */
  readonly record: StoredRecord | undefined;
  readonly hash: Buffer;
  readonly sequence: number;
  readonly modified: number;
  checked: number;
}

export class RemoteStore implements Store {
  readonly references: References = {
    page: (iri, query) => this.#referrers(iri, query),
    counts: (iri) => this.#referrerCounts(iri),
  };
  readonly #access: EngineAccess;
  readonly #kept: LRUCache<string, Kept>;
  readonly #reading = new Map<string, Promise<Kept>>();
  readonly #told = new Set<string>();
  /** Asked once, beside the first record. */
  #reportedValues: Promise<void> | undefined;
  #sequence = 0;
  #stats: { readonly stats: StoreStats; readonly at: number } | undefined;
  #readingStats: Promise<void> | undefined;

  constructor(private readonly settings: RemoteStoreSettings) {
    this.#access = new EngineAccess(settings, TIMEOUT);
    this.#kept = new LRUCache({
      maxSize: settings.cacheBytes ?? CACHE_BYTES,
      sizeCalculation: ({ record }) => TRIPLE_BYTES * (1 + (record === undefined ? 0 : tripleCount(record.graph))),
    });
  }

  readonly find = async (iri: string): Promise<RecordHandle | undefined> => {
    if (iriProblem(iri) !== undefined) return undefined;
    const kept = this.#kept.get(iri);
    if (kept === undefined) return handleOf(await this.#read(iri));
    if (performance.now() - kept.checked > (this.settings.fresh ?? FRESH)) {
      // Whoever asks has what was there; whoever asks next has what is there. An engine that is away changes nothing.
      const looking = this.#read(iri).catch((error: Error) => {
        kept.checked = performance.now();
        this.#report(`the engine cannot be asked whether records changed: ${error.message}`);
        return kept;
      });
      if (kept.record === undefined) return handleOf(await looking);
    }
    return handleOf(kept);
  };

  #read(iri: string): Promise<Kept> {
    return entryOf(this.#reading, iri, () => this.#readAnew(iri).finally(() => this.#reading.delete(iri)));
  }

  async #readAnew(iri: string): Promise<Kept> {
    const { graphs } = this.settings;
    const triples = await this.#triples(recordQuery(iri, graphs));
    this.#reportedValues ??= this.#reportValues();
    if (graphs === "records") await this.#ensureWhole(iri, triples.length);
    else await this.#readEmbedded(iri, triples);
    const isThere = graphs === "records" ? triples.length > 0 : isDescribed(iri, triples);
    const graph = isThere ? canonicalGraph(iri, triples) : undefined;
    if (graph !== undefined) this.#reportQuirks(graph);
    const hash = digestOf("sha256", graph === undefined ? "" : writeNQuads(graph), "buffer");
    const before = this.#kept.get(iri);
    const isSame = before?.hash.equals(hash) === true;
    const sequence = isSame ? before.sequence : ++this.#sequence;
    const modified = isSame ? before.modified : Date.now();
    const record = graph && {
      meta: { ...this.settings.describe(graph), valid: true, sequence, modified, hash },
      graph,
    };
    const kept: Kept = { record, hash, sequence, modified, checked: performance.now() };
    this.#kept.set(iri, kept);
    return kept;
  }

  async #triples(query: string): Promise<TermTriple[]> {
    const triples: TermTriple[] = [];
    const reader = new LineReader({ source: "the engine's answer", graphs: false }, (statement) => {
      triples.push([statement.subject(), statement.predicate(), statement.object()]);
    });
    reader.push(await this.#access.construct(query));
    reader.end();
    return triples;
  }

  /** Of one large graph: nodes that the record embeds and that have IRIs, each with all it says. */
  async #readEmbedded(record: string, triples: TermTriple[]): Promise<void> {
    const done = new Set([record]);
    for (;;) {
      const nodes = embeddedNodes(triples, done);
      if (nodes.length === 0) return;
      for (const node of nodes) done.add(node);
      const more = await this.#triples(recordQuery(record, "merged", nodes));
      // Labels of blank nodes hold within one answer.
      const apart = (term: Term): Term => (term.termType === "BlankNode" ? blank(`${done.size}.${term.value}`) : term);
      for (const [s, p, o] of more) triples.push([apart(s), p, apart(o)]);
    }
  }

  async #ensureWhole(iri: string, given: number): Promise<void> {
    if (given === 0 || (given < CUT.usual && given % CUT.round !== 0)) return;
    const { rows } = await this.#access.select(countQuery(iri));
    const there = Number(rows[0]?.n?.value ?? 0);
    if (there > given) {
      const advice = "raise its limit (Virtuoso: MaxConstructTriples)";
      throw new NamedError(`the engine gives ${given} of the ${there} triples of <${iri}>: ${advice}`);
    }
  }

  /** Triples of an engine that are not as they were put in, as far as that shows: reported at its first use. */
  #reportQuirks({ iri, terms, triples }: RecordGraph): void {
    for (let at = 2; at < triples.length; at += 3) {
      const { value, datatype } = terms[triples[at]!]!;
      if (datatype === XSD.dateTime && !/^-?\d{4,}-\d\d-\d\dT/.test(value)) {
        this.#report(`the engine gives dates that are none, such as ${JSON.stringify(value)} in <${iri}>`);
      }
    }
  }

  /** A record does not show what an engine makes of values: it is asked for some that are known. */
  async #reportValues(): Promise<void> {
    try {
      const known = PROBES.map(([value], at) => `(${formatTerm(value)} AS ?v${at})`).join(" ");
      const { rows } = await this.#access.select(`SELECT ${known} {}`);
      for (const [at, [value, quirk]] of PROBES.entries()) {
        const given = rows[0]?.[`v${at}`];
        if (given === undefined || formatTerm(given) === formatTerm(value)) continue;
        this.#report(`the engine ${quirk}: ${formatTerm(value)} is published as ${formatTerm(given)}`);
      }
    } catch {
      // An engine that is away is told of where records are asked for; it is asked again.
      this.#reportedValues = undefined;
    }
  }

  #report(message: string): void {
    const kind = message.slice(0, 40);
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    this.settings.report(message);
  }

  readonly tombstone = async (): Promise<undefined> => undefined;
  /** To look for these would cost the engine a walk over all it has: none are found. */
  readonly fragments = async (): Promise<readonly string[]> => [];
  readonly describedIn = async (): Promise<readonly string[]> => [];
  readonly origins = async (): Promise<readonly Origin[]> => [];
  readonly contexts = async (): Promise<ReadonlyMap<string, Json>> => new Map();
  readonly countUnder = async (): Promise<number> => (await this.stats()).records;
  readonly close = async (): Promise<void> => this.#access.client.close();
  readonly [Symbol.asyncDispose] = this.close;

  async #referrers(iri: string, query: PageQuery & { readonly property?: string }): Promise<Paged<Reference>> {
    const { after, limit, property } = query;
    if (iriProblem(iri) !== undefined) return { items: [], next: undefined };
    const page = { property, after: after === undefined ? undefined : cursorIn(after), limit: limit + 1 };
    const { rows } = await this.#access.select(referrersQuery(iri, this.settings.graphs, page));
    const items = rows
      .slice(0, limit)
      .map(({ property, record }) => ({ record: record!.value, property: property!.value }));
    const last = items.at(-1);
    const next = rows.length > limit && last !== undefined ? JSON.stringify([last.property, last.record]) : undefined;
    return { items, next: next === undefined ? undefined : Buffer.from(next).toString("base64url") };
  }

  async #referrerCounts(iri: string): Promise<readonly ReferenceCount[]> {
    if (iriProblem(iri) !== undefined) return [];
    const { rows } = await this.#access.select(referrerCountsQuery(iri, this.settings.graphs));
    return rows.map(({ property, n }) => ({ property: property!.value, records: Number(n!.value) }));
  }

  /** Entities by class, counted now and then; 0 until they are. Triples are not counted. */
  readonly stats = async (): Promise<StoreStats> => {
    const isOld = this.#stats === undefined || performance.now() - this.#stats.at > STATS_FRESH;
    if (isOld) {
      this.#readingStats ??= this.#readStats()
        .catch((error: Error) => this.#report(`the engine does not count its records: ${error.message}`))
        .finally(() => {
          this.#readingStats = undefined;
        });
    }
    if (this.#stats === undefined) await this.#readingStats;
    return this.#stats?.stats ?? NO_STATS;
  };

  async #readStats(): Promise<void> {
    const { rows } = await this.#access.select(classesQuery(this.settings.graphs));
    const endpoints: Partial<Record<EndpointName, number>> = {};
    let records = 0;
    for (const { class: each, n } of rows) {
      const endpoint = each && endpointOf([each.value], [], "");
      if (endpoint === undefined) continue;
      endpoints[endpoint] = (endpoints[endpoint] ?? 0) + Number(n?.value ?? 0);
      records += Number(n?.value ?? 0);
    }
    this.#stats = { stats: { ...NO_STATS, records, endpoints }, at: performance.now() };
  }
}

function handleOf({ record }: Kept): RecordHandle | undefined {
  if (record === undefined) return undefined;
  const { meta, graph } = record;
  const { sequence, modified, hash } = meta;
  return { sequence, modified, hash, triples: tripleCount(graph), bytes: 0, meta, record: async () => record };
}

function isDescribed(iri: string, triples: readonly TermTriple[]): boolean {
  return triples.some(([s, p]) => s.value === iri && s.termType === "NamedNode" && !REFERENCE_PROPERTIES.has(p.value));
}

/** IRIs that are reached by properties which embed, and whose class has no records of its own. */
function embeddedNodes(triples: readonly TermTriple[], done: ReadonlySet<string>): string[] {
  const classes = new Map<string, string[]>();
  for (const [s, p, o] of triples) {
    if (p.value === RDF.type) classes.set(s.value, [...(classes.get(s.value) ?? []), o.value]);
  }
  const found = new Set<string>();
  for (const [s, p, o] of triples) {
    if (o.termType !== "NamedNode" || o.value.startsWith("urn:vitrine:") || p.value === RDF.type || done.has(o.value))
      continue;
    const ofObject = classes.get(o.value);
    if (ofObject === undefined || ofObject.some(isEntityClass)) continue;
    if (embeds(p.value, classes.get(s.value) ?? [], ofObject)) found.add(o.value);
  }
  return [...found];
}

function cursorIn(cursor: string): readonly [string, string] {
  try {
    const [property, record] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown[];
    if (typeof property === "string" && typeof record === "string") return [property, record];
  } catch {
    // Said below.
  }
  throw new InvalidCursorError(cursor);
}
