/** `vitrine engine fill` and `vitrine engine check`: the engine that answers queries, in step with the records. */
import { EngineAccess } from "../query/remote/engine-addresses.js";
import { type Comparison, compareEngine } from "../query/remote/engine-comparison.js";
import { EngineFollower } from "../query/remote/engine-follower.js";
import { openStore } from "../store/open.js";
import type { Store } from "../store/store.js";
import type { Command, Terminal } from "./command.js";
import { counted } from "./counted.js";
import { ENGINE_OPTIONS, engineOf, type GivenEngine } from "./engine-options.js";
import { ExitStatus } from "./exit-status.js";
import { tellIndex } from "./index-progress.js";
import { type Options, UsageError } from "./options.js";

/** Milliseconds that one request may take: a first filling sends much at once. */
const TIMEOUT = 600_000;

export const engineCommand: Command = {
  name: "engine",
  operands: "fill|check",
  summary: "fills the engine that answers queries, or compares what it holds with the records",
  examples: [
    "engine fill --engine http://localhost:8890/sparql-auth --engine-user dba --engine-password @password",
    "engine check --repair --engine http://localhost:8890/sparql-auth",
  ],
  notes: [
    "fill takes out what the engine holds of this or another store, and begins anew; serve does what is left when it is",
    "interrupted. check compares slice by slice, and ends with status 1 when something differs (docs/engines.md).",
  ],
  options: [...ENGINE_OPTIONS, { name: "repair", help: "check puts right what differs" }],
  async run(options, terminal) {
    const [what, ...others] = options.positionals;
    if ((what !== "fill" && what !== "check") || others.length > 0) {
      throw new UsageError("say vitrine engine fill or vitrine engine check");
    }
    const engine = await engineOf(options);
    if (engine === undefined) throw new UsageError("name the engine with --engine URL");
    const store = await openStore({ directory: options.required("store") });
    const access = new EngineAccess(engine, TIMEOUT);
    try {
      if (what === "fill") return await fill(store, access, engine, terminal);
      return await check(store, access, engine, options, terminal);
    } finally {
      access.client.close();
      await store.close();
    }
  },
};

async function fill(
  store: Store,
  access: EngineAccess,
  { graphs }: GivenEngine,
  { stderr, interrupted }: Terminal,
): Promise<ExitStatus> {
  const line = (text: string): void => void stderr.write(`${text}\n`);
  const follower = new EngineFollower({ store, access, graphs, report: line });
  const rewrite = stderr.isTTY ? { rewrite: (text: string) => void stderr.rewrite(text) } : {};
  const close = (): void => void follower.close();
  interrupted.addEventListener("abort", close, { once: true });
  await follower.restart(interrupted);
  const stopTelling = tellIndex(() => follower.state, { line, ...rewrite, what: "the query engine" });
  try {
    await follower.follow();
    return ExitStatus.done;
  } finally {
    // Its last state is told, too.
    await new Promise((resolve) => setTimeout(resolve, 250));
    stopTelling();
    interrupted.removeEventListener("abort", close);
  }
}

async function check(
  store: Store,
  access: EngineAccess,
  { graphs }: GivenEngine,
  options: Options,
  { stdout, stderr, interrupted }: Terminal,
): Promise<ExitStatus> {
  const isRepaired = options.isSet("repair");
  const found = await compareEngine({ store, access, graphs, isRepaired, signal: interrupted });
  if (options.isSet("json")) stdout.write(`${JSON.stringify(found)}\n`);
  else for (const name of found.differing) stdout.write(`${name}\n`);
  stderr.write(`${told(found, isRepaired)}\n`);
  return found.missing + found.surplus === 0 || isRepaired ? ExitStatus.done : ExitStatus.someInvalid;
}

function told({ triples, missing, surplus, position, digest }: Comparison, isRepaired: boolean): string {
  const of = `of ${counted(triples, "triple")} at change ${position.sequence.toLocaleString("en")}`;
  if (missing + surplus === 0) return `the engine equals the records: ${of}, digest ${digest.slice(0, 16)}`;
  const differs = `the engine lacked ${missing.toLocaleString("en")} and had ${surplus.toLocaleString("en")} besides, ${of}`;
  return isRepaired ? `${differs}: that was put right` : `${differs}: --repair puts that right`;
}
