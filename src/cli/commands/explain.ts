/** `vitrine explain`: the reasons why a record or a property is there or not, and why it has its value. */
import { counted } from "../../base/counted.js";
import { shortened } from "../../base/shortened.js";
import { iriSpellings } from "../../http/entity/iri-equivalents.js";
import { pathCalled } from "../../http/routes/search/reconcile-values.js";
import { asList } from "../../jsonld/json-values.js";
import { placeInInputs } from "../../load/history/find-place.js";
import { type LoadEntry, readLoads, readRefusals } from "../../load/history/history.js";
import { ruleName } from "../../model/rules/shapes.js";
import { ENDPOINTS } from "../../model/tables/endpoints.js";
import { isJsonObject, type Json, type JsonObject } from "../../rdf/record-graph.js";
import { openSearched } from "../../search/open.js";
import type { Change } from "../../store/changes.js";
import { type LocalStore, openStore } from "../../store/open.js";
import type { StoredRecord } from "../../store/record.js";
import type { References, Store } from "../../store/store.js";
import { isValid, type Result } from "../../validate/results.js";
import { UNPUBLISHABLE } from "../../validate/severities.js";
import type { CommandDefinition } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { absoluteIri, baseUrlFor, modelOf, spelledAs } from "../settings/common.js";
import { documentWriterOf } from "../settings/documents.js";
import type { Options } from "../settings/options.js";
import { rulesOf } from "../settings/record-options.js";
import { settings } from "../settings/table.js";

const MAX_LISTED = 10;

type Explanation = Awaited<ReturnType<typeof explain>>;

type Found = Pick<Result, "severity" | "path" | "value" | "message" | "rule">;

export const explainCommand: CommandDefinition = {
  operands: "IRI [PROPERTY]",
  summary: "says why a record or a property is published or missing, and where its value comes from",
  notes: ["A relative IRI is resolved against --base-url, or the base URL that the store was loaded with."],
  examples: ["explain place/delft", "explain place/delft part_of", "explain place/delft identified_by/content"],
  options: settings("severity", "shapes"),
  async run(options, { stdout, stderr, interrupted }) {
    const [given, property] = options.positionals;
    const directory = options.required("store");
    const mayBeNumber = /^[^/:\s][^/:]*$/.test(given!);
    await using store = mayBeNumber
      ? await openSearched({ directory }, stderr.line, interrupted)
      : await openStore({ directory });
    const base = await baseUrlFor(options, store);
    const iri = await spelledAs(base === undefined ? given! : absoluteIri(given!, base), store);
    const explanation = await explain(store, iri, property, options);
    // Without a base URL, only a number, or the name of a refused record, may be relative.
    if (!isKnown(explanation) && explanation.numbered.length === 0)
      absoluteIri(given!, base, mayBeNumber ? "begins no number of a record, and as an IRI it " : "");
    const parts = [stateLines, refusalLines, referenceLines, propertyLines];
    if (options.isSet("json")) stdout.json(explanation);
    else for (const each of parts) for (const line of each(explanation)) stdout.write(`${line}\n`);
    return isKnown(explanation) ? ExitStatus.done : ExitStatus.someInvalid;
  },
};

async function explain(store: LocalStore, iri: string, property: string | undefined, options: Options) {
  const directory = options.required("store");
  const loads = await readLoads(directory);
  const record = await (await store.find(iri))?.record();
  const tombstone = record === undefined ? await store.tombstone(iri) : undefined;
  const held = heldOf(store, iri);
  const changed = (record?.meta ?? tombstone)?.sequence ?? 0;
  // A refused record may have had a name that is not an IRI. What a load refused counts no more if the record was changed since.
  const names = [iri, options.positionals[0]];
  const refused = (await readRefusals(directory)).flatMap(({ load, refusals }) =>
    refusals.flatMap((each) => (names.includes(each.iri) && changed <= load.sequence ? { load, refusal: each } : [])),
  );
  const places = refused.map(({ refusal }) => refusal.place);
  const published = record === undefined ? null : await publishedOf(record, places, loads, options);
  const shown = record ?? store.held.find(iri)?.record();
  const isWritten = property !== undefined && shown !== undefined;
  const document = isWritten ? (await documentWriterOf(options, store, false)).document(shown.graph) : {};
  const endpoint = published?.endpoint ?? held?.endpoint ?? refused[0]?.refusal.endpoint ?? null;
  const results: Found[] = [...(published?.results ?? []), ...refused.flatMap(({ refusal }) => refusal.results)];
  return {
    iri,
    /** The source that the record belongs to, or did before it was deleted. */
    source: (await store.changes.sourceOf(iri)) ?? null,
    published,
    held,
    /** The deletion, if it is the last change. */
    deleted: tombstone
      ? { ...originOf(tombstone, loads), label: tombstone.label, movedTo: tombstone.target ?? null }
      : null,
    refused,
    /** The records that describe the IRI as one of their parts. */
    describedIn: await store.describedIn(iri, MAX_LISTED),
    referrers: await referrersOf(store.references, iri),
    /** Other spellings of the IRI that have a record. */
    similar: record === undefined ? await similarOf(store, iri) : [],
    /** The records with an identifier that is what was given, or begins with it. */
    numbered: (await store.search?.find({ identifier: options.positionals[0] }, { limit: MAX_LISTED }))?.items ?? [],
    property: property === undefined ? null : propertyOf(property, document, endpoint, results),
  };
}

async function publishedOf(record: StoredRecord, places: string[], loads: readonly LoadEntry[], options: Options) {
  const { meta, graph } = record;
  const model = modelOf(options);
  const { graphResults } = await import("../../load/pipeline/examine.js");
  const { Validator } = await import("../../validate/validator.js");
  const validator = await Validator.make({ model, ...(await rulesOf(options, model)) });
  const { endpoint, label, valid, sequence, modified } = meta;
  const origin = originOf({ sequence, time: modified }, loads);
  return {
    ...{ endpoint, label, valid, ...origin },
    /** The place of the record in its input, if the input has not changed. */
    place: origin.load && (await placeInInputs(origin.load, graph.iri, places)),
    results: graphResults(validator, graph, endpoint),
  };
}

/** The held record, which was loaded but not published. */
function heldOf({ held }: LocalStore, iri: string) {
  const found = held.find(iri);
  if (found === undefined) return null;
  const { endpoint, label, valid, modified } = found.meta;
  return { endpoint, label, valid, source: found.source, since: new Date(modified).toISOString() };
}

/** The time of a change, and the load that made it, if it is still recorded. */
function originOf({ sequence, time }: Pick<Change, "sequence" | "time">, loads: readonly LoadEntry[]) {
  const load = loads.find((each) => each.after < sequence && sequence <= each.sequence) ?? null;
  return { time: new Date(time).toISOString(), sequence, load };
}

async function referrersOf(references: References, iri: string) {
  const counts = await references.counts(iri);
  return Promise.all(
    counts.map(async ({ property, records }) => {
      const { items } = await references.page(iri, { ...(property !== null && { property }), limit: MAX_LISTED });
      const some = items.filter((each) => each.property === property).map(({ record }) => record);
      return { property, records, some };
    }),
  );
}

/** The records under other spellings: with the other scheme, with or without a slash at the end, or percent-encoded differently. */
async function similarOf(store: Store, iri: string): Promise<readonly string[]> {
  const other = iri.startsWith("https:") ? iri.replace("https:", "http:") : iri.replace("http:", "https:");
  const spellings = [iri, other].flatMap((each) => [each, each.endsWith("/") ? each.slice(0, -1) : `${each}/`]);
  const all = new Set(spellings.flatMap(iriSpellings));
  const found = await Promise.all([...all].map(async (each) => ((await store.find(each)) === undefined ? [] : [each])));
  return [...found.flat(), ...(await store.fragments(iri, MAX_LISTED))].filter((each) => each !== iri);
}

/** The values at a path: those of all items of an array, unless the path has a position. */
function valuesAt(value: Json, path: string): readonly Json[] {
  const [, name = "", position, rest = ""] = /^([^/[]*)(?:\[(\d+)\])?\/?(.*)$/s.exec(path)!;
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return [];
  const found = position === undefined ? [value[name]!] : asList(value[name]!).slice(Number(position)).slice(0, 1);
  return rest === "" ? found : found.flatMap(asList).flatMap((each) => valuesAt(each, rest));
}

/** What is to be said of a property, and of what was found at a path that begins with it. @param path as reports have it, such as `identified_by[1]/content` */
function propertyOf(path: string, document: JsonObject, endpoint: string | null, all: readonly Found[]) {
  const property = path.replace(/[/[].*/, "");
  const row = ENDPOINTS.find(({ name }) => name === endpoint)?.fields.find((each) => each.property === property);
  const withoutPositions = (of: string): string => `/${of.replace(/\[\d+\]/g, "")}/`;
  const results = all.filter((found) => withoutPositions(found.path).includes(withoutPositions(path)));
  /** The row in the field table of the record's endpoint, or `null` when there is none. */
  const of = row?.when === undefined ? endpoint : `${endpoint} of type ${row.when.join(" or ")} only`;
  const table = row === undefined ? null : `${row.requirement} for ${of} (${row.datatype} in JSON): ${row.meaning}`;
  const values = valuesAt(document, path);
  return { path, property, value: values.length > 1 ? values : (values[0] ?? null), table, results };
}

function isKnown({ published, held, deleted, refused, describedIn, referrers }: Explanation): boolean {
  const lists = [refused, describedIn, referrers];
  return [published, held, deleted].some((state) => state !== null) || lists.some(({ length }) => length > 0);
}

function* stateLines(explanation: Explanation): Iterable<string> {
  const { iri, source: owner, published, held, deleted, refused, similar, numbered } = explanation;
  if (held !== null) {
    const { endpoint, label, valid, source, since } = held;
    const of = source === null ? "" : `, of the source ${source}`;
    yield `<${iri}> is held since ${since}${of}: ${endpoint ?? "of no endpoint"}, ${JSON.stringify(label)}, ${valid ? "valid" : "invalid"}`;
    yield `only clients with a token that may read can see it; vitrine release ${iri} publishes it`;
    if (deleted === null) return;
  }
  if (published !== null) {
    const { endpoint, label, valid, time, sequence, load, place, results } = published;
    yield `<${iri}> is published: ${endpoint ?? "of no endpoint"}, ${JSON.stringify(label)}, ${valid ? "valid" : "invalid"}`;
    yield `last changed ${time} (change ${sequence})${load === null ? "" : ` by the load of ${loadWords(load)}`}`;
    if (owner !== null) yield `it belongs to the source ${owner}`;
    if (place !== null) yield `it is at ${place}`;
    yield results.length === 0 ? "it breaks no rule" : `it breaks ${counted(results.length, "rule")}:`;
    for (const result of results.slice(0, MAX_LISTED)) yield `  ${resultWords(result)}`;
    if (valid !== isValid(results)) yield "the load decided by other rules: give its --shapes and --severity here, too";
  } else if (deleted !== null) {
    const { time, sequence, load, label, movedTo } = deleted;
    const became = movedTo === null ? "deleted" : `moved to <${movedTo}>`;
    yield `<${iri}> was ${became} ${time} (change ${sequence}); it was ${JSON.stringify(label)}`;
    // A load with --sync also withdraws the records of its input that it holds.
    const isLacked = load?.sync === true && time !== held?.since;
    if (load !== null)
      yield `${isLacked ? "a load with --sync did so, since its input lacked the record" : "a load did so"}: ${loadWords(load)}`;
    else if (movedTo !== null) yield "no recorded load did so: it was vitrine move, delete or rebase, or long ago";
    else yield "no recorded load did so: it was vitrine delete, a load that was killed, or long ago";
  } else {
    yield `<${iri}> is not published${refused.length > 0 ? "" : ", and no recorded load refused it"}`;
    if (refused.length + numbered.length === 0) yield "to publish it, load an input that has it: vitrine load FILE";
  }
  for (const each of similar) yield `there is a record <${each}>`;
  for (const each of numbered) yield `it ${each.rank === "value" ? "is" : "begins"} a number of <${each.iri}>`;
}

function* refusalLines({ published, refused }: Explanation): Iterable<string> {
  for (const { load, refusal } of refused) {
    yield `refused by the load of ${loadWords(load)}, at ${refusal.place}:`;
    for (const result of refusal.results.slice(0, MAX_LISTED)) yield `  ${resultWords(result)}`;
    if (published !== null) yield "  the published version stays";
    const rules = refusal.results.map(({ rule }) => ruleName(rule));
    // Without a known context, a document has no class that belongs to an endpoint.
    const isUnread = refusal.endpoint === null && rules.includes("document.context");
    const isFinal = isUnread || load.onInvalid === "accept" || rules.some((rule) => UNPUBLISHABLE.includes(rule));
    const or = isFinal ? "" : ", or use --severity or --on-invalid accept";
    yield `  to publish it, correct these (vitrine mend may help)${or}`;
  }
}

function* referenceLines({ describedIn, referrers }: Explanation): Iterable<string> {
  for (const record of describedIn) yield `it is described as a part of <${record}>`;
  if (referrers.length === 0) yield "no record refers to it";
  for (const { property, records, some } of referrers) {
    const more = records > some.length ? " ..." : "";
    yield `${counted(records, "record")} ${records === 1 ? "refers" : "refer"} to it by ${property ?? "further properties"}: ${some.map((each) => `<${each}>`).join(", ")}${more}`;
  }
}

function* propertyLines({ property, published, held, refused }: Explanation): Iterable<string> {
  if (property === null) return;
  const { path, property: name, value, table, results } = property;
  if (published === null && held === null && refused.length === 0) {
    yield `there is no record that could have ${name}`;
    return;
  }
  const isRead = published !== null || held !== null;
  if (!isRead) yield `the record was refused: only its input has the value of ${path}`;
  else yield value === null ? `${path} is not there` : `${path} is ${JSON.stringify(value)}`;
  // Lists call their columns by other names. A class or a concept at the end of a path is no step of a document.
  const called = pathCalled(path)?.replace(/\/[A-Z\d].*/, "");
  const meant = called === undefined ? "" : `: did you mean ${called}?`;
  yield table === null ? `${name} is not in the record's field table${meant}` : `${name} is ${table}`;
  for (const result of results) yield `  ${resultWords(result)}`;
  if (isRead && value === null && results.length === 0 && path === name)
    yield `the record itself has no ${name}: look in its parts (vitrine get), or in the records that refer to it, above`;
}

function loadWords({ time, inputs, source, unpublished, decisions, shapes, mends }: LoadEntry): string {
  const names = inputs.map(({ name }) => name);
  const from = names.slice(0, 3).join(", ") + (names.length > 3 ? " ..." : "");
  const feed = source === null ? "" : ` (source ${source})`;
  const rules = [
    ...decisions.map((each) => `--severity ${each}`),
    ...shapes.map((each) => `--shapes ${each}`),
    ...(mends ? ["--mend"] : []),
  ];
  const by = rules.length === 0 ? "" : `, with ${rules.join(" ")}`;
  const stopped = unpublished === null ? "" : `, which published nothing: ${unpublished}`;
  return `${new Date(time).toISOString()} from ${from}${feed}${by}${stopped}`;
}

function resultWords({ severity, path, message, value, rule }: Found): string {
  const found = value === null ? "" : `; found ${shortened(value)}`;
  return `${severity}${path === "" ? "" : ` at ${path}`}: ${message}${found} (${ruleName(rule)})`;
}
