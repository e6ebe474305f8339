/** The discovery of what can be followed at an address: the change stream, and a dump to begin with. */
import { entryOf } from "../../base/entries.js";
import { jsonIn } from "../../base/json.js";
import { isJsonObject, type Json, type JsonObject } from "../../rdf/record-graph.js";
import { RDF } from "../../rdf/terms.js";
import { TurtleReader } from "../../rdf/turtle/reader.js";
import { type Client, FollowError } from "./client.js";
import type { StreamPosition } from "./stream.js";

/** A complete file, and the position in the change stream that it reaches. */
export interface Dump {
  readonly url: string;
  /** The extension of the file name, from which `load` tells the format. */
  readonly extension: string;
  readonly sha256?: string;
  readonly position: StreamPosition;
}

export interface FollowedService {
  readonly collection: string;
  /** The base URL that the publisher states as its own, with a final slash, if known. */
  readonly base?: string;
  readonly dump?: Dump;
}

const DCAT = "http://www.w3.org/ns/dcat#";
const MODIFIED = "http://purl.org/dc/terms/modified";

/** The extensions of dumps that can be loaded, the best first: documents keep their contexts, and quads everything else. */
const EXTENSIONS = ["jsonl.gz", "nq.gz", "jsonl", "nq", "nt.gz", "nt", "ttl.gz", "ttl"] as const;

/** Find the publisher at an address: a Vitrine, the description of any dataset, or a change stream itself. Throws `FollowError`. */
export async function discover(client: Client, url: string): Promise<FollowedService> {
  const answer = await client.get(url, { accept: "application/json, application/ld+json;q=0.9, */*;q=0.1" });
  if (answer.status !== 200) throw new FollowError(`${url} answers ${answer.status}`);
  const document = jsonIn<Json>(answer.body);
  if (isJsonObject(document) && document.type === "OrderedCollection")
    return { collection: collectionAt(client, url, document) };
  // The IRI of a dataset may have a fragment.
  const given = url.replace(/\/?(?:[?#].*)?$/s, "/");
  if (isJsonObject(document) && typeof document.activity === "string" && typeof document.dataset === "string")
    return ofVitrine(client, document, given);
  let described: Partial<FollowedService> = {};
  for (const at of [url, `${given}.well-known/void`]) {
    described = await descriptionAt(client, at);
    if (described.collection !== undefined) return described as FollowedService;
  }
  const guess = await client.get(`${given}activity`, { accept: "application/ld+json, application/json;q=0.9" });
  const collection = guess.status === 200 ? jsonIn<Json>(guess.body) : undefined;
  if (!isJsonObject(collection) || collection.type !== "OrderedCollection")
    throw new FollowError(`${url} is not a change stream, and names none: give the address of an OrderedCollection`);
  return { ...described, collection: String(collection.id ?? `${given}activity`) };
}

/** The URL by which a change stream names itself. If it was reached by another URL, its pages are requested beside that. */
function collectionAt(client: Client, url: string, { id = url }: JsonObject): string {
  const collection = String(id);
  const { origin, pathname, search } = new URL(url);
  const path = pathname + search;
  if (!client.mayAsk(collection) && collection.endsWith(path))
    client.reach(`${collection.slice(0, -path.length)}/`, `${origin}/`);
  return collection;
}

/** Read the addresses that a service of this software states itself. */
async function ofVitrine(client: Client, document: JsonObject, given: string): Promise<FollowedService> {
  const dataset = String(document.dataset);
  const base = dataset.slice(0, dataset.lastIndexOf(".well-known"));
  client.reach(base, given);
  const publisher = { collection: String(document.activity), base };
  if (typeof document.dumps !== "string") return publisher;
  const listed = await client.get(document.dumps, { accept: "application/json" });
  const dumps = listed.status === 200 ? jsonIn<Json>(listed.body) : undefined;
  const newest = isJsonObject(dumps) && Array.isArray(dumps.dumps) ? dumps.dumps[0] : undefined;
  if (!isJsonObject(newest) || !Array.isArray(newest.files)) return publisher;
  const { records, sequence, lastChange } = newest;
  const files = newest.files.filter(isJsonObject).filter(({ of }) => of === "all");
  const whole = files.find((each) => each.format === "jsonl" && each.records === records);
  const file = whole ?? files.find(({ format }) => format === "nq");
  if (file === undefined) return publisher;
  const time = typeof lastChange === "string" ? lastChange : null;
  const position = { key: `${base}activity/change/${String(sequence)}`, time };
  const extension = `${String(file.format)}.gz`;
  return { ...publisher, dump: { url: String(file.url), extension, sha256: String(file.sha256), position } };
}

/** The description in VoID or DCAT at an address; empty when none can be read. */
async function descriptionAt(client: Client, url: string): Promise<Partial<FollowedService>> {
  const answer = await client.get(url, { accept: "text/turtle" });
  if (answer.status !== 200) return {};
  const described = new Map<string, Map<string, string[]>>();
  try {
    const reader = new TurtleReader({ source: answer.url, format: "turtle", baseIri: answer.url }, (statement) => {
      const of = entryOf(described, statement.subject().value, () => new Map<string, string[]>());
      entryOf(of, statement.predicate().value, (): string[] => []).push(statement.object().value);
    });
    reader.push(answer.body);
    reader.end();
  } catch {
    return {};
  }
  const services = [...described.values()].filter((of) => of.get(RDF.type)?.includes(`${DCAT}DataService`));
  const stream = services.find((of) =>
    of.get("http://purl.org/dc/terms/conformsTo")?.some((iri) => iri.includes("iiif.io/api/discovery/")),
  );
  const collection = stream?.get(`${DCAT}endpointURL`)?.[0];
  return { ...(collection === undefined ? {} : { collection }), ...dumpIn(described, client) };
}

/** The best file in the description that has the time of its state; without that, the position in the stream would be unknown. None if files differ in more than their format: a dataset may be divided among them (VoID, 3.2). */
function dumpIn(described: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>, client: Client) {
  const named = [...described.values()].flatMap((of) => of.get("http://rdfs.org/ns/void#dataDump") ?? []);
  const [stem, ...others] = new Set(named.map((each) => each.replace(/\.[a-z\d]+(?:\.(?:gz|bz2|xz|zip|zst))?$/i, "")));
  if (others.length > 0) return {};
  for (const extension of EXTENSIONS) {
    const url = `${stem}.${extension}`;
    if (!named.includes(url) || !client.mayAsk(url)) continue;
    const of =
      described.get(url) ?? [...described.values()].find((each) => each.get(`${DCAT}downloadURL`)?.includes(url));
    const time = of?.get(MODIFIED)?.[0];
    if (time !== undefined) return { dump: { url, extension, position: { key: null, time } } };
  }
  return {};
}
