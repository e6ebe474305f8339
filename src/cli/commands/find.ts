/** `vitrine find`: records by name, number, what they refer to and words of their texts, from the store alone. */

import { ENDPOINTS } from "../../model/tables/endpoints.js";
import { openSearched } from "../../search/open.js";
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
  summary: "records by name, number, maker, year, what else they refer to, and words of their texts, the best first",
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
    const report = (problem: string): void => void stderr.write(`${problem}\n`);
    await using store = await openSearched({ directory: options.required("store") }, report);
    const { items: hits, next, total, meant } = await store.search.find({ text, endpoint }, { limit });
    if (options.isSet("json")) stdout.write(`${JSON.stringify(hits.map(machineHit))}\n`);
    else for (const line of lines(hits)) stdout.write(`${line}\n`);
    if (meant !== undefined) stderr.write(`nothing is called so; these are for: ${meant}\n`);
    if (hits.length === 0) stderr.write("nothing is called so\n");
    else if (next !== undefined) stderr.write(`the first ${hits.length} of ${total}; --limit gives more\n`);
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
