/** Rows of the table of settings that stand in the settings file alone: texts about the site and the dataset, and what hardly anybody sets. */
import { NOT_EVALUATED } from "../../http/representations/edm/rights.js";
import { LOG_LEVELS, LOGGED_REQUESTS } from "../../http/telemetry/names.js";
import { numberOf, row, type SettingRow } from "./options.js";

export const FILE_SETTINGS: readonly SettingRow[] = [
  row("title TEXT", "the collection's name on its pages", { isMain: true }),
  row("text TEXT", "a description for the home page; a blank line begins a paragraph"),
  row("picture URL", "a picture for the home page, such as /images/front.jpg"),
  row("example IRI", "a record for the home page; by default, records with much to say", { many: true }),
  row("map-tiles URL", "map tiles, with {z}, {x} and {y}; by default, maps show outlines"),
  row("map-attribution TEXT", "the credit for the map tiles that their licence requires"),
  row(
    "page-language TAG",
    "a language of the pages: en, nl, de, fr or a file of words; the first is for readers of other languages; by default all four",
    { many: true },
  ),
  row("license IRI", "the licence of the records, given in them and in the description of the dataset"),
  row("publisher NAME", "who publishes the records"),
  row("publisher-uri IRI", "the publisher's IRI; by default one under the base URL"),
  row("edm-provider NAME", "who delivers EDM to Europeana, such as a portal; by default the publisher"),
  row("edm-rights IRI", "the rights in EDM if a record has none that Europeana accepts (docs/use/edm.md)", {
    default: NOT_EVALUATED,
  }),
  row("contact ADDRESS", "an e-mail address, or the address of a page, for questions about the data"),
  row("language TAG", "the language of title, text and publisher", { default: "en" }),
  row("keyword WORD", "a keyword of the dataset", { many: true }),
  row("spatial IRI", "a place that the records are about; by default, the places that they name most", { many: true }),
  row(
    "temporal BEGIN/END",
    "the time that the records are about, such as 1600/1700; by default, taken from their dates",
  ),
  row("access-rights WORD", "who may read the records", {
    choices: ["public", "restricted", "non-public"],
    default: "public",
  }),
  row("robots FILE", "a robots.txt to use instead of the default, which welcomes crawlers to entities"),
  row("max-lag SECONDS", "on a follower: /ready is 503 after this time out of step", {
    number: numberOf("seconds", 1),
  }),
  row("ordered", "in quads, the same triples in another order are a change"),
  row("report-severity WORD", "the least severity in report files; violation leaves warnings out", {
    choices: ["warning", "violation"],
    default: "warning",
  }),
  row("log-level LEVEL", "the least level that is logged", { choices: LOG_LEVELS, default: "info" }),
  row("log-requests WHICH", "which requests are logged: those that failed or took more than a second, all, or none", {
    choices: LOGGED_REQUESTS,
    default: "slow",
  }),
  row("log-clients", "log the client's network; by default, no address is logged"),
  row("load-size MIB", "the largest load over HTTP", { number: numberOf("mebibytes", 1), default: "20480" }),
  row("query-rows NUMBER", "the most rows of a query's result", { number: numberOf("rows", 1), default: "100000" }),
  row("query-size MIB", "the largest result of a query", { number: numberOf("mebibytes", 1), default: "64" }),
  row("query-processes NUMBER", "the number of index processes; each has the whole index in memory", {
    number: numberOf("processes", 1, 64),
    default: "1",
  }),
  row("engine-ca FILE", "the certificate of the engine's certificate authority, as PEM"),
  row("dump-name NAME", "how the names of a dump's files begin; by default with the host of the base URL"),
  row("dump-format NAME", "a format of dumps: nq, nt or jsonl; by default all three", { many: true }),
  row("keep-dumps N", "how many dumps to keep; older ones are removed when a new one is complete", {
    default: "2",
    number: numberOf("dumps", 1, 10_000),
  }),
  row("connections N", "how many requests at once to a followed service", {
    number: numberOf("requests at once", 1, 64),
    default: "4",
  }),
  row("batch N", "how many records of a followed service become visible in one step", {
    number: numberOf("records", 1, 100_000),
    default: "1000",
  }),
];
