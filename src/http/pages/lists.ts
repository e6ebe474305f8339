/** Pages of lists: an endpoint's records by label, and the records that refer to an entity. */

import { counted, grouped } from "../../base/counted.js";
import type { EndpointName } from "../../model/tables/endpoints.js";
import { propertyIri } from "../../model/vocabulary/vocabulary.js";
import type { StoreWith } from "../../store/store.js";
import type { Addresses } from "../entity/addresses.js";
import { afterReading, isLarge } from "../entity/large.js";
import { vocabularyTerm } from "./description.js";
import { listAddress } from "./gather.js";
import { findForm } from "./home.js";
import { ENDPOINT_WORDS, referringWords } from "./labels.js";
import { type Html, html, join, NOTHING, text } from "./markup.js";
import { type ListedRecord, recordItem } from "./referring.js";
import type { HtmlPage, Site } from "./site.js";

/** Records of a page. */
const MAX_LISTED = 100;

/** An endpoint's records in the order of their labels. Rejects with `InvalidCursorError`. */
export async function browsePage(
  site: Site,
  store: StoreWith<"lists">,
  addresses: Addresses,
  endpoint: EndpointName,
  after: string | undefined,
): Promise<HtmlPage> {
  const { endpoints } = await store.stats();
  const { items, next } = await store.lists.page(endpoint, { after, limit: MAX_LISTED });
  const records = items.map(({ iri, label }) => listed(site, addresses, { iri, label, endpoint }));
  const { many } = ENDPOINT_WORDS[endpoint];
  const path = `${site.path}/browse/${endpoint}`;
  return listPage(site, {
    title: many,
    lead: html`<p class="aside">${text(grouped(endpoints[endpoint] ?? 0))} by label</p>`,
    records,
    first: after === undefined ? undefined : path,
    next: next === undefined ? undefined : `${path}?after=${encodeURIComponent(next)}`,
  });
}

/** The records that refer to an entity by a property. Rejects with `InvalidCursorError`. */
export async function referringPage(
  site: Site,
  store: StoreWith<"references">,
  addresses: Addresses,
  { uri, property, after }: { readonly uri: string; readonly property: string; readonly after: string | undefined },
): Promise<HtmlPage> {
  const iri = propertyIri(property) ?? property;
  const { items, next } = await store.references.page(uri, { property: iri, after, limit: MAX_LISTED });
  const counts = await store.references.counts(uri);
  const count = counts.find((each) => each.property === iri)?.records ?? 0;
  const records: ListedRecord[] = [];
  for (const { record } of items) {
    const found = await store.find(record);
    if (found === undefined) continue;
    const { label, endpoint } = found.meta;
    if (isLarge(found)) await afterReading();
    records.push(listed(site, addresses, { iri: record, label, endpoint }));
  }
  const entity = await store.find(uri);
  const name = entity?.meta.label || uri;
  const words = referringWords(vocabularyTerm(iri));
  const address = (from?: string): string => site.shortened(listAddress(addresses.base, uri, iri, from));
  return listPage(site, {
    title: `${name}: ${words.toLowerCase()}`,
    lead: html`<p><a href="${text(site.shortened(addresses.url(uri)))}">${text(name)}</a> <span class="aside">${text(counted(count, "record"))}</span></p>`,
    records,
    first: after === undefined ? undefined : address(),
    next: next === undefined ? undefined : address(next),
  });
}

/** Records that were found, or that stand in a relation. @param asked what was looked for, to be shown again */
export function foundPage(
  site: Site,
  addresses: Addresses,
  found: readonly FoundRecord[],
  asked: string,
  pages: { readonly first: string; readonly next: string | undefined; readonly prev: string | undefined },
  { total, meant, facets = [] }: FoundCounts,
): HtmlPage {
  const slip =
    meant === undefined
      ? NOTHING
      : html`<p>Results for <em>${text(meant)}</em>: there is nothing for ${text(asked)}.</p>`;
  const count = total === undefined ? NOTHING : html`<p class="aside">${text(counted(total, "record"))}</p>`;
  return listPage(site, {
    title: asked === "" ? "Records" : `Found: ${asked}`,
    lead: html`${findForm(site, asked)}${slip}${count}${facetList(site, facets)}`,
    records: found.map((each) => listed(site, addresses, each)),
    first: pages.prev && site.shortened(pages.first),
    next: pages.next && site.shortened(pages.next),
  });
}

/** What is told of a search besides its records. */
interface FoundCounts {
  readonly total: number | undefined;
  /** What it was looked for instead. */
  readonly meant?: string | undefined;
  readonly facets?: readonly FacetLink[];
}

/** A search narrowed to a value of a facet. */
export interface FacetLink {
  readonly facet: string;
  readonly label: string;
  readonly records: number;
  readonly url: string;
}

/** Facets by which a search can be narrowed: those with a choice. Robots are not to follow all combinations. */
function facetList(site: Site, links: readonly FacetLink[]): Html {
  const rows = [...new Set(links.map(({ facet }) => facet))].flatMap((facet) => {
    const values = links.filter((link) => link.facet === facet);
    if (values.length < 2) return [];
    const items = values.map(
      ({ url, label, records }) =>
        html`<a rel="nofollow" href="${text(site.shortened(url))}">${text(label)}</a> ${text(grouped(records))}`,
    );
    const name = facet === "endpoint" ? "kind" : facet.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return [html`<li>${text(name)}: ${join(items, ", ")}</li>\n`];
  });
  return rows.length === 0 ? NOTHING : html`<details><summary>Narrow</summary><ul>\n${join(rows)}</ul></details>`;
}

/** Records that are not published, for those who may see them. */
export function heldPage(
  site: Site,
  addresses: Addresses,
  records: readonly FoundRecord[],
  pages: { readonly first: string | undefined; readonly next: string | undefined },
): HtmlPage {
  return listPage(site, {
    title: "Held records",
    lead: html`<p class="aside">Not published: seen by nobody but those who may read them</p>`,
    records: records.map((each) => listed(site, addresses, each)),
    first: pages.first && site.shortened(pages.first),
    next: pages.next && site.shortened(pages.next),
  });
}

/** A record as stores tell of it. */
interface FoundRecord {
  readonly iri: string;
  readonly label: string;
  readonly endpoint: EndpointName | null;
}

function listed(site: Site, addresses: Addresses, { iri, label, endpoint }: FoundRecord): ListedRecord {
  return { url: site.shortened(addresses.url(iri)), label: label === "" ? iri : label, endpoint };
}

interface List {
  readonly title: string;
  readonly lead: Html;
  readonly records: readonly ListedRecord[];
  /** Where the list begins, on all pages but the first. */
  readonly first: string | undefined;
  readonly next: string | undefined;
}

function listPage(site: Site, { title, lead, records, first, next }: List): HtmlPage {
  const isMixed = new Set(records.map(({ endpoint }) => endpoint)).size > 1;
  const ways = [
    first === undefined ? NOTHING : html`<a rel="nofollow" href="${text(first)}">From the beginning</a>`,
    next === undefined ? NOTHING : html`<a rel="next nofollow" href="${text(next)}">Further</a>`,
  ];
  const items = records.map((record) => recordItem(record, isMixed));
  const content = html`<header class="list-head">
<h1>${text(title)}</h1>
${lead}
</header>
${records.length === 0 ? html`<p>There is nothing here.</p>` : html`<ul class="records">\n${join(items)}</ul>`}
${ways.every((way) => way === NOTHING) ? NOTHING : html`<nav class="pages" aria-label="Pages">${join(ways)}</nav>`}`;
  return site.page({ title }, content);
}
