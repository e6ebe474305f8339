/** The options of a search: a text, the kind of record, and every other parameter of searches over HTTP. */
import { MAX_TEXT, searchOf } from "../../http/routes/search/search-parameters.js";
import { ENDPOINT_NAMES, type EndpointName } from "../../model/tables/names.js";
import type { SearchQuery } from "../../store/search.js";
import { argument, type Option, type Options, UsageError, usable } from "./options.js";

export const SEARCH_OPTIONS: readonly Option[] = [
  argument("endpoint NAME", "only records of this endpoint", { choices: ENDPOINT_NAMES }),
  argument(
    "where NAME=VALUE...",
    "filter or sort by a parameter of /search: under=IRI, begin=1880, picture=yes, sort=number ... (docs/use/find.md)",
  ),
];

/** The search for the text and the arguments, or `undefined` when at most the endpoint is given. Throws `UsageError`. */
export function searchQueryOf(options: Options): SearchQuery | undefined {
  const text = options.positionals.join(" ").trim();
  const asked = new URLSearchParams(text === "" ? [] : [["text", text]]);
  for (const given of options.all("where")) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
    if (name === undefined)
      throw new UsageError(
        `--where needs a parameter of searches with its value, such as begin=1880; this is ${given}`,
      );
    asked.append(name, value!);
  }
  const endpoint = options.text("endpoint") as EndpointName | undefined;
  if (asked.size === 0) return undefined;
  return usable(text.length > MAX_TEXT ? "" : "--where: ", () => searchOf(asked, endpoint));
}
