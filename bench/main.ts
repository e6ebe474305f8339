/** The benchmarks: `npm run bench` runs all, `npm run bench -- NAME...` only those named. */
import { benchDereference, benchHot, benchVolume } from "./dereference.js";
import { benchEngines } from "./engines.js";
import { benchFind } from "./find.js";
import { benchFindRanking } from "./find-ranking.js";
import { benchHarvest } from "./harvest.js";
import { benchImage } from "./image.js";
import { benchJsonld } from "./jsonld.js";
import { benchLoad } from "./load.js";
import { benchManaged } from "./managed.js";
import { benchObserved } from "./observed.js";
import { benchPages } from "./pages.js";
import { benchSent } from "./sent.js";
import { benchSparql } from "./sparql.js";
import { benchStart } from "./start.js";
import { benchUnderLoad, benchWorkers } from "./under-load.js";
import { benchValidate } from "./validate.js";

const BENCHMARKS: { readonly [name: string]: () => Promise<void> } = {
  jsonld: benchJsonld,
  validate: benchValidate,
  dereference: benchDereference,
  hot: benchHot,
  observed: benchObserved,
  volume: benchVolume,
  start: benchStart,
  "under-load": benchUnderLoad,
  workers: benchWorkers,
  load: benchLoad,
  sent: benchSent,
  sparql: benchSparql,
  image: benchImage,
  engines: benchEngines,
  managed: benchManaged,
  pages: benchPages,
  harvest: benchHarvest,
  find: benchFind,
  "find-ranking": benchFindRanking,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  console.error(`no such benchmark: ${unknown.join(", ")}; there are ${Object.keys(BENCHMARKS).join(", ")}`);
  process.exit(2);
}
for (const name of asked.length > 0 ? asked : Object.keys(BENCHMARKS)) await BENCHMARKS[name]!();
