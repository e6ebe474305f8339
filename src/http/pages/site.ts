/** The frame of all pages: their head, their headers, the way around the collection. */
import { type Html, html, join, NOTHING, text, trusted, unturned } from "./markup.js";
import { loadTheme } from "./theme.js";

/** What whoever runs the service says of the collection and its look. */
export interface SiteSettings {
  /** What the collection is called. */
  readonly title: string;
  /** What it is, for the home page: plain text, a blank line between paragraphs. */
  readonly text?: string;
  /** The address of a picture for the home page, or its path here. */
  readonly picture?: string;
  /** IRIs of records to begin with. Default: some that say much. */
  readonly examples?: readonly string[];
  /** A directory with templates, colours and files of the institution's own. */
  readonly theme?: string;
  /** The address of map tiles, with `{z}`, `{x}` and `{y}`; without it, maps are outlines. */
  readonly tiles?: string;
  /** Whose the tiles are, as their licence wants it said. */
  readonly tilesAttribution?: string;
}

/** A way around the collection that stands on every page: its path from the service's root. */
export interface NavigationLink {
  readonly path: string;
  readonly words: string;
  /** Whether it stands apart, at the foot. */
  readonly isForDevelopers?: boolean;
}

/** Where searches by name or number are answered. */
export const SEARCH_PATH = "/search/all";

/** Where names, numbers and words are typed. @param value what stands in it */
export function findForm(path: string, value = ""): Html {
  return html`<form class="find" role="search" action="${text(path + SEARCH_PATH)}">
<label for="find">Search by name, maker, date or number</label>
<input id="find" name="text" type="search" autocomplete="off" list="suggestions" value="${text(value)}" required>
<datalist id="suggestions"></datalist>
<button>Search</button>
</form>`;
}

export const DEFAULT_SITE: SiteSettings = { title: "Vitrine" };

/** The ways that there are: queries only where they are answered. */
export function navigation({ sparql, store }: Services): readonly NavigationLink[] {
  return [
    { path: "/#browse", words: "Browse" },
    ...(store?.search === undefined ? [] : [{ path: SEARCH_PATH, words: "Search" }]),
    ...(sparql === undefined ? [] : [{ path: "/sparql", words: "SPARQL", isForDevelopers: true }]),
    { path: "/openapi.html", words: "Interface", isForDevelopers: true },
  ];
}

/** What may be served beside the records. */
interface Services {
  readonly sparql?: unknown;
  readonly store?: { readonly search?: unknown };
}

/** A page with the headers that keep it harmless. */
export interface HtmlPage {
  readonly body: Html;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** What a page has besides its content. */
interface PageOptions {
  /** Plain text, without the collection's title. */
  readonly title: string;
  /** What goes into the head. */
  readonly head?: Html;
  /** What stands in the search field. Default: nothing; `null` for a page that has a field of its own. */
  readonly asked?: string | null;
  /** Hosts that this page's pictures come from. */
  readonly hosts?: ReadonlySet<string>;
}

export class Site {
  readonly title: string;
  readonly theme: ReturnType<typeof loadTheme>;
  /** The path of the service, without a slash at the end. */
  readonly path: string;
  readonly #origin: string;

  /** @param base `{base_url}` without a final slash. Throws `ThemeError`. */
  constructor(
    readonly base: string,
    readonly settings: SiteSettings,
    readonly navigation: readonly NavigationLink[],
  ) {
    this.title = settings.title;
    this.theme = loadTheme(settings.theme);
    const path = base.replace(/^https?:\/\/[^/]*/i, "");
    this.path = path;
    this.#origin = base.slice(0, base.length - path.length);
  }

  /** Whether there is a search to lead to. */
  get isSearched(): boolean {
    return this.navigation.some(({ path }) => path === SEARCH_PATH);
  }

  /** An address as pages write it: without scheme and host where it is the service's own. */
  shortened(url: string): string {
    return url.startsWith(`${this.base}/`) ? url.slice(this.#origin.length) : url;
  }

  /** A whole page. */
  page({ title, head = NOTHING, asked = "", hosts = new Set() }: PageOptions, content: Html): HtmlPage {
    const { path, settings } = this;
    const titled = title === this.title ? title : `${title} – ${this.title}`;
    const [links, forDevelopers] = [false, true].map((isOf) =>
      this.navigation
        .filter(({ isForDevelopers = false }) => isForDevelopers === isOf)
        .map(({ path: to, words }) => html`<a href="${text(path + to)}">${text(words)}</a>`),
    ) as [Html[], Html[]];
    const body = this.theme.template("frame").fill({
      title: text(unturned(titled)),
      head: join([
        head,
        this.theme.hasStyle ? html`<link rel="stylesheet" href="${text(path)}/assets/theme/theme.css">\n` : NOTHING,
        html`<script type="module" src="${text(path)}/assets/pages.js"${this.#tiles()}></script>\n`,
      ]),
      path: text(path),
      site: text(settings.title),
      navigation: join(links),
      search: asked === null || !this.isSearched ? NOTHING : findForm(path, asked),
      footer: join([
        forDevelopers.length === 0 ? NOTHING : html`For developers: ${join(forDevelopers, " · ")}<br>\n`,
        html`Published as Linked Data with Vitrine.`,
      ]),
      content,
    });
    return { body, headers: this.#headers(hosts) };
  }

  /** A page of the service's own, such as an error's. @param content HTML in which all data are escaped */
  plain(title: string, content: string): HtmlPage {
    return this.page({ title }, html`<article class="plain">${trusted(content)}</article>`);
  }

  /** What decides how pages look besides what they are about. */
  get state(): string {
    return JSON.stringify([this.base, this.settings, this.navigation, this.theme.digest]);
  }

  /** Tiles are the script's to load; where they come from is said once, where the script is named. */
  #tiles(): Html {
    const { tiles, tilesAttribution = "" } = this.settings;
    return tiles === undefined
      ? NOTHING
      : html` data-tiles="${text(tiles)}" data-attribution="${text(tilesAttribution)}"`;
  }

  /**
   * Nothing is run or styled but by files of the service; pictures come from the hosts that the page names, and from nowhere
   * else; nothing frames the page, and no host is shown where it led from.
   */
  #headers(hosts: ReadonlySet<string>): readonly string[] {
    const others = [...hosts].filter((host) => host !== this.#origin).join(" ");
    const { tiles, picture = "" } = this.settings;
    const images = [others, tiles === undefined ? "" : hostOf(tiles), hostOf(picture)].filter((each) => each !== "");
    const policy = [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "font-src 'self'",
      `img-src ${["'self' data: blob:", ...images].join(" ")}`,
      `connect-src ${["'self'", others].join(" ").trim()}`,
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ];
    return ["Content-Security-Policy", policy.join("; "), "Referrer-Policy", "no-referrer"];
  }
}

/** The scheme and host of an address, which may be a template with `{s}` for a part of the host; empty for a path. */
function hostOf(address: string): string {
  const [host = ""] = /^https?:\/\/[^/]+/i.exec(address) ?? [];
  return host.replace(/\{s\}/g, "*");
}
