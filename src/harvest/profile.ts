/** The profile of a collection: what its documents use, by endpoint, and what they refer to. */
import { entryOf } from "../base/entries.js";
import { onOneLine } from "../base/shortened.js";
import { asList } from "../jsonld/json-values.js";
import { isJsonObject, type Json, type JsonObject } from "../rdf/record-graph.js";

export type Profile = Awaited<ReturnType<ProfileCounter["profile"]>>;

/** Limits on what is counted one by one, since a collection may contain any number of different things. */
const MAX_PATHS = 5_000;
const MAX_TERMS = 200_000;
const MAX_LANGUAGES = 1_000;
const MAX_LISTED = 100;
const MAX_SAMPLE = 60;
/** Deeper properties are not counted. */
const MAX_DEPTH = 8;

interface PathCount {
  records: number;
  values: number;
  readonly samples: string[];
  /** The number of the last record that has the path. */
  last: number;
}

interface TermCount {
  uses: number;
  label: string | null;
  record: string;
}

export class ProfileCounter {
  readonly #endpoints = new Map<string, { records: number; readonly paths: Map<string, PathCount> }>();
  readonly #classes = new Map<string, number>();
  readonly #languages = new Map<string, TermCount>();
  /** The IRIs that are referred to but not described at that place. */
  readonly #terms = new Map<string, TermCount>();
  #records = 0;

  /** @param own the beginnings of IRIs that are this collection's own */
  constructor(private readonly own: readonly string[]) {}

  /** Count a record's compact document. @param endpoint `none` when its class belongs to no endpoint */
  add(endpoint: string, document: JsonObject): void {
    this.#records++;
    const counted = entryOf(this.#endpoints, endpoint, () => ({ records: 0, paths: new Map() }));
    counted.records++;
    this.#walk(document, "", 0, counted.paths, String(document.id));
  }

  #walk(node: JsonObject, path: string, depth: number, paths: Map<string, PathCount>, record: string): void {
    const { id } = node;
    const isReference = depth > 0 && typeof id === "string";
    if (isReference) {
      const label = typeof node._label === "string" ? node._label : null;
      if (/(?:^|\/)language$/.test(path)) use(this.#languages, id, label, record, MAX_LANGUAGES);
      use(this.#terms, id, label, record, MAX_TERMS);
    } else
      for (const name of asList(node.type ?? []).map(String))
        this.#classes.set(name, (this.#classes.get(name) ?? 0) + 1);
    for (const [key, values] of Object.entries(node)) {
      if (key === "@context" || key === "id" || (isReference && (key === "type" || key === "_label"))) continue;
      const at = path === "" ? key : `${path}/${key}`;
      for (const value of asList(values)) {
        this.#count(paths, at, value);
        if (isJsonObject(value) && depth < MAX_DEPTH) this.#walk(value, at, depth + 1, paths, record);
      }
    }
  }

  #count(paths: Map<string, PathCount>, path: string, value: Json): void {
    if (!paths.has(path) && paths.size >= MAX_PATHS) return;
    const count = entryOf(paths, path, () => ({ records: 0, values: 0, samples: [], last: 0 }));
    count.values++;
    if (count.last !== this.#records) count.records++;
    count.last = this.#records;
    if (count.samples.length >= 3) return;
    const sample = sampleOf(value);
    if (sample !== undefined && !count.samples.includes(sample)) count.samples.push(sample);
  }

  /** The counts, with the first label that a reference gives each IRI. @param exists whether a record describes an IRI */
  async profile(exists: (iri: string) => boolean | Promise<boolean>) {
    /** The vocabularies, by the beginning of their IRIs. */
    const vocabularies = new Map<string, { iri: string; label: string | null; uses: number; terms: number }>();
    /** The IRIs of this collection that no record describes. */
    const dangling: { iri: string; label: string | null; uses: number; record: string }[] = [];
    for (const [iri, { uses, label, record }] of this.#terms) {
      if (this.own.some((base) => iri.startsWith(base))) {
        if (!(await exists(iri))) dangling.push({ iri, label, uses, record });
        continue;
      }
      const prefix = /^[^#?]*[/#]/.exec(iri)?.[0] ?? iri;
      const before = vocabularies.get(prefix) ?? { iri: prefix, label, uses: 0, terms: 0 };
      vocabularies.set(prefix, { ...before, uses: before.uses + uses, terms: before.terms + 1 });
    }
    const languages = [...this.#languages].map(([iri, { uses, label }]) => ({ iri, label, uses }));
    const classes = [...this.#classes].map(([name, nodes]) => ({ name, nodes }));
    return {
      records: this.#records,
      endpoints: [...this.#endpoints].map(([name, { records: all, paths }]) => ({
        name,
        records: all,
        properties: [...paths].map(([path, { records, values, samples }]) => ({ path, records, values, samples })),
      })),
      classes: classes.sort((a, b) => b.nodes - a.nodes),
      languages: byUses(languages),
      vocabularies: byUses([...vocabularies.values()]).slice(0, MAX_LISTED),
      dangling: { iris: dangling.length, most: byUses(dangling).slice(0, MAX_LISTED) },
    };
  }
}

function byUses<T extends { readonly uses: number; readonly iri: string }>(used: readonly T[]): T[] {
  return used.toSorted((a, b) => b.uses - a.uses || (a.iri < b.iri ? -1 : 1));
}

function use(counts: Map<string, TermCount>, iri: string, label: string | null, record: string, most: number): void {
  if (!counts.has(iri) && counts.size >= most) return;
  const count = entryOf(counts, iri, () => ({ uses: 0, label, record }));
  count.uses++;
  count.label ??= label;
}

/** A value as people read it; for a node its label, content or id; `undefined` when there is none of these. */
function sampleOf(value: Json): string | undefined {
  const shown = isJsonObject(value) ? (value._label ?? value.content ?? value.id) : value;
  if (shown === undefined || shown === null || typeof shown === "object") return undefined;
  return onOneLine(String(shown), MAX_SAMPLE);
}
