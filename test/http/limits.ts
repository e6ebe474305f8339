/** The limits of HTTP for docs/run/limits.md: one table, made from the constants that the server uses. */

import { MAX_ANSWER_TIME } from "../../src/base/shared-thread.js";
import { MAX_TARGET } from "../../src/http/entity/addresses.js";
import { MAX_BYTES_AT_ONCE, MAX_LARGE_WAITING, MAX_TRIPLES_AT_ONCE } from "../../src/http/entity/large-records.js";
import { MAX_LINK } from "../../src/http/entity/links.js";
import { MAX_SILENCE, MAX_WAITING_LOADS } from "../../src/http/loads/loads.js";
import { MAX_PARAMETERS } from "../../src/http/message/body.js";
import { MAX_ELEMENTS } from "../../src/http/message/headers/content-coding.js";
import { MAX_LANGUAGES, MAX_PROFILES, MAX_RANGES } from "../../src/http/message/headers/negotiate.js";
import { MAX_MARKUP_DEPTH } from "../../src/http/pages/renderer.js";
import { MAX_TEXT } from "../../src/http/routes/search/search-parameters.js";
import { MAX_CONNECTIONS } from "../../src/http/server/connections.js";
import { DEFAULT_RATE_LIMITS, MAX_CLIENTS } from "../../src/http/server/rate-limit.js";
import { MAX_HEAD } from "../../src/http/server/request-guards.js";
import { DEFAULT_SETTINGS, MAX_KEPT_TIME } from "../../src/http/server/server.js";
import { MAX_BODY } from "../../src/http/sparql/endpoint.js";
import { MAX_SEARCHES_WAITING } from "../../src/search/search-index.js";
import type { Limit } from "../load/limits.js";

const CLOSED = "the connection is closed";
const UNREAD = "the rest of the header is not read";
const APART = "a separate thread writes it, and pages of other records leave it out";

/** All limits of HTTP. */
export const HTTP_LIMITS: readonly Limit[] = [
  { name: "MAX_TARGET", value: MAX_TARGET, of: "bytes of path and query", beyond: "414" },
  { name: "MAX_HEAD", value: MAX_HEAD, of: "bytes of a request's head", beyond: "431" },
  { name: "MAX_TEXT", value: MAX_TEXT, of: "characters of a text to search for", beyond: "400" },
  { name: "MAX_BODY", value: MAX_BODY, of: "bytes of a query by POST", beyond: "413" },
  {
    name: "MAX_LOAD",
    option: "load-size",
    of: "MiB of the body of a load or `PUT`",
    beyond: "413, or the load ends; nothing changes",
  },
  {
    name: "MAX_WAITING_LOADS",
    value: MAX_WAITING_LOADS,
    of: "loads that wait for the one that runs",
    beyond: "503 with `Retry-After`",
  },
  { name: "MAX_PARAMETERS", value: MAX_PARAMETERS, of: "parameters of a posted form", beyond: "413" },
  {
    name: "MAX_HEAD_TIME",
    value: DEFAULT_SETTINGS.headTimeout / 1_000,
    of: "seconds for a request's head",
    beyond: "408",
  },
  {
    name: "MAX_REQUEST_TIME",
    value: DEFAULT_SETTINGS.requestTimeout / 1_000,
    of: "seconds for a whole request other than a load or `PUT`",
    beyond: "408",
  },
  {
    name: "MAX_SILENCE",
    value: MAX_SILENCE / 1_000,
    of: "seconds without a byte of a load or `PUT` that has begun",
    beyond: "the load ends, and nothing changes; 408 for `PUT`",
  },
  {
    name: "MAX_IDLE_TIME",
    value: DEFAULT_SETTINGS.idleTimeout / 1_000,
    of: "seconds without a byte during an answer",
    beyond: CLOSED,
  },
  { name: "MAX_KEPT_TIME", value: MAX_KEPT_TIME / 1_000, of: "seconds until the next request", beyond: CLOSED },
  {
    name: "MAX_CONNECTIONS",
    value: MAX_CONNECTIONS,
    of: "connections of a process, or three quarters of its file descriptors if that is less",
    beyond: "the longest idle one is closed, or one whose request has not arrived; if there is none, the new one",
  },
  {
    name: "MAX_REQUESTS",
    option: "rate-limit",
    of: "requests per minute and client in each class of cost; all may come at once",
    beyond: "429 with `Retry-After`, and a link to the dumps if there are any",
  },
  {
    name: "MAX_FACET_REQUESTS",
    value: DEFAULT_RATE_LIMITS.facet,
    option: "rate-limit",
    of: "of these for lists that are filtered, in another order or on later pages; not for private addresses",
    beyond: "429 with `Retry-After`",
  },
  {
    name: "MAX_ROBOT_REQUESTS",
    value: DEFAULT_RATE_LIMITS.robot,
    option: "rate-limit",
    of: "requests per minute for lists by all declared robots together",
    beyond: "429 with `Retry-After`",
  },
  {
    name: "MAX_CLIENTS",
    value: MAX_CLIENTS,
    of: "clients counted separately for these",
    beyond: "two may share a budget",
  },
  { name: "MAX_RANGES", value: MAX_RANGES, of: "ranges of `Accept`", beyond: UNREAD },
  { name: "MAX_ELEMENTS", value: MAX_ELEMENTS, of: "elements of `Accept-Encoding`", beyond: UNREAD },
  { name: "MAX_PROFILES", value: MAX_PROFILES, of: "profiles of `Accept-Profile`", beyond: UNREAD },
  { name: "MAX_LANGUAGES", value: MAX_LANGUAGES, of: "languages of `Accept-Language`", beyond: UNREAD },
  { name: "MAX_LINK", value: MAX_LINK, of: "bytes of `Link`", beyond: "links that would make it longer are left out" },
  { name: "MAX_TRIPLES_AT_ONCE", value: MAX_TRIPLES_AT_ONCE, of: "triples of a record", beyond: APART },
  { name: "MAX_BYTES_AT_ONCE", value: MAX_BYTES_AT_ONCE, of: "bytes of a record as it is stored", beyond: APART },
  {
    name: "MAX_LARGE_WAITING",
    value: MAX_LARGE_WAITING,
    of: "waiting requests for such records",
    beyond: "503 with `Retry-After`",
  },
  {
    name: "MAX_MARKUP_DEPTH",
    value: MAX_MARKUP_DEPTH,
    of: "levels of elements in a text in HTML",
    beyond: "the page shows the text without its markup",
  },
  {
    name: "MAX_SEARCHES_WAITING",
    value: MAX_SEARCHES_WAITING,
    of: "waiting searches",
    beyond: "503 with `Retry-After`",
  },
  {
    name: "MAX_ANSWER_TIME",
    value: MAX_ANSWER_TIME / 1_000,
    of: "seconds of a thread for a search or a large record",
    beyond: "the thread is replaced; 503 for a search, 500 for a record",
  },
];
