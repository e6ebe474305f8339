/** The addresses of a list that is seen otherwise: in another order or view, from a letter on, without what narrows it. */
import { REFERRING_PROPERTIES } from "../../../model/relations.js";
import { ENDPOINTS } from "../../../model/tables/endpoints.js";
import { foldedForm } from "../../../search/forms.js";
import { type FacetValue, type LetterCount, SEARCH_ORDERS, type SearchQuery } from "../../../store/search.js";
import { VIEWS, type View } from "../../pages/entries.js";
import type { Choice, ChosenLink } from "../../pages/lists.js";
import { fill, type Words } from "../../pages/words/words.js";
import { parameter } from "../openapi/paths.js";
import type { RouteContext, RouteRequest } from "../route.js";
import { addressWith, ITEMS_A_PAGE, type PageAddresses } from "./collection-pages.js";
import { FACET_NAMES, searchedBy } from "./facets.js";
import { chosenOf } from "./search-parameters.js";

/** Parameters that narrow a search besides facets and properties. */
const OTHERS = ["type", "under"];

/** Letters of other scripts than Latin that each have a link; of more there is one link for all. */
const MAX_OTHERS = 60;

const LOOKS = "How a page to read looks. Default: a grid where there are pictures.";
export const VIEW_PARAMETER = parameter("view", "query", LOOKS, { enum: [...VIEWS] });

const ORDERS = "In which order. Default: the best first, by label without a text.";
export const SORT_PARAMETER = parameter("sort", "query", ORDERS, { enum: [...SEARCH_ORDERS] });

/** The view that a request asks for. Throws `ProblemError`. */
export function viewParameter({ query }: RouteRequest): View | undefined {
  return chosenOf("view", query.get("view"), VIEWS);
}

/** A list: its address without what is asked of it, the request for it, and the words of its page. */
interface SeenList {
  readonly url: string;
  readonly request: RouteRequest;
  readonly words: Words;
}

/** The same list in each view. */
export function viewLinks({ url, request, words }: SeenList, view: View): Choice[] {
  return VIEWS.map((each) => ({
    words: words.file.list[each],
    url: addressWith(url, [...[...request.query].filter(([name]) => name !== "view"), ["view", each]]),
    isChosen: each === view,
  }));
}

/** The same list in each order. */
export function sortLinks({ url, request, words }: SeenList, { text, name, identifier, sort }: SearchQuery): Choice[] {
  const hasText = [text, name, identifier].some((each) => each !== undefined && each !== "");
  const chosen = sort ?? (hasText ? "relevance" : "label");
  const kept = searchedBy(request).filter(([each]) => each !== "sort");
  return SEARCH_ORDERS.flatMap((order) => {
    const said = words.order(order);
    if (said === undefined || (order === "relevance" && !hasText)) return [];
    return [{ words: said, url: addressWith(url, [...kept, ["sort", order]]), isChosen: order === chosen }];
  });
}

/** The same list from each letter on; the one with which the page begins is chosen. */
export function letterLinks(list: SeenList, letters: readonly LetterCount[], startIndex: number | undefined): Choice[] {
  const { url, request, words: said } = list;
  const kept = searchedBy(request);
  const from = request.query.get("from");
  const asked = from === null ? undefined : foldedForm(from).slice(0, 1);
  const others = letters.filter(({ letter }) => letter > "{").length;
  const links = new Map<string, Choice>();
  let index = 0;
  for (const { letter, records } of letters) {
    const words =
      letter < "a" ? "0–9" : letter < "{" || others <= MAX_OTHERS ? letter.toUpperCase() : said.file.list.other;
    const to = links.get(words)?.url ?? addressWith(url, [...kept, ["from", letter], ["index", String(index)]]);
    const isFirst = startIndex !== undefined && startIndex >= index && startIndex < index + records;
    const isChosen = links.get(words)?.isChosen === true || (asked === undefined ? isFirst : asked === letter);
    links.set(words, { words, url: to, isChosen });
    index += records;
  }
  return [...links.values()];
}

/** The pages of a list, with which one this is where that is known. */
export function pageLinks(pages: PageAddresses, length: number, total: number | undefined) {
  const { first, prev, next, last, startIndex } = pages;
  const at = startIndex === undefined ? undefined : Math.ceil((startIndex + length) / ITEMS_A_PAGE);
  const isAlone = prev === undefined && next === undefined;
  return {
    first: isAlone ? undefined : first,
    prev,
    next,
    last,
    at,
    count: total === undefined ? undefined : Math.ceil(total / ITEMS_A_PAGE),
  };
}

/** The conditions of a search besides its text, each with the address of the search without it. */
export async function chosenLinks(
  { base, store }: RouteContext,
  path: string,
  request: RouteRequest,
  values: readonly FacetValue[],
  words: Words,
): Promise<readonly ChosenLink[]> {
  const searched = searchedBy(request);
  const chosen: ChosenLink[] = [];
  const without = (isGone: (name: string, at: number) => boolean): string => {
    const kept = searched.filter(([name], at) => !isGone(name, at));
    return addressWith(base + path, kept);
  };
  const endpoint = ENDPOINTS.find(({ name }) => path === `/search/${name}`)?.name;
  if (endpoint !== undefined) {
    const label = words.file.endpoint[endpoint].many;
    chosen.push({ words: words.facet("endpoint"), label, url: addressWith(`${base}/search/all`, searched) });
  }
  const [begin, end] = [request.query.get("begin") || "", request.query.get("end") || ""];
  if (begin !== "" || end !== "") {
    const label = fill(words.file.date.to, { begin, end }).trim();
    chosen.push({ words: words.facet("century"), label, url: without((name) => name === "begin" || name === "end") });
  }
  for (const [at, [given, value]] of searched.entries()) {
    const name = given.replace(/^not\./, "");
    const term = FACET_NAMES.get(name) ?? REFERRING_PROPERTIES.get(name) ?? OTHERS.find((each) => each === name);
    if (term === undefined) continue;
    const found = values.find((each) => each.value === value)?.label;
    const label = words.facetValue(term, value) ?? found ?? (await store.find(value))?.meta.label ?? "";
    const facet = words.facet(term);
    const shown = given.startsWith("not.") ? fill(words.file.list.not, { facet }) : facet;
    const url = without((_, other) => other === at);
    chosen.push({ words: shown, label: label || value, url });
  }
  return chosen;
}
