/**
 * All settings: one table, from which flags, environment variables, the settings file, its schema, help and documentation
 * follow. What a command does with them is said where they are read.
 */
import { LIMITED_COSTS } from "../../http/telemetry/names.js";
import { DEFAULT_MODEL } from "../../model/settings.js";
import { FILE_SETTINGS } from "./file-settings.js";
import type { Option, Row } from "./options.js";

/** The store and the model, for every command. */
const COMMON: readonly Row[] = [
  { name: "store", value: "DIR", default: "store", help: "where the records live" },
  {
    name: "base-url",
    value: "URL",
    many: true,
    help: "the address of the service; relative ids are resolved against the first, entities under the others answer too",
  },
  { name: "context-uri", value: "URI", default: DEFAULT_MODEL.contextUri, help: "the URI of the data model's context" },
  {
    name: "vocab-base",
    value: "URI",
    default: DEFAULT_MODEL.vocabBase,
    help: "the base of the classification vocabulary",
  },
  { name: "context", value: "URI=FILE", many: true, help: "a further context; nothing is ever fetched" },
];

/** What a collection has decided about its records, for all commands that read some. */
const RULES: readonly Row[] = [
  {
    name: "severity",
    value: "RULE=WORD",
    many: true,
    help: "a rule's severity: warning, violation or off; or @FILE with a decision a line",
  },
  { name: "shapes", value: "FILE", many: true, help: "further rules of your own: SHACL Core in Turtle" },
  {
    name: "on-invalid",
    isMain: true,
    value: "WHAT",
    choices: ["refuse", "accept", "abort"],
    default: "refuse",
    help: "what becomes of invalid records",
  },
  {
    name: "hold",
    value: "RULE|FILE",
    many: true,
    adds: true,
    help: "load these records without publishing them: class=..., endpoint=..., classification=..., source=..., iri=..., or a file with IRIs (docs/publish/held.md)",
  },
  {
    name: "max-delete",
    value: "N",
    help: "stop when --sync would delete more, a number or N%; by default 1%, at least 10 and at most 1000",
  },
  {
    name: "max-invalid",
    value: "N",
    number: { of: "number of records", least: 0 },
    help: "stop when more records are invalid",
  },
  {
    name: "max-change",
    value: "N",
    help: "stop when more records would be created, replaced or deleted, a number or N% of those that are there",
  },
  {
    name: "strict-identity",
    help: "stop a load when a known IRI comes back as something else: of another class, with no name in common",
  },
];

/** Of records, in the settings file alone. */
const RECORD_LIMITS: readonly Row[] = [
  ...(
    [
      ["max-record-bytes", "bytes of a record as it is stored"],
      ["max-record-triples", "triples of a record"],
      ["max-iri-bytes", "bytes of an IRI"],
      ["max-expansion", "times its bytes that an input becomes"],
    ] as const
  ).map(([name, of]) => ({
    name,
    value: "N",
    number: { of: "number", least: 1 },
    help: `the most ${of} (docs/run/limits.md has the default)`,
  })),
];

const SERVICE: readonly Row[] = [
  {
    name: "port",
    isMain: true,
    value: "NUMBER",
    number: { of: "port number", least: 0, most: 65_535 },
    default: "3000",
    help: "0 takes a free one",
  },
  {
    name: "host",
    isMain: true,
    value: "ADDRESS",
    default: "127.0.0.1",
    help: "0.0.0.0 listens on all of the machine's",
  },
  {
    name: "workers",
    isMain: true,
    value: "NUMBER",
    number: { of: "number of processes", least: 1, most: 256 },
    default: "1",
    help: "processes that answer, over the one store",
  },
  { name: "images", value: "DIR", help: "a directory of images, served under /images/" },
  {
    name: "cache",
    value: "MIB",
    number: { of: "number of mebibytes", least: 0, most: 999_999 },
    default: "64",
    help: "memory for answers that are asked for often; 0 keeps none",
  },
  {
    name: "cache-control",
    value: "VALUE",
    default: "no-cache",
    help: "of entities; no-cache lets caches keep them and ask whether they changed",
  },
  { name: "trust-proxy", help: "believe Forwarded and X-Forwarded-*: only behind a proxy that sets or removes them" },
  { name: "hal", help: "add _links to documents, as HAL has them" },
  { name: "theme", value: "DIR", help: "templates, colours and files of your own look (docs/run/pages.md)" },
  { name: "dumps", isMain: true, value: "DIR", help: "where the dumps are; by default the folder dumps in the store" },
];

const TELEMETRY: readonly Row[] = [
  {
    name: "rate-limit",
    value: "[CLASS=]NUMBER",
    many: true,
    help: `requests a minute that a client may send, of each class of cost or of one: ${LIMITED_COSTS.join(", ")}`,
  },
  {
    name: "log-format",
    value: "FORMAT",
    choices: ["auto", "text", "json"],
    default: "auto",
    help: "auto is text on a terminal, JSON lines otherwise",
  },
  {
    name: "metrics-access",
    value: "WHO",
    choices: ["public", "token", "off"],
    default: "public",
    help: "who may read /metrics",
  },
  { name: "metrics-token", value: "TOKEN", secret: true, help: "what is shown with --metrics-access token" },
];

const QUERIES: readonly Row[] = [
  {
    name: "sparql-access",
    isMain: true,
    value: "WHO",
    default: "public",
    choices: ["public", "token", "off"],
    help: "who may query /sparql",
  },
  { name: "sparql-token", value: "TOKEN", secret: true, help: "what clients show with --sparql-access token" },
  {
    name: "query-timeout",
    value: "SECONDS",
    number: { of: "number of seconds", least: 0.001, hasFraction: true },
    default: "30",
    help: "how long a query may run",
  },
  {
    name: "index-graphs",
    value: "TRIPLES",
    number: { of: "number of triples", least: 0 },
    default: "2000000",
    help: "up to so many triples are also held as named graphs, for GRAPH ?g",
  },
  {
    name: "query-memory",
    value: "MIB",
    number: { of: "number of mebibytes", least: 16 },
    default: "1024",
    help: "memory that a query may take beyond the index",
  },
  {
    name: "engine",
    isMain: true,
    value: "URL|virtuoso",
    help: "a SPARQL engine that answers queries, kept in step with the records; or the one that the service runs itself",
  },
  { name: "engine-update", value: "URL", help: "where it takes updates; default: where it takes queries" },
  { name: "engine-graph-store", value: "URL", help: "where it takes graphs, which is quicker than updates" },
  { name: "engine-user", value: "NAME", help: "whom it knows; Basic or Digest, as it asks" },
  {
    name: "engine-password",
    value: "TEXT",
    secret: true,
    help: "the password; without --engine-user, a token that is shown as Bearer",
  },
  {
    name: "engine-graphs",
    value: "HOW",
    default: "merged",
    choices: ["merged", "records"],
    help: "all records in one graph of the engine, or each in a graph of its own",
  },
  { name: "read-only-engine", help: "publish the records from the engine, which others fill; there is no store then" },
];

function rows(
  kind: "setting" | "file setting",
  of: readonly Row[],
  group?: string,
): readonly (readonly [string, Option])[] {
  return of.map((row) => [row.name, { ...row, kind, ...(group === undefined ? {} : { group }) }]);
}

const TABLE: ReadonlyMap<string, Option> = new Map([
  ...rows("setting", COMMON),
  ...rows("setting", RULES, "rules"),
  ...rows("file setting", RECORD_LIMITS, "in the settings file alone"),
  ...rows("setting", SERVICE),
  ...rows("setting", TELEMETRY, "logs, metrics and limits"),
  ...rows("setting", QUERIES, "queries"),
  ...rows("file setting", FILE_SETTINGS, "in the settings file alone"),
]);

/** Rows of the table, by name. Throws an `Error` for a name that has none: the program is wrong. */
export function settings(...names: readonly string[]): readonly Option[] {
  return names.map((name) => {
    const option = TABLE.get(name);
    if (option === undefined) throw new Error(`there is no setting ${name}`);
    return option;
  });
}

const namesOf = (of: readonly Row[]): readonly string[] => of.map(({ name }) => name);

/** By what records are judged, in every command that reads some. */
export const READING_SETTINGS: readonly Option[] = settings(
  "severity",
  "shapes",
  "max-record-bytes",
  "max-record-triples",
  "max-iri-bytes",
  "max-expansion",
  "report-severity",
);

/** What every load goes by, whoever starts it. */
export const LOADING_SETTINGS: readonly Option[] = [
  ...settings("on-invalid", "hold", "max-delete", "max-invalid", "max-change", "ordered", "strict-identity"),
  ...READING_SETTINGS,
];

export const ENGINE_SETTINGS: readonly Option[] = settings(
  "engine",
  "engine-update",
  "engine-graph-store",
  "engine-user",
  "engine-password",
  "engine-ca",
  "engine-graphs",
);

export const DUMP_SETTINGS: readonly Option[] = settings("dumps", "dump-name", "dump-format", "keep-dumps");

/** What `serve` goes by. */
export const SERVING_SETTINGS: readonly Option[] = settings(
  ...namesOf(SERVICE),
  ...namesOf(TELEMETRY),
  ...namesOf(QUERIES),
  ...namesOf(FILE_SETTINGS).filter((name) => !["connections", "batch", "ordered", "report-severity"].includes(name)),
);

/** What a site that is written as files goes by. */
export const SITE_SETTINGS: readonly Option[] = settings(
  ...["images", "theme", "dumps"],
  ...namesOf(FILE_SETTINGS).slice(0, namesOf(FILE_SETTINGS).indexOf("robots") + 1),
);

/** What all commands share. */
export const COMMON_SETTINGS: readonly Option[] = settings(...namesOf(COMMON));
