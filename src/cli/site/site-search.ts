/** The search of a site: what its records are found by, the index that Pagefind makes of that, and the page that queries it. */
import { addAbortListener } from "node:events";
import type { CustomRecord } from "pagefind";
import { withoutMarkup } from "../../base/plain-text.js";
import { entriesOf } from "../../http/pages/entries.js";
import { Known } from "../../http/pages/known.js";
import { linksOnward, listPage } from "../../http/pages/lists.js";
import { html, text } from "../../http/pages/markup.js";
import type { HtmlPage, Site } from "../../http/pages/site.js";
import type { RouteContext } from "../../http/routes/route.js";
import { camelCase } from "../../model/vocabulary/vocabulary.js";
import { labelIn, type RecordGraph } from "../../rdf/record-graph.js";
import { RDFS_LABEL, XSD } from "../../rdf/terms.js";
import { sortForm } from "../../search/label-order.js";
import { shownBy } from "../../search/pictures.js";
import { termNumber } from "../../search/properties.js";
import { licencesIn, type RecordText, textOf } from "../../search/record-text.js";
import { lastOfPeriod, periodOf, SPANS } from "../../search/years.js";
import { FACETS } from "../../store/search.js";
import type { Store } from "../../store/store.js";

export type Pagefind = typeof import("pagefind");

/** The address of the page that every search field leads to. */
export const SEARCH_PAGE = "/search/";
/** The folder of the index, and the file in it that is written last and read first. */
export const INDEX_FOLDER = "pagefind/";
export const INDEX_NAME = "pagefind-entry.json";

/** The facets that describe a record. The age of a change is not among them, since a static file cannot know when it is read. */
const OF_RECORDS = FACETS.filter((facet) => facet !== "changed");
const FACET_OF = new Map(OF_RECORDS.map((facet) => [termNumber(facet), facet]));
/** At most this many periods are listed for a record: the earliest that it spans. */
const MAX_PERIODS = 20;

const AT_ONCE = 1_000;

/** A record as Pagefind takes it: its texts, its facets, and what a hit shows. */
export type SearchableRecord = Readonly<Required<CustomRecord>>;

/** Pagefind, if it is installed with its program for this platform. */
export async function pagefindIfThere(): Promise<Pagefind | undefined> {
  try {
    const pagefind = await import("pagefind");
    await pagefind.createIndex();
    return pagefind;
  } catch {
    return undefined;
  }
}

/** A record for the search: its texts, and its facets in the words of the lists (raise `SITE_VERSION` when these change). `undefined` when there is no record. */
export async function searchableRecord(store: Store, site: Site, iri: string, url: string) {
  const { words } = site;
  const [entry] = await entriesOf(store, [iri], site.reader);
  const graphOf = async (of: string): Promise<RecordGraph | undefined> => {
    const found = await store.find(of);
    return found && (await (await Known.of(store)).record(of, found)).graph;
  };
  const graph = await graphOf(iri);
  if (entry === undefined || graph === undefined) return undefined;
  const { label: title, endpoint, makers, date, kind, number, picture } = entry;
  const shown = await shownBy(graph, graphOf);
  // Leave out the names of other records: a search for one of those would find this record, too.
  const recordText = textOf({ graph, endpoint }, (of) => {
    const shownGraph = shown.get(of);
    return { names: "", licences: shownGraph === undefined ? [] : licencesIn(shownGraph), isFile: false };
  });
  const referred: [string, string][] = [];
  const texts = new Set<string>();
  for (const { iri: target, property } of recordText.targets) {
    const facet = FACET_OF.get(property);
    if (facet === undefined) continue;
    const named = (await store.find(target))?.meta.label;
    const [label] = named ? [named] : [graph, ...shown.values()].flatMap((each) => labelIn(each, target) ?? []);
    referred.push([facet, label ?? target]);
    if (label !== undefined) texts.add(label);
  }
  const values: [string, string][] = [
    ["endpoint", endpoint ?? ""],
    ["picture", picture === undefined ? "no" : "yes"],
    ...periodsOf(recordText),
  ];
  const called = values.map(([facet, value]) => [facet, words.facetValue(facet, value) ?? ""] as const);
  const filters: Record<string, string[]> = {};
  for (const [facet, label] of [...called, ...referred]) {
    const name = camelCase(facet);
    if (label !== "") filters[name] = [...new Set([...(filters[name] ?? []), label])];
  }
  const by = [makers, date].filter(Boolean).join(", ");
  const about = [kind, number].filter(Boolean).join(" · ");
  const is = endpoint === null ? "" : words.file.endpoint[endpoint].one;
  const image = picture === undefined ? { is } : { image: site.shortened(picture) };
  for (const text of searchedTexts(graph)) texts.add(text);
  return {
    url,
    content: [...new Set([title, by, about, ...texts])].join(". "),
    language: words.language,
    meta: { title, by, about, ...image },
    filters,
    sort: { title: sortForm(title, () => entry.language) },
  };
}

/** The texts of a record except the labels of its blank nodes, which say what a node is for ("Primary title") and are not searched by a service either. */
function searchedTexts({ terms, triples }: RecordGraph): string[] {
  const texts: string[] = [];
  for (let at = 0; at < triples.length; at += 3) {
    const [subject, predicate, object] = [terms[triples[at]!]!, terms[triples[at + 1]!]!, terms[triples[at + 2]!]!];
    if (object.termType !== "Literal" || (object.language === "" && object.datatype !== XSD.string)) continue;
    if (subject.termType !== "BlankNode" || predicate.value !== RDFS_LABEL) texts.push(withoutMarkup(object.value));
  }
  return texts;
}

/** The periods that a record spans, by their first years. */
function periodsOf({ begins, ends }: RecordText): [string, string][] {
  if (begins === null || ends === null) return [];
  return Object.entries(SPANS).flatMap(([facet, span]) => {
    const periods: [string, string][] = [];
    let first = periodOf(begins, span);
    for (; first <= ends && periods.length < MAX_PERIODS; first = lastOfPeriod(first, span) + 1)
      periods.push([facet, String(first)]);
    return periods;
  });
}

/** The files of an index of records; the file that is read first comes last. Rejects with the signal's reason, and with errors of Pagefind. */
export async function indexOf(pagefind: Pagefind, records: readonly SearchableRecord[], signal: AbortSignal) {
  const { index } = await pagefind.createIndex();
  using _closing = addAbortListener(signal, () => void pagefind.close());
  try {
    for (let at = 0; at < records.length; at += AT_ONCE) {
      signal.throwIfAborted();
      const added = await Promise.all(records.slice(at, at + AT_ONCE).map((record) => index!.addCustomRecord(record)));
      const [error] = added.flatMap(({ errors }) => errors);
      if (error !== undefined) throw new Error(`pagefind: ${error}`);
    }
    const { files } = await index!.getFiles();
    // Pagefind's own user interfaces are not used.
    const needed = files.filter(({ path }) => !/^pagefind-(?!worker|entry)|\.css$/.test(path));
    return needed.sort((left, right) => Number(left.path === INDEX_NAME) - Number(right.path === INDEX_NAME));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** The page that queries the index. Without scripts, it leads to the lists. */
export async function searchPage({ site, store, base }: RouteContext): Promise<HtmlPage> {
  const { count, list, locale, page } = site.words.file;
  const facets = Object.fromEntries(OF_RECORDS.map((facet) => [camelCase(facet), site.words.facet(facet)]));
  const words = JSON.stringify({ locale, count: count.records, facets, skip: page.skip, ...list });
  const script = html`<script type="module" src="${text(site.path)}/assets/site-search.js" data-words="${text(words)}"></script>\n`;
  return listPage(site, {
    title: page.search,
    address: `${base}${SEARCH_PAGE}`,
    lead: html`<p class="aside" role="status">\u00a0</p>\n`,
    entries: [],
    pages: { first: undefined, next: undefined },
    empty: html`${linksOnward(site, (await store.stats()).endpoints)}${script}`,
  });
}
