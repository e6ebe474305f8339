/** What publishes records, put together from settings alike for the server and for the thread that writes large records. */
import type { EndpointName } from "../model/tables/endpoints.js";
import type { Addresses } from "./entity/addresses.js";
import { type DereferenceOptions, Dereferencer } from "./entity/dereference.js";
import { withHal } from "./entity/hal.js";
import type { Representation } from "./entity/representation.js";

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
