/** The parameters of a search, in URLs and for `vitrine find --where`. */
import { nearest } from "../../../base/did-you-mean.js";
import { REFERRING_PROPERTIES } from "../../../model/relations.js";
import { CLASS_NAMES, camelCase, classIri, className } from "../../../model/vocabulary/vocabulary.js";
import type { Json } from "../../../rdf/record-graph.js";
import { iriProblem } from "../../../rdf/terms.js";
import { secondsOf } from "../../../search/conditions.js";
import type { EndpointKey } from "../../../store/record.js";
import { PERIODS, type RelationFilter, SEARCH_ORDERS, type SearchQuery } from "../../../store/search.js";
import { malformed } from "../../message/problems/problems.js";
import { INTEGER, parameter } from "../openapi/paths.js";

/** Words at the end of a text that records must not have, as people write them in other search engines: `-saskia`, `-"his wife"`, `NOT saskia`. */
const EXCLUDING = /(?<=\S)(?:\s+(?:-|NOT\s+)(?:"[^"]*"|\p{L}[^\s"]*))+\s*$/u;
const EXCLUDED = /(?<=\s(?:-|NOT\s+))(?:"[^"]*"|\p{L}[^\s"]*)/gu;
/** The maximum length of a text in characters. It has a limit because every link of a list and of its facets repeats it. */
export const MAX_TEXT = 2_000;
/** The names that other services use for the parameter `text`. */
export const TEXT_GUESSES: readonly string[] = ["q", "query"];
/** The properties whose IRIs a search can ask for, by parameter name. */
const PROPERTIES: ReadonlyMap<string, string> = new Map([...REFERRING_PROPERTIES, ["licence", "licence"]]);
/** The prefix of a property's name that excludes records with that IRI. */
const NOT = "not.";

const PERIOD_NAMES = Object.keys(PERIODS).join(", ");
const DESCRIBED: Readonly<Record<string, readonly [description: string, schema?: Json]>> = {
  name: ["A name or label, the beginning of one, or words of it."],
  identifier: ["An identifier, or the beginning of one."],
  text: ["A name, an identifier, or words of names, makers, other references, years and statements."],
  type: ["The class of the entity, or its IRI.", { enum: [...CLASS_NAMES] }],
  begin: ["The first year of a span in which the entity, or part of it, was made, lived or happened.", INTEGER],
  end: ["The last year of the span.", INTEGER],
  under: ["An IRI that the record refers to directly, or through a narrower concept, a part or a member."],
  picture: ["Whether the record has a picture.", { enum: ["yes", "no"] }],
  changed: [`The period until now in which the record was changed (${PERIOD_NAMES}), or the date since which.`],
};

export const SEARCH_PARAMETERS: readonly Json[] = [
  ...Object.entries(DESCRIBED).map(([name, [description, schema]]) => parameter(name, "query", description, schema)),
  ...[...PROPERTIES].map(([name, term]) => {
    const meaning = `An IRI that the record refers to by \`${term}\`; if repeated, any of them. With \`${NOT}\` before its name, none of them.`;
    return parameter(name, "query", meaning, { type: "array", items: { type: "string", format: "uri" } });
  }),
];

/** The search that query parameters ask for. Throws `ProblemError` for unknown parameters. @param others further parameters to allow and ignore */
export function searchOf(query: URLSearchParams, endpoint?: EndpointKey, others: readonly string[] = []): SearchQuery {
  const relations: RelationFilter[] = [];
  const single = [...Object.keys(DESCRIBED), "sort", ...others];
  for (const [given, value] of query) {
    const isNot = given.startsWith(NOT);
    const name = isNot ? given.slice(NOT.length) : given;
    const property = PROPERTIES.get(name) ?? PROPERTIES.get(camelCase(name));
    if (property !== undefined || name === "under") {
      // A form sends its empty fields, too.
      if (value === "") continue;
      const problem = iriProblem(value);
      if (problem !== undefined) throw malformed(`The IRI ${value} in ${given} ${problem}.`);
    }
    if (property !== undefined) relations.push({ property, target: value, isNot });
    else if (TEXT_GUESSES.includes(name)) throw malformed(`There is no parameter ${name}; use text=${value}.`);
    else checkParameter(query, given, single, [...PROPERTIES.keys()].map(camelCase));
  }
  const [name, identifier, text] = ["name", "identifier", "text"].map((each) => query.get(each) ?? undefined);
  const { length = 0 } = [name, identifier, text].find((each) => each && each.length > MAX_TEXT) ?? "";
  if (length > 0) throw malformed(`The text to search for has ${length} characters; it may have ${MAX_TEXT} at most.`);
  const type = query.get("type");
  const sort = chosenOf("order", query.get("sort"), SEARCH_ORDERS);
  const [begins, ends] = ["begin", "end"].map((each) => yearOf(each, query.get(each)));
  if (begins !== undefined && ends !== undefined && begins > ends)
    throw malformed(`The year in begin must not be after the year in end; ${begins} is after ${ends}.`);
  const [under, changed] = ["under", "changed"].map((each) => query.get(each) || undefined);
  const picture = chosenOf("value of picture", query.get("picture"), ["yes", "no"]);
  if (changed !== undefined && Number.isNaN(secondsOf(changed)))
    throw malformed(`The parameter changed must be ${PERIOD_NAMES} or a date, such as 2026-01-31, not ${changed}.`);
  return {
    endpoint,
    name,
    identifier,
    text: text?.replace(EXCLUDING, ""),
    without: EXCLUDING.exec(text ?? "")?.[0].match(EXCLUDED) ?? undefined,
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

/** Checks that a parameter is one of those known, and given once. Throws `ProblemError`. @param others further names that the client may have meant */
export function checkParameter(query: URLSearchParams, name: string, known: readonly string[], others: string[] = []) {
  if (name === "") throw malformed(`The value ${query.get(name)} needs the name of a parameter before its =.`);
  if (!known.includes(name)) {
    const near = nearNames(name.replace(NOT, ""), [...known, ...others]);
    throw malformed(`There is no parameter ${name}${near} /openapi.json lists all.`);
  }
  if (query.getAll(name).length > 1) throw malformed(`The parameter ${name} may be given only once.`);
}

/** Parameters whose names contain the given one are suggested only if there are no more than this. */
const MAX_NEAR = 5;

/** The end of a message with the parameters that the client may have meant. */
function nearNames(given: string, names: readonly string[]): string {
  const part = given.toLowerCase();
  const having = part.length < 3 ? [] : names.filter((name) => name.toLowerCase().includes(part));
  const near = having.length > 0 && having.length <= MAX_NEAR ? having : [nearest(given, names) ?? ""];
  return near[0] === "" ? "." : `; did you mean ${near.join(" or ")}?`;
}

function classOf(type: string): string {
  const iri = classIri(type) ?? (className(type) === undefined ? undefined : type);
  if (iri !== undefined) return iri;
  throw malformed(
    `There is no class ${type}; to search by classification, use classifiedAs. The classes are ${CLASS_NAMES.join(", ")}.`,
  );
}

function yearOf(name: string, given: string | null): number | undefined {
  if (given === null || given === "") return undefined;
  if (/^-?\d{1,6}$/.test(given)) return Number(given);
  throw malformed(`The parameter ${name} must be a year, such as 1889, not ${given}.`);
}

/** Checks that a value, if given and not empty, is one of the choices. Throws `ProblemError`. */
export function chosenOf<T extends string>(what: string, given: string | null, choices: readonly T[]): T | undefined {
  const chosen = choices.find((each) => each === given);
  if (!given || chosen !== undefined) return chosen;
  throw malformed(`There is no ${what} ${given}; the choices are ${choices.join(", ")}.`);
}
