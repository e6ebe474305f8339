/** A store in memory, in the plainest form: what each function of a real one must answer. It answers by promises alone. */
import { createHash } from "node:crypto";
import { writeNQuads } from "../../src/rdf/ntriples-writer.js";
import { type Json, tripleCount } from "../../src/rdf/record-graph.js";
import { RDF } from "../../src/rdf/terms.js";
import { describedIn as describedNodes } from "../../src/store/embedded/format/mentions.js";
import { InvalidCursorError, StoreLacksError } from "../../src/store/errors.js";
import type {
  Archive,
  Change,
  ChangeSelection,
  ChangesQuery,
  EndpointKey,
  Found,
  Listed,
  NumberedEntry,
  Origin,
  Page,
  PageQuery,
  Reference,
  ReferenceCount,
  Snapshot,
  StoreCapabilities,
  StoredRecord,
  StoreStats,
} from "../../src/store/store.js";
import { endsLikeFile, NUMBERS_A_BLOCK } from "../../src/store/store.js";
import type { Publication, Stage, Staged, StageOptions, WritableStore } from "../../src/store/writable-store.js";
import { MEMBER_OF } from "./records.js";

interface Held {
  readonly staged: Staged;
  readonly meta: StoredRecord["meta"];
  readonly source: string | null;
}

/** Where an IRI is to lead. */
interface Move {
  readonly target: string;
}

interface Step {
  readonly iri: string;
  readonly staged: Staged | "delete" | "keep" | Move;
  /** Whether it is deleted because nothing was staged for it. */
  readonly isRest?: boolean;
}

/** IRIs longer than this come after all others, as in the embedded store. */
const MAX_KEY_BYTES = 1978;

export class MemoryStore implements WritableStore {
  readonly capabilities: StoreCapabilities;
  readonly #records = new Map<string, Held>();
  readonly #changes: { readonly change: Change; readonly source: string | null; readonly sets: readonly string[] }[] =
    [];
  readonly #contexts = new Map<string, Json>();
  #baseUrl: string | null = null;

  constructor() {
    const isSuffixed = (): boolean => this.#iris.some(endsLikeFile);
    this.capabilities = {
      atOnce: false,
      changes: true,
      referrers: true,
      lists: true,
      snapshots: false,
      search: false,
      versions: false,
      get suffixed() {
        return isSuffixed();
      },
    };
  }

  async find(iri: string): Promise<Found | undefined> {
    const held = this.#records.get(iri);
    if (held === undefined) return undefined;
    const { meta } = held;
    return {
      sequence: meta.sequence,
      modified: meta.modified,
      hash: meta.hash,
      triples: tripleCount(held.staged.graph),
      bytes: 0,
      meta,
      record: async () => recordOf(held),
    };
  }

  async tombstone(iri: string): Promise<Change | undefined> {
    const last = this.#changes.findLast(({ change }) => change.iri === iri)?.change;
    return last?.kind === "delete" || last?.kind === "move" ? last : undefined;
  }

  async version(sequence: number): Promise<StoredRecord | undefined> {
    const held = this.#all.find(({ meta }) => meta.sequence === sequence);
    return held && recordOf(held);
  }

  async fragments(iri: string, limit: number): Promise<readonly string[]> {
    return this.#iris.filter((other) => other.startsWith(`${iri}#`)).slice(0, limit);
  }

  async describedIn(iri: string, limit: number): Promise<readonly string[]> {
    const describing = this.#all.filter(({ staged: { graph } }) => describedNodes(graph).includes(iri));
    return describing.map(({ staged }) => staged.graph.iri).slice(0, limit);
  }

  async referrers(iri: string, query: PageQuery & { readonly property?: string }): Promise<Page<Reference>> {
    const references = [...this.#references(iri)].flatMap(([property, records]) =>
      query.property === undefined || query.property === property
        ? records.map((record) => ({ record, property }))
        : [],
    );
    return pageOf(references, query);
  }

  async referrerCounts(iri: string): Promise<readonly ReferenceCount[]> {
    return [...this.#references(iri)].map(([property, records]) => ({ property, records: records.length }));
  }

  async list(endpoint: EndpointKey, query: PageQuery): Promise<Page<Listed>> {
    const listed = this.#all
      .filter(({ staged }) => (staged.endpoint ?? "none") === endpoint)
      .map(({ staged: { graph, label } }) => ({ iri: graph.iri, label: label.slice(0, 500).toWellFormed() }))
      .sort((a, b) => compared(folded(a.label), folded(b.label)) || inStoreOrder(a.iri, b.iri));
    return pageOf(listed, query);
  }

  async search(): Promise<never> {
    throw new StoreLacksError("search");
  }

  async related(): Promise<never> {
    throw new StoreLacksError("search");
  }

  async relatedCount(): Promise<never> {
    throw new StoreLacksError("search");
  }

  async *records(endpoint?: EndpointKey): AsyncIterable<StoredRecord> {
    for (const held of this.#all) {
      if (endpoint === undefined || held.staged.endpoint === endpoint) yield recordOf(held);
    }
  }

  async changes(query: ChangesQuery): Promise<readonly Change[]> {
    const { after = 0, before, offset = 0, limit } = query;
    const selected = this.#selected(query);
    if (before === undefined) return selected.filter(({ sequence }) => sequence > after).slice(offset, offset + limit);
    return selected
      .filter(({ sequence }) => sequence < before)
      .reverse()
      .slice(0, limit);
  }

  async changeCount(selection: ChangeSelection = {}): Promise<number> {
    return this.#selected(selection).length;
  }

  async numbered(first: number, count: number): Promise<{ records: NumberedEntry[]; last: number }> {
    const created = this.#changes.filter(({ change }) => change.kind === "create").map(({ change }) => change);
    const records = created.slice(first - 1, first - 1 + count).flatMap(({ iri, sequence }) => {
      const held = this.#records.get(iri);
      const isLast = created.findLast((other) => other.iri === iri)?.sequence === sequence;
      return held !== undefined && isLast ? [{ iri, modified: held.meta.modified }] : [];
    });
    return { records, last: created.length };
  }

  async blockTimes(): Promise<readonly number[]> {
    const numbers = new Map<string, number>();
    const times: number[] = [];
    let created = 0;
    for (const { change } of this.#changes) {
      if (change.kind === "create") numbers.set(change.iri, created++);
      const number = numbers.get(change.iri);
      if (number !== undefined) times[Math.floor(number / NUMBERS_A_BLOCK)] = change.time;
      if (change.kind === "delete" || change.kind === "move") numbers.delete(change.iri);
    }
    return times;
  }

  async sourceOf(iri: string): Promise<string | null | undefined> {
    const held = this.#records.get(iri);
    return held === undefined ? this.#changes.findLast(({ change }) => change.iri === iri)?.source : held.source;
  }

  snapshot(): Snapshot {
    throw new StoreLacksError("snapshots");
  }

  archive(): Archive {
    throw new StoreLacksError("archives");
  }

  restore(): Promise<StoreStats> {
    throw new StoreLacksError("archives");
  }

  async stats(): Promise<StoreStats> {
    const all = this.#all;
    return {
      records: all.length,
      triples: all.reduce((sum, { staged }) => sum + tripleCount(staged.graph), 0),
      invalid: all.filter(({ staged }) => !staged.valid).length,
      endpoints: counted(all.map(({ staged }) => staged.endpoint ?? "none")),
      sequence: this.#changes.length,
      lastChange: this.#changes.at(-1)?.change.time ?? null,
      baseUrl: this.#baseUrl,
      sources: counted(all.flatMap(({ source }) => source ?? [])),
    };
  }

  async countUnder(prefix: string): Promise<number> {
    return this.#iris.filter((iri) => iri.startsWith(prefix)).length;
  }

  async origins(limit: number): Promise<readonly Origin[]> {
    const prefixes = this.#iris.map((iri) => /^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/[^/?#]*\/?)?/.exec(iri)![0]);
    return Object.entries(counted(prefixes))
      .map(([prefix, records]) => ({ prefix, records }))
      .slice(0, limit);
  }

  async contexts(): Promise<ReadonlyMap<string, Json>> {
    return this.#contexts;
  }

  async close(): Promise<void> {}

  async stage(options: StageOptions = {}): Promise<Stage> {
    const steps: Step[] = [];
    const preview = async (): Promise<Publication> => ({
      ...(await this.#publish(steps, options, true)),
      sequence: this.#changes.length,
    });
    return {
      put: async (staged) => void steps.push({ iri: staged.graph.iri, staged }),
      delete: async (iri, target) => void steps.push({ iri, staged: target === undefined ? "delete" : { target } }),
      keep: async (iri) => void steps.push({ iri, staged: "keep" }),
      deleteRest: async (onDeleted) => {
        const spared = new Set(steps.map(({ iri }) => iri));
        const rest = this.#iris.filter(
          (iri) =>
            !spared.has(iri) && (options.source === undefined || this.#records.get(iri)!.source === options.source),
        );
        for (const iri of rest) {
          steps.push({ iri, staged: "delete", isRest: true });
          onDeleted?.(iri);
        }
        return rest.length;
      },
      preview,
      publish: async () => this.#publish(steps, options, false),
      discard: async () => {},
    };
  }

  async #publish(
    steps: readonly Step[],
    { source, baseUrl, contexts }: StageOptions,
    isDry: boolean,
  ): Promise<Publication> {
    const counts = { created: 0, replaced: 0, unchanged: 0, deleted: 0, held: 0, withdrawn: 0, triples: 0 };
    const counting = steps.filter(({ staged }) => staged !== "keep");
    const last = new Map(counting.map((step) => [step.iri, step.staged as Staged | "delete" | Move]));
    const time = Math.max(Date.now(), this.#changes.at(-1)?.change.time ?? 0);
    // What is deleted as the rest comes after all else.
    const rest = new Set(counting.flatMap(({ iri, isRest }) => (isRest === true ? iri : [])));
    const order = (a: string, b: string): number => Number(rest.has(a)) - Number(rest.has(b)) || inStoreOrder(a, b);
    for (const iri of [...last.keys()].sort(order)) {
      const staged = last.get(iri)!;
      const held = this.#records.get(iri);
      if (staged === "delete" || "target" in staged) {
        const { target: former } = (await this.tombstone(iri)) ?? {};
        if (held !== undefined || (staged !== "delete" && former !== staged.target)) counts.deleted++;
      } else if (held !== undefined && sayingOf(held.staged) === sayingOf(staged)) counts.unchanged++;
      else {
        counts[held === undefined ? "created" : "replaced"]++;
        counts.triples += tripleCount(staged.graph);
      }
      if (!isDry) await this.#apply(iri, staged, source ?? held?.source ?? null, time);
    }
    if (!isDry) {
      if (baseUrl !== undefined) this.#baseUrl = baseUrl;
      for (const [uri, document] of contexts ?? []) this.#contexts.set(uri, document);
    }
    return { ...counts, repeated: repetitions(counting.map(({ iri }) => iri)), sequence: this.#changes.length };
  }

  async #apply(iri: string, staged: Staged | "delete" | Move, source: string | null, modified: number): Promise<void> {
    const held = this.#records.get(iri);
    const change = (
      kind: Change["kind"],
      { endpoint, label }: Pick<Change, "endpoint" | "label">,
      source: string | null,
      more: { readonly target?: string } = {},
    ): number =>
      this.#changes.push({
        change: {
          sequence: this.#changes.length + 1,
          iri,
          kind,
          time: modified,
          endpoint,
          label: label.slice(0, 500).toWellFormed(),
          ...more,
        },
        source,
        sets: [held?.staged, staged].flatMap((each) =>
          typeof each === "object" && "graph" in each ? setsOf(each) : [],
        ),
      });
    if (staged === "delete") {
      if (held === undefined) return;
      change("delete", held.staged, held.source);
      this.#records.delete(iri);
    } else if ("target" in staged) {
      const former = this.#changes.findLast((entry) => entry.change.iri === iri);
      if (held === undefined && former?.change.target === staged.target) return;
      const about = held?.staged ?? former?.change ?? { endpoint: null, label: "" };
      change("move", about, held === undefined ? (former?.source ?? null) : held.source, staged);
      this.#records.delete(iri);
    } else if (held !== undefined && sayingOf(held.staged) === sayingOf(staged)) {
      this.#records.set(iri, { ...held, source });
    } else {
      const { endpoint, label, valid } = staged;
      const hash = createHash("sha256")
        .update(writeNQuads(staged.graph))
        .update(JSON.stringify(staged.graph.context ?? 0))
        .digest();
      const sequence = change(held === undefined ? "create" : "update", staged, source);
      this.#records.set(iri, { staged, source, meta: { endpoint, label, valid, sequence, modified, hash } });
    }
  }

  get #iris(): string[] {
    return [...this.#records.keys()].sort(inStoreOrder);
  }

  get #all(): Held[] {
    return this.#iris.map((iri) => this.#records.get(iri)!);
  }

  #selected({ iri, set, endpoint, source }: ChangeSelection): Change[] {
    return this.#changes
      .filter((entry) => iri === undefined || entry.change.iri === iri)
      .filter((entry) => set === undefined || entry.sets.includes(set))
      .filter((entry) => endpoint === undefined || (entry.change.endpoint ?? "none") === endpoint)
      .filter((entry) => source === undefined || entry.source === source)
      .map(({ change }) => change);
  }

  /** The records that refer to an IRI, by property. */
  #references(iri: string): Map<string, string[]> {
    const references = new Map<string, string[]>();
    for (const { staged } of this.#all) {
      const { terms, triples, iri: record } = staged.graph;
      for (let at = 0; at < triples.length; at += 3) {
        const [property, object] = [terms[triples[at + 1]!]!.value, terms[triples[at + 2]!]!];
        if (object.termType !== "NamedNode" || object.value !== iri || property === RDF.type) continue;
        const records = references.get(property) ?? [];
        if (records.at(-1) !== record) references.set(property, [...records, record]);
      }
    }
    return references;
  }
}

function recordOf({ staged: { graph }, meta }: Held): StoredRecord {
  return { meta, graph };
}

function setsOf({ graph: { terms, triples } }: Staged): string[] {
  const sets: string[] = [];
  for (let at = 0; at < triples.length; at += 3) {
    if (terms[triples[at + 1]!]!.value === MEMBER_OF) sets.push(terms[triples[at + 2]!]!.value);
  }
  return sets;
}

/** Everything that makes a record another when it changes. */
export function sayingOf({ graph, endpoint, label, valid }: Staged): string {
  return JSON.stringify([writeNQuads(graph), graph.context, endpoint, label, valid]);
}

function pageOf<T>(items: readonly T[], { after, limit }: PageQuery): Page<T> {
  if (after !== undefined && !/^\d+$/.test(after)) throw new InvalidCursorError(after);
  const start = Number(after ?? 0);
  const end = start + limit;
  return { items: items.slice(start, end), next: end < items.length ? String(end) : undefined };
}

function folded(label: string): string {
  return label.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function compared(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The store's order: by UTF-8 bytes, and IRIs too long to be keys after all others. */
export function inStoreOrder(a: string, b: string): number {
  const isLong = (iri: string): number => Number(Buffer.byteLength(iri) > MAX_KEY_BYTES);
  return isLong(a) - isLong(b) || compared(a, b);
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** How many names come more than once. */
function repetitions(names: readonly string[]): number {
  return Object.values(counted(names)).filter((count) => count > 1).length;
}
