/** Loading over HTTP: what is loaded, refused, cut off and attacked; the loads run in this process. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { request } from "../../src/base/http-client.js";
import type { StartedCommand } from "../../src/http/loads/loads.js";
import { listeningForTest } from "../listening.js";
import {
  attack,
  BASE,
  HOSTILE_KINDS,
  hostile,
  makeTaker,
  places,
  REFUSALS,
  sendAndCut,
  sendEndless,
  serving,
  type Taking,
} from "../sent/sending.js";
import { temporaryFolder } from "../temporary-folder.js";
import { until } from "./built.js";
import { lettingWrite, startHere } from "./here.js";
import { inFile } from "./in-file.js";
import { hurryEnd, type Running, run, serve, serveForTest } from "./run.js";

const RECORDS = 20;
let taking: Taking;
let service: Running;
const folder = temporaryFolder();
let endWriting: () => Promise<void>;
beforeAll(async () => {
  const taker = await makeTaker(RECORDS);
  endWriting = lettingWrite(taker.store);
  service = await serve([...serving(taker), ...inFile({ "load-size": 1 })], { start: startHere });
  taking = { ...taker, url: service.url };
});
afterAll(async () => {
  await service.stop();
  await endWriting();
  taking.remove();
});

const bearer = (token = taking.token) => ({ authorization: `Bearer ${token}` });
async function post(query: string, body: string | Buffer, headers: Record<string, string> = {}) {
  const answer = await fetch(`${taking.url}/load${query}`, {
    method: "POST",
    headers: { ...bearer(), ...headers },
    body,
  });
  const lines = (await answer.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, never>);
  return {
    status: answer.status,
    lines,
    last: lines.at(-1) as unknown as { load: string; state: string; problem: string | null },
  };
}

describe("POST /load", () => {
  it("loads, tells of it by lines, and keeps the outcome", async () => {
    const { status, lines, last } = await post("", places(100, 110), { "content-type": "application/jsonl" });
    expect([status, last.state]).toEqual([200, "published"]);
    expect(lines.find((line) => "summary" in line)).toMatchObject({ summary: { created: 10, unpublished: null } });
    expect((await fetch(`${taking.url}/place/105`)).status).toBe(200);
    const kept = await fetch(`${taking.url}/loads/${last.load}`, { headers: bearer() });
    const told: unknown = await kept.json();
    expect(told).toMatchObject({ state: "published", by: "token-1", summary: { created: 10 } });
    expect(told).not.toHaveProperty("pid");
    const { loads } = (await (await fetch(`${taking.url}/loads`, { headers: bearer() })).json()) as {
      loads: { load: string }[];
    };
    expect(loads[0]!.load).toBe(last.load);
    expect((await fetch(`${taking.url}/loads/20260101000000-00000000`, { headers: bearer() })).status).toBe(404);
  });

  it("takes compressed bodies, and says what is wrong with records", async () => {
    const invalid = `${places(110, 112)}${JSON.stringify({ "@context": "https://linked.art/ns/v1/linked-art.json", id: `${BASE}object/1`, type: "HumanMadeObject", _label: 7 })}\n`;
    const { lines, last } = await post("?format=jsonl&source=objects&dry-run", gzipSync(invalid), {
      "content-encoding": "gzip",
    });
    expect(last).toMatchObject({ state: "dry run", status: 1, problem: null });
    expect(lines.some((line) => JSON.stringify(line).includes(`"iri":"${BASE}object/1"`))).toBe(true);
    expect(lines.find((line) => "summary" in line)).toMatchObject({ summary: { created: 2, unpublished: "dry run" } });
  });

  it.each([
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["x-gzip", gzipSync],
  ])("takes bodies in %s, and stops at one that is not in it", async (coding, compress) => {
    const headers = { "content-encoding": coding };
    const { last, lines } = await post("?format=jsonl&dry-run", compress(places(113, 115)), headers);
    expect(last).toMatchObject({ state: "dry run", status: 0, problem: null });
    expect(lines.find((line) => "summary" in line)).toMatchObject({ summary: { created: 2 } });
    const wrong = await post("?format=jsonl", Buffer.from(`\x1f\x8b ${places(113, 115)}`, "latin1"), headers);
    expect(wrong.last.state).not.toBe("published");
    const plain = await post("?format=jsonl", places(113, 115), headers);
    expect(plain.last.problem).toMatch(/^the input is not \w+, as Content-Encoding says$/);
    // One that grows beyond the limit of a load, 1 MiB here; what may come of gzip is the command's to say.
    if (coding === "x-gzip") return;
    const bomb = await post("?format=jsonl", compress(Buffer.alloc(2_000_000, " ")), headers);
    expect(bomb.last).toMatchObject({ state: "interrupted", problem: "the input has more than 1048576 bytes" });
  });

  it("says which types and codings it reads (RFC 9110, 15.5.16)", async () => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${taking.url}/load`, { method: "POST", headers: { ...bearer(), ...headers }, body: "x" });
    const unknown = await ask({ "content-type": "application/jsonl", "content-encoding": "zstd" });
    expect([unknown.status, unknown.headers.get("accept-encoding")]).toEqual([415, "gzip, br, deflate"]);
    for (const untyped of [await ask({}), await ask({ "content-type": "constructor" })])
      expect([untyped.status, untyped.headers.get("accept")]).toEqual([415, expect.stringContaining("text/turtle")]);
  });

  it("says which limit stopped it", async () => {
    const { last } = await post("?format=jsonl&max-change=0", places(112, 113));
    const problem = "nothing was loaded: 1 record would change, and --max-change allows 0";
    expect(last).toMatchObject({ state: "refused", status: 2, problem });
    const invalid = `{"@context": "https://linked.art/ns/v1/linked-art.json", "id": "${BASE}object/2", "type": "HumanMadeObject", "_label": 7}`;
    const { last: aborted } = await post("?format=jsonl&on-invalid=abort", invalid);
    const told = "nothing was loaded: 1 record invalid (--on-invalid abort)";
    expect(aborted).toMatchObject({ state: "refused", status: 1, problem: told });
    // A dry run stops where the load would, also at an unchanged record of another source.
    const { last: dry } = await post("?format=jsonl&dry-run", places(0, 1), bearer(taking.limited));
    expect(dry).toMatchObject({ state: "refused", problem: expect.stringContaining("records of another source") });
  });

  it.each<[settings: Record<string, unknown>, query: string, outcome: RegExp]>([
    [{ "max-delete": 1 }, "max-delete=100%25", /"problem":"max-delete 100% is not within the 1 of the service's/],
    [{ load: { "max-delete": "5%" } }, "max-delete=5.1%25", /"state":"refused"/],
    [{ "max-delete": "5%" }, "max-delete=2%25", /"state":"dry run"/],
    [{ "max-invalid": 0 }, "max-invalid=10", /"state":"refused"/],
    [{ "max-invalid": 5 }, "max-invalid=5", /"state":"dry run"/],
    [{ "max-change": 1 }, "max-change=1&max-change=2", /"state":"refused"/],
    [{ severity: ["*.presence=warning"] }, "severity=*.presence%3Doff", /"status":400.*severity is decided/],
    [{ severity: ["*.presence=warning"] }, "severity=*.presence%3Dwarning", /"state":"dry run"/],
    [
      { severity: ["*.presence=off", "place.classified_as.presence=violation"] },
      "severity=*.presence%3Doff&max-invalid=0",
      /"state":"refused"/,
    ],
    [{ load: { severity: "*.presence=violation" } }, "severity=*.presence%3Doff", /"problem":"severity is decided/],
    [
      { serve: { severity: "place.classified_as.presence=violation" } },
      "severity=place.classified_as.presence%3Dviolation&max-invalid=0",
      /"state":"refused"/,
    ],
    [{}, "severity=*.presence%3Doff&max-change=2&max-invalid=10", /"state":"dry run"/],
  ])("under the settings %j ends a load with %s by %s", async (settings, query, outcome) => {
    const strict = await serveForTest([...serving(taking), ...inFile(settings)], { start: startHere });
    const load = `${strict.url}/load?format=jsonl&dry-run&${query}`;
    const answer = await fetch(load, { method: "POST", headers: bearer(), body: places(112, 113) });
    expect(await answer.text()).toMatch(outcome);
  });

  it("has loads wait for each other in order", async () => {
    const all = await Promise.all([200, 201, 202].map((at) => post("?format=jsonl", places(at, at + 1))));
    expect(all.map(({ last }) => last.state)).toEqual(["published", "published", "published"]);
    const times = all
      .map(({ last }) => last.load)
      .map((id) => readFileSync(join(taking.store, "loads/sent", `${id}.json`), "utf8"));
    const ended = times.map((text) => (JSON.parse(text) as { ended: string }).ended);
    expect([...ended].sort()).toHaveLength(3);
  });
});

describe("the description of the interface", () => {
  it("has the statuses, parameters and headers of loads, PUT and DELETE", async () => {
    interface Described {
      readonly parameters: readonly { readonly name?: string; readonly $ref?: string }[];
      readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
    }
    type Paths = Readonly<Record<string, Readonly<Record<string, Described>>>>;
    const { paths } = (await (await fetch(`${taking.url}/openapi.json`)).json()) as { paths: Paths };
    const namesOf = ({ parameters }: Described) => parameters.map(({ name, $ref }) => name ?? $ref!.split("/").at(-1));
    const statusesOf = ({ responses }: Described) => Object.keys(responses).filter((status) => status < "300");
    for (const path of ["/entity", "/{path}"]) {
      const { put, delete: remove } = paths[path]!;
      expect([statusesOf(put!), statusesOf(remove!)]).toEqual([["200", "201"], ["204"]]);
      expect(put!.responses).toHaveProperty("413");
      expect(remove!.responses).toHaveProperty("404");
      for (const each of [put!, remove!])
        expect(namesOf(each)).toEqual(expect.arrayContaining(["If-Match", "If-Unmodified-Since"]));
      expect(namesOf(put!)).toContain("If-None-Match");
    }
    expect(namesOf(paths["/entity"]!.put!)).toEqual(expect.arrayContaining(["uri", "source"]));
    const { post } = paths["/load"]!;
    expect(namesOf(post!)).toEqual(expect.arrayContaining(["format", "source", "sync", "dry-run", "hold"]));
    expect(post!.responses["200"]!.headers).toHaveProperty("Location");
  });
});

describe("PUT and DELETE of an entity", () => {
  const LONG_AGO = "Thu, 31 May 2007 20:35:00 GMT";
  const put = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${taking.url}${path}`, {
      method: "PUT",
      headers: { ...bearer(), "content-type": "application/ld+json", ...headers },
      body,
    });
  const remove = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${taking.url}${path}`, { method: "DELETE", headers: { ...bearer(), ...headers } });

  it("are refused while too many loads wait", async () => {
    const stuck = Array.from({ length: 21 }, () => {
      const sent = httpRequest(`${taking.url}/load?format=jsonl`, { method: "POST", headers: bearer() });
      sent.on("error", () => {}).write("\n");
      return sent;
    });
    const busy = async (): Promise<number> => {
      const kept = await fetch(`${taking.url}/loads`, { headers: bearer() });
      const { loads } = (await kept.json()) as { loads: { state: string }[] };
      return loads.filter(({ state }) => state === "running" || state === "waiting").length;
    };
    await until(async () => (await busy()) === stuck.length);
    const refused = [await put("/place/1", places(1, 2).trim()), await remove("/place/1")];
    expect(refused.map(({ status }) => status)).toEqual([503, 503]);
    for (const sent of stuck) sent.destroy();
    await until(async () => (await busy()) === 0);
  });

  it("creates, replaces under a condition, and deletes", async () => {
    const created = await put("/place/300", places(300, 301).trim(), { "if-none-match": "*" });
    expect([created.status, created.headers.get("location")]).toEqual([201, `${BASE}place/300`]);
    expect((await put("/place/300", places(300, 301, "again").trim(), { "if-none-match": "*" })).status).toBe(412);
    const tag = (await fetch(`${taking.url}/place/300.ttl`)).headers.get("etag")!;
    expect((await put("/place/300", places(300, 301, "again").trim(), { "if-match": tag })).status).toBe(200);
    const late = await put("/place/300", places(300, 301, "late").trim(), { "if-match": tag });
    const [now] = (await fetch(`${taking.url}/place/300`)).headers.get("etag")!.slice(1).split(".");
    const { detail } = (await late.json()) as { detail: string };
    expect([late.status, detail]).toEqual([412, expect.stringMatching(`has entity tags that begin with ${now}`)]);
    const part = { "content-range": "bytes 0-9/20" };
    expect((await put("/place/300", places(300, 301, "part").trim(), part)).status).toBe(400);
    expect(await (await fetch(`${taking.url}/place/300`)).json()).toMatchObject({ _label: "again 300" });
    expect((await remove("/place/300", { "if-match": tag })).status).toBe(412);
    expect((await remove("/place/300")).status).toBe(204);
    expect((await fetch(`${taking.url}/place/300`)).status).toBe(410);
    const none = `/entity?uri=${BASE}place/none`;
    expect(await (await remove(none)).json()).toMatchObject({ status: 404, instance: none });
  });

  it("changes nothing under a weak tag, under one that is a word of ours, or where the record changed since a time", async () => {
    const absent = await put("/place/310", places(310, 311).trim(), { "if-match": '"no record", "none"' });
    expect([absent.status, await absent.text()]).toEqual([412, expect.stringContaining("has no record")]);
    expect((await put("/place/310", places(310, 311).trim(), { "if-unmodified-since": LONG_AGO })).status).toBe(201);
    const answer = await fetch(`${taking.url}/place/310`);
    const [tag, modified] = ["etag", "last-modified"].map((name) => answer.headers.get(name)!) as [string, string];
    for (const headers of [{ "if-match": `W/${tag}` }, { "if-match": "" }, { "if-unmodified-since": LONG_AGO }]) {
      expect([headers, (await remove("/place/310", headers)).status]).toEqual([headers, 412]);
    }
    const again = places(310, 311, "again").trim();
    expect((await put("/place/310", again, { "if-unmodified-since": modified })).status).toBe(200);
    const other = (await fetch(`${taking.url}/place/310`)).headers.get("etag")!;
    const headers = { "if-match": `W/"x", ${other}`, "if-unmodified-since": LONG_AGO };
    expect((await remove("/place/310", headers)).status).toBe(204);
  });

  it("means the record of the requested host, if the service has several base URLs", async () => {
    const other = await serve([...serving(taking), "--base-url", "http://old.example/"], { start: startHere });
    onTestFinished(async () => void (await other.stop()));
    const ask = async (host: string, method: "GET" | "PUT" | "DELETE", body?: string) => {
      const headers = { ...bearer(), host, "content-type": "application/ld+json" };
      const answer = await request(`${other.url}/place/1`, { method, headers, ...(body && { body }) });
      await answer.body.dump();
      return answer.statusCode;
    };
    expect(await ask("old.example", "DELETE")).toBe(404);
    const old = places(1, 2).replaceAll(BASE, "http://old.example/");
    expect(await ask("old.example", "PUT", old)).toBe(201);
    expect(await ask("old.example", "DELETE")).toBe(204);
    expect(await ask(new URL(BASE).host, "GET")).toBe(200);
  });

  it("does not blame the record if the store cannot be written to", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const start: typeof startHere = (args, conditions) =>
      startHere(
        args.map((arg) => (arg.startsWith("--store=") ? `--store=${file}/store` : arg)),
        conditions,
      );
    const other = await serve(serving(taking), { start });
    onTestFinished(async () => void (await other.stop()));
    const headers = { ...bearer(), "content-type": "application/ld+json" };
    const answer = await fetch(`${other.url}/place/1`, { method: "PUT", headers, body: places(1, 2) });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining(file), load: expect.any(String) });
  });

  it.each(["refuse", "abort"])(
    "says of an invalid record that it breaks rules, with on-invalid: %s, too",
    async (how) => {
      const strict = await serveForTest([...serving(taking), ...inFile({ "on-invalid": how })], { start: startHere });
      const headers = { ...bearer(), "content-type": "application/ld+json" };
      const body = `{"@context": "https://linked.art/ns/v1/linked-art.json", "id": "${BASE}object/2", "type": "HumanMadeObject", "_label": 7}`;
      const answer = await fetch(`${strict.url}/object/2`, { method: "PUT", headers, body });
      expect([answer.status, await answer.json()]).toEqual([
        422,
        expect.objectContaining({
          detail: "The record breaks rules.",
          records: [expect.objectContaining({ iri: `${BASE}object/2` })],
        }),
      ]);
    },
  );

  it("goes by the whole path, whatever stands after a dot in it", async () => {
    const { "@context": context, type } = JSON.parse(places(300, 301)) as Record<string, string>;
    for (const path of ["/collection/1937.1.2.c", "/art/1919.55", "/place/list.ttl"]) {
      const iri = `${BASE}${path.slice(1)}`;
      const created = await put(path, JSON.stringify({ "@context": context, id: iri, type, _label: "A place" }));
      expect([path, created.status, created.headers.get("location")]).toEqual([path, 201, iri]);
      const options = await fetch(`${taking.url}${path}`, { method: "OPTIONS" });
      expect(options.headers.get("allow")).toBe("GET, HEAD, PUT, DELETE, OPTIONS");
      expect(await (await fetch(`${taking.url}${path}`)).json()).toMatchObject({ id: iri });
      expect([path, (await remove(path)).status]).toEqual([path, 204]);
    }
  });

  it("means the record at the path of a service, which has neither of them", async () => {
    const { "@context": context, type } = JSON.parse(places(300, 301)) as Record<string, string>;
    for (const path of ["/activity/7", "/search/", "/sparql", "/versions/7"]) {
      const id = BASE.slice(0, -1) + path;
      const preflight = await fetch(`${taking.url}${path}`, { method: "OPTIONS" });
      expect(preflight.headers.get("access-control-allow-methods")).toContain("PUT, DELETE");
      expect(preflight.headers.get("access-control-allow-headers")).toContain("Authorization");
      const created = await put(path, JSON.stringify({ "@context": context, id, type, _label: "A place" }));
      expect([path, created.status, created.headers.get("location")]).toEqual([path, 201, id]);
      expect(await (await fetch(`${taking.url}${path}`)).json()).toMatchObject({ id });
      expect([path, (await remove(path)).status]).toEqual([path, 204]);
    }
    expect((await fetch(`${taking.url}/load`)).status).toBe(405);
  });

  it("means the record that GET finds there, in whatever spelling its IRI is (RFC 3987, 3.1)", async () => {
    const { "@context": context, type } = JSON.parse(places(300, 301)) as Record<string, string>;
    const body = (path: string, label = "A place") =>
      JSON.stringify({ "@context": context, id: BASE.slice(0, -1) + path, type, _label: label });
    const SPELLINGS = ["/münchen", "/m%C3%BCnchen", "/m%c3%bcnchen"];
    const PATHS = ["/m%C3%BCnchen", "/m%c3%bcnchen", `/entity?uri=${encodeURIComponent(`${BASE}münchen`)}`];
    for (const spelling of SPELLINGS) {
      for (const path of PATHS) {
        expect((await put(path, body(spelling), { "if-none-match": "*" })).status).toBe(201);
        const found = await fetch(`${taking.url}${path}`);
        const tag = found.headers.get("etag")!;
        expect((await put(path, body(spelling, "Again"), { "if-match": tag })).status).toBe(200);
        expect((await put(path, body(spelling), { "if-none-match": "*" })).status).toBe(412);
        // Another spelling would be a second record.
        for (const other of SPELLINGS.filter((each) => each !== spelling)) {
          const second = await put(path, body(other));
          expect([second.status, await second.json()]).toMatchObject([
            422,
            { detail: expect.stringContaining(spelling) },
          ]);
        }
        expect(await (await fetch(`${taking.url}${path}`)).json()).toMatchObject({ _label: "Again" });
        expect((await remove(path, { "if-match": tag })).status).toBe(412);
        expect((await remove(path)).status).toBe(204);
        expect((await fetch(`${taking.url}${path}`)).status).toBe(410);
      }
    }
    expect((await remove("/m%C3%BCnchner")).status).toBe(404);
    const both = await put(PATHS[0]!, `[${body(SPELLINGS[0]!)}, ${body(SPELLINGS[1]!)}]`);
    expect([both.status, (await fetch(`${taking.url}${PATHS[0]}`)).status]).toEqual([422, 410]);
  });

  it("leaves a held record at the path of a service to those who may read it, with its suffixes, too", async () => {
    const { last } = await post(
      "?format=jsonl&source=first&hold=source=first",
      places(8, 9).replace("/place/8", "/activity/held"),
    );
    expect(last.state).toBe("published");
    for (const path of ["/activity/held", "/activity/held.ttl", "/activity/%68eld"]) {
      const answer = await fetch(`${taking.url}${path}`, { headers: bearer(taking.reading) });
      expect([path, answer.status]).toEqual([path, 200]);
      const hidden = await fetch(`${taking.url}${path}`);
      expect([hidden.status, hidden.headers.get("vary")]).toEqual([404, expect.stringContaining("Authorization")]);
    }
    expect((await remove("/activity/held")).status).toBe(204);
  });

  it("counts the held records that a synchronizing load deletes, and names them only to those who may read", async () => {
    const hidden = places(8, 9).replace("/place/8", "/place/hidden");
    await post("?format=jsonl&source=secret&hold=source=secret", hidden);
    const { lines } = await post("?format=jsonl&source=secret&sync&dry-run", "");
    expect(lines.find((line) => "summary" in line)).toMatchObject({ summary: { deletions: 1 } });
    expect(JSON.stringify(lines)).not.toContain("hidden");
    const sending = ["--to", taking.url, "--token", taking.token, "--source", "secret", "--sync", "--dry-run"];
    const { stderr } = await run(["load", "-", "--format", "jsonl", ...sending], { stdin: "" });
    expect(stderr).toContain("1 deleted");
    expect(stderr).not.toContain("--report FILE lists all");
    expect((await remove("/place/hidden")).status).toBe(204);
  });

  it("says how to name the source to a token for several", async () => {
    const made = await run(["token", "new", "--store", taking.store, "--source", "a", "--source", "first"]);
    const several = bearer(made.stdout.trim());
    const known = JSON.stringify(await (await fetch(`${taking.url}/place/0`)).json());
    const unnamed = await put("/place/0", known, several);
    const detail = expect.stringContaining("is only for a, first: name one with /entity?uri=IRI&source=NAME.");
    expect([unnamed.status, await unnamed.json()]).toMatchObject([403, { detail }]);
    expect((await put(`/entity?uri=${BASE}place/0&source=first`, known, several)).status).toBe(200);
  });

  it("says where the record is whose IRI has a query, or is in one", async () => {
    const { "@context": context, type } = JSON.parse(places(300, 301)) as Record<string, string>;
    const ELSEWHERE = `/entity?uri=${encodeURIComponent("http://other.example/322")}`;
    for (const [path, iri, location] of [
      ["/place?id=320", `${BASE}place?id=320`, `${BASE}place?id=320`],
      [`/entity?uri=${encodeURIComponent(`${BASE}place/321`)}`, `${BASE}place/321`, `${BASE}place/321`],
      [ELSEWHERE, "http://other.example/322", `${BASE.slice(0, -1)}${ELSEWHERE}`],
    ] as const) {
      const created = await put(path, JSON.stringify({ "@context": context, id: iri, type, _label: "A place" }));
      expect([path, created.status, created.headers.get("location")]).toEqual([path, 201, location]);
      expect([path, (await remove(path)).status]).toEqual([path, 204]);
    }
  });

  it("refuses what is not that record, or breaks rules, and says why", async () => {
    const other = await put("/place/301", places(302, 303).trim());
    expect([other.status, await other.json()]).toMatchObject([
      422,
      { detail: `The body describes another entity than ${BASE}place/301.` },
    ]);
    const known = JSON.stringify(await (await fetch(`${taking.url}/place/0`)).json());
    expect([(await put("/place/0", known)).status, (await put("/place/301", known)).status]).toEqual([200, 422]);
    const bad = await put("/place/301", JSON.stringify({ id: `${BASE}place/301`, type: "Place", _label: 7 }));
    expect(bad.status).toBe(422);
    expect(await bad.json()).toMatchObject({ title: "Record refused" });
    expect((await put("/place/301", "{")).status).toBe(422);
    // Each of them has a record that would be published if it were alone.
    const node = `<${BASE}place/301>`;
    const stray = `${node} a <http://www.cidoc-crm.org/cidoc-crm/E53_Place> ; <http://www.w3.org/2000/01/rdf-schema#label> "x" . <urn:stray> <urn:p> 1 .`;
    for (const [body, type] of [
      [`[${[1, 2].map(() => places(301, 302).trim())}]`, "application/ld+json"],
      [stray, "text/turtle"],
      ["", "text/turtle"],
    ] as const) {
      const several = await put("/place/301", body, { "content-type": type });
      expect([several.status, await several.json()]).toMatchObject([422, { detail: "The body must be one record." }]);
    }
    expect((await fetch(`${taking.url}/place/301`)).status).toBe(404);
  });
});

it("a service passes on its rules of hold beside the arguments, which have no room for many", async () => {
  const started: (readonly string[])[] = [];
  const start: typeof startHere = (args, conditions) => {
    started.push(args);
    return startHere(args, conditions);
  };
  const hold = Array.from({ length: 1_000 }, (_, at) => `iri=${BASE}place/held/${at}`);
  const other = await serve([...serving(taking), ...inFile({ serve: { hold } })], { start });
  onTestFinished(async () => void (await other.stop()));
  const init = { method: "POST", headers: bearer(), body: places(1, 2).replace("/place/", "/place/held/") };
  const answer = await fetch(`${other.url}/load?format=jsonl`, init);
  expect(await answer.text()).toContain('"held":1');
  expect(started.flat().join(" ").length).toBeLessThan(2_000);
});

describe("what must not change anything", () => {
  it("changes nothing: hostile requests, each of another kind", async () => {
    const before = await run(["export", "--store", taking.store]);
    // What comes of a bomb is in loading.test.ts, and sent by the campaign.
    const requests = hostile(taking, HOSTILE_KINDS).filter(({ name }) => name !== "compressed bomb");
    expect(requests).toHaveLength(HOSTILE_KINDS - 1);
    for (const request of requests) {
      expect(REFUSALS, request.name).toContain(await attack(taking, request));
    }
    expect((await run(["export", "--store", taking.store])).stdout).toBe(before.stdout);
  });

  it("says in the last line what became of a load that the end of the service interrupts", async () => {
    const started: StartedCommand[] = [];
    const start = (...given: Parameters<typeof startHere>) => {
      started.push(startHere(...given));
      return started.at(-1)!;
    };
    const other = await serve(serving(taking), { start });
    const { body } = await sendEndless({ ...taking, url: other.url });
    await expect.poll(() => started).toHaveLength(1);
    const hurried = hurryEnd();
    const ended = other.stop();
    expect((await body.text()).trim().split("\n").at(-1)).toContain('"state":"interrupted"');
    hurried.mockRestore();
    expect(await ended).toBe(0);
  });

  it("leaves no half load when connections are cut, and the same again finishes it", async () => {
    const body = places(1_000, 2_000);
    const before = await taking.records();
    for (const share of [0, 0.5, 0.9999]) await sendAndCut(taking, body, Math.floor(body.length * share));
    await until(async () => {
      const { loads } = (await (await fetch(`${taking.url}/loads`, { headers: bearer() })).json()) as {
        loads: { state: string }[];
      };
      return loads.every(({ state }) => state !== "running" && state !== "waiting");
    });
    expect(await taking.records()).toBe(before);
    const { last } = await post("?format=jsonl", body);
    expect(last.state).toBe("published");
    expect(await taking.records()).toBe(before + 1_000);
  });

  it("has no token in the store's files", () => {
    for (const name of readdirSync(taking.store, { recursive: true, withFileTypes: true })) {
      if (!name.isFile() || name.name.endsWith(".mdb")) continue;
      expect(readFileSync(join(name.parentPath, name.name), "utf8")).not.toContain(taking.token);
    }
  });
});

describe("vitrine load --to", () => {
  const send = (file: string, ...args: readonly string[]) =>
    run(["load", file, "--to", taking.url, "--token", taking.token, ...args]);

  it("loads as if it were here: words, machine's outcome, report and status", async () => {
    const file = join(folder, "places.jsonl");
    writeFileSync(
      file,
      `${places(5_000, 5_005)}{"@context": "https://linked.art/ns/v1/linked-art.json", "id": "${BASE}object/2", "type": "HumanMadeObject", "_label": 7}\n`,
    );
    const report = join(folder, "report.json");
    const { status, stdout, stderr } = await send(file, "--json", "--report", report);
    expect(stdout, stderr).not.toBe("");
    expect([status, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ created: 5, refused: 1 })]);
    expect(stderr).toMatch(/5 created, 0 replaced, 0 unchanged, 1 refused/);
    expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({
      summary: { invalid: 1 },
      records: expect.arrayContaining([expect.objectContaining({ iri: `${BASE}object/2` })]),
    });
    expect((await send(file, "--sync", "--source", "first")).status).toBe(2);
  });

  it("sends the rules of mending, and no name of a file", async () => {
    const file = join(folder, "swapped.jsonl");
    const timespan = { type: "TimeSpan", begin_of_the_begin: "1939-18-10" };
    const context = "https://linked.art/ns/v1/linked-art.json";
    const made = { produced_by: { type: "Production", timespan } };
    writeFileSync(
      file,
      JSON.stringify({ "@context": context, id: `${BASE}object/1939`, type: "HumanMadeObject", _label: "x", ...made }),
    );
    const { status, stderr } = await send(file, "--mend", "--rules", "+swapped-days");
    expect([status, stderr]).toEqual([0, expect.stringContaining("1 created")]);
    const named = ["--mend", "--rules", "+actors-as-groups=@groups.txt"];
    expect((await send(file, ...named)).stderr).toMatch(/@groups\.txt cannot be sent/);
    expect((await post("?format=jsonl&mend&rules=%2Bactors-as-groups=@/etc/passwd", "")).status).toBe(400);
  });

  it("says what is refused, and that nobody is there", async () => {
    const file = join(folder, "places.jsonl");
    expect(await run(["load", file, "--to", taking.url, "--token", "wrong"])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /:\d+\/load refused the load \(401\): The service does not know this token, or it was revoked;/,
      ),
    });
    expect(await run(["load", file, "--to", taking.url, "--token", taking.loading, "--sync"])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/\(403\): The token \S+ may not delete, and sync deletes what the input lacks\.$/m),
    });
    expect((await run(["load", file, "--to", "http://127.0.0.1:9/", "--token", "x"])).stderr).toMatch(
      /cannot be reached/,
    );
    expect((await run(["load", file, "--to", taking.url])).stderr).toMatch(/--to needs --token/);
    expect((await send(file, "--shapes", "x.ttl")).stderr).toMatch(/--shapes cannot be sent/);
    expect((await send(file, "--keep", "versions")).stderr).toMatch(/--keep cannot be sent/);
    expect((await send(file, "--base-url", "http://other.example/")).stderr).toMatch(/--base-url cannot be sent/);
    const damaged = join(folder, "damaged.jsonl.gz");
    writeFileSync(damaged, gzipSync(places(0, 5_000)).subarray(0, 9_000));
    expect((await send(damaged)).stderr).toMatch(/^vitrine: \S*damaged\.jsonl\.gz: the gzip data is damaged/m);
  });

  it.each([
    ["before the service answers", ""],
    ["while the service loads", '{"load":"1","waiting":0}\n'],
  ])("that is interrupted %s does not say that nothing was loaded", async (_, answer) => {
    const interrupt = new AbortController();
    const url = await listeningForTest((_, response) => {
      if (answer !== "") response.write(answer);
      interrupt.abort();
    });
    const args = ["load", "-", "--format", "jsonl", "--to", url, "--token", "x"];
    const { status, stderr } = await run(args, { stdin: places(0, 1), interrupted: interrupt.signal });
    const told = "vitrine: the command was interrupted before the outcome was known: run the same command again\n";
    expect([status, stderr]).toEqual([3, told]);
  });

  it.each([
    ['{"load":"1","waiting":0}\n', "the connection ended"],
    ['{"load":"1","state":"failed","status":null,"problem":"killed"}\n', "the load 1 failed (killed)"],
  ])("that ends with %s does not say that nothing was loaded", async (answer, what) => {
    const url = await listeningForTest((_, response) => void response.end(answer));
    const args = ["load", "-", "--format", "jsonl", "--to", url, "--token", "x"];
    const { status, stderr } = await run(args, { stdin: places(0, 1) });
    const told = `vitrine: ${what} before the outcome was known: run the same command again\n`;
    expect([status, stderr]).toEqual([3, told]);
  });

  it("says what the settings of the service allow", async () => {
    const file = join(folder, "invalid.jsonl");
    writeFileSync(file, places(6_050, 6_051).replace(/"_label":"[^"]*"/, '"_label":7'));
    const strict = await serveForTest([...serving(taking), ...inFile({ "max-invalid": 0 })], { start: startHere });
    const { stderr } = await run(["load", file, "--to", strict.url, "--token", taking.token]);
    expect(stderr).toContain("1 record invalid, and --max-invalid allows 0\n");
  });

  it("keeps to the settings file that a variable names", async () => {
    const [, path = ""] = inFile({ "max-invalid": 0 });
    const options = { start: startHere, environment: { VITRINE_CONFIG: path } };
    const { url } = await serveForTest(serving(taking), options);
    const body = places(6_060, 6_061).replace(/"_label":"[^"]*"/, '"_label":7');
    const answer = await fetch(`${url}/load?format=jsonl&dry-run`, { method: "POST", headers: bearer(), body });
    expect(await answer.text()).toContain("--max-invalid allows 0");
  });

  it("names the places of inputs as a local load does", async () => {
    const [wrong, invalid] = [join(folder, "wrong.nq"), join(folder, "invalid.jsonl")];
    const report = join(folder, "sent.json");
    writeFileSync(wrong, "wrong\n");
    expect((await send(wrong)).stderr).toContain(`vitrine: ${wrong}:1:1: expected the subject`);
    expect((await send(wrong)).stderr).not.toContain("vitrine: vitrine");
    writeFileSync(invalid, places(6_100, 6_101).replace(/"_label":"[^"]*"/, '"_label":7'));
    const { status, stderr } = await send(invalid, "--report", report);
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${invalid}:1: refused <`)]);
    const [record] = JSON.parse(readFileSync(report, "utf8")).records;
    expect(record.results[0].source).toBe(`${invalid}:1`);
    const [valid, malformed] = [join(folder, "valid.jsonl"), join(folder, "malformed.jsonl")];
    writeFileSync(valid, `${places(6_101, 6_103)}\n`);
    expect((await send(valid, invalid)).stderr).toContain(`${invalid}:1: refused <`);
    writeFileSync(malformed, `${places(6_103, 6_104)}{`);
    expect((await send(valid, invalid, malformed)).stderr).toContain(`vitrine: ${malformed}:2:`);
  });

  it("names the files of a folder that it leaves out", async () => {
    const export_ = temporaryFolder();
    writeFileSync(join(export_, "a.jsonl"), places(6_010, 6_011));
    writeFileSync(join(export_, "b.docx"), "");
    expect((await send(export_)).stderr).toMatch(/1 file left out, of no known format or not regular: \S+b\.docx\n/);
  });

  it("says how many records a report lacks, of which the service sends no results", async () => {
    const url = await listeningForTest((_, response) => {
      const ended = { load: "1", state: "published", status: 0, problem: null };
      response.end(`${JSON.stringify({ summary: {}, omitted: 1_234 })}\n${JSON.stringify(ended)}\n`);
    });
    const { stderr } = await run(["load", "-", "--format", "jsonl", "--to", url, "--token", "x"], { stdin: "" });
    expect(stderr).toContain("reports and tables lack those of 1,234 further records\n");
  });

  it("sends several files of documents at once, but of quads one: their blank nodes may have the same labels", async () => {
    const both = ["a", "b"].map((name) => join(folder, `${name}.jsonl`));
    writeFileSync(both[0]!, places(6_000, 6_001));
    writeFileSync(both[1]!, places(6_001, 6_002));
    const sending = ["--to", taking.url, "--token", taking.token];
    expect((await run(["load", ...both, ...sending])).stderr).toContain("2 created");
    const quads = ["a", "b"].map((name) => join(folder, `${name}.nt`));
    for (const file of quads) writeFileSync(file, "<http://e/1> <http://e/p> _:b0 .\n");
    expect(await run(["load", ...quads, ...sending])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("only JSON lines can be sent together, not inputs of nt"),
    });
  });
});

describe("tokens", () => {
  it("are listed without their hashes, and revoked at once", async () => {
    const made = await run(["token", "new", "--name", "passing", "--store", taking.store]);
    expect((await run(["token", "list", "--store", taking.store])).stdout).toMatch(/passing {2}may load {2}any source/);
    const token = made.stdout.trim();
    const ask = () => fetch(`${taking.url}/loads`, { headers: bearer(token) });
    expect((await ask()).status).toBe(200);
    await run(["token", "revoke", "passing", "--store", taking.store]);
    expect((await ask()).status).toBe(401);
    expect((await run(["token", "new", "--may", "fly", "--store", taking.store])).status).toBe(2);
    expect((await run(["token", "new", "--may", " load, read ", "--store", taking.store])).status).toBe(0);
    const store = join(folder, "named");
    writeFileSync(join(folder, "named.jsonl"), places(1, 2));
    await run(["load", join(folder, "named.jsonl"), "--store", store]);
    for (const args of [["new"], ["new"], ["revoke", "token-1"], ["new"]])
      await run(["token", ...args, "--store", store]);
    expect((await run(["token", "list", "--store", store])).stdout).toMatch(/^token-2 .*\ntoken-3 /);
    writeFileSync(join(store, "tokens.json"), '[{"name":');
    for (const command of [
      ["token", "new"],
      ["serve", "--port", "0", "--sparql-access", "off"],
    ]) {
      const { status, stderr } = await run([...command, "--store", store]);
      expect([status, stderr]).toEqual([2, expect.stringMatching(/tokens\.json is malformed: restore it/)]);
    }
  });
});
