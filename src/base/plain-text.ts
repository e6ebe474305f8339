/** Plain text from texts that may have markup or direction marks. */
import type sanitize from "sanitize-html";
import { remembering } from "./bounded-map.js";
import { unescapeHtml } from "./html.js";
import { library } from "./lazily.js";

export const loadSanitizer = library<typeof sanitize>("sanitize-html");

/** Whether a format, given as a media type, is HTML or XHTML. */
export function isMarkup(format: string | undefined): boolean {
  return /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(format ?? "");
}

/** Characters that change the direction of the text after them, even of the page's own text. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Remove direction marks, for titles and attributes, where no element can isolate the direction of a text. */
export function withoutDirectionMarks(value: string): string {
  return value.replace(DIRECTION_MARKS, "");
}

/** Tags within a word or between a word and its punctuation. */
const INLINE = /<\/?(?:a|abbr|b|bdi|cite|code|em|i|mark|q|s|small|span|strong|sub|sup|u)(?:\s[^<>]*)?>/gi;

const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/gi;
/** The character of an HTML entity: `é` for `&eacute;`. An unknown entity stays as it is. */
const characterOf = remembering(1_000, (entity: string) => unescapeHtml(loadSanitizer()(entity, { allowedTags: [] })));

/** Elements whose text is not for readers. */
const UNREAD = /<(script|style)(?:\s[^<>]*)?>(?:(?!<\1\b).)*?<\/\1\s*>/gis;

/** The plain text, on one line, of a text that may contain markup. */
export function withoutMarkup(value: string): string {
  const words = value
    .replace(UNREAD, " ")
    .replace(INLINE, "")
    .replace(/<[^<>]*>/g, " ")
    .replace(ENTITY, characterOf)
    .replace(/\s+/g, " ");
  return withoutDirectionMarks(words.trim());
}

/** The content of a statement as text; markup is removed if `format` is HTML. */
export function plainText(content: string, format: string | undefined): string {
  return isMarkup(format) ? withoutMarkup(content) : content;
}

/** A text with its percent-encoding decoded, or unchanged if it does not decode. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
