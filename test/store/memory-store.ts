/** A store in memory, in the plainest form, as the model of real ones. All its answers are promises. */
import { createHash } from "node:crypto";
import { writeNQuads } from "../../src/rdf/ntriples/writer.js";
import type { RecordGraph } from "../../src/rdf/record-graph.js";
import { type Json, tripleCount } from "../../src/rdf/record-graph.js";
import { RDF } from "../../src/rdf/terms.js";
import type { Change, ChangeLog, ChangeSelection } from "../../src/store/changes.js";
import { backlinksOf } from "../../src/store/embedded/format/backlinks.js";
import { InvalidCursorError } from "../../src/store/errors.js";
import type { Paged, PageQuery, RecordHandle, StoredRecord, StoreStats } from "../../src/store/record.js";
import { endsLikeFile, type Lists, NUMBERS_A_BLOCK, type References } from "../../src/store/store.js";
import type { PublishedCounts, Stage, Staged, StageOptions, WritableStore } from "../../src/store/writable-store.js";
import { MEMBER_OF } from "./records.js";

interface Kept {
  readonly staged: Staged;
  readonly meta: StoredRecord["meta"];
  readonly source: string | null;
}

interface Logged {
  readonly change: Change;
  readonly source: string | null;
  readonly sets: readonly string[];
}

/** A change of a record: new content, or without a graph, its deletion or move. */
type Step = Staged | { readonly target?: string };

/** IRIs longer than this sort after all others, as in the embedded store. */
const MAX_KEY_BYTES = 1978;

export class MemoryStore implements WritableStore {
  #records = new Map<string, Kept>();
  #log: Logged[] = [];
  readonly #contexts = new Map<string, Json>();
  #baseUrl: string | null = null;

  readonly changes: ChangeLog = {
    page: async ({ after = 0, before, offset = 0, limit, ...selection }) => {
      const selected = this.#selected(selection);
      if (before === undefined)
        return selected.filter(({ sequence }) => sequence > after).slice(offset, offset + limit);
      const earlier = selected.filter(({ sequence }) => sequence < before);
      return earlier.reverse().slice(0, limit);
    },
    count: async (selection = {}) => this.#selected(selection).length,
    sourceOf: async (iri) => (this.#records.get(iri) ?? this.#last(iri))?.source,
  };

  readonly references: References = {
    page: async (iri, query) => {
      const all = this.#references(iri).flatMap(([property, records]) =>
        records.map((record) => ({ record, property })),
      );
      return pageOf(
        all.filter(({ property }) => query.property === undefined || query.property === property),
        query,
      );
    },
    counts: async (iri) => this.#references(iri).map(([property, records]) => ({ property, records: records.length })),
  };

  readonly lists: Lists = {
    records: (endpoint) => this.#walk(endpoint),
    page: async (endpoint, query) => {
      const listed = this.#all
        .filter(({ staged }) => (staged.endpoint ?? "none") === endpoint)
        .map(({ staged: { graph, label } }) => ({ iri: graph.iri, label: shortened(label) }))
        .sort((a, b) => compared(folded(a.label), folded(b.label)) || inStoreOrder(a.iri, b.iri));
      return pageOf(listed, query);
    },
    numbered: async (first, count) => {
      const created = this.#log.flatMap(({ change }) => (change.kind === "create" ? [change] : []));
      const records = created.slice(first - 1, first - 1 + count).flatMap(({ iri, sequence }) => {
        const kept = this.#records.get(iri);
        const isLast = created.findLast((other) => other.iri === iri)?.sequence === sequence;
        return kept !== undefined && isLast ? [{ iri, modified: kept.meta.modified }] : [];
      });
      return { records, last: created.length };
    },
    blockTimes: async () => {
      const numbers = new Map<string, number>();
      const times: number[] = [];
      let created = 0;
      for (const { change } of this.#log) {
        if (change.kind === "create") numbers.set(change.iri, created++);
        const number = numbers.get(change.iri);
        if (number !== undefined) times[Math.floor(number / NUMBERS_A_BLOCK)] = change.time;
      }
      return times;
    },
  };

  readonly hasFileNames = (): boolean => this.#iris.some(endsLikeFile);

  readonly find = async (iri: string): Promise<RecordHandle | undefined> => {
    const kept = this.#records.get(iri);
    if (kept === undefined) return undefined;
    const { meta, staged } = kept;
    const { sequence, modified, hash } = meta;
    const triples = tripleCount(staged.graph);
    return { sequence, modified, hash, triples, bytes: 0, meta, record: async () => recordOf(kept) };
  };

  readonly tombstone = async (iri: string): Promise<Change | undefined> => {
    const change = this.#last(iri)?.change;
    return change?.kind === "delete" || change?.kind === "move" ? change : undefined;
  };

  readonly fragments = async (iri: string, limit: number): Promise<readonly string[]> =>
    this.#iris.filter((other) => other.startsWith(`${iri}#`)).slice(0, limit);

  readonly describedIn = async (iri: string, limit: number): Promise<readonly string[]> =>
    this.#all.flatMap(({ staged: { graph } }) => (describes(graph, iri) ? [graph.iri] : [])).slice(0, limit);

  readonly stats = async (): Promise<StoreStats> => ({
    records: this.#records.size,
    triples: this.#all.reduce((sum, { staged }) => sum + tripleCount(staged.graph), 0),
    invalid: this.#all.filter(({ staged }) => !staged.valid).length,
    endpoints: counted(this.#all.map(({ staged }) => staged.endpoint ?? "none")),
    sequence: this.#log.length,
    lastChange: this.#log.at(-1)?.change.time ?? null,
    baseUrl: this.#baseUrl,
    sources: counted(this.#all.flatMap(({ source }) => source ?? [])),
  });

  readonly countUnder = async (prefix: string): Promise<number> =>
    this.#iris.filter((iri) => iri.startsWith(prefix)).length;

  readonly origins = async (limit: number) => {
    const prefixes = this.#iris.map((iri) => /^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/[^/?#]*\/?)?/.exec(iri)![0]);
    const origins = Object.entries(counted(prefixes)).map(([prefix, records]) => ({ prefix, records }));
    return origins.slice(0, limit);
  };

  readonly contexts = async (): Promise<ReadonlyMap<string, Json>> => this.#contexts;

  readonly close = async (): Promise<void> => {};
  readonly [Symbol.asyncDispose] = this.close;

  readonly stage = async (options: StageOptions = {}): Promise<Stage> => {
    const { source, baseUrl, contexts = new Map<string, Json>() } = options;
    const steps: (readonly [iri: string, step: Step])[] = [];
    const [kept, rest]: [Set<string>, string[]] = [new Set(), []];
    const published = () => {
      const last = new Map(steps);
      const [records, log] = [new Map(this.#records), [...this.#log]];
      const time = Math.max(Date.now(), log.at(-1)?.change.time ?? 0);
      for (const iri of [...last.keys()].sort(inStoreOrder)) apply(records, log, iri, last.get(iri)!, source, time);
      for (const iri of rest) apply(records, log, iri, {}, source, time);
      const kinds = counted(log.slice(this.#log.length).map(({ change }) => change.kind));
      const { create = 0, update = 0, delete: gone = 0, move = 0 } = kinds;
      const graphs = [...last].flatMap(([iri, step]) => ("graph" in step ? [[iri, step.graph] as const] : []));
      const written = graphs.filter(([iri]) => records.get(iri)!.meta.sequence > this.#log.length);
      const counts: Omit<PublishedCounts, "sequence"> = {
        created: create,
        replaced: update,
        unchanged: graphs.length - create - update,
        deleted: gone + move,
        held: 0,
        withdrawn: 0,
        triples: written.reduce((sum, [, graph]) => sum + tripleCount(graph), 0),
        kept: [...kept].filter((iri) => !last.has(iri)).length,
        repeated: Object.values(counted(steps.map(([iri]) => iri))).filter((count) => count > 1).length,
      };
      return { records, log, counts };
    };
    return {
      put: async (staged) => void steps.push([staged.graph.iri, staged]),
      delete: async (iri, target) => void steps.push([iri, target === undefined ? {} : { target }]),
      keep: async (iri) => void kept.add(iri),
      deleteRest: async (onDeleted) => {
        const spared = new Set([...kept, ...steps.map(([iri]) => iri)]);
        const isOfLoad = (iri: string) => source === undefined || this.#records.get(iri)!.source === source;
        rest.push(...this.#iris.filter((iri) => !spared.has(iri) && isOfLoad(iri)));
        for (const iri of rest) {
          const { staged, source } = this.#records.get(iri)!;
          const none = () => undefined;
          const deletion = {
            iri,
            kind: "delete",
            before: () => staged.graph,
            after: none,
            deletion: none,
            source,
          } as const;
          onDeleted?.(deletion, false);
        }
        return rest.length;
      },
      preview: async () => ({ ...published().counts, sequence: this.#log.length }),
      publish: async () => {
        const { records, log, counts } = published();
        [this.#records, this.#log] = [records, log];
        this.#baseUrl = baseUrl ?? this.#baseUrl;
        for (const [uri, document] of contexts) this.#contexts.set(uri, document);
        return { ...counts, sequence: log.length };
      },
      [Symbol.asyncDispose]: async () => {},
    };
  };

  get #iris(): string[] {
    return [...this.#records.keys()].sort(inStoreOrder);
  }

  get #all(): Kept[] {
    return this.#iris.map((iri) => this.#records.get(iri)!);
  }

  async *#walk(endpoint: string | undefined): AsyncIterable<StoredRecord> {
    for (const kept of this.#all) if (endpoint === undefined || kept.staged.endpoint === endpoint) yield recordOf(kept);
  }

  #last(iri: string): Logged | undefined {
    return this.#log.findLast(({ change }) => change.iri === iri);
  }

  #selected({ iri, set, endpoint, source }: ChangeSelection): Change[] {
    return this.#log
      .filter(({ change }) => iri === undefined || change.iri === iri)
      .filter(({ sets }) => set === undefined || sets.includes(set))
      .filter(({ change }) => endpoint === undefined || (change.endpoint ?? "none") === endpoint)
      .filter((entry) => source === undefined || entry.source === source)
      .map(({ change }) => change);
  }

  /** The records that refer to an IRI, by property. */
  #references(iri: string): [property: string, records: string[]][] {
    const references = new Map<string, Set<string>>();
    for (const { staged } of this.#all) {
      for (const [property, object] of statementsOf(staged)) {
        if (object.termType !== "NamedNode" || object.value !== iri || property === RDF.type) continue;
        references.set(property, (references.get(property) ?? new Set()).add(staged.graph.iri));
      }
    }
    return [...references].map(([property, records]) => [property, [...records]]);
  }
}

/** Apply one step of a publication. */
function apply(
  records: Map<string, Kept>,
  log: Logged[],
  iri: string,
  step: Step,
  given: string | undefined,
  time: number,
): void {
  const kept = records.get(iri);
  const former = log.findLast(({ change }) => change.iri === iri);
  const staged = "graph" in step ? step : undefined;
  const target = "graph" in step ? undefined : step.target;
  const source = (staged === undefined ? (kept ?? former)?.source : (given ?? kept?.source)) ?? null;
  if (staged !== undefined && kept !== undefined && contentOf(kept.staged) === contentOf(staged)) {
    records.set(iri, { ...kept, source });
    return;
  }
  if (staged === undefined && kept === undefined && (target === undefined || former?.change.target === target)) return;
  const { endpoint, label } = staged ?? kept?.staged ?? former?.change ?? { endpoint: null, label: "" };
  const [coming, going] = [kept === undefined ? "create" : "update", target === undefined ? "delete" : "move"] as const;
  const kind = staged === undefined ? going : coming;
  const sequence = log.length + 1;
  log.push({
    change: { sequence, iri, kind, time, endpoint, label: shortened(label), ...(target !== undefined && { target }) },
    source,
    sets: [kept?.staged, staged].flatMap((each) => (each === undefined ? [] : setsOf(each))),
  });
  records.delete(iri);
  if (staged === undefined) return;
  const { graph, valid } = staged;
  const hash = createHash("sha256")
    .update(writeNQuads(graph))
    .update(JSON.stringify(graph.context ?? 0))
    .digest();
  records.set(iri, { staged, source, meta: { endpoint, label, valid, sequence, modified: time, hash } });
}

function recordOf({ staged: { graph }, meta }: Kept): StoredRecord {
  return { meta, graph };
}

function statementsOf({ graph: { terms, triples } }: Staged) {
  return Array.from({ length: triples.length / 3 }, (_, at) => {
    return [terms[triples[3 * at + 1]!]!.value, terms[triples[3 * at + 2]!]!] as const;
  });
}

function setsOf(staged: Staged): string[] {
  return statementsOf(staged).flatMap(([property, object]) => (property === MEMBER_OF ? [object.value] : []));
}

/** All content of a record whose change makes a new version. */
export function contentOf({ graph, endpoint, label, valid }: Staged): string {
  return JSON.stringify([writeNQuads(graph), graph.context, endpoint, label, valid]);
}

function pageOf<T>(items: readonly T[], { after, limit }: PageQuery): Paged<T> {
  if (after !== undefined && !/^\d+$/.test(after)) throw new InvalidCursorError(after);
  const start = Number(after ?? 0);
  const end = start + limit;
  return { items: items.slice(start, end), next: end < items.length ? String(end) : undefined };
}

function shortened(label: string): string {
  return label.slice(0, 500).toWellFormed();
}

function folded(label: string): string {
  return label.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function compared(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The order of the store: by UTF-8 bytes, with IRIs too long for keys after all others. */
export function inStoreOrder(a: string, b: string): number {
  const isLong = (iri: string): number => Number(Buffer.byteLength(iri) > MAX_KEY_BYTES);
  return isLong(a) - isLong(b) || compared(a, b);
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (Object.hasOwn(counts, name) ? counts[name]! : 0) + 1;
  return counts;
}

/** Whether a record describes an embedded node with this IRI. */
function describes(graph: RecordGraph, iri: string): boolean {
  return backlinksOf(graph).some((link) => link.iri === iri && link.property === null);
}
