/** Content negotiation: which representation an `Accept` header asks for (RFC 9110, section 12.5.1). */
import { remembering } from "../../../base/bounded-map.js";

/** A choice: a representation, as far as negotiation sees it. */
export interface Offer {
  /** Type and subtype in lower case, without parameters. */
  readonly mediaType: string;
  /** The profiles that it follows: IRIs that the `profile` parameter may name (RFC 6906). */
  readonly profiles: readonly string[];
  /** Whether it puts the record into a named graph, which whoever reads one graph does not look into. Default: it does not. */
  readonly isDataset?: boolean;
}

interface MediaRange {
  /** In lower case; `*` for any. */
  readonly type: string;
  /** In lower case; `*` for any. */
  readonly subtype: string;
  readonly profiles: readonly string[];
  /** Whether it has parameters other than `profile` and `charset`: no representation here has any. */
  readonly otherParameters: boolean;
  readonly weight: number;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** RFC 9110 wants `0.2`; Java's `HttpURLConnection` has sent `.2` for twenty years. */
const WEIGHT = /^(?:0(?:\.\d*)?|\.\d+|1(?:\.0*)?)$/;

/** Elements of a header, and profiles of a media range or of `Accept-Profile`, that are read: no client names so many. */
export const MAX_RANGES = 100;
export const MAX_PROFILES = 16;

/**
 * The media ranges of an `Accept` header in the order they stand, of its first `MAX_RANGES` elements. Elements that are
 * malformed are left out, and so is an element whose quality value is no number from 0 to 1.
 */
export function parseAccept(header: string): MediaRange[] {
  const ranges: MediaRange[] = [];
  let elements = 0;
  for (const element of splitOutsideQuotes(header, ",")) {
    if (++elements > MAX_RANGES) break;
    const range = parseRange(element);
    if (range !== undefined) ranges.push(range);
  }
  return ranges;
}

function parseRange(element: string): MediaRange | undefined {
  const [name = "", ...parameters] = splitOutsideQuotes(element, ";");
  // A lone `*` is Java's again: it means anything.
  const [type = "", subtype = type === "*" ? "*" : "", more] = name.trim().toLowerCase().split("/");
  if (more !== undefined || !TOKEN.test(type) || !TOKEN.test(subtype) || (type === "*" && subtype !== "*")) return;
  let profiles: readonly string[] = [];
  let otherParameters = false;
  let weight = "1";
  for (const parameter of parameters) {
    const equals = parameter.indexOf("=");
    const key = (equals === -1 ? parameter : parameter.slice(0, equals)).trim().toLowerCase();
    const value = equals === -1 ? "" : unquote(parameter.slice(equals + 1).trim());
    if (key === "q") {
      weight = value;
      // Parameters after the weight were for extensions of Accept, of which there never was any.
      break;
    }
    if (key === "profile")
      profiles = value
        .split(/\s+/, MAX_PROFILES + 1)
        .filter((profile) => profile !== "")
        .slice(0, MAX_PROFILES);
    else if (key !== "" && key !== "charset") otherParameters = true;
  }
  if (!WEIGHT.test(weight)) return undefined;
  return { type, subtype, profiles, otherParameters, weight: Number(weight) };
}

/** The pieces between separators that stand outside quoted strings (RFC 9110, 5.6.4). */
function* splitOutsideQuotes(text: string, separator: "," | ";"): Generator<string> {
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    else if (quoted && character === "\\") at++;
    else if (!quoted && character === separator) {
      yield text.slice(start, at);
      start = at + 1;
    }
  }
  yield text.slice(start);
}

function unquote(value: string): string {
  // Values that need quotes and lack them (`profile=https://...`) are common, and no harm comes of taking them.
  if (!value.startsWith('"')) return value;
  return value.slice(1, value.endsWith('"') && value.length > 1 ? -1 : undefined).replace(/\\(.)/gs, "$1");
}

/** How closely a range names an offer; a higher one takes precedence. */
const Precision = { anything: 0, type: 1, otherParameters: 2, exact: 3 } as const;

/**
 * The precision with which a range names an offer, or -1 when it does not. A profile that the offer follows counts
 * above the plain type; one that is unknown is ignored (JSON-LD 1.1, appendix C), and so are parameters that no
 * representation has, but a range without them is then the closer one.
 */
function precisionOf(range: MediaRange, offer: Offer): number {
  if (range.type === "*") return Precision.anything;
  const slash = range.type.length;
  if (offer.mediaType.charAt(slash) !== "/" || !offer.mediaType.startsWith(range.type)) return -1;
  if (range.subtype === "*") return Precision.type;
  if (!offer.mediaType.endsWith(range.subtype) || offer.mediaType.length !== slash + 1 + range.subtype.length)
    return -1;
  const followed = range.profiles.filter((profile) => offer.profiles.includes(profile)).length;
  if (followed > 0) return Precision.exact + followed;
  if (range.profiles.length === 0 && !range.otherParameters) return Precision.exact;
  // To refuse (`q=0`) what is not here refuses nothing.
  return range.weight === 0 ? -1 : Precision.otherParameters;
}

interface Match {
  readonly weight: number;
  readonly precision: number;
  readonly position: number;
}

/** The most precise range that names the offer; of several alike the one with the greatest weight. */
function matchOf(ranges: readonly MediaRange[], offer: Offer): Match | undefined {
  let best: Match | undefined;
  for (const [position, range] of ranges.entries()) {
    const precision = precisionOf(range, offer);
    if (precision === -1) continue;
    const closer = best === undefined || precision > best.precision;
    if (closer || (precision === best!.precision && range.weight > best!.weight)) {
      best = { weight: range.weight, precision, position };
    }
  }
  return best === undefined || best.weight === 0 ? undefined : best;
}

/** Whether a client prefers `left`: by weight, then by naming rather than wildcard, by order, and by profile. */
function preferred(left: Match, right: Match): boolean {
  const named = ({ precision }: Match): number => Math.min(precision, Precision.otherParameters);
  const lead =
    left.weight - right.weight ||
    named(left) - named(right) ||
    right.position - left.position ||
    left.precision - right.precision;
  return lead > 0;
}

/**
 * The offer that the header asks for, or `undefined` when it accepts none. Without a header, or with one that has no
 * valid element, that is the first; of offers that the client likes equally well, the one that comes first.
 */
export function negotiate<T extends Offer>(header: string | undefined, offers: readonly T[]): T | undefined {
  return choose(header === undefined ? [] : parseAccept(header), offers);
}

/**
 * A client that names quads and triples alike, as Comunica does, means to read one graph: it gets triples, whatever it would
 * rather parse. Who names only formats of datasets gets one.
 */
function choose<T extends Offer>(ranges: readonly MediaRange[], offers: readonly T[]): T | undefined {
  const best = bestOf(ranges, offers);
  const named = ranges.filter(({ subtype }) => subtype !== "*");
  if (best?.isDataset !== true || named.length === 0) return best;
  const triples = offers.filter(({ isDataset }) => isDataset !== true);
  return bestOf(named, triples) ?? best;
}

function bestOf<T extends Offer>(ranges: readonly MediaRange[], offers: readonly T[]): T | undefined {
  if (ranges.length === 0) return offers[0];
  let chosen: T | undefined;
  let best: Match | undefined;
  for (const offer of offers) {
    const match = matchOf(ranges, offer);
    if (match === undefined || (best !== undefined && !preferred(match, best))) continue;
    best = match;
    chosen = offer;
  }
  return chosen;
}

/** An element of `Accept-Profile`: a profile's URI in angle brackets, as a link has it, and its weight. */
const PROFILE = /<([^<>]*)>\s*((?:;[^,<]*)?)/g;
const PROFILE_WEIGHT = /;\s*q\s*=\s*([^;\s]*)/i;

/**
 * The profiles that an `Accept-Profile` header names, the most wanted of the first `MAX_PROFILES` first; those with `q=0`, or with a weight that is
 * none, are left out (Content Negotiation by Profile, 6.1 and 7.1).
 */
export function parseAcceptProfile(header: string): string[] {
  const elements = [...header.matchAll(PROFILE)].slice(0, MAX_PROFILES);
  return byWeight(elements.map(([, profile, parameters]) => [profile, PROFILE_WEIGHT.exec(parameters!)?.[1]]));
}

/**
 * `negotiate` where the client also names profiles: of the offers that it accepts, those of the profile that it wants most.
 * Profiles that no acceptable offer follows are ignored, as the header is a wish, and the answer says what it follows.
 */
export function negotiateProfile<T extends Offer>(
  accept: string | undefined,
  acceptProfile: string,
  offers: readonly T[],
): T | undefined {
  const ranges = accept === undefined ? [] : parseAccept(accept);
  for (const profile of parseAcceptProfile(acceptProfile)) {
    const following = offers.filter(({ profiles }) => profiles.includes(profile));
    const chosen = following.length === 0 ? undefined : choose(ranges, following);
    if (chosen !== undefined) return chosen;
  }
  return choose(ranges, offers);
}

/** Clients come with a handful of headers, so their outcomes are remembered; this bounds what a hostile one can fill. */
const MAX_REMEMBERED = 256;
const MAX_REMEMBERED_LENGTH = 1_024;

/** A function of a header that remembers what it gave; the empty header stands for none. */
export function byHeader<T>(choose: (header: string) => T | undefined): (header: string | undefined) => T | undefined {
  const chosen = remembering(
    MAX_REMEMBERED,
    (header: string) => ({ value: choose(header) }),
    ({ length }) => length <= MAX_REMEMBERED_LENGTH,
  );
  return (header = "") => chosen(header).value;
}

/** `negotiate` over fixed offers, remembering what it chose for each header. */
export function negotiator<T extends Offer>(offers: readonly T[]): (header: string | undefined) => T | undefined {
  return byHeader((header) => negotiate(header, offers));
}

/** The same over media types alone. */
export function typeNegotiator(types: readonly string[]): (header: string | undefined) => string | undefined {
  const negotiate = negotiator(types.map((mediaType) => ({ mediaType, profiles: [] })));
  return (header) => negotiate(header)?.mediaType;
}

/** A language range and its weight (RFC 9110, 12.5.4; RFC 4647, 2.1). */
const LANGUAGE = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q\s*=\s*([\d.]*))?$/;

/** Languages of `Accept-Language` that are read. */
export const MAX_LANGUAGES = 16;

/**
 * The languages that an `Accept-Language` header names, in lower case, the most wanted of the first `MAX_LANGUAGES` first;
 * those with `q=0`, or with a weight that is none, are left out, and so is `*`, which says nothing of any.
 */
export function parseAcceptLanguage(header: string): string[] {
  const elements = header.toLowerCase().split(",", MAX_LANGUAGES);
  return [...new Set(byWeight(elements.map((element) => LANGUAGE.exec(element.trim())?.slice(1) ?? [])))];
}

/** Behind the language that an address chose (`?lang=nl`), in place of all that the client's browser says (RFC 5646, 2.2.7). */
const CHOSEN = "-x-chosen";

/** The value of `Accept-Language` of a reader who chose a language by address. */
export function chosenLanguage(tag: string): string {
  return tag + CHOSEN;
}

export interface WantedLanguages {
  /** Languages without regions and the like, which names are not told apart by, the most wanted first. */
  readonly languages: readonly string[];
  readonly isChosen: boolean;
}

export const wantedLanguages: (header: string | undefined) => WantedLanguages = (() => {
  const wanted = byHeader((header): WantedLanguages => {
    const tags = parseAcceptLanguage(header);
    const isChosen = tags[0]?.endsWith(CHOSEN) === true;
    return { languages: [...new Set(tags.map((tag) => tag.split("-", 1)[0]!))], isChosen };
  });
  return (header) => wanted(header)!;
})();

/** Names with their weights as written, the most wanted first; without those of no weight, or of one that is none. */
function byWeight(elements: readonly (readonly (string | undefined)[])[]): string[] {
  const named = elements.flatMap(([name, weight = "1"]) =>
    name !== undefined && WEIGHT.test(weight) && Number(weight) > 0 ? [{ name, weight: Number(weight) }] : [],
  );
  return named.sort((left, right) => right.weight - left.weight).map(({ name }) => name);
}
