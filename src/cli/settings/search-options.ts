/** What a command is to find: a text, the kind of record, and whatever else searches over HTTP can ask for. */
import { ProblemError } from "../../http/message/problems/problems.js";
import { searchOf } from "../../http/routes/search/search.js";
import { ENDPOINTS, type EndpointName } from "../../model/tables/endpoints.js";
import type { SearchQuery } from "../../store/search.js";
import { type Option, type Options, UsageError } from "./options.js";

/** The arguments that say it, beside the text. */
export const SEARCH_OPTIONS: readonly Option[] = [
  {
    name: "endpoint",
    kind: "argument",
    value: "NAME",
    choices: ENDPOINTS.map(({ name }) => name),
    help: "only records of one endpoint",
  },
  {
    name: "where",
    kind: "argument",
    value: "NAME=VALUE",
    many: true,
    help: "only those that /search finds by this parameter: begin=1650, madeOf=IRI, sort=date (docs/use/find.md)",
  },
];

/** The search that the text and the arguments say; `undefined` where they say none but the endpoint. Throws `UsageError`. */
export function searchAsked(options: Options): SearchQuery | undefined {
  const text = options.positionals.join(" ").trim();
  const asked = options.all("where").map((given): [string, string] => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
    if (name === undefined) throw new UsageError(`--where ${given} is no NAME=VALUE, such as begin=1650`);
    return [name, value!];
  });
  if (text === "" && asked.length === 0) return undefined;
  try {
    const query = new URLSearchParams(text === "" ? asked : [["text", text], ...asked]);
    return searchOf({ query }, options.text("endpoint") as EndpointName | undefined);
  } catch (error) {
    if (error instanceof ProblemError) throw new UsageError(`--where: ${error.message}`);
    throw error;
  }
}
