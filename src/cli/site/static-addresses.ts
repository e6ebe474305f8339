/** Static addresses: the files of a service's pages, documents and records, and what its addresses become when no service reads their queries. */
import { hash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { escapeHtml, unescapeHtml } from "../../base/html.js";
import { unescaped } from "../../base/plain-text.js";
import { toUri } from "../../http/entity/iri-equivalents.js";
import type { Publication } from "../../http/entity/publication.js";
import { suffixesOf } from "../../http/representations/representation.js";
import { ASSET_NAMES } from "../../http/routes/entities/pages.js";
import { ENDPOINT_NAMES } from "../../model/tables/names.js";
import type { StoreWith } from "../../store/store.js";
import { hostFiles, inPattern } from "./host-rules.js";
import { LIST } from "./site-files.js";

/** Raise this whenever static addresses change, or what the search of a site finds a record by: all files are then written anew. */
export const SITE_VERSION = 9;

/** The longest name of a record's files without their suffixes, in bytes. File systems allow 255, also while a file is written, when it ends in `.schema.jsonld.partial`. */
const MAX_NAME = 230;

/** The change log in its two forms, and their pages. */
const STREAM = /^\/(?:activity|ldes)(?:\/page\/\d+)?$/;

export class StaticAddresses {
  readonly #inText: RegExp;
  /** A suffix after a final slash, which is no part of a file's name. */
  readonly #afterSlash: RegExp;
  /** An IRI and all suffixes at its end. */
  readonly #suffixed: RegExp;
  /** What the names of a record's files have after its place. */
  readonly #ends: readonly string[];

  /** @param withoutFiles the IRIs of records that cannot be addresses of files */
  constructor(
    private readonly publication: Publication,
    private readonly withoutFiles: ReadonlySet<string> = new Set(),
  ) {
    const suffixes = suffixesOf(publication.representations);
    this.#ends = [...suffixes, "/index.html"];
    const ends = suffixes.map(inPattern).join("|");
    this.#afterSlash = new RegExp(`/(${ends})$`);
    this.#suffixed = new RegExp(`^(.*?)((?:${ends})*)$`, "s");
    const named = `(?:entity\\?uri=|(?:activity|ldes|openapi\\.json)(?=["/>]))[^"<>\\s]*|[^"<>\\s?#]*/(?:${ends})(?=["<>\\s#])`;
    this.#inText = new RegExp(`${inPattern(toUri(publication.addresses.base))}/(?:${named})`, "g");
  }

  /** The static address for an address of the service; other addresses are returned unchanged. */
  of(address: string): string {
    const { base, path } = this.publication.addresses;
    const start = [base, path].find((each) => address.startsWith(`${each}/`));
    if (start === undefined) return address;
    const [target = "", ...fragment] = address.slice(start.length).split("#");
    return [start + this.#static(target), ...fragment].join("#");
  }

  /** A text of the service, with its addresses replaced by static ones. */
  rewritten(text: string, isHtml: boolean): string {
    if (!isHtml) return text.replace(this.#inText, (address) => this.of(address));
    const data = text.replace(/<script type="application\/ld\+json">.*/g, (script) => this.rewritten(script, false));
    return data.replace(/\b(href|src|og:url" content)="([^"]*)"/g, (attribute, name, value) => {
      const address = unescapeHtml(value);
      const changed = this.of(address);
      return changed === address ? attribute : `${name}="${escapeHtml(changed)}"`;
    });
  }

  /** The static address for an address of the service, as a path from the service's root. */
  staticPath(url: string): string {
    return this.of(url).slice(this.publication.addresses.base.length);
  }

  /** The place of the record at an address, without a suffix and relative to the site's folder. `undefined` when no file can have this name. */
  placeOf(url: string): string | undefined {
    const names = this.staticPath(url).replace(/\/$/, "").slice(1).split("/").map(decodedName);
    return names.includes(undefined) ? undefined : names.join("/");
  }

  /** The names that a record needs at its place: of its folder and those above it, and of its files. */
  namesAt(place: string): string[] {
    const folders = [...place.matchAll(/(?=\/)|$/g)].map(({ index }) => place.slice(0, index));
    return [...folders, ...this.#ends.map((end) => place + end)];
  }

  /** The places of other records whose files would have a name that this record needs. A record at `x` has the file `x.ttl`, so it is in the way of one at `x.ttl`. */
  inTheWay(place: string): string[] {
    const names = this.namesAt(place);
    const before = (end: string) => names.filter((name) => name.endsWith(end));
    const others = this.#ends.flatMap((end) => before(end).map((name) => name.slice(0, -end.length)));
    // If two records need a file of the same name, the one with the shorter place gets it.
    return others.filter((other) => other.length < place.length);
  }

  /** The file of a page that is no record's: the index in the folder at its address. */
  fileOf(url: string): string {
    return `${this.staticPath(url).replace(/\/$/, "")}/index.html`.slice(1);
  }

  #static(target: string): string {
    // A site describes its files on a page, at the address of a service's description to read.
    if (target === "/openapi.json") return "/openapi.html";
    const at = target.indexOf("?");
    if (at === -1 && STREAM.test(target)) return target + (target.startsWith("/ldes") ? ".ttl" : ".json");
    if (at === -1) return target.replace(this.#afterSlash, "$1");
    const [path, query] = [target.slice(0, at), new URLSearchParams(target.slice(at + 1))];
    if (path === "/referring") {
      const asked = ["uri", "property", "after"].map((name) => query.get(name));
      return `/referring/${nameOf(JSON.stringify(asked))}/`;
    }
    if (path.startsWith("/browse/")) return `${path}/${nameOf(query.get("after") ?? "")}/`;
    // The record is under another base, or its own IRI has a query.
    const uri = path === "/entity" ? /^uri=([^&]*)/.exec(target.slice(at + 1))?.[1] : undefined;
    const iri = uri === undefined ? this.publication.addresses.base + target : unescaped(uri);
    const [, stem = ""] = this.#suffixed.exec(iri)!;
    const ends = ["", ...this.#ends].filter((end) => iri.endsWith(end));
    const stems = ends.map((end) => iri.slice(0, iri.length - end.length));
    const record = stems.find((each) => this.withoutFiles.has(each)) ?? stem;
    return `/entity/${nameOf(record)}${iri.slice(record.length) || "/"}`;
  }
}

/** A unique name for what cannot be a file name itself. */
function nameOf(text: string): string {
  return hash("sha256", text).slice(0, 20);
}

function decodedName(encoded: string): string | undefined {
  const name = unescaped(encoded);
  // Hosts decode percent-encoding that is not UTF-8 to bytes that no file name has.
  if (name === encoded && name.includes("%")) return undefined;
  // Servers interpret names such as `..` and `.htaccess` in their own ways, and hide others that begin with a dot.
  const isPossible = name !== "" && !name.startsWith(".") && !/[/\\\0]/.test(name);
  return isPossible && Buffer.byteLength(name) <= MAX_NAME ? name : undefined;
}

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

/** The IRIs of all records, the oldest first, with a turn before each part for signals to arrive. Rejects with the signal's reason. */
export async function* irisOf({ lists }: StoreWith<"lists">, signal: AbortSignal): AsyncIterable<string> {
  for (let first = 1; ; first += READ) {
    await turn();
    signal.throwIfAborted();
    const { records, last } = await lists.numbered(first, READ);
    for (const { iri } of records) yield iri;
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
