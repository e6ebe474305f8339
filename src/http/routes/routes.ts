/** The list of the service's routes, and the look-up of the route for a path. */
import { redirect } from "../message/answer.js";
import { entityRoutes } from "./entities/entity.js";
import { homeRoute } from "./entities/home.js";
import { imagesRoute } from "./entities/images.js";
import { pageRoutes } from "./entities/pages.js";
import { versionRoutes } from "./entities/versions.js";
import { activityRoutes } from "./harvest/activity.js";
import { datasetRoute } from "./harvest/dataset.js";
import { dumpRoutes } from "./harvest/dumps.js";
import { ldesRoutes } from "./harvest/ldes.js";
import { sitemapRoutes } from "./harvest/sitemap.js";
import { modelRoutes } from "./model/model-files.js";
import { problemRoutes } from "./model/problem-types.js";
import { oaiRoute } from "./oai/oai.js";
import { interfaceRoutes } from "./openapi/openapi.js";
import type { Route, RouteContext, RouteMaker } from "./route.js";
import { facetsRoutes } from "./search/facets.js";
import { reconcileRoutes } from "./search/reconcile.js";
import { relatedRoute } from "./search/related.js";
import { searchRoutes } from "./search/search.js";
import { heldRoute } from "./service/held.js";
import { loadRoutes } from "./service/load.js";
import { sparqlRoutes } from "./service/sparql.js";
import { metricsRoute, statusRoutes } from "./service/status.js";

/** All routes, in order: a path belongs to the first route that matches. The last ones, of entities, match every other path. */
export const ROUTES: readonly RouteMaker[] = [
  homeRoute,
  modelRoutes,
  problemRoutes,
  statusRoutes,
  metricsRoute,
  loadRoutes,
  heldRoute,
  interfaceRoutes,
  sparqlRoutes,
  facetsRoutes,
  searchRoutes,
  relatedRoute,
  reconcileRoutes,
  activityRoutes,
  ldesRoutes,
  oaiRoute,
  datasetRoute,
  dumpRoutes,
  sitemapRoutes,
  versionRoutes,
  imagesRoute,
  pageRoutes,
  entityRoutes,
];

/** The route of a request, with the values of the names in the route's path. */
export interface Match {
  readonly route: Route;
  readonly methods: string;
  /** The values by name, still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

const NONE: Readonly<Record<string, string>> = {};

export class RouteTable {
  readonly routes: Route[] = [];
  readonly #literal = new Map<string, Match>();
  readonly #patterns: (Match & { readonly pattern: RegExp })[] = [];

  constructor(
    private readonly context: Omit<RouteContext, "routes">,
    makers: readonly RouteMaker[] = ROUTES,
  ) {
    const whole = { ...context, routes: this.routes };
    for (const make of makers) this.routes.push(...make(whole));
    const { get: _, ...changes } = this.routes.at(-1)!.operations;
    for (const route of this.routes) {
      if (route.isDescription === true) continue;
      const methods = Object.keys({ ...route.operations, ...changes, options: "" }).map((name) => name.toUpperCase());
      const match = { route, methods: methods.join(", ").replace("GET", "GET, HEAD"), parameters: NONE };
      if (route.path.includes("{")) this.#patterns.push({ ...match, pattern: patternOf(route.path) });
      else if (!this.#literal.has(route.path)) this.#literal.set(route.path, match);
    }
  }

  /** The route of a request target. One that is not a path at all belongs to the last route, that of entities. */
  match(target: string, method = "GET"): Match {
    const at = target.indexOf("?");
    const path = at === -1 ? target : target.slice(0, at);
    const entities = this.#patterns.at(-1)!;
    const found = this.#at(path) ?? entities;
    // PUT and DELETE are always for a record, which may have the path of a service: no service has these methods.
    if (method !== "GET" && Object.hasOwn(entities.route.operations, method.toLowerCase())) return entities;
    if (found.route !== entities.route || !path.endsWith("/")) return found;
    // `/search/` leads to `/search`. A record with the IRI `/search/` has been answered already.
    const other = this.#at(path.slice(0, -1)) ?? entities;
    if (other.route === entities.route) return found;
    const location = this.context.base + path.slice(0, -1) + target.slice(path.length);
    // After 308, clients send the method and the body again.
    const status = method === "GET" || method === "HEAD" ? 301 : 308;
    return { ...other, route: { ...other.route, answer: () => redirect(location, [], status) } };
  }

  #at(path: string): Match | undefined {
    const literal = this.#literal.get(path);
    if (literal !== undefined) return literal;
    for (const match of this.#patterns) {
      const found = match.pattern.exec(path);
      if (found !== null) return { ...match, parameters: found.groups ?? NONE };
    }
    return undefined;
  }
}

function patternOf(path: string): RegExp {
  const source = path.replace(/\{(\w+)(\*?)\}|[^\w/-]/g, (text, name: string | undefined, rest: string) =>
    name === undefined ? `\\${text}` : `(?<${name}>${rest === "" ? "[^/]+" : ".+"})`,
  );
  return new RegExp(`^${source}$`, "s");
}
