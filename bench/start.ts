/** The time from the start of a service's process to its first answer, by the size of its collection. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { join } from "node:path";
import { freePort } from "../test/free-port.js";
import { inFolder } from "./dereference.js";
import { many } from "./documents.js";
import { fixed, median, report } from "./figures.js";
import { type LoadedStore, loadStore, processorTime } from "./servers.js";

const SIZES = [10_000, 100_000, Number.POSITIVE_INFINITY];
const RUNS = 5;

/** Measures stores of several sizes, each served with and without its index. */
export async function benchStart(): Promise<void> {
  await inFolder(async (folder) => {
    report(`\nStart: from the start of the process to the first record, median of ${RUNS}`);
    for (const size of SIZES) {
      const loaded = await loadStore(join(folder, String(size)), await many(size));
      const path = loaded.paths.find((each) => !each.startsWith("/entity"))!;
      const [alone, indexed]: [Start[], Start[]] = [[], []];
      for (let run = 0; run < RUNS; run++) {
        alone.push(await startUp(loaded, path, "--sparql-access", "off"));
        indexed.push(await startUp(loaded, path));
      }
      report(
        `  ${fixed(loaded.paths.length)} records: ${figures(alone)}; with an index that is filled meanwhile ${figures(indexed)}`,
      );
    }
  });
}

function figures(starts: readonly Start[]): string {
  const [seconds, processor] = [starts.map((each) => each.seconds), starts.map((each) => each.processor)];
  return `${median(seconds).toFixed(2)} s (${median(processor).toFixed(2)} s of processor time)`;
}

/** A start: the seconds until the first answer with 200, and the seconds of processor time until then. */
export interface Start {
  readonly seconds: number;
  readonly processor: number;
}

/** Start a service, wait until it answers this path with 200, and stop it. */
export async function startUp(
  { store, base }: LoadedStore,
  path: string,
  ...options: readonly string[]
): Promise<Start> {
  const port = await freePort();
  const begun = performance.now();
  const args = ["serve", "--store", store, "--base-url", base, "--port", String(port), ...options];
  const child = spawn(process.execPath, ["bin/vitrine.js", ...args], { stdio: "ignore" });
  const ended = once(child, "exit");
  try {
    while ((await statusOf(port, path)) !== 200) {
      if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}`);
    }
    return { seconds: (performance.now() - begun) / 1000, processor: processorTime(child.pid!) };
  } finally {
    child.kill();
    await ended;
  }
}

/** The status of an answer; 0, after some milliseconds, while nothing listens at the port. */
function statusOf(port: number, path: string): Promise<number> {
  return new Promise((resolve) => {
    const asked = get({ host: "127.0.0.1", port, path, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode!);
    });
    asked.once("error", () => setTimeout(() => resolve(0), 5));
  });
}
