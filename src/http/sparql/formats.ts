/** The formats of query results, as negotiation sees them. */
import type { GraphFormat, ResultFormat } from "../../query/query-request.js";
import { negotiator, type Offer } from "../headers/negotiate.js";

/** A format under one of the media types by which clients ask for it. */
export interface FormatOffer<F> extends Offer {
  readonly format: F;
  readonly contentType: string;
}

function offer<F>(format: F, mediaType: string, parameters = ""): FormatOffer<F> {
  return { format, mediaType, profiles: [], contentType: mediaType + parameters };
}

const UTF8 = "; charset=utf-8";

/** For SELECT and ASK, the default first. */
export const RESULT_OFFERS: readonly FormatOffer<ResultFormat>[] = [
  offer("json", "application/sparql-results+json"),
  offer("xml", "application/sparql-results+xml"),
  offer("csv", "text/csv", UTF8),
  offer("tsv", "text/tab-separated-values", UTF8),
  offer("json", "application/json"),
  offer("xml", "application/xml"),
  offer("xml", "text/xml", UTF8),
];

/** For CONSTRUCT, DESCRIBE and the service description, the default first. */
export const GRAPH_OFFERS: readonly FormatOffer<GraphFormat>[] = [
  offer("ttl", "text/turtle", UTF8),
  offer("nt", "application/n-triples"),
  offer("rdf", "application/rdf+xml"),
  offer("jsonld", "application/ld+json"),
  offer("nq", "application/n-quads"),
  offer("trig", "application/trig"),
  offer("jsonld", "application/json"),
];

export const resultFormatFor = negotiator(RESULT_OFFERS);
export const graphFormatFor = negotiator(GRAPH_OFFERS);

/** What is listed when a client takes none: each media type of these offers. */
export function mediaTypes(offers: readonly Offer[]): string[] {
  return offers.map(({ mediaType }) => mediaType);
}
