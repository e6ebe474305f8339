/** Rows of the table of settings that stand in the settings file alone: texts about the site and the dataset, and what hardly anybody sets. */
import { NOT_EVALUATED } from "../../http/representations/edm/rights.js";
import { LOG_LEVELS, LOGGED_REQUESTS } from "../../http/telemetry/names.js";
import { numberOf, row, type SettingRow } from "./options.js";

export const FILE_SETTINGS: readonly SettingRow[] = [
  row("title TEXT", "what the collection is called, on its pages", { isMain: true }),
  row("text TEXT", "what it is, for the home page; a blank line begins a paragraph"),
  row("picture URL", "a picture for the home page, such as /images/front.jpg"),
  row("example IRI", "a record to begin with; without any, some that say much", { many: true }),
  row("map-tiles URL", "map tiles, with {z}, {x} and {y}; without them, maps are outlines"),
  row("map-attribution TEXT", "whose the map tiles are, as their licence wants it said"),
  row(
    "page-language TAG",
    "a language of the pages, en, nl, de or fr, or a file of words; the first for readers of none; by default all four",
    { many: true },
  ),
  row("license IRI", "the licence of the records, which they and the description of the dataset name"),
  row("publisher NAME", "who publishes them"),
  row("publisher-uri IRI", "the IRI of that organisation; by default one of the service's own"),
  row("edm-provider NAME", "who gives EDM to Europeana, such as a portal; by default the publisher"),
  row("edm-rights IRI", "the rights that EDM says where a record says none that Europeana knows (docs/use/edm.md)", {
    default: NOT_EVALUATED,
  }),
  row("contact ADDRESS", "an e-mail address, or the address of a page, for questions about the data"),
  row("language TAG", "the language of title, text and publisher", { default: "en" }),
  row("keyword WORD", "what the dataset is found by", { many: true }),
  row("spatial IRI", "a place that the records are about; without any, the places that they name most", { many: true }),
  row("temporal BEGIN/END", "the time that they are about, such as 1600/1700; by default what their dates say"),
  row("access-rights WORD", "who may read them", {
    choices: ["public", "restricted", "non-public"],
    default: "public",
  }),
  row("robots FILE", "a robots.txt in place of the usual one, which welcomes crawlers of entities"),
  row("max-lag SECONDS", "/ready is 503 where this store, which follows another, was in step with it longer ago", {
    number: numberOf("seconds", 1),
  }),
  row("ordered", "the same triples of a quads record in another order are a change"),
  row("report-severity WORD", "the least severity that report files have: violation leaves warnings out", {
    choices: ["warning", "violation"],
    default: "warning",
  }),
  row("log-level LEVEL", "the least that is logged", { choices: LOG_LEVELS, default: "info" }),
  row("log-requests WHICH", "requests that get a line: those that failed or took more than a second, all, or none", {
    choices: LOGGED_REQUESTS,
    default: "slow",
  }),
  row("log-clients", "log lines tell the client's network; without it, nobody's address is kept"),
  row("load-size MIB", "a load over HTTP of more is refused", { number: numberOf("mebibytes", 1), default: "20480" }),
  row("query-rows NUMBER", "a result of more rows is refused", { number: numberOf("rows", 1), default: "100000" }),
  row("query-size MIB", "a result of a query of more is refused", { number: numberOf("mebibytes", 1), default: "64" }),
  row("query-processes NUMBER", "index processes; each holds the whole index", {
    number: numberOf("processes", 1, 64),
    default: "1",
  }),
  row("engine-ca FILE", "the certificate that an engine's certificate is signed with, as PEM"),
  row("dump-name NAME", "what the files of a dump are called by; by default the host of the base URL"),
  row("dump-format NAME", "what a dump has: nq, nt or jsonl; by default all three", { many: true }),
  row("keep-dumps N", "how many dumps stay; older ones are removed when a new one is whole", {
    default: "2",
    number: numberOf("dumps", 1, 10_000),
  }),
  row("connections N", "requests at once to a service that is followed", {
    number: numberOf("requests at once", 1, 64),
    default: "4",
  }),
  row("batch N", "records of a service that is followed that become visible in one step", {
    number: numberOf("records", 1, 100_000),
    default: "1000",
  }),
];
