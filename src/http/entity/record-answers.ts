/** The answer for a record that was found: a ready one, one by the request's conditions, or the record written anew. */
import { createHash, randomUUID } from "node:crypto";
import type { EndpointName } from "../../model/tables/endpoints.js";
import type { Found, RecordMeta, Store, StoredRecord } from "../../store/store.js";
import type { Answer, WholeAnswer } from "../message/answer.js";
import {
  type ConditionalHeaders,
  entityTag,
  evaluateConditions,
  isConditional,
} from "../message/headers/conditions.js";
import { type Coding, encode, MIN_CODED } from "../message/headers/content-coding.js";
import { formatHttpDate } from "../message/headers/http-date.js";
import { parseAcceptLanguage } from "../message/headers/negotiate.js";
import { fromStore, StoreUnavailableError } from "../message/problems/store-unavailable.js";
import type { RenderContext, WrittenBody } from "../representations/representation.js";
import type { Addresses } from "./addresses.js";
import { AnswerCache, type CacheState, type ReadyAnswer } from "./answer-cache.js";
import { Applying, type Lacking } from "./applying.js";
import { notAcceptable, preconditionFailed } from "./entity-problems.js";
import { toUri } from "./iri-equivalents.js";
import { isLarge, type LargeRecords } from "./large.js";
import { boundedLinks, statedLinks, typeLinks } from "./links.js";
import { mementoLinks } from "./mementos.js";
import type { Variant } from "./prepared.js";

export interface RecordAnswersOptions {
  readonly store: Store;
  readonly addresses: Addresses;
  readonly representations: readonly Variant[];
  readonly vocabBase: string;
  /** As in `DereferenceOptions`. */
  readonly license?: string | undefined;
  /** What to add to the `Link` header of an endpoint's records, with a comma before it. */
  readonly endpointLinks: ReadonlyMap<EndpointName | null, string>;
  /** The value of `Cache-Control`. */
  readonly cacheControl: string;
  /** How many bytes of ready answers are kept. */
  readonly cacheBytes: number;
  /** Writes large records elsewhere. Default: they are written here. */
  readonly large?: LargeRecords | undefined;
  /** As in `RenderContext`; these representations have no suffix. */
  readonly taken?: ReadonlySet<string>;
}

/** What stands around the entity's URI in the links to it, and the same where the answer describes it from another URL. */
const IDENTITY = ["<", '>; rel="canonical", <', '>; rel="cite-as"'];
const DESCRIBING = [...IDENTITY.slice(0, -1), '>; rel="cite-as", <', '>; rel="describes"; anchor="'];

/** The headers of a request that decide about the answer in a given representation. */
export type AskedHeaders = ConditionalHeaders & { readonly "accept-language"?: string | undefined };

/** A record with all that decides about the answer for it but its body. */
interface Chosen {
  readonly iri: string;
  readonly record: StoredRecord;
  readonly representation: Variant;
  readonly tag: string;
  /** Milliseconds since 1970, or `undefined` where the record's date tells nothing of the representation. */
  readonly modified: number | undefined;
  /** The representation's own headers. */
  readonly headers?: readonly string[];
  /** Names of the representations that the record lacks. */
  readonly lacking: Lacking;
  /** Until when the answer is known to be true, and for whom, where other records decide about it; `null` where that is unknown. */
  readonly validity?: ReadyAnswer["validity"] | null;
}

/** How often a representation is written again because the store changed meanwhile. */
const MAX_REPEATS = 3;

/** Answers for records. */
export class RecordAnswers {
  readonly #options: RecordAnswersOptions;
  readonly #context: RenderContext;
  readonly #cache: AnswerCache;
  readonly #applying: Applying;
  /** Whether answers lead to earlier versions. */
  #areVersionsKept = false;
  /** Most records share the time of their publication, so the last date written is kept. */
  #dated = { time: Number.NaN, text: "" };

  constructor(options: RecordAnswersOptions) {
    const { store, addresses, representations, cacheBytes, taken } = options;
    this.#options = options;
    this.#context = { store, addresses, languages: [], ...(taken && { taken }) };
    this.#cache = new AnswerCache(cacheBytes);
    this.#applying = new Applying(representations);
  }

  get kept(): CacheState {
    return this.#cache.state;
  }

  /**
   * A record in a representation, which is `undefined` where the client accepts none; at once where the record is at hand
   * and written at once. Of the record no more is read than the answer needs. Throws `StoreUnavailableError`.
   */
  represent(
    iri: string,
    found: Found,
    representation: Variant | undefined,
    headers: AskedHeaders,
  ): Answer | Promise<Answer> {
    if (representation === undefined) return this.#refuse(iri, found);
    this.#noticeVersions();
    const { large } = this.#options;
    if (large !== undefined && isLarge(found)) return large.answer(iri, representation.slot, headers);
    if (representation.dependsOn !== undefined) return this.#depending(iri, found, representation, headers);
    const ready = this.#cache.get(iri, representation.slot);
    if (ready === undefined || ready.sequence !== found.sequence)
      return this.#anew(iri, found, representation, headers);
    const { validity } = ready;
    if (validity === undefined) return this.#conditional(iri, ready, headers);
    return this.#storeSequence().then((sequence) =>
      sequence === validity.sequence
        ? this.#conditional(iri, ready, headers)
        : this.#anew(iri, found, representation, headers),
    );
  }

  /** An answer that is written of the record, unless the request's conditions want none. */
  #anew(iri: string, found: Found, representation: Variant, headers: AskedHeaders): Answer | Promise<Answer> {
    const answer = this.#withoutRecord(iri, found, representation, headers);
    if (answer !== undefined) return answer;
    return after(recordOf(found), (record) => {
      const lacking = this.#applying.lacking(record, this.#context);
      if (!(lacking instanceof Promise)) return this.#write(iri, record, representation, lacking);
      return this.#writeLinked(iri, record, representation, lacking);
    });
  }

  /** 406, with the representations that the record has. */
  #refuse(iri: string, found: Found): Answer | Promise<Answer> {
    const { addresses, large } = this.#options;
    const refusal = (lacking: Lacking): Answer =>
      notAcceptable(addresses, iri, this.#applying.of(lacking), this.#applying.links(lacking, addresses.url(iri)));
    // A large record is not read here: nothing is said of what it may lack.
    if (large !== undefined && isLarge(found)) return refusal(this.#applying.mostLacking);
    return after(recordOf(found), (record) => after(this.#applying.lacking(record, this.#context), refusal));
  }

  /** As `#write`, where other records decide what the record lacks: what is kept of it is true while the store is unchanged. */
  async #writeLinked(
    iri: string,
    record: StoredRecord,
    representation: Variant,
    lacking: Promise<Lacking>,
  ): Promise<Answer> {
    const before = await this.#storeSequence();
    const known = await lacking;
    const isSame = before !== undefined && (await this.#storeSequence()) === before;
    return this.#write(iri, record, representation, known, isSame ? { sequence: before, languages: "" } : null);
  }

  /** Versions may be kept from some load on: what was kept before does not lead to them. */
  #noticeVersions(): void {
    const areKept = this.#options.store.versions?.areKept() === true;
    if (areKept === this.#areVersionsKept) return;
    this.#areVersionsKept = areKept;
    this.#cache.clear();
  }

  /** 304 or 412 where the request's conditions ask for it; only the record's hash is read for that. */
  #withoutRecord(iri: string, found: Found, representation: Variant, headers: ConditionalHeaders): Answer | undefined {
    if (!isConditional(headers)) return undefined;
    // Whoever sends the tag of a hash has what it stands for; a date alone may be that of a damaged record.
    const { hash, modified } = headers["if-none-match"] === undefined ? metaOf(found) : found;
    const tag = entityTag(hash, representation.variant);
    return this.#byConditions(iri, representation, headers, tag, datable(modified));
  }

  #byConditions(
    iri: string,
    representation: Variant,
    headers: ConditionalHeaders,
    tag: string,
    modified: number | undefined,
  ): Answer | undefined {
    const outcome = evaluateConditions(headers, tag, modified);
    if (outcome === "failed") return preconditionFailed(this.#options.addresses, iri, tag);
    return outcome === "not modified" ? this.#unchanged(iri, representation, tag) : undefined;
  }

  #write(
    iri: string,
    record: StoredRecord,
    representation: Variant,
    lacking: Lacking,
    validity?: Chosen["validity"],
  ): Answer | Promise<Answer> {
    const tag = entityTag(record.meta.hash, representation.variant);
    const modified = datable(record.meta.modified);
    const chosen = { iri, record, representation, tag, modified, lacking, ...(validity !== undefined && { validity }) };
    const written = representation.write(record, this.#context);
    const isReady = typeof written === "string" && representation.coding === undefined;
    return isReady ? this.#keep(chosen, written) : this.#finish(chosen, representation.coding, written);
  }

  /**
   * A representation that is made of more than its record. The ready answer is true while nothing at all has changed in the
   * store, and when its tag is still that of all that it is made of.
   */
  async #depending(iri: string, found: Found, representation: Variant, headers: AskedHeaders): Promise<Answer> {
    const { dependsOn, slot, variant, coding } = representation;
    const languages = dependsOn!.languages === true ? parseAcceptLanguage(headers["accept-language"] ?? "") : [];
    for (let repeats = 0; ; repeats++) {
      const sequence = await this.#storeSequence();
      const until = sequence === undefined ? undefined : { sequence, languages: languages.join() };
      const ready = this.#cache.get(iri, slot);
      const isSame = ready?.sequence === found.sequence && ready.validity?.languages === until?.languages;
      if (ready !== undefined && isSame && ready.validity?.sequence === sequence) {
        return this.#conditional(iri, ready, headers);
      }
      const record = await recordOf(found);
      const lacking = await this.#applying.lacking(record, this.#context);
      if (lacking.includes(representation.format)) return this.#refuse(iri, found);
      const context = this.#applying.context({ ...this.#context, languages }, lacking);
      const state = (await dependsOn!.state?.(record, context)) ?? "";
      const digest = createHash("sha256")
        .update(JSON.stringify([languages, state, ...(context.taken ?? [])]))
        .digest("base64url")
        .slice(0, 12);
      const tag = entityTag(found.hash, `${variant}.${digest}`);
      if (ready !== undefined && isSame && ready.tag === tag && until !== undefined) {
        this.#cache.set(iri, slot, { ...ready, validity: until });
        return this.#conditional(iri, ready, headers);
      }
      const answer = this.#byConditions(iri, representation, headers, tag, undefined);
      if (answer !== undefined) return answer;
      const written = await representation.write(record, context);
      const chosen = { iri, record, representation, lacking, modified: undefined };
      if ((await this.#storeSequence()) === sequence) {
        const own = entityTag(record.meta.hash, `${variant}.${digest}`);
        return this.#finish({ ...chosen, tag: own, validity: until ?? null }, coding, written);
      }
      // What was written may be of two states of the store, so it gets no tag that any other answer has.
      if (repeats === MAX_REPEATS) {
        const own = entityTag(record.meta.hash, `${variant}.${digest}.${randomUUID()}`);
        return this.#finish({ ...chosen, tag: own, validity: null }, coding, written);
      }
    }
  }

  /** The number of the last change in the whole store, where it has one. Throws `StoreUnavailableError`. */
  async #storeSequence(): Promise<number | undefined> {
    const { store } = this.#options;
    return store.changes === undefined ? undefined : (await fromStore(() => store.stats())).sequence;
  }

  /** The answer of what is written later, in a coding, or with headers of its own. */
  async #finish(
    chosen: Chosen,
    coding: Coding | undefined,
    written: WrittenBody | Promise<WrittenBody>,
  ): Promise<Answer> {
    const given = await written;
    const { body, headers } = typeof given === "string" ? { body: given, headers: [] } : given;
    const isCoded = coding !== undefined && body.length >= MIN_CODED;
    return this.#keep({ ...chosen, headers }, isCoded ? await encode(body, coding) : body);
  }

  /** The whole answer, kept for the next who asks when it was asked for before. */
  #keep(chosen: Chosen, body: string | Buffer): Answer {
    const { iri, record, representation, tag, modified, validity } = chosen;
    const whole = this.#whole(chosen, body);
    if (validity === null) return whole;
    // What took the work of compressing is kept at once.
    if (typeof body === "string" && !this.#cache.wasAsked(iri, representation.slot)) return whole;
    const unchanged = this.#unchanged(iri, representation, tag, whole.about!.endpoint);
    const ready = { sequence: record.meta.sequence, tag, modified, whole, unchanged };
    this.#cache.set(iri, representation.slot, validity === undefined ? ready : { ...ready, validity });
    return whole;
  }

  #unchanged(iri: string, representation: Variant, tag: string, endpoint = "entity"): WholeAnswer {
    const { addresses, cacheControl } = this.#options;
    const { format, suffix } = representation;
    const location = addresses.url(iri) + (suffix ?? "");
    // The headers of the 200 that a cache needs, and only those (RFC 9110, 15.4.5).
    const headers = [
      "ETag",
      tag,
      "Content-Location",
      location,
      "Cache-Control",
      cacheControl,
      ...this.#common(representation),
    ];
    return { status: 304, headers, body: "", about: { endpoint, format } };
  }

  #common({ common, commonByTime }: Variant): readonly string[] {
    return this.#areVersionsKept ? commonByTime : common;
  }

  /** 200 with everything that there is to say of the representation. */
  #whole(
    { iri, record, representation, tag, modified, lacking, headers = [] }: Chosen,
    body: string | Buffer,
  ): WholeAnswer {
    const url = this.#options.addresses.url(iri);
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
        ...(modified === undefined ? [] : ["Last-Modified", this.#date(modified)]),
        "Cache-Control",
        this.#options.cacheControl,
        "Link",
        boundedLinks(this.#links(record, url, location, lacking) + representation.profileLink),
        ...headers,
        ...this.#common(representation),
      ],
      body,
      isAscii: typeof body === "string" && length === body.length,
      about: { endpoint: record.meta.endpoint ?? "none", format: representation.format },
    };
  }

  /**
   * The `Link` header of the representation at `location`, but for its profile; it describes the entity at `url`. Constant
   * parts are joined by what varies: that makes one flat string, where a sum would be a chain to follow at each reading.
   */
  #links({ graph, meta: { endpoint } }: StoredRecord, url: string, location: string, lacking: Lacking): string {
    const { addresses, vocabBase, license, endpointLinks } = this.#options;
    const entity = toUri(graph.iri);
    return (
      (location === url ? IDENTITY : DESCRIBING).join(entity) +
      (location === url ? "" : `${location}"`) +
      this.#applying.links(lacking, url) +
      typeLinks(endpoint) +
      statedLinks(graph, vocabBase, license, location) +
      (endpointLinks.get(endpoint) ?? "") +
      (this.#areVersionsKept ? `, ${mementoLinks(addresses.base, graph.iri, url)}` : "")
    );
  }

  #date(time: number): string {
    if (this.#dated.time !== time) this.#dated = { time, text: formatHttpDate(time) };
    return this.#dated.text;
  }

  /** A ready answer under the request's conditions. */
  #conditional(iri: string, { tag, modified, whole, unchanged }: ReadyAnswer, headers: ConditionalHeaders): Answer {
    const outcome = evaluateConditions(headers, tag, modified);
    if (outcome === "failed") return preconditionFailed(this.#options.addresses, iri, tag);
    return outcome === "not modified" ? unchanged : whole;
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

/** What is made of a value, at once where that is at hand. */
function after<In, Out>(value: In | Promise<In>, make: (value: In) => Out | Promise<Out>): Out | Promise<Out> {
  return value instanceof Promise ? value.then(make) : make(value);
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
