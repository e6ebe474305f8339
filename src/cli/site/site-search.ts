/** The search of a site: what its records are found by, the index that pagefind makes of that, and the page that asks it. */
import type { CustomRecord } from "pagefind";
import { isLarge } from "../../http/entity/large.js";
import { entriesOf } from "../../http/pages/entries.js";
import { Known } from "../../http/pages/known.js";
import { listPage, waysOn } from "../../http/pages/lists.js";
import { html, text, withoutMarkup } from "../../http/pages/markup.js";
import type { HtmlPage, Site } from "../../http/pages/site.js";
import type { RouteContext } from "../../http/routes/route.js";
import { camelCase } from "../../model/vocabulary/vocabulary.js";
import { labelIn } from "../../rdf/record-graph.js";
import { XSD } from "../../rdf/terms.js";
import { SPANS } from "../../search/facets.js";
import { sortForm } from "../../search/label-order.js";
import { termNumber } from "../../search/properties.js";
import { textOf } from "../../search/record-text.js";
import { FACETS, type FacetName } from "../../store/search.js";
import type { Store } from "../../store/store.js";

export type Pagefind = typeof import("pagefind");

/** Where the page is that every search field leads to. */
export const SEARCH_PAGE = "/search/";
/** Where the index lies; the file that is written last, and read first. */
export const INDEX_FOLDER = "pagefind/";
export const INDEX_ENTRY = `${INDEX_FOLDER}pagefind-entry.json`;

/** Facets of a record; of others, a file cannot say what they are when it is read. */
const OF_RECORDS = FACETS.filter((facet) => facet !== "changed");
const FACET_OF = new Map(OF_RECORDS.map((facet) => [termNumber(facet), facet]));
/** A record that spans more periods is in the first ones. */
const MAX_PERIODS = 20;

/** Records that are given to pagefind at once. */
const AT_ONCE = 200;

/** What a record is found and shown by, as pagefind takes it. */
export type Sought = Readonly<Required<CustomRecord>>;

/** Pagefind, where it is installed with its program for this platform. */
export async function pagefindIfThere(): Promise<Pagefind | undefined> {
  try {
    const pagefind = await import("pagefind");
    await pagefind.createIndex();
    return pagefind;
  } catch {
    return undefined;
  }
}

/** What a record is found by: its texts, and its facets in the words of its lists. `undefined` where there is no record. */
export async function soughtBy(store: Store, site: Site, iri: string, url: string): Promise<Sought | undefined> {
  const [entry] = await entriesOf(store, [iri], site.reader);
  const found = await store.find(iri);
  if (entry === undefined || found === undefined) return undefined;
  const { label: title, endpoint, makers, date, kind, number, picture } = entry;
  const { graph } = isLarge(found) ? { graph: undefined } : await (await Known.of(store)).record(iri, found);
  const said = graph === undefined ? undefined : textOf({ graph, endpoint }, () => ({ names: "", licences: [] }));
  const filters: Record<string, string[]> = {};
  const add = (facet: FacetName, label = ""): void => {
    const name = camelCase(facet);
    if (label !== "") filters[name] = [...new Set([...(filters[name] ?? []), label])];
  };
  const { words } = site;
  add("endpoint", words.facetValue("endpoint", endpoint ?? ""));
  add("picture", words.facetValue("picture", picture === undefined ? "no" : "yes"));
  for (const [facet, years] of Object.entries(SPANS) as ["century" | "decade", number][])
    for (const first of periodsOf(said, years)) add(facet, words.facetValue(facet, String(first)));
  for (const { iri: target, property } of said?.targets ?? []) {
    const facet = FACET_OF.get(property);
    if (facet !== undefined) add(facet, (await store.find(target))?.meta.label || labelIn(graph!, target));
  }
  const by = [makers, date].filter(Boolean).join(", ");
  const about = [kind, number].filter(Boolean).join(" · ");
  const is = endpoint === null ? "" : words.file.endpoint[endpoint].one;
  const image = picture === undefined ? { is } : { image: site.shortened(picture) };
  const texts = graph?.terms.flatMap(({ termType, datatype, language, value }) =>
    termType === "Literal" && (language !== "" || datatype === XSD.string) ? withoutMarkup(value) : [],
  );
  return {
    url,
    content: [...new Set([title, by, about, ...Object.values(filters).flat(), ...(texts ?? [])])].join(". "),
    language: words.language,
    meta: { title, by, about, ...image },
    filters,
    sort: { title: sortForm(title, () => entry.language) },
  };
}

/** The first years of the periods that a record touches. */
function periodsOf(said: ReturnType<typeof textOf> | undefined, years: number): readonly number[] {
  const { begins = null, ends = null } = said ?? {};
  if (begins === null || ends === null) return [];
  const first = Math.floor(begins / years);
  const count = Math.min(MAX_PERIODS, Math.floor(ends / years) - first + 1);
  return Array.from({ length: count }, (_, at) => (first + at) * years);
}

/** The files of an index of records; the entry last. Rejects with the signal's reason, and with what pagefind says. */
export async function indexOf(pagefind: Pagefind, records: readonly Sought[], signal: AbortSignal) {
  const { index } = await pagefind.createIndex();
  const stop = () => pagefind.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (let at = 0; at < records.length; at += AT_ONCE) {
      signal.throwIfAborted();
      const added = await Promise.all(records.slice(at, at + AT_ONCE).map((record) => index!.addCustomRecord(record)));
      const [error] = added.flatMap(({ errors }) => errors);
      if (error !== undefined) throw new Error(`pagefind: ${error}`);
    }
    const { files } = await index!.getFiles();
    // Its own user interfaces are not used.
    const needed = files.filter(({ path }) => !/^pagefind-(?!worker|entry)|\.css$/.test(path));
    const named = needed.map(({ path, content }) => ({ file: INDEX_FOLDER + path, content: Buffer.from(content) }));
    return named.sort((left, right) => Number(left.file === INDEX_ENTRY) - Number(right.file === INDEX_ENTRY));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The page that asks the index. Without a script, it leads on to the lists. */
export async function searchPage({ site, store, base, addresses }: RouteContext): Promise<HtmlPage> {
  const { count, list, locale } = site.words.file;
  const facets = Object.fromEntries(OF_RECORDS.map((facet) => [camelCase(facet), site.words.facet(facet)]));
  const words = JSON.stringify({ locale, count: count.records, facets, ...list });
  const script = html`<script type="module" src="${text(site.path)}/assets/site-search.js" data-words="${text(words)}"></script>\n`;
  return listPage(site, addresses, {
    title: site.words.file.page.search,
    address: `${base}${SEARCH_PAGE}`,
    lead: html`<p class="aside" role="status">\u00a0</p>\n`,
    entries: [],
    pages: { first: undefined, next: undefined },
    empty: html`${waysOn(site, (await store.stats()).endpoints)}${script}`,
  });
}
