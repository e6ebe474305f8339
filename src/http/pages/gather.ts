/** Gathers what the store has around a record for its page: what refers to it, its images, its history, which links stay here. */
import { createHash } from "node:crypto";
import { PREFIXES, propertyIri } from "../../model/vocabulary/vocabulary.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import { rootOf } from "../../rdf/record-graph.js";
import type { Found, Store, StoredRecord } from "../../store/store.js";
import type { Addresses } from "../entity/addresses.js";
import { afterReading, isLarge } from "../entity/large.js";
import { fromStore } from "../problems/store-unavailable.js";
import { Description } from "./description.js";
import type { ReferringGroup } from "./referring.js";

/** What was found around a record. */
export interface Gathered {
  readonly referring: readonly ReferringGroup[];
  readonly digital: readonly RecordGraph[];
  readonly history: readonly RecordGraph[];
  /** Entities that the record names and that have records here, although their IRIs do not lie under the base URL. */
  readonly here: ReadonlySet<string>;
  /** The same as long as all of this is. */
  readonly digest: string;
}

/** Records that a group of what refers to an entity names; of more, there is a list. */
const MAX_NAMED = 8;
/** Properties by which records refer that a page names; the commonest come first. */
const MAX_GROUPS = 16;
/** Digital Objects whose images a page shows, and pictures that it looks for them at. */
const MAX_DIGITAL = 3;
const MAX_PICTURES = 4;
/** Records of provenance that are told on the page of what they happened to; of more, there is a list. */
const MAX_HISTORY = 24;
/** Entities elsewhere of which a page asks whether they are here. */
const MAX_ASKED = 500;

const DIGITALLY_SHOWS = propertyIri("digitally_shows")!;

/** By what records of provenance refer to what they happened to. */
const HAPPENED_TO: ReadonlySet<string> = new Set(
  ["transferred_title_of", "transferred_custody_of", "moved", "encountered", "transferred"].map(
    (term) => propertyIri(term)!,
  ),
);

/** The namespaces of the data model, which has no records. */
const NAMESPACES = Object.values(PREFIXES);

/** Everything around a record. Throws `StoreUnavailableError`. */
export function gather(record: StoredRecord, store: Store, addresses: Addresses): Promise<Gathered> {
  return fromStore(() => new Gathering(record, store, addresses).all());
}

class Gathering {
  readonly #graph: RecordGraph;
  readonly #digest = createHash("sha256");

  constructor(
    readonly record: StoredRecord,
    readonly store: Store,
    readonly addresses: Addresses,
  ) {
    this.#graph = record.graph;
  }

  async all(): Promise<Gathered> {
    const here = await this.#here();
    const digital = await this.#digital();
    const history: RecordGraph[] = [];
    const referring = this.store.capabilities.referrers ? await this.#referring(history) : [];
    return { referring, digital, history, here, digest: this.#digest.digest("base64url").slice(0, 16) };
  }

  #note(...what: readonly (string | number)[]): void {
    this.#digest.update(`${JSON.stringify(what)}\n`);
  }

  async #here(): Promise<ReadonlySet<string>> {
    const here = new Set<string>();
    const { terms } = this.#graph;
    let asked = 0;
    for (const { termType, value } of terms) {
      if (termType !== "NamedNode" || this.addresses.has(value) || NAMESPACES.some((each) => value.startsWith(each)))
        continue;
      if (asked++ >= MAX_ASKED) break;
      if ((await this.store.find(value)) === undefined) continue;
      here.add(value);
      this.#note("here", value);
    }
    return here;
  }

  /** The records of Digital Objects that show the entity, or the pictures of it. */
  async #digital(): Promise<readonly RecordGraph[]> {
    if (!this.store.capabilities.referrers) return [];
    const { endpoint } = this.record.meta;
    const pictures = endpoint === "visual" ? [this.#graph.iri] : this.#pictures();
    const found: RecordGraph[] = [];
    for (const picture of pictures.slice(0, MAX_PICTURES)) {
      const { items } = await this.store.referrers(picture, { property: DIGITALLY_SHOWS, limit: MAX_DIGITAL });
      for (const { record: iri } of items) {
        if (found.length >= MAX_DIGITAL) return found;
        const digital = await this.#graphOf(iri);
        if (digital !== undefined) found.push(digital);
      }
    }
    return found;
  }

  /** The pictures that the record refers to as its own. */
  #pictures(): string[] {
    const root = rootOf(this.#graph);
    const description = new Description(this.#graph);
    const visuals = [...description.values(root, "representation"), ...description.values(root, "shows")];
    return visuals
      .map((each) => this.#graph.terms[each]!)
      .flatMap(({ termType, value }) => (termType === "NamedNode" ? [value] : []));
  }

  async #referring(history: RecordGraph[]): Promise<readonly ReferringGroup[]> {
    const { iri } = this.#graph;
    const groups: ReferringGroup[] = [];
    const told = new Set<string>();
    const counts = [...(await this.store.referrerCounts(iri))].sort((left, right) => right.records - left.records);
    for (const { property, records: count } of counts) {
      if (property === null) continue;
      const isHistory = this.record.meta.endpoint === "object" && HAPPENED_TO.has(property);
      const limit = groups.length < MAX_GROUPS ? MAX_NAMED : 0;
      const page = await this.store.referrers(iri, { property, limit: isHistory ? MAX_HISTORY : limit });
      this.#note("referring", property, count);
      const first: ReferringGroup["first"][number][] = [];
      for (const { record } of page.items) {
        const found = await this.store.find(record);
        if (found === undefined) continue;
        const { label, endpoint } = found.meta;
        await afterReading(found);
        const isTold = isHistory && endpoint === "provenance" && !isLarge(found);
        if (isTold && !told.has(record) && told.size < MAX_HISTORY) {
          told.add(record);
          history.push(await this.#read(found));
        }
        if (first.length >= limit) continue;
        first.push({ url: this.addresses.url(record), label: label === "" ? record : label, endpoint });
        this.#note(record, label, endpoint ?? "");
      }
      if (groups.length >= MAX_GROUPS) continue;
      const more = count > first.length ? listAddress(this.addresses.base, iri, property) : undefined;
      groups.push({ property, count, first, more });
    }
    return groups;
  }

  async #graphOf(iri: string): Promise<RecordGraph | undefined> {
    const found = await this.store.find(iri);
    return found === undefined || isLarge(found) ? undefined : this.#read(found);
  }

  /** A record that is shown itself: whatever changes in it may change the page. */
  async #read(found: Found): Promise<RecordGraph> {
    this.#digest.update(found.hash);
    return (await found.record()).graph;
  }
}

/** Where all records are listed that refer to an entity by a property. */
export function listAddress(base: string, iri: string, property: string, after?: string): string {
  const cursor = after === undefined ? "" : `&after=${encodeURIComponent(after)}`;
  return `${base}/referring?uri=${encodeURIComponent(iri)}&property=${encodeURIComponent(property)}${cursor}`;
}
