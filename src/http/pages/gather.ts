/** Gathers what a page shows besides its record: backlinks, images, history, places, and which of its links have records here. */
import { REFERRING_PROPERTIES } from "../../model/relations.js";
import { PREFIXES, propertyIri } from "../../model/vocabulary/vocabulary.js";
import { filesNamed } from "../../search/pictures.js";
import type { RecordHandle, StoredRecord } from "../../store/record.js";
import type { Store } from "../../store/store.js";
import type { Addresses } from "../entity/addresses.js";
import { afterReading, isLarge } from "../entity/large-records.js";
import { tagOf } from "../message/content.js";
import { fromStore } from "../message/problems/problems.js";
import type { RenderContext } from "../representations/representation.js";
import { type Entry, isOwnReference, type LabelledRecord } from "./caption.js";
import { descriptionOf, type ResourceDescription, vocabularyTerm } from "./description.js";
import { entriesOf, labelsOf, nameHere } from "./entries.js";
import { Known, type RecordLabel } from "./known.js";
import type { Reader } from "./languages.js";
import { filesOf, visualsOf } from "./pictures.js";

/** The records that refer to an entity by one property. */
export interface ReferringGroup {
  readonly property: string;
  readonly count: number;
  /** The works or members among the first of them, to show with their pictures. */
  readonly cards: readonly Entry[];
  /** The URL of the list of all works or members, if `cards` may not have all. */
  readonly moreCards: string | undefined;
  /** The other records among the first of them. */
  readonly first: readonly LabelledRecord[];
  /** The URL of the list of all records, if `cards` and `first` do not have all. */
  readonly more: string | undefined;
}

export type Gathered = Awaited<ReturnType<typeof gather>>;

/** How many records a group of backlinks shows, and how many members a Set shows; a list has the others. */
const MAX_NAMED = 8;
const MAX_MEMBERS = 24;
/** How many records of a group to search for works. */
const MAX_SEARCHED = 24;
/** How many properties to show backlinks for; the most frequent ones come first. */
const MAX_GROUPS = 16;
/** How many Digital Objects a page shows images of, and how many pictures of the entity to search for them. */
const MAX_DIGITAL = 3;
const MAX_PICTURES = 4;
/** How many records of provenance the page of an object shows; a list has the others. */
const MAX_HISTORY = 24;
/** How many places to show on the map. */
const MAX_PLACES = 12;
/** How many IRIs outside the base URL to look up for a page. */
const MAX_LOOKED_UP = 500;

const REPRESENTS = propertyIri("represents")!;

/** The properties by which records of provenance refer to objects. */
const PROVENANCE_OF = ["transferred_title_of", "transferred_custody_of", "moved", "encountered", "transferred"];

/** The namespaces of the data model, whose IRIs have no records. */
const NAMESPACES = Object.values(PREFIXES);

type Around = Pick<RenderContext, "store" | "addresses">;

/** Gathers everything around a record. Rejects with `StoreUnavailableError`. */
export function gather(record: StoredRecord, { store, addresses }: Around, reader: Reader) {
  return fromStore(async () => new Gathering(record, store, addresses, await Known.of(store)).all(reader));
}

/** Gathers only the Digital Objects that show the entity, and the records of its pictures. Rejects with `StoreUnavailableError`. */
export function gatherShown(record: StoredRecord, { store, addresses }: Around) {
  return fromStore(async () => new Gathering(record, store, addresses, await Known.of(store)).shown());
}

class Gathering {
  readonly #description: ResourceDescription;
  /** The text of everything that the page shows from other records, to be hashed. */
  #digested = "";

  constructor(
    readonly record: StoredRecord,
    readonly store: Store,
    readonly addresses: Addresses,
    readonly known: Known,
  ) {
    this.#description = descriptionOf(record.graph);
  }

  async all(reader: Reader) {
    const named = this.#description.named();
    const here = await this.#here([this.#description.root, ...named]);
    const labels = await this.#labels(named, here);
    const shown = await this.shown();
    const places = await this.#places(named);
    const referring = await this.#referring(reader);
    const digest = this.#digested === "" ? "" : tagOf(this.#digested, 16);
    return { ...shown, ...referring, places, here, labels, digest };
  }

  /** Adds data to the digest. No IRI contains the separator; if a label does, the digest still changes with the label. */
  #note(what: string, more: string | number = "", last: string | number = ""): void {
    this.#digested += `${what}\u0000${more}\u0000${last}\n`;
  }

  /** The IRIs that the record names and that have records here, although they are not under the base URL. */
  async #here(named: readonly number[]): Promise<ReadonlySet<string>> {
    const here = new Set<string>();
    const iris = named.map((each) => this.record.graph.terms[each]!.value);
    const outside = iris.filter((iri) => !this.addresses.has(iri)).slice(0, MAX_LOOKED_UP);
    const { here: known } = this.known;
    for (const iri of outside) {
      const isOfModel = NAMESPACES.some((each) => iri.startsWith(each));
      if (!(known.get(iri) ?? known.put(iri, !isOfModel && (await this.store.find(iri)) !== undefined))) continue;
      here.add(iri);
      this.#note("here", iri);
    }
    return here;
  }

  /** The labels of records here to which the record refers without a label. */
  async #labels(named: ReadonlySet<number>, here: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    const { terms } = this.record.graph;
    const ours = [...named].filter((each) => here.has(terms[each]!.value) || this.addresses.has(terms[each]!.value));
    const labels = await labelsOf(this.store, this.#description, ours);
    for (const [iri, label] of labels) this.#note("label", iri, label);
    return labels;
  }

  /** The records of Digital Objects that show the entity or its pictures, and the records of the pictures, which may state the rights of images. */
  async shown() {
    const { references } = this.store;
    const { endpoint } = this.record.meta;
    const digital: ResourceDescription[] = [];
    const visuals: ResourceDescription[] = [];
    const files = filesNamed(this.record.graph).slice(0, MAX_DIGITAL);
    for (const picture of visualsOf(this.#description, endpoint).slice(0, MAX_PICTURES)) {
      const visual = endpoint === "visual" ? this.#description : await this.#recordOf(picture);
      if (visual !== undefined) visuals.push(visual);
      if (endpoint === "digital") continue;
      if (references !== undefined) files.push(...(await filesOf(references, picture, MAX_DIGITAL)));
      if (visual !== undefined) files.push(...filesNamed(visual.graph).slice(0, MAX_DIGITAL));
    }
    for (const iri of new Set(files)) {
      const file = digital.length < MAX_DIGITAL ? await this.#recordOf(iri) : undefined;
      if (file !== undefined) digital.push(file);
    }
    // The page of a file does not show the other files of the same picture.
    return { digital, visuals, pictured: endpoint === "digital" ? [] : [...visuals, ...digital] };
  }

  async #places(named: ReadonlySet<number>): Promise<ResourceDescription[]> {
    const description = this.#description;
    const { root, terms } = description;
    const nodes = [...named].filter((node) => node !== root && description.isOf(node, "Place")).sort((a, b) => a - b);
    const places = await Promise.all(nodes.slice(0, MAX_PLACES).map((node) => this.#recordOf(terms[node]!.value)));
    return places.filter((place) => place !== undefined);
  }

  /** The records that refer to the entity, by property, and those of them that are the history of an object. */
  async #referring(reader: Reader) {
    const { references } = this.store;
    const { iri } = this.record.graph;
    const history = new Map<string, ResourceDescription>();
    const referring: ReferringGroup[] = [];
    const counts = (await references?.counts(iri)) ?? [];
    for (const { property, records: count } of counts.toSorted((left, right) => right.records - left.records)) {
      if (property === null) continue;
      const isHistory = this.record.meta.endpoint === "object" && PROVENANCE_OF.includes(vocabularyTerm(property));
      const isGroup = referring.length < MAX_GROUPS;
      const { items } = await references!.page(iri, { property, limit: isGroup || isHistory ? MAX_SEARCHED : 0 });
      this.#note("referring", property, count);
      const works: string[] = [];
      const first: LabelledRecord[] = [];
      for (const { record } of items) {
        const found = await this.store.find(record);
        if (found === undefined) continue;
        const own = this.known.label(record, found);
        if (isLarge(found)) await afterReading();
        const isOfHistory = isHistory && own.endpoint === "provenance" && !isLarge(found) && !history.has(record);
        if (isOfHistory && history.size < MAX_HISTORY) history.set(record, await this.#read(record, found));
        if (!isGroup) continue;
        if (await this.#isWork(property, record, found)) works.push(record);
        else if (first.length < MAX_NAMED) first.push(await this.#named(record, own, reader));
      }
      if (!isGroup) continue;
      const mostWorks = this.#isMembership(property) ? MAX_MEMBERS : MAX_NAMED;
      const cards = await entriesOf(this.store, works.slice(0, mostWorks), reader, this.known);
      for (const card of cards) this.#note(JSON.stringify(card));
      const more = count > first.length + cards.length ? listAddress(this.addresses.base, iri, property) : undefined;
      const moreCards = more && this.#searchAddress(property, count > items.length);
      referring.push({ property, count, cards, moreCards, first, more });
    }
    return { referring, history: [...history.values()] };
  }

  /** A record that refers to the entity, with its name in the language of the page. */
  async #named(iri: string, { label: own, endpoint }: RecordLabel, reader: Reader): Promise<LabelledRecord> {
    const name = await nameHere(this.store, this.known, iri, own, reader.languages);
    const [entry] = name.text === "" ? await entriesOf(this.store, [iri], reader, this.known) : [];
    const label = entry?.label ?? name.text;
    this.#note(iri, label, [endpoint, name.language].join());
    return { iri, label, language: name.language, endpoint };
  }

  #isMembership(property: string): boolean {
    return this.record.meta.endpoint === "set" && vocabularyTerm(property) === "member_of";
  }

  /** Whether a record that refers to the entity is shown as a work, with its picture. An object that a person made is one; an object that they restored is not. */
  async #isWork(property: string, iri: string, found: RecordHandle): Promise<boolean> {
    if (this.#isMembership(property)) return true;
    const { endpoint } = this.known.label(iri, found);
    if (endpoint !== "object" && (endpoint !== "visual" || property !== REPRESENTS)) return false;
    if (isLarge(found)) return false;
    const description = descriptionOf((await this.known.record(iri, found)).graph);
    return isOwnReference(description, vocabularyTerm(property), this.record.graph.iri);
  }

  /** The URL of a search for the works that refer to the entity by a property; with `areAll`, for all records that do. Without such a search, a list of these records. */
  #searchAddress(property: string, areAll: boolean): string | undefined {
    const { base } = this.addresses;
    const [name] = [...REFERRING_PROPERTIES].find(([, each]) => each === vocabularyTerm(property)) ?? [];
    if (this.store.search === undefined || name === undefined)
      return listAddress(base, this.record.graph.iri, property);
    const path = areAll || this.#isMembership(property) ? "all" : property === REPRESENTS ? "visual" : "object";
    return `${base}/search/${path}?${name}=${encodeURIComponent(this.record.graph.iri)}`;
  }

  async #recordOf(iri: string): Promise<ResourceDescription | undefined> {
    const found = await this.store.find(iri);
    return found === undefined || isLarge(found) ? undefined : this.#read(iri, found);
  }

  /** Reads a record that the page shows, and adds its hash to the digest, since any change of it may change the page. */
  async #read(iri: string, found: RecordHandle): Promise<ResourceDescription> {
    this.#note(Buffer.from(found.hash).toString("base64url"));
    return descriptionOf((await this.known.record(iri, found)).graph);
  }
}

/** The URL of the list of all records that refer to an entity by a property. */
export function listAddress(base: string, iri: string, property: string, after?: string): string {
  const cursor = after === undefined ? "" : `&after=${encodeURIComponent(after)}`;
  return `${base}/referring?uri=${encodeURIComponent(iri)}&property=${encodeURIComponent(property)}${cursor}`;
}
