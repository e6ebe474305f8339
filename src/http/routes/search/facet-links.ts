/** The addresses of searches that are narrowed to a value of a facet. */
import type { IncomingMessage } from "node:http";
import { camelCase } from "../../../model/vocabulary/vocabulary.js";
import { primaryTag } from "../../../rdf/terms.js";
import { FACETS, type FacetName, type FacetValue } from "../../../store/search.js";
import type { Store } from "../../../store/store.js";
import { isLarge } from "../../entity/large.js";
import { descriptionOf } from "../../pages/description.js";
import { Known } from "../../pages/known.js";
import { nameIn, namesOf, type Reader } from "../../pages/languages.js";
import type { FacetLink } from "../../pages/lists.js";
import type { Words } from "../../pages/words/words.js";
import type { RouteRequest } from "../route.js";
import { addressWith, OF_PAGES } from "./collection-pages.js";

const LAST_OF: Partial<Record<FacetName, number>> = { century: 99, decade: 9 };
/** Facets whose parameter is given once. */
const SINGLE: readonly string[] = ["picture", "changed"];

/** The names of facets in addresses: those of the parameters of a search. */
export const FACET_NAMES: ReadonlyMap<string, FacetName> = new Map(FACETS.map((facet) => [camelCase(facet), facet]));

/** The parameters of lists of which links do not lead to any number. */
const SOUGHT = ["text", "name", "identifier", "uri", "property"];

/** Whether a request is for a list as links from other lists ask for it: narrowed, in another order, or further on. */
export function isLinked({ url = "" }: IncomingMessage): boolean {
  const [, query = ""] = url.split("?", 2);
  return [...new URLSearchParams(query).keys()].some((name) => !SOUGHT.includes(name));
}

/** By so many parameters a page narrows a search at once: each more would be as many lists again. */
const MAX_NARROWED = 6;

/** Whether a page of a search leads to narrower ones. */
export function isNarrowable(searched: readonly [string, string][]): boolean {
  return searched.filter(([name]) => ![...SOUGHT, "sort", "view"].includes(name)).length < MAX_NARROWED;
}

/** The parameters of a request that say what is looked for. */
export function searchedBy({ query }: RouteRequest): readonly [string, string][] {
  return [...query].filter(([name]) => name !== "facet" && !OF_PAGES.includes(name));
}

/** Values by the names that their records have in the language of the page, where the reader wants that. */
export async function inWords(
  values: readonly FacetValue[],
  store: Store,
  { words, languages }: Reader,
): Promise<readonly FacetValue[]> {
  const wanted = languages.filter((each) => each === primaryTag(words.language));
  if (wanted.length === 0) return values;
  const known = await Known.of(store);
  const { names } = known;
  const named = async ({ value: iri, label }: FacetValue): Promise<string> => {
    const found = iri.includes(":") ? await store.find(iri) : undefined;
    if (found === undefined || isLarge(found)) return label;
    const description = descriptionOf((await known.record(iri, found)).graph);
    return nameIn(namesOf(description, description.root), label, wanted)?.text ?? label;
  };
  const all: FacetValue[] = [];
  for (const value of values) {
    const key = `${words.language} ${value.value}`;
    all.push({ ...value, label: names.get(key) ?? names.put(key, await named(value)) });
  }
  return all;
}

/** A search narrowed to a value. @param path of the search, such as `/search/all` */
export function facetLink(
  base: string,
  path: string,
  searched: readonly [string, string][],
  value: FacetValue,
  words: Words,
): FacetLink {
  const narrowed = value.facet === "endpoint" ? `/search/${value.value}` : path;
  return {
    facet: camelCase(value.facet),
    words: words.facet(value.facet),
    label: words.facetValue(value.facet, value.value) ?? value.label,
    records: value.records,
    url: addressWith(base + narrowed, narrowedTo(value, searched)),
  };
}

/** The parameters of a search that is narrowed to a value; an endpoint is in the path. */
function narrowedTo({ facet, value }: FacetValue, kept: readonly [string, string][]): readonly [string, string][] {
  if (facet === "endpoint") return kept;
  const years = LAST_OF[facet];
  if (years === undefined) {
    const others = kept.filter(([name]) => name !== facet || !SINGLE.includes(name));
    return [...others, [camelCase(facet), value]];
  }
  const given = new Map(kept);
  const [first, last] = [Number(value), Number(value) + years];
  return [
    ...kept.filter(([name]) => name !== "begin" && name !== "end"),
    ["begin", String(Math.max(first, Number(given.get("begin") || first)))],
    ["end", String(Math.min(last, Number(given.get("end") || last)))],
  ];
}
