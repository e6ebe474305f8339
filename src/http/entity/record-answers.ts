/** The answer for a record that was found: a ready one, one by the request's conditions, or the record written anew. */
import { createHash, randomUUID } from "node:crypto";
import type { EndpointName } from "../../model/tables/names.js";
import { type Nodes, nodesOf } from "../../rdf/record-graph.js";
import type { EncodedRecord, RecordHandle, StoredRecord } from "../../store/record.js";
import type { Store } from "../../store/store.js";
import type { Answer, WholeAnswer } from "../message/answer.js";
import {
  type ConditionalHeaders,
  type EntityRequestHeaders,
  entityTag,
  evaluateConditions,
  isConditional,
} from "../message/headers/conditions.js";
import { encode, MIN_CODED } from "../message/headers/content-coding.js";
import { formatHttpDate } from "../message/headers/http-date.js";
import type { Link } from "../message/headers/link.js";
import { wantedLanguages } from "../message/headers/negotiate.js";
import { atOnce, fromStore } from "../message/problems/store-unavailable.js";
import type { RenderContext, Representation, WrittenBody } from "../representations/representation.js";
import type { Addresses } from "./addresses.js";
import { AnswerCache, type CacheState, type ReadyAnswer } from "./answer-cache.js";
import { notAcceptable, preconditionFailed } from "./entity-problems.js";
import { toUri } from "./iri-equivalents.js";
import { isLarge, type LargeRecords } from "./large.js";
import { boundedLinks, headLinks, pointers } from "./links.js";
import { mementoLinks } from "./mementos.js";
import type { Variant } from "./prepared.js";

export interface RecordAnswersOptions {
  readonly store: Store;
  readonly addresses: Addresses;
  readonly representations: readonly Variant[];
  readonly vocabBase: string;
  /** As in `DereferenceOptions`. */
  readonly license?: string | undefined;
  /** The links of an endpoint's records to what describes it. */
  readonly endpointLinks: ReadonlyMap<EndpointName | null, readonly Link[]>;
  readonly cacheControl: string;
  readonly cacheBytes: number;
  /** Writes large records elsewhere. Default: they are written here. */
  readonly large?: LargeRecords | undefined;
  /** As in `RenderContext`; these representations have no suffix. */
  readonly taken?: ReadonlySet<string>;
}

/** All that decides about the answer for a record but its body. */
interface Chosen extends Pick<ReadyAnswer, "sequence" | "tag" | "modified"> {
  readonly iri: string;
  readonly representation: Variant;
  readonly endpoint: EndpointName | null;
  /** Where it has an address of its own, and the `Link` header. */
  readonly location: string;
  readonly links: string;
  /** The representation's own headers. */
  readonly headers?: readonly string[];
  /** Until when the answer is known to be true, and for whom, where it is made of more than the record. */
  readonly validity?: ReadyAnswer["validity"] | undefined;
}

/** How often a representation is written again because the store changed meanwhile. */
const MAX_REPEATS = 3;

export class RecordAnswers {
  readonly #context: RenderContext;
  readonly #cache: AnswerCache;
  /** The suffixes of an entity's URL in the links to its linkset and to its first description. */
  readonly #pointers: readonly string[];
  /** The representations that not every record has. */
  readonly #partial: readonly Representation[];
  /** Whether answers lead to earlier versions. */
  #areVersionsKept = false;
  /** Most records share the time of their publication, so the last date written is kept. */
  #dated = { time: Number.NaN, text: "" };

  constructor(private readonly options: RecordAnswersOptions) {
    const { store, addresses, representations, cacheBytes, endpointLinks, taken } = options;
    this.#context = { store, addresses, languages: [], endpointLinks, ...(taken && { taken }) };
    this.#cache = new AnswerCache(cacheBytes);
    this.#pointers = pointers(representations);
    this.#partial = representations.filter(({ appliesTo }) => appliesTo !== undefined);
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
    found: RecordHandle,
    representation: Variant | undefined,
    headers: EntityRequestHeaders,
  ): Answer | Promise<Answer> {
    if (representation === undefined) return this.#refuse(iri, found);
    this.#noticeVersions();
    const { large } = this.options;
    if (large !== undefined && isLarge(found)) return large.answer(iri, representation.slot, headers);
    if (representation.dependsOn !== undefined) return this.#depending(iri, found, representation, headers);
    const ready = this.#cache.get(iri, representation.slot);
    if (ready !== undefined && ready.sequence === found.sequence) return this.#conditional(iri, ready, headers);
    const answer = this.#withoutRecord(iri, found, representation, headers);
    if (answer !== undefined) return answer;
    const encoded = representation.writeEncoded && atOnce(() => found.encoded?.());
    const text = encoded && representation.writeEncoded?.(encoded.graph);
    if (text !== undefined)
      return this.#written(this.#chosen(iri, encoded!.meta, encoded!.graph, representation), text);
    const record = atOnce(() => found.record());
    return record instanceof Promise
      ? record.then((read) => this.#write(iri, read, representation))
      : this.#write(iri, record, representation);
  }

  /** Versions may be kept from some load on: what was kept before does not lead to them. */
  #noticeVersions(): void {
    const areKept = this.options.store.versions?.areKept() === true;
    if (areKept === this.#areVersionsKept) return;
    this.#areVersionsKept = areKept;
    this.#cache.clear();
  }

  /** 304 or 412 where the request's conditions ask for it; only the record's hash is read for that. */
  #withoutRecord(
    iri: string,
    found: RecordHandle,
    representation: Variant,
    headers: ConditionalHeaders,
  ): Answer | undefined {
    if (!isConditional(headers)) return undefined;
    // Whoever sends the tag of a hash has what it stands for; a date alone may be that of a damaged record.
    const { hash, modified } = headers["if-none-match"] === undefined ? atOnce(() => found.meta) : found;
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
    if (outcome === "failed") return preconditionFailed(this.options.addresses, iri, tag);
    return outcome === "not modified" ? this.#unchanged(iri, representation, tag) : undefined;
  }

  #write(iri: string, { meta, graph }: StoredRecord, representation: Variant): Answer | Promise<Answer> {
    const chosen = this.#chosen(iri, meta, nodesOf(graph), representation);
    return this.#written(chosen, representation.write({ meta, graph }, this.#context));
  }

  #written(chosen: Chosen, written: WrittenBody | Promise<WrittenBody>): Answer | Promise<Answer> {
    if (typeof written === "string") return this.#inCoding(chosen, written);
    if (written instanceof Promise) return written.then((given) => this.#written(chosen, given));
    return this.#inCoding({ ...chosen, headers: written.headers }, written.body);
  }

  #inCoding(chosen: Chosen, body: string): Answer | Promise<Answer> {
    const { coding } = chosen.representation;
    const coded = coding === undefined || body.length < MIN_CODED ? body : encode(body, coding);
    return coded instanceof Promise ? coded.then((all) => this.#keep(chosen, all)) : this.#keep(chosen, coded);
  }

  #chosen(iri: string, meta: EncodedRecord["meta"], nodes: Nodes, representation: Variant): Chosen {
    const { addresses, vocabBase, license } = this.options;
    const { endpoint, sequence, hash, modified } = meta;
    const tag = entityTag(hash, representation.variant);
    const url = addresses.url(iri);
    const location = url + (representation.suffix ?? "");
    const stated = headLinks({ meta, nodes }, vocabBase, license, location);
    const links = this.#links(iri, url, location, [...stated, ...representation.profileLink]);
    return { iri, representation, endpoint, sequence, location, links, tag, modified: datable(modified) };
  }

  /**
   * A representation that is made of more than its record. The ready answer is true while nothing at all has changed in the
   * store, and when its tag is still that of all that it is made of.
   */
  async #depending(
    iri: string,
    found: RecordHandle,
    representation: Variant,
    headers: EntityRequestHeaders,
  ): Promise<Answer> {
    const { dependsOn, slot, variant } = representation;
    const wanted = wantedLanguages(dependsOn!.languages === true ? headers["accept-language"] : undefined);
    // Readers of each language have a ready answer of theirs.
    const key = [iri, ...wanted.languages, ...(wanted.isChosen ? [""] : [])].join("\n");
    for (let repeats = 0; ; repeats++) {
      const sequence = await this.#storeSequence();
      const until = sequence === undefined ? undefined : { sequence, key };
      const ready = this.#cache.get(key, slot);
      const isSame = ready?.sequence === found.sequence;
      if (ready !== undefined && isSame && ready.validity?.sequence === sequence) {
        return this.#conditional(iri, ready, headers);
      }
      const record = await atOnce(() => found.record());
      const lacking = await this.#lackingOf(record);
      if (lacking.some(({ format }) => format === representation.format)) return this.#refuse(iri, found);
      const context = contextWithout({ ...this.#context, ...wanted }, lacking);
      const state = (await dependsOn!.state?.(record, context)) ?? "";
      const digest = createHash("sha256")
        .update(JSON.stringify([wanted, state, ...(context.taken ?? [])]))
        .digest("base64url")
        .slice(0, 12);
      const tag = entityTag(found.hash, `${variant}.${digest}`);
      if (ready !== undefined && isSame && ready.tag === tag && until !== undefined) {
        this.#cache.set(key, slot, { ...ready, validity: until });
        return this.#conditional(iri, ready, headers);
      }
      const answer = this.#byConditions(iri, representation, headers, tag, undefined);
      if (answer !== undefined) return answer;
      const written = await representation.write(record, context);
      const chosen = {
        ...this.#chosen(iri, record.meta, nodesOf(record.graph), representation),
        tag: entityTag(record.meta.hash, `${variant}.${digest}`),
        modified: undefined,
      };
      if ((await this.#storeSequence()) === sequence) return this.#written({ ...chosen, validity: until }, written);
      // The text may be of two states of the store, so it gets a tag that no other answer has.
      if (repeats === MAX_REPEATS) {
        const tag = entityTag(record.meta.hash, `${variant}.${digest}.${randomUUID()}`);
        return this.#written({ ...chosen, tag }, written);
      }
    }
  }

  /** The representations that a record lacks. */
  async #lackingOf(record: StoredRecord): Promise<readonly Representation[]> {
    const applies = await Promise.all(this.#partial.map(({ appliesTo }) => appliesTo!(record, this.#context)));
    return this.#partial.filter((_, at) => !applies[at]);
  }

  /** 406, with the representations that the record has. A large one is not read for that: nothing is named that it may lack. */
  async #refuse(iri: string, found: RecordHandle): Promise<Answer> {
    const { addresses, representations, large } = this.options;
    const isUnread = this.#partial.length === 0 || (large !== undefined && isLarge(found));
    const lacking = isUnread ? this.#partial : await this.#lackingOf(await atOnce(() => found.record()));
    const names = lacking.map(({ format }) => format);
    const there = representations.filter(({ format }) => !names.includes(format));
    const url = addresses.url(iri);
    const links = this.#pointers.map((end) => `<${url}${end}`);
    return notAcceptable(addresses, iri, there, links);
  }

  /** The number of the last change in the whole store, where it has one. Throws `StoreUnavailableError`. */
  async #storeSequence(): Promise<number | undefined> {
    const { store } = this.options;
    return store.changes === undefined ? undefined : (await fromStore(() => store.stats())).sequence;
  }

  /** The whole answer, kept for the next who asks when it was asked for before. */
  #keep(chosen: Chosen, body: string | Buffer): Answer {
    const { iri, representation, sequence, tag, modified, validity } = chosen;
    const whole = this.#whole(chosen, body);
    if (representation.dependsOn !== undefined && validity === undefined) return whole;
    // An answer that took decoding or compressing is kept at once.
    const isCheap = typeof body === "string" || representation.writeEncoded !== undefined;
    const key = validity?.key ?? iri;
    if (isCheap && !this.#cache.wasAsked(key, representation.slot)) return whole;
    const unchanged = this.#unchanged(iri, representation, tag, whole.about!.endpoint);
    const ready = { sequence, tag, modified, whole, unchanged };
    this.#cache.set(key, representation.slot, validity === undefined ? ready : { ...ready, validity });
    return whole;
  }

  #unchanged(iri: string, representation: Variant, tag: string, endpoint = "entity"): WholeAnswer {
    const { addresses, cacheControl } = this.options;
    const { format, suffix } = representation;
    const location = addresses.url(iri) + (suffix ?? "");
    // The headers of the 200 that a cache needs, and only those (RFC 9110, 15.4.5).
    const headers = ["ETag", tag, "Content-Location", location, "Cache-Control", cacheControl];
    headers.push(...this.#common(representation));
    return { status: 304, headers, body: "", about: { endpoint, format } };
  }

  #common({ common, commonByTime }: Variant): readonly string[] {
    return this.#areVersionsKept ? commonByTime : common;
  }

  /** 200 with everything that there is to say of the representation. */
  #whole(chosen: Chosen, body: string | Buffer): WholeAnswer {
    const { representation, endpoint, location, links, tag, modified, headers = [] } = chosen;
    const length = Buffer.byteLength(body);
    return {
      status: 200,
      headers: [
        ...["Content-Type", representation.contentType, "Content-Length", String(length)],
        ...(typeof body === "string" ? [] : ["Content-Encoding", representation.coding!]),
        ...["Content-Location", location, "ETag", tag],
        ...(modified === undefined ? [] : ["Last-Modified", this.#date(modified)]),
        ...["Cache-Control", this.options.cacheControl, "Link", links],
        ...headers,
        ...this.#common(representation),
      ],
      body,
      isAscii: typeof body === "string" && length === body.length,
      about: { endpoint: endpoint ?? "none", format: representation.format },
    };
  }

  /** The `Link` header of the representation at `location`; it describes the entity at `url`. */
  #links(iri: string, url: string, location: string, further: readonly string[]): string {
    const entity = toUri(iri);
    const header = boundedLinks([
      `<${entity}>; rel="cite-as"`,
      ...this.#pointers.map((end) => `<${url}${end}`),
      ...(location === url ? [] : [`<${entity}>; rel="describes"; anchor="${location}"`]),
      ...further,
    ]);
    return this.#areVersionsKept ? `${header}, ${mementoLinks(this.options.addresses.base, iri, url)}` : header;
  }

  #date(time: number): string {
    if (this.#dated.time !== time) this.#dated = { time, text: formatHttpDate(time) };
    return this.#dated.text;
  }

  /** A ready answer under the request's conditions. */
  #conditional(iri: string, { tag, modified, whole, unchanged }: ReadyAnswer, headers: ConditionalHeaders): Answer {
    const outcome = evaluateConditions(headers, tag, modified);
    if (outcome === "failed") return preconditionFailed(this.options.addresses, iri, tag);
    return outcome === "not modified" ? unchanged : whole;
  }
}

/** A clock that was ahead when the record was published must not put the date into the future (RFC 9110, 8.8.2.1). */
function datable(modified: number): number {
  return Math.min(modified, Date.now());
}

/** The context in which a record is written that lacks these: their suffixes stand for nothing. */
function contextWithout(context: RenderContext, lacking: readonly Representation[]): RenderContext {
  const suffixes = lacking.flatMap(({ suffix }) => suffix ?? []);
  return suffixes.length === 0 ? context : { ...context, taken: new Set([...(context.taken ?? []), ...suffixes]) };
}
