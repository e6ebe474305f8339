/** Lists of OAI-PMH: records and their headers, each at its last change, and the sets by which harvesters select. */
import { setImmediate as turn } from "node:timers/promises";
import { BoundedMap } from "../../../base/bounded-map.js";
import { entryOf } from "../../../base/entries.js";
import { xmlElement, xmlText } from "../../../base/xml.js";
import { ENDPOINTS } from "../../../model/tables/endpoints.js";
import { expandIri } from "../../../model/vocabulary/vocabulary.js";
import { objectsOf, type RecordGraph, rootOf } from "../../../rdf/record-graph.js";
import type { Change, ChangeLog, ChangeSelection } from "../../../store/changes.js";
import type { RecordHandle } from "../../../store/record.js";
import type { Store, StoreWith } from "../../../store/store.js";
import type { Addresses } from "../../entity/addresses.js";
import { unescaped } from "../../entity/iri-equivalents.js";
import { afterReading, isLarge } from "../../entity/large-records.js";
import type { RenderContext } from "../../representations/representation.js";
import type { MetadataFormat } from "./formats.js";
import { OaiError, type Position, packed, stamp } from "./request.js";

/** Records, and Sets, of a part of a list. */
const PAGE = 100;
const MAX_SETS = 200;

const MEMBER_OF = expandIri("la:member_of");

export class RecordLists {
  readonly #context: RenderContext;

  constructor(
    readonly store: StoreWith<"changes">,
    addresses: Addresses,
  ) {
    this.#context = { store, addresses, languages: [] };
  }

  /** A record by its identifier. Throws `OaiError`: idDoesNotExist. */
  async current(identifier: string): Promise<Current> {
    const found = await this.store.find(identifier);
    const sequence = found?.sequence ?? (await this.store.tombstone(identifier))?.sequence;
    const [change] = sequence === undefined ? [] : await this.store.changes.page({ after: sequence - 1, limit: 1 });
    if (change !== undefined && change.iri === identifier) return { change, found };
    throw new OaiError("idDoesNotExist", `There is no record ${identifier}`);
  }

  /** Part of a list from a position on, with the token for the next part; nothing where nothing is in it. @param write gives a record's XML */
  async *after(position: Position, { only }: MetadataFormat, write: (current: Current) => Promise<string | undefined>) {
    const selection = selected(position.set, only);
    if (selection === undefined) return;
    let given = 0;
    let last = position.after;
    for await (const current of currentChanges(this.store, selection, position)) {
      const { endpoint, sequence } = current.change;
      if (only !== undefined && endpoint !== only) continue;
      if (selection.set !== undefined && !(await this.#isIn(current, selection.set))) continue;
      const written = await write(current);
      if (written === undefined) continue;
      if (given === PAGE) {
        const token = packed({ ...position, after: last, given: position.given + given });
        yield `\n${xmlElement("resumptionToken", { cursor: String(position.given) }, token)}`;
        return;
      }
      yield given++ === 0 ? written : `\n${written}`;
      last = sequence;
    }
    // The last part of a list has an empty token (3.5).
    if (given > 0 && position.given > 0) {
      yield `\n${xmlElement("resumptionToken", { cursor: String(position.given) })}`;
    }
  }

  /** A record that left a Set is no more in it, and is not deleted either. */
  async #isIn({ found }: Current, set: string): Promise<boolean> {
    return found === undefined || membershipsOf((await found.record()).graph).includes(set);
  }

  /** A record in a format, or its header where it is deleted; `undefined` where the format cannot express it. */
  async record(current: Current, { only, write }: MetadataFormat): Promise<string | undefined> {
    const { found, change } = current;
    if (only !== undefined && change.endpoint !== only) return undefined;
    const header = await this.header(current);
    if (found === undefined) return xmlElement("record", {}, header);
    const metadata = await write(await found.record(), this.#context);
    // After a large record, others have their turns.
    if (isLarge(found)) await afterReading();
    return metadata && xmlElement("record", {}, `${header}\n${xmlElement("metadata", {}, `\n${metadata}\n`)}`);
  }

  async header({ change, found }: Current): Promise<string> {
    const { iri, time, endpoint } = change;
    const source = await this.store.changes.sourceOf(iri);
    const sets: string[] = [];
    // ListSets names those that have a record.
    for (const set of found === undefined ? [] : membershipsOf((await found.record()).graph)) {
      if ((await this.store.find(set))?.meta.endpoint === "set") sets.push(set);
    }
    const specs = [
      ...(endpoint === null ? [] : [specOf("kind", endpoint)]),
      ...(source == null ? [] : [specOf("source", source)]),
      ...sets.map((set) => specOf("set", set)),
    ];
    const content = [
      xmlElement("identifier", {}, xmlText(iri)),
      xmlElement("datestamp", {}, stamp(found?.modified ?? time)),
      ...specs.map((spec) => xmlElement("setSpec", {}, xmlText(spec))),
    ];
    return xmlElement("header", { status: found === undefined ? "deleted" : undefined }, content.join(""));
  }
}

/** The selection for a set and a format; `undefined` where nothing can be in both. */
function selected(set: string | undefined, only: MetadataFormat["only"]): ChangeSelection | undefined {
  const selection = set === undefined ? {} : selectionOf(set);
  if (selection === undefined || only === undefined || selection.set !== undefined) return selection;
  return selection.endpoint === undefined || selection.endpoint === only ? { ...selection, endpoint: only } : undefined;
}

interface Current {
  readonly change: Change;
  /** `undefined` where it was deleted or moved. */
  readonly found: RecordHandle | undefined;
}

const READ = 200;

/** Stretches of the log that have no current change any more: they never have one again, so that each is read through but once. */
const passed = new WeakMap<Store, BoundedMap<string, number>>();
const MAX_PASSED = 4_096;

/** The current state of records, the oldest change first: whoever reads on finds each once, and later what changes again. */
async function* currentChanges(
  store: StoreWith<"changes">,
  selection: ChangeSelection,
  { after, before = Number.POSITIVE_INFINITY }: Position,
): AsyncGenerator<Current> {
  const known = entryOf(passed, store, () => new BoundedMap(MAX_PASSED));
  const keyOf = (sequence: number) => JSON.stringify([selection, sequence]);
  let at = after;
  /** Where a stretch began that has nothing current. */
  let empty: number | undefined;
  for (;;) {
    const beyond = known.get(keyOf(at));
    if (beyond !== undefined) {
      empty ??= at;
      at = beyond;
    }
    const begin = at;
    let isEmpty = true;
    const changes = await store.changes.page({ ...selection, after: at, limit: READ });
    for (const change of changes) {
      if (change.time >= before) return;
      at = change.sequence;
      const current = await currentOf(store, change);
      if (current === undefined) continue;
      isEmpty = false;
      yield current;
    }
    if (changes.length < READ) return;
    empty = isEmpty ? (empty ?? begin) : undefined;
    if (empty !== undefined) known.put(keyOf(empty), at);
    await turn();
  }
}

/** The record of a change, where no later change is its last. */
async function currentOf(store: Store, change: Change): Promise<Current | undefined> {
  const { iri, sequence } = change;
  const found = await store.find(iri);
  if (found !== undefined) return found.sequence === sequence ? { change, found } : undefined;
  return (await store.tombstone(iri))?.sequence === sequence ? { change, found } : undefined;
}

/** The sequence number of the last change before a time: times never go back, so halving finds it. */
export async function lastBefore(log: ChangeLog, time: number): Promise<number> {
  let [low, high, last] = [0, await log.count(), 0];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [change] = await log.page({ offset: middle, limit: 1 });
    if (change !== undefined && change.time < time) [low, last] = [middle + 1, change.sequence];
    else high = middle;
  }
  return last;
}

/** A set by what it is of: `kind.object`, `source.NAME`, `set.IRI`. No set is within another, so none has a colon. */
export function specOf(kind: "kind" | "source" | "set", name: string): string {
  return `${kind}.${encodeURIComponent(name.toWellFormed()).replaceAll("*", "%2A").replaceAll("%", "*")}`;
}

/** The selection of a set; `undefined` where there is no such set. */
export function selectionOf(spec: string): ChangeSelection | undefined {
  const [, kind, name] = /^(kind|source|set)\.(.+)$/.exec(spec) ?? [];
  const value = unescaped((name ?? "").replaceAll("*", "%"));
  if (kind === undefined || specOf(kind as "kind", value) !== spec) return undefined;
  if (kind === "source") return { source: value };
  if (kind === "set") return { set: value };
  const endpoint = ENDPOINTS.find((each) => each.name === value);
  return endpoint && { endpoint: endpoint.name };
}

/** A part of all sets: first the kinds and sources, then the Sets in the order of their labels. */
export async function setsAfter(store: Store, after: string | undefined) {
  const page = await store.lists?.page("set", { after, limit: MAX_SETS });
  const sets = (page?.items ?? []).map(({ iri, label }) => ({ spec: specOf("set", iri), name: label || iri }));
  if (after !== undefined) return { sets, next: page?.next };
  const kinds = ENDPOINTS.map(({ name, title }) => ({ spec: specOf("kind", name), name: title }));
  const { sources = {} } = await store.stats();
  const feeds = Object.keys(sources).map((name) => ({ spec: specOf("source", name), name: `Records of ${name}` }));
  return { sets: [...kinds, ...feeds, ...sets], next: page?.next };
}

function membershipsOf(graph: RecordGraph): readonly string[] {
  return objectsOf(graph, rootOf(graph), MEMBER_OF)
    .map((each) => graph.terms[each]!)
    .flatMap(({ termType, value }) => (termType === "NamedNode" ? [value] : []));
}
