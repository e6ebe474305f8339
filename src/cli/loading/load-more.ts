/** Settings of a load that are not options of it: of its source, for synchronizing, and what is told of each record. */
import type { LoadSettings } from "../../load/pipeline/load.js";

/** Settings of a load beyond its options. */
export type LoadMore = SyncSettings &
  Pick<
    LoadSettings,
    "keeps" | "mirrored" | "deletions" | "onRecord" | "onClean" | "onDeleted" | "onIdentity" | "onDifference"
  >;

export type SyncSettings = Pick<
  LoadSettings,
  | "source"
  | "sync"
  | "maxDeleted"
  | "maxChanged"
  | "maxInvalid"
  | "strictIdentity"
  | "comparesRecords"
  | "ordered"
  | "dryRun"
  | "onlySource"
  | "onlyRecord"
>;
