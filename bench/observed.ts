/** The cost of logs and metrics: the same requests without any, with the usual ones, and with a line for each request. */

import { inFile } from "../test/cli/in-file.js";
import { inFolder } from "./dereference.js";
import { many } from "./documents.js";
import { fixed, median, report } from "./figures.js";
import { drive, loadStore, processorTime, type Server, serveStore, shuffled } from "./servers.js";

const RECORDS = 5_000;
const HOT = 100;
const REQUESTS = 20_000;
const RUNS = 7;
const NOTHING = ["--metrics-access", "off", ...inFile({ "log-requests": "none" })];

export async function benchObserved(): Promise<void> {
  await inFolder(async (folder, servers) => {
    const loaded = await loadStore(folder, await many(RECORDS));
    for (const cache of ["0", "64"]) {
      const common = ["--sparql-access", "off", "--cache", cache];
      const [none, usual, all] = await Promise.all([
        serveStore(loaded, ...common, ...NOTHING),
        serveStore(loaded, ...common),
        serveStore(loaded, ...common, ...inFile({ "log-requests": "all" })),
      ]);
      servers.push(none, usual, all);
      const isCold = cache === "0";
      const of = isCold ? loaded.paths : loaded.paths.slice(0, HOT);
      const paths = Array.from({ length: Math.ceil(REQUESTS / of.length) }, () => of).flat();
      const [without, withThem, withLines] = await costs([none, usual, all], paths);
      report(
        `\nObserving, ${isCold ? "cold" : "hot"} records: ${paths.length} requests, medians of ${RUNS} runs in turn, warmed up`,
      );
      for (const [name, { rate, processor }] of [
        ["nothing", without!],
        ["logs and metrics", withThem!],
        ["a line for each request, too", withLines!],
      ] as const) {
        const more = name === "nothing" ? "" : `: ${percent(processor / without!.processor)} more`;
        report(
          `  ${name.padEnd(30)}${processor.toFixed(1)} µs of processor time a request${more}; ${fixed(rate)} a second`,
        );
      }
    }
  });
}

/** Answers per second, and the microseconds of the server's processor time per answer. */
interface Cost {
  readonly rate: number;
  readonly processor: number;
}

/** The medians for each server, in runs that take turns: other work on the machine slows down all of them, and does not count as their processor time. */
async function costs(servers: readonly Server[], paths: readonly string[]): Promise<Cost[]> {
  const all = servers.map((): Cost[] => []);
  for (let run = 0; run <= RUNS; run++) {
    for (const [
      index,
      {
        port,
        process: { pid },
      },
    ] of servers.entries()) {
      const before = processorTime(pid!);
      const rate = await drive(port, shuffled(paths));
      // The first run lets the code be compiled.
      if (run > 0) all[index]!.push({ rate, processor: ((processorTime(pid!) - before) * 1e6) / paths.length });
    }
  }
  return all.map((runs) => ({
    rate: median(runs.map(({ rate }) => rate)),
    processor: median(runs.map(({ processor }) => processor)),
  }));
}

function percent(share: number): string {
  return `${((share - 1) * 100).toFixed(1)} %`;
}
