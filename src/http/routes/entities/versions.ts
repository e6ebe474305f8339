/** `/versions`: earlier versions of records, and what versions there are of one (Memento, RFC 7089). Only where the store keeps them. */
import type { Json } from "../../../rdf/record-graph.js";
import type { Change } from "../../../store/changes.js";
import { hasFacets, type StoreWith } from "../../../store/store.js";
import { isVersion, lifeOf, mementoLink, mementoLinks, timeMapUrl, versionUrl } from "../../entity/mementos.js";
import { type Content, FOR_GOOD, fixedContent, tagOf } from "../../message/content.js";
import { formatHttpDate } from "../../message/headers/http-date.js";
import { target } from "../../message/headers/link.js";
import { negotiator, typeNegotiator } from "../../message/headers/negotiate.js";
import { ProblemError } from "../../message/problems/problems.js";
import { fromStore } from "../../message/problems/store-unavailable.js";
import type { Representation } from "../../representations/representation.js";
import { ANY_OBJECT, pathParameter } from "../openapi/paths.js";
import { URI_PARAMETER, uriParameter } from "../parameters.js";
import {
  type Operation,
  type Route,
  type RouteContext,
  type RouteMaker,
  type RouteRequest,
  readRoute,
} from "../route.js";

const LINK_FORMAT = "application/link-format";
const negotiateList = typeNegotiator([LINK_FORMAT, "application/json"]);

type VersionedContext = RouteContext & { readonly store: StoreWith<"changes" | "versions"> };

export const versionRoutes: RouteMaker = (context) => {
  const { store } = context;
  if (!hasFacets(store, "changes", "versions")) return [];
  const versioned = { ...context, store };
  // A load may say at any time that versions are kept from then on.
  const whereKept = (answer: (request: RouteRequest) => Promise<Content>): Route["answer"] => {
    return (request) => (store.versions.areKept() ? answer(request) : undefined);
  };
  // A page shows what is around a record now, which was not around it then.
  const offered = context.representations.filter(({ dependsOn }) => dependsOn === undefined);
  const negotiate = negotiator(offered);
  const number = pathParameter("number", "The number of the change that made the version.");
  const suffix = pathParameter(
    "suffix",
    "The representation.",
    offered.flatMap((each) => (each.suffix === null ? [] : [each.suffix.slice(1)])),
  );
  const version: Pick<Operation, "tag" | "summary" | "content" | "headers" | "conditions"> = {
    tag: "Entities",
    summary: "A record as a change made it.",
    content: Object.fromEntries(offered.map(({ contentType }) => [contentType, {}])),
    headers: ["Content-Location", "Link"],
    conditions: "tags and dates",
  };
  const list: Operation = {
    id: "versions",
    tag: "Entities",
    summary: "The versions of a record that were kept: a TimeMap.",
    parameters: [URI_PARAMETER],
    content: { [LINK_FORMAT]: { type: "string" }, "application/json": ANY_OBJECT },
    conditions: "tags",
    problems: ["malformed", "not-found"],
  };
  const bySuffix: Operation = { ...version, id: "versionAs", parameters: [number, suffix], problems: ["not-found"] };
  const byNumber: Operation = {
    ...version,
    id: "version",
    parameters: [number],
    problems: ["not-found", "not-acceptable"],
  };
  const suffixed = whereKept((request) => {
    const wanted = `.${request.parameter("suffix")}`;
    const representation = offered.find((each) => each.suffix === wanted);
    return memento(versioned, request, representation);
  });
  const negotiated = whereKept((request) =>
    memento(versioned, request, negotiate(request.headers.accept) ?? notAcceptable(offered)),
  );
  const listed = whereKept((request) => timeMap(versioned, request));
  return [
    readRoute("/versions", "page", list, listed),
    readRoute("/versions/{number}.{suffix}", "page", bySuffix, suffixed),
    readRoute("/versions/{number}", "page", byNumber, negotiated),
  ];
};

function notAcceptable(offered: readonly Representation[]): never {
  const types = offered.map(({ contentType }) => contentType).join(", ");
  throw new ProblemError("not-acceptable", {
    detail: `None of the media types in Accept is available: ask for ${types}.`,
  });
}

/** A version with the time when it became current, and links to what it is a version of. */
async function memento(
  context: VersionedContext,
  request: RouteRequest,
  representation: Representation | undefined,
): Promise<Content> {
  const { store, addresses, base } = context;
  const text = request.parameter("number");
  const sequence = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0;
  const record = sequence === 0 ? undefined : await fromStore(() => store.versions.find(sequence));
  if (record === undefined || representation === undefined) {
    throw new ProblemError("not-found", { detail: "There is no such version, or it was not kept." });
  }
  const { iri } = record.graph;
  const written = await representation.write(record, { store, addresses, languages: [] });
  const body = typeof written === "string" ? written : written.body;
  const life = (await lifeOf(store.changes, iri)).filter(isVersion);
  const at = life.findIndex((change) => change.sequence === sequence);
  const near: [Change | undefined, string][] = [
    [life[0], "first memento"],
    [at > 0 ? life[at - 1] : undefined, "prev memento"],
    [life[at + 1], "next memento"],
    [life.at(-1), "last memento"],
  ];
  const links = [
    mementoLinks(base, iri, addresses.url(iri)),
    ...near.flatMap(([change, relation]) => (change === undefined ? [] : [mementoLink(base, change, relation)])),
  ];
  const { modified } = record.meta;
  return {
    type: representation.contentType,
    body,
    tag: tagOf(body),
    modified,
    cacheControl: FOR_GOOD,
    location: versionUrl(base, sequence) + (representation.suffix ?? ""),
    headers: ["Memento-Datetime", formatHttpDate(modified), "Link", links.join(", ")],
  };
}

/** The versions of a record that were kept, as links (RFC 6690; RFC 7089, 5) or as JSON. Throws `ProblemError`. */
async function timeMap({ store, addresses, base }: VersionedContext, request: RouteRequest): Promise<Content> {
  const iri = uriParameter(request);
  const life = await lifeOf(store.changes, iri);
  const kept: Change[] = [];
  for (const change of life.filter(isVersion)) {
    if ((await fromStore(() => store.versions.find(change.sequence))) !== undefined) kept.push(change);
  }
  if (kept.length === 0) throw new ProblemError("not-found", { detail: `No version of ${iri} was kept.` });
  const gate = addresses.url(iri);
  const asJson = negotiateList(request.headers.accept) === "application/json";
  const body = asJson
    ? `${JSON.stringify(listed(base, iri, gate, life, kept), null, 1)}\n`
    : linked(base, iri, gate, kept);
  return fixedContent(asJson ? "application/json" : LINK_FORMAT, body);
}

function linked(base: string, iri: string, gate: string, kept: readonly Change[]): string {
  const [from, until] = [kept[0]!, kept.at(-1)!].map(({ time }) => new Date(time).toUTCString());
  const relation = (at: number): string => {
    const ends = [...(at === 0 ? ["first"] : []), ...(at === kept.length - 1 ? ["last"] : [])];
    return [...ends, "memento"].join(" ");
  };
  const links = [
    `${target(iri)}; rel="original"`,
    `${target(gate)}; rel="timegate"`,
    `${target(timeMapUrl(base, iri))}; rel="self"; type="${LINK_FORMAT}"; from="${from}"; until="${until}"`,
    ...kept.map((change, at) => mementoLink(base, change, relation(at))),
  ];
  return `${links.join(",\n")}\n`;
}

function listed(base: string, iri: string, gate: string, life: readonly Change[], kept: readonly Change[]): Json {
  const entry = ({ sequence, time }: Change) => ({
    datetime: new Date(time).toISOString(),
    uri: versionUrl(base, sequence),
  });
  const gone = life.filter((change) => !isVersion(change)).map(({ time }) => new Date(time).toISOString());
  return {
    original_uri: iri,
    timegate_uri: gate,
    timemap_uri: { link_format: timeMapUrl(base, iri), json_format: timeMapUrl(base, iri) },
    mementos: { first: entry(kept[0]!), last: entry(kept.at(-1)!), list: kept.map(entry) },
    deleted: gone,
  };
}
