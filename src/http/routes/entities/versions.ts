/** `/versions`: earlier versions of records, and the list of a record's versions (Memento, RFC 7089), if the store keeps them. */
import { InexpressibleError } from "../../../rdf/inexpressible.js";
import type { Change } from "../../../store/changes.js";
import { hasFacets, type StoreWith } from "../../../store/store.js";
import {
  isKept,
  isVersion,
  keptOf,
  lifeOf,
  mementoLink,
  mementoLinks,
  timeMapUrl,
  versionUrl,
} from "../../entity/mementos.js";
import { type Content, fixedContent, jsonContent, tagOf } from "../../message/content.js";
import { target } from "../../message/headers/link.js";
import { negotiate, typeNegotiator } from "../../message/headers/negotiate.js";
import { fromStore, ProblemError } from "../../message/problems/problems.js";
import { type Representation, writtenText } from "../../representations/representation.js";
import { URI_PARAMETER } from "../openapi/paths.js";
import { type Route, type RouteContext, type RouteMaker, type RouteRequest, readRoute } from "../route.js";

const LINK_FORMAT = "application/link-format";
const negotiateList = typeNegotiator([LINK_FORMAT, "application/json"]);

type VersionedContext = RouteContext & { readonly store: StoreWith<"changes" | "versions"> };

export const versionRoutes: RouteMaker = (context) => {
  const { store } = context;
  if (!hasFacets(store, "changes", "versions")) return [];
  const versioned = { ...context, store };
  // Any load may turn on the keeping of versions.
  const whereKept = (answer: (request: RouteRequest) => Promise<Content>): Route["answer"] => {
    return (request) => (store.versions.areKept() ? answer(request) : undefined);
  };
  // Representations such as pages also show other records as they are now, not as they were then.
  const offered = context.representations.filter(({ dependsOn }) => dependsOn === undefined);
  const types = offered.map(({ contentType }) => contentType);
  const others = context.representations.filter((each) => !offered.includes(each));
  const version = {
    tag: "Entities",
    summary: "A record as it was after the change of this number.",
    types,
    headers: ["Content-Location", "Link", "Memento-Datetime"],
    conditions: "tags",
  } as const;
  const list = {
    id: "versions",
    tag: "Entities",
    summary: "The versions of a record that were kept: a TimeMap.",
    parameters: [URI_PARAMETER],
    types: [LINK_FORMAT, "application/json"],
    conditions: "tags",
    problems: ["not-found"],
  } as const;
  const timeMaps = whereKept((request) => timeMap(versioned, request));
  const suffixed = whereKept((request) => {
    const representation = offered.find(({ suffix }) => suffix === `.${request.parameter("suffix")}`);
    return memento(versioned, request.number, representation);
  });
  const negotiated = whereKept(async (request) => {
    const { accept, "accept-profile": profile } = request.headers;
    const chosenOf = (some: typeof offered) => negotiate(accept, some, profile, others);
    const representation = chosenOf(offered);
    if (representation === undefined)
      throw new ProblemError("not-acceptable", `Accept allows none of the versions' types: ${types.join(", ")}.`);
    return memento(versioned, request.number, representation).catch((error) => {
      const next = error instanceof InexpressibleError && chosenOf(offered.filter((each) => each !== representation));
      if (!next) throw error;
      return memento(versioned, request.number, next);
    });
  });
  return [
    readRoute("/versions", "page", list, timeMaps),
    readRoute("/versions/{number}.{suffix}", "page", { ...version, id: "versionAs" }, suffixed, {
      names: { suffix: offered.flatMap(({ suffix }) => suffix?.slice(1) ?? []) },
    }),
    readRoute("/versions/{number}", "page", { ...version, id: "version", problems: ["not-acceptable"] }, negotiated),
  ];
};

async function memento(context: VersionedContext, sequence: number, representation?: Representation): Promise<Content> {
  const { store, addresses, base } = context;
  const record = await fromStore(() => store.versions.find(sequence));
  if (record === undefined || representation === undefined)
    throw new ProblemError("not-found", "There is no such version, or it was not kept.");
  const { iri } = record.graph;
  const body = writtenText(await representation.write(record, { store, addresses, languages: [] }));
  const life = (await lifeOf(store.changes, iri)).filter(isVersion);
  const at = life.findIndex((change) => change.sequence === sequence);
  const ways = [life, life.slice(0, at).reverse(), life.slice(at + 1), life.toReversed()];
  const near = await Promise.all(ways.map((changes) => keptOf(store.versions, changes)));
  const links = ["first", "prev", "next", "last"].flatMap((each, way) =>
    near[way] === undefined ? [] : mementoLink(base, near[way], `${each} memento`),
  );
  const link = [mementoLinks(base, iri, addresses.url(iri)), ...links].join(", ");
  return {
    type: representation.contentType,
    body,
    // Its time says nothing about the links to later versions, so there is no `Last-Modified`.
    tag: tagOf(body + link),
    location: versionUrl(base, sequence) + (representation.suffix ?? ""),
    headers: ["Memento-Datetime", new Date(record.meta.modified).toUTCString(), "Link", link],
  };
}

/** The list of a record's kept versions, as links (RFC 6690; RFC 7089, 5) or as JSON. Throws `ProblemError`. */
async function timeMap({ store, addresses, base }: VersionedContext, request: RouteRequest): Promise<Content> {
  const { uri: iri } = request;
  const life = await lifeOf(store.changes, iri);
  const kept: Change[] = [];
  for (const change of life.filter(isVersion)) if (await isKept(store.versions, change)) kept.push(change);
  const [first, last] = [kept[0], kept.at(-1)];
  if (first === undefined || last === undefined) throw new ProblemError("not-found", `No version of ${iri} was kept.`);
  const [gate, map] = [addresses.url(iri), timeMapUrl(base, iri)];
  if (negotiateList(request.headers.accept) === "application/json") {
    const timeOf = ({ time }: Change) => new Date(time).toISOString();
    const entry = (change: Change) => ({ datetime: timeOf(change), uri: versionUrl(base, change.sequence) });
    const described = {
      original_uri: iri,
      timegate_uri: gate,
      timemap_uri: { link_format: map, json_format: map },
      mementos: { first: entry(first), last: entry(last), list: kept.map(entry) },
      deleted: life.filter((change) => !isVersion(change)).map(timeOf),
    };
    return jsonContent(described, undefined, 1);
  }
  const [from, until] = [first, last].map(({ time }) => new Date(time).toUTCString());
  const relation = (change: Change): string =>
    [...(change === first ? ["first"] : []), ...(change === last ? ["last"] : []), "memento"].join(" ");
  const links = [
    `${target(iri)}; rel="original"`,
    `${target(gate)}; rel="timegate"`,
    `${target(map)}; rel="self"; type="${LINK_FORMAT}"; from="${from}"; until="${until}"`,
    ...kept.map((change) => mementoLink(base, change, relation(change))),
  ];
  return fixedContent(LINK_FORMAT, `${links.join(",\n")}\n`);
}
