/** The index image: the time until the index is ready from it, by filling, and after a killed query; and equal answers after further changes. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { exampleQuery } from "../src/http/sparql/example-query.js";
import type { QueryEngine } from "../src/query/engine.js";
import { QueryIndex } from "../src/query/oxigraph/query-index.js";
import { untilReady } from "../src/query/waiting.js";
import { RecordGraphBuilder } from "../src/rdf/record-graph.js";
import { iri, literal } from "../src/rdf/terms.js";
import { openForLoading } from "../src/store/open.js";
import { many } from "./documents.js";
import { fixed, report, seconds } from "./figures.js";
import { loadInputs, loadStore } from "./servers.js";

const VOLUME = "../shared/volume";
const CHANGES = 1_000;
const ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }";
const COUNTS = [
  "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
  "SELECT ?class (COUNT(?s) AS ?n) { ?s a ?class } GROUP BY ?class ORDER BY ?class",
];

/** Measures `../shared/volume`, or the store in the folder that `BENCH_STORE` names, which is changed. */
export async function benchImage(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  try {
    await bench(process.env.BENCH_STORE ?? (await madeStore(folder)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function madeStore(folder: string): Promise<string> {
  const inputs = existsSync(VOLUME) ? readdirSync(VOLUME).map((file) => join(VOLUME, file)) : [];
  const { store } = inputs.length > 0 ? await loadInputs(folder, inputs) : await loadStore(folder, await many(20_000));
  return store;
}

async function bench(directory: string): Promise<void> {
  const image = join(directory, "index.image");
  rmSync(image, { force: true });
  const filled = await opened(directory);
  report(
    `\nIndex of ${(await counted(filled.index)).toLocaleString("en")} triples: filled in ${fixed(filled.seconds)} s`,
  );
  const writing = await seconds(async () => {
    while (!existsSync(image)) await pause(20);
  });
  const size = statSync(image).size / 2 ** 20;
  report(`  image of ${fixed(size)} MiB written ${fixed(writing)} s later, after a wait of 5 s for changes to end`);
  const killing = await seconds(() => asked(filled.index, ENDLESS, 1_000).catch(() => {}));
  const back = await seconds(() => answering(filled.index));
  report(`  a query killed after ${fixed(killing)} s: answers again after ${fixed(back)} s with one process`);
  await filled.index.close();
  const restored = await opened(directory);
  report(
    `  ready from the image in ${fixed(restored.seconds)} s, ${fixed(filled.seconds / restored.seconds)} times faster`,
  );
  await change(directory);
  const following = await seconds(() => restored.index.follow());
  report(`  ${CHANGES} changes followed in ${fixed(following)} s`);
  const fromImage = await answers(restored.index);
  await restored.index.close();
  rmSync(image);
  const anew = await opened(directory);
  const expected = await answers(anew.index);
  await anew.index.close();
  const different = expected.filter((text, at) => text !== fromImage[at]).length;
  report(`  ${expected.length} queries answered by both: ${different === 0 ? "all equal" : `${different} DIFFERENT`}`);
}

async function opened(directory: string): Promise<{ index: QueryIndex; seconds: number }> {
  const index = new QueryIndex({ directory, report });
  return { index, seconds: await seconds(() => untilReady(index)) };
}

async function asked(engine: QueryEngine, text: string, timeout: number): Promise<string> {
  const request = {
    text,
    defaultGraphs: [],
    namedGraphs: [],
    formats: { results: "csv", graph: "nt" } as const,
    rows: Number.POSITIVE_INFINITY,
    bytes: Number.POSITIVE_INFINITY,
    base: "http://localhost:3000/",
  };
  const result = await engine.query(request, { client: "bench", timeout });
  const body = (await buffer(result.body)).toString();
  result.release();
  return body;
}

async function answering(engine: QueryEngine): Promise<void> {
  for (;;) {
    try {
      await asked(engine, "ASK {}", 1_000);
      return;
    } catch {
      await pause(20);
    }
  }
}

async function counted(engine: QueryEngine): Promise<number> {
  return Number((await asked(engine, COUNTS[0]!, 120_000)).split("\n")[1]);
}

/** The answers to the counts and the example queries, with sorted rows, as engines may return them in any order. */
async function answers(engine: QueryEngine): Promise<string[]> {
  const examples = readdirSync("docs/publish/queries").map(
    (file) => exampleQuery(readFileSync(`docs/publish/queries/${file}`, "utf8"), file).text,
  );
  const texts: string[] = [];
  for (const text of [...COUNTS, ...examples]) {
    const body = await asked(engine, text, 120_000);
    // With LIMIT but no ORDER BY, any rows are right, so only their number is compared.
    const isCut = /LIMIT/i.test(text) && !/ORDER BY/i.test(text);
    texts.push(isCut ? String(body.split("\n").length) : body.split("\n").sort().join("\n"));
  }
  return texts;
}

/** Publish labels and references added to existing records, and deletions of others. */
async function change(directory: string): Promise<void> {
  const store = await openForLoading({ directory });
  const stage = await store.stage();
  let count = 0;
  for await (const { graph, meta } of store.lists.records()) {
    if (count++ % 2 === 0) {
      const builder = new RecordGraphBuilder(graph.iri, graph.context);
      for (let at = 0; at < graph.triples.length; at += 3) {
        const [subject, predicate, object] = [0, 1, 2].map((term) => graph.terms[graph.triples[at + term]!]!);
        builder.add(builder.term(subject!), builder.term(predicate!), builder.term(object!));
      }
      builder.add(
        builder.iri(graph.iri),
        builder.iri("urn:changed"),
        builder.term(count % 4 ? literal("x") : iri("urn:y")),
      );
      await stage.put({ graph: builder.build(), endpoint: meta.endpoint, label: meta.label, valid: meta.valid });
    } else await stage.delete(graph.iri);
    if (count === CHANGES) break;
  }
  await stage.publish();
  await store.close();
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
