/** Linksets, as JSON and as text (RFC 9264): all links of an entity. The `Link` header has only some of them. */
import { entryOf } from "../../base/entries.js";
import { nodesOf } from "../../rdf/record-graph.js";
import type { StoredRecord } from "../../store/record.js";
import { toUri } from "../entity/iri-equivalents.js";
import { entityLinks, representationLinks } from "../entity/links.js";
import { type Link, linkText } from "../message/headers/link.js";
import type { RenderContext, RenderSettings, RepresentationMaker } from "./representation.js";

/** The linkset as JSON (RFC 9264, 4.2). */
export const linksetJson = linkset("application/linkset+json", ".linkset.json", (links) =>
  JSON.stringify({ linkset: contextsOf(links) }),
);

/** The linkset as text (RFC 9264, 4.1). */
export const linksetText = linkset("application/linkset", ".linkset.txt", (links) => links.map(linkText).join(",\n"));

function linkset(mediaType: string, suffix: string, textOf: (links: readonly Link[]) => string): RepresentationMaker {
  return (settings) => ({
    version: 2,
    mediaType,
    contentType: mediaType,
    profiles: [],
    suffix,
    relation: "linkset",
    dependsOn: { settings: settings.license ?? "" },
    write: (record, context) => `${textOf(linksOf(record, settings, context))}\n`,
  });
}

function linksOf(record: StoredRecord, settings: RenderSettings, context: RenderContext): readonly Link[] {
  const { model, license, linked } = settings;
  const { addresses, taken, endpointLinks } = context;
  const { iri } = record.graph;
  return [
    ...representationLinks(iri, addresses.url(iri), linked(taken), license),
    ...entityLinks({ nodes: nodesOf(record.graph), meta: record.meta }, model.vocabBase, license),
    ...(endpointLinks?.get(record.meta.endpoint) ?? []),
  ].map((link) => ({ anchor: iri, ...link }));
}

function contextsOf(links: readonly Link[]): readonly object[] {
  const contexts = new Map<string, Map<string, object[]>>();
  for (const { relation, href, type, profile, anchor = "" } of links) {
    const relations = entryOf(contexts, anchor, () => new Map<string, object[]>());
    const targets = entryOf(relations, relation, (): object[] => []);
    targets.push({ href: toUri(href), ...(type && { type }), ...(profile && { profile: [profile] }) });
  }
  return [...contexts].map(([anchor, relations]) => ({ anchor: toUri(anchor), ...Object.fromEntries(relations) }));
}
