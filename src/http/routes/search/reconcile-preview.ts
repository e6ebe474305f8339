/** `/reconcile/preview`: a small page about an entity, for a frame in somebody's tool (Reconciliation Service API 0.2, 6). */
import { ProblemError, readPage } from "../../message/problems/problems.js";
import { entriesOf, hostsOfEntries } from "../../pages/entries.js";
import { html, join, NOTHING, text, unturned } from "../../pages/markup.js";
import { parameter } from "../openapi/paths.js";
import { type Operation, type Outcome, type Route, type RouteContext, type RouteRequest, readRoute } from "../route.js";
import { cellValues, describedBy, valueWords } from "./reconcile-values.js";

export const PREVIEW_SIZE = { width: 400, height: 180 };
/** Of a statement so many characters are sent; as many are shown as there is room for. */
const SHOWN = 300;

const GET: Operation = {
  id: "preview",
  tag: "Search",
  summary: "A few words about an entity, with its picture, to read.",
  parameters: [{ ...parameter("id", "query", "The entity's IRI."), required: true }],
  types: ["text/html"],
  problems: ["not-found"],
};

/** The route of the small page that a client of `/reconcile` shows beside a candidate. */
export function previewRoute(context: RouteContext): Route {
  return readRoute("/reconcile/preview", "search", GET, (request) => preview(context, request));
}

async function preview({ store, site: all, addresses }: RouteContext, request: RouteRequest): Promise<Outcome> {
  const id = request.query.get("id") ?? "";
  const site = request.siteOf(all);
  const record = await readPage(async () => (await store.find(id))?.record());
  if (record === undefined) throw new ProblemError("not-found", `There is no record of ${id}.`);
  const entries = await entriesOf(store, [id], site.reader);
  const picture = entries[0]?.picture;
  const said = (path: string): string[] => cellValues(record.graph, path, { limit: 5 }).map(valueWords);
  const title = record.meta.label || site.words.unnamed(record.meta.endpoint);
  const names = said("identified_by/Name").filter((name) => name !== title);
  const [statement = ""] = [...said("referred_to_by/300435416"), ...said("referred_to_by")];
  const rows = [
    html`<p dir="auto">${text(await describedBy(store, record, site.words))}</p>`,
    html`<p dir="auto" class="aside">${text(names.join(" · "))}</p>`,
    html`<p dir="auto">${text(statement.slice(0, SHOWN).toWellFormed())}</p>`,
  ].filter((row) => !row.includes("></p>"));
  const image = picture === undefined ? NOTHING : html`<img src="${text(site.shortened(picture))}" alt="">`;
  const theme = site.theme.hasStyle
    ? html`<link rel="stylesheet" href="${text(site.path)}/assets/theme/theme.css">`
    : NOTHING;
  const body = html`<!doctype html>
<html lang="${text(site.words.language)}"><head><meta charset="utf-8"><title>${text(unturned(title))}</title>
<link rel="stylesheet" href="${text(site.path)}/assets/pages.css">${theme}</head>
<body class="preview">${image}<div><h1 dir="auto"><a href="${text(addresses.url(id))}" target="_blank">${text(title)}</a></h1>
${join(rows, "\n")}</div></body></html>
`;
  // It is made for frames, and has nothing in it that could be misused there.
  const hosts = [...hostsOfEntries(entries)].join(" ");
  const policy = `default-src 'none'; style-src 'self'; img-src 'self' ${hosts}; base-uri 'none'; form-action 'none'; frame-ancestors *`;
  const security = ["Content-Security-Policy", policy, "Referrer-Policy", "no-referrer"];
  const headers = ["Content-Language", site.words.language, ...security];
  return { type: "text/html; charset=utf-8", body, vary: "Accept-Language", headers };
}
