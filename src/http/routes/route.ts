/** A route: a path of the service, with its methods, description, class of cost, links, and the function that answers it. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { ModelSettings } from "../../model/settings.js";
import { ENDPOINT_NAMES, type EndpointName } from "../../model/tables/names.js";
import type { EngineState } from "../../query/engine.js";
import type { Json } from "../../rdf/record-graph.js";
import type { Store } from "../../store/store.js";
import type { DatasetSettings } from "../dataset/description.js";
import { type Addresses, pathAndQuery } from "../entity/addresses.js";
import type { Loads } from "../loads/loads.js";
import type { StoredToken } from "../loads/tokens.js";
import type { Answer } from "../message/answer.js";
import type { Content } from "../message/content.js";
import { clientOf, targetUriOf } from "../message/headers/forwarded.js";
import { type Link, linkText } from "../message/headers/link.js";
import { wantedLanguages } from "../message/headers/negotiate.js";
import { malformed, ProblemError, type ProblemName } from "../message/problems/problems.js";
import type { Site } from "../pages/site.js";
import type { Representation } from "../representations/representation.js";
import type { Cost } from "./cost.js";
import type { HeaderName } from "./openapi/answers.js";

/** The methods that a route may have. GET includes HEAD, and every route answers OPTIONS. */
export type Method = "get" | "post" | "put" | "delete";

export type Tag = "Entities" | "Harvest" | "Model" | "Search" | "Service";

export interface Operation {
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Parameter objects of OpenAPI, besides those of the path. Default: none. */
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  /** The media types of a 200 answer; none if there is no such answer. */
  readonly types: readonly string[];
  /** The schemas of some of these media types. Default: a general schema for the media type. */
  readonly schemas?: { readonly [mediaType: string]: Json };
  /** The headers of a 200 answer, besides those of every answer and of pages. Default: none. */
  readonly headers?: readonly HeaderName[];
  /** The conditions that it evaluates: entity tags, or also dates. Default: none. */
  readonly conditions?: "tags" | "tags and dates";
  /** The problems that may occur, besides those of every request. Default: none. */
  readonly problems?: readonly ProblemName[];
  /** Further answers by status, such as 303. Default: none. */
  readonly responses?: { readonly [status: string]: Json };
}

export interface Route {
  /** A path template as in OpenAPI: `{name}` matches one segment or a part of it, `{name*}` the whole rest, slashes included. */
  readonly path: string;
  /** The possible values of such names. Default: any value; the endpoints for `endpoint`. */
  readonly names?: { readonly [name: string]: readonly string[] };
  readonly cost: Cost;
  /** The class of a request, if it depends on more than the path. Default: `cost`. */
  readonly costOf?: (request: IncomingMessage) => Cost;
  readonly operations: Readonly<Partial<Record<Method, Operation>>>;
  /** Whether requests may need a token. Default: no. */
  readonly takesToken?: boolean;
  /** Whether a body may take any time to arrive. Default: no; the server's `requestTimeout` applies. */
  readonly isUpload?: boolean;
  /** Whether answers have a deadline of their own, so that the server's idle timeout does not apply. Default: no. */
  readonly hasDeadline?: boolean;
  /** Whether the route only describes requests that a later route answers. Default: no. */
  readonly isDescription?: boolean;
  /** The link to it from the home page or, if its path has `{endpoint}`, from the records of each endpoint. Default: none. */
  readonly link?: { readonly relation: string; readonly mediaType: string };
  /** Answers a request. May throw `ProblemError`. */
  answer(request: RouteRequest): Outcome | Promise<Outcome>;
}

/** A route that has only GET. @param more further properties of the route */
export function readRoute(
  path: string,
  cost: Cost,
  get: Operation,
  answer: Route["answer"],
  more: Partial<Route> = {},
): Route {
  return { path, cost, operations: { get }, answer, ...more };
}

/** What a route returns: content, to which the server applies conditions and codings; a finished answer; `sent` if it wrote the response; `undefined` if an entity may have the path. */
export type Outcome = Content | Answer | "sent" | undefined;

/** What routes are made from. A route is offered only if everything that it needs is present. */
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
  /** The directory of the store, for threads that open it for themselves. */
  readonly directory?: string;
  /** How many seconds a store that follows another may lag behind and still be ready. Default: any number. */
  readonly maxLag?: number | undefined;
  /** The content of `/robots.txt`. Default: rules that allow crawling entities. */
  readonly robots?: string | undefined;
  /** The state of the index for `/ready`. */
  readonly index?: () => EngineState | Promise<EngineState>;
  readonly sparql?: SparqlServices;
  /** The metrics of `/metrics` in the format of Prometheus, and the token that they require. Default: no token. */
  readonly metrics?: { readonly text: () => Promise<string>; readonly token?: string | undefined };
  /** Loads over HTTP; absent if no token exists. */
  readonly loading?: LoadService;
  /** All routes; the array is complete once every route is made. */
  readonly routes: readonly Route[];
  /** The answer for an IRI that is not exactly the IRI of a record. */
  readonly otherwise: (request: IncomingMessage) => Promise<Answer>;
}

/** Makes the routes of one kind; none if the context lacks what they need. */
export type RouteMaker = (context: RouteContext) => readonly Route[];

export interface LoadService {
  readonly loads: Loads;
  readonly tokens: () => readonly StoredToken[];
  /** The options of `vitrine load` that are allowed as query parameters. */
  readonly parameters: ReadonlySet<string>;
  /** The problem with a parameter's value as a sentence, if there is one. */
  readonly problemOf: (name: string, value: string) => string | undefined;
}

/** A file of the query editor, by its name below `/sparql/`. */
export type ServedFile = readonly [name: string, contentType: string, content: () => string];

export interface SparqlServices {
  /** Answers a request to the endpoint. May throw `ProblemError`. */
  answer(request: RouteRequest): Promise<Content | Answer>;
  readonly files: readonly ServedFile[];
}

export class RouteRequest {
  /** The path without that of the base URL, still percent-encoded. */
  readonly path: string;
  readonly #search: string | undefined;
  #query: URLSearchParams | undefined;
  #gone: AbortController | undefined;

  /** @param parameters the values of the names in the route's path, percent-encoded */
  constructor(
    readonly message: IncomingMessage,
    readonly response: ServerResponse,
    readonly target: string,
    private readonly parameters: Readonly<Record<string, string>>,
    private readonly trustProxy: boolean,
  ) {
    [this.path, this.#search] = pathAndQuery(target);
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

  /** The decoded value of a name in the path. Throws `ProblemError` if it cannot be decoded. */
  parameter(name: string): string {
    try {
      return decodeURIComponent(this.parameters[name]!);
    } catch {
      throw new ProblemError("malformed", "The path cannot be decoded.", { instance: this.message.url });
    }
  }

  /** The endpoint in the path. Throws `ProblemError` for any other name. */
  get endpoint(): EndpointName {
    const name = this.parameter("endpoint");
    const endpoint = ENDPOINT_NAMES.find((each) => each === name);
    if (endpoint !== undefined) return endpoint;
    throw new ProblemError("not-found", `There is no kind ${name}; the kinds are ${ENDPOINT_NAMES.join(", ")}.`);
  }

  /** The value of `{number}` in the path, at least 1. Throws `ProblemError`. */
  get number(): number {
    return wholeNumber(this.parameter("number"));
  }

  /** The query parameter `uri`. Throws `ProblemError` if it is missing, or given twice. */
  get uri(): string {
    const [uri = "", another] = this.query.getAll("uri");
    if (uri === "" || another !== undefined) throw malformed(`${this.path} needs one IRI, percent-encoded, as ?uri=`);
    return uri;
  }

  siteOf(site: Site): Site {
    return site.for(wantedLanguages(this.headers["accept-language"]));
  }

  /** The host and scheme that the request was sent to. */
  get sentTo() {
    return targetUriOf(this.headers, this.trustProxy, this.message.url);
  }

  /** The client, as rate limits distinguish clients. */
  get client(): string {
    return clientOf(this.message, this.trustProxy);
  }

  /** Aborted when the client disconnects before its answer is sent. */
  get signal(): AbortSignal {
    if (this.#gone !== undefined) return this.#gone.signal;
    const gone = new AbortController();
    this.#gone = gone;
    const { message, response } = this;
    const { socket } = message;
    const leave = (): void => {
      socket.off("close", leave);
      response.off("close", leave);
      gone.abort();
    };
    response.once("close", leave);
    // A pipelined response does not emit `close` while another is ahead of it on the connection.
    socket.once("close", leave);
    if (response.destroyed || socket.destroyed) leave();
    // While a body is unread, the end of the connection is not noticed either.
    if (this.method === "GET") message.resume();
    return gone.signal;
  }
}

/** Parses a whole number of at least 1. Throws `ProblemError`. */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new ProblemError("not-found", `${text} is not a whole number of 1 or more.`);
}

/** The links from records to the routes that describe their endpoint, by endpoint. */
export function endpointLinks(routes: readonly Route[], base: string): ReadonlyMap<EndpointName, readonly Link[]> {
  const describing = routes.filter(({ path, link }) => link !== undefined && path.includes("{endpoint}"));
  return new Map(ENDPOINT_NAMES.map((name) => [name, describing.map((route) => linkTo(base, route, name))]));
}

/** The `Link` header of the home page: the routes that have a `link` and a path without names. */
export function homeLinks(routes: readonly Route[], base: string): string {
  const linked = routes.filter(({ path, link }) => link !== undefined && !path.includes("{"));
  return linked.map((route) => linkText(linkTo(base, route))).join(", ");
}

function linkTo(base: string, { path, link }: Route, endpoint = ""): Link {
  return { relation: link!.relation, href: base + path.replace("{endpoint}", endpoint), type: link!.mediaType };
}
