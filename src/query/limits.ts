/** The limits of queries that no setting changes. */

/** Queries that wait for a process, of all clients and of one: browsers and notebooks ask several at once. */
export const MAX_WAITING_QUERIES = 64;
export const MAX_WAITING_OF_CLIENT = 8;
/** How long a query waits for its turn, in milliseconds, unless it may run for longer than that itself. */
export const MAX_WAITING_TIME = 60_000;
/** How long an index process may be silent, in milliseconds: while it follows the change log, and while it is filled. */
export const MAX_SILENCE_FOLLOWING = 30_000;
export const MAX_SILENCE_FILLING = 120_000;
/** Changes that an index process follows: some seconds' work. Beyond them all records are read anew, in another process. */
export const MAX_FOLLOWED = 10_000;
/** Bytes of answers on their way that an index process keeps on disk. */
export const MAX_SPOOLED = 2 ** 30;
