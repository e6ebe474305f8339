/** Held records: every route, representation, query, feed, dump and export is asked for them, and none knows them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openReadOnly } from "../../src/store/embedded/embedded-store.js";
import { until } from "./built.js";
import { type Running, run, serve } from "./run.js";

const BASE = "http://data.museum.example/";
/** What only held records say, in a Name and in the IRIs of those that no other record refers to. */
const SECRET = "unverraten";
/** What records said that were public then, and are withdrawn. */
const FORMER = "vormalig";

type Document = { readonly id: string; identified_by?: object[]; [key: string]: unknown };

/** What is held, and by which rule. `whole` are records that no other names, `named` such as others refer to. */
const HELD = {
  class: { rule: "class=Set", named: "set/clock-with-parts", whole: "Set" },
  endpoint: { rule: "endpoint=event", named: "event/antiquity", whole: "Period" },
  classification: {
    rule: "classification=http://vocab.getty.edu/aat/300004792",
    named: "place/mauritshuis-building",
    whole: "Place",
  },
  source: { rule: "source=acquisitions", named: undefined, whole: "HumanMadeObject" },
  list: { rule: "list.txt", named: "person/johannes-vermeer", whole: "Person" },
} as const;
type Kind = keyof typeof HELD;
const KINDS = Object.keys(HELD) as Kind[];

const wholeOf = (kind: Kind): string => `${HELD[kind].whole.toLowerCase()}/${SECRET}-${kind}`;

let folder: string;
let store: string;
let dumps: string;
let service: Running;
const tokens: Record<"all" | "acquisitions" | "load", string> = { all: "", acquisitions: "", load: "" };
/** The IRIs of all that is held, and some of them to be asked for in every way. */
let held: readonly string[];
let asked: readonly string[];

/** The sample as documents by their ids, with a word in a Name of those that are to be held. */
function sample(word: string, isMarked: (document: Document) => boolean): Document[] {
  const files = readdirSync("data/records", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".json"),
  );
  return files.map((name) => {
    const document = JSON.parse(readFileSync(join("data/records", name), "utf8")) as Document;
    return isMarked(document)
      ? { ...document, identified_by: [...(document.identified_by ?? []), named(word)] }
      : document;
  });
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

function write(name: string, documents: readonly Document[]): string {
  const path = join(folder, name);
  writeFileSync(path, documents.map((each) => `${JSON.stringify(each)}\n`).join(""));
  return path;
}

async function vitrine(...args: string[]): Promise<string> {
  const outcome = await run([...args, "--store", store]);
  if (outcome.status !== 0) throw new Error(`${args.join(" ")}: ${outcome.status} ${outcome.stderr}`);
  return outcome.stdout;
}

/** The rules of all kinds but of source, as arguments. */
const rules = (): string[] =>
  KINDS.flatMap((kind) => (kind === "list" ? ["--hold", join(folder, "list.txt")] : ["--hold", HELD[kind].rule]));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-held-"));
  [store, dumps] = [join(folder, "store"), join(folder, "dumps")];
  const public_ = sample(FORMER, isHeld);
  // Some were public before: all that a rule by endpoint withdraws.
  const before = public_.filter(({ id }) => id.startsWith("event/") || !isHeld({ ...public_[0]!, id, type: "" }));
  writeFileSync(join(folder, "list.txt"), `<${BASE}${HELD.list.named}>\n${wholeOf("list")}\n`);
  await vitrine("load", write("before.jsonl", before), "--base-url", BASE, "--keep-versions");
  const after = [...sample(SECRET, isHeld), ...KINDS.filter((kind) => kind !== "source").map(wholeDocument)];
  await vitrine("load", write("after.jsonl", after), ...rules());
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
  await reader.close();
  asked = KINDS.flatMap((kind) => [
    BASE + wholeOf(kind),
    ...(HELD[kind].named === undefined ? [] : [BASE + HELD[kind].named]),
  ]);
  service = await serve([
    "--store",
    store,
    "--base-url",
    BASE,
    "--dumps",
    dumps,
    "--images",
    "data/images",
    "--hal",
    "--metrics-access",
    "public",
  ]);
  await until(
    async () =>
      ((await (await fetch(`${service.url}/ready`)).json()) as { index: { state: string } }).index.state === "ready",
  );
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
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

const show = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

it("holds by every kind of rule, and withdraws what was public", async () => {
  for (const iri of asked) expect(held).toContain(iri);
  const { stdout } = await run([
    "load",
    join(folder, "after.jsonl"),
    "--store",
    store,
    "--json",
    "--dry-run",
    ...rules(),
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ created: 0, deleted: 0, held: held.length - 1 });
  expect(await vitrine("check")).toBe("");
  expect(JSON.parse(await vitrine("stats", "--json"))).toMatchObject({ held: held.length });
});

/** Two addresses for each way to ask a path of the service: about a held IRI, and about one that there never was. */
type Asking = (iri: string) => readonly (string | readonly [path: string, init: RequestInit])[];

const post = (path: string, body: string, type: string): readonly [string, RequestInit] => [
  path,
  { method: "POST", body, headers: { "content-type": type } },
];
const FORM = "application/x-www-form-urlencoded";
const each = <T>(from: number, to: number, make: (number: number) => T): T[] =>
  Array.from({ length: to - from }, (_, at) => make(from + at));
const ENDPOINTS = [
  "place",
  "set",
  "object",
  "digital",
  "group",
  "person",
  "text",
  "visual",
  "abstract",
  "concept",
  "provenance",
  "event",
];
const nameOf = (iri: string): string => iri.slice(iri.lastIndexOf("/") + 1);
const SUFFIXES = ["", ".jsonld", ".json", ".ttl", ".nt", ".nq", ".trig", ".rdf", ".schema.jsonld", ".html"];
const ACCEPTS = [
  "application/ld+json",
  'application/ld+json;profile="http://www.w3.org/ns/json-ld#expanded"',
  'application/ld+json;profile="https://schema.org/"',
  "text/turtle",
  "text/html",
];

/**
 * How each path is asked. A path that is not here makes the test fail: say for it how somebody could come by a held record, about the IRI
 * of one where it takes an IRI or a name.
 */
const ROUTES: Readonly<Record<string, Asking>> = {
  "/": () => ["/", ["/", { headers: { accept: "text/html" } }]],
  "/context": () => ["/context"],
  "/shapes": () => ["/shapes"],
  "/shapes/{endpoint}.ttl": () => ["/shapes/set.ttl"],
  "/shapes/structures.ttl": () => ["/shapes/structures.ttl"],
  "/schemas": () => ["/schemas"],
  "/schemas/{endpoint}.json": () => ["/schemas/set.json"],
  "/schemas/structures.json": () => ["/schemas/structures.json"],
  "/frames": () => ["/frames"],
  "/frames/{endpoint}.json": () => ["/frames/set.json"],
  "/problems": () => ["/problems"],
  "/problems/{name}": () => ["/problems/gone"],
  "/health": () => ["/health"],
  "/ready": () => ["/ready"],
  "/metrics": () => ["/metrics"],
  "/load": () => [post("/load?format=jsonl", "", "application/jsonl")],
  "/loads": () => ["/loads"],
  "/loads/{id}": () => ["/loads/20260101000000-00000000"],
  "/held": () => ["/held", ["/held", { headers: { authorization: "Bearer wrong" } }]],
  "/openapi.json": () => ["/openapi.json"],
  "/openapi.html": () => ["/openapi.html"],
  "/sparql": (iri) =>
    [
      `SELECT * { <${iri}> ?p ?o }`,
      `SELECT * { GRAPH <${iri}> { ?s ?p ?o } }`,
      `SELECT * FROM <${iri}> { ?s ?p ?o }`,
      `SELECT * FROM NAMED <${iri}> { GRAPH ?g { ?s ?p ?o } }`,
      `DESCRIBE <${iri}>`,
      `CONSTRUCT { ?s ?p ?o } { GRAPH <${iri}> { ?s ?p ?o } }`,
    ].flatMap((query) => [
      `/sparql?query=${encodeURIComponent(query)}`,
      post("/sparql", new URLSearchParams({ query }).toString(), FORM),
    ]),
  "/sparql/{file}": () => ["/sparql/editor.js"],
  "/search/all": (iri) => [
    `/search/all?q=${encodeURIComponent(nameOf(iri))}`,
    `/search/all?q=${encodeURIComponent(iri)}`,
    `/search/all?id=${encodeURIComponent(iri)}`,
  ],
  "/search/{endpoint}": (iri) => ENDPOINTS.map((name) => `/search/${name}?q=${encodeURIComponent(nameOf(iri))}`),
  "/related/{relation}": (iri) =>
    ["artist", "member", "part", "place"].map((name) => `/related/${name}?uri=${encodeURIComponent(iri)}`),
  "/reconcile": (iri) => [
    "/reconcile",
    `/reconcile?queries=${encodeURIComponent(JSON.stringify({ q0: { query: nameOf(iri) }, q1: { query: iri } }))}`,
    `/reconcile?extend=${encodeURIComponent(JSON.stringify({ ids: [iri], properties: [{ id: "name" }] }))}`,
    post(
      "/reconcile",
      new URLSearchParams({ queries: JSON.stringify({ q0: { query: nameOf(iri) } }) }).toString(),
      FORM,
    ),
  ],
  "/reconcile/suggest/entity": (iri) => [`/reconcile/suggest/entity?prefix=${encodeURIComponent(nameOf(iri))}`],
  "/reconcile/suggest/type": () => ["/reconcile/suggest/type?prefix=s"],
  "/reconcile/suggest/property": () => ["/reconcile/suggest/property?prefix=n"],
  "/reconcile/extend/propose": () => ["/reconcile/extend/propose?type=object"],
  "/reconcile/preview": (iri) => [`/reconcile/preview?id=${encodeURIComponent(iri)}`],
  "/activity": () => ["/activity"],
  "/activity/all": () => ["/activity/all"],
  "/activity/page/{number}": () => each(1, 20, (number) => `/activity/page/${number}`),
  "/activity/change/{number}": () => each(500, 900, (number) => `/activity/change/${number}`),
  "/activity/latest": () => ["/activity/latest"],
  "/activity/latest/page/{number}": () => each(1, 8, (number) => `/activity/latest/page/${number}`),
  "/activity/refresh": () => ["/activity/refresh"],
  "/activity/refresh/page/{number}": () => each(1, 20, (number) => `/activity/refresh/page/${number}`),
  "/activity/record": (iri) => [`/activity/record?uri=${encodeURIComponent(iri)}`],
  "/activity/source/{source}": () => ["/activity/source/acquisitions"],
  "/activity/source/{source}/page/{number}": () => ["/activity/source/acquisitions/page/1"],
  "/activity/{endpoint}": () => ENDPOINTS.map((name) => `/activity/${name}`),
  "/activity/{endpoint}/page/{number}": () =>
    ENDPOINTS.flatMap((name) => each(1, 3, (page) => `/activity/${name}/page/${page}`)),
  "/.well-known/void": () => ["/.well-known/void", "/.well-known/void?format=ttl"],
  "/dumps": () => ["/dumps"],
  "/dumps/": () => ["/dumps/"],
  "/dumps/latest/{of}.{format}.gz": () =>
    ["all", ...ENDPOINTS].flatMap((of) => ["nq", "jsonl", "nt"].map((format) => `/dumps/latest/${of}.${format}.gz`)),
  "/dumps/{dump}/{file}": () =>
    readdirSync(dumps).flatMap((dump) => {
      const files = dump === "latest" ? [] : readdirSync(join(dumps, dump));
      return files.map((file) => `/dumps/${dump}/${file}`);
    }),
  "/robots.txt": () => ["/robots.txt"],
  "/sitemap.xml": () => ["/sitemap.xml"],
  "/sitemap/{number}.xml": () => ["/sitemap/1.xml"],
  "/versions": (iri) => [`/versions?uri=${encodeURIComponent(iri)}`],
  "/versions/{number}": () => each(1, 700, (number) => `/versions/${number}`),
  "/versions/{number}.{suffix}": () => each(1, 40, (number) => `/versions/${number}.ttl`),
  "/images/{path}": () => ["/images/girl-with-a-pearl-earring.svg"],
  "/assets/{file}": () => ["/assets/pages.css"],
  "/browse/{endpoint}": () => ENDPOINTS.map((name) => `/browse/${name}`),
  "/referring": (iri) => [`/referring?uri=${encodeURIComponent(iri)}&property=part_of`],
  "/entity": (iri) =>
    ACCEPTS.map((accept) => [`/entity?uri=${encodeURIComponent(iri)}`, { headers: { accept } }] as const),
  "/{path}.{suffix}": (iri) => SUFFIXES.slice(1).map((suffix) => `/${iri.slice(BASE.length)}${suffix}`),
  "/{path}": (iri) => [
    ...ACCEPTS.map((accept) => [`/${iri.slice(BASE.length)}`, { headers: { accept } }] as const),
    [`/${iri.slice(BASE.length)}`, { headers: { "accept-datetime": new Date().toUTCString() } }],
    [`/${iri.slice(BASE.length)}`, { method: "HEAD" }],
    [`/${iri.slice(BASE.length)}`, { headers: { authorization: "Bearer wrong" } }],
    [`/${iri.slice(BASE.length)}`, { headers: { authorization: `Bearer ${tokens.load}` } }],
    `/${iri.slice(BASE.length)}/`,
    `/${iri.slice(BASE.length)}?utm_source=x`,
  ],
};

/** What differs from one answer to the next whatever is asked. */
const PASSING = /^(?:date|x-request-id|etag|last-modified|content-length|keep-alive),/;

function lasting({ text, status }: Asked, name: string): string {
  const lines = text.split("\n").filter((line) => !PASSING.test(line));
  return `${status}\n${lines
    .join("\n")
    .replaceAll(name, "NAME")
    .replace(/"(?:deleted|time)":"[^"]*"/g, "")}`;
}

describe("the public finds none of it", () => {
  it("by any route there is", async () => {
    const { paths } = JSON.parse((await ask("/openapi.json")).body) as { paths: object };
    const unknown = Object.keys(paths).filter((path) => !(path in ROUTES));
    expect(unknown, "say in ROUTES how these could be asked for a held record").toEqual([]);
    expect(Object.keys(ROUTES).filter((path) => !(path in paths))).toEqual([]);
    for (const asking of Object.values(ROUTES)) {
      // What no other record names is asked for as what there never was, and the answers are the same.
      for (const kind of KINDS) {
        const [one, other] = [wholeOf(kind), wholeOf(kind).replace(SECRET, "ungeschrieb")];
        const absent = asking(BASE + other);
        for (const [at, request] of asking(BASE + one).entries()) {
          const [about, init = {}] = typeof request === "string" ? [request] : request;
          const [like, same = {}] = typeof absent[at] === "string" ? [absent[at]] : absent[at]!;
          const [answer, expected] = [await ask(about, init), await ask(like, same)];
          if (about === like) expect(answer.text, about).not.toMatch(new RegExp(`${SECRET}|${FORMER}`));
          else expect(lasting(answer, SECRET), about).toBe(lasting(expected, "ungeschrieb"));
        }
        if (asking(BASE + one).every((request, at) => JSON.stringify(request) === JSON.stringify(absent[at]))) break;
      }
      for (const iri of asked.filter((each) => !each.includes(SECRET))) {
        for (const request of asking(iri)) {
          const [about, init = {}] = typeof request === "string" ? [request] : request;
          expect((await ask(about, init)).text, about).not.toMatch(new RegExp(`${SECRET}|${FORMER}`));
        }
        if (JSON.stringify(asking(iri)) === JSON.stringify(asking("x"))) break;
      }
    }
  });
});
