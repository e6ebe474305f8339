/** The answer for a record that was found: from the cache, by the request's conditions, or by writing the record. */
import { randomUUID } from "node:crypto";
import { remembering } from "../../base/bounded-map.js";
import type { EndpointName } from "../../model/tables/names.js";
import { InexpressibleError } from "../../rdf/inexpressible.js";
import { type Nodes, nodesOf } from "../../rdf/record-graph.js";
import type { EncodedRecord, RecordHandle, StoredRecord } from "../../store/record.js";
import type { Store } from "../../store/store.js";
import type { Answer, WholeAnswer } from "../message/answer.js";
import { tagOf } from "../message/content.js";
import { datable, entityTag, evaluateConditions, isConditional } from "../message/headers/conditions.js";
import { encode, MIN_CODED } from "../message/headers/content-coding.js";
import type { Link } from "../message/headers/link.js";
import { negotiate, wantedLanguages } from "../message/headers/negotiate.js";
import { fromStore, problem } from "../message/problems/problems.js";
import { ImageReads, lackedBy, type RenderContext, type WrittenBody } from "../representations/representation.js";
import type { Addresses, EntityRequest } from "./addresses.js";
import { AnswerCache, type ReadyAnswer } from "./answer-cache.js";
import { notAcceptable, nothingToShow, unwritable } from "./entity-problems.js";
import { toUri } from "./iri-equivalents.js";
import { isLarge, type LargeRecordThread } from "./large-records.js";
import { boundedLinks, headLinks, pointers } from "./links.js";
import { mementoLinks } from "./mementos.js";
import type { Variant } from "./prepared.js";
import { endingLonger } from "./resolution.js";

export interface AnswerOptions {
  readonly store: Store;
  /** The IRI of the licence of all records, which `Link` names. Default: none. */
  readonly license?: string;
  /** The links from records to the descriptions of their endpoint, such as its shapes. Default: none. */
  readonly endpointLinks?: ReadonlyMap<EndpointName, readonly Link[]>;
  /** The value of `Cache-Control` on entities. Default `no-cache`: caches keep answers, but revalidate them each time. */
  readonly cacheControl?: string;
  /** How many bytes of ready answers to keep. Default 64 MiB. */
  readonly cacheBytes?: number;
  /** The thread that writes large records. Default: the event loop writes all records. */
  readonly large?: LargeRecordThread | undefined;
}

interface Input {
  readonly iri: string;
  readonly found: RecordHandle;
  readonly representation: Variant;
  readonly request: EntityRequest;
  readonly taken: Taken;
  /** The representations among which this one was negotiated; none if the client named it. */
  readonly offered: readonly Variant[];
}

/** Suffixes that lead to no representation of a record: `/x.json` may be a record itself, and `/x.schema.jsonld` is an address of `/x`, not of `/x.schema`. */
type Taken = ReadonlySet<string>;
const NONE: Taken = new Set();

/** Everything about the answer for a record except its body. */
interface Head extends Pick<ReadyAnswer, "sequence" | "tag" | "modified" | "validity"> {
  readonly input: Input;
  readonly endpoint: EndpointName | null;
  /** The URL of just this representation, and the `Link` header. */
  readonly location: string;
  readonly links: string;
  readonly headers?: readonly string[];
}

/** How often to write a representation again because the store changed meanwhile. */
const MAX_REPEATS = 3;

const CACHE_BYTES = 64 * 2 ** 20;

export class RecordAnswers {
  readonly #cacheControl: string;
  readonly #context: RenderContext;
  readonly cache: AnswerCache;
  readonly #suffixes: readonly string[];
  readonly #endsLonger: ReturnType<typeof endingLonger>;
  /** The ends of the links to an entity's linkset and first description; see `pointers`. */
  readonly #pointers: readonly string[];
  readonly #partial: readonly Variant[];
  #areVersionsKept = false;

  constructor(
    private readonly options: AnswerOptions,
    readonly addresses: Addresses,
    readonly representations: readonly Variant[],
    readonly vocabBase: string,
  ) {
    const { store, cacheControl = "no-cache", cacheBytes = CACHE_BYTES, endpointLinks = new Map() } = options;
    this.#cacheControl = cacheControl;
    this.#context = { store, addresses, languages: [], endpointLinks };
    this.cache = new AnswerCache(cacheBytes);
    this.#suffixes = representations.flatMap(({ suffix }) => suffix ?? []);
    this.#endsLonger = endingLonger(representations);
    this.#pointers = pointers(representations);
    this.#partial = representations.filter(({ appliesTo, expresses }) => appliesTo ?? expresses);
  }

  /** The answer for a record in a representation (`undefined` if the client accepts none). Reads no more of the record than needed. Throws `StoreUnavailableError`. @param offered what it was negotiated among; none if the client named it */
  represent(
    iri: string,
    found: RecordHandle,
    representation: Variant | undefined,
    request: EntityRequest,
    offered: readonly Variant[] = [],
  ): Answer | Promise<Answer> {
    const represented = (taken: Taken): Answer | Promise<Answer> =>
      representation === undefined
        ? this.#refuse(iri, found, taken)
        : this.#represent({ iri, found, representation, request, taken, offered });
    const taken = this.#taken(iri);
    return taken instanceof Promise ? taken.then(represented) : represented(taken);
  }

  /** The suffix of a record's representation, or "" if another record has that address. */
  async suffixAt(iri: string, representation: Variant | undefined): Promise<string> {
    const suffix = representation?.suffix ?? "";
    return suffix === "" || (await this.#taken(iri)).has(suffix) ? "" : suffix;
  }

  /** The suffixes that lead to other records; few stores have any. Throws or rejects with `StoreUnavailableError`. */
  #taken(iri: string): Taken | Promise<Taken> {
    const { store } = this.options;
    if (store.hasFileNames?.() !== true && !this.#endsLonger(iri)) return NONE;
    const found = this.#suffixes.map((suffix) => fromStore(() => store.find(iri + suffix)));
    const taken = (there: readonly unknown[]): Taken =>
      new Set(this.#suffixes.filter((suffix, at) => there[at] !== undefined || this.#endsLonger(iri, suffix)));
    return found.some((each) => each instanceof Promise) ? Promise.all(found).then(taken) : taken(found);
  }

  #represent(input: Input): Answer | Promise<Answer> {
    const { iri, found, representation, request } = input;
    const { large, store } = this.options;
    const areVersionsKept = store.versions?.areKept() === true;
    // Answers cached before a load has begun to keep versions lack the links to them.
    if (areVersionsKept !== this.#areVersionsKept) this.cache.clear();
    this.#areVersionsKept = areVersionsKept;
    if (large !== undefined && isLarge(found)) {
      const asked = large.answer(iri, representation.slot, request);
      return asked.then((answer) => (answer.status === 406 ? this.#next(input, () => answer) : answer));
    }
    if (representation.dependsOn !== undefined) return this.#depending(input);
    const ready = this.#ready(input, iri);
    if (ready !== undefined) return this.#conditional(input, ready);
    const answer = representation.expresses === undefined ? this.#withoutRecord(input) : undefined;
    if (answer !== undefined) return answer;
    const encoded = representation.writeEncoded && fromStore(() => found.encoded?.());
    const text = encoded && representation.writeEncoded?.(encoded.graph);
    if (text !== undefined) return this.#written(this.#headOf(input, encoded!.meta, encoded!.graph), text);
    const record = fromStore(() => found.record());
    return record instanceof Promise ? record.then((read) => this.#write(input, read)) : this.#write(input, record);
  }

  /** The answer in the representation that the client accepts next. @param refuse makes the 406 if none is left */
  #next(input: Input, refuse: () => Answer | Promise<Answer>): Answer | Promise<Answer> {
    const { request, representation: lacking } = input;
    const { headers } = request;
    // Drops RDF/XML together with EDM (`application/rdf+xml;profile=...`), which has less of the record.
    const offered = input.offered.filter(({ contentType }) => !contentType.startsWith(lacking.contentType));
    const others = this.representations.filter((each) => !offered.includes(each));
    const next = negotiate(headers.accept, offered, headers["accept-profile"], others);
    const representation = lacking.coding === undefined ? next : next?.coded.get(lacking.coding);
    return representation === undefined ? refuse() : this.#represent({ ...input, representation, offered });
  }

  /** 304 or 412 if the request's conditions ask for it. Reads only the record's hash. */
  #withoutRecord(input: Input): Answer | undefined {
    const { found, representation, request } = input;
    const { headers } = request;
    if (!isConditional(headers)) return undefined;
    // A client that sends the tag has the right bytes. A date alone may be that of a damaged record, so read `meta`, which verifies the record.
    const { hash, modified } = headers["if-none-match"] === undefined ? fromStore(() => found.meta) : found;
    return this.#byConditions(input, entityTag(hash, representation.variant), datable(modified));
  }

  #byConditions(input: Input, tag: string, modified: number | undefined, ready?: WholeAnswer): Answer | undefined {
    const outcome = evaluateConditions(input.request.headers, tag, modified);
    if (outcome === "failed") {
      const detail = `${input.iri} is now ${tag}.`;
      return problem(this.addresses.base, "precondition-failed", detail, { headers: ["ETag", tag] });
    }
    return outcome === "not modified" ? (ready ?? this.#unchanged(input, tag)) : undefined;
  }

  #write(input: Input, record: StoredRecord): Answer | Promise<Answer> {
    const { representation, taken } = input;
    const head = this.#headOf(input, record.meta, nodesOf(record.graph));
    // Conditions do not count for a representation that the record lacks (RFC 9110, 13.2.1).
    const answer = representation.expresses?.(record) && this.#byConditions(input, head.tag, head.modified);
    if (answer) return answer;
    try {
      return this.#written(head, representation.write(record, { ...this.#context, taken }));
    } catch (error) {
      if (!(error instanceof InexpressibleError)) throw error;
      return this.#next(input, () => this.#refuse(input.iri, input.found, taken, unwritable(error)));
    }
  }

  #written(head: Head, written: WrittenBody | Promise<WrittenBody>): Answer | Promise<Answer> {
    if (written instanceof Promise) return written.then((given) => this.#written(head, given));
    if (typeof written !== "string") return this.#written({ ...head, headers: written.headers }, written.body);
    const { coding } = head.input.representation;
    const coded = coding === undefined || written.length < MIN_CODED ? written : encode(written, coding);
    return coded instanceof Promise ? coded.then((all) => this.#keep(head, all)) : this.#keep(head, coded);
  }

  #headOf(input: Input, meta: EncodedRecord["meta"], nodes: Nodes): Head {
    const { iri, representation, taken } = input;
    const { endpoint, sequence, hash, modified } = meta;
    const tag = entityTag(hash, representation.variant);
    const url = this.addresses.url(iri);
    const location = url + suffixOf(representation, taken);
    const stated = headLinks({ meta, nodes }, this.vocabBase, this.options.license, location);
    const links = this.#links(input, url, location, [...stated, ...representation.profileLink]);
    return { input, endpoint, sequence, location, links, tag, modified: datable(modified) };
  }

  /** The answer in a representation that depends on more than its record. A cached answer is current while the store and the images that it shows are unchanged, or if its tag is still the right one. */
  async #depending(input: Input): Promise<Answer> {
    const { iri, found, representation, request, taken } = input;
    const { dependsOn, slot, variant } = representation;
    const wanted = wantedLanguages(dependsOn!.languages === true ? request.headers["accept-language"] : undefined);
    // Each set of languages has a cached answer of its own.
    const key = [iri, ...wanted.languages, ...(wanted.chosen === undefined ? [] : [wanted.chosen])].join("\n");
    for (let repeats = 0; ; repeats++) {
      const sequence = await this.#storeSequence();
      const ready = this.#ready(input, key);
      if (ready?.validity && ready.validity.sequence === sequence && (await ready.validity.reads.areCurrent()))
        return this.#conditional(input, ready);
      const reads = new ImageReads();
      const until = sequence === undefined ? undefined : { sequence, reads, key };
      const record = await fromStore(() => found.record());
      const lacking = await lackedBy(record, this.#partial, { ...this.#context, reads });
      if (lacking.some(({ format }) => format === representation.format))
        return this.#next(input, () => this.#refuse(iri, found, taken, nothingToShow(iri, representation)));
      // The suffixes of representations that do not apply, or cannot express the record, lead nowhere.
      const nothing = new Set([...taken, ...lacking.flatMap(({ suffix }) => suffix ?? [])]);
      const context = { ...this.#context, taken: nothing, reads, ...wanted };
      const state = (await dependsOn!.state?.(record, context)) ?? "";
      const digest = tagOf(JSON.stringify([wanted, state, ...nothing]), 12);
      const tag = entityTag(found.hash, `${variant}.${digest}`);
      if (ready?.tag === tag && until !== undefined) {
        this.cache.set(key, slot, { ...ready, validity: until });
        return this.#conditional(input, ready);
      }
      const answer = this.#byConditions(input, tag, undefined);
      if (answer !== undefined) return answer;
      const written = await representation.write(record, context);
      const head = {
        ...this.#headOf(input, record.meta, nodesOf(record.graph)),
        tag: entityTag(record.meta.hash, `${variant}.${digest}`),
        modified: undefined,
      };
      if ((await this.#storeSequence()) === sequence) return this.#written({ ...head, validity: until }, written);
      // The text may mix two states of the store, so it gets a unique tag.
      if (repeats === MAX_REPEATS) {
        const tag = entityTag(record.meta.hash, `${variant}.${digest}.${randomUUID()}`);
        return this.#written({ ...head, tag }, written);
      }
    }
  }

  /** 406, with the representations of the record. A large record is not read for that: its list omits all representations that might not apply. */
  async #refuse(iri: string, found: RecordHandle, taken: Taken, reason?: string): Promise<Answer> {
    const { large } = this.options;
    const isUnread = this.#partial.length === 0 || (large !== undefined && isLarge(found));
    const lacking = isUnread
      ? this.#partial.filter(({ appliesTo }) => appliesTo !== undefined)
      : await lackedBy(await fromStore(() => found.record()), this.#partial, this.#context);
    const names = lacking.map(({ format }) => format);
    const there = this.#free(taken).filter(({ format }) => !names.includes(format));
    return notAcceptable(this.addresses, iri, there, this.#pointersFrom(this.addresses.url(iri), taken), reason);
  }

  #free(taken: Taken): readonly Variant[] {
    if (taken.size === 0) return this.representations;
    return this.representations.map((each) => ({ ...each, suffix: suffixOf(each, taken) || null }));
  }

  #pointersFrom(url: string, taken: Taken): string[] {
    const ends = taken.size === 0 ? this.#pointers : pointers(this.#free(taken));
    return ends.map((end) => `<${url}${end}`);
  }

  /** The sequence number of the last change in the store, if it has a change log. Throws `StoreUnavailableError`. */
  async #storeSequence(): Promise<number | undefined> {
    const { store } = this.options;
    return store.changes === undefined ? undefined : (await fromStore(() => store.stats())).sequence;
  }

  /** The cached answer for the record as it is. One with taken suffixes has none, since the record that takes a suffix may come or go at any moment. */
  #ready({ found, representation, taken }: Input, key: string): ReadyAnswer | undefined {
    const ready = taken.size === 0 ? this.cache.get(key, representation.slot) : undefined;
    return ready?.sequence === found.sequence ? ready : undefined;
  }

  /** Makes the whole answer, and caches it if it was requested before. */
  #keep(head: Head, body: string | Buffer): Answer {
    const { input, sequence, tag, modified, validity } = head;
    const { iri, representation, taken } = input;
    const whole = this.#whole(head, body);
    if (taken.size > 0 || (representation.dependsOn !== undefined && validity === undefined)) return whole;
    // An answer that needed decoding and compression is cached at the first request.
    const isCheap = typeof body === "string" || representation.writeEncoded !== undefined;
    const key = validity?.key ?? iri;
    if (isCheap && !this.cache.wasAsked(key, representation.slot)) return whole;
    const unchanged = this.#unchanged(input, tag, whole.about!.endpoint);
    this.cache.set(key, representation.slot, { sequence, tag, modified, validity, whole, unchanged });
    return whole;
  }

  #unchanged({ iri, representation, taken }: Input, tag: string, endpoint = "entity"): WholeAnswer {
    const location = this.addresses.url(iri) + suffixOf(representation, taken);
    // Repeat only those headers of the 200 that a cache needs (RFC 9110, 15.4.5).
    const headers = ["ETag", tag, "Content-Location", location, "Cache-Control", this.#cacheControl];
    headers.push(...(this.#areVersionsKept ? representation.commonByTime : representation.common));
    return { status: 304, headers, body: "", about: { endpoint, format: representation.format } };
  }

  #whole(head: Head, body: string | Buffer): WholeAnswer {
    const { endpoint, location, links, tag, modified, headers = [] } = head;
    const { representation } = head.input;
    const length = Buffer.byteLength(body);
    const whole = ["Content-Type", representation.contentType, "Content-Length", String(length)];
    if (typeof body !== "string") whole.push("Content-Encoding", representation.coding!);
    whole.push("Content-Location", location, "ETag", tag);
    if (modified !== undefined) whole.push("Last-Modified", dateOf(modified));
    whole.push("Cache-Control", this.#cacheControl, "Link", links, ...headers);
    whole.push(...(this.#areVersionsKept ? representation.commonByTime : representation.common));
    return {
      status: 200,
      headers: whole,
      body,
      isAscii: typeof body === "string" && length === body.length,
      about: { endpoint: endpoint ?? "none", format: representation.format },
    };
  }

  /** The `Link` header of the representation at `location`, which describes the entity at `url`. */
  #links({ iri, taken }: Input, url: string, location: string, further: readonly string[]): string {
    const entity = toUri(iri);
    const header = boundedLinks([
      `<${entity}>; rel="cite-as"`,
      ...this.#pointersFrom(url, taken),
      ...(location === url ? [] : [`<${entity}>; rel="describes"; anchor="${location}"`]),
      ...further,
    ]);
    return this.#areVersionsKept ? `${header}, ${mementoLinks(this.addresses.base, iri, url)}` : header;
  }

  #conditional(input: Input, { tag, modified, whole, unchanged }: ReadyAnswer): Answer {
    return this.#byConditions(input, tag, modified, unchanged) ?? whole;
  }
}

/** An HTTP date, remembered since most records share the time of their publication. */
const dateOf = remembering(64, (time: number) => new Date(time).toUTCString());

/** The suffix of a representation's URL; "" if only negotiation leads to the representation. */
function suffixOf({ suffix }: Variant, taken: Taken): string {
  return suffix === null || taken.has(suffix) ? "" : suffix;
}
