/** How each path of a service is asked for a record, such as one that is held. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { RELATIONS } from "../../src/model/relations.js";
import { ENDPOINTS } from "../../src/model/tables/endpoints.js";

/** What the paths are about besides the record. */
export interface Surroundings {
  readonly base: string;
  /** The changes of the records that are asked for, by sequence numbers. */
  readonly changes: readonly number[];
  /** The folder of the dumps. */
  readonly dumps: string;
  /** A token that may not read what is held. */
  readonly token: string;
}

/** The addresses for each way to ask a path of the service about an IRI. */
export type Asking = (iri: string) => readonly (string | readonly [path: string, init: RequestInit])[];

const post = (path: string, body: string, type: string): readonly [string, RequestInit] => [
  path,
  { method: "POST", body, headers: { "content-type": type } },
];
const FORM = "application/x-www-form-urlencoded";
const each = <T>(from: number, to: number, make: (number: number) => T): T[] =>
  Array.from({ length: to - from }, (_, at) => make(from + at));
const nameOf = (iri: string): string => iri.slice(iri.lastIndexOf("/") + 1);
const SUFFIXES = ["", ".jsonld", ".json", ".ttl", ".nt", ".nq", ".trig", ".rdf", ".schema.jsonld", ".html"];
const TABLES = ["csv", "jsonl"];
export const ACCEPTS = [
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
export const routesOf = ({ base, changes, dumps, token }: Surroundings): Readonly<Record<string, Asking>> => ({
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
    ].map((query, at) =>
      at % 2 === 0
        ? `/sparql?query=${encodeURIComponent(query)}`
        : post("/sparql", new URLSearchParams({ query }).toString(), FORM),
    ),
  "/sparql/{file}": () => ["/sparql/editor.js"],
  "/search/all.{table}": (iri) => TABLES.map((table) => `/search/all.${table}?text=${encodeURIComponent(nameOf(iri))}`),
  "/search/{endpoint}.{table}": () =>
    ENDPOINTS.flatMap(({ name }) => TABLES.map((table) => `/search/${name}.${table}`)),
  "/search": (iri) => [`/search?q=${encodeURIComponent(nameOf(iri))}`],
  "/search/all": (iri) => [
    `/search/all?text=${encodeURIComponent(nameOf(iri))}`,
    `/search/all?text=${encodeURIComponent(iri)}`,
    `/search/all?identifier=${encodeURIComponent(iri)}`,
  ],
  "/search/{endpoint}": (iri) =>
    ["set", "event", "place"].map((name) => `/search/${name}?name=${encodeURIComponent(nameOf(iri))}`),
  "/search/all/facets": (iri) => [
    `/search/all/facets?text=${encodeURIComponent(nameOf(iri))}`,
    `/search/all/facets?memberOf=${encodeURIComponent(iri)}`,
  ],
  "/search/{endpoint}/facets": (iri) => [`/search/set/facets?name=${encodeURIComponent(nameOf(iri))}`],
  "/related/{relation}.{table}": (iri) =>
    TABLES.map((table) => `/related/entityMemberOfSet.${table}?uri=${encodeURIComponent(iri)}`),
  "/related/{relation}": (iri) =>
    RELATIONS.filter((_, at) => at % 9 === 0).map(({ name }) => `/related/${name}?uri=${encodeURIComponent(iri)}`),
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
  "/ldes": () => ["/ldes"],
  "/ldes/page/{number}": () => each(1, 5, (number) => `/ldes/page/${number}`),
  "/oai": (iri) => [
    ...["oai_dc", "edm", "rdf"].flatMap((format) => [
      `/oai?verb=GetRecord&metadataPrefix=${format}&identifier=${encodeURIComponent(iri)}`,
      `/oai?verb=ListRecords&metadataPrefix=${format}`,
      `/oai?verb=ListRecords&metadataPrefix=${format}&set=kind.object`,
    ]),
    "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc",
    "/oai?verb=ListSets",
    `/oai?verb=ListMetadataFormats&identifier=${encodeURIComponent(iri)}`,
    `/entity?uri=${encodeURIComponent(iri)}.edm.rdf`,
    post("/oai", `verb=GetRecord&metadataPrefix=rdf&identifier=${encodeURIComponent(iri)}`, FORM),
  ],
  "/activity": () => ["/activity"],
  "/activity/all": () => ["/activity/all"],
  "/activity/page/{number}": () => each(1, 5, (number) => `/activity/page/${number}`),
  "/activity/change/{number}": () => changes.map((number) => `/activity/change/${number}`),
  "/activity/latest": () => ["/activity/latest"],
  "/activity/latest/page/{number}": () => each(1, 5, (number) => `/activity/latest/page/${number}`),
  "/activity/refresh": () => ["/activity/refresh"],
  "/activity/refresh/page/{number}": () => each(1, 5, (number) => `/activity/refresh/page/${number}`),
  "/activity/record": (iri) => [`/activity/record?uri=${encodeURIComponent(iri)}`],
  "/activity/source/{source}": () => ["/activity/source/acquisitions"],
  "/activity/source/{source}/page/{number}": () => ["/activity/source/acquisitions/page/1"],
  "/activity/{endpoint}": () => ENDPOINTS.map(({ name }) => `/activity/${name}`),
  "/activity/{endpoint}/page/{number}": () =>
    ENDPOINTS.flatMap(({ name }) => each(1, 3, (page) => `/activity/${name}/page/${page}`)),
  "/.well-known/void": () => ["/.well-known/void", "/.well-known/void?format=ttl"],
  "/dumps": () => ["/dumps"],
  "/dumps/": () => ["/dumps/"],
  "/dumps/latest/{of}.{format}.gz": () =>
    ["all", ...ENDPOINTS.map(({ name }) => name)].flatMap((of) =>
      ["nq", "jsonl", "nt"].map((format) => `/dumps/latest/${of}.${format}.gz`),
    ),
  "/dumps/{dump}/{file}": () =>
    readdirSync(dumps).flatMap((dump) => {
      const files = dump === "latest" ? [] : readdirSync(join(dumps, dump));
      return files.map((file) => `/dumps/${dump}/${file}`);
    }),
  "/robots.txt": () => ["/robots.txt"],
  "/sitemap.xml": () => ["/sitemap.xml"],
  "/sitemap/{number}.xml": () => ["/sitemap/1.xml"],
  "/versions": (iri) => [`/versions?uri=${encodeURIComponent(iri)}`],
  "/versions/{number}": () => changes.map((number) => `/versions/${number}`),
  "/versions/{number}.{suffix}": () => changes.map((number) => `/versions/${number}.ttl`),
  "/images/{file}": () => ["/images/girl-with-a-pearl-earring.svg"],
  "/assets/{file}": () => ["/assets/pages.css"],
  "/favicon.ico": () => ["/favicon.ico"],
  "/browse/{endpoint}.{table}": () =>
    ENDPOINTS.flatMap(({ name }) => TABLES.map((table) => `/browse/${name}.${table}`)),
  "/browse/{endpoint}": () => ENDPOINTS.map(({ name }) => `/browse/${name}`),
  "/referring.{table}": (iri) =>
    TABLES.map((form) => `/referring.${form}?uri=${encodeURIComponent(iri)}&property=part_of`),
  "/referring": (iri) => [`/referring?uri=${encodeURIComponent(iri)}&property=part_of`],
  "/entity": (iri) =>
    ACCEPTS.map((accept) => [`/entity?uri=${encodeURIComponent(iri)}`, { headers: { accept } }] as const),
  "/{path}.{suffix}": (iri) => SUFFIXES.slice(1).map((suffix) => `/${iri.slice(base.length)}${suffix}`),
  "/{path}": (iri) => [
    ...ACCEPTS.map((accept) => [`/${iri.slice(base.length)}`, { headers: { accept } }] as const),
    [`/${iri.slice(base.length)}`, { headers: { "accept-datetime": new Date().toUTCString() } }],
    [`/${iri.slice(base.length)}`, { method: "HEAD" }],
    [`/${iri.slice(base.length)}`, { headers: { authorization: "Bearer wrong" } }],
    [`/${iri.slice(base.length)}`, { headers: { authorization: `Bearer ${token}` } }],
    `/${iri.slice(base.length)}/`,
    `/${iri.slice(base.length)}?utm_source=x`,
  ],
});
