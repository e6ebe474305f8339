/** Fixed limits of queries, which no setting changes. */

/** The most queries that wait for a process, in total and per client. A client may have several, since browsers and notebooks ask several at once. */
export const MAX_WAITING_QUERIES = 64;
export const MAX_WAITING_OF_CLIENT = 8;
/** How long a query waits for its turn, in milliseconds, unless its own time limit is longer. */
export const MAX_WAITING_TIME = 60_000;
/** How long an index process may be silent, in milliseconds: while following the change log, and while being filled. */
export const MAX_SILENCE_FOLLOWING = 30_000;
export const MAX_SILENCE_FILLING = 120_000;
/** The most changes that an index process follows, which takes some seconds. Beyond that, another process reads all records again. */
export const MAX_FOLLOWED = 10_000;
/** The most triples that these changes may remove and add, for each change that is followed. Many at once are filled faster than followed. */
export const TRIPLES_A_CHANGE = 100;
/** The most bytes of answers that an index process keeps on disk while clients read them. */
export const MAX_SPOOLED = 2 ** 30;
