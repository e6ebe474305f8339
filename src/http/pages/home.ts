/** The home page: what the collection is, how much there is of what, where to begin, and where the data are. */
import { counted, grouped } from "../../base/counted.js";
import { ENDPOINTS, type EndpointName } from "../../model/tables/endpoints.js";
import type { JsonObject } from "../../rdf/record-graph.js";
import type { Lists } from "../../store/lists.js";
import type { Store, StoredRecord, StoreStats } from "../../store/store.js";
import type { Addresses } from "../entity/addresses.js";
import { isLarge } from "../entity/large.js";
import { type Entry, entriesHtml, entriesOf, entryAddresses, hostsOfEntries } from "./entries.js";
import { ENDPOINT_WORDS } from "./labels.js";
import { type Html, html, join, jsonLdScript, NOTHING, text } from "./markup.js";
import { findForm, type HtmlPage, type Site } from "./site.js";
import { timeInWords } from "./time-spans.js";

/** What the home page shows of the collection. */
export interface Welcome {
  readonly stats: StoreStats;
  readonly examples: readonly Entry[];
  readonly paths: ReadonlySet<string>;
  /** The collection as a dataset of schema.org. */
  readonly dataset: JsonObject;
}

/** Where the data are, by the path of what gives them. */
const SERVICES: readonly (readonly [path: string, name: string, about: string])[] = [
  ["/sparql", "SPARQL", "Ask the whole collection anything."],
  ["/dumps/", "Dumps", "All records in one file."],
  ["/activity", "Change stream", "What was created, changed and deleted, and when."],
  ["/reconcile", "Reconciliation", "Match your own list against the collection, in OpenRefine and elsewhere."],
  ["/openapi.html", "Interface", "How programs ask this service."],
  ["/.well-known/void", "Dataset", "The collection described for registers of datasets."],
];

/** Endpoints in the order in which visitors look for them. */
const ORDER = Object.keys(ENDPOINT_WORDS) as EndpointName[];

export function homePage(site: Site, addresses: Addresses, { stats, examples, paths, dataset }: Welcome): HtmlPage {
  const { picture } = site.settings;
  const content = site.theme.template("home").fill({
    path: text(site.path),
    site: text(site.title),
    text: aboutHtml(site, stats),
    picture: picture === undefined ? NOTHING : html`<img src="${text(picture)}" alt="">`,
    find: site.isSearched ? findForm(site.path) : NOTHING,
    endpoints: endpointsHtml(site, stats),
    examples: examples.length === 0 ? NOTHING : entriesHtml(examples, "grid", entryAddresses(site, addresses)),
    services: servicesHtml(site, paths),
  });
  const description = site.settings.text?.slice(0, 300);
  const meta = description === undefined ? NOTHING : html`<meta name="description" content="${text(description)}">\n`;
  const head = join([meta, jsonLdScript(JSON.stringify(dataset))]);
  return site.page({ title: site.title, head, asked: null, hosts: hostsOfEntries(examples) }, content);
}

function aboutHtml({ settings }: Site, { records, lastChange }: StoreStats): Html {
  const paragraphs = (settings.text ?? "").split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== "");
  const changed = lastChange === null ? "" : `, last changed on ${dayInWords(lastChange)}`;
  return html`${join(paragraphs.map((paragraph) => html`<p>${text(paragraph)}</p>\n`))}<p class="aside">${text(counted(records, "record") + changed)}.</p>`;
}

function dayInWords(time: number): string {
  const day = new Date(time).toISOString().slice(0, 10);
  return timeInWords({ earliest: day, latest: day })!;
}

function endpointsHtml({ path }: Site, { endpoints }: StoreStats): Html {
  const links = ORDER.filter((name) => (endpoints[name] ?? 0) > 0).map(
    (name) =>
      html`<li><a href="${text(`${path}/browse/${name}`)}"><span class="name">${text(ENDPOINT_WORDS[name].many)}</span> <span class="count">${text(grouped(endpoints[name]!))}</span></a></li>\n`,
  );
  return links.length === 0
    ? html`<p>There are no records yet.</p>`
    : html`<ul class="endpoints">\n${join(links)}</ul>`;
}

function servicesHtml({ path }: Site, paths: ReadonlySet<string>): Html {
  const rows = SERVICES.filter(([at]) => paths.has(at)).map(
    ([at, name, about]) =>
      html`<div><dt><a href="${text(path + at)}">${text(name)}</a></dt><dd>${text(about)}</dd></div>\n`,
  );
  return html`<dl class="rows">\n${join(rows)}</dl>`;
}

/** Kinds of records that examples are taken from, and how many of each; records of each that are looked at. */
const EXEMPLARY: readonly (readonly [endpoint: EndpointName, count: number])[] = [
  ["object", 3],
  ["place", 1],
  ["person", 1],
  ["set", 1],
  ["event", 1],
  ["text", 1],
];
const MAX_LOOKED_AT = 40;
const MAX_EXAMPLES = 6;

/**
 * Of each kind of record those that say most, among the first by label, and rather some with pictures; or those that the
 * settings name.
 */
export async function chooseExamples(store: Store, chosen: readonly string[] = []): Promise<readonly Entry[]> {
  const { lists } = store;
  if (chosen.length > 0 || lists === undefined) return entriesOf(store, chosen);
  const examples: Entry[] = [];
  for (const [endpoint, count] of EXEMPLARY) {
    const richest = (await byRichness(store, lists, endpoint)).slice(0, MAX_EXAMPLES);
    const candidates = await entriesOf(
      store,
      richest.map(({ graph }) => graph.iri),
    );
    examples.push(...candidates.sort(picturesFirst).slice(0, count));
  }
  return examples.slice(0, MAX_EXAMPLES).sort(picturesFirst);
}

function picturesFirst(left: Entry, right: Entry): number {
  return Number(right.picture !== undefined) - Number(left.picture !== undefined);
}

/** The first records of an endpoint by label, the one with most triples first. */
async function byRichness(store: Store, lists: Lists, endpoint: EndpointName): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for (const { iri } of (await lists.page(endpoint, { limit: MAX_LOOKED_AT })).items) {
    const found = await store.find(iri);
    const record = found === undefined || isLarge(found) ? undefined : await found.record();
    if (record !== undefined) records.push(record);
  }
  return records.sort((left, right) => right.graph.triples.length - left.graph.triples.length);
}

/** Whether a name is an endpoint's. */
export function isEndpoint(name: string): name is EndpointName {
  return ENDPOINTS.some((endpoint) => endpoint.name === name);
}
