/** The lists of OAI-PMH: records and their headers in the order of their last changes, and the sets by which harvesters select. */
import { setImmediate as turn } from "node:timers/promises";
import { BoundedMap } from "../../../base/bounded-map.js";
import { entryOf } from "../../../base/entries.js";
import { packed } from "../../../base/json.js";
import { lazily } from "../../../base/lazily.js";
import { unescaped } from "../../../base/plain-text.js";
import { xmlElement, xmlText } from "../../../base/xml.js";
import { ENDPOINTS } from "../../../model/tables/endpoints.js";
import type { RecordGraph } from "../../../rdf/record-graph.js";
import { type Change, type ChangeSelection, changeMark } from "../../../store/changes.js";
import type { RecordHandle } from "../../../store/record.js";
import type { Store, StoreWith } from "../../../store/store.js";
import { afterReading, isLarge } from "../../entity/large-records.js";
import { descriptionOf } from "../../pages/description.js";
import type { RenderContext } from "../../representations/representation.js";
import type { MetadataFormat } from "./formats.js";
import { datestamp, OaiError, type Position } from "./request.js";

/** How many records, and how many Sets, a part of a list has. */
const PAGE = 100;
const MAX_SETS = 200;

export class RecordLists {
  constructor(private readonly context: RenderContext & { readonly store: StoreWith<"changes"> }) {}

  /** Finds a record by its identifier. Throws `OaiError` idDoesNotExist. */
  async current(identifier: string): Promise<Current> {
    const { store } = this.context;
    const found = await store.find(identifier);
    const sequence = found?.sequence ?? (await store.tombstone(identifier))?.sequence;
    const [change] = sequence === undefined ? [] : await store.changes.page({ after: sequence - 1, limit: 1 });
    if (change !== undefined && change.iri === identifier) return readOnce(change, found);
    throw new OaiError("idDoesNotExist", `There is no record ${identifier}`);
  }

  /** Yields the part of a list after a position, with the token for the next part; nothing if the list is empty. @param write gives the XML of a record */
  async *after(position: Position, format: MetadataFormat, write: (current: Current) => Promise<string>) {
    const selection = selected(position.set, format.only);
    if (selection === undefined) return;
    let given = 0;
    let last = position.after;
    for await (const current of currentChanges(this.context.store, selection, position)) {
      const has = await hasFormat(current, format);
      // An update may have taken the format from the record, and harvesters still have the record in it. Records of other kinds never had it.
      if (!has && (format.expresses === undefined || current.change.kind !== "update")) continue;
      if (given === PAGE) {
        const mark = await changeMark(this.context.store, last);
        const token = packed({ ...position, after: last, mark, given: position.given + given });
        yield `\n${xmlElement("resumptionToken", { cursor: String(position.given) }, token)}`;
        return;
      }
      yield (given++ === 0 ? "" : "\n") + (await write(has ? current : { ...current, found: undefined }));
      last = current.change.sequence;
    }
    // The last part of a list has an empty token (3.5).
    if (given > 0 && position.given > 0) yield `\n${xmlElement("resumptionToken", { cursor: String(position.given) })}`;
  }

  /** A record in a format that it has; of a deleted record, only the header. */
  async record(current: Current, { write }: MetadataFormat): Promise<string> {
    const { found } = current;
    const header = await this.header(current);
    if (found === undefined) return xmlElement("record", {}, header);
    // A context of its own, since what is written once for an answer is kept for the context, and a store may return the same record again.
    const metadata = await write(await current.record(), { ...this.context });
    // Give other requests a turn after a large record.
    if (isLarge(found)) await afterReading();
    return xmlElement("record", {}, `${header}\n${xmlElement("metadata", {}, `\n${metadata}\n`)}`);
  }

  async header({ change, found, record }: Current): Promise<string> {
    const { iri, time, endpoint } = change;
    const source = await this.context.store.changes.sourceOf(iri);
    const specs = [
      ...(endpoint === null ? [] : [specOf("kind", endpoint)]),
      ...(source == null ? [] : [specOf("source", source)]),
    ];
    // Name only Sets that have a record, as ListSets does.
    for (const set of found === undefined ? [] : membershipsOf((await record()).graph))
      if ((await this.context.store.find(set))?.meta.endpoint === "set") specs.push(specOf("set", set));
    const content = [
      xmlElement("identifier", {}, xmlText(iri)),
      xmlElement("datestamp", {}, datestamp(found?.modified ?? time)),
      ...specs.map((spec) => xmlElement("setSpec", {}, xmlText(spec))),
    ];
    return xmlElement("header", { status: found === undefined ? "deleted" : undefined }, content.join(""));
  }
}

/** Whether a record is available in a format. For a deleted record, whether its kind is. */
export async function hasFormat(current: Current, { only, expresses }: MetadataFormat): Promise<boolean> {
  const { found, change, record } = current;
  if (only !== undefined && change.endpoint !== only) return false;
  return found === undefined || expresses === undefined || expresses(await record());
}

/** The selection for a set and a format; `undefined` if no record can be in both. */
function selected(set: string | undefined, only: MetadataFormat["only"]): ChangeSelection | undefined {
  const selection = set === undefined ? {} : selectionOf(set);
  if (selection === undefined || only === undefined || selection.set !== undefined) return selection;
  return selection.endpoint === undefined || selection.endpoint === only ? { ...selection, endpoint: only } : undefined;
}

type Current = ReturnType<typeof readOnce>;

/** The last change of a record, and the record, which is decoded once; it was not found if it was deleted or moved. */
function readOnce(change: Change, found: RecordHandle | undefined) {
  return { change, found, record: lazily(async () => found!.record()) };
}

const READ = 200;

/** The ends of stretches of the change log in which each record has a later change elsewhere, or has left the Set. That stays so, so each stretch is read only once. */
const outdated = new WeakMap<Store, BoundedMap<string, number>>();
const MAX_OUTDATED = 4_096;

/** Yields the current state of the selected records in the order of their last changes. A harvester that reads on finds each record once, and again after it changes. */
async function* currentChanges(store: StoreWith<"changes">, selection: ChangeSelection, position: Position) {
  const { after, before = Number.POSITIVE_INFINITY } = position;
  const known = entryOf(outdated, store, () => new BoundedMap(MAX_OUTDATED));
  const keyOf = (sequence: number) => JSON.stringify([selection, sequence]);
  let at = after;
  /** The beginning of the stretch without a listed record that ends at `at`. */
  let begin = at;
  for (;;) {
    at = known.get(keyOf(at)) ?? at;
    let isEmpty = true;
    const changes = await store.changes.page({ ...selection, after: at, limit: READ });
    for (const change of changes) {
      if (change.time >= before) return;
      at = change.sequence;
      const found = await store.find(change.iri);
      const last = found ?? (await store.tombstone(change.iri));
      // The record has a later change.
      if (last?.sequence !== change.sequence) continue;
      const current = readOnce(change, found);
      // Of a Set's records, only those that are deleted, or in the Set at this time.
      const isListed = found === undefined || selection.set === undefined;
      if (!isListed && !membershipsOf((await current.record()).graph).includes(selection.set)) continue;
      isEmpty = false;
      yield current;
    }
    if (changes.length < READ) return;
    if (isEmpty) known.put(keyOf(begin), at);
    else begin = at;
    await turn();
  }
}

/** The setSpec of a kind, source or Set: `kind.object`, `source.NAME`, `set.IRI`. It has no colon, since sets do not contain each other. */
export function specOf(kind: "kind" | "source" | "set", name: string): string {
  return `${kind}.${encodeURIComponent(name.toWellFormed()).replaceAll("*", "%2A").replaceAll("%", "*")}`;
}

/** The selection of a setSpec; `undefined` if there is no such set. */
export function selectionOf(spec: string): ChangeSelection | undefined {
  const [, kind, name] = /^(kind|source|set)\.(.+)$/.exec(spec) ?? [];
  const value = unescaped((name ?? "").replaceAll("*", "%"));
  if (kind === undefined || specOf(kind as "kind", value) !== spec) return undefined;
  if (kind === "source") return { source: value };
  if (kind === "set") return { set: value };
  const endpoint = ENDPOINTS.find((each) => each.name === value);
  return endpoint && { endpoint: endpoint.name };
}

/** A part of the list of all sets: first the kinds and sources, then the Sets in the order of their labels. */
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
  const description = descriptionOf(graph);
  return description.iris(description.root, "member_of");
}
