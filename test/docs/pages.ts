/** The commands of the documentation's pages, as they stand there. */
import { readdirSync, readFileSync } from "node:fs";

/** A command of a page. */
export interface Command {
  /** The page's name, `harvest.md`. */
  readonly page: string;
  readonly line: number;
  /** With all its lines, where it goes on after a backslash. */
  readonly text: string;
}

/** Pages whose commands are blocks for the shell, which other tests run. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  "first-day.md": "test/first-day.process.test.ts",
  "prepare.md": "test/guides.process.test.ts",
  "clients.md": "test/guides.process.test.ts",
};

/** Indented blocks that are no commands: how they begin, and what they are. */
export const NO_COMMANDS: readonly (readonly [page: string, beginning: string, what: string])[] = [
  ["engines.md", "sources -> one loader", "a drawing"],
  ["first-day.md", "severity   records", "what a command prints"],
  ["first-day.md", "vitrine mend would make", "what a command prints"],
  ["jsonld.md", "@context -> ActiveContext", "a drawing"],
  ["jsonld.md", "RecordGraph -> FrameWalk", "a drawing"],
  ["monitoring.md", "vitrine_index_state", "expressions for Prometheus"],
  ["settings.md", "# yaml-language-server", "a settings file"],
  ["validation.md", "# Our old dates", "a file of severities"],
  ["validation.md", '{"summary"', "the form of a report"],
];

export const PAGES: readonly string[] = readdirSync("docs").filter((name) => name.endsWith(".md"));

/** The text of a page. */
export function textOf(page: string): string {
  return readFileSync(`docs/${page}`, "utf8");
}

/** Blocks of a page: those that are indented by four spaces, and the fenced ones for the shell that no other test runs. */
function* blocksOf(page: string): Generator<{ readonly line: number; readonly lines: readonly string[] }> {
  const block = /^```(?<language>\S*)[^\n]*\n(?<fenced>.*?)^```|(?:^ {4}[^\n]*\n)+/gms;
  const text = textOf(page);
  for (const { 0: all, index, groups } of text.matchAll(block)) {
    const line = text.slice(0, index).split("\n").length;
    if (groups!.language === undefined)
      yield {
        line,
        lines: all
          .trimEnd()
          .split("\n")
          .map((each) => each.slice(4)),
      };
    else if (groups!.language === "sh" && !(page in RUN_ELSEWHERE))
      yield { line: line + 1, lines: groups!.fenced!.trimEnd().split("\n") };
  }
}

/** All commands of a page, from its first to its last. */
export function commandsOf(page: string): readonly Command[] {
  const commands: Command[] = [];
  for (const { line, lines } of blocksOf(page)) {
    if (NO_COMMANDS.some(([of, beginning]) => of === page && lines[0]!.startsWith(beginning))) continue;
    for (const [at, text] of lines.entries()) {
      const previous = lines[at - 1]?.endsWith("\\") ? commands.pop() : undefined;
      commands.push(
        previous === undefined ? { page, line: line + at, text } : { ...previous, text: `${previous.text}\n${text}` },
      );
    }
  }
  return commands;
}

/** The files that pages hold: fenced blocks that name one (`file=NAME`). */
export function filesOf(page: string): ReadonlyMap<string, string> {
  return new Map(
    [...textOf(page).matchAll(/^```\w+ file=(\S+)\n(.*?)^```/gms)].map(([, name, text]) => [name!, text!]),
  );
}
