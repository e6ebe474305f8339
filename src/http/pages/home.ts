/** The home page: the collection, the number of records of each kind, examples, and links to the data. */
import { beginning } from "../../base/shortened.js";
import type { EndpointName } from "../../model/tables/names.js";
import { type JsonObject, tripleCount } from "../../rdf/record-graph.js";
import type { StoreStats } from "../../store/record.js";
import type { Lists, Store } from "../../store/store.js";
import { isLarge } from "../entity/large-records.js";
import type { Entry } from "./caption.js";
import { entriesHtml, entriesOf, hostsOfEntries } from "./entries.js";
import { type Html, html, join, jsonLdScript, linkHtml, NOTHING, text } from "./markup.js";
import type { HtmlPage, Site } from "./site.js";
import { ENGLISH_WORDS, fill, type Words } from "./words/words.js";

interface Welcome {
  readonly stats: StoreStats;
  readonly examples: readonly Entry[];
  readonly paths: ReadonlySet<string>;
  /** The collection as a dataset of schema.org. */
  readonly dataset: JsonObject;
}

/** The services that give data: their paths, and their names in the words. */
const SERVICES = [
  ["/sparql", "sparql"],
  ["/dumps/", "dumps"],
  ["/activity", "activity"],
  ["/reconcile", "reconcile"],
  ["/openapi.html", "interface"],
  ["/.well-known/void", "dataset"],
] as const;

/** The endpoints in the order in which visitors look for them. */
export const ORDER = Object.keys(ENGLISH_WORDS.file.endpoint) as EndpointName[];

/** Makes the home page. */
export function homePage(site: Site, { stats, examples, paths, dataset }: Welcome): HtmlPage {
  const { picture } = site.settings;
  const { file } = site.words;
  const content = site.theme.templates.home.fill({
    path: text(site.path),
    site: text(site.title),
    text: aboutHtml(site, stats),
    picture: picture === undefined ? NOTHING : html`<img src="${text(picture)}" alt="">`,
    find: site.searchPath === undefined ? NOTHING : site.findForm(),
    browse: text(file.page.browse),
    begin: text(file.home.begin),
    developers: text(file.page.developers),
    endpoints: endpointsHtml(site, stats, paths.has("/browse/{endpoint}")),
    examples: examples.length === 0 ? NOTHING : entriesHtml(examples, "grid", site),
    services: servicesHtml(site, paths),
  });
  const description =
    (site.settings.text && beginning(site.settings.text, 300)) ?? `${site.title}: ${statsInWords(site.words, stats)}`;
  const meta = html`<meta name="description" content="${text(description)}">\n`;
  const head = join([meta, jsonLdScript(JSON.stringify(dataset))]);
  const options = { title: site.title, address: `${site.path}/`, head, query: null, hosts: hostsOfEntries(examples) };
  return site.page(options, content);
}

function aboutHtml({ settings, words }: Site, stats: StoreStats): Html {
  const paragraphs = (settings.text ?? "").split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== "");
  return html`${join(paragraphs.map((paragraph) => html`<p>${text(paragraph)}</p>\n`))}<p class="aside">${text(statsInWords(words, stats))}</p>`;
}

function statsInWords(words: Words, { records, lastChange }: StoreStats): string {
  const { changed, unchanged } = words.file.home;
  const count = words.count("records", records);
  if (lastChange === null) return fill(unchanged, { records: count });
  return fill(changed, { records: count, date: words.day(lastChange) });
}

function endpointsHtml(site: Site, { endpoints }: StoreStats, hasLists: boolean): Html {
  const { words, path } = site;
  const to = (name: string): Html => (hasLists ? html` href="${text(site.link(`${path}/browse/${name}`))}"` : NOTHING);
  const links = ORDER.filter((name) => (endpoints[name] ?? 0) > 0).map(
    (name) =>
      html`<li><a${to(name)}><span class="name">${text(words.file.endpoint[name].many)}</span> <span class="count">${text(words.number(endpoints[name]!))}</span></a></li>\n`,
  );
  return links.length === 0
    ? html`<p>${text(words.file.home.empty)}</p>`
    : html`<ul class="endpoints">\n${join(links)}</ul>`;
}

function servicesHtml(site: Site, paths: ReadonlySet<string>): Html {
  const { service } = site.words.file;
  const rows = SERVICES.filter(([at]) => paths.has(at)).map(
    ([at, name]) =>
      html`<div><dt>${linkHtml(site.link(site.path + at), service[name])}</dt><dd>${text(service[`${name}About`])}</dd></div>\n`,
  );
  return html`<dl class="rows">\n${join(rows)}</dl>`;
}

/** How many examples to choose of each kind of record. */
const EXAMPLE_COUNTS = { object: 3, place: 1, person: 1, set: 1, event: 1, text: 1 } as const;
/** How many records of each kind to choose from. */
const MAX_CANDIDATES = 40;
const MAX_EXAMPLES = 6;

/** Chooses the IRIs of examples. Of each kind, it prefers records with a label, many triples and pictures among the first ones by label. None if the store has no lists. */
export async function chooseExamples(store: Store): Promise<readonly string[]> {
  const { lists } = store;
  if (lists === undefined) return [];
  const examples: Entry[] = [];
  for (const [endpoint, count] of Object.entries(EXAMPLE_COUNTS)) {
    const richest = (await byRichness(store, lists, endpoint as EndpointName)).slice(0, MAX_EXAMPLES);
    const candidates = await entriesOf(store, richest, { words: ENGLISH_WORDS, languages: [] });
    examples.push(...candidates.sort(picturesFirst).slice(0, count));
  }
  const best = examples.slice(0, MAX_EXAMPLES).sort(picturesFirst);
  return best.map(({ iri }) => iri);
}

function picturesFirst(left: Entry, right: Entry): number {
  return Number(right.picture !== undefined) - Number(left.picture !== undefined);
}

/** The IRIs of the first records of an endpoint by label, sorted by the number of their triples, the greatest first; those without a label come last. */
async function byRichness(store: Store, lists: Lists, endpoint: EndpointName): Promise<string[]> {
  const records: { readonly iri: string; readonly richness: number }[] = [];
  for (const { iri, label } of (await lists.page(endpoint, { limit: MAX_CANDIDATES })).items) {
    const found = await store.find(iri);
    if (found === undefined || isLarge(found)) continue;
    // A store that does not know the number in advance gives 0.
    const triples = found.triples || tripleCount((await found.record()).graph);
    records.push({ iri, richness: label.trim() === "" ? 0 : triples });
  }
  return records.sort((left, right) => right.richness - left.richness).map(({ iri }) => iri);
}
