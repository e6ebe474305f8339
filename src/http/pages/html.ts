/** HTML as text: escaping, and the frame of the service's plain pages with the headers that keep them harmless. */
import { createHash } from "node:crypto";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for the content of an element or for a quoted attribute. */
export function escapeHtml(text: string): string {
  // Most texts have nothing to escape, and to find that out is cheaper than to replace nothing.
  if (!/[&<>"']/.test(text)) return text;
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** A link where the address is one of the web, else the text alone: `javascript:` is an IRI too. */
export function linkTo(address: string, text: string = address): string {
  if (!/^(?:https?:\/\/|\/(?!\/))/i.test(address)) return escapeHtml(text);
  return `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;
}

const STYLE = `
body { max-width: 48rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #222; background: #fff; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.5rem; font-size: 1.2rem; } h3 { font-size: 1rem; }
p, li, dd, td { overflow-wrap: anywhere; } a { color: #0b5394; } code { font-size: .9em; }
dt { margin-top: .75rem; color: #555; } dd { margin: 0; } small { color: #555; }
table { border-collapse: collapse; width: 100%; } th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818; } a { color: #8ab4f8; } small, dt { color: #aaa; } th, td { border-color: #444; } }
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** A page of this style needs nothing but it: no script, no picture, no frame around it, and it tells nobody where it led from. */
export const PAGE_HEADERS = [
  "Content-Security-Policy",
  `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "Referrer-Policy",
  "no-referrer",
] as const;

/** A whole page; `title` is text, `content` is HTML. */
export function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${content}
</body>
</html>
`;
}
