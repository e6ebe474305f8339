/** Links to variants of a list: in another order or view, from a letter on, on other pages, or without one of its conditions. */
import { REFERRING_PROPERTIES } from "../../../model/relations.js";
import { ENDPOINT_NAMES } from "../../../model/tables/names.js";
import { foldedForm } from "../../../search/forms.js";
import { type LetterCount, SEARCH_ORDERS, type SearchQuery } from "../../../store/search.js";
import { VIEWS, type View } from "../../pages/entries.js";
import type { Choice, ChosenLink } from "../../pages/lists.js";
import { momentInWords } from "../../pages/time-spans.js";
import { fill, type Words } from "../../pages/words/words.js";
import { parameter } from "../openapi/paths.js";
import type { RouteRequest } from "../route.js";
import { addressWith, ITEMS_A_PAGE, type PageAddresses } from "./collection-pages.js";
import { FACET_NAMES, searchedBy } from "./facets.js";

/** The parameters besides facets and properties that narrow a search. */
const OTHERS = ["type", "under"];

/** The maximum number of letters of non-Latin scripts that have a link each. If there are more, all share one link. */
const MAX_OTHERS = 60;

const LOOKS = "The layout of an HTML page. Default: a grid if there are pictures.";
export const VIEW_PARAMETER = parameter("view", "query", LOOKS, { enum: [...VIEWS] });

/** A list: its URL without a query, the request for a page of it, and the words of the page. */
interface ListPage {
  readonly url: string;
  readonly request: RouteRequest;
  readonly words: Words;
}

/** The links to a list in each view. */
export function viewLinks({ url, request, words }: ListPage, view: View): Choice[] {
  return VIEWS.map((each) => ({
    words: words.file.list[each],
    url: addressWith(url, [...[...request.query].filter(([name]) => name !== "view"), ["view", each]]),
    isChosen: each === view,
  }));
}

/** The links to a list in each order. */
export function sortLinks({ url, request, words }: ListPage, search: SearchQuery): Choice[] {
  const { text, name, identifier, sort } = search;
  const hasText = [text, name, identifier].some((each) => each !== undefined && each !== "");
  const chosen = sort ?? (hasText ? "relevance" : "label");
  const kept = searchedBy(request).filter(([each]) => each !== "sort");
  return SEARCH_ORDERS.flatMap((order) => {
    const name = words.order(order);
    if (name === undefined || (order === "relevance" && !hasText)) return [];
    return [{ words: name, url: addressWith(url, [...kept, ["sort", order]]), isChosen: order === chosen }];
  });
}

/** The links to a list from each letter on; the letter at which the page begins is chosen. */
export function letterLinks(list: ListPage, letters: readonly LetterCount[], startIndex: number | undefined): Choice[] {
  const { url, request } = list;
  const kept = searchedBy(request);
  const from = request.query.get("from");
  const first = from === null ? undefined : foldedForm(from).slice(0, 1);
  const others = letters.filter(({ letter }) => letter > "{").length;
  const links = new Map<string, Choice>();
  let index = 0;
  for (const { letter, records } of letters) {
    const words =
      letter < "a" ? "0–9" : letter < "{" || others <= MAX_OTHERS ? letter.toUpperCase() : list.words.file.list.other;
    const to = links.get(words)?.url ?? addressWith(url, [...kept, ["from", letter], ["index", String(index)]]);
    const isFirst = startIndex !== undefined && startIndex >= index && startIndex < index + records;
    const isChosen = links.get(words)?.isChosen === true || (first === undefined ? isFirst : first === letter);
    links.set(words, { words, url: to, isChosen });
    index += records;
  }
  return [...links.values()];
}

/** The links between the pages of a list, and the number of this page, if known. */
export function pageLinks(pages: PageAddresses, length: number, total: number | undefined) {
  const { first, prev, next, startIndex } = pages;
  const at = startIndex === undefined ? undefined : Math.ceil((startIndex + length) / ITEMS_A_PAGE);
  const count = total === undefined ? undefined : Math.ceil(total / ITEMS_A_PAGE);
  return { ...pages, first: prev === undefined && next === undefined ? undefined : first, at, count };
}

/** The conditions of a search besides its text, each with a link to the search without it. @param nameOf names an IRI */
export async function chosenLinks(list: ListPage, base: string, nameOf: (iri: string) => Promise<string>) {
  const { url: own, request, words } = list;
  const searched = searchedBy(request);
  const chosen: ChosenLink[] = [];
  const endpoint = ENDPOINT_NAMES.find((name) => own === `${base}/search/${name}`);
  if (endpoint !== undefined) {
    const label = words.file.endpoint[endpoint].many;
    chosen.push({ words: words.facet("endpoint"), label, url: addressWith(`${base}/search/all`, searched) });
  }
  const [begin, end] = [request.query.get("begin") || "", request.query.get("end") || ""];
  if (begin !== "" || end !== "") {
    const [from, until] = [begin, end].map((each) => (each === "" ? "" : words.year(Number(each))));
    const isOpen = begin === "" || end === "";
    const label = isOpen
      ? fill(words.file.date.to, { begin: from!, end: until! }).trim()
      : words.years(Number(begin), Number(end));
    const others = searched.filter(([name]) => name !== "begin" && name !== "end");
    chosen.push({ words: words.facet("century"), label, url: addressWith(own, others) });
  }
  for (const [at, [given, value]] of searched.entries()) {
    const name = given.replace(/^not\./, "");
    const term = FACET_NAMES.get(name) ?? REFERRING_PROPERTIES.get(name) ?? OTHERS.find((each) => each === name);
    if (term === undefined || value === "") continue;
    const since = term === "changed" ? { date: momentInWords(value, false, words) } : undefined;
    const said = words.facetValue(term, value) ?? (since && fill(words.file.date.later, since));
    const label = said ?? (await nameOf(value));
    const facet = words.facet(term);
    const shown = given.startsWith("not.") ? fill(words.file.list.not, { facet }) : facet;
    chosen.push({ words: shown, label, url: addressWith(own, searched.toSpliced(at, 1)) });
  }
  return chosen;
}
