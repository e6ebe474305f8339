/** HAL's `_links` for documents: the URLs of the document, its other representations, its model and the service's description. */
import { RELATIONS } from "../../model/relations.js";
import type { JsonObject } from "../../rdf/record-graph.js";
import type { Store } from "../../store/store.js";
import { fromStore } from "../message/problems/problems.js";
import { addressed, type RenderContext, type Representation, writtenText } from "../representations/representation.js";
import type { Addresses } from "./addresses.js";

/** The version of the interface (specification, 9). */
export const API_VERSION = "1.0";

/** Returns the representations. Those in compact JSON-LD write documents that end with `_links`. */
export function withHal(representations: readonly Representation[], addresses: Addresses, contextUri: string) {
  const { base } = addresses;
  /** The link object of each relation (RFC 6906, RFC 8631), then the lists of records that refer to the entity (linked.art/api/1.0/hal). */
  const linksOf = async (iri: string, { store, taken }: RenderContext): Promise<JsonObject> => {
    const url = addresses.url(iri);
    return {
      self: { href: url, type: "application/ld+json" },
      curies: [{ name: "la", href: "https://linked.art/api/rels/1/{rel}", templated: true }],
      alternate: addressed(representations, taken).map(({ suffix, mediaType: type }) => ({ href: url + suffix, type })),
      ...(store.changes && { collection: { href: `${base}/activity` } }),
      profile: { href: contextUri, title: "Linked Art 1.0" },
      "service-desc": { href: `${base}/openapi.json`, type: "application/vnd.oai.openapi+json", title: API_VERSION },
      "la:modelVersion": { href: "https://linked.art/model/1.0/", name: "v1.0.0" },
      "la:apiVersion": { href: "https://linked.art/api/1.0/", name: "v1.0.0" },
      ...(await relatedLists(store, iri, base)),
    };
  };
  return representations.map((representation): Representation => {
    const { format, write, dependsOn } = representation;
    if (format !== "jsonld" && format !== "json") return representation;
    return {
      ...representation,
      dependsOn: {
        ...dependsOn,
        settings: `_links ${base}`,
        state: async ({ graph }, { store }) => JSON.stringify(await relatedLists(store, graph.iri, base)),
      },
      write: async (record, context) => {
        const document = writtenText(await write(record, context));
        const links = await linksOf(record.graph.iri, context);
        return `${document.slice(0, document.lastIndexOf("}"))},"_links":${JSON.stringify(links)}}\n`;
      },
    };
  });
}

/** The non-empty lists of records that refer to an entity, by the relations of Linked Art for its endpoint; none if the store has no search. */
function relatedLists(store: Store, iri: string, base: string): Promise<JsonObject> {
  return fromStore(async () => {
    const { search } = store;
    const endpoint = (await store.find(iri))?.meta.endpoint;
    const lists: JsonObject = {};
    if (search === undefined || endpoint == null) return lists;
    for (const { name, targets } of RELATIONS) {
      if (!targets.includes(endpoint)) continue;
      const { total } = await search.find({ related: { relation: name, iri } }, { limit: 0 });
      if (total !== 0) lists[`la:${name}`] = { href: `${base}/related/${name}?uri=${encodeURIComponent(iri)}` };
    }
    return lists;
  });
}
