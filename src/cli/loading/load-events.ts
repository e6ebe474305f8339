/** The events of a load: what it says of single records, here and by lines of JSON to and from a service. */
import type { LoadSettings } from "../../load/pipeline/load.js";
import type { IdentityProblem, RecordDifference, RecordResults } from "../../validate/results.js";

/** An event has one of these. */
export interface LoadEvent {
  /** A record in which something was found. */
  readonly record?: RecordResults;
  /** How many there are in which nothing was. */
  readonly clean?: number;
  /** The IRI of a record that the input lacks. */
  readonly deleted?: string;
  /** An IRI that comes back as something else. */
  readonly identity?: IdentityProblem;
  /** A record that changes. */
  readonly difference?: RecordDifference;
}

/** The listeners of a load that tell its events. @param hasDifferences whether it is told which records change */
export function listenersOf(
  tell: (event: LoadEvent) => void,
  hasDifferences: boolean,
): Pick<LoadSettings, "onRecord" | "onClean" | "onDeleted" | "onIdentity" | "onDifference"> {
  return {
    onRecord: (record) => tell({ record }),
    onClean: (clean) => tell({ clean }),
    onDeleted: (deleted) => tell({ deleted }),
    onIdentity: (identity) => tell({ identity }),
    ...(hasDifferences && { onDifference: (difference) => tell({ difference }) }),
  };
}
