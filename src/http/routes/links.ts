/** Links to a route and the methods it allows, for answers of other routes. */
import { ENDPOINTS } from "../../model/tables/endpoints.js";
import type { EndpointName } from "../../model/tables/names.js";
import { type Link, linkText } from "../message/headers/link.js";
import type { Method, Route } from "./route.js";

/** Per endpoint, the links from its records to the routes that describe it. */
export function endpointLinks(routes: readonly Route[], base: string): ReadonlyMap<EndpointName, readonly Link[]> {
  const telling = routes.filter(({ path, link }) => link !== undefined && path.includes("{endpoint}"));
  return new Map(
    ENDPOINTS.map(({ name }) => {
      return [name, telling.map((route) => linkTo(base, route, route.path.replace("{endpoint}", name)))];
    }),
  );
}

/** The `Link` header of the home page: the routes that lie at one path and say how they are linked. */
export function homeLinks(routes: readonly Route[], base: string): string {
  const linked = routes.filter(({ path, link }) => link !== undefined && !path.includes("{"));
  return linked.map((route) => linkText(linkTo(base, route, route.path))).join(", ");
}

function linkTo(base: string, { link }: Route, path: string): Link {
  return { relation: link!.relation, href: base + path, type: link!.mediaType };
}

/** The methods of a route, as `Allow` lists them. */
export function methodsOf({ operations }: Route): string {
  const methods = (Object.keys(operations) as Method[]).map((method) => method.toUpperCase());
  return [...methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])), "OPTIONS"].join(", ");
}
