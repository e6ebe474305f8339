/** The service's routes: the list, and which route a path belongs to. */
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
import type { Method, Route, RouteContext, RouteMaker } from "./route.js";
import { facetsRoutes } from "./search/facets.js";
import { reconcileRoutes } from "./search/reconcile.js";
import { relatedRoute } from "./search/related.js";
import { searchRoutes } from "./search/search.js";
import { heldRoute } from "./service/held.js";
import { loadRoutes } from "./service/load.js";
import { sparqlRoutes } from "./service/sparql.js";
import { metricsRoute, statusRoutes } from "./service/status.js";

/** All that there are; a path belongs to the first that matches it. Entities have the rest of all paths. */
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

/** A route with what a request's path has in place of its names. */
export interface Match {
  readonly route: Route;
  readonly methods: string;
  /** Percent-encoded, as they came. */
  readonly parameters: Readonly<Record<string, string>>;
}

const NONE: Readonly<Record<string, string>> = {};

export class RouteTable {
  readonly routes: Route[] = [];
  readonly #literal = new Map<string, Match>();
  readonly #patterns: (Match & { readonly pattern: RegExp })[] = [];

  constructor(context: Omit<RouteContext, "routes">, makers: readonly RouteMaker[] = ROUTES) {
    const whole = { ...context, routes: this.routes };
    for (const make of makers) this.routes.push(...make(whole));
    for (const route of this.routes) {
      if (route.isDescription === true) continue;
      const match = { route, methods: methodsOf(route), parameters: NONE };
      if (route.path.includes("{")) this.#patterns.push({ ...match, pattern: patternOf(route.path) });
      else if (!this.#literal.has(route.path)) this.#literal.set(route.path, match);
    }
  }

  /** The route of a target, path and query. What is no path at all belongs to the last, as all other paths of entities do. */
  match(target: string): Match {
    const at = target.indexOf("?");
    const path = at === -1 ? target : target.slice(0, at);
    const literal = this.#literal.get(path);
    if (literal !== undefined) return literal;
    for (const match of this.#patterns) {
      const found = match.pattern.exec(path);
      if (found !== null) return { ...match, parameters: found.groups ?? NONE };
    }
    return this.#patterns.at(-1)!;
  }
}

function methodsOf({ operations }: Route): string {
  const methods = (Object.keys(operations) as Method[]).map((method) => method.toUpperCase());
  return [...methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])), "OPTIONS"].join(", ");
}

function patternOf(path: string): RegExp {
  const source = path.replace(/\{(\w+)(\*?)\}|[^\w/-]/g, (text, name: string | undefined, rest: string) =>
    name === undefined ? `\\${text}` : `(?<${name}>${rest === "" ? "[^/]+" : ".+"})`,
  );
  return new RegExp(`^${source}$`, "s");
}
