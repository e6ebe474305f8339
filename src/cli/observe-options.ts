/** The options of `serve` that say what is logged, counted and limited. */
import { LIMITED_COSTS, LOG_LEVELS, LOGGED_REQUESTS } from "../http/observing.js";
import type { Option } from "./options.js";

const GROUP = "logs, metrics and limits";

export const OBSERVING_OPTIONS: readonly Option[] = [
  {
    name: "rate-limit",
    value: "[CLASS=]NUMBER",
    many: true,
    group: GROUP,
    help: `requests a minute that a client may send, of each class of cost or of one: ${LIMITED_COSTS.join(", ")}`,
  },
  {
    name: "log-format",
    value: "FORMAT",
    choices: ["auto", "text", "json"],
    default: "auto",
    group: GROUP,
    help: "auto is text on a terminal, JSON lines otherwise",
  },
  {
    name: "log-level",
    value: "LEVEL",
    choices: LOG_LEVELS,
    default: "info",
    group: GROUP,
    help: "the least that is logged",
  },
  {
    name: "log-requests",
    value: "WHICH",
    choices: LOGGED_REQUESTS,
    default: "slow",
    group: GROUP,
    help: "requests that get a line: those that failed or took more than a second, all, or none",
  },
  {
    name: "log-clients",
    group: GROUP,
    help: "these lines tell the client's network; without it, nobody's address is kept",
  },
  {
    name: "metrics-access",
    value: "WHO",
    choices: ["public", "token", "off"],
    default: "public",
    group: GROUP,
    help: "who may read /metrics",
  },
  {
    name: "metrics-token",
    value: "TOKEN",
    secret: true,
    group: GROUP,
    help: "what is shown with --metrics-access token",
  },
  {
    name: "count-usage",
    value: "WHETHER",
    choices: ["on", "off"],
    default: "on",
    group: GROUP,
    help: "count what is read, for vitrine usage; nothing of who reads it",
  },
];
