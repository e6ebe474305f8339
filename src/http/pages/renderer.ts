/** Renders the values of a record as HTML and leaves none out: links, names, dates, amounts, activities, and the rest as rows. */
import type sanitize from "sanitize-html";
import { lazily } from "../../base/lazily.js";
import { isMarkup, loadSanitizer, plainText, withoutDirectionMarks } from "../../base/plain-text.js";
import { beginning } from "../../base/shortened.js";
import { isEntityClass } from "../../model/tables/endpoints.js";
import { classIri } from "../../model/vocabulary/vocabulary.js";
import { XSD } from "../../rdf/terms.js";
import { ACTIVITY_TERMS, activityInRow, sentence } from "./activities.js";
import { amount, isWrittenNumber, number } from "./amounts.js";
import { endOf, makersOf, nodeLabel } from "./caption.js";
import { type Node, type ResourceDescription, take, vocabularyTerm } from "./description.js";
import { languageOf, nameFor, namesOf } from "./languages.js";
import { aside, type Html, html, isolated, join, langHtml, linkHtml, NOTHING, text, trusted } from "./markup.js";
import { boundsOf, momentInWords, timeInWords } from "./time-spans.js";
import { fill, type Words } from "./words/words.js";

/** Gives the URL of a link to an IRI: its page here, or the IRI itself; `undefined` if browsers cannot open it. */
export type Href = (iri: string) => { readonly url: string; readonly isHere: boolean } | undefined;

/** The classes of nodes that are always shown as a link; their other values are shown among the terms. */
const CONCEPTS: ReadonlySet<string> = new Set(["Type", "Material", "Language", "Currency", "MeasurementUnit"]);

const OF_REFERENCES: ReadonlySet<string> = new Set(["_label", "equivalent", "notation", "classified_as"]);

/** The properties of names whose values are shown among the terms if the names are not shown. */
const OF_NAMES: readonly string[] = ["classified_as", "language"];

/** The longest text that stands for a node, in characters. */
const MAX_TITLE = 60;

/** A longer text, in characters, has a block of its own. */
const LONG_TEXT = 160;

/** Markup with text in it. */
const SOMETHING = /(?:^|>)\s*[^<\s]/;

export class Renderer {
  /** Nodes that have been shown in full. Later they are only named, which also ends cycles. */
  readonly #rendered = new Set<number>();
  /** Nodes that have been named, in the order of the page; those with further values are shown among the terms. */
  readonly #mentioned = new Set<number>();
  /** Nodes whose label is not on the page, or only as a symbol. */
  readonly #abbreviated = new Set<number>();
  readonly #identified: number[] = [];
  readonly #makers = lazily(() => new Set(makersOf(this.description)));
  /** Blocks that belong to inline values and must follow them. */
  #pending = NOTHING;

  constructor(
    readonly description: ResourceDescription,
    readonly href: Href,
    /** The IRI of the page's entity, to which the page does not link. */
    readonly here: string,
    readonly words: Words,
    /** The labels of records, by IRI, for references without one. */
    readonly labels?: ReadonlyMap<string, string>,
  ) {
    this.#rendered.add(description.root);
  }

  /** A link to a node by its label, or the text of a literal. @param shown replaces the label, which is then shown among the terms */
  link(value: number, shown?: string): Html {
    const { termType, value: iri } = this.description.terms[value]!;
    if (termType === "Literal") return isolated(iri);
    this.#mentioned.add(value);
    if (shown !== undefined && shown !== this.label(value)) this.#abbreviated.add(value);
    const label = shown ?? this.label(value);
    const target = termType === "NamedNode" && iri !== this.here ? this.href(iri) : undefined;
    if (target?.isHere) return linkHtml(target.url, label);
    // The address of a part that is shown here, such as a right, leads back to this page.
    if (target === undefined || (this.#rendered.has(value) && iri.startsWith(`${this.here}#`))) return isolated(label);
    return html`<a class="out" href="${text(target.url)}">${text(label)}</a>`;
  }

  /** The label of a node: its own label, a name, a number, a code, the end of a Digital Object's IRI, or its class; its IRI only if it has no link or is not an entity. */
  label(value: number): string {
    const { description } = this;
    const { termType, value: iri } = description.terms[value]!;
    const written = (...path: string[]) => description.written(value, ...path).find((each) => each.trim() !== "");
    const own = nodeLabel(description, value) ?? this.labels?.get(iri);
    const label = own ?? written("identified_by", "content") ?? written("notation");
    if (label !== undefined) return label;
    const [name] = description.node(value).classes;
    const { record } = this.words.file;
    const maker = this.#makers().has(value) ? fill(record.unnamed, { kind: record.maker }) : undefined;
    if (termType !== "NamedNode")
      return maker ?? (name === undefined ? this.words.unnamed(null) : this.words.class(name));
    if (this.href(iri) === undefined) return iri;
    if (name === "DigitalObject") return endOf(iri);
    if (name === undefined || !isEntityClass(classIri(name) ?? name)) return iri;
    return maker ?? fill(record.unnamed, { kind: this.words.within(this.words.class(name)) });
  }

  /** The rows of some properties of a node, by default of all; nothing if it has none of them. */
  rows(node: Node, terms: readonly string[] = [...node.values.keys()]): Html {
    const present = terms.filter((term) => node.values.has(term));
    const rows = join(present.map((term) => this.row(this.words.propertyHtml(term), term, take(node, term))));
    return rows === NOTHING ? NOTHING : html`<dl class="rows">${rows}</dl>`;
  }

  /** A row of facts; nothing if all values are blank. */
  row(words: Html, term: string, values: readonly number[]): Html {
    const rendered = values.map((value) => this.whole(() => this.value(term, value)));
    // Some records have the same value twice, without any difference.
    const shown = [...new Set(rendered)].filter((each) => SOMETHING.test(each)).map((each) => html`<dd>${each}</dd>`);
    return shown.length === 0 ? NOTHING : html`<div><dt>${words}</dt>${join(shown)}</div>`;
  }

  /** Renders something, followed by its pending blocks. */
  whole(render: () => Html): Html {
    const { rendered, pending } = this.capture(render);
    return html`${rendered}${pending}`;
  }

  /** Makes the remaining values of a node a pending block. */
  below(node: Node): void {
    this.#pending = html`${this.#pending}${this.rows(node)}`;
  }

  /** Renders values in a line; their blocks become pending. */
  inline(term: string, values: readonly number[]): Html {
    return this.words.list(values.map((value) => this.value(term, value, true)));
  }

  /** Renders a value. @param isInLine whether it is part of a sentence, which no block may interrupt */
  value(term: string, value: number, isInLine = false): Html {
    if (this.description.terms[value]!.termType === "Literal") return this.#literal(term, value, isInLine);
    if (term === "equivalent") {
      const host = /^https?:\/\/([^/]+)\//i.exec(this.description.terms[value]!.value)?.[1];
      return html`${this.link(value)}${aside(host === undefined ? [] : [text(host)])}`;
    }
    const node = this.description.node(value);
    const isConcept = node.classes.some((name) => CONCEPTS.has(name));
    if (isConcept || isReference(node) || this.#rendered.has(value)) return this.link(value);
    return this.#structure(term, this.begin(value), isInLine);
  }

  /** Whether a value is more than a reference and has not been shown yet. */
  isUnrendered(value: number): boolean {
    const { description } = this;
    if (description.terms[value]!.termType === "Literal" || this.#rendered.has(value)) return false;
    const node = description.node(value);
    return node.classes.length + node.values.size > 0 && !isReference(node);
  }

  /** Begins to show a node in full; from now on it is only named. */
  begin(value: number): Node {
    const node = this.description.node(value);
    this.#rendered.add(value);
    if (node.term.termType === "NamedNode") this.#identified.push(value);
    return node;
  }

  /** Renders something, and returns its pending blocks separately. */
  capture<T>(render: () => T): { readonly rendered: T; readonly pending: Html } {
    const outer = this.#pending;
    this.#pending = NOTHING;
    const rendered = render();
    const pending = this.#pending;
    this.#pending = outer;
    return { rendered, pending };
  }

  #literal(term: string, value: number, isInLine: boolean): Html {
    const { value: written, datatype, language } = this.description.terms[value]!;
    if (datatype === XSD.dateTime) {
      // Bounds such as `end_of_the_end` are the end of a day or a year, others its beginning.
      const words = momentInWords(written, /^(?:end_of|latest)/.test(term), this.words);
      return html`<time datetime="${text(withoutDirectionMarks(written))}">${text(words)}</time>`;
    }
    if (datatype !== XSD.string && isWrittenNumber(written)) return number(written, this.words);
    const isLong = written.length > LONG_TEXT || written.includes("\n");
    return isLong && !isInLine ? prose(written, undefined, language) : isolated(written, language);
  }

  #structure(term: string, node: Node, isInLine: boolean): Html {
    const [name = ""] = node.classes;
    if (name === "Name" || name === "Identifier") return this.#name(node);
    if (name === "TimeSpan") return this.#timeSpan(node);
    if (name === "Dimension" || name === "MonetaryAmount") return amount(this, node);
    if (name === "AttributeAssignment") return this.#assignment(term, node);
    if (isInLine) return this.#described(node);
    if (ACTIVITY_TERMS.has(name)) return activityInRow(this, node);
    if (node.values.has("content") && name === "LinguisticObject")
      return html`<p class="aside">${this.statementHeading(node)}</p>${this.statement(node)}`;
    return this.#described(node);
  }

  /** Any other node: its label, and its values as rows. */
  #described(node: Node): Html {
    const named = this.link(node.number);
    this.#mentioned.delete(node.number);
    this.#drop(node, "_label", this.label(node.number));
    const kinds = aside(take(node, "classified_as").map((kind) => this.value("", kind)));
    this.below(node);
    return html`${named}${kinds}`;
  }

  #name(node: Node): Html {
    const contents = take(node, "content");
    if (contents.length === 0) return this.#described(node);
    const { terms } = this.description;
    const [first] = contents;
    const lang = langHtml(languageOf(this.description, node.number, first));
    const names = contents.map((content) => html`<bdi class="name"${lang}>${text(terms[content]!.value)}</bdi>`);
    this.#drop(node, "_label", terms[first!]!.value);
    const asides = [...take(node, "classified_as"), ...take(node, "language")].map((each) => this.value("", each));
    this.below(node);
    return html`${join(names, " / ")}${aside(asides)}`;
  }

  /** A statement: its text as prose, and its other values below it. */
  statement(node: Node): Html {
    const { description } = this;
    const contents = take(node, "content");
    const formats = take(node, "format").map((format) => description.terms[format]!.value);
    const rendered = contents.map((content) =>
      prose(description.terms[content]!.value, formats[0], languageOf(description, node.number, content)),
    );
    const below = formats.length === 0 ? NOTHING : html`<p class="aside">${isolated(formats.join(", "))}</p>`;
    return html`${join(rendered)}${below}${this.rows(node)}`;
  }

  /** The heading of a statement: its kinds, languages and label, or just "Note"; taken from the values of its node. */
  statementHeading(node: Node): Html {
    const kinds = take(node, "classified_as").map((kind) => this.link(kind));
    const languages = take(node, "language").map((each) => this.value("", each));
    const labels = take(node, "_label").map((label) => this.link(label));
    if (kinds.length === 0 && labels.length === 0) kinds.push(text(this.words.file.record.note));
    return join([join(kinds, ", "), ...languages, ...labels].filter(Boolean), " · ");
  }

  /** A time-span in words, after the record's own wording. */
  #timeSpan(node: Node): Html {
    const written = this.description.written(node.number, "identified_by", "content");
    const labels = take(node, "_label").map((label) => this.description.terms[label]!.value);
    const names = namesOf(this.description, node.number);
    const spoken = nameFor(names, undefined, [this.words.language]);
    const shown = new Set([...(spoken === undefined ? [] : [spoken.text]), ...written, ...labels]);
    const languages = new Map(names.map(({ text, language }) => [text, language]));
    const said = (each: string): Html => isolated(each, languages.get(each));
    this.dropNames(node, () => true);
    const { earliest, latest } = boundsOf(this.description, node.number);
    this.#drop(node, "begin_of_the_begin", earliest);
    this.#drop(node, "end_of_the_end", latest);
    this.below(node);
    const words = timeInWords({ earliest, latest }, this.words);
    if (words === undefined)
      return shown.size === 0 ? text(this.words.file.date.undated) : join([...shown].map(said), ", ");
    const bounds = [earliest, latest].filter((bound) => bound !== undefined);
    const title = text(withoutDirectionMarks([...new Set(bounds)].join(" – ")));
    const time = (rendered: Html): Html =>
      html`<time datetime="${text(withoutDirectionMarks(bounds[0]!))}" title="${title}">${rendered}</time>`;
    shown.delete(words);
    const [first, ...more] = shown;
    if (first === undefined) return time(text(words));
    // The record's own wording is enough if it contains every number.
    const hasNumbers = words.split(" ").every((word) => !/\d/.test(word) || first.includes(word));
    if (hasNumbers) return html`${time(said(first))}${aside(more.map(said))}`;
    return html`${said(first)} (${join([...more.map(said), time(text(words))], ", ")})`;
  }

  /** Drops names whose text is shown, and that have no more than kinds and a language, which are then shown among the terms. */
  dropNames(node: Node, isShown: (name: number) => boolean): void {
    take(node, "identified_by", (name) => {
      const { values, term } = this.description.node(name);
      const others = [...values.keys()].filter((each) => each !== "content" && !OF_NAMES.includes(each));
      if (!isShown(name) || others.length > 0) return false;
      if (term.termType === "NamedNode") this.#identified.push(name);
      for (const concept of OF_NAMES.flatMap((each) => values.get(each) ?? [])) {
        // The page has no link to it, so it is shown among the terms.
        if (!this.#mentioned.has(concept)) this.#abbreviated.add(concept);
        this.#mentioned.add(concept);
      }
      return true;
    });
  }

  #property(value: number): Html {
    const { termType, value: iri } = this.description.terms[value]!;
    const words = this.words.propertyHtml(vocabularyTerm(iri));
    return termType === "NamedNode" ? html`<a class="out" href="${text(iri)}">${words}</a>` : isolated(iri);
  }

  /** An assignment of a relation to other entities, or of another property. */
  #assignment(term: string, node: Node): Html {
    const labels = take(node, "_label").map((label) => this.link(label));
    const relations = take(node, "assigned_property").map((each) => this.#property(each));
    const assigned = take(node, "assigned");
    const head = join([...labels, ...relations], ", ");
    const to = this.inline("assigned", assigned);
    const colon = head !== NOTHING && to !== NOTHING ? html`: ` : NOTHING;
    const told = sentence(this, node, this.words.file.record[term === "assigned_by" ? "given" : "said"]);
    this.below(node);
    return html`${head}${colon}${to}${told === NOTHING ? NOTHING : aside([told])}`;
  }

  /** Drops values that only repeat a text already shown. */
  #drop(node: Node, term: string, shown: string | undefined): void {
    take(node, term, (value) => this.description.terms[value]!.value === shown);
  }

  /** The IRIs of embedded nodes that were shown in full. */
  addresses(): Html {
    const rows = this.#identified.map((each) => {
      const { value: iri } = this.description.terms[each]!;
      const content = this.description.text(each, "content");
      const name = content === undefined ? this.label(each) : beginning(content, MAX_TITLE);
      return html`<div><dt>${isolated(name)}</dt><dd><code>${text(iri)}</code></dd></div>`;
    });
    return rows.length === 0 ? NOTHING : html`<dl class="terms">${join(rows)}</dl>`;
  }

  /** The list of terms: the nodes that were only named, with their other values, such as kinds, codes, other names and equivalents. */
  terms(): Html {
    const entries: Html[] = [];
    for (const value of this.#mentioned) {
      if (this.#rendered.has(value)) continue;
      this.#rendered.add(value);
      const node = this.description.node(value);
      this.#drop(node, "_label", this.label(value));
      if (node.values.size === 0 && !this.#abbreviated.has(value)) continue;
      entries.push(html`<div><dt>${this.link(value)}</dt><dd>${this.rows(node)}</dd></div>`);
    }
    return entries.length === 0 ? NOTHING : html`<dl class="terms">${join(entries)}</dl>`;
  }
}

/** Whether a node only names an entity. A node without an IRI does not, however little it says. */
function isReference({ term, values }: Node): boolean {
  return term.termType === "NamedNode" && [...values.keys()].every((each) => OF_REFERENCES.has(each));
}

/** The allowed elements of a text: paragraphs, lists, tables, emphasis and links; nothing that loads, runs or looks like the page itself. */
const ALLOWED: sanitize.IOptions = {
  allowedTags: [
    ..."p br hr div span blockquote pre code em i strong b u s small sub sup cite q abbr mark".split(" "),
    ..."ul ol li dl dt dd table caption thead tbody tfoot tr th td a".split(" "),
  ],
  allowedAttributes: { a: ["href"], "*": ["lang", "dir"] },
  allowedSchemes: ["http", "https", "mailto"],
  allowProtocolRelative: false,
  // Headings within a statement must not become headings of the page.
  transformTags: Object.fromEntries(["h1", "h2", "h3", "h4", "h5", "h6"].map((heading) => [heading, "p"])),
  nonTextTags: ["script", "style", "textarea", "option", "noscript", "template", "title"],
};

/** The maximum depth of elements in a text with markup. The sanitizer's time grows with the square of the depth. */
export const MAX_MARKUP_DEPTH = 100;

/** The elements that the parser remembers until their end tag, even if an element around them has ended. */
const REMEMBERED = "svg math mi mo mn ms mtext annotation-xml foreignobject desc title".split(" ");

/** The allowed markup of a text, or `undefined` if it cannot be read or its elements are too deep. */
function sanitized(content: string): string | undefined {
  let open = 0;
  const counting: sanitize.IOptions = {
    ...ALLOWED,
    onOpenTag() {
      if (++open > MAX_MARKUP_DEPTH) throw new RangeError();
    },
    onCloseTag(name, isImplied) {
      if (!isImplied || !REMEMBERED.includes(name)) open--;
    },
  };
  try {
    return loadSanitizer()(content, counting);
  } catch {
    return undefined;
  }
}

/** A text in a block of its own. The stylesheet keeps line breaks of plain text. `tabindex` lets readers scroll a wide table by keys. */
function prose(content: string, format: string | undefined, language: string | undefined): Html {
  const lang = langHtml(language);
  const markup = isMarkup(format) ? sanitized(content) : undefined;
  if (markup === undefined) return html`<p class="prose" dir="auto"${lang}>${text(plainText(content, format))}</p>`;
  const reached = markup.includes("<table") ? html` tabindex="0"` : NOTHING;
  return html`<div class="prose marked-up" dir="auto"${lang}${reached}>${trusted(markup)}</div>`;
}
