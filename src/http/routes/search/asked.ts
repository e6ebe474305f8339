/** What the parameters of a search ask for: of addresses, and of `vitrine find --where`. */
import { REFERRING_PROPERTIES } from "../../../model/relations.js";
import { ENDPOINTS } from "../../../model/tables/endpoints.js";
import { CLASS_NAMES, camelCase, classIri, className } from "../../../model/vocabulary/vocabulary.js";
import type { Json } from "../../../rdf/record-graph.js";
import { type AskedRelation, PERIODS, SEARCH_ORDERS, type SearchQuery } from "../../../store/search.js";
import type { EndpointKey } from "../../../store/store.js";
import { ProblemError } from "../../message/problems/problems.js";
import { parameter, pathParameter } from "../openapi/paths.js";

const TEXTS = ["name", "identifier", "text"] as const;
const YEARS = ["begin", "end"] as const;
const OTHERS = ["type", "sort", ...YEARS, "under", "picture", "changed"];
/** What leads to IRIs that a search can ask for, by the names of parameters. */
const PROPERTIES: ReadonlyMap<string, string> = new Map([...REFERRING_PROPERTIES, ["licence", "licence"]]);
/** Stands before the name of a property that is not to lead to an IRI. */
const NOT = "not.";

/** The parameters by which records are found. */
export function searchParameters(path: string): Json[] {
  return [
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
    parameter("begin", "query", "The first year of a span in which it, or part of it, was made, lived, happened.", {
      type: "integer",
    }),
    parameter("end", "query", "The last year of it.", { type: "integer" }),
    parameter(
      "under",
      "query",
      "The IRI of what it refers to, itself or by what is narrower, part of it or its member.",
    ),
    parameter("picture", "query", "Whether there is a picture of it.", { enum: ["yes", "no"] }),
    parameter(
      "changed",
      "query",
      `In which period until now it was changed (${Object.keys(PERIODS).join(", ")}), or since which date.`,
    ),
    ...[...PROPERTIES].map(([name, term]) =>
      parameter(
        name,
        "query",
        `The IRI of what it refers to by \`${term}\`; given several times, of one of them. With \`${NOT}\` before its name, of none.`,
      ),
    ),
  ];
}

/**
 * What parameters ask for. Throws `ProblemError` for those that there are not.
 * @param others that say something else
 */
export function searchOf(
  query: URLSearchParams,
  endpoint: EndpointKey | undefined,
  others: readonly string[] = [],
): SearchQuery {
  const relations: AskedRelation[] = [];
  for (const [given, value] of query) {
    const isNot = given.startsWith(NOT);
    const name = isNot ? given.slice(NOT.length) : given;
    const property = PROPERTIES.get(name) ?? PROPERTIES.get(camelCase(name));
    if (property !== undefined) relations.push({ property, target: value, isNot });
    else if (others.includes(given)) continue;
    else if (!TEXTS.some((text) => text === given) && !OTHERS.includes(given)) {
      const known = [...TEXTS, ...OTHERS, ...others, ...PROPERTIES.keys()].join(", ");
      throw new ProblemError("malformed", { detail: `There is no parameter ${given}: there are ${known}.` });
    }
  }
  const [name, identifier, text] = TEXTS.map((each) => query.get(each) ?? undefined);
  const [type, order] = [query.get("type"), query.get("sort")];
  const sort = order === null ? undefined : SEARCH_ORDERS.find((each) => each === order);
  if (order !== null && sort === undefined) {
    throw new ProblemError("malformed", {
      detail: `There is no order ${order}: there are ${SEARCH_ORDERS.join(", ")}.`,
    });
  }
  const [begins, ends] = YEARS.map((each) => yearOf(each, query.get(each)));
  const [under, picture, changed] = ["under", "picture", "changed"].map((each) => query.get(each) || undefined);
  if (picture !== undefined && picture !== "yes" && picture !== "no")
    throw new ProblemError("malformed", { detail: `The parameter picture is yes or no; this is ${picture}.` });
  if (changed !== undefined && PERIODS[changed] === undefined && Number.isNaN(Date.parse(changed))) {
    const periods = Object.keys(PERIODS).join(", ");
    throw new ProblemError("malformed", {
      detail: `The parameter changed has to be ${periods} or a date, such as 2026-01-31; this is ${changed}.`,
    });
  }
  return {
    endpoint,
    name,
    identifier,
    text,
    relations,
    begins,
    ends,
    under,
    isPictured: picture && picture === "yes",
    changed,
    sort,
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

/** Throws `ProblemError`. */
function yearOf(name: string, given: string | null): number | undefined {
  if (given === null || given === "") return undefined;
  if (/^-?\d{1,6}$/.test(given)) return Number(given);
  throw new ProblemError("malformed", {
    detail: `The parameter ${name} has to be a year, such as 1889; this is ${given}.`,
  });
}
