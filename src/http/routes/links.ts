/** Links to a route and the methods it allows, for answers of other routes. */
import { ENDPOINTS, type EndpointName } from "../../model/tables/endpoints.js";
import type { Method, Route } from "./route.js";

/** Per endpoint, the links from its records to the routes that tell of it, each with a comma before it. */
export function endpointLinks(routes: readonly Route[], base: string): ReadonlyMap<EndpointName, string> {
  const telling = routes.filter(({ path, link }) => link !== undefined && path.includes("{endpoint}"));
  return new Map(
    ENDPOINTS.map(({ name }) => {
      const links = telling.map((route) => `, ${linkTo(base, route, route.path.replace("{endpoint}", name))}`);
      return [name, links.join("")];
    }),
  );
}

/** The `Link` header of the home page: the routes that lie at one path and say how they are linked. */
export function homeLinks(routes: readonly Route[], base: string): string {
  const linked = routes.filter(({ path, link }) => link !== undefined && !path.includes("{"));
  return linked.map((route) => linkTo(base, route, route.path)).join(", ");
}

function linkTo(base: string, { link }: Route, path: string): string {
  return `<${base}${path}>; rel="${link!.relation}"; type="${link!.mediaType}"`;
}

/** The methods of a route, as `Allow` lists them. */
export function methodsOf({ operations }: Route): string {
  const methods = (Object.keys(operations) as Method[]).map((method) => method.toUpperCase());
  return [...methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])), "OPTIONS"].join(", ");
}
