/** The page of an entity: its record at a glance and in sections, its backlinks, and its downloads. */
import { groupBy } from "../../base/entries.js";
import { withoutDirectionMarks, withoutMarkup } from "../../base/plain-text.js";
import { beginning } from "../../base/shortened.js";
import type { EndpointName } from "../../model/tables/names.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import { item, sameEvent, sentenceOf, timeline, whenOf } from "./activities.js";
import { bylineOf, entityNumber, type LabelledRecord, nodeLabel } from "./caption.js";
import { descriptionOf, KINDS, type Node, type ResourceDescription, take, vocabularyTerm } from "./description.js";
import { entriesHtml, hostsOfEntries, linkOf } from "./entries.js";
import type { Gathered, ReferringGroup } from "./gather.js";
import { languageOf, type NameOf, nameFor, nameIn, namesOf, type TextInLanguage } from "./languages.js";
import { GLANCE, LAYOUTS, NAMED, type Section } from "./layouts.js";
import { geometryOf, mapHtml, type Placed, placesHtml } from "./maps.js";
import { aside, type Html, html, join, langHtml, linkHtml, marked, NOTHING, section, text } from "./markup.js";
import { hostsOf, type Pictures, picturesHtml } from "./pictures.js";
import { type Href, Renderer } from "./renderer.js";
import type { Site } from "./site.js";
import { fill, fillHtml, type Words } from "./words/words.js";

/** What the page of a record shows besides the record. */
export interface Around extends Pick<Gathered, "history" | "places" | "referring" | "labels"> {
  readonly pictures: Pictures;
  readonly href: Href;
  readonly site: Site;
  /** The representations that the page links to: their names, and the suffixes of the entity's URL. */
  readonly forms: readonly { readonly name: string; readonly suffix: string }[];
  /** When the record last changed, in milliseconds since 1970. */
  readonly modified: number;
}

/** Makes the parts of a record's page, which a template arranges. @param endpoint `null` for a record of no endpoint */
export function entityParts(graph: RecordGraph, endpoint: EndpointName | null, around: Around) {
  const description = descriptionOf(graph);
  const { site, pictures } = around;
  const { words, languages } = site.reader;
  const renderer = new Renderer(description, around.href, graph.iri, words, around.labels);
  const node = description.node(description.root);
  const names = namesOf(description, description.root);
  // Do not show a label that equals one of the names.
  take(node, "_label", (label) => names.some((name) => name.text === description.terms[label]!.value));
  const label = description.text(description.root, "_label");
  const unnamed = { text: words.unnamed(endpoint, entityNumber(description)), language: undefined, isPrimary: false };
  const name = nameFor(names, label, languages) ?? unnamed;
  const figures = picturesHtml(pictures, words.file);
  const heading = headingHtml(renderer, node, name, endpoint);
  const map = mapOf(renderer, node, name.text, around);
  const rows = glanceOf(description, node, endpoint, words);
  const glance = join(rows.map((each) => renderer.row(each.words, each.term, each.values)));
  const layout = LAYOUTS[endpoint ?? "concept"];
  const shown = layout.map((each) => sectionHtml(renderer, node, each, around));
  const works = worksHtml(around.referring, site);
  // The members of a Set come first; on other pages, works come before the section of names.
  shown.splice(endpoint === "set" ? 0 : layout.indexOf(NAMED), 0, works);
  const sections = join([...shown, section(text(words.file.section.further), renderer.rows(node))]);
  const terms = termsSection(renderer);
  return {
    title: withoutDirectionMarks(name.text),
    /** Plain text of at most a few sentences; empty if there is none. */
    summary: summaryOf(description, languages),
    hosts: new Set([...hostsOf(pictures), ...hostsOfEntries(around.referring.flatMap(({ cards }) => cards))]),
    parts: {
      heading,
      pictures: map === NOTHING ? figures : html`<div>${figures}${map}</div>`,
      glance: glance === NOTHING ? NOTHING : html`<dl class="rows glance">${glance}</dl>`,
      sections,
      referring: referringHtml(around.referring, site),
      forms: formsHtml(graph.iri, withoutDirectionMarks(name.text), around),
      terms,
    },
  };
}

/** A name in the heading is set smaller beyond this length, in characters. */
const LONG_NAME = 120;

function headingHtml(renderer: Renderer, node: Node, name: NameOf, endpoint: EndpointName | null): Html {
  const { description, words, labels } = renderer;
  const kind = endpoint === null ? undefined : words.file.endpoint[endpoint].one;
  // The class Activity tells a reader nothing.
  const named = node.classes.filter((each) => each !== "Activity").map((each) => words.class(each));
  const others = named.filter((each) => each.toLowerCase() !== kind?.toLowerCase());
  const kinds = [...(kind === undefined ? [] : [kind]), ...(endpoint === "provenance" ? [] : others)];
  const isLong = name.text.length > LONG_NAME ? html` class="long"` : NOTHING;
  const byline = bylineOf(description, words, labels).map((part) => marked(part.text, part.language));
  const made = join(byline) === "" ? NOTHING : html`\n<p class="byline" dir="auto">${join(byline, ", ")}</p>`;
  return html`<p class="kind">${text(kinds.join(" · "))}</p>
<h1 dir="auto"${langHtml(name.language)}${isLong}>${text(name.text)}</h1>${made}`;
}

function sectionHtml(renderer: Renderer, node: Node, { title: name, manner, terms }: Section, around: Around): Html {
  let others = terms.includes("produced_by") || terms.includes("born") ? around.history : [];
  if (others.length === 0 && !terms.some((term) => node.values.has(term))) return NOTHING;
  const title = text(renderer.words.file.section[name]);
  if (manner === "facts") return section(title, renderer.rows(node, terms));
  if (manner === "texts") return section(title, join(terms.map((term) => textsHtml(renderer, node, term))));
  const items = terms.flatMap((term) =>
    take(node, term).map((value) => {
      for (const other of others) {
        const same = sameEvent(renderer.description, value, other);
        if (same === undefined) continue;
        others = others.filter((each) => each !== other);
        return item(renderer, value, historyOf(other, around.href, renderer, same));
      }
      return item(renderer, value);
    }),
  );
  for (const other of others) {
    const { when, order, url, label, more } = historyOf(other, around.href, renderer);
    items.push({ when, order, what: html`<p class="what"><a href="${text(url)}">${label}</a></p>${join(more)}` });
  }
  // Sort whole activities by time, but keep the given order of the parts of one activity.
  if (!terms.includes("part")) items.sort((left, right) => left.order - right.order || 0);
  return section(title, timeline(items));
}

/** Another record's description of an event. @param shownPart a part of it that is already shown */
function historyOf(description: ResourceDescription, href: Href, { here, words }: Renderer, shownPart?: number) {
  const renderer = new Renderer(description, href, here, words);
  const node = description.node(description.root);
  const parts = (node.values.get("part") ?? []).filter((part) => part !== shownPart);
  const sentences = parts.slice(0, MAX_PARTS).map((part) => sentenceOf(renderer, part));
  return {
    ...whenOf(renderer, node),
    url: href(description.graph.iri)?.url ?? description.graph.iri,
    label: text(renderer.label(description.root)),
    more: sentences.filter(Boolean).map((sentence) => html`<p>${sentence}</p>`),
  };
}

/** How many sentences of another record a timeline shows at most. */
const MAX_PARTS = 3;

/** Statements under their kinds, or the text of a work. */
function textsHtml(renderer: Renderer, node: Node, term: string): Html {
  if (term === "content") {
    if (!node.values.has(term)) return NOTHING;
    const values = new Map(["content", "format"].map((each) => [each, [...take(node, each)]]));
    return renderer.whole(() => renderer.statement({ ...node, values }));
  }
  const blocks = take(node, term).map((value) => {
    if (!renderer.isUnrendered(value) || renderer.description.values(value, "content").length === 0)
      return html`<div class="statement">${renderer.whole(() => renderer.value(term, value))}</div>`;
    const told = renderer.begin(value);
    const shown = () => html`<h3>${renderer.statementHeading(told)}</h3>${renderer.statement(told)}`;
    return html`<div class="statement">${renderer.whole(shown)}</div>\n`;
  });
  return join(blocks);
}

/** A map of the entity's own place, if it has one, and of the places that it names. */
function mapOf({ description, words }: Renderer, node: Node, name: string, { places, href }: Around): Html {
  const literals = take(node, "defined_by", (each) => description.terms[each]!.termType === "Literal");
  const others = places.flatMap((place): Placed[] => {
    const written = place.text(place.root, "defined_by");
    const geometry = written === undefined ? undefined : geometryOf(written);
    const label = nodeLabel(place, place.root) ?? words.unnamed("place");
    return geometry === undefined ? [] : [{ name: label, url: href(place.graph.iri)?.url, geometry }];
  });
  if (literals.length === 0) return placesHtml(others, words);
  return join(literals.map((each) => mapHtml(description.terms[each]!.value, name, words, others)));
}

function termsSection(renderer: Renderer): Html {
  const terms = renderer.terms();
  const addresses = renderer.addresses();
  if (terms === NOTHING && addresses === NOTHING) return NOTHING;
  const words = renderer.words.file.record;
  return html`<section class="vocabulary"><details><summary>${text(words.terms)}</summary>
${terms}${addresses === NOTHING ? NOTHING : html`<h3>${text(words.addresses)}</h3>${addresses}`}
</details></section>
`;
}

/** The sections of works and members. Properties by which the same works refer to the entity share one section. */
function worksHtml(groups: readonly ReferringGroup[], site: Site): Html {
  const { words } = site;
  const shown = groups.filter(({ cards }) => cards.length > 0);
  const sections = groupBy(shown, ({ cards, moreCards = "" }) => [moreCards, ...cards.map(({ iri }) => iri)].join(" "));
  return join(
    [...sections.values()].map((same) => {
      const title = words.together(
        same.map(({ property }) => vocabularyTerm(property)),
        (term) => words.works(term),
      );
      const [{ cards, moreCards }] = same as [ReferringGroup];
      const { seeAll } = words.file.list;
      const more =
        moreCards === undefined ? NOTHING : html`<p class="more">${linkHtml(site.link(moreCards), seeAll)}</p>\n`;
      return section(title, html`${entriesHtml(cards, "grid", site)}${more}`);
    }),
  );
}

/** The section of all other records. */
function referringHtml(groups: readonly ReferringGroup[], site: Site): Html {
  const others = groups.filter(
    ({ first, cards, more }) => first.length > 0 || (more !== undefined && cards.length === 0),
  );
  if (others.length === 0) return NOTHING;
  return html`<section class="referring">
<h2>${text(site.words.file.record.mentioned)}</h2>
<div class="groups body">
${join(others.map((group) => groupHtml(group, site)))}</div>
</section>
`;
}

function groupHtml({ property, count, cards, first, more }: ReferringGroup, site: Site): Html {
  const { words } = site;
  const shown = words.number(more === undefined ? count - cards.length : count);
  const all = fill(words.file.list.allOf, { count: words.number(count) });
  const rest = more === undefined ? NOTHING : html`<p>${linkHtml(site.link(more), all)}</p>\n`;
  return html`<div class="group"><h3>${text(words.referring(vocabularyTerm(property)))} <span class="count">${text(shown)}</span></h3>
${recordList(first, site)}${rest}</div>
`;
}

/** Records as links, with the kind of each if they are not all of one kind. */
function recordList(records: readonly LabelledRecord[], site: Site): Html {
  const names = site.words.file.endpoint;
  const kinds = new Set(records.map(({ endpoint }) => endpoint));
  const [only] = kinds;
  const heading =
    kinds.size === 1 && only !== null && only !== undefined
      ? html`<p class="aside">${text(names[only][records.length === 1 ? "one" : "many"])}</p>`
      : NOTHING;
  const items = records.map((record) => {
    const kind = heading === NOTHING && record.endpoint !== null ? [text(names[record.endpoint].one)] : [];
    return html`<li>${linkOf(record, site)}${aside(kind)}</li>\n`;
  });
  return html`${heading}<ul>
${join(items)}</ul>
`;
}

function formsHtml(iri: string, title: string, { forms, site, modified }: Around): Html {
  const { words } = site;
  const { page, record } = words.file;
  const address = text(site.shortened(site.addresses.url(iri)));
  const links = forms.map(({ name, suffix }) => html`<a href="${address}${text(suffix)}">${text(name)}</a>`);
  const citation = fillHtml(record.citation, {
    title: html`<bdi>${text(title)}</bdi>`,
    site: text(site.title),
    iri: text(iri),
    date: text(words.day(modified)),
  });
  return html`<section class="download">
<h2>${text(record.download)}</h2>
<dl class="rows body">
<div><dt>${text(record.address)}</dt><dd><code data-copy>${text(iri)}</code></dd></div>
<div><dt>${text(record.cite)}</dt><dd><span data-copy>${citation}</span></dd></div>
<div><dt>${text(page.developers)}</dt><dd>${words.list(links)}</dd></div>
</dl>
</section>
`;
}

/** The entity's statements of some kinds, without markup, with their languages. */
export function statementsOf(description: ResourceDescription, ...kinds: readonly string[]): readonly TextInLanguage[] {
  return description
    .values(description.root, "referred_to_by")
    .filter((each) => description.isClassified(each, ...kinds))
    .flatMap((each) =>
      description.values(each, "content").map((content) => ({
        text: withoutMarkup(description.terms[content]!.value),
        language: languageOf(description, each, content),
      })),
    );
}

/** The longest summary, in characters: about as much as search engines show. */
const MAX_SUMMARY = 300;

function summaryOf(description: ResourceDescription, languages: readonly string[]): string {
  const all = statementsOf(description, ...KINDS.summary);
  const bare = (nameIn(all, undefined, languages) ?? all[0])?.text ?? "";
  return bare.length <= MAX_SUMMARY ? bare : `${beginning(bare, MAX_SUMMARY).replace(/\s+\S*$/, "")} …`;
}

/** Groups of classifications that have rows of their own. */
const KINDS_OF_KINDS = ["nationality", "occupation", "gender"] as const;

/** Terms that share one row if they have the same values. The keeper of an object is often its owner, too: "Owner and keeper". */
const JOINED = GLANCE.object.split(" ").filter((term) => term.startsWith("current_"));

/** The rows of an entity at a glance, taken from the values of its node. */
export function glanceOf(description: ResourceDescription, node: Node, endpoint: EndpointName | null, words: Words) {
  const { glance } = words.file;
  const ofKinds = KINDS_OF_KINDS.map((name) => {
    const values = take(node, "classified_as", (kind) => description.isClassified(kind, ...KINDS[name]));
    return { words: text(glance[name]), term: "classified_as", values };
  });
  const rows = GLANCE[endpoint ?? "concept"].split(" ").flatMap((term) => {
    if (!node.values.has(term)) return [];
    const same = termsLike(node, term);
    const values = take(node, term);
    for (const each of same) take(node, each);
    return { words: words.together([term, ...same], (each) => words.property(each)), term, values };
  });
  const values = take(node, "identified_by", (each) => description.isOf(each, "Identifier"));
  const numbers = { words: text(glance.number), term: "identified_by", values };
  return [...ofKinds, ...rows, numbers].filter((row) => row.values.length > 0);
}

function termsLike(node: Node, term: string): string[] {
  if (!JOINED.includes(term)) return [];
  const valuesOf = (each: string): string => [...(node.values.get(each) ?? [])].sort((a, b) => a - b).join();
  return JOINED.filter((each) => each !== term && valuesOf(each) === valuesOf(term));
}
