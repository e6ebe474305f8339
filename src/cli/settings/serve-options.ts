/** The options of `serve` that say how it answers, checked. */
import { DEFAULT_SITE, type SiteSettings } from "../../http/pages/site.js";
import { loadTheme } from "../../http/pages/theme.js";
import { wordsOfLanguages } from "../../http/pages/words/languages.js";
import { type Options, UsageError, usable } from "./options.js";

/** Throws `UsageError`. */
export function servingOf(options: Options) {
  return {
    port: options.number("port")!,
    host: options.required("host"),
    workers: options.number("workers")!,
    /** The largest load over HTTP, in bytes. */
    loadBytes: options.number("load-size")! * 1_024 * 1_024,
    images: options.text("images"),
    /** How entities are answered. */
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
  const theme = options.text("theme");
  const examples = options.all("example");
  const languages = options.all("page-language");
  // An unusable setting is reported before anything is loaded or served.
  usable("--theme: ", () => loadTheme(theme));
  if (languages.length > 0) usable("page-language: ", () => wordsOfLanguages(languages));
  return {
    title: options.text("title") ?? DEFAULT_SITE.title,
    text: options.text("text"),
    picture: options.text("picture"),
    theme,
    tiles: options.text("map-tiles"),
    tilesAttribution: options.text("map-attribution"),
    ...(examples.length === 0 ? {} : { examples }),
    ...(languages.length === 0 ? {} : { languages }),
  };
}

function cacheControlOf(options: Options): string {
  const value = options.required("cache-control");
  if (!/^[\x20-\x7e]+$/.test(value)) throw new UsageError(`--cache-control ${value} is no header value`);
  return value;
}
