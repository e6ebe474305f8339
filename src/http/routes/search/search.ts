/** `/search/all` and `/search/{endpoint}`: records by name, identifier, text, class and what they refer to. */
import { REFERRING_PROPERTIES } from "../../../model/relations.js";
import { ENDPOINTS } from "../../../model/tables/endpoints.js";
import { CLASS_NAMES, camelCase, classIri, className } from "../../../model/vocabulary/vocabulary.js";
import type { Search, SearchQuery } from "../../../store/search.js";
import type { EndpointKey } from "../../../store/store.js";
import { ProblemError } from "../../message/problems/problems.js";
import { isEndpoint } from "../../pages/home.js";
import { foundPage } from "../../pages/lists.js";
import { pageContent } from "../entities/pages.js";
import { parameter, pathParameter } from "../openapi/paths.js";
import type { Outcome, Route, RouteContext, RouteMaker, RouteRequest } from "../route.js";
import {
  addressesOf,
  formOf,
  ITEMS_A_PAGE,
  PAGE_CONTENT,
  PAGE_PARAMETERS,
  pageJson,
  readPage,
  windowOf,
} from "./collection-pages.js";

const TEXTS = ["name", "identifier", "text"] as const;
const OTHERS = ["type", "page", "after", "before", "index"];

export const searchRoutes: RouteMaker = (context) => {
  const { search } = context.store;
  if (search === undefined) return [];
  return [
    route(context, search, "/search/all", "searchAll", () => undefined),
    route(context, search, "/search/{endpoint}", "search", (request) => {
      const name = request.parameter("endpoint");
      if (isEndpoint(name)) return name;
      const names = ENDPOINTS.map((each) => each.name).join(", ");
      throw new ProblemError("not-found", { detail: `There is no kind of record ${name}: there are all, ${names}.` });
    }),
  ];
};

function route(
  context: RouteContext,
  search: Search,
  path: string,
  id: string,
  endpointOf: (request: RouteRequest) => EndpointKey | undefined,
): Route {
  const form = formOf(context.base);
  return {
    path,
    cost: "search",
    operations: {
      get: {
        id,
        tag: "Search",
        summary: "Records by name, identifier, words, class and what they refer to.",
        description: `An OrderedCollectionPage of up to ${ITEMS_A_PAGE} records: those first that have the whole value, then those whose value begins so, then those that have the words in names, makers, kinds, texts. All parameters have to hold.`,
        parameters: [
          ...(path.includes("{")
            ? [
                pathParameter(
                  "endpoint",
                  "The kind of record.",
                  ENDPOINTS.map(({ name }) => name),
                ),
              ]
            : []),
          parameter("name", "query", "A name or label, the beginning of one, or words of it."),
          parameter("identifier", "query", "An identifier, or the beginning of one."),
          parameter(
            "text",
            "query",
            "A name, an identifier, or words of names, makers, what else it refers to, years and statements.",
          ),
          parameter("type", "query", "The class of the entity, or its IRI.", { enum: [...CLASS_NAMES] }),
          ...[...REFERRING_PROPERTIES].map(([name, term]) =>
            parameter(name, "query", `The IRI of what it refers to by \`${term}\`.`),
          ),
          ...PAGE_PARAMETERS,
        ],
        content: PAGE_CONTENT,
        conditions: "tags",
        problems: ["malformed", "not-found"],
      },
    },
    answer: (request) =>
      answer(context, search, request, searchOf(request, endpointOf(request)), form(request.headers.accept)),
  };
}

async function answer(
  { base, site, addresses }: RouteContext,
  search: Search,
  request: RouteRequest,
  query: SearchQuery,
  form: ReturnType<ReturnType<typeof formOf>>,
): Promise<Outcome> {
  const window = await readPage(() => search.find(query, windowOf(request)));
  const { total, meant } = window;
  const pages = addressesOf(base + request.path, request, window, total);
  if (form !== "html")
    return pageJson(request, pages, window.items, { total, form, ...(meant && { label: `Results for ${meant}` }) });
  const asked = query.text ?? query.name ?? query.identifier ?? "";
  return pageContent(foundPage(site, addresses, window.items, asked, pages, { total, meant }));
}

/** What a request asks for. Throws `ProblemError` for parameters that there are not. */
function searchOf({ query }: RouteRequest, endpoint: EndpointKey | undefined): SearchQuery {
  const relations: { property: string; target: string }[] = [];
  for (const [name, value] of query) {
    const property = REFERRING_PROPERTIES.get(name) ?? REFERRING_PROPERTIES.get(camelCase(name));
    if (property !== undefined) relations.push({ property, target: value });
    else if (!TEXTS.some((text) => text === name) && !OTHERS.includes(name)) {
      const known = [...TEXTS, ...OTHERS, ...REFERRING_PROPERTIES.keys()].join(", ");
      throw new ProblemError("malformed", { detail: `There is no parameter ${name}: there are ${known}.` });
    }
  }
  const [name, identifier, text] = TEXTS.map((each) => query.get(each) ?? undefined);
  const type = query.get("type");
  return {
    endpoint,
    name,
    identifier,
    text,
    relations,
    ...(type === null || type === "" ? {} : { classes: [classOf(type)] }),
  };
}

/** Throws `ProblemError`. */
function classOf(type: string): string {
  const iri = classIri(type) ?? (className(type) === undefined ? undefined : type);
  if (iri !== undefined) return iri;
  throw new ProblemError("malformed", {
    detail: `There is no class ${type}; what entities are classified as is asked for by classifiedAs. Classes are ${CLASS_NAMES.join(", ")}.`,
  });
}
