/** HTML and XML as text: escaping, and links to addresses that may not be web addresses. */

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escape text for the content of an element or for a quoted attribute, in HTML or XML. */
export function escapeHtml(text: string): string {
  // Most texts have nothing to escape, and testing is cheaper than a replacement that finds nothing.
  if (!/[&<>"']/.test(text)) return text;
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** Escaped text in which each passage between backticks is a `<code>` element. */
export function codeHtml(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, "<code>$1</code>");
}

/** The text that `escapeHtml` was given. */
export function unescapeHtml(escaped: string): string {
  // The ampersand is unescaped last, because it was escaped first.
  return Object.entries(ESCAPES).reduceRight(
    (text, [character, entity]) => text.replaceAll(entity, character),
    escaped,
  );
}

/** A link if the address is a web address or a path; otherwise the text alone, since `javascript:` is an IRI, too. */
export function linkTo(address: string, text: string = address): string {
  if (!/^(?:https?:\/\/|\/(?!\/))/i.test(address)) return escapeHtml(text);
  return `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;
}
