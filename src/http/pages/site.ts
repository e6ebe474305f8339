/** What all pages have in common: their frame, their headers, the way around the collection. */
import type { Presentation, Surroundings } from "../entity/representations.js";
import { type Html, html, join, NOTHING, text, unturned } from "./markup.js";
import { loadTheme } from "./theme.js";

/** What a page has besides its content. */
export interface PageOptions {
  /** Plain text, without the collection's title. */
  readonly title: string;
  /** What goes into the head. */
  readonly head?: Html;
  /** Hosts that this page's pictures come from. */
  readonly hosts?: ReadonlySet<string>;
}

/**
 * The headers of pages: nothing is run or styled but by files of the service; pictures may come from wherever records have
 * them, which each page narrows to the hosts that it names; nothing frames the page, and no host is told where it led from.
 */
export const SITE_HEADERS = [
  "Content-Security-Policy",
  [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "font-src 'self'",
    "img-src 'self' data: blob: http: https:",
    "connect-src 'self' http: https:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  "Referrer-Policy",
  "no-referrer",
] as const;

export class Site {
  readonly title: string;
  readonly theme: ReturnType<typeof loadTheme>;
  /** The path of the service, without a slash at the end. */
  readonly path: string;
  readonly #origin: string;

  /** @param base `{base_url}` without a final slash. Throws `ThemeError`. */
  constructor(
    readonly base: string,
    readonly settings: Presentation,
  ) {
    this.title = settings.title;
    this.theme = loadTheme(settings.theme);
    const path = base.replace(/^https?:\/\/[^/]*/i, "");
    this.path = path;
    this.#origin = base.slice(0, base.length - path.length);
  }

  /** An address as pages write it: without scheme and host where it is the service's own. */
  shortened(url: string): string {
    return url.startsWith(`${this.base}/`) ? url.slice(this.#origin.length) : url;
  }

  /** A whole page. */
  page({ title, head = NOTHING, hosts = new Set() }: PageOptions, content: Html): Html {
    const { path, settings } = this;
    const titled = title === this.title ? title : `${title} – ${this.title}`;
    const links = (settings.navigation ?? []).map(
      ({ path: to, words }) => html`<a href="${text(path + to)}">${text(words)}</a>`,
    );
    return this.theme.template("frame").fill({
      title: text(unturned(titled)),
      head: join([
        this.#policy(hosts),
        head,
        this.theme.hasStyle ? html`<link rel="stylesheet" href="${text(path)}/assets/theme/theme.css">\n` : NOTHING,
        html`<script type="module" src="${text(path)}/assets/pages.js"${this.#tiles()}></script>\n`,
      ]),
      path: text(path),
      site: text(settings.title),
      navigation: join(links),
      footer: html`Published as Linked Data. <a href="${text(path)}/openapi.json">Interface</a>`,
      content,
    });
  }

  /** Tiles are the script's to load; where they come from is said once, where the script is named. */
  #tiles(): Html {
    const { tiles, tilesAttribution = "" } = this.settings;
    return tiles === undefined
      ? NOTHING
      : html` data-tiles="${text(tiles)}" data-attribution="${text(tilesAttribution)}"`;
  }

  /** Of all hosts that the headers allow, only those that the page names. */
  #policy(hosts: ReadonlySet<string>): Html {
    const own = [...hosts].filter((host) => !this.base.startsWith(`${host}/`) && host !== this.base);
    const tiles = this.settings.tiles === undefined ? [] : [hostOf(this.settings.tiles)];
    const policy = `img-src 'self' data: blob: ${[...own, ...tiles].join(" ")}; connect-src 'self' ${own.join(" ")}`;
    return html`<meta http-equiv="Content-Security-Policy" content="${text(policy)}">\n`;
  }
}

/** The scheme and host of a template of addresses, `{s}` for a part of the host included as `*`. */
function hostOf(tiles: string): string {
  const [host = "'none'"] = /^https?:\/\/[^/]+/i.exec(tiles) ?? [];
  return host.replace(/\{s\}/g, "*");
}

/** The sites of the settings that pages were written for. */
const sites = new WeakMap<Presentation, Site>();

/** The site that pages belong to. Throws `ThemeError`. */
export function siteOf({ presentation, addresses }: Pick<Surroundings, "presentation" | "addresses">): Site {
  const known = sites.get(presentation);
  if (known !== undefined) return known;
  const site = new Site(addresses.base, presentation);
  sites.set(presentation, site);
  return site;
}
