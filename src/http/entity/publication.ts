/** The publication: plain settings that say how records are published, and what the server, its threads and the commands build from them. */
import { DocumentWriter, documentSettings } from "../../jsonld/documents.js";
import type { EndpointName } from "../../model/tables/names.js";
import type { Store } from "../../store/store.js";
import type { Link } from "../message/headers/link.js";
import { DEFAULT_SITE, type NavigationLink, navigation, Site, type SiteSettings } from "../pages/site.js";
import type { EdmSettings, Representation, RepresentationMaker } from "../representations/representation.js";
import { representations } from "../representations/representations.js";
import { Addresses, type AddressSettings } from "./addresses.js";
import { type DereferenceOptions, Dereferencer } from "./dereference.js";
import { withHal } from "./hal.js";

/** The settings of a publication: plain data, so that a thread or a worker builds the same publication from them. */
export interface PublicationSettings
  extends AddressSettings,
    Omit<DereferenceOptions, "store" | "addresses" | "representations" | "endpointLinks" | "large"> {
  /** Whether documents have HAL's `_links`. Default: no. */
  readonly hal?: boolean;
  /** The name of the collection and the look of its pages. Default: `DEFAULT_SITE`. */
  readonly site?: SiteSettings;
  readonly images?: string;
  readonly edm?: EdmSettings;
}

export class Publication {
  readonly addresses: Addresses;
  readonly site: Site;
  readonly representations: readonly Representation[];

  /** @param makers the makers of representations, by name. Default: `REPRESENTATIONS` */
  constructor(
    private readonly settings: PublicationSettings,
    ways: readonly NavigationLink[] = navigation({}),
    makers?: Readonly<Record<string, RepresentationMaker>>,
  ) {
    const { model, license, contexts = [], site = DEFAULT_SITE, images, edm } = settings;
    const documents = new DocumentWriter(documentSettings(model, contexts));
    this.addresses = new Addresses(settings);
    this.site = new Site(this.addresses, site, ways);
    this.representations = representations({ model, documents, site: this.site, license, images, edm }, makers);
  }

  /** Creates the dereferencer of a store. @param own settings that override the publication's */
  dereferencer(
    store: Store,
    endpointLinks: ReadonlyMap<EndpointName, readonly Link[]>,
    own: Pick<DereferenceOptions, "large" | "cacheBytes" | "cacheControl">,
  ): Dereferencer {
    const { settings, addresses, representations: offered } = this;
    return new Dereferencer({
      ...settings,
      ...own,
      store,
      addresses,
      endpointLinks,
      representations: settings.hal === true ? withHal(offered, addresses, settings.model.contextUri) : offered,
    });
  }
}
