/** Pages beside JSON-LD: the cost of reading and writing a record, with all that its page shows of other records. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Addresses } from "../src/http/entity/addresses.js";
import { DEFAULT_SITE, navigation, Site } from "../src/http/pages/site.js";
import type { Representation } from "../src/http/representations/representation.js";
import { representations } from "../src/http/representations/representations.js";
import { DocumentReader, DocumentWriter, documentSettings } from "../src/jsonld/documents.js";
import { describe } from "../src/load/pipeline/describe.js";
import { DEFAULT_MODEL } from "../src/model/settings.js";
import type { Json } from "../src/rdf/record-graph.js";
import { openEmbeddedForLoading } from "../src/store/embedded/embedded-store.js";
import { openStore } from "../src/store/open.js";
import type { Store } from "../src/store/store.js";
import { SAMPLE } from "../test/data/sample.js";
import { many } from "./documents.js";
import { fixed, median, report } from "./figures.js";

const BASE = "http://localhost:3000/";
const RECORDS = 2_000;
const RUNS = 15;
/** Runs before those that count, to let the code be compiled. */
const WARMING = 5;

export async function benchPages(): Promise<void> {
  report(`\nPages beside JSON-LD, read and written, median of ${RUNS} runs in turn`);
  await measure(
    "the sample",
    [...SAMPLE.values()].map(({ document }) => document as Json),
  );
  await measure(`${RECORDS} larger records`, await many(RECORDS));
}

async function measure(name: string, documents: readonly Json[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-pages-"));
  try {
    const iris = await load(join(folder, "store"), documents);
    const store = await openStore({ directory: join(folder, "store") });
    const addresses = new Addresses({ baseUrl: BASE });
    const offered = representations({
      model: DEFAULT_MODEL,
      documents: new DocumentWriter(documentSettings(DEFAULT_MODEL, [])),
      site: new Site(addresses, DEFAULT_SITE, navigation({})),
    });
    const named = (format: string): Representation => offered.find((each) => each.format === format)!;
    // Asking only for the page's state measures what is gathered from other records.
    const page = named("html");
    const gathering: Representation = { ...page, write: () => "" };
    const forms = [named("jsonld"), named("schema"), page, gathering];
    const spent = forms.map((): number[] => []);
    let bytes = 0;
    for (let run = -WARMING; run < RUNS; run++)
      for (const [at, form] of forms.entries()) {
        const start = process.cpuUsage();
        const written = await writeAll(form, iris, store, addresses);
        const { user, system } = process.cpuUsage(start);
        if (run >= 0) spent[at]!.push((user + system) / iris.length);
        if (form === page) bytes = written / iris.length;
      }
    const [jsonld, schema, html, gathered] = spent.map(median);
    report(
      `  ${name}: JSON-LD ${fixed(jsonld!)} microseconds of processor, schema.org ${fixed(schema!)}, page ${fixed(html!)} (${fixed(bytes / 1_024)} KiB)`,
    );
    report(`  of the page, what it shows of other records ${fixed(gathered!)}`);
    report(
      `  writing a page costs ${((html! - gathered!) / jsonld!).toFixed(2)} times its JSON-LD, with all that is read for it ${(html! / jsonld!).toFixed(2)} times`,
    );
    await store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function load(directory: string, documents: readonly Json[]): Promise<readonly string[]> {
  const reader = new DocumentReader({ ...documentSettings(DEFAULT_MODEL, []), baseUrl: BASE });
  const store = await openEmbeddedForLoading(directory);
  const stage = await store.stage();
  const iris: string[] = [];
  for (const document of documents) {
    const { graph } = await reader.read(document);
    await stage.put({ graph, ...describe(graph, DEFAULT_MODEL.vocabBase), valid: true });
    iris.push(graph.iri);
  }
  await stage.publish();
  await store.close();
  return iris;
}

/** Write every record as a server does for the first request of it. Resolves to the bytes of all. */
async function writeAll(
  form: Representation,
  iris: readonly string[],
  store: Store,
  addresses: Addresses,
): Promise<number> {
  let bytes = 0;
  for (const iri of iris) {
    const surroundings = { store, addresses, languages: [] };
    const record = await (await store.find(iri))!.record();
    if (form.dependsOn?.state !== undefined) await form.dependsOn.state(record, surroundings);
    const written = await form.write(record, surroundings);
    bytes += (typeof written === "string" ? written : written.body).length;
  }
  return bytes;
}
