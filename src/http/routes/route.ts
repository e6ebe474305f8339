/** A route: a path of the service with its methods, its description, its class of cost, its links, and what answers it. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { ModelSettings } from "../../model/settings.js";
import { ENDPOINT_NAMES, type EndpointName } from "../../model/tables/names.js";
import type { EngineState } from "../../query/engine.js";
import type { Json } from "../../rdf/record-graph.js";
import type { Store } from "../../store/store.js";
import type { DatasetSettings } from "../dataset/description.js";
import type { Addresses } from "../entity/addresses.js";
import type { Loads } from "../loads/loads.js";
import type { StoredToken } from "../loads/tokens.js";
import type { Answer } from "../message/answer.js";
import type { Content } from "../message/content.js";
import { clientOf } from "../message/headers/forwarded.js";
import { type Link, linkText } from "../message/headers/link.js";
import { wantedLanguages } from "../message/headers/negotiate.js";
import { malformed, ProblemError, type ProblemName } from "../message/problems/problems.js";
import type { Site } from "../pages/site.js";
import type { Representation } from "../representations/representation.js";
import type { Cost } from "./cost.js";
import type { HeaderName } from "./openapi/answers.js";

/** Methods that a route may have. HEAD comes with GET, and OPTIONS with all. */
export type Method = "get" | "post" | "put" | "delete";

export type Tag = "Entities" | "Harvest" | "Model" | "Search" | "Service";

export interface Operation {
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** OpenAPI's parameter objects, besides those of the path. Default: none. */
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly types: readonly string[];
  /** The schemas of some of them. Default: as much as a media type says by itself. */
  readonly schemas?: { readonly [mediaType: string]: Json };
  /** The headers of 200 besides those of every answer and of pages. Default: none. */
  readonly headers?: readonly HeaderName[];
  /** Which conditions it answers with 304: entity tags, or dates too. Default: none. */
  readonly conditions?: "tags" | "tags and dates";
  /** The problems that may come besides those of any request of its path. Default: none. */
  readonly problems?: readonly ProblemName[];
  /** Further answers by status, such as 303. Default: none. */
  readonly responses?: { readonly [status: string]: Json };
}

export interface Route {
  /** As OpenAPI has paths: `{name}` stands for one segment or a part of it, `{name*}` for all that follows, slashes too. */
  readonly path: string;
  /** All that such a name may stand for. Default: anything; endpoints for `endpoint`. */
  readonly names?: { readonly [name: string]: readonly string[] };
  readonly cost: Cost;
  /** The class of one request, where that depends on more than the path. Default: `cost`. */
  readonly costOf?: (request: IncomingMessage) => Cost;
  readonly operations: Readonly<Partial<Record<Method, Operation>>>;
  /** Whether a client may have to show a token. Default: no. */
  readonly takesToken?: boolean;
  /** Whether a body may take as long as it does to arrive. Default: it has half a minute. */
  readonly isUpload?: boolean;
  /** Whether an answer may take as long as it does: it has a deadline of its own. Default: no. */
  readonly hasDeadline?: boolean;
  /** Whether it only describes requests that a later route answers. Default: it answers its paths itself. */
  readonly isDescription?: boolean;
  /** How it is linked from the home page, or from the records of `{endpoint}` where its path names that. Default: not. */
  readonly link?: { readonly relation: string; readonly mediaType: string };
  /** May throw `ProblemError`. */
  answer(request: RouteRequest): Outcome | Promise<Outcome>;
}

/** A route that is only read. @param more what else there is to it */
export function readRoute(
  path: string,
  cost: Cost,
  get: Operation,
  answer: Route["answer"],
  more: Partial<Route> = {},
): Route {
  return { path, cost, operations: { get }, answer, ...more };
}

/**
 * The outcome of a request: content, for which the server evaluates the request's conditions and finds the coding; a whole
 * answer as it is, such as a problem; `sent` when the route has written to the response itself; `undefined` when there is
 * nothing at the path, which is then that of an entity.
 */
export type Outcome = Content | Answer | "sent" | undefined;

/** The context in which routes are made: a route whose needs are not met here is not offered. */
export interface RouteContext {
  readonly store: Store;
  readonly model: ModelSettings;
  readonly addresses: Addresses;
  readonly base: string;
  readonly site: Site;
  readonly representations: readonly Representation[];
  readonly images?: string | undefined;
  readonly dumps?: string;
  readonly dataset?: DatasetSettings;
  /** Where the store is, for threads that read it for themselves. */
  readonly directory?: string;
  /** Seconds that a store which follows another may be behind it, and be ready. Default: any number. */
  readonly maxLag?: number | undefined;
  /** The content of `/robots.txt`. Default: crawlers of entities are welcome. */
  readonly robots?: string | undefined;
  /** The state of the index for `/ready`. */
  readonly index?: () => EngineState | Promise<EngineState>;
  readonly sparql?: SparqlServices;
  /** The metrics of `/metrics`, as Prometheus reads them, and the token that is asked for. Default: anybody may ask. */
  readonly metrics?: { readonly text: () => Promise<string>; readonly token?: string };
  /** The service of loads over HTTP; absent where nobody has a token for that. */
  readonly loading?: LoadService;
  /** All routes, once they are made. */
  readonly routes: readonly Route[];
  /** The answer for an entity that no record has as its very IRI. */
  readonly otherwise: (request: IncomingMessage) => Promise<Answer>;
}

/** Routes of one kind; none where the context lacks what they need. */
export type RouteMaker = (context: RouteContext) => readonly Route[];

export interface LoadService {
  readonly loads: Loads;
  readonly tokens: () => readonly StoredToken[];
  /** The options of the command that are parameters. */
  readonly parameters: ReadonlySet<string>;
  /** The problem with a parameter's value, in a sentence, or `undefined`. */
  readonly problemOf: (name: string, value: string) => string | undefined;
}

export interface ServedFile {
  /** From the service's root, without a slash: `sparql/editor.js`. */
  readonly path: string;
  readonly contentType: string;
  readonly content: () => string;
}

export interface SparqlServices {
  /** The endpoint's answer. May throw `ProblemError`. */
  answer(request: RouteRequest): Promise<Content | Answer>;
  /** The editor's files, each at its path. */
  readonly files?: readonly ServedFile[];
}

export class RouteRequest {
  /** The path without the base URL's own, as it came: percent-encoded. */
  readonly path: string;
  readonly #search: string;
  #query: URLSearchParams | undefined;
  #gone: AbortController | undefined;

  /** @param parameters what the route's path has in place of its names, percent-encoded */
  constructor(
    readonly message: IncomingMessage,
    readonly response: ServerResponse,
    target: string,
    private readonly parameters: Readonly<Record<string, string>>,
    private readonly trustProxy: boolean,
  ) {
    const at = target.indexOf("?");
    this.path = at === -1 ? target : target.slice(0, at);
    this.#search = at === -1 ? "" : target.slice(at + 1);
  }

  get method(): string {
    const { method = "GET" } = this.message;
    return method === "HEAD" ? "GET" : method;
  }

  get headers(): IncomingHttpHeaders {
    return this.message.headers;
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#search);
    return this.#query;
  }

  /** The part of the path for a name, decoded. Throws `ProblemError` where it does not decode. */
  parameter(name: string): string {
    try {
      return decodeURIComponent(this.parameters[name]!);
    } catch {
      throw new ProblemError("malformed", "The path does not decode.", { instance: this.path });
    }
  }

  /** The kind of record that the path asks for. Throws `ProblemError`. */
  get endpoint(): EndpointName {
    const name = this.parameter("endpoint");
    const endpoint = ENDPOINT_NAMES.find((each) => each === name);
    if (endpoint !== undefined) return endpoint;
    throw new ProblemError("not-found", `There is no kind of record ${name}: there are ${ENDPOINT_NAMES.join(", ")}.`);
  }

  /** The number, from 1 on, that the path has for a name. Throws `ProblemError`. */
  get number(): number {
    return wholeNumber(this.parameter("number"));
  }

  /** The IRI that the query asks for. Throws `ProblemError`. */
  get uri(): string {
    const uri = this.query.get("uri") ?? "";
    if (uri === "") throw malformed(`${this.path} needs an IRI, percent-encoded, as ?uri=`);
    return uri;
  }

  siteOf(site: Site): Site {
    return site.for(wantedLanguages(this.headers["accept-language"]));
  }

  get target(): string {
    return this.#search === "" ? this.path : `${this.path}?${this.#search}`;
  }

  /** Who asks, as far as limits tell clients apart. */
  get client(): string {
    return clientOf(this.message, this.trustProxy);
  }

  /** Aborted when the client goes away before its answer is out. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      this.#gone = new AbortController();
      this.#watch(this.#gone);
    }
    return this.#gone.signal;
  }

  #watch(gone: AbortController): void {
    const { message, response } = this;
    const { socket } = message;
    const leave = (): void => {
      socket.off("close", leave);
      response.off("close", leave);
      gone.abort();
    };
    response.once("close", leave);
    // An answer that has another before it on its connection is not told when that closes.
    socket.once("close", leave);
    if (response.destroyed || socket.destroyed) leave();
    // As long as a body is left unread, the end of the connection is not seen either.
    if (this.method === "GET") message.resume();
  }
}

/** A number from 1 on. Throws `ProblemError`. */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new ProblemError("not-found", `${text} is no number from 1 on.`);
}

/** Per endpoint, the links from its records to the routes that describe it. */
export function endpointLinks(routes: readonly Route[], base: string): ReadonlyMap<EndpointName, readonly Link[]> {
  const telling = routes.filter(({ path, link }) => link !== undefined && path.includes("{endpoint}"));
  return new Map(ENDPOINT_NAMES.map((name) => [name, telling.map((route) => linkTo(base, route, name))]));
}

/** The `Link` header of the home page: the routes that lie at one path and say how they are linked. */
export function homeLinks(routes: readonly Route[], base: string): string {
  const linked = routes.filter(({ path, link }) => link !== undefined && !path.includes("{"));
  return linked.map((route) => linkText(linkTo(base, route))).join(", ");
}

function linkTo(base: string, { path, link }: Route, endpoint = ""): Link {
  return { relation: link!.relation, href: base + path.replace("{endpoint}", endpoint), type: link!.mediaType };
}
