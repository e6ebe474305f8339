/** The options of `serve` that say how it answers, checked. */
import type { PublicationSettings } from "../../http/entity/publication.js";
import { DEFAULT_SITE, type SiteSettings } from "../../http/pages/site.js";
import { loadTheme, ThemeError } from "../../http/pages/theme.js";
import { WordsError, wordsOfLanguages } from "../../http/pages/words/languages.js";
import { type Options, UsageError, usable } from "./options.js";

export interface Serving {
  readonly port: number;
  readonly host: string;
  readonly workers: number;
  /** The largest load over HTTP, in bytes. */
  readonly loadBytes: number;
  /** The directory of images that it serves. */
  readonly images: string | undefined;
  /** How entities are answered. */
  readonly publication: Pick<PublicationSettings, "cacheBytes" | "cacheControl" | "hal" | "site"> & {
    readonly trustProxy: boolean;
  };
}

/** Throws `UsageError`. */
export function servingOf(options: Options): Serving {
  return {
    port: options.number("port")!,
    host: options.required("host"),
    workers: options.number("workers")!,
    loadBytes: options.number("load-size")! * 1_024 * 1_024,
    images: options.text("images"),
    publication: {
      cacheBytes: options.number("cache")! * 1_024 * 1_024,
      cacheControl: cacheControlOf(options),
      trustProxy: options.isSet("trust-proxy"),
      hal: options.isSet("hal"),
      site: siteOf(options),
    },
  };
}

/** The name of the collection and the look of its pages. Throws `UsageError`. */
export function siteOf(options: Options): SiteSettings {
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
  const languages = options.all("page-language");
  // An unusable setting is reported before anything is loaded or served.
  usable("--theme: ", ThemeError, () => loadTheme(options.text("theme")));
  if (languages.length > 0) usable("page-language: ", WordsError, () => wordsOfLanguages(languages));
  return {
    title: options.text("title") ?? DEFAULT_SITE.title,
    ...Object.fromEntries(given),
    ...(examples.length === 0 ? {} : { examples }),
    ...(languages.length === 0 ? {} : { languages }),
  };
}

function cacheControlOf(options: Options): string {
  const value = options.required("cache-control");
  if (!/^[\x20-\x7e]+$/.test(value)) throw new UsageError(`--cache-control ${value} is no header value`);
  return value;
}
