/** Pages of lists: entries with their number, links to other pages and orders, and facets. */
import { groupBy } from "../../base/entries.js";
import { propertyIri } from "../../model/vocabulary/vocabulary.js";
import { meantText } from "../../search/years.js";
import type { StoreStats } from "../../store/record.js";
import type { SearchWindow } from "../../store/search.js";
import type { References, StoreWith } from "../../store/store.js";
import type { Entry } from "./caption.js";
import { vocabularyTerm } from "./description.js";
import { entriesHtml, entriesOf, hostsOfEntries, listedName, type View } from "./entries.js";
import { listAddress } from "./gather.js";
import { ORDER } from "./home.js";
import { type Html, html, isolated, join, linkHtml, NOTHING, text } from "./markup.js";
import type { HtmlPage, Site } from "./site.js";
import { fill, fillHtml, type Words } from "./words/words.js";

const MAX_LISTED = 50;
/** How many values of a facet are visible at first; the others unfold. */
const VISIBLE_VALUES = 6;

export interface Choice {
  readonly words: string;
  readonly url: string;
  readonly isChosen: boolean;
}

/** A condition of a list, with the URL of the list without it. */
export interface ChosenLink {
  readonly words: string;
  readonly label: string;
  readonly url: string;
}

interface Pages {
  readonly first: string | undefined;
  readonly prev?: string | undefined;
  readonly next: string | undefined;
  readonly last?: string | undefined;
  /** The number of this page, and the number of all pages, if known. */
  readonly at?: number | undefined;
  readonly count?: number | undefined;
}

/** The contents of a page of a list; all URLs are absolute. */
export interface List {
  readonly title: string;
  readonly address: string;
  readonly query?: string;
  readonly lead?: Html;
  readonly entries: readonly Entry[];
  readonly total?: number | undefined;
  /** Default: a grid if at least half of the entries have pictures, else a table. */
  readonly view?: View | undefined;
  readonly pages: Pages;
  readonly sorts?: readonly Choice[];
  /** Links to the list in each view, beside this one. */
  readonly views?: (view: View) => readonly Choice[];
  readonly letters?: readonly Choice[];
  readonly facets?: readonly (ChosenLink & { readonly records: number })[];
  readonly isEstimated?: boolean;
  readonly chosen?: readonly ChosenLink[];
  readonly downloads?: readonly { readonly name: string; readonly url: string }[];
  readonly empty?: Html;
}

/** Makes the page of a list: its entries as a grid or table, with facets, letters and pages. */
export function listPage(site: Site, list: List): HtmlPage {
  const { title, lead = NOTHING, entries, total, query, chosen = [], pages } = list;
  const pictured = entries.filter(({ picture }) => picture !== undefined).length;
  const view = list.view ?? (pictured > 0 && pictured * 2 >= entries.length ? "grid" : "table");
  const facetsOf = entries.length === 0 ? NOTHING : facetsHtml(site, list);
  const { list: words } = site.words.file;
  const count = !total ? NOTHING : html`<p class="aside">${text(countInWords(site.words, total, pages))}</p>`;
  const results = join([
    chosenHtml(site, chosen),
    entries.length < 2
      ? NOTHING
      : html`<div class="tools">${choicesHtml(site, "choices", words.order, list.sorts)}${choicesHtml(site, "choices", words.view, list.views?.(view))}</div>\n`,
    choicesHtml(site, "letters", words.letters, list.letters),
    entries.length === 0 ? (list.empty ?? html`<p>${text(words.empty)}</p>`) : entriesHtml(entries, view, site),
    pagesHtml(site, pages),
    entries.length === 0 ? NOTHING : downloadsHtml(site, list.downloads),
  ]);
  const content = html`<header class="list-head">
<h1 dir="auto">${text(title)}</h1>
${lead}${count}
</header>
<div class="${text(facetsOf === NOTHING ? "listing" : "listing narrowed")}">
${facetsOf}<div class="results" id="results">${results}</div>
</div>`;
  return site.page({ title, address: list.address, query: query ?? "", hosts: hostsOfEntries(entries) }, content);
}

function countInWords(words: Words, total: number, { at, count }: Pages): string {
  const records = words.count("records", total);
  if (at === undefined || count === undefined || count < 2) return records;
  return fill(words.file.list.pageOf, { records, page: words.number(at), pages: words.number(count) });
}

/** Links to variants of a list; nothing for fewer than two. */
function choicesHtml(site: Site, kind: "choices" | "letters", words: string, choices: readonly Choice[] = []): Html {
  if (choices.length < 2) return NOTHING;
  const links = choices.map(({ words, url, isChosen }) => {
    const current = isChosen ? html` aria-current="true"` : NOTHING;
    return html`<a${current} rel="nofollow" href="${text(site.link(url))}">${text(words)}</a>`;
  });
  const before = kind === "letters" ? NOTHING : html`<span>${text(words)}</span> `;
  return html`<nav class="${text(kind)}" aria-label="${text(words)}">${before}${join(links, " ")}</nav>\n`;
}

function chosenHtml(site: Site, chosen: readonly ChosenLink[]): Html {
  if (chosen.length === 0) return NOTHING;
  const items = chosen.map(
    ({ words, label, url }) =>
      html`<li><span class="aside">${text(words)}</span> ${isolated(label)} <a rel="nofollow" href="${text(site.link(url))}" aria-label="${text(fill(site.words.file.list.remove, { facet: words, value: label }))}">×</a></li>`,
  );
  return html`<ul class="chosen">${join(items)}</ul>\n`;
}

/** The facets of a search, after a link that skips them. `nofollow` keeps robots from following all combinations. */
function facetsHtml(site: Site, { facets = [], isEstimated = false }: List): Html {
  const { list, page } = site.words.file;
  const counted = isEstimated ? list.estimated : "{count}";
  const groups = [...groupBy(facets, ({ words }) => words)].map(([words, values]) => {
    const items = values.map(
      ({ url, label, records }) =>
        html`<li><a rel="nofollow" href="${text(site.link(url))}">${isolated(label)}</a> <span class="count">${text(fill(counted, { count: site.words.number(records) }))}</span></li>\n`,
    );
    const more = join(items.slice(VISIBLE_VALUES));
    const rest =
      more === NOTHING ? NOTHING : html`<details><summary>${text(list.more)}</summary><ul>${more}</ul></details>`;
    return html`<h2>${text(words)}</h2><ul>${join(items.slice(0, VISIBLE_VALUES))}</ul>${rest}\n`;
  });
  return groups.length === 0
    ? NOTHING
    : html`<a class="skip" href="#results">${text(page.skip)}</a>\n<details class="facets"><summary>${text(list.narrow)}</summary>\n${join(groups)}</details>\n`;
}

function pagesHtml(site: Site, { first, prev, next, last }: Pages): Html {
  const link = (url: string | undefined, words: string, rel = "nofollow"): Html =>
    url === undefined ? NOTHING : html`<a rel="${text(rel)}" href="${text(site.link(url))}">${text(words)}</a>`;
  const { list: words } = site.words.file;
  const ways = join([
    link(first, words.first),
    link(prev, words.previous, "prev nofollow"),
    link(next, words.next, "next nofollow"),
    link(next === undefined ? undefined : last, words.last),
  ]);
  return ways === NOTHING ? NOTHING : html`<nav class="pages" aria-label="${text(words.pages)}">${ways}</nav>\n`;
}

function downloadsHtml(site: Site, downloads: List["downloads"] = []): Html {
  if (downloads.length === 0) return NOTHING;
  const links = downloads.map(
    ({ name, url }) => html`<a rel="nofollow" href="${text(site.shortened(url))}">${text(name)}</a>`,
  );
  return html`<p class="downloads">${text(site.words.file.list.download)} ${join(links, " · ")}</p>\n`;
}

/** Notes that nothing has the text as written and that the results are for another text, `meant`, and links to the results for a similar text, `near`. */
export function suggestionHtml(site: Site, asked: string, window: SearchWindow, nearUrl: (near: string) => string) {
  const { meant, near } = window;
  const { list } = site.words.file;
  const said = meant && meantText(meant, (first, last) => site.words.years(first, last));
  const filled = { meant: html`<em>${text(said ?? "")}</em>`, asked: text(fill(list.quoted, { text: asked })) };
  const found = said === undefined ? NOTHING : html`<p>${fillHtml(list.meant, filled)}</p>\n`;
  if (near === undefined) return found;
  const link = html`<a rel="nofollow" href="${text(site.link(nearUrl(near)))}"><em>${text(near)}</em></a>`;
  return html`${found}<p>${fillHtml(list.near, { near: link })}</p>\n`;
}

/** Links for a search without results: a wider search, and all records by kind. */
export function linksOnward(site: Site, endpoints: StoreStats["endpoints"], elsewhere?: string): Html {
  const { list, endpoint } = site.words.file;
  const there = ORDER.filter((name) => (endpoints[name] ?? 0) > 0);
  const links = there.map((name) => linkHtml(site.link(`${site.path}/browse/${name}`), endpoint[name].many));
  const all = elsewhere === undefined ? NOTHING : html`<li>${linkHtml(site.link(elsewhere), list.whole)}</li>\n`;
  return html`<ul class="ways">
<li>${text(list.fewer)}</li>
${all}<li>${text(list.browse)} ${join(links, " · ")}</li>
</ul>
`;
}

interface ReferringView extends Pick<List, "view" | "views" | "downloads"> {
  readonly uri: string;
  readonly property: string;
  readonly after: string | undefined;
}

/** The IRI of a property, given by this or by its term, which may have one for each class: the one by which records refer to the counted entity. */
export function referringIri(counts: Awaited<ReturnType<References["counts"]>>, property: string): string {
  const referring = counts.find((each) => each.property !== null && vocabularyTerm(each.property) === property);
  return referring?.property ?? propertyIri(property) ?? property;
}

/** Makes the page of the records that refer to an entity by a property. Rejects with `InvalidCursorError`. */
export async function referringPage(site: Site, store: StoreWith<"references">, asked: ReferringView) {
  const { uri, property, after } = asked;
  const counts = await store.references.counts(uri);
  const iri = referringIri(counts, property);
  const { items, next } = await store.references.page(uri, { property: iri, after, limit: MAX_LISTED });
  const { words } = site;
  const name = await listedName(store, uri, site.reader);
  const address = (from?: string): string => listAddress(site.base, uri, iri, from);
  const records = items.map(({ record }) => record);
  return listPage(site, {
    ...asked,
    title: fill(words.file.record.referringTo, {
      name,
      relation: words.within(words.referring(vocabularyTerm(iri))),
    }),
    address: address(after),
    lead: html`<p>${linkHtml(site.entityLink(uri), name)}</p>\n`,
    entries: await entriesOf(store, records, site.reader),
    total: counts.find((each) => each.property === iri)?.records ?? 0,
    pages: {
      first: after === undefined ? undefined : address(),
      next: next === undefined ? undefined : address(next),
    },
  });
}
