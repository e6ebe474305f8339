/** Texts of statements as HTML: plain ones escaped, and only what declares itself HTML sanitized. */
import type sanitize from "sanitize-html";
import { library } from "../../base/lazily.js";
import { type Html, html, text, trusted } from "./markup.js";

const loadSanitizer = library<typeof sanitize>("sanitize-html");

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
  const lang = language === undefined ? html`` : html` lang="${text(language)}"`;
  if (format === undefined || !MARKUP.test(format))
    return html`<p class="prose" dir="auto"${lang}>${text(content)}</p>`;
  return html`<div class="prose marked-up" dir="auto"${lang}>${trusted(loadSanitizer()(content, ALLOWED))}</div>`;
}
