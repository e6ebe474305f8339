/** The words of logs, apart from the library behind them, which a command that only names them need not load. */

/** Which requests get a line of the log: those that failed or were slow, all, or none. */
export const LOGGED_REQUESTS = ["slow", "all", "none"] as const;

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
