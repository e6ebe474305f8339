/** HTML and XML as text: escaping, and links to addresses that may be no web address. */

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for the content of an element or for a quoted attribute, also in XML. */
export function escapeHtml(text: string): string {
  // Most texts have nothing to escape, and to find that out is cheaper than to replace nothing.
  if (!/[&<>"']/.test(text)) return text;
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** Text with what stands between backticks as code. */
export function codeHtml(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, "<code>$1</code>");
}

/** The text that `escapeHtml` was given. */
export function unescapeHtml(escaped: string): string {
  // The ampersand comes last, as it was escaped first.
  return Object.entries(ESCAPES).reduceRight(
    (text, [character, entity]) => text.replaceAll(entity, character),
    escaped,
  );
}

/** A link where the address is one of the web, else the text alone: `javascript:` is an IRI too. */
export function linkTo(address: string, text: string = address): string {
  if (!/^(?:https?:\/\/|\/(?!\/))/i.test(address)) return escapeHtml(text);
  return `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;
}
