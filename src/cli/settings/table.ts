/** All settings, in one table from which flags, environment variables, the settings file, its schema, help and documentation follow. */
import { RECORD_FORMATS } from "../../harvest/dumps/manifest.js";
import { NOT_EVALUATED } from "../../http/representations/edm/rights.js";
import { LIMITED_COSTS } from "../../http/routes/cost.js";
import { LOG_LEVELS, LOGGED_REQUESTS } from "../../http/telemetry/names.js";
import { DEFAULT_MODEL } from "../../model/settings.js";
import { numberOf, type Option, row, type SettingRow } from "./options.js";

/** Rows as settings. @param group the heading under which the help lists them */
function settingsOf(group: string, rows: readonly SettingRow[]): readonly Option[] {
  return rows.map((row) => ({ ...row, kind: "setting", group }));
}

/** Rows as settings that can be set only in the settings file. */
function fileSettingsOf(rows: readonly SettingRow[]): readonly Option[] {
  return rows.map((row) => ({ ...row, kind: "file setting", group: "only in the settings file" }));
}

/** The choices of a setting, of which the first is the default. */
const oneOf = (...choices: readonly [string, ...string[]]) => ({ choices, default: choices[0] });
const ACCESS = { choices: ["public", "token", "off"] };

/** The store and the model, for every command. */
export const COMMON_SETTINGS: readonly Option[] = settingsOf("settings", [
  row("store DIR", "the folder of the records", { default: "store" }),
  row(
    "base-url URL...",
    "the address of the service; with several, relative ids are resolved against the first, and entities under the others are answered, too",
  ),
  row("context-uri URI", "the URI of the data model's context", { default: DEFAULT_MODEL.contextUri }),
  row("vocab-base URI", "the base of the classification vocabulary", { default: DEFAULT_MODEL.vocabBase }),
  row("context URI=FILE...", "an additional context; contexts are never fetched"),
]);

/** A limit of changes, which may be a share of the records. */
const AMOUNT = { of: "a number of records, or a percentage such as 5%", matches: /^\d{1,15}(?:(?:\.\d+)?%)?$/ };

/** An institution's decisions about its records, for all commands that read records. */
const RULES: readonly Option[] = settingsOf("rules", [
  row("severity RULE=WORD...", "a rule's severity: warning, violation or off; or @FILE with one decision a line"),
  row("shapes FILE...", "your own rules: SHACL Core in Turtle"),
  row("on-invalid WHAT", "what to do with invalid records", { isMain: true, ...oneOf("refuse", "accept", "abort") }),
  row(
    "hold RULE|FILE...",
    "load these records without publishing them: class=..., endpoint=..., classification=..., source=..., iri=..., or a file with IRIs (docs/publish/held.md)",
    { adds: true },
  ),
  row(
    "max-delete N",
    "stop if --sync would delete more records: a number or N%; by default 1%, but at least 10 and at most 1000",
    { form: AMOUNT },
  ),
  row("max-invalid N", "stop if more records are invalid", numberOf("records", 0)),
  row(
    "max-change N",
    "stop if more records would be created, replaced or deleted: a number, or N% of those that the source has; a first load has no limit",
    { form: AMOUNT },
  ),
  row("strict-identity", "stop if a known IRI comes back with another class, or no label, name or number in common"),
]);

const LIMIT = { number: { of: "number", least: 1 } };

/** Limits on records, which can be set only in the settings file. */
const RECORD_LIMITS: readonly Option[] = fileSettingsOf([
  row("max-record-bytes N", "the most bytes of a stored record (default: docs/run/limits.md)", LIMIT),
  row("max-record-triples N", "the most triples of a record (default: docs/run/limits.md)", LIMIT),
  row("max-iri-bytes N", "the most bytes of an IRI (default: docs/run/limits.md)", LIMIT),
  row("max-expansion N", "how many times its size an input may expand to (default: docs/run/limits.md)", LIMIT),
]);

const SERVICE: readonly Option[] = settingsOf("settings", [
  row("port NUMBER", "the port to listen on; 0 takes a free one", {
    isMain: true,
    number: { of: "port number", least: 0, most: 65_535 },
    default: "3000",
  }),
  row("host ADDRESS", "the address to listen on; 0.0.0.0 means all addresses of the machine", {
    isMain: true,
    default: "127.0.0.1",
  }),
  row("workers NUMBER", "the number of processes that answer", { isMain: true, ...numberOf("processes", 1, "1", 256) }),
  row("images DIR", "a directory of images, served under /images/"),
  row("cache MIB", "memory for cached answers; 0 for none", numberOf("mebibytes", 0, "64", 999_999)),
  row(
    "cache-control VALUE",
    "the Cache-Control of entities; with no-cache, caches keep them and ask whether they changed",
    { default: "no-cache", form: { of: "a header value", matches: /^[ -~]+$/ } },
  ),
  row("trust-proxy", "trust Forwarded and X-Forwarded-*; only behind a proxy that sets or removes them"),
  row("hal", "add _links to documents (HAL)"),
  row("theme DIR", "your own templates, styles and files for pages (docs/run/pages.md)"),
  row("dumps DIR", "the folder of the dumps; by default dumps in the store", { isMain: true }),
]);

const RATE = {
  of: `a number of requests per minute from 1 to 1000000, such as 600, or that of a class (${LIMITED_COSTS.join(", ")}), such as search=60`,
  matches: new RegExp(`^(?:(?:${LIMITED_COSTS.join("|")})=)?(?:[1-9]\\d{0,5}|1000000)$`),
};

const TELEMETRY: readonly Option[] = settingsOf("logs, metrics and limits", [
  row(
    "rate-limit [CLASS=]NUMBER...",
    `requests per minute for each client, in each class of cost, or in one class: ${LIMITED_COSTS.join(", ")}`,
    { form: RATE },
  ),
  row("log-format FORMAT", "auto is text on a terminal, JSON lines otherwise", oneOf("auto", "text", "json")),
  row("metrics-access WHO", "who may read /metrics; by default token if given, else public", ACCESS),
  row("metrics-token TOKEN", "the token for reading /metrics", { secret: true }),
]);

const QUERIES: readonly Option[] = settingsOf("queries", [
  row("sparql-access WHO", "who may query /sparql; by default token if given, else public", {
    isMain: true,
    ...ACCESS,
  }),
  row("sparql-token TOKEN", "the token for querying /sparql", { secret: true }),
  row("query-timeout SECONDS", "how long a query may run", {
    number: { of: "number of seconds", least: 0.001, hasFraction: true },
    default: "30",
  }),
  row(
    "index-graphs TRIPLES",
    "the most triples that are also indexed as named graphs, for GRAPH ?g",
    numberOf("triples", 0, "2000000"),
  ),
  row("query-memory MIB", "memory that a query may use besides the index", numberOf("mebibytes", 16, "1024")),
  row(
    "engine URL|virtuoso",
    "a SPARQL engine that answers queries and is kept in step with the records; virtuoso is one that the service runs itself",
    { isMain: true },
  ),
  row("engine-update URL", "the engine's address for updates; by default the same as for queries"),
  row("engine-graph-store URL", "the address of the engine's SPARQL Graph Store, which is faster than updates"),
  row("engine-user NAME", "the user name for the engine; Basic or Digest, as it asks"),
  row("engine-password TEXT", "the password for the engine; without --engine-user, a Bearer token", { secret: true }),
  row(
    "engine-graphs HOW",
    "all records in one graph of the engine, or each in a graph of its own",
    oneOf("merged", "records"),
  ),
  row("read-only-engine", "publish records from an engine that others fill, without a store"),
]);

/** A date, or two dates with a slash between them; `..` is an open end (ISO 8601-2). */
const INTERVAL = {
  of: "a date or interval such as 1600/1700, 1889-05/.. or 1642",
  matches: /^(?!\.\.(?:\/\.\.)?$)(?:-?\d{4,}(?:-\d\d(?:-\d\d)?)?|\.\.)(?:\/(?:-?\d{4,}(?:-\d\d(?:-\d\d)?)?|\.\.))?$/,
};

const FILE_SETTINGS: readonly Option[] = fileSettingsOf([
  row("title TEXT", "the collection's name on its pages", { isMain: true }),
  row("text TEXT", "a description for the home page; a blank line begins a paragraph"),
  row("picture URL", "a picture for the home page, such as /images/front.jpg"),
  row("example IRI...", "a record for the home page; by default, records with much to say"),
  row("map-tiles URL", "map tiles, with {z}, {x} and {y}; by default, maps show outlines", {
    form: { of: "an address with {z}, {x} and {y}", matches: /^(?=.*\{z\})(?=.*\{x\})(?=.*\{y\})/ },
  }),
  row("map-attribution TEXT", "the credit for the map tiles that their licence requires"),
  row(
    "page-language TAG...",
    "a language of the pages: en, nl, de, fr or a file of words; the first is for readers of other languages; by default all four",
  ),
  row("license IRI", "the licence of the records, given in them and in the description of the dataset"),
  row("publisher NAME", "who publishes the records"),
  row("publisher-uri IRI", "the publisher's IRI; by default one under the base URL"),
  row("edm-provider NAME", "who delivers EDM to Europeana, such as a portal; by default the publisher"),
  row("edm-rights IRI", "the rights in EDM if a record has none that Europeana accepts (docs/use/edm.md)", {
    default: NOT_EVALUATED,
  }),
  row("contact ADDRESS", "an e-mail address, or the address of a page, for questions about the data", {
    form: { of: "an e-mail, http or https address", matches: /^(?:https?:\/\/\S+|[^\s@:]+@[^\s@]+)$/ },
  }),
  row("language TAG", "the language of title, text and publisher", {
    default: "en",
    form: { of: "a language tag such as en or nl", matches: /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/ },
  }),
  row("keyword WORD...", "a keyword of the dataset"),
  row("spatial IRI...", "a place that the records are about; by default, the places that they name most"),
  row(
    "temporal BEGIN/END",
    "the time that the records are about, such as 1600/1700; by default, taken from their dates",
    { form: INTERVAL },
  ),
  row("access-rights WORD", "who may read the records", oneOf("public", "restricted", "non-public")),
  row("robots FILE", "a robots.txt to use instead of the default, which welcomes crawlers to entities"),
  row("max-lag SECONDS", "on a follower: /ready is 503 after this time out of step", numberOf("seconds", 1)),
  row("ordered", "treat another order of the same triples in quads as a change"),
  row(
    "report-severity WORD",
    "the lowest severity in report files; violation leaves warnings out",
    oneOf("warning", "violation"),
  ),
  row("log-level LEVEL", "the lowest level that is logged", { choices: LOG_LEVELS, default: "info" }),
  row("log-requests WHICH", "which requests are logged: those that failed or took more than a second, all, or none", {
    choices: LOGGED_REQUESTS,
    default: "slow",
  }),
  row("log-clients", "log the client's network; by default, no address is logged"),
  row("load-size MIB", "the largest load over HTTP", numberOf("mebibytes", 1, "20480")),
  row("query-rows NUMBER", "the most rows of a query's result", numberOf("rows", 1, "100000")),
  row("query-size MIB", "the largest result of a query", numberOf("mebibytes", 1, "64")),
  row(
    "query-processes NUMBER",
    "the number of index processes; each has the whole index in memory",
    numberOf("processes", 1, "1", 64),
  ),
  row("engine-ca FILE", "the certificate of the engine's certificate authority, as PEM"),
  row("dump-name NAME", "the beginning of a dump's file names; by default the host of the base URL", {
    form: { of: "a name of letters, digits, -, _ and .", matches: /^[A-Za-z0-9][A-Za-z0-9._-]{0,80}$/ },
  }),
  row("dump-format NAME...", "a format of dumps; by default all", { choices: RECORD_FORMATS.map(({ name }) => name) }),
  row(
    "keep-dumps N",
    "how many dumps to keep; older ones are removed when a new one is complete",
    numberOf("dumps", 1, "2", 10_000),
  ),
  row("connections N", "the most requests at once to a followed service", numberOf("requests at once", 1, "4", 64)),
  row(
    "batch N",
    "at most how many records of a followed service become visible in one step",
    numberOf("records", 1, "1000", 100_000),
  ),
]);

const TABLE: ReadonlyMap<string, Option> = new Map(
  [COMMON_SETTINGS, RULES, RECORD_LIMITS, SERVICE, TELEMETRY, QUERIES, FILE_SETTINGS]
    .flat()
    .map((option) => [option.name, option]),
);

/** Rows of the table, by name. Throws an `Error` for an unknown name, which is a fault of this program. */
export function settings(...names: readonly string[]): readonly Option[] {
  return names.map((name) => {
    const option = TABLE.get(name);
    if (option === undefined) throw new Error(`there is no setting ${name}`);
    return option;
  });
}

/** The settings that records are judged by, for every command that reads records. */
export const READING_SETTINGS: readonly Option[] = [
  ...settings("severity", "shapes"),
  ...RECORD_LIMITS,
  ...settings("report-severity"),
];

/** The settings of every load, however it is started. */
export const LOADING_SETTINGS: readonly Option[] = [
  ...settings("on-invalid", "hold", "max-delete", "max-invalid", "max-change", "ordered", "strict-identity"),
  ...READING_SETTINGS,
];

export const ENGINE_SETTINGS: readonly Option[] = [...TABLE.values()].filter(({ name }) => name.startsWith("engine"));

export const DUMP_SETTINGS: readonly Option[] = settings("dumps", "dump-name", "dump-format", "keep-dumps");

export const SERVING_SETTINGS: readonly Option[] = [
  ...[SERVICE, TELEMETRY, QUERIES].flat(),
  ...FILE_SETTINGS.filter(({ name }) => !["connections", "batch", "ordered", "report-severity"].includes(name)),
];

export const SITE_SETTINGS: readonly Option[] = [
  ...settings("images", "theme", "dumps"),
  ...FILE_SETTINGS.slice(0, FILE_SETTINGS.findIndex(({ name }) => name === "robots") + 1),
];
