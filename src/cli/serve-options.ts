/** The options of `serve` that say how it answers, checked. */
import { DEFAULT_SITE, type SiteSettings } from "../http/pages/site.js";
import { loadTheme, ThemeError } from "../http/pages/theme.js";
import { type Option, type Options, UsageError } from "./options.js";

export const SERVING_OPTIONS: readonly Option[] = [
  {
    name: "port",
    value: "NUMBER",
    number: { of: "port number", least: 0, most: 65_535 },
    default: "3000",
    help: "0 takes a free one",
  },
  { name: "host", value: "ADDRESS", default: "127.0.0.1", help: "0.0.0.0 listens on all of the machine's" },
  {
    name: "workers",
    value: "NUMBER",
    number: { of: "number of processes", least: 1, most: 256 },
    default: "1",
    help: "processes that answer, over the one store",
  },
  { name: "images", value: "DIR", help: "a directory of images, served under /images/" },
  {
    name: "cache",
    value: "MIB",
    number: { of: "number of mebibytes", least: 0, most: 999_999 },
    default: "64",
    help: "memory for answers that are asked for often; 0 keeps none",
  },
  {
    name: "cache-control",
    value: "VALUE",
    default: "no-cache",
    help: "of entities; no-cache lets caches keep them and ask whether they changed",
  },
  {
    name: "load-size",
    value: "MIB",
    number: { of: "number of mebibytes", least: 1 },
    default: "20480",
    help: "a load over HTTP of more is refused",
  },
  { name: "trust-proxy", help: "believe Forwarded and X-Forwarded-*: only behind a proxy that sets or removes them" },
  { name: "hal", help: "add _links to documents, as HAL has them" },
  { name: "title", value: "TEXT", group: "how pages look", help: "what the collection is called, on its pages" },
  {
    name: "text",
    value: "TEXT",
    group: "how pages look",
    help: "what it is, for the home page; a blank line begins a paragraph",
  },
  {
    name: "picture",
    value: "URL",
    group: "how pages look",
    help: "a picture for the home page, such as /images/front.jpg",
  },
  {
    name: "example",
    value: "IRI",
    group: "how pages look",
    many: true,
    help: "a record to begin with; without any, some that say much",
  },
  {
    name: "theme",
    value: "DIR",
    group: "how pages look",
    help: "templates, colours and files of your own look (docs/pages.md)",
  },
  {
    name: "map-tiles",
    value: "URL",
    group: "how pages look",
    help: "map tiles, with {z}, {x} and {y}; without them, maps are outlines",
  },
  {
    name: "map-attribution",
    value: "TEXT",
    group: "how pages look",
    help: "whose the tiles are, as their licence wants it said",
  },
];

export interface Serving {
  readonly port: number;
  readonly host: string;
  readonly workers: number;
  /** The largest load over HTTP, in bytes. */
  readonly loadBytes: number;
  /** What the server takes as it is. */
  readonly server: {
    readonly cacheBytes: number;
    readonly cacheControl: string;
    readonly trustProxy: boolean;
    readonly hal: boolean;
    readonly images?: string;
    readonly site: SiteSettings;
  };
}

/** Throws `UsageError`. */
export function servingOf(options: Options): Serving {
  const images = options.text("images");
  return {
    port: options.number("port")!,
    host: options.required("host"),
    workers: options.number("workers")!,
    loadBytes: options.number("load-size")! * 1_024 * 1_024,
    server: {
      cacheBytes: options.number("cache")! * 1_024 * 1_024,
      cacheControl: cacheControlOf(options),
      trustProxy: options.isSet("trust-proxy"),
      hal: options.isSet("hal"),
      ...(images === undefined ? {} : { images }),
      site: siteOf(options),
    },
  };
}

/** What the collection is called, and how its pages look. */
function siteOf(options: Options): SiteSettings {
  const texts = {
    text: "text",
    picture: "picture",
    theme: "theme",
    tiles: "map-tiles",
    tilesAttribution: "map-attribution",
  };
  const given = Object.entries(texts).flatMap(([setting, name]) => {
    const value = options.text(name);
    return value === undefined ? [] : [[setting, value] as const];
  });
  const examples = options.all("example");
  checkTheme(options.text("theme"));
  return {
    title: options.text("title") ?? DEFAULT_SITE.title,
    ...Object.fromEntries(given),
    ...(examples.length === 0 ? {} : { examples }),
  };
}

/** Throws `UsageError` for a theme that cannot be used, before anything is loaded or served. */
function checkTheme(directory: string | undefined): void {
  try {
    loadTheme(directory);
  } catch (error) {
    throw error instanceof ThemeError ? new UsageError(`--theme: ${error.message}`) : error;
  }
}

function cacheControlOf(options: Options): string {
  const value = options.required("cache-control");
  if (!/^[\x20-\x7e]+$/.test(value)) throw new UsageError(`--cache-control ${value} is no header value`);
  return value;
}
