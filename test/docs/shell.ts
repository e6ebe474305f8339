/** A shell for the commands of the documentation, in which `vitrine` is the command in this process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import type { Outcome } from "../cli/run.js";

/** What the pages' commands mean here: `vitrine` is asked for on stream 3, the others are the machine's own. */
const WORDS = `
vitrine() {
  local status
  [[ " $* " == *" - "* ]] && cat > "$ASIDE/stdin"
  printf '%s\\0' "$#" "$@" >&3
  read -r status <&3
  cat "$ASIDE/stdout"
  return "$status"
}
curl() { command curl -sS --fail-with-body "\${@/#https:\\/\\/data.museum.example/$SERVICE}"; }
date() { command date -u -d 2026-11-22 "$@"; }
`;

export interface ShellOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** What `vitrine` does. `stdin` is read where an argument is -. */
  vitrine(args: readonly string[], stdin: string): Promise<Outcome>;
}

/** Run a line of the shell in the working directory; its standard error has what `vitrine` said, too. */
export async function shell(line: string, { environment, vitrine }: ShellOptions): Promise<Outcome> {
  const aside = mkdtempSync(join(tmpdir(), "vitrine-shell-"));
  const child = spawn("bash", ["-c", `${WORDS}\n${line}\n`], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, ASIDE: aside, ...environment },
  });
  const asked = child.stdio[3] as Duplex;
  let said = "";
  try {
    const ended = once(child, "close") as Promise<[number]>;
    const served = (async () => {
      for await (const args of callsOf(asked)) {
        const stdin = args.includes("-") ? await readFile(join(aside, "stdin"), "utf8") : "";
        const { status, stdout, stderr } = await vitrine(args, stdin);
        said += stderr;
        writeFileSync(join(aside, "stdout"), stdout);
        asked.write(`${status}\n`);
      }
    })();
    const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!), served]);
    const [status] = await ended;
    return { status, stdout, stderr: said + stderr };
  } finally {
    child.kill();
    rmSync(aside, { recursive: true, force: true });
  }
}

/** The arguments of each call: their number first, a zero byte after each. */
async function* callsOf(stream: Duplex): AsyncGenerator<readonly string[]> {
  let words: string[] = [];
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    const pieces = (rest + (chunk as string)).split("\0");
    rest = pieces.pop()!;
    words.push(...pieces);
    if (words.length === 0 || words.length <= Number(words[0])) continue;
    yield words.slice(1);
    words = [];
  }
}
