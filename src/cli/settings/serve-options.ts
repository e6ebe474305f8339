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
      cacheControl: options.required("cache-control"),
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

/** The settings of dumps, feeds and the dataset's description. Throws `UsageError`. */
export async function harvestingOf(options: Options) {
  const [license, publisherUri] = ["license", "publisher-uri"].map((name) =>
    options.text(name) === undefined ? undefined : checkedHttpIri(name, options.required(name)),
  );
  const [publisher, contact] = ["publisher", "contact"].map((name) => options.text(name));
  if ((contact ?? publisherUri) !== undefined && publisher === undefined)
    throw new UsageError(
      `${contact === undefined ? "publisher-uri" : "contact"} needs a publisher: name it with the setting publisher`,
    );
  const language = options.required("language");
  const robots = options.text("robots");
  return {
    dumps: dumpsOf(options),
    dataset: {
      keywords: options.all("keyword"),
      spatial: options.all("spatial").map((each) => checkedHttpIri("spatial", each)),
      accessRights: options.required("access-rights") as NonNullable<DatasetSettings["accessRights"]>,
      temporal: options.text("temporal"),
      ...{ language, license, publisher, publisherUri, contact },
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
