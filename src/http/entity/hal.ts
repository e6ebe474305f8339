/** HAL's `_links` for documents: where the document, its other forms, its model and the service's description are. */
import { RELATIONS } from "../../model/relations.js";
import type { Json } from "../../rdf/record-graph.js";
import type { Store } from "../../store/store.js";
import { fromStore } from "../message/problems/store-unavailable.js";
import type { RenderContext, Representation, WrittenBody } from "../representations/representation.js";
import type { Addresses } from "./addresses.js";

/** The settings that decide about the links of every document. */
interface HalSettings {
  readonly addresses: Addresses;
  readonly contextUri: string;
}

/** The model's version, as its context's URI has it, and the version of the interface (specification, 9). */
const MODEL = "Linked Art 1.0";
export const API_VERSION = "1.0";

/**
 * The link object of each relation: `self`, the `alternate` representations, the change stream (`collection`), the `profile`
 * (RFC 6906) with the model's version and the `service-desc` (RFC 8631) with the interface's, and the same as Linked Art has
 * them; then the lists of records that refer to the entity, as far as there are any (linked.art/api/1.0/hal).
 */
function halLinks(
  { addresses, contextUri }: HalSettings,
  iri: string,
  representations: readonly Representation[],
  { lists, hasChanges }: { readonly lists: readonly RelatedList[]; readonly hasChanges: boolean },
): Json {
  const url = addresses.url(iri);
  const { base } = addresses;
  return {
    self: { href: url, type: "application/ld+json" },
    curies: [{ name: "la", href: `${RELATIONS_AT}{rel}`, templated: true }],
    alternate: representations.flatMap(({ suffix, mediaType }) =>
      suffix === null ? [] : [{ href: url + suffix, type: mediaType }],
    ),
    ...(hasChanges ? { collection: { href: `${base}/activity` } } : {}),
    profile: { href: contextUri, title: MODEL },
    "service-desc": { href: `${base}/openapi.json`, type: "application/vnd.oai.openapi+json", title: API_VERSION },
    "la:modelVersion": { href: "https://linked.art/model/1.0/", name: "v1.0.0" },
    "la:apiVersion": { href: "https://linked.art/api/1.0/", name: "v1.0.0" },
    ...Object.fromEntries(lists.map(({ name, href }) => [`la:${name}`, { href }])),
  };
}

/** The compact representations with `_links` at the end of their documents. */
export function withHal(representations: readonly Representation[], settings: HalSettings): readonly Representation[] {
  const { base } = settings.addresses;
  const addLinks = async (written: WrittenBody, iri: string, { store, taken }: RenderContext): Promise<WrittenBody> => {
    const { body, headers } = typeof written === "string" ? { body: written, headers: [] } : written;
    const lists = await fromStore(() => relatedLists(store, iri, base));
    const free = representations.filter(({ suffix }) => suffix === null || taken?.has(suffix) !== true);
    const links = halLinks(settings, iri, free, { lists, hasChanges: store.changes !== undefined });
    return {
      body: `${body.slice(0, body.lastIndexOf("}"))},"_links":${JSON.stringify(links)}}\n`,
      headers,
    };
  };
  return representations.map((representation) => {
    const { format, write, dependsOn } = representation;
    if (format !== "jsonld" && format !== "json") return representation;
    return {
      ...representation,
      dependsOn: {
        ...dependsOn,
        settings: `_links ${base}`,
        state: async ({ graph }, { store }) =>
          JSON.stringify(await fromStore(() => relatedLists(store, graph.iri, base))),
      },
      write: async (record, context) => addLinks(await write(record, context), record.graph.iri, context),
    };
  });
}

/** The prefix of the names of relations. */
const RELATIONS_AT = "https://linked.art/api/rels/1/";

/** A list that is not empty. */
interface RelatedList {
  /** The relation's name, such as `objectProducedByAgent`. */
  readonly name: string;
  readonly href: string;
}

/** The lists of records that refer to an entity by the relations that Linked Art names for its endpoint. None where the store is not searched. */
async function relatedLists(store: Store, iri: string, base: string): Promise<RelatedList[]> {
  const { search } = store;
  const endpoint = (await store.find(iri))?.meta.endpoint;
  if (search === undefined || endpoint == null) return [];
  const lists: RelatedList[] = [];
  const uri = encodeURIComponent(iri);
  const countOf = async (relation: string) => (await search.find({ related: { relation, iri } }, { limit: 0 })).total;
  for (const { name, targets } of RELATIONS) {
    if (!targets.includes(endpoint) || (await countOf(name)) === 0) continue;
    lists.push({ name, href: `${base}/related/${name}?uri=${uri}` });
  }
  return lists;
}
