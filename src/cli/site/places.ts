/** The places of records in a site: which records cannot have their files at their own addresses, and what the site has there itself. */
import type { Publication } from "../../http/entity/publication.js";
import { ASSET_NAMES } from "../../http/routes/entities/pages.js";
import { ENDPOINT_NAMES } from "../../model/tables/names.js";
import type { StoreWith } from "../../store/store.js";
import { hostFiles } from "./host-rules.js";
import { LIST } from "./site-files.js";
import { StaticAddresses } from "./static-addresses.js";

/** Places that records must not have. */
const TAKEN = /^(?:index|browse|referring|assets|dumps|activity|ldes|search|pagefind|images)(?:\/|$)/;

/** The documents whose files have the names of their paths in the service. */
export const DOCUMENTS = [
  ...["robots.txt", "favicon.ico", "sitemap.xml"],
  ...[...ENDPOINT_NAMES, "structures"].flatMap((name) => [`shapes/${name}.ttl`, `schemas/${name}.json`]),
  ...ENDPOINT_NAMES.map((name) => `frames/${name}.json`),
  ...ASSET_NAMES.map((name) => `assets/${name}`),
];
/** The site's other files that are outside the places of `TAKEN`. */
const OTHERS = [
  ...["index.html", "openapi.html", "404.html"],
  ...["activity.json", "ldes.ttl", "context.jsonld", ".well-known/void", LIST],
];

const READ = 1_000;

/** The IRIs of all records, the oldest first. Rejects with the signal's reason. */
export async function* irisOf({ lists }: StoreWith<"lists">, signal: AbortSignal): AsyncIterable<string> {
  for (let first = 1; ; first += READ) {
    const { records, last } = await lists.numbered(first, READ);
    for (const { iri } of records) {
      signal.throwIfAborted();
      yield iri;
    }
    if (first + READ > last) return;
  }
}

/** The records whose addresses cannot be those of their files, each with the reason. @param iris those of all records */
export async function recordsWithoutFiles(publication: Publication, iris: AsyncIterable<string>) {
  const { addresses } = publication;
  const files = new StaticAddresses(publication);
  const own = new Set([...DOCUMENTS, ...OTHERS, ...hostFiles(publication).map(([file]) => file)]);
  const isOwn = (name: string): boolean => own.has(name) || /^sitemap\/\d+\.xml$/.test(name);
  const found = new Map<string, string>();
  const isOfAnother = "a file of another record is called so";
  /** The record that gets each place. Of `x` and `x/` it is `x`; of other spellings of an IRI it is the oldest record. */
  const owners = new Map<string, string>();
  for await (const iri of iris) {
    const place = files.placeOf(addresses.url(iri));
    if (place === undefined || TAKEN.test(place) || files.namesAt(place).some(isOwn)) {
      found.set(iri, "no file can be called so");
      continue;
    }
    const owner = owners.get(place);
    const isFirst = owner === undefined || (owner.endsWith("/") && !iri.endsWith("/"));
    if (isFirst) owners.set(place, iri);
    if (owner !== undefined) found.set(isFirst ? owner : iri, isOfAnother);
  }
  for (const [place, iri] of owners)
    if (files.inTheWay(place).some((each) => owners.has(each))) found.set(iri, isOfAnother);
  return found;
}
