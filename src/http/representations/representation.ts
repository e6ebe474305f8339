/** A representation of an entity: its media type, profiles, suffix and writer. */
import type { DocumentWriter } from "../../jsonld/documents.js";
import type { ModelSettings } from "../../model/settings.js";
import type { EndpointName } from "../../model/tables/names.js";
import type { EncodedGraph } from "../../rdf/encoded-graph.js";
import type { StoredRecord } from "../../store/record.js";
import type { Store } from "../../store/store.js";
import type { Addresses } from "../entity/addresses.js";
import type { Link } from "../message/headers/link.js";
import type { Offer } from "../message/headers/negotiate.js";
import type { Site } from "../pages/site.js";

/** The surroundings of a record that is being written, anew for each answer that shows more than the record itself. */
export interface RenderContext {
  readonly store: Store;
  readonly addresses: Addresses;
  /** The languages that the client wants, the most wanted first (`Accept-Language`); empty where it does not say. */
  readonly languages: readonly string[];
  /** Whether an address chose the first of them. Default: it did not. */
  readonly isChosen?: boolean;
  /** The suffixes that stand for no representation of the record, since another record has that address, or it does not apply. Default: there are none. */
  readonly taken?: ReadonlySet<string>;
  /** The links of an endpoint's records to what describes it. Default: there are none. */
  readonly endpointLinks?: ReadonlyMap<EndpointName | null, readonly Link[]>;
}

/**
 * The dependencies of a representation besides the record, its own version and the model's settings. All of it becomes part of
 * its entity tags, so that they change with it, and a ready answer is given only while it is the same. A date tells nothing
 * of such a representation, so it is answered without `Last-Modified`.
 */
interface Dependencies {
  /** It is made for the client's languages: `Vary` names `Accept-Language`. Default: it is not. */
  readonly languages?: boolean;
  /** Settings that it is made by, such as the collection's title, as a text. Default: none. */
  readonly settings?: string;
  /** A text that differs whenever what it shows of other records does; asked for when the store has changed. Default: it shows nothing of others. */
  readonly state?: (record: StoredRecord, context: RenderContext) => string | Promise<string>;
}

/** A result that is made of a record once for an answer: its state is asked for first, and the body is written then. */
export function onceForAnswer<T>(
  make: (record: StoredRecord, context: RenderContext) => Promise<T>,
): (record: StoredRecord, context: RenderContext) => Promise<T> {
  const made = new WeakMap<RenderContext, { readonly record: StoredRecord; readonly result: Promise<T> }>();
  return (record, context) => {
    const before = made.get(context);
    if (before?.record === record) return before.result;
    const result = make(record, context);
    made.set(context, { record, result });
    return result;
  };
}

/** A written representation: the body, where it has headers of its own with them. */
export type WrittenBody = string | { readonly body: string; readonly headers: readonly string[] };

/** The text of what was written. */
export function writtenText(written: WrittenBody): string {
  return typeof written === "string" ? written : written.body;
}

export interface Representation extends Offer {
  readonly format: string;
  /** Raised whenever the same record comes out as other bytes, so that entity tags change with them; a test fails otherwise. */
  readonly version: number;
  readonly contentType: string;
  /** The suffix of an entity's address that asks for it; `null` when only negotiation leads to it. */
  readonly suffix: string | null;
  /** How it stands to the entity's address (RFC 8288). Default: another form of it, and a description of the entity. */
  readonly relation?: "alternate" | "linkset";
  /** Its name on pages that link to it. Default: they do not link to it. */
  readonly label?: string;
  /** Default: it is made of the record alone. */
  readonly dependsOn?: Dependencies;
  /** Whether a record has it; where not, nothing links to it, and it is a 404 or 406. It goes with `dependsOn`. Default: every record has it. */
  readonly appliesTo?: (record: StoredRecord, context: RenderContext) => boolean | Promise<boolean>;
  readonly write: (record: StoredRecord, context: RenderContext) => WrittenBody | Promise<WrittenBody>;
  /** The same from the stored bytes; `undefined` where only `write` can. Not called where there is `dependsOn`. Default: records are decoded first. */
  readonly writeEncoded?: (graph: EncodedGraph) => string | undefined;
}

/** The settings of EDM: names and rights that no record states. */
export interface EdmSettings {
  /** Who has the objects. Default: the title of the site. */
  readonly dataProvider?: string | undefined;
  /** Who gives the data to Europeana. Default: the data provider. */
  readonly provider?: string | undefined;
  /** The language of both names. */
  readonly language?: string | undefined;
  /** The rights of what says none, as Europeana writes them. Default: `NOT_EVALUATED`. */
  readonly rights?: string | undefined;
}

export interface RenderSettings {
  readonly model: ModelSettings;
  readonly documents: Pick<DocumentWriter, "document" | "text" | "expanded">;
  readonly site: Site;
  readonly license?: string;
  /** The directory behind `/images/`. Default: there is none. */
  readonly images?: string;
  readonly edm?: EdmSettings;
  /** All representations; called when a record is written. */
  readonly all: () => readonly Representation[];
}

/** Makes a representation, but for its name. */
export type RepresentationMaker = (settings: RenderSettings) => Omit<Representation, "format">;
