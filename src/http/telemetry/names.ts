/** The names of log levels and settings, in a file of their own, so that a command that only names them need not load the logging library. */

/** Which requests to log: those that failed or were slow, all, or none. */
export const LOGGED_REQUESTS = ["slow", "all", "none"] as const;

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
