/** What publishes records, put together from settings alike for the server and for the thread that writes large records. */
import type { ModelSettings } from "../model/settings.js";
import type { EndpointName } from "../model/tables/endpoints.js";
import type { Addresses } from "./entity/addresses.js";
import { type DereferenceOptions, Dereferencer } from "./entity/dereference.js";
import { withHal } from "./entity/hal.js";
import { type Documents, type Representation, representations } from "./entity/representations.js";
import { readerRepresentations } from "./pages/representations.js";
import type { Site } from "./pages/site.js";

/** All representations of records, the default first, without `_links`. */
export function offeredBy(model: ModelSettings, documents: Documents, site: Site): readonly Representation[] {
  const data = representations(model, documents);
  return [...data, ...readerRepresentations(model, site, data)];
}

/** What a dereferencer takes besides its representations. */
export interface PublicationOptions extends Omit<DereferenceOptions, "representations" | "endpointLinks"> {
  /** Whether documents have HAL's `_links`. Default: they have not. */
  readonly hal?: boolean;
}

/** What answers for entities in the representations offered. */
export function dereferencerOf(
  options: PublicationOptions,
  offered: readonly Representation[],
  addresses: Addresses,
  endpointLinks: ReadonlyMap<EndpointName, string>,
): Dereferencer {
  const { model, edition = "", hal = false } = options;
  return new Dereferencer({
    ...options,
    representations: hal ? withHal(offered, { addresses, contextUri: model.contextUri }) : offered,
    edition: hal ? `${edition} _links ${addresses.base}` : edition,
    endpointLinks,
  });
}
