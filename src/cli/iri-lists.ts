/** Lists of IRIs that people give: as arguments, in files, on standard input. */
import { text } from "node:stream/consumers";
import type { Terminal } from "./command.js";
import { namedText } from "./common.js";
import type { Option, Options } from "./options.js";

export const IRI_FILE_OPTION: Option = {
  name: "file",
  value: "FILE",
  many: true,
  help: "a list of IRIs, one a line; - as an argument reads standard input",
};

/** The IRIs of arguments and of `--file`, each once, as they were given. Throws `UsageError`. */
export async function givenIris(options: Options, { stdin }: Terminal): Promise<readonly string[]> {
  const iris: string[] = [];
  for (const given of options.positionals) {
    if (given === "-") iris.push(...irisIn(await text(stdin)));
    else iris.push(given);
  }
  for (const file of options.all("file")) iris.push(...irisIn(await namedText(file, `--file ${file}`)));
  return [...new Set(iris)];
}

/** The IRIs of a list, one a line, with or without angle brackets. */
export function irisIn(list: string): string[] {
  const lines = list.split(/\r?\n/).map((line) => line.trim());
  return lines.filter((line) => line !== "").map((line) => /^<(.*)>$/.exec(line)?.[1] ?? line);
}
