/** HAL's `_links` for documents: where the document, its other forms, its model and the service's description are. */
import type { Json } from "../../rdf/record-graph.js";
import type { Addresses } from "./addresses.js";
import type { Representation, Written } from "./representations.js";

/** What is linked of every document. */
export interface HalSettings {
  readonly addresses: Addresses;
  readonly contextUri: string;
}

/** The model's version, as its context's URI has it, and the version of the interface (specification, 9). */
const MODEL = "Linked Art 1.0";
export const API_VERSION = "1.0";

/**
 * The link object of each relation: `self`, the `alternate` representations, the `profile` (RFC 6906) with the model's
 * version, and the `service-desc` (RFC 8631) with the interface's.
 */
export function halLinks(
  { addresses, contextUri }: HalSettings,
  iri: string,
  representations: readonly Representation[],
): Json {
  const url = addresses.url(iri);
  return {
    self: { href: url, type: "application/ld+json" },
    alternate: representations.flatMap(({ suffix, mediaType }) =>
      suffix === null ? [] : [{ href: url + suffix, type: mediaType }],
    ),
    profile: { href: contextUri, title: MODEL },
    "service-desc": {
      href: `${addresses.base}/openapi.json`,
      type: "application/vnd.oai.openapi+json",
      title: API_VERSION,
    },
  };
}

/** The compact representations with `_links` at the end of their documents. */
export function withHal(representations: readonly Representation[], settings: HalSettings): readonly Representation[] {
  const addLinks = (written: Written, iri: string): Written => {
    if (typeof written !== "string") return { ...written, body: withLinks(written.body, iri) };
    return withLinks(written, iri);
  };
  const withLinks = (text: string, iri: string): string =>
    `${text.slice(0, text.lastIndexOf("}"))},"_links":${JSON.stringify(halLinks(settings, iri, representations))}}\n`;
  return representations.map((representation) => {
    const { format, write } = representation;
    if (format !== "jsonld" && format !== "json") return representation;
    return {
      ...representation,
      write: (record, surroundings) => {
        const written = write(record, surroundings);
        const { iri } = record.graph;
        return written instanceof Promise ? written.then((text) => addLinks(text, iri)) : addLinks(written, iri);
      },
    };
  });
}
