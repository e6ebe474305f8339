/** The frame of all pages: their head, headers and navigation. */
import { BoundedMap, remembering } from "../../base/bounded-map.js";
import { lazily } from "../../base/lazily.js";
import { withoutDirectionMarks } from "../../base/plain-text.js";
import { primaryTag } from "../../rdf/terms.js";
import type { Addresses } from "../entity/addresses.js";
import { tagOf } from "../message/content.js";
import type { WantedLanguages } from "../message/headers/negotiate.js";
import type { Reader } from "./languages.js";
import { type Html, html, join, linkHtml, NOTHING, text, trusted } from "./markup.js";
import { loadTheme } from "./theme.js";
import { wordsOfLanguages } from "./words/languages.js";
import { fillHtml, type Words } from "./words/words.js";

export interface SiteSettings {
  readonly title: string;
  /** The description on the home page: plain text, a blank line between paragraphs. */
  readonly text?: string | undefined;
  /** The URL of a picture for the home page, or its path at this service. */
  readonly picture?: string | undefined;
  /** The IRIs of example records for the home page. Default: `chooseExamples`. */
  readonly examples?: readonly string[];
  /** The languages of pages: tags of shipped languages, and files of words. The first is for readers who want none of them. */
  readonly languages?: readonly string[];
  /** The directory of the institution's theme: templates, a stylesheet and files. */
  readonly theme?: string | undefined;
  /** The URL of map tiles, with `{z}`, `{x}` and `{y}`. Default: maps are outlines. */
  readonly tiles?: string | undefined;
  readonly tilesAttribution?: string | undefined;
}

/** A navigation link on every page, with its path from the service's root. */
export interface NavigationLink {
  readonly path: string;
  readonly words: "browse" | "search" | "sparql" | "interface";
  readonly isForDevelopers?: boolean;
}

export const SEARCH_PATH = "/search/all";
/** The query parameter by which a reader chooses a language; the links of the page keep it. */
export const LANGUAGE_PARAMETER = "lang";

/** The scripts of Arabic, Hebrew and others that are written from right to left (ISO 15924). */
const RIGHT_TO_LEFT: readonly string[] = ["Adlm", "Arab", "Hebr", "Nkoo", "Rohg", "Syrc", "Thaa"];

/** How many readers have the common parts of their pages cached. Readers with the same languages count as one. */
const MAX_READERS = 64;

export const DEFAULT_SITE: SiteSettings = { title: "Vitrine" };

/** The navigation links of a service; search and SPARQL only if it offers them. */
export function navigation({ sparql, store, ...own }: Services): readonly NavigationLink[] {
  const { searchPath = store?.search === undefined ? undefined : SEARCH_PATH } = own;
  return [
    { path: "/#browse", words: "browse" },
    ...(searchPath === undefined ? [] : [{ path: searchPath, words: "search" } as const]),
    ...(sparql === undefined ? [] : [{ path: "/sparql", words: "sparql", isForDevelopers: true } as const]),
    { path: "/openapi.html", words: "interface", isForDevelopers: true },
  ];
}

interface Services {
  readonly sparql?: unknown;
  readonly store?: { readonly search?: unknown };
  /** The path of the search form. Default: `SEARCH_PATH`, if the store can be searched. */
  readonly searchPath?: string | undefined;
}

/** A page with its language and security headers. */
export interface HtmlPage {
  readonly body: Html;
  /** Alternating names and values. */
  readonly headers: readonly string[];
}

interface PageOptions {
  /** Plain text, without the collection's title. */
  readonly title: string;
  /** The URL of the page, with or without scheme and host, for the links to its other languages. */
  readonly address: string;
  readonly head?: Html;
  /** The text in the search field; `null` for a page with a search field of its own. Default: "". */
  readonly query?: string | null;
  readonly hosts?: ReadonlySet<string>;
}

/** The site, as one of its readers sees it. */
export class Site {
  readonly title: string;
  /** `{base_url}` without a final slash. */
  readonly base: string;
  readonly theme: ReturnType<typeof loadTheme>;
  readonly words: Words;
  /** The path of the service, without a final slash. */
  readonly path: string;
  /** The same site for other readers, by their languages. */
  readonly #readers = new BoundedMap<string, Site>(MAX_READERS);

  /** Reads the theme and the languages, unless `common` has them. Throws `RefusalError` if they cannot be read. */
  constructor(
    readonly addresses: Addresses,
    readonly settings: SiteSettings,
    readonly navigation: readonly NavigationLink[],
    private readonly common = { theme: loadTheme(settings.theme), languages: wordsOfLanguages(settings.languages) },
    readonly reader: Reader & WantedLanguages = { words: common.languages[0]!, languages: [] },
  ) {
    this.title = settings.title;
    this.theme = common.theme;
    this.words = reader.words;
    ({ base: this.base, path: this.path } = addresses);
  }

  get languages(): readonly string[] {
    return this.common.languages.map(({ language }) => language.toLowerCase());
  }

  /** The attribute of a page in a language that is written from right to left; nothing for others. */
  get direction(): Html {
    const { script = "" } = new Intl.Locale(this.words.language).maximize();
    return RIGHT_TO_LEFT.includes(script) ? html` dir="rtl"` : NOTHING;
  }

  /** The site for a reader who wants these languages; in its first language if it has none of them. */
  for({ languages, chosen }: WantedLanguages): Site {
    const key = `${chosen} ${languages.join()}`;
    const before = this.#readers.get(key);
    if (before !== undefined) return before;
    const all = this.common.languages;
    const exact = all.find(({ language }) => language.toLowerCase() === chosen);
    const near = languages.flatMap((tag) => all.find(({ language }) => primaryTag(language) === tag) ?? []);
    const reader = { words: exact ?? near[0] ?? all[0]!, languages, chosen };
    return this.#readers.put(key, new Site(this.addresses, this.settings, this.navigation, this.common, reader));
  }

  get searchPath(): string | undefined {
    return this.navigation.find(({ words }) => words === "search")?.path;
  }

  /** A URL as pages write it: without scheme and host if it belongs to this service. A browser takes what follows `//` for a host. */
  shortened(url: string): string {
    const path = url.startsWith(`${this.base}/`) ? url.slice(this.addresses.origin.length) : url;
    return path.startsWith("//") ? this.addresses.origin + path : path;
  }

  /** The URL of a link as pages write it. A link within this service keeps the language that the reader chose. */
  link(url: string): string {
    const address = this.shortened(url);
    return this.reader.chosen && address.startsWith("/") ? inLanguage(address, this.words.language) : address;
  }

  /** The URL of an entity's page, as pages write it. */
  entityLink(iri: string): string {
    return this.link(this.addresses.url(iri));
  }

  /** The search form. @param value the text in its field */
  findForm(value = ""): Html {
    const { page } = this.words.file;
    const language = this.reader.chosen
      ? html`<input type="hidden" name="${text(LANGUAGE_PARAMETER)}" value="${text(this.words.language)}">\n`
      : NOTHING;
    const { searchPath = SEARCH_PATH } = this;
    const names = text(`${this.path}/reconcile/suggest/entity`);
    const suggestions = searchPath === SEARCH_PATH ? html` data-suggestions="${names}"` : NOTHING;
    return html`<form class="find" role="search" action="${text(this.path + searchPath)}">
<label for="find">${text(page.find)}</label>
<input id="find" name="text" type="search" autocomplete="off"${suggestions} value="${text(value)}" required>
${language}<button>${text(page.search)}</button>
</form>`;
  }

  /** The parts that all pages of a reader have in common, made with the first page. */
  readonly #fixed = lazily(() => {
    const { path, settings, words } = this;
    const { tiles, tilesAttribution = "" } = settings;
    const { error, page, script } = words.file;
    const [links, forDevelopers] = [false, true].map((isOf) => {
      const ways = this.navigation.filter(({ isForDevelopers = false }) => isForDevelopers === isOf);
      return ways.map((each) => linkHtml(this.link(path + each.path), page[each.words]));
    }) as [Html[], Html[]];
    const developers =
      forDevelopers.length === 0
        ? NOTHING
        : html`${fillHtml(page.developersLinks, { links: join(forDevelopers, " · ") })}<br>\n`;
    // These attributes tell the script where to load map tiles.
    const map =
      tiles === undefined ? NOTHING : html` data-tiles="${text(tiles)}" data-attribution="${text(tilesAttribution)}"`;
    return {
      parts: {
        language: text(words.language),
        direction: this.direction,
        path: text(path),
        home: text(this.link(`${path}/`)),
        site: text(settings.title),
        skip: text(page.skip),
        collection: text(page.collection),
        navigation: join(links),
      },
      head: join([
        this.theme.hasStyle ? html`<link rel="stylesheet" href="${text(path)}/assets/theme/theme.css">\n` : NOTHING,
        html`<script type="module" src="${text(path)}/assets/pages.js" data-words="${text(JSON.stringify({ ...script, failed: error.unavailable }))}"${map}></script>\n`,
      ]),
      find: this.findForm(),
      footer: html`${developers}${text(page.published)}`,
      /** The markup around the URL of the page, for each language. */
      languages: this.common.languages.map(({ language, file }) => {
        const current = language === words.language ? html` aria-current="true"` : NOTHING;
        return {
          before: html`<a rel="nofollow" hreflang="${text(language)}" lang="${text(language)}"${current} href="`,
          after: html`${text(language)}">${text(file.name)}</a>`,
        };
      }),
    };
  });

  page({ title, address, head = NOTHING, query = "", hosts = new Set() }: PageOptions, content: Html): HtmlPage {
    const fixed = this.#fixed();
    const titled = title === this.title ? title : `${title} – ${this.title}`;
    const own = this.shortened(address);
    const languages = this.#languages(own);
    const { frame } = this.theme.templates;
    const canonical = html`<link rel="canonical" href="${text(own.startsWith("/") ? this.addresses.origin + own : own)}">\n`;
    const body = frame.fill({
      ...fixed.parts,
      title: text(withoutDirectionMarks(titled)),
      head: html`${canonical}${head}${fixed.head}`,
      search:
        query === null || this.searchPath === undefined ? NOTHING : query === "" ? fixed.find : this.findForm(query),
      languages,
      footer: frame.has("languages") ? fixed.footer : html`${languages}${fixed.footer}`,
      content,
    });
    const others = hosts.size === 0 ? "" : [...hosts].filter((host) => host !== this.addresses.origin).join(" ");
    return { body, headers: this.#headers(others) };
  }

  /** The links to the page in each language. `nofollow` keeps robots at the URL without a language. */
  #languages(address: string): Html {
    const { languages } = this.#fixed();
    if (languages.length < 2) return NOTHING;
    const start = text(inLanguage(address, ""));
    const links = languages.map(({ before, after }) => html`${before}${start}${after}`);
    return html`<nav class="languages" aria-label="${text(this.words.file.page.languages)}">${join(links, " ")}</nav>\n`;
  }

  /** A page of the service itself, such as an error page. @param content HTML in which all data are escaped */
  plain(title: string, content: string, address: string): HtmlPage {
    return this.page({ title, address }, html`<article class="plain">${trusted(content)}</article>`);
  }

  /** A text for entity tags: it changes with everything that all pages show, such as the title, the theme and the words. */
  get state(): string {
    const words = tagOf(JSON.stringify(this.common.languages.map(({ file }) => file)));
    return JSON.stringify([this.addresses.state, this.settings, this.navigation, this.theme.digest, words]);
  }

  /** The headers of a page: only the service's scripts and styles run, pictures come from the page's hosts, nothing may frame it, and links send no referrer. */
  readonly #headers = remembering(MAX_READERS, (others: string): readonly string[] => {
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
    const { language } = this.words;
    const security = ["Content-Security-Policy", policy.join("; "), "Referrer-Policy", "no-referrer"];
    return ["Content-Language", language, ...security];
  });
}

/** The scheme and host of a URL, in which `{s}` may stand for a part of the host; empty for a path. */
function hostOf(address: string): string {
  const [host = ""] = /^https?:\/\/[^/]+/i.exec(address) ?? [];
  return host.replace(/\{s\}/g, "*");
}

function inLanguage(address: string, language: string): string {
  const [page = "", fragment] = address.split("#", 2);
  const chosen = `${page}${page.includes("?") ? "&" : "?"}${LANGUAGE_PARAMETER}=${language}`;
  return fragment === undefined ? chosen : `${chosen}#${fragment}`;
}
