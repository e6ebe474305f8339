/** The checked options of `serve` and `site`: how the service answers, what its loads read, its dumps, the description of the dataset, and robots.txt. */
import { statSync } from "node:fs";
import type { DatasetSettings } from "../../http/dataset/description.js";
import { DEFAULT_SITE, type SiteSettings } from "../../http/pages/site.js";
import { loadTheme } from "../../http/pages/theme.js";
import { wordsOfLanguages } from "../../http/pages/words/languages.js";
import { europeanaRights } from "../../http/representations/edm/rights.js";
import { iriProblem } from "../../rdf/terms.js";
import { checkedIri, dumpsOf, modelOf, namedText } from "./common.js";
import { type Options, UsageError, usable } from "./options.js";
import { givenHoldRules, rulesOf } from "./record-options.js";

/** The settings of the server itself. Throws `UsageError`. */
export function servingOf(options: Options) {
  return {
    port: options.number("port")!,
    host: options.required("host"),
    workers: options.number("workers")!,
    /** The largest load over HTTP, in bytes. */
    loadBytes: options.number("load-size")! * 1_024 * 1_024,
    images: imagesOf(options),
    publication: {
      cacheBytes: options.number("cache")! * 1_024 * 1_024,
      cacheControl: cacheControlOf(options),
      trustProxy: options.isSet("trust-proxy"),
      hal: options.isSet("hal"),
      site: siteOf(options),
    },
  };
}

/** The folder of images. Throws `UsageError` if it is missing: a site would lose its pictures. */
export function imagesOf(options: Options): string | undefined {
  const images = options.text("images");
  if (images !== undefined && statSync(images, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`--images ${images}: there is no such folder`);
  return images;
}

/** The name of the collection and the look of its pages. Throws `UsageError`. */
export function siteOf(options: Options): SiteSettings {
  const theme = options.text("theme");
  const examples = options.all("example");
  const languages = options.all("page-language");
  // Report an unusable setting before anything is loaded or served.
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
  if (!/^[\x20-\x7e]+$/.test(value)) throw new UsageError(`--cache-control ${value} is not a header value`);
  return value;
}

/** The settings of dumps, feeds and the dataset's description. Throws `UsageError`. */
export async function harvestingOf(options: Options) {
  const [license, publisherUri] = ["license", "publisher-uri"].map((name) =>
    options.text(name) === undefined ? undefined : checkedHttpIri(name, options.required(name)),
  );
  const [publisher, contact, language] = ["publisher", "contact", "language"].map((name) => options.text(name));
  if (contact !== undefined && !/^(?:https?:\/\/\S+|[^\s@:]+@[^\s@]+)$/.test(contact)) {
    throw new UsageError(`contact ${contact} is neither an e-mail address nor an http or https address`);
  }
  if ((contact ?? publisherUri) !== undefined && publisher === undefined) {
    throw new UsageError(
      `${contact === undefined ? "publisher-uri" : "contact"} needs a publisher: name it with the setting publisher`,
    );
  }
  if (!/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(language!)) {
    throw new UsageError(`language ${language} is not a language tag such as en or nl`);
  }
  const [temporal, accessRights] = ["temporal", "access-rights"].map((name) => options.text(name));
  if (temporal !== undefined && !INTERVAL.test(temporal)) {
    throw new UsageError(`temporal ${temporal} is not a date or interval such as 1600/1700, 1889-05/.. or 1642`);
  }
  const robots = options.text("robots");
  return {
    dumps: dumpsOf(options),
    dataset: {
      language: language!,
      keywords: options.all("keyword"),
      spatial: options.all("spatial").map((each) => checkedHttpIri("spatial", each)),
      accessRights: accessRights as NonNullable<DatasetSettings["accessRights"]>,
      ...{ temporal, license, publisher, publisherUri, contact },
    },
    /** The seconds that a following store may be behind and still be ready. */
    maxLag: options.number("max-lag"),
    robots: robots === undefined ? undefined : await namedText(robots, `robots ${robots}`),
    edm: {
      dataProvider: publisher,
      provider: options.text("edm-provider"),
      language: publisher === undefined && options.text("title") === undefined ? undefined : language,
      rights: edmRightsOf(options.required("edm-rights")),
    },
  };
}

/** A date, or two dates with a slash between them; `..` is an open end (ISO 8601-2). */
const INTERVAL =
  /^(?!\.\.(?:\/\.\.)?$)(?:-?\d{4,}(?:-\d\d(?:-\d\d)?)?|\.\.)(?:\/(?:-?\d{4,}(?:-\d\d(?:-\d\d)?)?|\.\.))?$/;

function edmRightsOf(value: string): string {
  const rights = europeanaRights(value);
  if (rights !== undefined) return rights;
  throw new UsageError(
    `edm-rights ${value} is not accepted by Europeana: name a licence of creativecommons.org, or NoC-NC, NoC-OKLR, InC, InC-EDU, InC-OW-EU or CNE of rightsstatements.org`,
  );
}

function checkedHttpIri(name: string, value: string): string {
  return checkedIri(name, value, /^https?:\/\/./.test(value) ? iriProblem(value) : "is not an http or https IRI");
}

/** Read everything that loads over HTTP will read, so that errors are reported at the start. Throws as `givenHoldRules` and `rulesOf` do. */
export async function checkLoading(options: Options): Promise<void> {
  await givenHoldRules(options);
  if (["severity", "shapes"].some((name) => options.all(name).length > 0)) await rulesOf(options, modelOf(options));
}
