/** Which lines of the sources a run has covered: in the tests' own process (as vitest tells it), and in the processes and threads that they started. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { decodedMappings, type SourceMapInput, TraceMap } from "@jridgewell/trace-mapping";

/** Lines of each source file, by its path from the root. */
export type Lines = ReadonlyMap<string, ReadonlySet<number>>;

export interface Covered {
  /** Lines on which a statement begins. */
  readonly statements: Lines;
  /** Those of them that were run. */
  readonly covered: Lines;
}

/** A file of a coverage report in Istanbul's form, as far as it is read here. */
interface FileCoverage {
  readonly statementMap: Readonly<Record<string, { readonly start: { readonly line: number } }>>;
  readonly s: Readonly<Record<string, number>>;
}

/** What V8 writes at the end of a process: how often each range of a script's functions was run, the inner ranges after the outer. */
interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
  }[];
}

/** Read what a run left in `coverage/NAME`. Throws when there is none. */
export function coveredBy(name: string): Covered {
  const folder = join("coverage", name);
  const statements = new Map<string, Set<number>>();
  const covered = new Map<string, Set<number>>();
  const report = JSON.parse(readFileSync(join(folder, "coverage-final.json"), "utf8")) as Record<string, FileCoverage>;
  for (const [path, { statementMap, s }] of Object.entries(report)) {
    const file = relative(".", path);
    const begun = Object.entries(statementMap).map(([key, { start }]) => [start.line, s[key]! > 0] as const);
    statements.set(file, new Set(begun.map(([line]) => line)));
    covered.set(file, new Set(begun.filter(([, isRun]) => isRun).map(([line]) => line)));
  }
  for (const [url, scripts] of scriptsIn(join(folder, "processes"))) {
    for (const { file, line } of linesOf(fileURLToPath(url), scripts))
      if (statements.get(file)?.has(line)) covered.get(file)!.add(line);
  }
  return { statements, covered };
}

/** The built scripts that processes and threads have run, each with what every one of them says of it. */
function scriptsIn(folder: string): ReadonlyMap<string, readonly ScriptCoverage[]> {
  const scripts = new Map<string, ScriptCoverage[]>();
  if (!existsSync(folder)) return scripts;
  const built = new URL("dist/", `file://${process.cwd()}/`).href;
  for (const name of readdirSync(folder)) {
    const { result } = parsed(join(folder, name));
    for (const script of result) {
      if (!script.url.startsWith(built)) continue;
      const known = scripts.get(script.url);
      if (known === undefined) scripts.set(script.url, [script]);
      else known.push(script);
    }
  }
  return scripts;
}

/** A process that was killed while it wrote leaves half a file, which says nothing. */
function parsed(path: string): { readonly result: readonly ScriptCoverage[] } {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as { result: ScriptCoverage[] };
  } catch {
    return { result: [] };
  }
}

/** The lines of the sources of a built script that were run, some of them several times. */
function* linesOf(
  path: string,
  scripts: readonly ScriptCoverage[],
): Iterable<{ readonly file: string; readonly line: number }> {
  const text = readFileSync(path, "utf8");
  const map = new TraceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")) as SourceMapInput);
  const isRun = new Uint8Array(text.length);
  for (const script of scripts) {
    const counts = new Uint8Array(text.length);
    for (const { startOffset, endOffset, count } of script.functions.flatMap(({ ranges }) => ranges))
      counts.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    for (let at = 0; at < counts.length; at++) isRun[at]! |= counts[at]!;
  }
  const starts = lineStarts(text);
  const files = map.sources.map((source) => relative(".", join(dirname(path), source ?? "")));
  for (const [at, mappings] of decodedMappings(map).entries()) {
    for (const [column, source, line] of mappings)
      if (line !== undefined && isRun[starts[at]! + column] === 1) yield { file: files[source!]!, line: line + 1 };
  }
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
