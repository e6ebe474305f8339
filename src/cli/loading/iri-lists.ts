/** Lists of IRIs from arguments or standard input. */
import { text } from "node:stream/consumers";
import { type HeldListed, type HeldRecords, pagesOf, type Store } from "../../store/store.js";
import type { Terminal } from "../main/command.js";
import { iriArgument } from "../settings/common.js";
import { type Options, UsageError } from "../settings/options.js";

/** The IRIs of the arguments, each once, as given; `-` stands for a list on standard input, one per line. */
export async function givenIris(options: Options, { stdin }: Terminal): Promise<readonly string[]> {
  const iris = new Set<string>();
  for (const given of options.positionals)
    for (const iri of given === "-" ? irisIn(await text(stdin)) : [given]) iris.add(iri);
  return [...iris];
}

/** The IRIs of a list, one per line, with or without angle brackets. */
export function irisIn(list: string): string[] {
  return listLines(list).map(({ text }) => /^<(.*)>$/.exec(text)?.[1] ?? text);
}

/** The lines of a list, with their numbers, without empty ones and comments, which begin with `#` and a space. */
export function listLines(list: string) {
  const lines = list.split(/\r?\n/).map((text, at) => ({ text: text.trim(), line: at + 1 }));
  return lines.filter(({ text }) => !/^(?:#?|#\s.*)$/.test(text));
}

const MAX_NAMED = 10;

/** The IRIs of arguments that are in the store. Throws `UsageError`, beginning with `refusal`, for IRIs that the store never had. */
export async function irisThere(
  given: readonly string[],
  options: Options,
  store: Store,
  stateOf: (iri: string) => Promise<"there" | "gone" | "unknown">,
  refusal: string,
): Promise<readonly string[]> {
  const iris = await Promise.all(given.map((each) => iriArgument(each, options, store)));
  const states = await Promise.all(iris.map(stateOf));
  const unknown = iris.filter((_, at) => states[at] === "unknown");
  if (unknown.length === 0) return iris.filter((_, at) => states[at] === "there");
  const named = unknown.slice(0, MAX_NAMED).map((iri) => `<${iri}>`);
  const more = unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : "";
  throw new UsageError(`${refusal} ${named.join(", ")}${more}`, "existence");
}

/** All held records, or those of some sources. */
export async function* allHeld(held: HeldRecords, sources: readonly string[] = []): AsyncIterable<HeldListed> {
  const wanted = sources.length > 0 ? sources : undefined;
  for await (const items of pagesOf((window) => held.list({ sources: wanted, ...window }))) yield* items;
}
