/** `vitrine find`: records by name, label or identifier, from the store alone. */

import { ENDPOINTS } from "../../model/tables/endpoints.js";
import { openStore } from "../../store/open.js";
import type { SearchHit } from "../../store/search.js";
import type { EndpointKey } from "../../store/store.js";
import type { Command } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { columns } from "../main/text-table.js";
import { UsageError } from "../settings/options.js";

const MAX_LIMIT = 10_000;
/** Characters of a label that a line shows. */
const MAX_SHOWN = 60;

export const findCommand: Command = {
  name: "find",
  operands: "TEXT",
  summary: "records by name, label or identifier: whole, by its beginning, by words; words of statements come last",
  examples: ['find "rembrandt van rijn"', "find SK-C-5 --endpoint object", "find rijn --json"],
  options: [
    {
      name: "endpoint",
      kind: "argument",
      value: "NAME",
      choices: ENDPOINTS.map(({ name }) => name),
      help: "only records of this endpoint",
    },
    {
      name: "limit",
      kind: "argument",
      value: "NUMBER",
      default: "20",
      number: { of: "number of records", least: 1, most: MAX_LIMIT },
      help: "at most so many",
    },
  ],
  async run(options, { stdout, stderr }) {
    const text = options.positionals.join(" ");
    if (text.trim() === "") throw new UsageError("find needs what to look for: vitrine find TEXT");
    const endpoint = options.text("endpoint") as EndpointKey | undefined;
    const limit = options.number("limit")!;
    const directory = options.required("store");
    await using store = await openStore({ directory });
    const { search } = store;
    if (search === undefined) {
      throw new UsageError(`the store in ${directory} was loaded before there were searches: vitrine check --repair`);
    }
    const hits: SearchHit[] = [];
    let after: string | undefined = "";
    // A part may hold fewer than its limit and go on.
    while (after !== undefined && hits.length < limit) {
      const part = await search.find({ text, endpoint }, { after, limit: limit - hits.length });
      hits.push(...part.items);
      after = part.next;
    }
    if (options.isSet("json")) stdout.write(`${JSON.stringify(hits.map(machineHit))}\n`);
    else for (const line of lines(hits)) stdout.write(`${line}\n`);
    if (hits.length === 0) stderr.write("nothing is called so\n");
    else if (after !== undefined) stderr.write(`the first ${hits.length}; --limit gives more\n`);
    return ExitStatus.done;
  },
};

function machineHit({ iri, endpoint, label, rank }: SearchHit): object {
  return { iri, endpoint, label, match: rank };
}

function lines(hits: readonly SearchHit[]): string[] {
  return columns(hits.map(({ iri, endpoint, label, rank }) => [rank ?? "", endpoint ?? "none", shown(label), iri]));
}

function shown(label: string): string {
  const line = label.replace(/[\p{Z}\p{C}]+/gu, " ");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1).toWellFormed()}…` : line;
}
