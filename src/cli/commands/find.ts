/** `vitrine find`: finds records by name, number, references and words of their texts, using only the store. */
import { grouped } from "../../base/counted.js";
import { onOneLine } from "../../base/shortened.js";
import { MAX_TEXT, searchOf } from "../../http/routes/search/search-parameters.js";
import { ENDPOINT_NAMES, type EndpointName } from "../../model/tables/names.js";
import { openSearched } from "../../search/open.js";
import { meantText } from "../../search/years.js";
import { openStore } from "../../store/open.js";
import type { EndpointKey } from "../../store/record.js";
import { FACETS, type Facets, type SearchHit, type SearchQuery } from "../../store/search.js";
import type { CommandDefinition } from "../main/command.js";
import { columns } from "../main/text-table.js";
import { iriArgument } from "../settings/common.js";
import { argument, numberOf, type Option, type Options, UsageError, usable } from "../settings/options.js";

/** The number of characters of a label that a line shows. */
const MAX_SHOWN = 60;

/** The options of a search, besides its text. */
export const SEARCH_OPTIONS: readonly Option[] = [
  argument("endpoint NAME", "only records of this endpoint", { choices: ENDPOINT_NAMES }),
  argument(
    "where NAME=VALUE...",
    "filter or sort by a parameter of /search: under=IRI, begin=1880, picture=yes, sort=number ... (docs/use/find.md)",
  ),
];

/** The search for the text and the arguments, or `undefined` when at most the endpoint is given. IRIs are resolved and spelled as `iriArgument` says. Throws `UsageError`. */
export async function searchQueryOf(options: Options): Promise<SearchQuery | undefined> {
  const text = options.positionals.join(" ").trim();
  const asked = new URLSearchParams(text === "" ? [] : [["text", text]]);
  const conditions = options.all("where").map((given) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
    if (name === undefined)
      throw new UsageError(`--where needs a parameter with its value, such as begin=1880; this is ${given}`);
    const isIri = !/^(?:name|identifier|text)$/.test(name) && /^(?:https?:\/\/\S+|[\w-]+\/[^\s:]+)$/.test(value!);
    return { name, value: value!, isIri };
  });
  const needsStore = conditions.some(({ isIri }) => isIri);
  await using store = needsStore ? await openStore({ directory: options.required("store") }) : undefined;
  for (const { name, value, isIri } of conditions)
    asked.append(name, isIri ? await iriArgument(value, options, store!) : value);
  const endpoint = options.text("endpoint") as EndpointName | undefined;
  if (asked.size === 0) return undefined;
  return usable(text.length > MAX_TEXT ? "" : "--where: ", () => searchOf(asked, endpoint));
}

export const findCommand: CommandDefinition = {
  operands: "[TEXT...]",
  summary: "finds records by name, number, maker, year, references and words of their texts, the best first",
  examples: [
    'find "rembrandt van rijn"',
    "find SK-C-5 --endpoint object --json",
    "find --where under=https://data.museum.example/place/netherlands --where sort=-changed",
    "find rijn --facets",
  ],
  options: [
    ...SEARCH_OPTIONS,
    argument(
      "limit NUMBER",
      "the most records to list; with --facets, the most values of each facet",
      numberOf("records", 1, "20", 10_000),
    ),
    argument("facets", "count what the records have in common, instead of listing them"),
    argument("explain", "show for each record which fields contain the words"),
  ],
  async run(options, { stdout, stderr, interrupted }) {
    const endpoint = options.text("endpoint") as EndpointKey | undefined;
    const asked = await searchQueryOf(options);
    if (asked === undefined && endpoint === undefined && !options.isSet("facets"))
      throw new UsageError("say what to look for: vitrine find TEXT, or --where NAME=VALUE");
    const query = asked ?? { endpoint };
    const limit = options.number("limit")!;
    await using store = await openSearched({ directory: options.required("store") }, stderr.line, interrupted);
    if (options.isSet("facets")) {
      const facets = await store.search.facets(query, FACETS, limit);
      const estimate = facets.isEstimated ? { isEstimate: true } : {};
      if (options.isSet("json")) stdout.json(facets.values.map((each) => ({ ...each, ...estimate })));
      else for (const line of facetLines(facets)) stdout.write(`${line}\n`);
      return;
    }
    const hasReasons = options.isSet("explain");
    const { items: hits, next, total, meant, near } = await store.search.find(query, { limit, hasReasons });
    if (options.isSet("json"))
      stdout.json(
        hits.map(({ rank: match, iri, endpoint, label, reasons }) => ({ iri, endpoint, label, match, reasons })),
      );
    else for (const line of lines(hits)) stdout.write(`${line}\n`);
    if (meant !== undefined) stderr.line(`nothing found; these are for: ${meantText(meant)}`);
    if (near !== undefined) stderr.line(`did you mean: ${near}?`);
    if (hits.length === 0) stderr.line("nothing found");
    else if (next !== undefined) stderr.line(`the first ${hits.length} of ${total}; --limit gives more`);
  },
};

function lines(hits: readonly SearchHit[]): string[] {
  return columns(
    hits.map(({ iri, endpoint, label, rank, reasons = [] }) => {
      const why = reasons.map(({ field, words }) => `${field}: ${onOneLine(words.join(" "), MAX_SHOWN)}`).join("; ");
      return [rank ?? "", endpoint ?? "none", onOneLine(label, MAX_SHOWN), iri, why];
    }),
  );
}

/** One line for each facet value; estimates are marked. */
function facetLines({ values, isEstimated }: Facets): string[] {
  const rows = values.map(({ facet, value, label, records }) => {
    const count = `${isEstimated ? "~" : ""}${grouped(records)}`;
    return [facet, count, onOneLine(label, MAX_SHOWN), value === label ? "" : value];
  });
  return columns(rows, [1]);
}
