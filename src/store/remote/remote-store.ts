/** A read-only store on an engine that others fill: it reads by queries and caches recent records. */
import { hash as digestOf } from "node:crypto";
import { LRUCache } from "lru-cache";
import { entryOf } from "../../base/entries.js";
import { packed, unpacked } from "../../base/json.js";
import { NamedError } from "../../base/named-error.js";
import { EngineAccess, type EngineAddresses, type EngineGraphs } from "../../engine/engine-access.js";
import { embeds, REFERENCE_PROPERTIES } from "../../model/embedding.js";
import { endpointOf, isEntityClass } from "../../model/tables/endpoints.js";
import type { EndpointName } from "../../model/tables/names.js";
import { LineReader } from "../../rdf/ntriples/reader.js";
import { formatTerm, writeNQuads } from "../../rdf/ntriples/writer.js";
import { type Json, type RecordGraph, tripleCount } from "../../rdf/record-graph.js";
import { blank, iriProblem, literal, RDF, type Term, XSD } from "../../rdf/terms.js";
import { InvalidCursorError } from "../errors.js";
import { NO_STATS, type RecordHandle, type RecordMeta, type StoredRecord, type StoreStats } from "../record.js";
import type { Origin, References, Store } from "../store.js";
import { canonicalGraph, type TermTriple } from "./canonical-graph.js";
import { classesQuery, countQuery, recordQuery, referrerCountsQuery, referrersQuery } from "./record-queries.js";

export interface RemoteStoreSettings extends EngineAddresses {
  readonly graphs: EngineGraphs;
  readonly describe: (graph: RecordGraph) => { readonly endpoint: EndpointName | null; readonly label: string };
  readonly report: (message: string) => void;
  /** Milliseconds for which a cached record is served without asking the engine again. Default 10 s. */
  readonly fresh?: number;
  /** The approximate size of the cache in bytes. Default 64 MiB. */
  readonly cacheBytes?: number;
}

const TIMEOUT = 10_000;
const FRESH = 10_000;
const CACHE_BYTES = 64 * 2 ** 20;
const TRIPLE_BYTES = 400;
/** Milliseconds for which counts are cached, since they are expensive for the engine. */
const STATS_FRESH = 600_000;
/** Virtuoso silently cuts the result of a CONSTRUCT at `MaxConstructTriples`. Its default is `usual`; other settings are assumed to be multiples of `round`. */
const CUT = { usual: 10_000, round: 100 };

/** Values that some engines change in a way that the canonical form does not undo. */
const PROBES: readonly (readonly [Term, string])[] = [
  [literal("true", XSD.boolean), "turns booleans into numbers"],
  [literal("1966", XSD.dateTime), "completes invalid dates"],
];

interface CachedRecord {
  /** `undefined` if the engine has no such record. */
  readonly record: StoredRecord | undefined;
}

export class RemoteStore implements Store {
  readonly references: References = {
    page: async (iri, { after, limit, property }) => {
      // What is no IRI could be SPARQL: clients name both.
      if ([iri, property ?? iri].some((each) => iriProblem(each) !== undefined)) return { items: [], next: undefined };
      const place = after === undefined ? undefined : cursorIn(after);
      const { rows } = await this.#access.select(referrersQuery(iri, this.settings.graphs, limit + 1, property, place));
      const found = rows.map(({ property, record }) => ({ record: record!.value, property: property!.value }));
      const items = found.slice(0, limit);
      const last = items.at(-1);
      return { items, next: found.length > limit && last ? packed([last.property, last.record]) : undefined };
    },
    counts: async (iri) => {
      if (iriProblem(iri) !== undefined) return [];
      const { rows } = await this.#access.select(referrerCountsQuery(iri, this.settings.graphs));
      return rows.map(({ property, n }) => ({ property: property!.value, records: Number(n!.value) }));
    },
  };
  readonly #access: EngineAccess;
  readonly #cache: LRUCache<string, CachedRecord>;
  readonly #reported = new Set<string>();
  /** Set at the first record, so that the engine is probed once. */
  #reportedValues: Promise<void> | undefined;
  #sequence = 0;
  #stats: { readonly stats: StoreStats; readonly at: number } | undefined;
  #readingStats: Promise<void> | undefined;

  constructor(private readonly settings: RemoteStoreSettings) {
    this.#access = new EngineAccess(settings, TIMEOUT);
    this.#cache = new LRUCache({
      maxSize: settings.cacheBytes ?? CACHE_BYTES,
      sizeCalculation: ({ record }) => TRIPLE_BYTES * (1 + (record === undefined ? 0 : tripleCount(record.graph))),
      ttl: settings.fresh ?? FRESH,
      ignoreFetchAbort: true,
      fetchMethod: (iri, stale) =>
        this.#fetch(iri, stale).catch((error: Error) => {
          // If the engine fails, the cached record stays.
          if (stale === undefined) throw error;
          this.#report(`cannot ask the engine whether records changed: ${error.message}`);
          return stale;
        }),
    });
  }

  readonly find = async (iri: string): Promise<RecordHandle | undefined> => {
    if (iriProblem(iri) !== undefined) return undefined;
    // A record whose time is over is given while it is read again.
    const allowStale = this.#cache.peek(iri, { allowStale: true })?.record !== undefined;
    return handleOf((await this.#cache.fetch(iri, { allowStale }))!);
  };

  async #fetch(iri: string, before: CachedRecord | undefined): Promise<CachedRecord> {
    const { graphs } = this.settings;
    const triples = await this.#triples(recordQuery(iri, graphs));
    this.#reportedValues ??= this.#reportValues();
    if (graphs === "records") await this.#ensureWhole(iri, triples.length);
    else await this.#readEmbedded(iri, triples);
    const isThere = graphs === "records" ? triples.length > 0 : isDescribed(iri, triples);
    const graph = isThere ? canonicalGraph(iri, triples) : undefined;
    if (graph !== undefined) this.#reportQuirks(graph);
    return { record: graph && this.#recordOf(graph, before?.record?.meta) };
  }

  #recordOf(graph: RecordGraph, before: RecordMeta | undefined): StoredRecord {
    const hash = digestOf("sha256", writeNQuads(graph), "buffer");
    const { sequence, modified } =
      before !== undefined && hash.equals(before.hash) ? before : { sequence: ++this.#sequence, modified: Date.now() };
    return { meta: { ...this.settings.describe(graph), valid: true, sequence, modified, hash }, graph };
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

  /** In a merged graph: read the embedded nodes of the record that have IRIs, each with all its triples. */
  async #readEmbedded(record: string, triples: TermTriple[]): Promise<void> {
    const done = new Set([record]);
    for (;;) {
      const nodes = embeddedNodes(triples, done);
      if (nodes.length === 0) return;
      for (const node of nodes) done.add(node);
      const more = await this.#triples(recordQuery(record, "merged", nodes));
      // Blank node labels are only unique within one answer.
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

  /** Report values that the engine has visibly changed. */
  #reportQuirks({ iri, terms, triples }: RecordGraph): void {
    for (let at = 2; at < triples.length; at += 3) {
      const { value, datatype } = terms[triples[at]!]!;
      if (datatype === XSD.dateTime && !/^-?\d{4,}-\d\d-\d\dT/.test(value))
        this.#report(`the engine returns invalid dates, such as ${JSON.stringify(value)} in <${iri}>`);
    }
  }

  /** Probe the engine with known values, since a record does not show how the engine changes values. */
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
      // A failing engine is reported where records are read. Probe again later.
      this.#reportedValues = undefined;
    }
  }

  #report(message: string): void {
    const kind = message.slice(0, 40);
    if (this.#reported.has(kind)) return;
    this.#reported.add(kind);
    this.settings.report(message);
  }

  readonly tombstone = async (): Promise<undefined> => undefined;
  /** Always empty, like the two that follow: the engine would have to scan all its triples. */
  readonly fragments = async (): Promise<readonly string[]> => [];
  readonly describedIn = async (): Promise<readonly string[]> => [];
  readonly origins = async (): Promise<readonly Origin[]> => [];
  readonly contexts = async (): Promise<ReadonlyMap<string, Json>> => new Map();
  readonly countUnder = async (): Promise<number> => (await this.stats()).records;
  readonly close = async (): Promise<void> => this.#access.client.close();
  readonly [Symbol.asyncDispose] = this.close;

  /** The number of entities by class, counted again after `STATS_FRESH` milliseconds; 0 as long as the engine cannot count them. Triples are not counted. */
  readonly stats = async (): Promise<StoreStats> => {
    const isOld = this.#stats === undefined || performance.now() - this.#stats.at > STATS_FRESH;
    if (isOld)
      this.#readingStats ??= this.#readStats()
        .catch((error: Error) => this.#report(`the engine cannot count its records: ${error.message}`))
        .finally(() => {
          this.#readingStats = undefined;
        });
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

function handleOf({ record }: CachedRecord): RecordHandle | undefined {
  if (record === undefined) return undefined;
  const { meta, graph } = record;
  const { sequence, modified, hash } = meta;
  return { sequence, modified, hash, triples: tripleCount(graph), bytes: 0, meta, record: async () => record };
}

function isDescribed(iri: string, triples: readonly TermTriple[]): boolean {
  return triples.some(([s, p]) => s.value === iri && s.termType === "NamedNode" && !REFERENCE_PROPERTIES.has(p.value));
}

/** The IRIs that embedding properties lead to and whose classes have no records of their own. */
function embeddedNodes(triples: readonly TermTriple[], done: ReadonlySet<string>): string[] {
  const classes = new Map<string, string[]>();
  for (const [s, p, o] of triples) if (p.value === RDF.type) entryOf(classes, s.value, () => []).push(o.value);
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
  const given = unpacked<unknown>(cursor);
  const [property, record] = Array.isArray(given) ? (given as unknown[]) : [];
  if (typeof property === "string" && typeof record === "string") return [property, record];
  throw new InvalidCursorError(cursor);
}
