/** Dereferencing: from a request for an entity to its answer, without a socket (RFC 9110; docs/use/http.md). */
import { entryOf } from "../../base/entries.js";
import type { ModelSettings } from "../../model/settings.js";
import type { Json } from "../../rdf/record-graph.js";
import { iriProblem } from "../../rdf/terms.js";
import type { Change } from "../../store/changes.js";
import type { RecordHandle } from "../../store/record.js";
import { hasFacets, type StoreWith } from "../../store/store.js";
import { type Answer, jsonAnswer, redirect, varyingBy } from "../message/answer.js";
import { codingFor } from "../message/headers/content-coding.js";
import { targetUriOf } from "../message/headers/forwarded.js";
import { parseFixdate } from "../message/headers/http-date.js";
import { negotiator } from "../message/headers/negotiate.js";
import { fromStore, malformed, problem, StoreUnavailableError } from "../message/problems/problems.js";
import { type Representation, writtenText } from "../representations/representation.js";
import { type Addresses, type EntityRequest, pathAndQuery, pathOf } from "./addresses.js";
import { gone, notFound, notRepresented } from "./entity-problems.js";
import { MALFORMED_ENCODING, toUri } from "./iri-equivalents.js";
import { isKept, lifeOfAny, mementoAt, mementoLinks, timeMapUrl, versionUrl } from "./mementos.js";
import { prepare, type Variant } from "./prepared.js";
import { type AnswerOptions, RecordAnswers } from "./record-answers.js";
import { EntityResolver, type Resolution } from "./resolution.js";

export interface DereferenceOptions extends AnswerOptions {
  readonly addresses: Addresses;
  readonly model: ModelSettings;
  /** Whether to trust `Forwarded` and `X-Forwarded-*`, because a proxy sets them. Default: no. */
  readonly trustProxy?: boolean;
  /** The representations of every entity, the default first. */
  readonly representations: readonly Representation[];
  /** Extension contexts of documents, by URI, besides the model's own context; part of every entity tag. Default: none. */
  readonly contexts?: readonly (readonly [string, Json])[];
}

export class Dereferencer {
  readonly addresses: Addresses;
  readonly #versioned: StoreWith<"changes" | "versions"> | undefined;
  readonly #resolver: EntityResolver;
  readonly #representations: readonly Variant[];
  readonly #negotiate: ReturnType<typeof negotiator<Variant>>;
  readonly answers: RecordAnswers;
  /** What each request names. It is needed before the route of the request, and again if the route has nothing. */
  readonly #resolutions = new WeakMap<EntityRequest, Promise<Resolution>>();

  constructor(private readonly options: DereferenceOptions) {
    const { store, model, addresses, contexts = [], representations } = options;
    this.addresses = addresses;
    this.#versioned = hasFacets(store, "changes", "versions") ? store : undefined;
    const edition = JSON.stringify(contexts);
    this.#representations = representations.map((each, index) => prepare(each, index, model, edition));
    this.#resolver = new EntityResolver(store, this.#representations);
    this.#negotiate = negotiator(this.#representations);
    this.answers = new RecordAnswers(options, this.addresses, this.#representations, model.vocabBase);
  }

  /** The answer for a record in the representation of a slot. Rejects with `StoreUnavailableError`, and with a writer's errors. */
  async represent(iri: string, slot: number, request: EntityRequest): Promise<Answer> {
    const found = await fromStore(() => this.options.store.find(iri));
    if (found === undefined)
      throw new StoreUnavailableError(new Error(`the record <${iri}> was deleted while it was read`));
    const all = this.#representations.flatMap((each) => [each, ...each.coded.values()]);
    const representation = all.find((each) => each.slot === slot);
    return this.answers.represent(iri, found, representation, request);
  }

  /** The answer if a record has exactly the requested IRI; synchronous if the store is. Throws or rejects with `StoreUnavailableError`, and with a writer's errors. */
  existing(request: EntityRequest): Answer | Promise<Answer | undefined> | undefined {
    const { iris } = this.#named(request);
    if (request.headers["accept-datetime"] === undefined) return this.#firstOf(iris, request);
    return this.#past(iris, request).then((past) => past ?? this.#firstOf(iris, request));
  }

  #firstOf(iris: readonly string[], request: EntityRequest): Answer | Promise<Answer | undefined> | undefined {
    for (const [at, iri] of iris.entries()) {
      const found = fromStore(() => this.options.store.find(iri));
      if (found instanceof Promise)
        return found.then((there) =>
          there === undefined ? this.#firstOf(iris.slice(at + 1), request) : this.#chosen(iri, there, request),
        );
      if (found !== undefined) return this.#chosen(iri, found, request);
    }
    return undefined;
  }

  #chosen(iri: string, found: RecordHandle, request: EntityRequest): Answer | Promise<Answer> {
    const representation = this.#ofFormat(request);
    if (representation !== undefined) return this.#represented({ kind: "record", iri, found, representation }, request);
    return this.answers.represent(iri, found, this.#variantFor(request), request, this.#representations);
  }

  /** The answer if the request names a record by another spelling, a suffix or, with `mayHaveFragment`, without its fragment; else `undefined`. Throws as `existing` does. */
  async spelled(request: EntityRequest, mayHaveFragment = true): Promise<Answer | undefined> {
    const finding = await this.#resolution(request);
    if (finding.kind !== "record" || (!mayHaveFragment && finding.iri.includes("#"))) return undefined;
    return this.#represented(finding, request);
  }

  /** The answer if no record has exactly the requested IRI: by another spelling, 303 to a describing record, 301, 410, 404 or 400. Throws as `existing` does. */
  async otherwise(request: EntityRequest): Promise<Answer> {
    const path = pathOf(request.url ?? "/");
    if (path === undefined) return this.#malformed("The request target has no path.");
    const finding = await this.#resolution(request);
    if (finding.kind === "record") return this.#represented(finding, request);
    if (finding.kind === "embedded") {
      // The IRI names a node that other records describe (Cool URIs for the Semantic Web, 4).
      const { records, representation } = finding;
      return this.#leadingTo(303, records[0]!, { describedIn: records }, request, representation);
    }
    if (finding.kind === "moved") {
      // The record moved, or its IRI differs only in a final slash, an empty query or tracking parameters (RFC 9110, 15.4.2).
      const { iri, change, representation } = finding;
      const past = change && (await this.#past([change.iri], request, representation));
      if (past !== undefined) return past;
      return this.#byTime(await this.#leadingTo(301, iri, { moved: iri }, request, representation));
    }
    const instance = toUri(path);
    if (finding.kind === "deleted") {
      const { change, representation } = finding;
      const past = await this.#past([change.iri], request, representation);
      return past ?? this.#byTime(gone(this.addresses, change, instance, await this.#lastVersion(change)));
    }
    const { likeliest, lacksParameter } = this.#named(request);
    if (lacksParameter)
      return this.#malformed("/entity needs the IRI of one entity, percent-encoded, as ?uri=", instance);
    const wrong =
      iriProblem(likeliest) ?? (MALFORMED_ENCODING.test(path) ? "has a % without two hexadecimal digits" : undefined);
    if (wrong !== undefined) return this.#malformed(`The IRI ${likeliest} ${wrong}.`, instance);
    const [bare, query] = pathAndQuery(likeliest);
    const there = query === undefined ? undefined : await fromStore(() => this.options.store.find(bare));
    return notFound(this.addresses, likeliest, finding, instance, there && bare);
  }

  #resolution(request: EntityRequest): Promise<Resolution> {
    return entryOf(this.#resolutions, request, () =>
      fromStore(() => this.#resolver.resolve(this.#named(request).iris)),
    );
  }

  async #lastVersion({ iri, sequence }: Change): Promise<{ document: Json; change: Change } | undefined> {
    const store = this.#versioned;
    if (store?.versions.areKept() !== true) return undefined;
    const [before] = await fromStore(() => store.changes.page({ iri, before: sequence, limit: 1 }));
    const record = before && (await fromStore(() => store.versions.find(before.sequence)));
    if (record === undefined) return undefined;
    const written = await this.#representations[0]!.write(record, { store, addresses: this.addresses, languages: [] });
    return { document: JSON.parse(writtenText(written)) as Json, change: before! };
  }

  /** Marks an answer in place of a record as varying by `Accept-Datetime`, which may lead to an earlier version. */
  #byTime(answer: Answer): Answer {
    return this.#versioned?.versions.areKept() === true ? varyingBy(answer, "Accept-Datetime") : answer;
  }

  /** The answer for a record; 404 if it has no representation of the requested suffix or `format`. */
  async #represented(finding: Resolution & { kind: "record" }, request: EntityRequest): Promise<Answer> {
    const { iri, found, representation: ofSuffix } = finding;
    const past = await this.#past([iri], request, ofSuffix);
    if (past !== undefined) return past;
    const representation = ofSuffix ?? this.#ofFormat(request);
    const variant = this.#variantFor(request, representation);
    const offered = representation === undefined ? this.#representations : [];
    const answer = await this.answers.represent(iri, found, variant, request, offered);
    const isLacking = representation?.appliesTo !== undefined && answer.status === 406;
    return isLacking ? notRepresented(this.addresses, iri, representation, toUri(pathOf(request.url!)!)) : answer;
  }

  #named({ url = "/", headers }: EntityRequest) {
    const { addresses, options } = this;
    const target = addresses.areSeveral ? targetUriOf(headers, options.trustProxy === true, url) : undefined;
    return addresses.named(pathOf(url) ?? url, target);
  }

  /** The representation that `format` names in the query of `/entity`. Throws `ProblemError` if there is none of that name. */
  #ofFormat(request: EntityRequest): Variant | undefined {
    if (request.url?.includes("format=") !== true) return undefined;
    const { format } = this.#named(request);
    const found = this.#representations.find((each) => each.format === format);
    if (format === undefined || found !== undefined) return found;
    const all = this.#representations.map((each) => each.format).join(", ");
    throw malformed(`There is no format ${format}; the formats are ${all}.`);
  }

  /** The representation of a suffix, or else the negotiated one, in the content coding that the client accepts. */
  #variantFor({ headers }: EntityRequest, ofSuffix?: Variant): Variant | undefined {
    const { accept, "accept-profile": profile, "accept-encoding": encoding } = headers;
    const variant = ofSuffix ?? this.#negotiate(accept, profile);
    const coding = encoding === undefined ? undefined : codingFor(String(encoding));
    return coding === undefined ? variant : variant?.coded.get(coding);
  }

  /** The answer to `Accept-Datetime` (RFC 7089, 4.1): a redirect to the version of that time, 404 or 400. `undefined` without the header, or if no IRI ever had a record. */
  async #past(iris: readonly string[], request: EntityRequest, ofSuffix?: Variant): Promise<Answer | undefined> {
    const { base } = this.addresses;
    const datetime = request.headers["accept-datetime"];
    const store = this.#versioned;
    if (datetime === undefined || store?.versions.areKept() !== true) return undefined;
    const life = await lifeOfAny(store.changes, iris);
    const iri = life[0]?.iri;
    if (iri === undefined) return undefined;
    const time = parseFixdate(String(datetime));
    if (time === undefined) {
      const detail = "Accept-Datetime must be like Thu, 31 May 2007 20:35:00 GMT (RFC 7089, 2.1.1).";
      return this.#byTime(this.#malformed(detail));
    }
    const links = ["Link", mementoLinks(base, iri, this.addresses.url(iri))];
    const current = await mementoAt(store.versions, life, time);
    if (current === undefined || !(await isKept(store.versions, current))) {
      const why = current === undefined ? "There was no record of it then" : "The version of that time was not kept";
      const detail = `${why}; the list of its versions is at ${timeMapUrl(base, iri)}.`;
      return this.#byTime(problem(base, "not-found", detail, { headers: links }));
    }
    const { suffix, dependsOn, format = "" } = ofSuffix ?? this.#ofFormat(request) ?? {};
    // Versions have no pages, nor other representations that show more than the record; of documents, they only lack HAL's links.
    const form = dependsOn === undefined || ["jsonld", "json"].includes(format) ? (suffix ?? "") : "";
    return this.#byTime(redirect(versionUrl(base, current.sequence) + form, links));
  }

  /** A redirect to a record, in the representation of the requested suffix or `format`. */
  async #leadingTo(status: 301 | 303, iri: string, body: object, request: EntityRequest, ofSuffix?: Variant) {
    const suffix = await this.answers.suffixAt(iri, ofSuffix ?? this.#ofFormat(request));
    const location = this.addresses.url(iri) + suffix;
    return jsonAnswer(status, body, ["Location", location, "Cache-Control", this.options.cacheControl ?? "no-cache"]);
  }

  #malformed(detail: string, instance?: string): Answer {
    return problem(this.addresses.base, "malformed", detail, { instance });
  }
}
