/** The IRIs in the search index: each has a number, whether it is that of a record or only referred to. */
import { BoundedMap, remembering } from "../base/bounded-map.js";
import { unescaped } from "../base/plain-text.js";
import { HashTable } from "../rdf/hash-table.js";
import { textHash } from "../rdf/text-hash.js";
import { EQUIVALENT } from "./properties.js";
import { NAME_KIND } from "./schema.js";
import type { Part, SearchText } from "./search-text.js";
import { Rows, type Sqlite } from "./sqlite.js";

/** IRIs and namespaces that are cached while records are indexed. */
const REMEMBERED = 300_000;

/** The SQL for the entities that refer to a target by a property. */
export const REFERRERS = "SELECT entity AS id FROM reference WHERE target = ? AND property = ?";

/** The number of an IRI in the search index. */
export function entityOf(sqlite: Sqlite, iri: string): number | undefined {
  const [namespace, local] = partsOf(iri);
  const sql = `SELECT i.id FROM iri i JOIN namespace n ON n.id = i.namespace WHERE i.hash = ? AND i.local = ? AND n.iri = ?`;
  return sqlite.row<[number]>(sql, hashOf(iri), local, namespace)?.[0];
}

/** The IRI that has a number in the search index. */
export function iriOfId(sqlite: Sqlite, id: number): string {
  const sql = "SELECT n.iri || i.local FROM iri i JOIN namespace n ON n.id = i.namespace WHERE i.id = ?";
  return sqlite.row<[string]>(sql, id)![0];
}

/** IRIs and their numbers while records are indexed. */
export class Iris {
  readonly #ids = new BoundedMap<string, number>(REMEMBERED);
  /** The number of a namespace; a new one gets a number. */
  readonly #namespaceOf = remembering(REMEMBERED, (iri: string) => {
    this.sqlite.run("INSERT OR IGNORE INTO namespace (iri) VALUES (?)", iri);
    return this.sqlite.row<[number]>("SELECT id FROM namespace WHERE iri = ?", iri)![0];
  });
  readonly #rows: Rows;
  /** All IRIs, while the index is filled: their table cannot be searched yet. */
  readonly #created: HashTable | undefined;
  /** The number that an IRI got last. */
  last: number;

  constructor(
    private readonly sqlite: Sqlite,
    isFilling: boolean,
  ) {
    this.#rows = new Rows(sqlite, "INSERT OR FAIL INTO iri");
    this.#created = isFilling ? new HashTable() : undefined;
    this.last = sqlite.row<[number]>("SELECT coalesce(max(id), 0) FROM iri")![0];
  }

  /** The number of an IRI, if it has one. Not for use while the index is filled. */
  known(iri: string): number | undefined {
    const known = this.#ids.get(iri) ?? entityOf(this.sqlite, iri);
    return known === undefined ? undefined : this.#ids.put(iri, known);
  }

  /** The number of an IRI; a new IRI gets one. */
  idOf(iri: string): number {
    const created = this.#created;
    const at = created?.indexOf(textHash(iri)) ?? 0;
    const known = created === undefined ? this.known(iri) : created.slots[at];
    if (known) return known;
    this.last++;
    const [namespace, local] = partsOf(iri);
    this.#rows.add(this.last, hashOf(iri), this.#namespaceOf(namespace), local);
    if (created === undefined) return this.#ids.put(iri, this.last);
    created.slots[at] = this.last;
    return this.last;
  }

  flush(): void {
    this.#rows.flush();
  }
}

/** The two parts of an IRI: the beginning that many share, and the rest. */
function partsOf(iri: string): readonly [namespace: string, local: string] {
  let at = Math.max(0, iri.length - 1);
  while (at > 0 && !"/#:?=".includes(iri[at - 1]!)) at--;
  return [iri.slice(0, at), iri.slice(at)];
}

/** 31 bits, which SQLite stores in four bytes. */
function hashOf(iri: string): number {
  return textHash(iri).a >>> 1;
}

/** The record whose IRI a text is, or else the records that state it as equivalent; `undefined` if there is none. */
export function recordsNamed(sqlite: Sqlite, text: string): Part | undefined {
  const entity = text.includes(":") ? entityOf(sqlite, text) : undefined;
  if (entity === undefined) return undefined;
  if (sqlite.row("SELECT 1 FROM entity WHERE id = ?", entity)) return { sql: "SELECT ? AS id", values: [entity] };
  const equivalent = { sql: REFERRERS, values: [entity, EQUIVALENT] };
  return sqlite.row(equivalent.sql, ...equivalent.values) && equivalent;
}

/** The entities whose IRI, or an equivalent one, ends in a text with a digit; `undefined` if there are none. */
export function withIriEnd(sqlite: Sqlite, { forms }: SearchText): Part | undefined {
  const sql = `SELECT entity FROM name WHERE kind = ${NAME_KIND.iriEnd} AND form IN (${forms.map(() => "?")})`;
  const ended: Part = { sql, values: forms };
  return sqlite.row(ended.sql, ...ended.values) && ended;
}

/** The address of records that a text may mean: the IRI in `/entity?uri=IRI`, one with another scheme, or one without what browsers and services add to an address, percent-encoding included, so that `https://museum.example/m%C3%BCnze.html?lang=nl` means `http://museum.example/münze`. */
export function addressMeant(sqlite: Sqlite, text: string): string | undefined {
  // A service gives this address to records whose IRIs are on other hosts.
  const [, named] = /\/entity\?(?:\S*&)?uri=([^&#\s>]+)/.exec(text) ?? [];
  const iri = named && unescaped(named);
  if (iri !== undefined) return recordsNamed(sqlite, iri) === undefined ? addressMeant(sqlite, iri) : iri;
  const [, rest] = /^\s*<?(?:https?:\/\/|(?=[\w-]+(?:\.[\w-]+)+\/))(\S+?)>?\s*$/i.exec(text) ?? [];
  if (rest === undefined) return undefined;
  const plain = rest.replace(/[?#].*$/, "");
  const paths = [
    rest,
    plain,
    plain.replace(/\/$/, ""),
    `${plain}/`,
    plain.replace(/(?<=[^/]\/.*)(?:\.\w{2,6}){1,2}$/, ""),
    // The addresses of pages at Wikidata and Getty differ from IRIs.
    plain.replace(/^(www\.wikidata\.org\/)wiki\//, "$1entity/").replace(/^(vocab\.getty\.edu\/)page\//, "$1"),
  ];
  const addresses = [...new Set([...paths, ...paths.map(unescaped)])].flatMap((path) => {
    const other = path.startsWith("www.") ? path.slice(4) : `www.${path}`;
    return [`https://${path}`, `http://${path}`, `https://${other}`, `http://${other}`];
  });
  return addresses.find((address) => address !== text && recordsNamed(sqlite, address) !== undefined);
}
