/** The page of an entity: its record shown in sections, what refers to it, and how to take it along. */
import type { EndpointName } from "../../model/tables/endpoints.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import { item, sentenceOf, type TimelineItem, timeline, whenOf } from "./activities.js";
import { descriptionOf, type Node, type ResourceDescription, take, takeWhere } from "./description.js";
import type { Gathered } from "./gather.js";
import { classWords, ENDPOINT_WORDS, propertyWords } from "./labels.js";
import { languageOf, type NameOf, nameFor, namesOf, type Spoken } from "./languages.js";
import { GLANCE, LAYOUTS, type Section } from "./layouts.js";
import { mapHtml } from "./maps.js";
import { type Html, html, join, listed, NOTHING, text, unturned } from "./markup.js";
import { hostsOf, type Pictures, picturesHtml, picturesOf, withPictures } from "./pictures.js";
import { referringHtml } from "./referring.js";
import { type Href, Renderer } from "./renderer.js";
import { timeInWords } from "./time-spans.js";

/** What lies around a record and stands on its page. */
export interface Around extends Pick<Gathered, "digital" | "history" | "referring"> {
  readonly href: Href;
  /** Where this service answers for the entity. */
  readonly url: string;
  /** The languages that the reader prefers, the dearest first. */
  readonly languages: readonly string[];
  /** The forms in which the record can be had: what each is called, and what stands after the address for it. */
  readonly forms: readonly { readonly name: string; readonly suffix: string }[];
  /** What the collection is called. */
  readonly site: string;
  /** When the record last changed, in milliseconds since 1970. */
  readonly modified: number;
}

/** The parts of a page, for a template to arrange. */
interface EntityParts {
  /** Plain text. */
  readonly title: string;
  /** Plain text, at most a few sentences; empty when there is none. */
  readonly summary: string;
  readonly pictures: Pictures;
  readonly hosts: ReadonlySet<string>;
  readonly parts: Readonly<Record<EntityPart, Html>>;
}

export const ENTITY_PARTS = ["heading", "pictures", "glance", "sections", "referring", "forms", "terms"] as const;
type EntityPart = (typeof ENTITY_PARTS)[number];

/** A record as the parts of its page. @param endpoint `null` for a record of no endpoint */
export function entityParts(graph: RecordGraph, endpoint: EndpointName | null, around: Around): EntityParts {
  const description = descriptionOf(graph);
  const renderer = new Renderer(description, around.href, graph.iri);
  const node = description.node(description.root);
  const names = namesOf(description, description.root);
  // A label that is one of the names is not shown beside them again.
  takeWhere(node, "_label", (label) => names.some((name) => name.text === description.terms[label]!.value));
  const name = headingName(description, names, around.languages);
  const pictures = withPictures(
    picturesOf(description),
    around.digital.map((each) => descriptionOf(each)),
  );
  const heading = headingHtml(description, node, name, endpoint);
  const map = mapOf(renderer, node, name.text);
  const glance = glanceHtml(renderer, node, endpoint);
  const sections = join([
    ...(LAYOUTS[endpoint ?? "concept"] ?? []).map((section) => sectionHtml(renderer, node, section, around)),
    section("Further", renderer.rows(node)),
  ]);
  const terms = termsSection(renderer);
  return {
    title: unturned(name.text),
    summary: summaryOf(description),
    pictures,
    hosts: hostsOf(pictures),
    parts: {
      heading,
      pictures: map === NOTHING ? picturesHtml(pictures) : html`<div>${picturesHtml(pictures)}${map}</div>`,
      glance,
      sections,
      referring: referringHtml(around.referring),
      forms: formsHtml(graph.iri, unturned(name.text), around),
      terms,
    },
  };
}

function headingName(description: ResourceDescription, names: readonly NameOf[], languages: readonly string[]): NameOf {
  const label = description.text(description.root, "_label");
  return nameFor(names, label, languages) ?? { text: description.graph.iri, language: undefined, isPrimary: false };
}

function headingHtml(
  description: ResourceDescription,
  { classes }: Node,
  name: NameOf,
  endpoint: EndpointName | null,
): Html {
  const kind = endpoint === null ? undefined : ENDPOINT_WORDS[endpoint].one;
  const others = classes.map(classWords).filter((words) => words.toLowerCase() !== kind?.toLowerCase());
  const kinds = [...(kind === undefined ? [] : [kind]), ...(endpoint === "provenance" ? [] : others)];
  const lang = name.language === undefined ? NOTHING : html` lang="${text(name.language)}"`;
  const byline = bylineOf(description);
  const made = byline === "" ? NOTHING : html`\n<p class="byline" dir="auto">${text(byline)}</p>`;
  return html`<p class="kind">${text(kinds.join(" · "))}</p>
<h1 dir="auto"${lang}>${text(name.text)}</h1>${made}`;
}

/** Who made it and when, or from when to when it was: what a label on the wall would say. */
export function bylineOf(description: ResourceDescription): string {
  const { root } = description;
  const makings = [...description.values(root, "produced_by"), ...description.values(root, "created_by")];
  const parts = makings.flatMap((making) => [making, ...description.values(making, "part")]);
  const makers = new Set(
    parts.flatMap((part) =>
      description.values(part, "carried_out_by").map((maker) => description.text(maker, "_label") ?? ""),
    ),
  );
  makers.delete("");
  const made = makings.map((making) => dateOf(description, making)).find((date) => date !== undefined);
  if (makers.size > 0 || made !== undefined)
    return [[...makers].slice(0, 3).join(", "), made ?? ""].filter(Boolean).join(", ");
  const begin = description.along(root, "born").concat(description.along(root, "formed_by"));
  const end = description.along(root, "died").concat(description.along(root, "dissolved_by"));
  const [from, to] = [begin, end].map((events) => events.map((event) => dateOf(description, event)).find(Boolean));
  return from === undefined && to === undefined ? "" : `${from ?? "?"} – ${to ?? ""}`.trimEnd();
}

/** The date of an activity as people write it, else in words. */
function dateOf(description: ResourceDescription, activity: number): string | undefined {
  const [timeSpan] = description.values(activity, "timespan");
  if (timeSpan === undefined) return undefined;
  const [name] = namesOf(description, timeSpan);
  if (name !== undefined) return name.text;
  const words = timeInWords({
    earliest: description.text(timeSpan, "begin_of_the_begin"),
    latest: description.text(timeSpan, "end_of_the_end"),
  });
  return words ?? description.text(timeSpan, "_label");
}

/** A row of facts: what stands before the values, and the values of a property. */
export interface Row {
  readonly words: string;
  readonly term: string;
  readonly values: readonly number[];
}

/** What an entity is at a glance, taken from what its node has to show. */
export function glanceOf(description: ResourceDescription, node: Node, endpoint: EndpointName | null): readonly Row[] {
  const rows = GLANCE[endpoint ?? "concept"].map((term) => ({
    words: propertyWords(term),
    term,
    values: take(node, term),
  }));
  const values = takeWhere(node, "identified_by", (each) => description.isOf(each, "Identifier"));
  return [...rows, { words: "Number", term: "identified_by", values }].filter((row) => row.values.length > 0);
}

function glanceHtml(renderer: Renderer, node: Node, endpoint: EndpointName | null): Html {
  const rows = glanceOf(renderer.description, node, endpoint);
  return rowsHtml(
    rows.map(({ words, term, values }) => renderer.row(words, term, values)),
    "rows glance",
  );
}

function rowsHtml(rows: readonly Html[], names: string): Html {
  return rows.length === 0 ? NOTHING : html`<dl class="${text(names)}">${join(rows)}</dl>`;
}

function rowsOf(renderer: Renderer, node: Node, terms: readonly string[]): Html[] {
  const rows: Html[] = [];
  for (const term of terms) {
    const values = take(node, term);
    if (values.length > 0) rows.push(renderer.row(propertyWords(term), term, values));
  }
  return rows;
}

function section(title: string, content: Html): Html {
  return content === NOTHING
    ? NOTHING
    : html`<section>
<h2>${text(title)}</h2>
<div class="body">${content}</div>
</section>
`;
}

function sectionHtml(renderer: Renderer, node: Node, { title, manner, terms }: Section, around: Around): Html {
  if (manner === "facts") return section(title, rowsHtml(rowsOf(renderer, node, terms), "rows"));
  if (manner === "texts") return section(title, join(terms.map((term) => textsHtml(renderer, node, term))));
  const items = terms.flatMap((term) => take(node, term).map((value) => item(renderer, value)));
  if (terms.includes("produced_by") || terms.includes("born")) {
    items.push(...around.history.map((each) => historyItem(each, around.href, renderer.here)));
  }
  // Only whole records may be put in order: the parts of one activity keep the order that was given to them.
  if (!terms.includes("part")) items.sort((left, right) => left.order - right.order || 0);
  return section(title, timeline(items));
}

/** Another record as an item of this one's timeline. */
function historyItem(graph: RecordGraph, href: Href, here: string): TimelineItem {
  const description = descriptionOf(graph);
  const renderer = new Renderer(description, href, here);
  const node = description.node(description.root);
  const rendered = node.values.get("part") ?? [];
  const link = renderer.link(description.root);
  const parts = rendered.slice(0, MAX_PARTS).map((part) => sentenceOf(renderer, part));
  const { when, order } = whenOf(renderer, node);
  return {
    when,
    order,
    what: html`<p class="what">${link}</p>${join(parts.filter(Boolean).map((part) => html`<p>${part}</p>`))}`,
  };
}

/** Sentences from another record that stand in a timeline here. */
const MAX_PARTS = 3;

/** Statements under their kinds, or the text of a work itself. */
function textsHtml(renderer: Renderer, node: Node, term: string): Html {
  if (term === "content") {
    if (!node.values.has(term)) return NOTHING;
    const values = new Map(["content", "format"].map((each) => [each, [...take(node, each)]]));
    return renderer.whole(() => renderer.statement({ ...node, values }));
  }
  const values = take(node, term);
  const { description } = renderer;
  return join(
    values.map((value) => {
      const isText =
        description.terms[value]!.termType !== "Literal" && description.values(value, "content").length > 0;
      if (!isText) return html`<div class="statement">${renderer.whole(() => renderer.value(term, value))}</div>`;
      return renderer.statementBlock(value);
    }),
  );
}

function mapOf({ description }: Renderer, node: Node, name: string): Html {
  const literals = takeWhere(node, "defined_by", (each) => description.terms[each]!.termType === "Literal");
  return join(literals.map((each) => mapHtml(description.terms[each]!.value, name)));
}

function termsSection(renderer: Renderer): Html {
  const terms = renderer.terms();
  const addresses = renderer.addresses();
  if (terms === NOTHING && addresses === NOTHING) return NOTHING;
  return html`<section class="vocabulary"><details><summary>Terms used here</summary>
${terms}${addresses === NOTHING ? NOTHING : html`<h3>Parts with addresses of their own</h3>${addresses}`}
</details></section>
`;
}

/** How the record can be taken along: its URI, its other forms, a citation. */
function formsHtml(iri: string, title: string, { url, forms, site, modified }: Around): Html {
  const links = forms.map(({ name, suffix }) => html`<a href="${text(url + suffix)}">${text(name)}</a>`);
  const date = timeInWords({ earliest: new Date(modified).toISOString().slice(0, 10) })!.replace(" or later", "");
  return html`<section class="take-along">
<h2>Take it along</h2>
<dl class="rows body">
<div><dt>URI</dt><dd><code data-copy>${text(iri)}</code></dd></div>
<div><dt>Cite as</dt><dd><span data-copy>“${text(title)}”, ${text(site)}, ${text(iri)}, ${text(date)}</span></dd></div>
<div><dt>As data</dt><dd>${listed(links)}</dd></div>
</dl>
</section>
`;
}

/** Descriptions are what pages are summed up by; `{vocab_base}` and this is one. */
export const DESCRIPTION = "300435416";

/** The entity's statements of a kind, without markup, and their languages. */
export function statementsOf(description: ResourceDescription, ...kinds: readonly string[]): readonly Spoken[] {
  return description
    .values(description.root, "referred_to_by")
    .filter((each) => kinds.some((kind) => description.isClassified(each, kind)))
    .flatMap((each) =>
      description.values(each, "content").map((content) => ({
        text: unturned(
          description.terms[content]!.value.replace(/<[^<>]*>/g, " ")
            .replace(/\s+/g, " ")
            .trim(),
        ),
        language: languageOf(description, each, content),
      })),
    );
}

/** Characters of a summary, about what a search engine shows. */
const MAX_SUMMARY = 300;

function summaryOf(description: ResourceDescription): string {
  const bare = statementsOf(description, DESCRIPTION)[0]?.text ?? "";
  return bare.length <= MAX_SUMMARY ? bare : `${bare.slice(0, MAX_SUMMARY).replace(/\s+\S*$/, "")} …`;
}
