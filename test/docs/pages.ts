/** The documentation's pages, and what of them can be run: commands for the shell, and programs. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** A command or a program of a page. */
export interface Step {
  /** The page's path from docs/. */
  readonly page: string;
  readonly line: number;
  readonly language: Language;
  /** A command with all its lines, where it goes on after a backslash; a program whole. */
  readonly text: string;
  /** What the page says that it prints: the lines after `#>` or `//>`. */
  readonly prints: string;
}

/** What blocks are written in, and what the comments in it begin with. */
const COMMENTS = { sh: "#", js: "//", python: "#" } as const;

export type Language = keyof typeof COMMENTS;

const DOCS = resolve("docs");

/** The README of the project, which is beside docs/. */
export const README = "../README.md";

/** What the README begins with. */
export const NPM_START = "npm ci && npm start";

/** Where it listens, as pages have it. */
export const SAMPLE_URL = "http://localhost:3000";

/** Blocks that cannot be run: how they begin, and what they are. */
export const NO_STEPS: readonly (readonly [page: string, beginning: string, what: string])[] = [
  [README, "N-Quads, Turtle", "a drawing"],
  [README, "objects.jsonl:2: invalid", "what a command prints"],
  ["inside/validation.md", "model/tables ->", "a drawing"],
  ["inside/follow.md", "commands/follow ->", "a drawing"],
  ["inside/answers.md", "GET /object/x", "a drawing"],
  ["inside/answers.md", "Handler.handle", "a list of functions"],
  ["run/engines.md", "sources -> one loader", "a drawing"],
  ["run/replicas.md", "sources -> loader", "a drawing"],
  ["run/replicas.md", "vitrine backup /backup/vitrine", "of several machines: test/replicas runs it on one"],
  ["run/replicas.md", "vitrine serve --cache-control", "test/replicas serves so"],
  ["run/replicas.md", "systemctl disable", "of systemd: test/replicas does the same"],
  ["run/replicas.md", "vitrine dump", "test/deploy/object-storage.campaign.ts runs it"],
  ["run/replicas.md", "rclone copy museum", "test/deploy/object-storage.campaign.ts runs it"],
  ["run/engines.md", "apt-get install virtuoso", "test/query/managed starts it"],
  ["run/deploy.md", "useradd", "of root and systemd: test/deploy/systemd.process.test.ts looks at the unit"],
  [
    "run/deploy.md",
    "install -d -o vitrine -g vitrine -m 750 /var/backups",
    "of root: test/deploy/accepted.process.test.ts runs the unit",
  ],
  ["publish/first-day.md", "severity   records", "what a command prints"],
  ["publish/first-day.md", "vitrine mend would make", "what a command prints"],
  ["publish/first-day.md", "# Our lists need labels", "a file of severities"],
  ["inside/jsonld.md", "@context -> ActiveContext", "a drawing"],
  ["inside/jsonld.md", "DocumentReader.read", "a list of functions"],
  ["inside/jsonld.md", "RecordGraph -> FrameWalk", "a drawing"],
  ["inside/jsonld.md", "EncodedGraph -> TextWalk", "a drawing"],
  ["run/monitoring.md", "vitrine_index_state", "expressions for Prometheus"],
  ["run/settings.md", "# yaml-language-server", "a settings file"],
  ["run/pages.md", "page-language:", "a line of the settings file"],
  ["publish/validation.md", "shape:timespan", "a shape"],
  ["publish/validation.md", "# Our old dates", "a file of severities"],
  ["publish/validation.md", '{"records"', "the form of a report"],
];

/** Files of a folder of docs/ and of the folders in it, by their paths from docs/. */
export function filesIn(folder: string, extension: string): readonly string[] {
  const names = readdirSync(join(DOCS, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(extension)).map((name) => join(folder, name));
}

export const PAGES: readonly string[] = [README, ...filesIn(".", ".md").toSorted()];

/** The text of a page. */
export function textOf(page: string): string {
  return readFileSync(join(DOCS, page), "utf8");
}

/** A page's path from the project's folder. */
export function pathOf(page: string): string {
  return join("docs", page);
}

interface Block {
  readonly line: number;
  /** Empty where it is indented. */
  readonly language: string;
  readonly lines: readonly string[];
  /** The name of the file that it is (`file=NAME`). */
  readonly file?: string;
}

/** Blocks of a page, fenced or indented by four spaces, from its first to its last. */
export function blocksOf(page: string): readonly Block[] {
  const block = /^```(?<language>\w*)(?: file=(?<file>\S+))?\n(?<fenced>.*?)^```|(?:^ {4}[^\n]*\n)+/gms;
  const text = textOf(page);
  return [...text.matchAll(block)].map(({ 0: all, index, groups }) => {
    const line = text.slice(0, index).split("\n").length;
    const { language, file, fenced } = groups as Readonly<Record<string, string | undefined>>;
    if (fenced === undefined) return { line, language: "", lines: all.replace(/^ {4}/gm, "").trimEnd().split("\n") };
    return { line: line + 1, language: language!, lines: fenced.trimEnd().split("\n"), ...(file && { file }) };
  });
}

/** All that can be run of a page, in its order. Throws where a block is neither that nor listed as something else. */
export function stepsOf(page: string): readonly Step[] {
  return blocksOf(page).flatMap(({ line, language, lines, file }) => {
    if (file !== undefined) return [];
    if (NO_STEPS.some(([of, beginning]) => of === page && lines[0]!.startsWith(beginning))) return [];
    const written = language || "sh";
    if (!Object.hasOwn(COMMENTS, written)) throw new Error(`${pathOf(page)}:${line}: a block in ${written}`);
    return stepsIn({ line, lines }, page, written as Language);
  });
}

function stepsIn({ line, lines }: Pick<Block, "line" | "lines">, page: string, language: Language): readonly Step[] {
  const said = `${COMMENTS[language]}> `;
  const steps: Step[] = [];
  for (const [at, text] of lines.entries()) {
    const last = steps.at(-1);
    if (last !== undefined && text.startsWith(said))
      steps.splice(-1, 1, { ...last, prints: `${last.prints}${text.slice(said.length)}\n` });
    else if (last !== undefined && (language !== "sh" || lines[at - 1]!.endsWith("\\")))
      steps.splice(-1, 1, { ...last, text: `${last.text}\n${text}` });
    else steps.push({ page, line: line + at, language, text, prints: "" });
  }
  return steps;
}

/** The files that a page holds: fenced blocks that name one. */
export function filesOf(page: string): ReadonlyMap<string, string> {
  return new Map(blocksOf(page).flatMap(({ file, lines }) => (file ? [[file, `${lines.join("\n")}\n`]] : [])));
}
