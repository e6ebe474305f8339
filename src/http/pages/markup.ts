/** Safe HTML: a type of its own for escaped text, sanitized text and templates, so that nothing else gets onto a page. */
import { escapeHtml } from "../../base/html.js";

declare const escaped: unique symbol;

/** A piece of HTML: `text` makes one from text, the `html` tag from a template, and `trusted` from markup that is safe already. */
export type Html = string & { readonly [escaped]: true };

export const NOTHING = "" as Html;

/** Escapes text for the content of an element or for a quoted attribute. */
export function text(value: string): Html {
  return escapeHtml(value) as Html;
}

/** The tag of templates whose values are HTML or numbers. Plain text does not compile: write `text(value)`. */
export function html(parts: TemplateStringsArray, ...values: readonly (Html | number)[]): Html {
  let markup = parts[0]!;
  for (let at = 0; at < values.length; at++) markup += values[at]! + parts[at + 1]!;
  return markup as Html;
}

/** Joins pieces. */
export function join(pieces: readonly Html[], between = ""): Html {
  let joined: string = pieces[0] ?? NOTHING;
  for (let at = 1; at < pieces.length; at++) joined += between + pieces[at]!;
  return joined as Html;
}

/** Marks markup as safe because a sanitizer made it so, or because it contains no data. */
export function trusted(markup: string): Html {
  return markup as Html;
}

/** A script element with JSON-LD, in which `<` is escaped, so that no data can end the element. */
export function jsonLdScript(document: string): Html {
  return html`<script type="application/ld+json">${trusted(document.replaceAll("<", "\\u003c"))}</script>\n`;
}

/** Text whose direction is isolated from its surroundings (HTML, `bdi`). @param language its language, if known */
export function isolated(value: string, language?: string): Html {
  return html`<bdi${langHtml(language)}>${text(value)}</bdi>`;
}

/** Text, marked with its language if that is known. */
export function marked(value: string, language: string | undefined): Html {
  return language ? html`<span${langHtml(language)}>${text(value)}</span>` : text(value);
}

/** The attribute `lang`; nothing for an unknown language. */
export function langHtml(language: string | undefined): Html {
  return language ? html` lang="${text(language)}"` : NOTHING;
}

/** A link. */
export function linkHtml(url: string, words: string): Html {
  return html`<a href="${text(url)}">${text(words)}</a>`;
}

/** A section of a page; nothing without content. */
export function section(title: Html, content: Html): Html {
  return content === NOTHING
    ? NOTHING
    : html`<section>
<h2>${title}</h2>
<div class="body">${content}</div>
</section>
`;
}

/** A note, smaller and paler, after the content to which it belongs; nothing if there are no pieces. */
export function aside(pieces: readonly Html[]): Html {
  return pieces.length === 0 ? NOTHING : html` <span class="aside">${join(pieces, ", ")}</span>`;
}
