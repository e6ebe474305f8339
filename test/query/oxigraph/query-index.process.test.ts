/** Index processes: they are filled, follow changes, answer within limits, and are replaced. */
import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { MAX_TIMER } from "../../../src/base/timer.js";
import type { QueryContext, QueryRequest } from "../../../src/query/engine.js";
import { QueryIndex } from "../../../src/query/oxigraph/query-index.js";
import { untilReady } from "../../../src/query/waiting.js";
import { iri, literal, RDF, RDFS_LABEL } from "../../../src/rdf/terms.js";
import { openEmbeddedForLoading } from "../../../src/store/embedded/embedded-store.js";
import { until } from "../../cli/built.js";
import { tearPagesOf } from "../../cli/torn-pages.js";
import * as asking from "../records.js";
import {
  COUNT,
  ENDLESS,
  NAME,
  object,
  objects,
  publish,
  recordOf,
  request,
  type TestStore,
  type Triple,
  testStore,
} from "../records.js";

let there: TestStore;
let index: QueryIndex;
/** All reports of the index, and those that are errors. */
let reports: string[];
let errors: string[];
const make = async (): Promise<void> => {
  there = await testStore();
};
const remove = async (): Promise<void> => {
  await index.close();
  await there.remove();
};

type Options = Partial<ConstructorParameters<typeof QueryIndex>[0]>;

function open(options: Options = {}): void {
  reports = [];
  errors = [];
  const report = (message: string, isError = false): void => {
    reports.push(message);
    if (isError) errors.push(message);
  };
  // Changes are followed only when a test says so, or when a query comes.
  index = new QueryIndex({ directory: there.directory, followInterval: MAX_TIMER, report, ...options });
}

async function start(options: Options = {}): Promise<void> {
  open(options);
  await untilReady(index);
}

const ask = (query: string, more: Partial<QueryRequest> = {}, by: Partial<QueryContext> = {}) =>
  asking.ask(index, query, more, by);
const count = (query: string) => asking.count(index, query);

// All tests use one index, in their order.
describe("an index", () => {
  /** Milliseconds for which a process may be silent: more than any is on a busy machine. A test that stops one allows it less. */
  const patience = { following: 60_000, filling: 60_000, imaging: 60_000 };
  beforeAll(async () => {
    await make();
    await publish(there.store, objects(5));
  });
  afterAll(remove);

  it("knows before reading that the records cannot fit into its memory", async () => {
    open({ memory: 1_000 });
    await untilReady(index);
    expect(index.state).toMatchObject({ detail: "the records have 20 triples, and up to 5 may fit" });
    expect(reports).toEqual([expect.stringContaining("Use an engine: apt-get install virtuoso-opensource-7-bin")]);
    await index.close();
    reports.length = 0;
  });

  it("recognises a collection that does not fit, and never answers from part of it", async () => {
    open({ memory: 50 * 2 ** 20 });
    await untilReady(index);
    expect(index.state).toMatchObject({ state: "too large", detail: expect.stringMatching(/need about .* MiB/) });
    await expect(ask(COUNT)).rejects.toMatchObject({
      reason: "no-index",
      message: expect.stringContaining("Serve it from a SPARQL engine instead."),
    });
    expect(reports).toHaveLength(1);
    await index.close();
    // With the same memory, this is known without reading the records again.
    open({ memory: 50 * 2 ** 20 });
    await untilReady(index);
    expect(index.state).toMatchObject({ state: "too large", detail: expect.stringContaining("as found before") });
    await index.close();
  });

  it("says how far it is, refuses queries until it is filled, and then says which change it reflects", async () => {
    open({ patience });
    expect(index.state).toEqual({ state: "filling", done: 0, total: 0 });
    await expect(ask(COUNT)).rejects.toMatchObject({
      reason: "busy",
      message: "The index is starting.",
    });
    await untilReady(index);
    expect(index.state).toEqual({ state: "ready", done: 20, total: 20, sequence: 5 });
    expect(await count(COUNT)).toBe(16);
    expect((await ask(COUNT)).sequence).toBe(5);
  });

  it("gives no more bytes than requested", async () => {
    for (const [query, few] of [
      ["SELECT * { ?s ?p ?o }", 500],
      ["SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } LIMIT 512", 100_000],
      ["CONSTRUCT WHERE { ?s ?p ?o }", 500],
    ] as const) {
      await expect(ask(query, { rows: 5_000, bytes: few })).rejects.toMatchObject({ reason: "too-many-bytes" });
      const { bytes, text } = await ask(query, { rows: 5_000 });
      const whole = bytes!;
      expect(whole).toBe(Buffer.byteLength(text));
      expect((await ask(query, { rows: 5_000, bytes: whole })).bytes).toBe(whole);
      await expect(ask(query, { rows: 5_000, bytes: whole - 1 })).rejects.toMatchObject({ reason: "too-many-bytes" });
    }
  });

  it("keeps a long answer and the turn for its reader, and replaces a stalled process", async () => {
    const long = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } LIMIT 512";
    const results = await Promise.all(
      ["b", "c"].map((client) => index.query(request(long, { rows: 5_000 }), { client, timeout: 60_000 })),
    );
    expect(results.map(({ bytes }) => bytes! > 100_000)).toEqual([true, true]);
    let isOver = false;
    const next = ask(COUNT, {}, { client: "b" }).then(() => {
      isOver = true;
    });
    expect(await count(COUNT)).toBe(16);
    const texts = await Promise.all(results.map(async (result) => (await buffer(result.body)).toString()));
    for (const [at, text] of texts.entries()) {
      expect(Buffer.byteLength(text)).toBe(results[at]!.bytes);
      expect(JSON.parse(text).results.bindings).toHaveLength(512);
    }
    expect(isOver).toBe(false);
    for (const { release } of results) release();
    await next;
    // An answer can be read without the process that wrote it.
    const last = await index.query(request(long, { rows: 5_000 }), { client: "b", timeout: 60_000 });
    process.kill(index.workerNumbers()[0]!, "SIGSTOP");
    patience.following = 300;
    await index.follow();
    patience.following = 60_000;
    expect(reports).toEqual(["an index process was silent for 0.3 s; another takes its place"]);
    expect((await buffer(last.body)).toString()).toBe(texts[0]);
    last.release();
    // It waits for the process that takes its place.
    expect(await count(COUNT)).toBe(16);
  });

  it("gives each client its own long answer, also if another's is read to its end meanwhile", async () => {
    const long = (letter: string) => `SELECT * { VALUES ?x { ${`"${letter.repeat(1_000)}" `.repeat(100)}} }`;
    const asked = (letter: string) => index.query(request(long(letter)), { client: letter, timeout: 60_000 });
    const first = await asked("a");
    const second = asked("b");
    first.release();
    const { body, release } = await second;
    const { results } = JSON.parse(String(await buffer(body)));
    expect(results.bindings[0].x.value).toBe("b".repeat(1_000));
    release();
    await turn();
    // The file shrinks with the next query.
    const file = `/proc/${index.workerNumbers()[0]}/fd/4`;
    expect(statSync(file).size).toBeGreaterThan(100_000);
    await ask(COUNT);
    expect(statSync(file).size).toBe(0);
  });

  it("gives a process the time of its query, from the start of its turn: a short query behind another client's long one is answered", async () => {
    // A suspended process takes as long as it may.
    process.kill(index.workerNumbers()[0]!, "SIGSTOP");
    const long = ask(COUNT, {}, { client: "long", timeout: 6_000 });
    const short = ask(COUNT, {}, { client: "short", timeout: 5_500 });
    await expect(long).rejects.toMatchObject({ reason: "timeout" });
    expect((await short).sequence).toBe(5);
    expect(await count(COUNT)).toBe(16);
  });

  it("has all named graphs on request, in a separate store that follows changes like the other", async () => {
    const names = "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }";
    expect((await ask(names)).rows).toBe(5);
    await publish(there.store, [object(9)], [object(1).iri, object(2).iri]);
    expect(await ask(names)).toMatchObject({ rows: 4, sequence: 8 });
    expect(await ask(COUNT)).toMatchObject({ sequence: 8 });
    expect(await count(COUNT)).toBe(13);
  });
});

describe("two processes", () => {
  beforeAll(async () => {
    await make();
    await publish(there.store, objects(50));
    await start({ processes: 2, waiting: { queue: 3, wait: 300 }, queryMemory: 60 * 2 ** 20 });
    await until(() => index.workerNumbers().length === 2);
  });
  afterAll(remove);

  it("run one query per client at a time, until the client leaves, and refuse queries beyond the queue", async () => {
    const before = index.workerNumbers();
    const [gone, goneToo] = [new AbortController(), new AbortController()];
    // A suspended process takes as long as it may.
    process.kill(before[0]!, "SIGSTOP");
    const first = ask(COUNT, {}, { timeout: MAX_TIMER, signal: gone.signal });
    const refused = expect(first).rejects.toMatchObject({ reason: "busy", message: "Nobody waits for the answer." });
    let isSecondOver = false;
    const second = ask(COUNT).then(() => {
      isSecondOver = true;
    });
    const late = expect(ask(COUNT, {}, { timeout: 300 })).rejects.toMatchObject({
      reason: "busy",
      message: expect.stringContaining("The query waited 0.3 seconds for its turn"),
    });
    const forgotten = expect(ask(COUNT, {}, { signal: goneToo.signal })).rejects.toThrow(
      "Nobody waits for the answer.",
    );
    await expect(ask(COUNT)).rejects.toMatchObject({ reason: "busy", message: "3 queries are waiting already." });
    goneToo.abort();
    await forgotten;
    await expect(ask(COUNT, {}, { signal: goneToo.signal })).rejects.toThrow("Nobody waits for the answer.");
    expect((await ask(COUNT, {}, { client: "b" })).sequence).toBe(50);
    await late;
    expect([isSecondOver, index.workerNumbers()]).toEqual([false, before]);
    gone.abort();
    await refused;
    await second;
    await until(() => index.workerNumbers().length === 2);
    expect(before.filter((number) => index.workerNumbers().includes(number))).toHaveLength(1);
  });

  it("end a query that takes too much memory, and survive one that ends its process", async () => {
    const doubled = Array.from({ length: 24 }, (_, at) => `BIND(CONCAT(?x${at}, ?x${at}) AS ?x${at + 1})`).join(" ");
    const large = ENDLESS.replace("{", `{ BIND("12345678" AS ?x0) ${doubled} FILTER(?x24 != ?c)`);
    await expect(ask(large)).rejects.toMatchObject({
      reason: "too-large",
      message: "The query took more than 60 MiB of memory.",
    });
    await untilReady(index);
    await expect(ask(`ASK { FILTER(${"?x && ".repeat(4_000)} ?x) }`)).rejects.toMatchObject({
      reason: "too-large",
      message: expect.stringContaining("ended the process"),
    });
    await untilReady(index);
    expect(await count(COUNT)).toBe(151);
  });
});

describe("an index", () => {
  beforeEach(make);
  afterEach(remove);

  it("follows without queries, and is filled anew while the old one answers, if it cannot follow or has many dead triples", async () => {
    await publish(there.store, objects(3));
    await start({ followInterval: 50, rebuild: { triples: 2, share: 0.1 }, graphTriples: 1_000 });
    const filled = index.workerNumbers();
    await publish(there.store, [object(3)]);
    await until(() => index.state.sequence === 4);
    // The limit of named graphs is compared with this number.
    expect(index.state).toMatchObject({ done: 16, total: 16 });
    expect(index.workerNumbers()).toEqual(filled);
    await publish(there.store, objects(4, "renamed"));
    await until(() => index.workerNumbers().join() !== filled.join());
    expect(await count(COUNT)).toBe(13);
    const renamed = await ask('ASK { ?n <http://www.w3.org/2000/01/rdf-schema#label> "renamed" }');
    expect(renamed.text).toContain("true");
    // More changes than an index follows.
    const many = Array.from({ length: 10_001 }, (_, at) => recordOf(`urn:x:${at}`, [[iri(`urn:x:${at}`), NAME, NAME]]));
    await publish(there.store, many);
    // The old index answers until the new one does, with the sequence number that it reflects.
    const { sequence } = await ask(COUNT);
    expect([8, 10_009]).toContain(sequence);
    await until(() => index.state.sequence === 10_009);
    expect(await count(COUNT)).toBe(10_014);
    await expect(ask("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }")).rejects.toMatchObject({
      reason: "no-graphs",
      message: expect.stringContaining("FROM NAMED"),
    });
  });

  it("that is behind answers from named records as they are now, says so, and joins them with no earlier ones", async () => {
    await publish(there.store, objects(1_001, "old"));
    await start();
    const { sequence } = index.state;
    await publish(there.store, objects(1_001, "new"));
    const self = object(1).iri;
    const label = `?n <${RDFS_LABEL}> ?label`;
    const now = await ask(`SELECT ?label FROM <${self}> { <${self}> <${NAME.value}> ?n . ${label} }`);
    expect([now.text, now.sequence]).toEqual([expect.stringContaining('"new"'), sequence! + 1_001]);
    const before = await ask(`SELECT ?label { <${self}> <${NAME.value}> ?n . ${label} }`);
    expect([before.text, before.sequence]).toEqual([expect.stringContaining('"old"'), sequence]);
    const joined = `SELECT ?label { GRAPH <${self}> { <${self}> <${NAME.value}> ?n } ${label} }`;
    await expect(ask(joined)).rejects.toMatchObject({ reason: "busy", message: expect.stringContaining("GRAPH") });
    const described = await ask(`DESCRIBE <${self}>`);
    expect([described.text, described.sequence]).toEqual([expect.stringContaining('"new"'), sequence! + 1_001]);
    expect((await ask(`DESCRIBE <http://x.example/Painting>`)).sequence).toBe(sequence);
    const changed = `DESCRIBE ?x { BIND(<${self}> AS ?x) }`;
    await expect(ask(changed)).rejects.toMatchObject({ reason: "busy", message: expect.stringContaining(self) });
    await index.follow();
    expect((await ask(joined)).text).toContain('"new"');
  });

  it("leaves out a record that Oxigraph refuses and a damaged one, says which, and adds them once they are repaired", async () => {
    const odd = (name: string, triples: readonly Triple[]) => recordOf(`http://x.example/${name}`, triples);
    const self = iri("http://x.example/langString");
    const strange = odd("strange", [[iri("http://x.example/st>range"), NAME, literal("x")]]);
    const damaged = object(1).iri;
    await publish(there.store, [
      ...objects(3),
      // Loads refuse both, but stores of earlier versions have them.
      odd("langString", [[self, NAME, literal("x", RDF.langString)]]),
      strange,
    ]);
    const { root, records } = there.store.database;
    const value = records.getBinary(Buffer.from(damaged))!;
    value[value.length - 1]! ^= 1;
    root.transactionSync(() => records.putSync(Buffer.from(damaged), value));
    await start();
    const { done, total, ...state } = index.state;
    expect(state).toMatchObject({ state: "ready", leftOut: expect.arrayContaining([strange.iri, damaged]) });
    // The reported triples are those in the index; a record that is left out is an error.
    expect([done, total]).toEqual([9, 14]);
    expect(errors).toEqual(reports);
    expect([...new Set(reports)].sort()).toEqual([
      expect.stringContaining(`left out of the index for SPARQL: the record <${damaged}>`),
      expect.stringContaining(`the record <${strange.iri}> is left out of the index`),
    ]);
    expect(await count(COUNT)).toBe(8);
    const named = ask(`SELECT * FROM <${damaged}> { ?s ?p ?o }`);
    await expect(named).rejects.toMatchObject({ reason: "damaged", message: expect.stringContaining(damaged) });
    await publish(there.store, [odd("strange", [[iri("http://x.example/strange"), NAME, literal("x")]])]);
    await index.follow();
    expect(index.state.leftOut).toEqual([damaged]);
    expect(await count(COUNT)).toBe(9);
    // The damaged record cannot be read to remove its triples, so all records are read anew.
    await publish(there.store, [object(1, "mended")]);
    await index.follow();
    await until(() => index.state.leftOut === undefined);
    expect(await count(COUNT)).toBe(12);
  });

  it("lists a record as left out until it is in the index, also when the change cannot be followed", async () => {
    const named = (name: string, subject: string) =>
      recordOf(`http://x.example/${name}`, [[iri(`http://x.example/${subject}`), NAME, literal(subject)]]);
    // Only the lenient parser takes brackets, and what it took cannot be removed.
    await publish(there.store, [named("strange", "st>range"), named("lenient", "[1]")]);
    await start();
    expect(index.state.leftOut).toEqual(["http://x.example/strange"]);
    await publish(there.store, [named("strange", "strange"), named("lenient", "2")]);
    expect(await count(COUNT)).toBe(1);
    expect(index.state).toMatchObject({ done: 1, total: 2, leftOut: ["http://x.example/strange"] });
  });

  it("refuses a query that meets a damaged page because of the damage, and answers others", async () => {
    await publish(there.store, objects(200));
    await start();
    const numbers = index.workerNumbers();
    tearPagesOf(there.directory, object(1).iri);
    const named = ask(`ASK FROM <${object(1).iri}> { ?s ?p ?o }`);
    await expect(named).rejects.toMatchObject({ reason: "damaged", message: expect.stringContaining("vitrine check") });
    expect(await count(COUNT)).toBe(601);
    expect(index.workerNumbers()).toEqual(numbers);
  });

  it("says in one sentence why a store cannot be read, and tries again", async () => {
    open({ directory: join(there.directory, "none"), restartAfter: 10 });
    await until(() => reports.length > 0);
    const missing = /there is no store in \S*none: /;
    expect(index.state).toMatchObject({ state: "filling", detail: expect.stringMatching(missing) });
    await expect(ask(COUNT)).rejects.toMatchObject({
      reason: "busy",
      message: expect.stringMatching(/^The index cannot be filled: there is no store/),
    });
    const made = await openEmbeddedForLoading(join(there.directory, "none"));
    await publish(made, objects(1));
    await untilReady(index);
    await made.close();
    expect(index.state.detail).toBeUndefined();
    expect(errors).toEqual([expect.stringMatching(missing)]);
  });

  it.each([
    [
      'throw new RangeError("WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance")',
      "does not give its process the memory that it needs",
    ],
    ['process.kill(process.pid, "SIGKILL")', "its process was killed, as by the kernel when memory is short"],
  ])("says once, in one sentence, that it cannot get its memory, and tries again: %s", async (fails, words) => {
    await publish(there.store, objects(2));
    const tried = join(there.directory, "tried");
    const script = join(there.directory, "no-memory.cjs");
    // Fails twice, as under a limit of address space or of memory.
    writeFileSync(
      script,
      `const { appendFileSync, readFileSync } = require("node:fs");
      appendFileSync(${JSON.stringify(tried)}, "x");
      if (readFileSync(${JSON.stringify(tried)}, "utf8").length < 3)
        ${fails};`,
    );
    const { NODE_OPTIONS } = process.env;
    process.env.NODE_OPTIONS = `--require ${script}`;
    try {
      open({ restartAfter: 1 });
      await until(() => reports.length > 0);
      const why = expect.stringContaining(words);
      expect(index.state).toMatchObject({ state: "filling", detail: why });
      await expect(ask(COUNT)).rejects.toMatchObject({ reason: "busy", message: why });
      await untilReady(index);
      expect(readFileSync(tried, "utf8").length).toBeGreaterThanOrEqual(3);
      expect([reports, errors]).toEqual([[why], [why]]);
    } finally {
      if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
      else process.env.NODE_OPTIONS = NODE_OPTIONS;
    }
  });

  it("keeps no descriptors of processes that Node refuses to start, and tries again", async () => {
    await publish(there.store, objects(2));
    const pathOf = (descriptor: string): string => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`);
      } catch {
        // Such as that of the folder itself.
        return "closed meanwhile";
      }
    };
    const ofAnswers = () => readdirSync("/proc/self/fd").filter((each) => pathOf(each).includes("vitrine-answers-"));
    // More than an environment may have.
    vi.stubEnv("LARGE", "x".repeat(2 ** 20));
    onTestFinished(() => void vi.unstubAllEnvs());
    open({ restartAfter: 1 });
    await until(() => reports.length > 0);
    expect(errors).toEqual([expect.stringContaining("cannot be filled: spawn E2BIG")]);
    await until(() => ofAnswers().length === 0);
    vi.unstubAllEnvs();
    await untilReady(index);
  });

  it("ends a process that is silent during its filling", async () => {
    await publish(there.store, objects(2));
    open({ patience: { following: 60_000, filling: 1, imaging: 60_000 } });
    await until(() => reports.length > 0);
    expect(reports).toEqual([
      "the index for SPARQL cannot be filled: an index process was silent for 0.001 s; retrying with growing pauses",
    ]);
  });
});
