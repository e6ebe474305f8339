import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EngineAccess, type EngineGraphs } from "../../../src/engine/engine-access.js";
import { compareEngine } from "../../../src/query/remote/engine-comparison.js";
import { EngineFollower } from "../../../src/query/remote/engine-follower.js";
import { SynchronizedEngine } from "../../../src/query/remote/synchronized-engine.js";
import { untilReady } from "../../../src/query/waiting.js";
import { iri, literal, RDFS_LABEL, XSD } from "../../../src/rdf/terms.js";
import { IS_WHOLE, shareOf } from "../../extent.js";
import { listeningForTest } from "../../listening.js";
import { startedForAll } from "../../started.js";
import { ask, object, PAINTING, publish, recordOf } from "../records.js";
import { differences, forgetful, madeRecord, seeded } from "./changes.js";
import { startFaultyProxy } from "./faulty-proxy.js";
import { isPutRight, staysEqual, through, withStore } from "./kept.js";
import { startOxigraphEngine } from "./oxigraph-engine.js";

const engine = startedForAll(startOxigraphEngine);

/** The random number with which the proxy chooses garbage, the third of nine faults. */
const GARBAGE = 2.5 / 9;
/** Records that are put or deleted while an engine has faults. */
const CHANGES = IS_WHOLE ? 60 : 40;
/** The fewest requests that a step of a few records takes. */
const REQUESTS = 11;

it("an engine is read, and never compared, if the store does not remember what changes replaced", () =>
  withStore(engine, "merged", async (store) => {
    const reports: string[] = [];
    const { triples } = await staysEqual(forgetful(store), engine, "merged", {
      changes: CHANGES,
      random: seeded("forgotten"),
      reports,
    });
    expect(triples).toBeGreaterThan(50);
    expect(reports.join()).not.toContain("compared");
  }));

describe("a step that was given up while the store does not remember what changes replaced", () => {
  const FIRST = iri("http://data.example/record/1");
  const placed = (how: string, place: number) => {
    const at = iri(`http://data.example/place/${place}`);
    return recordOf(FIRST.value, [
      [FIRST, iri(`http://data.example/${how}`), at],
      [at, iri(RDFS_LABEL), literal(`place ${place}`)],
    ]);
  };

  /** Give up a step at the update that puts lines into the merged graph, then follow the changes made meanwhile. */
  const givenUp = (during: (access: EngineAccess, late: () => Promise<void>) => Partial<EngineAccess>) =>
    withStore(engine, "merged", async (store) => {
      const access = new EngineAccess(engine.addresses, 10_000);
      const by = (changed: Partial<EngineAccess>) =>
        new EngineFollower({
          store: forgetful(store),
          access: Object.assign(new EngineAccess(engine.addresses, 10_000), changed),
          graphs: "merged",
          report: () => {},
        });
      await publish(store, [placed("at", 1)]);
      await by({}).follow();
      await publish(store, [placed("near", 1)]);
      let late = async (): Promise<void> => {};
      const broken = by({
        async update(text) {
          if (!/^INSERT \{ GRAPH <urn:vitrine:records>/.test(text)) return access.update(text);
          late = () => access.update(text);
          throw new Error("given up");
        },
      });
      await expect(broken.follow()).rejects.toThrow("given up");
      await publish(store, [placed("at", 2)]);
      await by(during(access, () => late())).follow();
      expect(await differences(store, engine.addresses, "merged")).toMatchObject({ missing: 0, surplus: 0 });
      access.client.close();
    });

  it("leaves nothing that the next step does not find", () => givenUp(() => ({})));

  it("changes nothing if it arrives late, after the next step has read what the engine holds", () =>
    givenUp((access, late) => ({
      async select(query, signal) {
        const found = await access.select(query, signal);
        if (query.includes("VALUES")) await late();
        return found;
      },
    })));
});

it.each([
  ["5", XSD.integer, "5.0", XSD.decimal, "5"],
  ["12345678901234567891", XSD.integer, "12345678901234567892", XSD.integer, "12345678901234567892"],
  // Oxigraph has one triple for both.
  ["05", XSD.integer, "5", XSD.integer, "5"],
])(
  "an engine has only the new one of two values that are alike: %s as %s, then %s as %s",
  (...[old, was, now, is, kept]) =>
    withStore(engine, "merged", async (store) => {
      using access = new EngineAccess(engine.addresses, 10_000);
      const follower = new EngineFollower({ store, access, graphs: "merged", report: () => {} });
      const [entity, value] = [iri("http://data.example/record/1"), iri("http://data.example/value")];
      for (const each of [literal(old, was), literal(now, is)]) {
        await publish(store, [recordOf(entity.value, [[entity, value, each]])]);
        await follower.follow();
      }
      const { rows } = await access.select(`SELECT ?v { GRAPH <urn:vitrine:records> { ?s <${value.value}> ?v } }`);
      expect(rows.map(({ v }) => v)).toEqual([literal(kept, is)]);
    }),
);

it("a comparison finds what an engine has beside a value that is alike, and a repair removes it", () =>
  withStore(engine, "merged", async (store) => {
    using access = new EngineAccess(engine.addresses, 10_000);
    const [entity, value] = [iri("http://data.example/record/1"), iri("http://data.example/value")];
    const stated = [literal("05", XSD.integer), literal("12345678901234567891", XSD.integer)];
    await publish(store, [
      recordOf(
        entity.value,
        stated.map((each) => [entity, value, each]),
      ),
    ]);
    await new EngineFollower({ store, access, graphs: "merged", report: () => {} }).follow();
    // Oxigraph has 05 as 5.
    const compare = (isRepaired: boolean) => compareEngine({ store, access, graphs: "merged", isRepaired });
    expect(await compare(false)).toMatchObject({ missing: 0, surplus: 0 });
    const extra = `<${entity.value}> <${value.value}> 5.0, 12345678901234567892`;
    await access.update(`INSERT DATA { GRAPH <urn:vitrine:records> { ${extra} } }`);
    expect(await compare(true)).toMatchObject({ differing: [entity.value] });
    expect(await compare(false)).toMatchObject({ missing: 0, surplus: 0 });
    const { rows } = await access.select(`SELECT ?v { GRAPH <urn:vitrine:records> { ?s <${value.value}> ?v } }`);
    expect(rows.map(({ v }) => v!.value).sort()).toEqual(["12345678901234567891", "5"]);
  }));

it("an engine gets the queries of clients from the user for reading, and all else from the one who writes", () =>
  withStore(engine, "merged", async (store) => {
    const users = new Map<boolean, Set<string>>();
    const at = await listeningForTest(async (asked, answer) => {
      const body = await text(asked);
      const isOfClient = body.includes(encodeURIComponent("urn:asked"));
      users.set(isOfClient, (users.get(isOfClient) ?? new Set()).add(asked.headers.authorization!));
      const headers = { accept: asked.headers.accept!, "content-type": asked.headers["content-type"]! };
      const given = await fetch(new URL(asked.url!, engine.addresses.url), { method: "POST", headers, body });
      answer.writeHead(given.status, { "content-type": given.headers.get("content-type") ?? "" });
      answer.end(await given.text());
    });
    const addresses = { url: `${at}/query`, update: `${at}/update`, graphStore: `${at}/store` };
    const [credentials, reader] = [{ token: "writer" }, { token: "reader" }];
    const settings = { ...addresses, credentials, reader, graphs: "merged", store, report: () => {} } as const;
    const kept = new SynchronizedEngine(settings);
    onTestFinished(() => kept.close());
    await untilReady(kept);
    await ask(kept, "ASK { <urn:asked> ?p ?o }");
    expect([...users]).toEqual([
      [false, new Set(["Bearer writer"])],
      [true, new Set(["Bearer reader"])],
    ]);
  }));

describe.each<EngineGraphs>(["merged", "records"])("a small engine (%s)", (graphs) => {
  it("equals the records in the end, whatever breaks on the way", () =>
    withStore(engine, graphs, async (store) => {
      const { triples } = await staysEqual(store, engine, graphs, {
        changes: CHANGES,
        random: seeded(`breaking ${graphs}`),
      });
      expect(triples).toBeGreaterThan(50);
    }));

  it("reports an error if it is not there", () =>
    withStore(engine, graphs, async (store) => {
      const report = vi.fn();
      const kept = new SynchronizedEngine({ url: "http://127.0.0.1:1/", graphs, store, report });
      await expect.poll(() => report).toHaveBeenCalledWith(expect.stringMatching(/cannot be kept in step/), true);
      await kept.close();
    }));

  it("tells the IRIs of the records from those that stand for blank nodes", () =>
    withStore(engine, graphs, async (store) => {
      await publish(store, [object(1)]);
      const kept = new SynchronizedEngine({ ...engine.addresses, graphs, store, report: () => {} });
      await untilReady(kept);
      const found = async (test: string) => {
        const { text } = await ask(kept, `SELECT DISTINCT ?n { ?s ?p ?n FILTER ${test} }`);
        return JSON.parse(text).results.bindings.map(({ n }: { n: { value: string } }) =>
          n.value.replace(/:[^:]*$/, ""),
        );
      };
      const blanks = ["urn:vitrine:blank"];
      expect(await found("isBlank(?n)")).toEqual(blanks);
      expect(await found("(!isIRI( ?n ) && !isLiteral(?n))")).toEqual(blanks);
      expect(await found("isURI(?n)")).toEqual([PAINTING.value.replace(/:[^:]*$/, "")]);
      expect(await found('(?n != "isIRI(?n)" && isiri(?n) # isBlank(?n)\n)')).toEqual(await found("isURI(?n)"));
      await kept.close();
    }));

  it("is asked for no functions of its own, only for casts", () =>
    withStore(engine, graphs, async (store) => {
      const kept = new SynchronizedEngine({ ...engine.addresses, graphs, store, report: () => {} });
      await untilReady(kept);
      const geo =
        "PREFIX f: <http://www.opengis.net/def/function/geosparql/> PREFIX g: <http://www.opengis.net/ont/geosparql#>";
      const here = '"POINT(1 1)"^^g:wktLiteral';
      const refused = ask(kept, `${geo} SELECT (f:sfEquals(${here}, ${here}) AS ?x) {}`);
      await expect(refused).rejects.toMatchObject({
        reason: "malformed",
        message: expect.stringContaining("sfEquals"),
      });
      expect((await ask(kept, `SELECT (<${XSD.integer}>("12") AS ?x) {}`)).text).toContain("12");
      await kept.close();
    }));

  it("is not asked about data from another store, which somebody restores while it is in step", () =>
    withStore(engine, graphs, async (store) => {
      await publish(store, [madeRecord(1, seeded("restored"))]);
      const report = vi.fn();
      const kept = new SynchronizedEngine({ ...engine.addresses, graphs, store, report, interval: 1 });
      onTestFinished(() => kept.close());
      await untilReady(kept);
      expect((await ask(kept, "ASK {}")).text).toContain("true");
      const state = "GRAPH <urn:vitrine:state> { <urn:vitrine:engine> <urn:vitrine:position> ?p }";
      const foreign = JSON.stringify({ sequence: 1, mark: "of another", graphs }).replaceAll('"', '\\"');
      using access = new EngineAccess(engine.addresses, 10_000);
      await access.update(`DELETE { ${state} } INSERT { ${state.replace("?p", `"${foreign}"`)} } WHERE { ${state} }`);
      await expect.poll(() => report).toHaveBeenCalledWith(expect.stringContaining("another store"), true);
      await expect(ask(kept, "ASK {}")).rejects.toMatchObject({ reason: "unreachable" });
    }));

  it("is compared only as it was filled, and can be filled the other way", () =>
    withStore(engine, graphs, async (store) => {
      await publish(store, [madeRecord(1, seeded("layout"))]);
      const access = new EngineAccess(engine.addresses, 10_000);
      await new EngineFollower({ store, access, graphs, report: () => {} }).follow();
      const other = graphs === "merged" ? "records" : "merged";
      const compared = () => compareEngine({ store, access, graphs: other, isRepaired: true });
      await expect(compared()).rejects.toThrow(`the engine was filled with --engine-graphs ${graphs}, not ${other}`);
      const follower = new EngineFollower({ store, access, graphs: other, report: () => {} });
      await follower.restart();
      await follower.follow();
      expect(await compared()).toMatchObject({ missing: 0, surplus: 0 });
      const { rows } = await access.select("SELECT * { GRAPH <urn:vitrine:records> { ?s ?p ?o } }");
      expect(rows.length > 0).toBe(other === "merged");
    }));

  it("is compared by slices, and differences are repaired", () =>
    withStore(engine, graphs, (store) => isPutRight(store, engine, graphs)));

  it("does not take an answer as proof that a request was done, whichever request it is", () =>
    withStore(engine, graphs, async (store) => {
      const random = seeded("swallowed");
      // The number of the request that is answered 200 with garbage, and not passed on.
      let [swallowed, request] = [0, 0];
      const proxy = await startFaultyProxy(engine.port, () => {
        if (request === swallowed) {
          request++;
          return 0;
        }
        return request++ < swallowed || request > swallowed + 2 ? 0.9 : GARBAGE;
      });
      proxy.faults = 0.5;
      const access = new EngineAccess({ ...through(proxy, engine), pause: 1 }, 10_000);
      await using _proxy = { [Symbol.asyncDispose]: () => proxy.stop() };
      using _access = { [Symbol.dispose]: () => access.client.close() };
      const swallowing = shareOf([...Array(REQUESTS).keys()], 3);
      for (const nth of swallowing) {
        await publish(store, [madeRecord(nth % 5, random), madeRecord(5 + (nth % 3), random)]);
        [swallowed, request] = [nth, 0];
        const follower = new EngineFollower({ store, access, graphs, report: () => {} });
        const { sequence } = await store.stats();
        for (let tries = 0; follower.sequence !== sequence && tries < 20; tries++)
          await follower.follow().catch(() => {});
        const found = await differences(store, engine.addresses, graphs);
        expect(found, `request ${nth}`).toMatchObject({ missing: 0, surplus: 0 });
      }
      expect(proxy.counts).toEqual({ garbage: swallowing.length });
    }));
});
