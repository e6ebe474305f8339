/** Lists of IRIs that people give: as arguments, or on standard input. */
import { text } from "node:stream/consumers";
import type { Terminal } from "./command.js";
import type { Options } from "./options.js";

/** The IRIs of arguments, each once, as they were given; `-` stands for a list on standard input, one a line. */
export async function givenIris(options: Options, { stdin }: Terminal): Promise<readonly string[]> {
  const iris: string[] = [];
  for (const given of options.positionals) {
    if (given === "-") iris.push(...irisIn(await text(stdin)));
    else iris.push(given);
  }
  return [...new Set(iris)];
}

/** The IRIs of a list, one a line, with or without angle brackets. */
export function irisIn(list: string): string[] {
  const lines = list.split(/\r?\n/).map((line) => line.trim());
  return lines.filter((line) => line !== "").map((line) => /^<(.*)>$/.exec(line)?.[1] ?? line);
}
