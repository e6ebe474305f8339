/** The formats of query results, as offers for negotiation. */
import { FORMATS, type FormatName, type MediaFormat, RESULT_FORMATS, type ResultFormat } from "../../rdf/formats.js";
import { negotiator, type Offer } from "../message/headers/negotiate.js";
import { malformed } from "../message/problems/problems.js";

/** A format with one of the media types that clients use for it. */
interface FormatOffer<F> extends Offer {
  readonly format: F;
  readonly contentType: string;
}

/** The offers of formats: each with its own media type, then those with other media types. */
function offersOf<F>(formats: readonly (MediaFormat & { readonly name: F })[]): readonly FormatOffer<F>[] {
  const own = formats.map(({ name, mediaType, contentType = mediaType }) => ({ name, mediaType, contentType }));
  const others = formats.flatMap(({ name, otherTypes = [] }) =>
    otherTypes.map((mediaType) => {
      const contentType = mediaType.startsWith("text/") ? `${mediaType}; charset=utf-8` : mediaType;
      return { name, mediaType, contentType };
    }),
  );
  return [...own, ...others].map(({ name: format, ...offer }) => ({ ...offer, format, profiles: [] }));
}

/** The formats for SELECT and ASK, the default first. */
export const RESULT_OFFERS: readonly FormatOffer<ResultFormat>[] = offersOf(RESULT_FORMATS);

/** The formats that can be written, the default first. */
const GRAPH_FORMATS = FORMATS.filter(({ write }) => write !== undefined);

/** The formats for CONSTRUCT, DESCRIBE and the service description, the default first. */
export const GRAPH_OFFERS: readonly FormatOffer<FormatName>[] = offersOf(GRAPH_FORMATS);

/** The W3C's names of all result formats (Unique URIs for File Formats). */
export const W3C_NAMES: readonly string[] = [...RESULT_FORMATS, ...GRAPH_FORMATS].flatMap(
  ({ w3cName }) => w3cName ?? [],
);

const OFFERS = [...RESULT_OFFERS, ...GRAPH_OFFERS];
export const FORMAT_NAMES: readonly string[] = [...new Set(OFFERS.map(({ format }) => format))];

/** The `Accept` value of a format's name, such as `csv`. A result that cannot have the format, as triples cannot have CSV, gets its default. Throws `ProblemError`. */
export function acceptOf(format: string): string {
  const offer = OFFERS.find((each) => each.format === format);
  if (offer === undefined) throw malformed(`There is no format ${format}; the formats are ${FORMAT_NAMES.join(", ")}.`);
  return `${offer.mediaType}, */*;q=0.1`;
}

export const resultFormatFor = negotiator(RESULT_OFFERS);
export const graphFormatFor = negotiator(GRAPH_OFFERS);

/** The media types of offers, to name them to a client that accepts none. */
export function mediaTypes(offers: readonly Offer[]): string[] {
  return offers.map(({ mediaType }) => mediaType);
}
