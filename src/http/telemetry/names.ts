/** The words of logs and limits, apart from the libraries behind them, which a command that only names them need not load. */
import type { Cost } from "../routes/cost.js";

/** The classes that can be limited: whoever watches the service must not take a busy client for a dead service. */
export const LIMITED_COSTS = [
  "entity",
  "page",
  "search",
  "facet",
  "table",
  "robot",
  "sparql",
  "dump",
  "file",
] as const satisfies readonly Cost[];

/** Which requests get a line of the log: those that failed or were slow, all, or none. */
export const LOGGED_REQUESTS = ["slow", "all", "none"] as const;

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
