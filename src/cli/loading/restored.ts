/** The note that a store was restored from a backup. Such a store may become an exact copy of the first source that it follows, which then decides about every record. No other store may. */

/** The note's file in the store. */
export const RESTORED = "restored.json";

export interface Restored {
  /** The last change of the backup. */
  readonly sequence: number;
  /** The source whose exact copy the store has become. */
  readonly source?: string;
}
