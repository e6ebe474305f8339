/** The collection as a dataset: what is known of it, and what its institution says of it. */
import type { DumpManifest } from "../../harvest/dumps/manifest.js";
import type { CollectionCounts } from "../../harvest/partitions.js";
import type { StoreStats } from "../../store/record.js";

export interface DatasetSettings {
  readonly license?: string | undefined;
  readonly publisher?: string | undefined;
  /** Default: an IRI of the service's own. */
  readonly publisherUri?: string | undefined;
  /** An e-mail address, or the address of a page. */
  readonly contact?: string | undefined;
  /** The language of title, text and publisher, as BCP 47 has it. */
  readonly language: string;
  readonly keywords: readonly string[];
  /** The IRIs of what the records are about in space. Default: the places that they name. */
  readonly spatial?: readonly string[];
  /** A date, or two with a slash between (ISO 8601; `..` for an open end). Default: the years that they name. */
  readonly temporal?: string | undefined;
  /** Who may read the records, as the European Publications Office has it (DCAT-AP). Default: `public`. */
  readonly accessRights?: "public" | "restricted" | "non-public";
}

export interface DescribedDataset {
  readonly base: string;
  readonly title: string;
  readonly text: string | undefined;
  readonly settings: DatasetSettings;
  readonly stats: StoreStats;
  /** When the first record was loaded, in milliseconds since 1970. */
  readonly begun: number | undefined;
  readonly counts: CollectionCounts | undefined;
  readonly dump: DumpManifest | undefined;
  readonly examples: readonly string[];
  readonly offers: {
    readonly sparql: boolean;
    readonly activity: boolean;
    readonly context: string;
    readonly vocabBase: string;
  };
}
