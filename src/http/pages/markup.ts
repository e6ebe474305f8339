/** HTML made by functions: a type that only escaped and sanitized text and templates have, so that nothing else gets onto a page. */
import type sanitize from "sanitize-html";
import { escapeHtml } from "../../base/html.js";
import { library } from "../../base/lazily.js";

declare const escaped: unique symbol;

/** A piece of HTML. Text becomes one by `text`, markup by the `html` tag, and by nothing else. */
export type Html = string & { readonly [escaped]: true };

export const NOTHING = "" as Html;

/** Text for the content of an element or for a quoted attribute. */
export function text(value: string): Html {
  return escapeHtml(value) as Html;
}

/** A template whose values are HTML or numbers; plain text does not compile: write `text(value)`. */
export function html(parts: TemplateStringsArray, ...values: readonly (Html | number)[]): Html {
  let markup = parts[0]!;
  for (let at = 0; at < values.length; at++) markup += values[at]! + parts[at + 1]!;
  return markup as Html;
}

/** Pieces one after the other. */
export function join(pieces: readonly Html[], between = ""): Html {
  let joined: string = pieces[0] ?? NOTHING;
  for (let at = 1; at < pieces.length; at++) joined += between + pieces[at]!;
  return joined as Html;
}

/** Markup that another function has made harmless already: a sanitizer, or a template's own text that is none of the data's. */
export function trusted(markup: string): Html {
  return markup as Html;
}

/** JSON-LD for search engines. Nothing in the data may end the element: within JSON text, `<` can be written as an escape. */
export function jsonLdScript(document: string): Html {
  return html`<script type="application/ld+json">${trusted(document.replaceAll("<", "\\u003c"))}</script>\n`;
}

/** Characters that turn the direction of the text after them, and would turn the page's own. */
const TURNING = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text for where no element can keep its direction to itself: a title, an attribute. */
export function unturned(value: string): string {
  return value.replace(TURNING, "");
}

/** The words of a text that may have markup in it, on one line. */
export function withoutMarkup(value: string): string {
  const words = value.replace(/<[^<>]*>/g, " ").replace(/\s+/g, " ");
  return unturned(words.trim());
}

/** Text that keeps its direction to itself (HTML, `bdi`). */
export function isolated(value: string): Html {
  return html`<bdi>${text(value)}</bdi>`;
}

/** A link. */
export function linkHtml(url: string, words: string): Html {
  return html`<a href="${text(url)}">${text(words)}</a>`;
}

/** An aside, smaller and paler after what it belongs to; nothing for nothing. */
export function aside(pieces: readonly Html[]): Html {
  return pieces.length === 0 ? NOTHING : html` <span class="aside">${join(pieces, ", ")}</span>`;
}

export const loadSanitizer = library<typeof sanitize>("sanitize-html");

/** Media types whose texts are markup. */
const MARKUP = /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;

/** The elements that a text may have: paragraphs, lists, tables, emphasis and links. Nothing that loads, runs or looks like the page's own. */
const ALLOWED: sanitize.IOptions = {
  allowedTags: [
    ..."p br hr div span blockquote pre code em i strong b u s small sub sup cite q abbr mark".split(" "),
    ..."ul ol li dl dt dd table caption thead tbody tfoot tr th td a".split(" "),
  ],
  allowedAttributes: { a: ["href"], "*": ["lang", "dir"] },
  allowedSchemes: ["http", "https", "mailto"],
  allowedSchemesAppliedToAttributes: ["href"],
  allowProtocolRelative: false,
  disallowedTagsMode: "discard",
  // Headings of a statement are none of the page's.
  transformTags: Object.fromEntries(["h1", "h2", "h3", "h4", "h5", "h6"].map((heading) => [heading, "p"])),
  nonTextTags: ["script", "style", "textarea", "option", "noscript", "template", "title"],
};

/** A text in a block of its own. Line breaks of plain text are kept by the stylesheet. */
export function prose(content: string, format: string | undefined, language: string | undefined): Html {
  const lang = language === undefined ? NOTHING : html` lang="${text(language)}"`;
  if (format === undefined || !MARKUP.test(format))
    return html`<p class="prose" dir="auto"${lang}>${text(content)}</p>`;
  return html`<div class="prose marked-up" dir="auto"${lang}>${trusted(loadSanitizer()(content, ALLOWED))}</div>`;
}
