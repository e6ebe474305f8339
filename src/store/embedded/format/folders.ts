/** The files of a store directory, by name. */

/** The LMDB environment; LMDB keeps its own lock file beside it. */
export const RECORDS = "records.mdb";

/** A folder of sockets, one of each process that loads or is about to. */
export const LOCK = "lock";

/** A folder of what is not yet part of the store; the holder of the loader's lock may clear it. */
export const STAGING = "staging";
