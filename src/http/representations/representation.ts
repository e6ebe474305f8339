/** The interface of a representation of an entity: its media type, profiles, suffix and writer. */
import { isDeepStrictEqual } from "node:util";
import { entryOf } from "../../base/entries.js";
import type { DocumentWriter } from "../../jsonld/documents.js";
import type { ModelSettings } from "../../model/settings.js";
import type { EndpointName } from "../../model/tables/names.js";
import type { EncodedGraph } from "../../rdf/encoded-graph.js";
import type { StoredRecord } from "../../store/record.js";
import type { Store } from "../../store/store.js";
import type { Addresses } from "../entity/addresses.js";
import type { Link } from "../message/headers/link.js";
import type { Offer, WantedLanguages } from "../message/headers/negotiate.js";
import type { Site } from "../pages/site.js";

/** What a representation may use besides the record. Each answer that shows more than the record itself has an object of its own. */
export interface RenderContext extends WantedLanguages {
  readonly store: Store;
  readonly addresses: Addresses;
  /** The suffixes that lead to no representation of this record: another record has that IRI, or the representation does not apply or cannot express the record. Default: none. */
  readonly taken?: ReadonlySet<string>;
  /** Where the reads of image files are noted. Default: nowhere. */
  readonly reads?: ImageReads;
  /** The links from records to the descriptions of their endpoint. Default: none. */
  readonly endpointLinks?: ReadonlyMap<EndpointName | null, readonly Link[]>;
}

/** The reads of image files that an answer is made from. Files change without the store, so a cached answer repeats them. */
export class ImageReads {
  readonly #checks: (() => Promise<boolean>)[] = [];

  note<T>(read: () => Promise<T>): Promise<T> {
    const result = read();
    this.#checks.push(async () => isDeepStrictEqual(await read(), await result));
    return result;
  }

  /** Whether all reads would give the same again. */
  async areCurrent(): Promise<boolean> {
    return (await Promise.all(this.#checks.map((check) => check()))).every(Boolean);
  }
}

/** What a representation depends on besides the record, its own version and the model's settings. Entity tags are made from all of this, and a cached answer is used only while all of it stays the same. There is no `Last-Modified`: an answer may change after its record did. */
interface Dependencies {
  /** Whether it depends on the client's languages, so that `Vary` names `Accept-Language`. Default: no. */
  readonly languages?: boolean;
  /** A text of the settings that it depends on, such as the collection's title. Default: none. */
  readonly settings?: string;
  /** Returns a text that changes with the data that it shows from other records and from image files; called when these have changed. Default: it shows none. */
  readonly state?: (record: StoredRecord, context: RenderContext) => string | Promise<string>;
}

/** Memoizes a function for the duration of an answer, so that `state` and then `write` can share its result. */
export function onceForAnswer<T>(make: (record: StoredRecord, context: RenderContext) => Promise<T>) {
  const made = new WeakMap<RenderContext, WeakMap<StoredRecord, Promise<T>>>();
  return (record: StoredRecord, context: RenderContext) => {
    const ofAnswer = entryOf(made, context, () => new WeakMap<StoredRecord, Promise<T>>());
    return entryOf(ofAnswer, record, () => make(record, context));
  };
}

export type WrittenBody = string | { readonly body: string; readonly headers: readonly string[] };

/** The body of a written representation. */
export function writtenText(written: WrittenBody): string {
  return typeof written === "string" ? written : written.body;
}

export interface Representation extends Offer {
  readonly format: string;
  /** Raise it whenever the writer gives other bytes for the same record: entity tags must change, and a test fails if it stays the same. */
  readonly version: number;
  readonly contentType: string;
  /** The suffix of an entity's URL for this representation; `null` if only negotiation leads to it. */
  readonly suffix: string | null;
  /** Its relation to the entity's URL (RFC 8288). Default: `alternate` and `describedby`. */
  readonly relation?: "alternate" | "linkset";
  /** Its name on pages that link to it. Default: pages do not link to it. */
  readonly label?: string;
  /** What it depends on besides the record. Default: nothing. */
  readonly dependsOn?: Dependencies;
  /** Whether it applies to a record; if not, nothing links to it, and requests give 404 or 406. It requires `dependsOn`. Default: it applies to every record. */
  readonly appliesTo?: (record: StoredRecord, context: RenderContext) => boolean | Promise<boolean>;
  /** Whether its syntax can express a record; if not, pages, linksets and lists of forms omit it, and requests give 406 with the reason. Default: it can express all. */
  readonly expresses?: (record: StoredRecord) => boolean;
  readonly write: (record: StoredRecord, context: RenderContext) => WrittenBody | Promise<WrittenBody>;
  /** Writes the same as `write`, from the stored bytes; `undefined` if only `write` can. Not called if there is `dependsOn`. Default: records are decoded first. */
  readonly writeEncoded?: (graph: EncodedGraph) => string | undefined;
}

/** The representations that a record lacks, or that cannot express it. Rejects with the errors of `appliesTo`. */
export async function lackedBy(record: StoredRecord, all: readonly Representation[], context: RenderContext) {
  const asked = all.map(({ appliesTo, expresses }) => appliesTo?.(record, context) ?? expresses?.(record) ?? true);
  const applies = await Promise.all(asked);
  return all.filter((_, at) => !applies[at]);
}

/** The settings of EDM: names and rights that records do not state. */
export interface EdmSettings {
  /** The institution that holds the objects. Default: the title of the site. */
  readonly dataProvider?: string | undefined;
  /** The institution that delivers the data to Europeana. Default: the data provider. */
  readonly provider?: string | undefined;
  /** The language of both names. */
  readonly language?: string | undefined;
  /** The rights of records that state none, as Europeana writes them. Default: `NOT_EVALUATED`. */
  readonly rights?: string | undefined;
}

export interface RenderSettings {
  readonly model: ModelSettings;
  readonly documents: Pick<DocumentWriter, "document" | "text" | "expanded">;
  readonly site: Site;
  readonly license?: string | undefined;
  /** The directory served at `/images/`. Default: none. */
  readonly images?: string | undefined;
  readonly edm?: EdmSettings | undefined;
  /** Returns the representations that a record links to; called only when a record is written. @param taken see `RenderContext` */
  readonly linked: (taken: ReadonlySet<string> | undefined) => readonly Addressed[];
}

export type Addressed = Representation & { readonly suffix: string };

/** The representations that have addresses of their own, except those with a `taken` suffix. */
export function addressed(representations: readonly Representation[], taken?: ReadonlySet<string>) {
  return representations.filter((each): each is Addressed => each.suffix !== null && taken?.has(each.suffix) !== true);
}

/** The suffixes of representations, the longest first, since `.schema.jsonld` also ends in `.jsonld`. */
export function suffixesOf(representations: readonly Representation[]): string[] {
  const suffixes = addressed(representations).map(({ suffix }) => suffix);
  return suffixes.sort((left, right) => right.length - left.length);
}

export type RepresentationMaker = (settings: RenderSettings) => Omit<Representation, "format">;
