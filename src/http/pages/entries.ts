/** The entries of lists: read from the records of a page, and shown as a grid of cards or as a table. */
import { groupBy } from "../../base/entries.js";
import type { EndpointName } from "../../model/tables/names.js";
import { labelIn } from "../../rdf/record-graph.js";
import { filesNamed } from "../../search/pictures.js";
import { listedRecord, type Store } from "../../store/store.js";
import { afterReading, isLarge } from "../entity/large-records.js";
import { captionOf, type Entry, endOf, type LabelledRecord, makersOf, nodeLabel, withoutCaption } from "./caption.js";
import { descriptionOf, type ResourceDescription } from "./description.js";
import { Known } from "./known.js";
import { nameIn, namesOf, type Reader } from "./languages.js";
import { type Html, html, isolated, join, marked, NOTHING, text } from "./markup.js";
import { filesOf, originsOf, type Picture, picturesOf, serviceImage, visualsOf } from "./pictures.js";
import type { Site } from "./site.js";
import type { Words } from "./words/words.js";

/** How many pictures of an entity to search for an image. */
const MAX_PICTURES = 2;
/** A word of this length may be wider than its column, and may be broken anywhere. */
const LONG_WORD = /\S{20}/;

/** Reads the entries of the records that exist, in order. Rejects with `RecordDamagedError`. @param state the cache of the store's present state, if at hand */
export async function entriesOf(store: Store, iris: readonly string[], reader: Reader, state?: Known) {
  if (iris.length === 0) return [];
  const known = state ?? (await Known.of(store));
  const found: Entry[] = [];
  const prefix = [reader.words.language, ...reader.languages].join();
  for (const iri of iris) {
    const key = `${prefix} ${iri}`;
    const entry = known.entries.get(key) ?? (await readEntry(store, known, iri, reader));
    if (entry !== undefined) found.push(known.entries.put(key, entry));
  }
  return found;
}

/** The name of an entity on pages: the label of its record's entry, or else the one by which a record refers to it, or else its IRI. */
export async function listedName(store: Store, iri: string, reader: Reader): Promise<string> {
  const [entry] = await entriesOf(store, [iri], reader);
  if (entry !== undefined) return entry.label;
  const [referrer] = (await store.references?.page(iri, { limit: 1 }))?.items ?? [];
  const found = referrer && (await listedRecord(store, referrer.record));
  return (found && labelIn((await found.record()).graph, iri)?.trim()) || iri;
}

/** The name of a record in the first of these languages in which it has one, or else the given label, also for an IRI without a record here. Rejects with `RecordDamagedError`. */
export async function nameHere(store: Store, known: Known, iri: string, label: string, languages: readonly string[]) {
  const key = `${languages.join()} ${iri}`;
  let name = known.names.get(key);
  if (name === undefined) {
    const found = languages.length === 0 ? undefined : await store.find(iri);
    const isRead = found !== undefined && !isLarge(found);
    const description = isRead ? descriptionOf((await known.record(iri, found)).graph) : undefined;
    const own = description && nameIn(namesOf(description, description.root), label, languages);
    // The label is not kept: other records may use another one.
    name = known.names.put(key, own ?? null);
  }
  return name ?? { text: label, language: undefined };
}

async function readEntry(store: Store, known: Known, iri: string, { words, languages }: Reader) {
  const found = await listedRecord(store, iri);
  if (found === undefined) return undefined;
  if (isLarge(found)) {
    const read = known.label(iri, found);
    await afterReading();
    return withoutCaption({ iri, ...read }, words);
  }
  const { graph, meta } = await known.record(iri, found);
  const { label, endpoint } = meta;
  const description = descriptionOf(graph);
  const labels = await labelsOf(store, description, makersOf(description));
  const picture = await pictureOf(store, known, description, endpoint);
  const name = nameIn(namesOf(description, description.root), label, languages);
  const caption = captionOf(description, words, labels);
  return {
    ...caption,
    iri,
    label: name?.text ?? (label || words.unnamed(endpoint, caption.number)),
    language: name?.language,
    endpoint,
    picture,
  };
}

/** The labels, by IRI, of records here that a record refers to without a label. @param nodes where the record may refer to them */
export async function labelsOf(store: Store, description: ResourceDescription, nodes: Iterable<number>) {
  const labels = new Map<string, string>();
  for (const node of nodes) {
    const { termType, value } = description.terms[node]!;
    if (termType !== "NamedNode" || nodeLabel(description, node) !== undefined) continue;
    const label = (await store.find(value))?.meta.label;
    if (label) labels.set(value, label);
  }
  return labels;
}

/** The image of an entity: from its own record, or from a Digital Object that shows one of its pictures. */
async function pictureOf(store: Store, known: Known, description: ResourceDescription, endpoint: EndpointName | null) {
  const [own] = picturesOf(description).images;
  if (own !== undefined) return small(own);
  if (store.references === undefined || endpoint === "digital") return undefined;
  const pictures = [...filesNamed(description.graph), ...visualsOf(description, endpoint)].slice(0, MAX_PICTURES);
  for (const picture of pictures) {
    for (const iri of [...(await filesOf(store.references, picture, 1)), picture]) {
      const found = await store.find(iri);
      if (found === undefined || isLarge(found)) continue;
      const read = descriptionOf((await known.record(iri, found)).graph);
      const [image] = picturesOf(read).images;
      if (image !== undefined) return small(image);
      // The record of a picture may only name its file.
      if (pictures.length < 2 * MAX_PICTURES) pictures.push(...filesNamed(read.graph).slice(0, 1));
    }
  }
  return undefined;
}

function small({ source, service }: Picture): string {
  return service === undefined ? source : serviceImage(service, "!400,400");
}

/** The origins of the pictures of entries. */
export function hostsOfEntries(entries: readonly Entry[]): ReadonlySet<string> {
  return originsOf(entries.flatMap(({ picture }) => picture ?? []));
}

/** Adds the end of the IRI to entries that would otherwise look the same. */
function distinct(entries: readonly Entry[]): readonly Entry[] {
  const textOf = ({ label, makers, date, kind, number }: Entry) => [label, makers, date, kind, number].join("\u0000");
  const alike = groupBy(entries, textOf);
  const numberOf = ({ number, iri }: Entry) => [number, endOf(iri)].filter(Boolean).join(" · ");
  return entries.map((entry) =>
    alike.get(textOf(entry))!.length === 1 ? entry : { ...entry, number: numberOf(entry) },
  );
}

export const VIEWS = ["grid", "table"] as const;
export type View = (typeof VIEWS)[number];

/** Shows entries in a view. Pictures have fixed sizes, so that nothing moves when they load. */
export function entriesHtml(entries: readonly Entry[], view: View, site: Site): Html {
  const isMixed = new Set(entries.map(({ endpoint }) => endpoint)).size > 1;
  return (view === "grid" ? cards : table)(distinct(entries), isMixed, site);
}

/** The link to a record by its name. @param before what the link shows before the name */
export function linkOf({ iri, label, language }: LabelledRecord, site: Site, before: Html = NOTHING): Html {
  const name = isolated(label, language === site.words.language ? undefined : language);
  return html`<a href="${text(site.entityLink(iri))}">${before}${name}</a>`;
}

function imageOf({ picture }: Entry, site: Site, width: number, height: number): Html {
  if (picture === undefined) return NOTHING;
  return html`<img src="${text(site.shortened(picture))}" alt="" width="${width}" height="${height}" loading="lazy" decoding="async">`;
}

function cards(entries: readonly Entry[], isMixed: boolean, site: Site): Html {
  const { words } = site;
  const items = entries.map((entry) => {
    const { endpoint, picture } = entry;
    const kind =
      endpoint === null ? NOTHING : html`<span class="aside">${text(words.file.endpoint[endpoint].one)}</span>`;
    const image = html`<span class="frame">${kind}${imageOf(entry, site, 320, 240)}</span>`;
    const lines = [
      join([text(entry.makers), marked(entry.date, entry.dateLanguage)].filter(Boolean), ", "),
      text([kindOf(entry, isMixed && picture !== undefined, words), entry.number].filter(Boolean).join(" · ")),
      text(entry.why ?? ""),
    ];
    const notes = lines.filter(Boolean).map((line) => html`\n<span class="aside"><bdi>${line}</bdi></span>`);
    return html`<li>${linkOf(entry, site, image)}${join(notes)}</li>\n`;
  });
  return html`<ul class="cards">\n${join(items)}</ul>\n`;
}

/** The kind in a caption. @param isMixed whether a record without a kind gets the name of its endpoint */
function kindOf({ kind, endpoint }: Entry, isMixed: boolean, { file }: Words): string {
  return kind === "" && isMixed && endpoint !== null ? file.endpoint[endpoint].one : kind;
}

/** Entries as a table, without columns that are empty for all entries. */
function table(entries: readonly Entry[], isMixed: boolean, site: Site): Html {
  const { words } = site;
  const { column } = words.file;
  type Column = readonly [name: string, value: (each: Entry) => string, language?: (each: Entry) => string | undefined];
  const columns: readonly Column[] = [
    [column.maker, ({ makers }) => makers],
    [column.date, ({ date }) => date, ({ dateLanguage }) => dateLanguage],
    [column.kind, (entry) => kindOf(entry, isMixed, words)],
    [column.number, ({ number }) => number],
  ];
  const shown = columns.filter(([, value]) => entries.some((entry) => value(entry) !== ""));
  const havePictures = entries.some(({ picture }) => picture !== undefined);
  const rows = entries.map((entry) => {
    const image = havePictures ? html`<td class="thumb">${imageOf(entry, site, 56, 56)}</td>` : NOTHING;
    const why = entry.why === undefined ? NOTHING : html` <span class="aside">${text(entry.why)}</span>`;
    const cells = shown.map(([, value, languageOf]) => {
      const written = value(entry);
      const long = LONG_WORD.test(written) ? html` class="long"` : NOTHING;
      return html`<td${long}>${isolated(written, languageOf?.(entry))}</td>`;
    });
    return html`<tr>${image}<th scope="row">${linkOf(entry, site)}${why}</th>${join(cells)}</tr>\n`;
  });
  const heads = shown.map(([name]) => html`<th scope="col">${text(name)}</th>`);
  const picture = havePictures ? html`<td></td>` : NOTHING;
  return html`<table class="entries">
<thead><tr>${picture}<th scope="col">${text(column.title)}</th>${join(heads)}</tr></thead>
<tbody>
${join(rows)}</tbody>
</table>
`;
}
