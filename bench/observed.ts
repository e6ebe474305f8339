/** What logs, metrics and counts of usage cost: the same records asked for with all of them, with a line for each request, and with none. */

import { inFolder, rates } from "./dereference.js";
import { many } from "./documents.js";
import { fixed, report } from "./figures.js";
import { loadStore, serveStore } from "./servers.js";

const RECORDS = 5_000;
const HOT = 100;
const REQUESTS = 20_000;
const NOTHING = ["--metrics-access", "off", "--count-usage", "off", "--log-requests", "none"];

export async function benchObserved(): Promise<void> {
  await inFolder(async (folder, servers) => {
    const loaded = await loadStore(folder, await many(RECORDS));
    for (const cache of ["0", "64"]) {
      const common = ["--sparql-access", "off", "--cache", cache];
      const [none, usual, all] = await Promise.all([
        serveStore(loaded, ...common, ...NOTHING),
        serveStore(loaded, ...common),
        serveStore(loaded, ...common, "--log-requests", "all"),
      ]);
      servers.push(none, usual, all);
      const isCold = cache === "0";
      const of = isCold ? loaded.paths : loaded.paths.slice(0, HOT);
      const paths = Array.from({ length: Math.ceil(REQUESTS / of.length) }, () => of).flat();
      const [without, withThem, withLines] = await rates([none, usual, all].map((server) => ({ server, paths })));
      report(`\nObserving, ${isCold ? "cold" : "hot"} records: ${paths.length} requests, median of runs in turn`);
      report(
        `  nothing ${fixed(without!)} a second; logs, metrics and usage ${fixed(withThem!)}; a line a request, too, ${fixed(withLines!)}`,
      );
      report(`  ${percent(withThem! / without!)} and ${percent(withLines! / without!)} slower`);
    }
  });
}

function percent(share: number): string {
  return `${((1 - share) * 100).toFixed(1)} %`;
}
