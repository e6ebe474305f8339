/** A shell for the commands of the documentation, in which `vitrine` is the command in this process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import type { Outcome } from "../cli/run.js";
import { SAMPLE_URL } from "./pages.js";
import { BASE } from "./scene.js";

/**
 * What the pages' commands mean here: `vitrine` is asked for by a line on stream 3, `curl` asks this machine's services and fails
 * with their errors unless the page looks at the status, the others are the machine's own.
 */
const WORDS = `
set -o pipefail
vitrine() {
  local status
  [[ " $* " == *" - "* ]] && cat > "$ASIDE/stdin"
  printf '%s\\0' "$@" > "$ASIDE/arguments"
  echo >&3
  read -r status <&3
  cat "$ASIDE/stdout"
  return "$status"
}
curl() {
  [[ " $* " == *" -w "* ]] || set -- --fail-with-body "$@"
  set -- "\${@/#${escaped(BASE.slice(0, -1))}/$SERVICE}"
  command curl -sS "\${@//${escaped(SAMPLE_URL)}/$SAMPLE}"
}
date() { command date -u -d 2026-11-22 "$@"; }
node() { '${process.execPath}' "$@"; }
`;

function escaped(url: string): string {
  return url.replaceAll("/", "\\/");
}

export interface ShellOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** What `vitrine` does. `stdin` is read where an argument is -. */
  vitrine(args: readonly string[], stdin: string): Promise<Outcome>;
}

/** A word of a line, quoted or with nothing that the shell sees more in. */
const WORD = /"([^"$`\\]*)"|'([^']*)'|([\w.,:@%/=+-]+)/g;
const CALL = new RegExp(`^vitrine(?: +(?:${WORD.source}))*$`);

/** Run a line of the shell in the working directory; its standard error has what `vitrine` said, too. */
export async function shell(line: string, { environment, vitrine }: ShellOptions): Promise<Outcome> {
  if (CALL.test(line)) {
    const words = [...line.matchAll(WORD)].map(([, double, single, plain]) => double ?? single ?? plain!);
    return vitrine(words.slice(1), "");
  }
  const aside = mkdtempSync(join(tmpdir(), "vitrine-shell-"));
  const child = spawn("bash", ["-c", `${WORDS}\n${line}\n`], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, ASIDE: aside, ...environment },
  });
  const asked = child.stdio[3] as Duplex;
  let said = "";
  using _folder = { [Symbol.dispose]: () => rmSync(aside, { recursive: true, force: true }) };
  using _child = { [Symbol.dispose]: () => child.kill() };
  const ended = once(child, "close") as Promise<[number]>;
  const served = (async () => {
    for await (const _ of createInterface(asked)) {
      const args = readFileSync(join(aside, "arguments"), "utf8").split("\0").slice(0, -1);
      const stdin = args.includes("-") ? readFileSync(join(aside, "stdin"), "utf8") : "";
      const { status, stdout, stderr } = await vitrine(args, stdin);
      said += stderr;
      writeFileSync(join(aside, "stdout"), stdout);
      asked.write(`${status}\n`);
    }
  })();
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!), served]);
  const [status] = await ended;
  return { status, stdout, stderr: said + stderr };
}
