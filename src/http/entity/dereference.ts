/** Dereferencing: from a request for an entity to the answer, without a socket (RFC 9110; DESIGN.md, HTTP). */

import type { ModelSettings } from "../../model/settings.js";
import type { EndpointName } from "../../model/tables/endpoints.js";
import { iriProblem } from "../../rdf/terms.js";
import type { Found, RecordMeta, Store, StoredRecord } from "../../store/store.js";
import { type Answer, bodyHeaders, COMMON_HEADERS, type WholeAnswer } from "../answer.js";
import { type ConditionalHeaders, entityTag, evaluateConditions, isConditional } from "../headers/conditions.js";
import { type Coding, codingFor, encode, MIN_CODED } from "../headers/content-coding.js";
import { type AddressHeaders, askedOf } from "../headers/forwarded.js";
import { formatHttpDate } from "../headers/http-date.js";
import { negotiateProfile, negotiator } from "../headers/negotiate.js";
import { problem } from "../problems/problems.js";
import { fromStore, StoreUnavailableError } from "../problems/store-unavailable.js";
import { Addresses, type Named, pathOf } from "./addresses.js";
import { AnswerCache, type ReadyAnswer } from "./answer-cache.js";
import { gone, notAcceptable, notFound, preconditionFailed } from "./entity-problems.js";
import { isMalformedEncoding, toUri } from "./iri-equivalents.js";
import { alternateLinks, boundedLinks, statedLinks } from "./links.js";
import { type Prepared, prepare } from "./prepared.js";
import type { Representation, Surroundings, Written } from "./representations.js";
import { type Finding, Seeker } from "./resolution.js";

/** A GET or HEAD request, as far as dereferencing reads it; `node:http`'s messages have this form. */
export interface EntityRequest {
  /** The request target as it came. */
  readonly url?: string | undefined;
  readonly headers: ConditionalHeaders &
    AddressHeaders & {
      readonly accept?: string | undefined;
      readonly "accept-encoding"?: string | string[] | undefined;
      readonly "accept-profile"?: string | string[] | undefined;
    };
}

export interface DereferenceOptions {
  readonly store: Store;
  readonly model: ModelSettings;
  /** `{base_url}`. */
  readonly baseUrl: string;
  /** Further addresses under which there are entities. Default: none. */
  readonly otherBaseUrls?: readonly string[];
  /** Whether `Forwarded` and `X-Forwarded-*` are a proxy's word. Default: they are not believed. */
  readonly trustProxy?: boolean;
  /** What there is of every entity, the default first. */
  readonly representations: readonly Representation[];
  /** What to add to the `Link` header of an endpoint's records, with a comma before it. Default: nothing. */
  readonly endpointLinks?: ReadonlyMap<EndpointName, string>;
  /** The value of `Cache-Control` on entities. Default `no-cache`: caches keep them, and ask each time whether they changed. */
  readonly cacheControl?: string;
  /** How many bytes of ready answers are kept. Default 64 MiB. */
  readonly cacheBytes?: number;
  /**
   * What else decides how records are written, such as a digest of the extension contexts: part of every entity tag.
   * Default empty.
   */
  readonly edition?: string;
}

/** What stands around the entity's URI in the links to it, and the same where the answer describes it from another URL. */
const IDENTITY = ["<", '>; rel="canonical", <', '>; rel="cite-as"'];
const DESCRIBING = [...IDENTITY.slice(0, -1), '>; rel="cite-as", <', '>; rel="describes"; anchor="'];

/** A record and the representation to answer it in. */
interface Chosen {
  readonly iri: string;
  readonly record: StoredRecord;
  readonly representation: Prepared;
  readonly tag: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** The representation's own headers. */
  readonly headers?: readonly string[];
}

/** Answers for entities. */
export class Dereferencer {
  readonly addresses: Addresses;
  readonly #store: Store;
  readonly #trustProxy: boolean;
  readonly #seeker: Seeker<Prepared>;
  readonly #representations: readonly Prepared[];
  /** What stands between the URLs in the links to the representations that have addresses of their own. */
  readonly #alternates: readonly string[];
  readonly #negotiate: (accept: string | undefined) => Prepared | undefined;
  readonly #cacheControl: string;
  readonly #vocabBase: string;
  readonly #endpointLinks: ReadonlyMap<EndpointName | null, string>;
  readonly #cache: AnswerCache;
  readonly #surroundings: Surroundings;
  /** Most records share the time of their publication, so the last date written is kept. */
  #dated = { time: Number.NaN, text: "" };

  constructor(options: DereferenceOptions) {
    this.addresses = new Addresses(options.baseUrl, ...(options.otherBaseUrls ?? []));
    this.#trustProxy = options.trustProxy ?? false;
    this.#store = options.store;
    this.#representations = options.representations.map((representation, index) =>
      prepare(representation, index, options.model, options.edition ?? ""),
    );
    this.#seeker = new Seeker(options.store, this.#representations);
    this.#alternates = alternateLinks(this.#representations);
    this.#negotiate = negotiator(this.#representations);
    this.#cacheControl = options.cacheControl ?? "no-cache";
    this.#cache = new AnswerCache(options.cacheBytes ?? 64 * 1_024 * 1_024);
    this.#surroundings = { store: options.store, addresses: this.addresses, languages: [] };
    this.#vocabBase = options.model.vocabBase;
    this.#endpointLinks = options.endpointLinks ?? new Map();
  }

  /**
   * The answer when it is at hand: for the very IRI that the request names, from a store that reads without waiting. All
   * others are for `existing` to give. Throws what a representation's writer throws.
   */
  ready(request: EntityRequest): Answer | Promise<Answer> | undefined {
    const { url = "/" } = request;
    if (!url.startsWith("/")) return undefined;
    if (!this.#store.capabilities.atOnce) return undefined;
    const iri = this.addresses.areSeveral ? this.#named(url, request).iris[0]! : this.addresses.base + url;
    try {
      const found = foundNow(this.#store, iri);
      return found && this.#represent(iri, found, this.#inCoding(this.#choose(request), request), request);
    } catch (error) {
      // A store that fails here fails again where that is answered for.
      if (error instanceof StoreUnavailableError) return undefined;
      throw error;
    }
  }

  /** A ready answer under the request's conditions. */
  #conditional(iri: string, { tag, modified, whole, unchanged }: ReadyAnswer, { headers }: EntityRequest): Answer {
    const outcome = evaluateConditions(headers, tag, modified);
    if (outcome === "failed") return preconditionFailed(this.addresses, iri, tag);
    return outcome === "not modified" ? unchanged : whole;
  }

  /**
   * The answer when a record has the very IRI that the request names, else `undefined`: a service path may then have its
   * turn, and `otherwise` the last word. Throws `StoreUnavailableError`, and what a representation's writer throws.
   */
  async existing(request: EntityRequest): Promise<Answer | undefined> {
    const path = pathOf(request.url ?? "/");
    if (path === undefined) return undefined;
    for (const iri of this.#named(path, request).iris) {
      const found = await this.#find(iri);
      if (found !== undefined)
        return this.#represent(iri, found, this.#inCoding(this.#choose(request), request), request);
    }
    return undefined;
  }

  /**
   * The answer when no record has the very IRI: by another spelling, a suffix or a fragment; 303 to the record that
   * describes it; 410, 404 or 400. Throws as `existing` does.
   */
  async otherwise(request: EntityRequest): Promise<Answer> {
    const path = pathOf(request.url ?? "/");
    if (path === undefined) return this.#malformed("The request target has no path.", undefined);
    const { iris, meant, lacksParameter } = this.#named(path, request);
    const finding = await this.#seeker.seek(iris);
    if (finding.kind === "record") {
      const representation = this.#inCoding(finding.representation ?? this.#choose(request), request);
      return this.#represent(finding.iri, finding.found, representation, request);
    }
    if (finding.kind === "embedded") return this.#seeOther(finding);
    const instance = toUri(path);
    if (finding.kind === "deleted") return gone(this.addresses, finding.change, instance);
    if (lacksParameter) {
      return this.#malformed("/entity needs the IRI of an entity, percent-encoded, as ?uri=", instance);
    }
    const wrong =
      iriProblem(meant) ?? (isMalformedEncoding(path) ? "has a % without two hexadecimal digits" : undefined);
    if (wrong !== undefined) return this.#malformed(`The IRI ${meant} ${wrong}.`, instance);
    return notFound(this.addresses, meant, finding, instance);
  }

  #named(path: string, { headers }: EntityRequest): Named {
    return this.addresses.named(path, this.addresses.areSeveral ? askedOf(headers, this.#trustProxy) : undefined);
  }

  /** What a request asks for by its headers. */
  #choose({ headers }: EntityRequest): Prepared | undefined {
    const profile = headers["accept-profile"];
    return profile === undefined
      ? this.#negotiate(headers.accept)
      : negotiateProfile(headers.accept, String(profile), this.#representations);
  }

  /** The representation in the coding that the request asks for. */
  #inCoding(representation: Prepared | undefined, { headers }: EntityRequest): Prepared | undefined {
    const accepted = headers["accept-encoding"];
    const coding = accepted === undefined ? undefined : codingFor(String(accepted));
    return coding === undefined ? representation : representation?.coded.get(coding);
  }

  /** What `fromStore` does, without its closure: every request comes through here. */
  async #find(iri: string): Promise<Found | undefined> {
    try {
      return await this.#store.find(iri);
    } catch (cause) {
      throw new StoreUnavailableError(cause);
    }
  }

  /**
   * A record in a representation, which is `undefined` where the client accepts none; at once where the record is at hand
   * and written at once. Of the record no more is read than the answer needs. Throws `StoreUnavailableError`.
   */
  #represent(
    iri: string,
    found: Found,
    representation: Prepared | undefined,
    request: EntityRequest,
  ): Answer | Promise<Answer> {
    if (representation === undefined) {
      return notAcceptable(this.addresses, iri, this.#representations, this.#alternates.join(this.addresses.url(iri)));
    }
    const ready = this.#cache.get(iri, representation.slot);
    if (ready !== undefined && ready.sequence === found.sequence) return this.#conditional(iri, ready, request);
    const answer = this.#withoutRecord(iri, found, representation, request);
    if (answer !== undefined) return answer;
    const record = recordOf(found);
    return record instanceof Promise
      ? record.then((read) => this.#write(iri, read, representation))
      : this.#write(iri, record, representation);
  }

  /** 304 or 412 where the request's conditions ask for it; only the record's hash is read for that. */
  #withoutRecord(iri: string, found: Found, representation: Prepared, { headers }: EntityRequest): Answer | undefined {
    if (!isConditional(headers)) return undefined;
    // Whoever sends the tag of a hash has what it stands for; a date alone may be that of a damaged record.
    const { hash, modified } = headers["if-none-match"] === undefined ? metaOf(found) : found;
    const tag = entityTag(hash, representation.variant);
    const outcome = evaluateConditions(headers, tag, datable(modified));
    if (outcome === "failed") return preconditionFailed(this.addresses, iri, tag);
    return outcome === "not modified" ? this.#unchanged(iri, representation, tag) : undefined;
  }

  #write(iri: string, record: StoredRecord, representation: Prepared): Answer | Promise<Answer> {
    const tag = entityTag(record.meta.hash, representation.variant);
    const chosen = { iri, record, representation, tag, modified: datable(record.meta.modified) };
    const written = representation.write(record, this.#surroundings);
    const isReady = typeof written === "string" && representation.coding === undefined;
    return isReady ? this.#keep(chosen, written) : this.#finish(chosen, representation.coding, written);
  }

  /** The answer of what is written later, in a coding, or with headers of its own. */
  async #finish(chosen: Chosen, coding: Coding | undefined, written: Written | Promise<Written>): Promise<Answer> {
    const given = await written;
    const { body, headers } = typeof given === "string" ? { body: given, headers: [] } : given;
    const isCoded = coding !== undefined && body.length >= MIN_CODED;
    return this.#keep({ ...chosen, headers }, isCoded ? await encode(body, coding) : body);
  }

  /** The whole answer, kept for the next who asks when it was asked for before. */
  #keep(chosen: Chosen, body: string | Buffer): Answer {
    const { iri, record, representation, tag, modified } = chosen;
    const whole = this.#whole(chosen, body);
    // What took the work of compressing is kept at once.
    if (typeof body === "string" && !this.#cache.wasAsked(iri, representation.slot)) return whole;
    const unchanged = this.#unchanged(iri, representation, tag);
    this.#cache.set(iri, representation.slot, { sequence: record.meta.sequence, tag, modified, whole, unchanged });
    return whole;
  }

  #unchanged(iri: string, { suffix }: Prepared, tag: string): WholeAnswer {
    return notModified(tag, this.addresses.url(iri) + (suffix ?? ""), this.#cacheControl);
  }

  /** 200 with everything that there is to say of the representation. */
  #whole({ iri, record, representation, tag, modified, headers = [] }: Chosen, body: string | Buffer): WholeAnswer {
    const url = this.addresses.url(iri);
    const location = url + (representation.suffix ?? "");
    const length = Buffer.byteLength(body);
    return {
      status: 200,
      headers: [
        "Content-Type",
        representation.contentType,
        "Content-Length",
        String(length),
        ...(typeof body === "string" ? [] : ["Content-Encoding", representation.coding!]),
        "Content-Location",
        location,
        "ETag",
        tag,
        "Last-Modified",
        this.#date(modified),
        "Cache-Control",
        this.#cacheControl,
        "Link",
        boundedLinks(this.#links(record, url, location) + representation.profileLink),
        ...headers,
        ...COMMON_HEADERS,
      ],
      body,
      isAscii: typeof body === "string" && length === body.length,
    };
  }

  /**
   * The `Link` header of the representation at `location`, but for its profile; it describes the entity at `url`. Constant
   * parts are joined by what varies: that makes one flat string, where a sum would be a chain to follow at each reading.
   */
  #links({ graph, meta: { endpoint } }: StoredRecord, url: string, location: string): string {
    const entity = toUri(graph.iri);
    return (
      (location === url ? IDENTITY : DESCRIBING).join(entity) +
      (location === url ? "" : `${location}"`) +
      this.#alternates.join(url) +
      statedLinks(graph, this.#vocabBase) +
      (this.#endpointLinks.get(endpoint) ?? "")
    );
  }

  #date(time: number): string {
    if (this.#dated.time !== time) this.#dated = { time, text: formatHttpDate(time) };
    return this.#dated.text;
  }

  /** 303: the IRI is that of a node which other records describe (Cool URIs for the Semantic Web, 4). */
  #seeOther({ records, representation }: Finding<Prepared> & { kind: "embedded" }): Answer {
    const body = `${JSON.stringify({ describedIn: records })}\n`;
    return {
      status: 303,
      headers: [
        "Location",
        this.addresses.url(records[0]!) + (representation?.suffix ?? ""),
        ...bodyHeaders("application/json", body),
        "Cache-Control",
        this.#cacheControl,
      ],
      body,
    };
  }

  #malformed(detail: string, instance: string | undefined): Answer {
    return problem(this.addresses.base, "malformed", { detail, ...(instance === undefined ? {} : { instance }) });
  }
}

/** What a store finds that answers at once. Throws `StoreUnavailableError`. */
function foundNow(store: Store, iri: string): Found | undefined {
  try {
    return store.find(iri) as Found | undefined;
  } catch (cause) {
    throw new StoreUnavailableError(cause);
  }
}

/** What is kept beside the record that was found. Throws `StoreUnavailableError`. */
function metaOf(found: Found): RecordMeta {
  try {
    return found.meta;
  } catch (cause) {
    throw new StoreUnavailableError(cause);
  }
}

/** The record that was found. Throws or rejects with `StoreUnavailableError`. */
function recordOf(found: Found): StoredRecord | Promise<StoredRecord> {
  let record: StoredRecord | Promise<StoredRecord>;
  try {
    record = found.record();
  } catch (cause) {
    throw new StoreUnavailableError(cause);
  }
  return record instanceof Promise ? fromStore(() => record) : record;
}

/** A clock that was ahead when the record was published must not put the date into the future (RFC 9110, 8.8.2.1). */
function datable(modified: number): number {
  return Math.min(modified, Date.now());
}

/** 304 with the headers of the 200 that a cache needs, and only those (RFC 9110, 15.4.5). */
function notModified(tag: string, location: string, cacheControl: string): WholeAnswer {
  return {
    status: 304,
    headers: ["ETag", tag, "Content-Location", location, "Cache-Control", cacheControl, ...COMMON_HEADERS],
    body: "",
  };
}
