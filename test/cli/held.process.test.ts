/** Held records: every route, representation, query, feed, dump and export is asked for them, and none knows them. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openReadOnly } from "../../src/store/embedded/embedded-store.js";
import { problemsIn } from "../store/checked.js";
import { temporaryFolder } from "../temporary-folder.js";
import { until } from "./built.js";
import { feed } from "./feeds.js";
import { ACCEPTS, type Asking, routesOf } from "./held-routes.js";
import { lettingWrite, startHere } from "./here.js";
import { type Running, run, serve } from "./run.js";

const BASE = "http://data.museum.example/";
/** What only held records say, in a Name and in the IRIs of those that no other record refers to. */
const SECRET = "unverraten";
/** What records said that were public then, and are withdrawn. */
const FORMER = "vormalig";
const TOLD = new RegExp(`${SECRET}|${FORMER}`);
/** Stands for `SECRET` in the IRIs of what there never was; of the same length. */
const ABSENT = "ungesagtes";

type Document = { readonly id: string; identified_by?: object[]; [key: string]: unknown };

/** What is held, and by which rule. `whole` are records that no other names, `named` such as others refer to. */
const HELD = {
  class: { rule: "class=Set", named: "set/animals-at-court", whole: "Set" },
  endpoint: { rule: "endpoint=event", named: "event/antiquity", whole: "Period" },
  classification: {
    rule: "classification=http://vocab.getty.edu/aat/300004792",
    named: "place/albertina",
    whole: "Place",
  },
  source: { rule: "source=acquisitions", named: undefined, whole: "HumanMadeObject" },
  list: { rule: "list.txt", named: "person/johannes-vermeer", whole: "Person" },
} as const;
type Kind = keyof typeof HELD;
const KINDS = Object.keys(HELD) as Kind[];

const wholeOf = (kind: Kind): string => `${HELD[kind].whole.toLowerCase()}/${SECRET}-${kind}`;

const folder = temporaryFolder();
let store: string;
let dumps: string;
let service: Running;
let endWriting: () => Promise<void>;
/** How each path is asked. */
let routes: ReturnType<typeof routesOf>;
const tokens: Record<"all" | "acquisitions" | "load", string> = { all: "", acquisitions: "", load: "" };
/** The IRIs of all that is held, and some of them to be asked for in every way. */
let held: readonly string[];
let asked: readonly string[];
/** What is known of their public lives, by sequence numbers. */
const changes: number[] = [];
/** What the load said that held them, and what it would say again. */
let outcome: object;
let again: object;

/** Of the sample every so many records are enough, with those that are named here. */
const SHARE = 24;

/** The sample as documents, with a word in a Name of those that are to be held. */
function sample(word: string): Document[] {
  const files = readdirSync("data/records", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".json"),
  );
  const documents = files
    .sort()
    .map((name) => JSON.parse(readFileSync(join("data/records", name), "utf8")) as Document);
  const names = KINDS.map((kind) => HELD[kind].named as string | undefined);
  const taken = documents.filter(({ id }, at) => at % SHARE === 0 || names.includes(id));
  return taken.map((each) =>
    isHeld(each) ? { ...each, identified_by: [...(each.identified_by ?? []), named(word)] } : each,
  );
}

const named = (word: string): object => ({ type: "Name", content: `Ein ${word}es Wort` });
const CONTEXT = "https://linked.art/ns/v1/linked-art.json";

function wholeDocument(kind: Kind): Document {
  const classified = [{ id: "http://vocab.getty.edu/aat/300004792", type: "Type", _label: "Building" }];
  return {
    "@context": CONTEXT,
    id: wholeOf(kind),
    type: HELD[kind].whole,
    _label: `${SECRET} ${kind}`,
    identified_by: [named(SECRET)],
    ...(kind === "classification" ? { classified_as: classified } : {}),
  };
}

function isHeld({ id, type, classified_as = [] }: Document): boolean {
  const classes = (classified_as as { id: string }[]).map((each) => each.id);
  const ofClass = type === "Set" || id.startsWith("event/") || classes.includes("http://vocab.getty.edu/aat/300004792");
  return ofClass || id === HELD.list.named;
}

const write = (name: string, documents: readonly Document[]) => feed(join(folder, name), ...documents);

async function vitrine(...args: string[]): Promise<string> {
  const outcome = await run([...args, "--store", store]);
  if (outcome.status !== 0) throw new Error(`${args.join(" ")}: ${outcome.status} ${outcome.stderr}`);
  return outcome.stdout;
}

/** The rules of all kinds but of source, as arguments. */
const rules = (): string[] =>
  KINDS.flatMap((kind) => (kind === "list" ? ["--hold", join(folder, "list.txt")] : ["--hold", HELD[kind].rule]));

beforeAll(async () => {
  [store, dumps] = [join(folder, "store"), join(folder, "dumps")];
  writeFileSync(join(folder, "list.txt"), `<${BASE}${HELD.list.named}>\n${wholeOf("list")}\n`);
  // Events were public before they are held.
  const before = sample(FORMER).filter((each) => each.id.startsWith("event/") || !isHeld(each));
  await vitrine("load", write("before.jsonl", before), "--base-url", BASE, "--keep=versions");
  const after = [...sample(SECRET), ...KINDS.filter((kind) => kind !== "source").map(wholeDocument)];
  const loading = ["load", write("after.jsonl", after), "--json", ...rules()];
  outcome = JSON.parse(await vitrine(...loading)) as object;
  again = JSON.parse(await vitrine(...loading, "--dry-run")) as object;
  await vitrine("load", write("source.jsonl", [wholeDocument("source")]), "--source", "acquisitions", ...rules());
  await vitrine("dump", "--dumps", dumps);
  for (const [name, more] of [
    ["all", []],
    ["acquisitions", ["--source", "acquisitions"]],
  ] as const)
    tokens[name] = (await vitrine("token", "new", "--may", "read", ...more)).trim();
  tokens.load = (await vitrine("token", "new", "--may", "load,delete")).trim();
  const reader = await openReadOnly(store);
  held = (await reader.held.list({ limit: 10_000 })).items.map(({ iri }) => iri);
  asked = KINDS.flatMap((kind) => [
    BASE + wholeOf(kind),
    ...(HELD[kind].named === undefined ? [] : [BASE + HELD[kind].named]),
  ]);
  for (const iri of held)
    changes.push(...(await reader.changes.page({ iri, limit: 9 })).map(({ sequence }) => sequence));
  await reader.close();
  const harvest = ["--dumps", dumps, "--images", "data/images", "--metrics-access", "public"];
  routes = routesOf({ base: BASE, changes, dumps, token: tokens.load });
  endWriting = lettingWrite(store);
  service = await serve(["--store", store, "--base-url", BASE, "--hal", ...harvest], { start: startHere });
  await until(async () => (await ask("/ready")).body.includes('"ready"'));
});
afterAll(async () => {
  await service.stop();
  await endWriting();
});

interface Asked {
  readonly status: number;
  readonly headers: Headers;
  /** Status line, headers and body. */
  readonly text: string;
  readonly body: string;
}

async function ask(path: string, init: RequestInit = {}): Promise<Asked> {
  const answer = await fetch(service.url + path, { redirect: "manual", ...init });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const body = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8");
  return { status: answer.status, headers: answer.headers, body, text: `${[...answer.headers].join("\n")}\n\n${body}` };
}

const show = (token: string, more: Record<string, string> = {}): RequestInit => ({
  headers: { authorization: `Bearer ${token}`, ...more },
});

it("holds by every kind of rule, and withdraws what was public", async () => {
  for (const iri of asked) expect(held).toContain(iri);
  const events = held.filter((iri) => iri.startsWith(`${BASE}event/`)).length;
  expect(outcome).toMatchObject({ created: 0, deleted: events, held: held.length - 1 });
  expect(again).toMatchObject({ created: 0, deleted: 0, held: held.length - 1 });
  expect(await problemsIn(store)).toEqual([]);
  expect(JSON.parse(await vitrine("stats", "--json"))).toMatchObject({ held: held.length });
});

/** Paths where nobody who shows no token gets anything of what is held. */
const REFUSED = [
  "/load",
  "/loads",
  "/loads/{id}",
  "/held",
  "/versions",
  "/versions/{number}",
  "/versions/{number}.{suffix}",
  "/reconcile/preview",
  "/entity",
  "/{path}",
  "/{path}.{suffix}",
];

type Request = ReturnType<Asking>[number];

const pathOf = (request: Request): string => (typeof request === "string" ? request : request[0]);
const askBy = (request: Request): Promise<Asked> => (typeof request === "string" ? ask(request) : ask(...request));
const pathIn = (iri: string): string => iri.slice(BASE.length - 1);

/** What differs from one answer to the next whatever is asked. */
const PASSING = /^(?:date|x-request-id|etag|last-modified|content-length|keep-alive),/;

function lasting({ text, status }: Asked, name: string): string {
  const lines = text.split("\n").filter((line) => !PASSING.test(line));
  return `${status}\n${lines
    .join("\n")
    .replaceAll(name, "NAME")
    .replace(/"(?:deleted|time)":"[^"]*"|<responseDate>.*/g, "")}`;
}

describe("the public finds none of it", () => {
  it("by any route there is", async () => {
    const { paths } = JSON.parse((await ask("/openapi.json")).body) as { paths: object };
    const unknown = Object.keys(paths).filter((path) => !(path in routes));
    expect(unknown, "say in held-routes.ts how these could be asked for a held record").toEqual([]);
    expect(Object.keys(routes).filter((path) => !(path in paths))).toEqual([]);
    const askedHere = [wholeOf("class"), HELD.class.named, HELD.endpoint.named].map((path) => BASE + path);
    for (const [path, asking] of Object.entries(routes)) {
      const statuses = new Set<number>();
      const isAbout = JSON.stringify(asking(`${BASE}set/a`)) !== JSON.stringify(asking(`${BASE}set/b`));
      // Why a record is held makes no difference to who asks; whether it was public does, and whether others name it.
      for (const iri of isAbout ? askedHere : askedHere.slice(0, 1)) {
        const absent = asking(iri.replace(SECRET, ABSENT));
        for (const [at, request] of asking(iri).entries()) {
          const answer = await askBy(request);
          statuses.add(answer.status);
          // What no other record names is asked for as what there never was, and the answers are the same.
          if (isAbout && iri.includes(SECRET))
            expect(lasting(answer, SECRET), pathOf(request)).toBe(lasting(await askBy(absent[at]!), ABSENT));
          else expect(answer.text, pathOf(request)).not.toMatch(TOLD);
        }
      }
      // To be refused for another reason proves nothing.
      expect([...statuses].some((status) => status < 400) || REFUSED.includes(path), `${path}: ${[...statuses]}`).toBe(
        true,
      );
      expect(statuses, path).not.toContain(400);
    }
  });

  it("in any public record, as data or as a page", async () => {
    const { stdout } = await run(["export", "--store", store, "--format", "jsonl"]);
    expect(stdout).not.toMatch(TOLD);
    const iris = stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as Document).id);
    expect(iris.filter((iri) => held.includes(iri))).toEqual([]);
    for (const iri of iris) {
      for (const accept of ["application/ld+json", "text/html"]) {
        const { text, status } = await ask(iri.slice(BASE.length - 1), { headers: { accept } });
        expect(status, iri).toBe(200);
        expect(text, iri).not.toMatch(TOLD);
      }
    }
  });

  it("by a query for all triples, or all graphs", async () => {
    const query = async (text: string) =>
      (await ask(`/sparql?query=${encodeURIComponent(text)}`, { headers: { accept: "text/csv" } })).body;
    const all = await query("SELECT ?s ?p ?o { ?s ?p ?o }");
    expect(all.split("\n").length).toBeGreaterThan(500);
    expect(all).not.toMatch(TOLD);
    const graphs = (await query("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }")).split(/\r?\n/);
    expect(graphs.length).toBeGreaterThan(20);
    expect(graphs.filter((graph) => held.includes(graph))).toEqual([]);
    // Who refers to a held record says what it is and what it is called, and nothing else is known of it.
    const said = await query(
      `SELECT DISTINCT ?p { VALUES ?s { ${held.map((iri) => `<${iri}>`).join(" ")} } ?s ?p ?o }`,
    );
    const known = ["type", "label", "equivalent", "notation", "P2_has_type"];
    const others = said
      .split(/\r?\n/)
      .slice(1)
      .filter((property) => property !== "" && !known.some((name) => property.endsWith(name)));
    expect(others).toEqual([]);
  });

  it("by the commands that write what is public", async () => {
    expect(await vitrine("export")).not.toMatch(TOLD);
    expect(await vitrine("export", SECRET, "--format", "csv")).not.toMatch(TOLD);
    expect(await vitrine("find", SECRET)).toBe("");
    expect(await vitrine("query", "SELECT ?s ?p ?o { ?s ?p ?o }", "--format", "csv")).not.toMatch(TOLD);
  });
});

describe("who shows a token that may read", () => {
  it("has every representation of every held record, and no cache keeps it", async () => {
    for (const iri of asked) {
      for (const request of [
        ...routes["/{path}.{suffix}"]!(iri),
        ...ACCEPTS.map((accept) => [pathIn(iri), accept] as const),
      ]) {
        const [path, accept = "*/*"] = typeof request === "string" ? [request] : (request as readonly [string, string]);
        const { status, body, headers } = await ask(path, show(tokens.all, { accept }));
        expect([status, body.includes(SECRET)], `${path} ${accept}`).toEqual([200, true]);
        expect(headers.get("cache-control")).toBe("private, no-store");
        expect(headers.get("vary")).toContain("Authorization");
      }
      const byUri = await ask(`/entity?uri=${encodeURIComponent(iri)}`, show(tokens.all));
      expect([byUri.status, byUri.body.includes(SECRET)]).toEqual([200, true]);
    }
  });

  it("has a list of them, as data and as a page", async () => {
    const listed: string[] = [];
    let next: string | undefined = "/held?limit=7";
    while (next !== undefined) {
      const page = JSON.parse((await ask(next, show(tokens.all))).body) as {
        records: { iri: string }[];
        next?: string;
      };
      expect(page.records.length).toBeLessThanOrEqual(7);
      listed.push(...page.records.map(({ iri }) => iri));
      next = page.next?.slice(BASE.length - 1);
    }
    expect(listed).toEqual(held);
    const basic = `Basic ${Buffer.from(`anybody:${tokens.all}`).toString("base64")}`;
    const page = await ask("/held", { headers: { authorization: basic, accept: "text/html" } });
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    expect(page.body).toContain(`${SECRET} class`);
    expect((await ask("/held?after=!", show(tokens.all))).status).toBe(400);
  });

  it("of one source sees what is of it", async () => {
    const one = show(tokens.acquisitions);
    expect((await ask(pathIn(BASE + wholeOf("source")), one)).status).toBe(200);
    expect((await ask(pathIn(BASE + wholeOf("list")), one)).status).toBe(404);
    expect(JSON.parse((await ask("/held", one)).body)).toMatchObject({ records: [{ iri: BASE + wholeOf("source") }] });
  });

  it("is nobody else: another token, or none, gets 401, 403, or what everybody does", async () => {
    const challenged = await ask("/held");
    expect([challenged.status, challenged.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringContaining("Basic"),
    ]);
    expect((await ask("/held", show(tokens.load))).status).toBe(403);
    const path = pathIn(BASE + wholeOf("list"));
    for (const init of [{}, show(tokens.load), show(`${tokens.all}x`), show("")])
      expect((await ask(path, init)).status).toBe(404);
    const basic = `Basic ${Buffer.from(`x:${tokens.load}`).toString("base64")}`;
    // What changes records is never shown as a password, which a browser sends wherever it is led.
    const posted = await ask("/load?format=jsonl", { method: "POST", body: "", headers: { authorization: basic } });
    expect(posted.status).toBe(401);
    const past = { headers: { "accept-datetime": new Date().toUTCString() } };
    for (const [init, status] of [
      [{}, 410],
      [past, 404],
    ] as const) {
      const withdrawn = await ask(pathIn(BASE + HELD.endpoint.named), init);
      expect([withdrawn.status, withdrawn.headers.get("vary")]).toEqual([
        status,
        expect.stringContaining("Authorization"),
      ]);
    }
  });

  it("finds them by the command line, too", async () => {
    const iri = BASE + wholeOf("source");
    expect(await vitrine("get", iri)).toContain(SECRET);
    expect(await vitrine("explain", iri)).toMatch(/is held since .*, of the source acquisitions/);
    expect((await vitrine("release", "--list")).trim().split("\n")).toHaveLength(held.length);
    expect(JSON.parse(await vitrine("release", "--list", "--source", "acquisitions", "--json"))).toMatchObject({ iri });
  });
});

describe("a release", () => {
  it("publishes, and no rule takes that back until the record is named", async () => {
    const [one, other] = [BASE + wholeOf("class"), BASE + HELD.endpoint.named];
    await vitrine("release", one, other);
    await until(async () => (await ask(pathIn(one))).status === 200);
    expect((await ask(pathIn(other))).body).toContain(SECRET);
    const feed = JSON.parse((await ask(`/activity/record?uri=${encodeURIComponent(other)}&page=1`)).body) as object;
    expect(JSON.stringify(feed)).toContain('"Create"');
    expect((await ask(`/search/all?text=${SECRET}`)).body).toContain(one);
    await until(async () =>
      (await ask(`/sparql?query=${encodeURIComponent(`ASK { <${one}> ?p ?o }`)}`)).body.includes("true"),
    );
    await vitrine("load", join(folder, "after.jsonl"), ...rules());
    expect((await ask(pathIn(one))).status).toBe(200);
    await vitrine("load", join(folder, "after.jsonl"), "--hold", `iri=${one}`, ...rules());
    expect((await ask(pathIn(one))).status).toBe(410);
    expect((await ask(pathIn(one), show(tokens.all))).status).toBe(200);
    expect((await run(["release", `${BASE}never`, "--store", store])).status).toBe(2);
  });

  it("comes with a load over HTTP that is not told to hold, and not where the service is told to", async () => {
    const iri = BASE + wholeOf("list");
    const line = JSON.stringify({ ...wholeDocument("list"), id: iri });
    const post = (query: string) =>
      ask(`/load?format=jsonl${query}`, { method: "POST", body: line, ...show(tokens.load) });
    expect((await post("&hold=/etc/passwd")).status).toBe(400);
    const summary = ({ body }: Asked): unknown => body.split("\n").find((text) => text.includes('"summary"'));
    expect(summary(await post("&hold=class=Person"))).toContain('"held":1');
    expect((await ask(pathIn(iri))).status).toBe(404);
    expect(summary(await post(""))).toContain('"created":1');
    expect((await ask(pathIn(iri))).status).toBe(200);
    expect((await ask(pathIn(BASE + wholeOf("source")), { method: "DELETE", ...show(tokens.load) })).status).toBe(204);
    expect((await ask(pathIn(BASE + wholeOf("source")), show(tokens.all))).status).toBe(404);
  });

  it("of all leaves nothing held", async () => {
    await vitrine("release", "--all");
    expect(await vitrine("release", "--list")).toBe("");
    expect(await problemsIn(store)).toEqual([]);
    expect((await ask(pathIn(BASE + HELD.list.named))).body).toContain(SECRET);
  });
});
