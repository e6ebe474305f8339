/** Content negotiation: the choice of the representation that an `Accept` header asks for (RFC 9110, section 12.5.1). */
import { remembering } from "../../../base/bounded-map.js";

/** What negotiation needs to know of a representation. */
export interface Offer {
  /** Type and subtype in lower case, without parameters. */
  readonly mediaType: string;
  /** The IRIs of the profiles that the representation follows, which the `profile` parameter may name (RFC 6906). */
  readonly profiles: readonly string[];
  /** How it holds the record's statements: as triples, or as quads in a named graph, where clients that read a single graph do not look. Default: it holds others. */
  readonly holds?: "triples" | "quads";
}

/** A range of media types. Type and subtype are in lower case, or `*` for any. */
type MediaRange = NonNullable<ReturnType<typeof parseRange>>;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** A weight. RFC 9110 requires `0.2`, but Java's `HttpURLConnection` has sent `.2` for twenty years. */
const WEIGHT = /^(?:0(?:\.\d*)?|\.\d+|1(?:\.0*)?)$/;

/** How many elements of a header, and how many profiles of a media range or of `Accept-Profile`, to read at most; no client sends this many. */
export const MAX_RANGES = 100;
export const MAX_PROFILES = 16;

/** The media ranges of an `Accept` header, in order. It reads the first `MAX_RANGES` elements, and skips those that are malformed or have an invalid weight. */
export function parseAccept(header = ""): MediaRange[] {
  return splitOutsideQuotes(header, ",", MAX_RANGES).flatMap((element) => parseRange(element) ?? []);
}

function parseRange(element: string) {
  const [name = "", ...parameters] = splitOutsideQuotes(element, ";");
  // Java also sends a lone `*`, which means anything.
  const [type = "", subtype = type === "*" ? "*" : "", more] = name.trim().toLowerCase().split("/");
  if (more !== undefined || !TOKEN.test(type) || !TOKEN.test(subtype) || (type === "*" && subtype !== "*")) return;
  let profiles: readonly string[] = [];
  /** Whether it has parameters other than `profile` and `charset`; no representation here has any. */
  let otherParameters = false;
  let weight = "1";
  for (const parameter of parameters) {
    const equals = parameter.indexOf("=");
    const key = (equals === -1 ? parameter : parameter.slice(0, equals)).trim().toLowerCase();
    const value = equals === -1 ? "" : unquote(parameter.slice(equals + 1).trim());
    if (key === "q") {
      weight = value;
      // Parameters after the weight were meant for extensions of Accept, which never existed.
      break;
    }
    if (key === "profile") profiles = value.match(/\S+/g)?.slice(0, MAX_PROFILES) ?? [];
    else if (key !== "" && key !== "charset") otherParameters = true;
  }
  if (!WEIGHT.test(weight)) return undefined;
  return { type, subtype, profiles, otherParameters, weight: Number(weight) };
}

/** The pieces of a text between separators, which do not count inside quoted strings (RFC 9110, 5.6.4). @param most how many pieces to read */
function splitOutsideQuotes(text: string, separator: "," | ";", most = Infinity): string[] {
  const pieces: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length && pieces.length < most; at++) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    else if (quoted && character === "\\") at++;
    else if (!quoted && character === separator) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return pieces.length < most ? [...pieces, text.slice(start)] : pieces;
}

function unquote(value: string): string {
  // Values that need quotes but lack them (`profile=https://...`) are common, and accepting them does no harm.
  if (!value.startsWith('"')) return value;
  return value.slice(1, value.endsWith('"') && value.length > 1 ? -1 : undefined).replace(/\\(.)/gs, "$1");
}

/** How precisely a range names an offer; a higher precision takes precedence. */
const Precision = { anything: 0, type: 1, otherParameters: 2, exact: 3 } as const;

/**
 * The precision with which a range names an offer, or -1 if it does not name it. A profile that the offer follows counts
 * more than the plain type. Unknown profiles are ignored (JSON-LD 1.1, appendix C), and so are parameters that no
 * representation has, but a range without them is more precise.
 */
function precisionOf(range: MediaRange, offer: Offer): number {
  if (range.type === "*") return Precision.anything;
  if (!offer.mediaType.startsWith(`${range.type}/`)) return -1;
  if (range.subtype === "*") return Precision.type;
  if (offer.mediaType !== `${range.type}/${range.subtype}`) return -1;
  const followed = range.profiles.filter((profile) => offer.profiles.includes(profile)).length;
  if (followed > 0) return Precision.exact + followed;
  if (range.profiles.length === 0 && !range.otherParameters) return Precision.exact;
  // Refusing (`q=0`) a form that is not offered refuses nothing.
  return range.weight === 0 ? -1 : Precision.otherParameters;
}

/** An offer that a header accepts, by the range at a position. */
type Match = NonNullable<ReturnType<typeof matchOf>>;

/** The match of an offer with the most precise range that names it; of equally precise ones, with the one of the greatest weight. */
function matchOf<T extends Offer>(ranges: readonly MediaRange[], offer: T) {
  const [best] = ranges
    .map((range, position) => ({ offer, weight: range.weight, precision: precisionOf(range, offer), position }))
    .filter(({ precision }) => precision !== -1)
    .sort((left, right) => right.precision - left.precision || right.weight - left.weight);
  return best?.weight === 0 ? undefined : best;
}

/** The order in which a client prefers matches: by weight, then named before wildcard, then by order, then by profile. */
function preference(left: Match, right: Match): number {
  const named = ({ precision }: Match): number => Math.min(precision, Precision.otherParameters);
  return (
    right.weight - left.weight ||
    named(right) - named(left) ||
    left.position - right.position ||
    right.precision - left.precision
  );
}

/** Chooses an offer. A client that names formats of both quads and triples, as Comunica does, reads one graph: it gets triples. */
function choose<T extends Offer>(ranges: readonly MediaRange[], offers: readonly T[]): T | undefined {
  const best = bestOf(ranges, offers);
  const named = ranges.filter(({ subtype }) => subtype !== "*");
  if (best?.holds !== "quads" || named.length === 0) return best;
  const triples = offers.filter(({ holds }) => holds === "triples");
  return bestOf(named, triples) ?? best;
}

function bestOf<T extends Offer>(ranges: readonly MediaRange[], offers: readonly T[]): T | undefined {
  if (ranges.length === 0) return offers[0];
  const matches = offers.flatMap((offer) => matchOf(ranges, offer) ?? []);
  return matches.sort(preference)[0]?.offer;
}

/** An element of `Accept-Profile`: a profile's URI in angle brackets, and its weight. */
const PROFILE = /<([^<>]*)>\s*((?:;[^,<]*)?)/g;
const PROFILE_WEIGHT = /;\s*q\s*=\s*([^;\s]*)/i;

/** The profiles of an `Accept-Profile` header, the most wanted first, up to `MAX_PROFILES` (Content Negotiation by Profile, 6.1 and 7.1). */
export function parseAcceptProfile(header: string): string[] {
  const elements = [...header.matchAll(PROFILE)].slice(0, MAX_PROFILES);
  return byWeight(elements.map(([, profile, parameters]) => [profile, PROFILE_WEIGHT.exec(parameters!)?.[1]]));
}

/**
 * The offer that `Accept` asks for, `undefined` if it accepts none. Among equals, and without a valid element, it is the first.
 * Of acceptable offers, it is one that follows the most wanted profile. Profiles that none of them follows are ignored: the
 * header states a preference, and the answer names its profile.
 * @param lacking representations that are not offered: a range that names only their profiles accepts no offer in their place
 */
export function negotiate<T extends Offer>(
  accept: string | undefined,
  offers: readonly T[],
  acceptProfile: string | readonly string[] = "",
  lacking: readonly T[] = [],
): T | undefined {
  const isFor = ({ profiles: named }: MediaRange): boolean =>
    named.length > 0 && named.every((each) => lacking.some(({ profiles }) => profiles.includes(each)));
  const ranges = parseAccept(accept).map((range) => (isFor(range) ? { ...range, weight: 0 } : range));
  for (const profile of parseAcceptProfile(String(acceptProfile))) {
    const following = offers.filter(({ profiles }) => profiles.includes(profile));
    const chosen = following.length === 0 ? undefined : choose(ranges, following);
    if (chosen !== undefined) return chosen;
  }
  return choose(ranges, offers);
}

/** Clients send only a handful of different headers, so outcomes are remembered by header. These limits bound the memory that a hostile client can fill. */
const MAX_REMEMBERED = 256;
const MAX_REMEMBERED_LENGTH = 1_024;

/** Memoizes a function of a header. A missing header is treated as empty. */
export function byHeader<T>(choose: (header: string) => T): (header: string | undefined) => T {
  const chosen = remembering(
    MAX_REMEMBERED,
    (header: string) => ({ value: choose(header) }),
    ({ length }) => length <= MAX_REMEMBERED_LENGTH,
  );
  return (header = "") => chosen(header).value;
}

/** Returns `negotiate` for fixed offers, with its choice for each `Accept` remembered. Few clients send `Accept-Profile`. */
export function negotiator<T extends Offer>(offers: readonly T[]) {
  const remembered = byHeader((accept) => negotiate(accept, offers));
  return (accept: string | undefined, profile?: string | readonly string[]): T | undefined =>
    profile === undefined ? remembered(accept) : negotiate(accept, offers, profile);
}

/** Negotiates over media types alone, and remembers each choice. */
export function typeNegotiator(types: readonly string[]): (header: string | undefined) => string | undefined {
  const negotiate = negotiator(types.map((mediaType) => ({ mediaType, profiles: [] })));
  return (header) => negotiate(header)?.mediaType;
}

/** A language range and its weight (RFC 9110, 12.5.4; RFC 4647, 2.1). */
const LANGUAGE = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q\s*=\s*([\d.]*))?$/;

/** How many languages of `Accept-Language` to read at most. */
export const MAX_LANGUAGES = 16;

/** The languages of an `Accept-Language` header, in lower case, the most wanted first, up to `MAX_LANGUAGES`; `*` names none. */
export function parseAcceptLanguage(header: string): string[] {
  const elements = header.toLowerCase().split(",", MAX_LANGUAGES);
  return [...new Set(byWeight(elements.map((element) => LANGUAGE.exec(element.trim())?.slice(1) ?? [])))];
}

/** Marks a language that the URL chose (`?lang=nl`) and that replaces the browser's `Accept-Language` (private use: RFC 5646, 2.2.7). */
const CHOSEN = "-x-chosen";

/** The `Accept-Language` header of a reader who chose a language by URL. */
export function chosenLanguage(tag: string): string {
  return tag + CHOSEN;
}

export interface WantedLanguages {
  /** Language subtags, the most wanted first: `de` for `de-AT`, since names in records are not distinguished by region. */
  readonly languages: readonly string[];
  /** The whole tag of the language that the URL chose: there may be pages in two languages that only their regions tell apart. Default: it chose none. */
  readonly chosen?: string | undefined;
}

export const wantedLanguages = byHeader((header): WantedLanguages => {
  const tags = parseAcceptLanguage(header);
  const chosen = tags[0]?.endsWith(CHOSEN) === true ? tags[0].slice(0, -CHOSEN.length) : undefined;
  return { languages: [...new Set(tags.map((tag) => tag.split("-", 1)[0]!))], chosen };
});

/** Sorts names by their weights as written, the greatest first, and drops those whose weight is 0 or invalid. */
function byWeight(elements: readonly (readonly (string | undefined)[])[]): string[] {
  const named = elements.flatMap(([name, weight = "1"]) =>
    name !== undefined && WEIGHT.test(weight) && Number(weight) > 0 ? [{ name, weight: Number(weight) }] : [],
  );
  return named.sort((left, right) => right.weight - left.weight).map(({ name }) => name);
}
