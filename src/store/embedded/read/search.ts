/** Searches: by what records are found by, by their classes, and by what they refer to. */

import { ROLES } from "../../../model/relations-of-record.js";
import { ENDPOINTS } from "../../../model/tables/endpoints.js";
import { classesOf } from "../../../rdf/record-graph.js";
import { textHash } from "../../../rdf/text-hash.js";
import { InvalidCursorError, RecordDamagedError } from "../../errors.js";
import type { SearchHit, SearchQuery, Window, WindowQuery } from "../../search.js";
import type { StoreDatabase } from "../format/database.js";
import { endpointNumber } from "../format/encoding.js";
import { posting, RECORD, recordOfPosting, relationKey } from "../format/found.js";
import { backlinkKey, MAX_KEY_BYTES, numberKey, recordBytes, recordOfBytes } from "../format/keys.js";
import { decodeListed } from "../format/listing.js";
import { type AskedRelation, type Conditions, conditionsOf, placeInText } from "./matching.js";
import { NO_FORM, type Place, placesOf } from "./places.js";
import { countOf, past, recordNumbers } from "./postings.js";
import type { RecordReader } from "./records.js";

/** Records that are looked at for one window, and steps between words that have few records together. */
const MAX_LOOKED_AT = 1_000;
const MAX_STEPS = 4_000;
/** Records that refer to what is asked for: so many are all looked at, and answered in order; of more, as they come. */
const MAX_GATHERED = 500;

/** Entries of a table that are read at once. */
const PART = 64;

/** Ranks of records without a text: gathered, by number, by list. */
const GATHERED = 5;
const NUMBERED = 6;
const LISTED = 7;

/** A place that may have what is sought: the record's number or IRI, or nothing where the walk only goes on. */
interface Candidate extends Place {
  readonly iri?: string;
  readonly isOpen?: true;
}

/** What is found, and where. */
interface Found extends Place {
  readonly hit: SearchHit;
}

/** Throws `InvalidCursorError`. */
export function searchIn(reader: RecordReader, query: SearchQuery, window: WindowQuery): Window<SearchHit> {
  const isBackward = window.before !== undefined;
  const from = decodePlace(window.before ?? window.after ?? "");
  return new Search(reader, query, isBackward, from).window(window.limit, from !== undefined);
}

class Search {
  readonly #conditions: Conditions;
  readonly #endpoints: readonly number[];
  #steps = 0;

  constructor(
    readonly reader: RecordReader,
    query: SearchQuery,
    readonly isBackward: boolean,
    readonly from: Place | undefined,
  ) {
    this.#conditions = conditionsOf(query);
    this.#endpoints = query.endpoint === undefined ? ALL_ENDPOINTS : [endpointNumber(query.endpoint)];
  }

  /** One more than wanted says whether there is more. */
  window(limit: number, isFromPlace: boolean): Window<SearchHit> {
    const found: Found[] = [];
    let [lookedAt, first, last]: [number, Place | undefined, Place | undefined] = [0, undefined, undefined];
    let isMore = false;
    for (const candidate of this.#candidates()) {
      const hit = candidate.isOpen === true ? undefined : this.#hit(candidate);
      if (hit !== undefined && found.length === limit) {
        isMore = true;
        break;
      }
      first ??= candidate;
      last = candidate;
      if (hit !== undefined) found.push({ ...candidate, hit });
      if (candidate.isOpen === true || ++lookedAt >= MAX_LOOKED_AT) {
        isMore = true;
        break;
      }
    }
    const [onward, back] = [isMore ? last : undefined, isFromPlace ? (first ?? this.from) : undefined].map(encodePlace);
    const items = found.map(({ hit }) => hit);
    return windowOf(items, onward, back, this.isBackward);
  }

  #candidates(): Iterable<Candidate> {
    const { sought, relations } = this.#conditions;
    const { from, isBackward } = this;
    const fewest = this.#fewest(relations);
    const isGathered = fewest !== undefined && (from?.rank === GATHERED || fewest.count <= MAX_GATHERED);
    if (isGathered && from?.rank !== NUMBERED) return this.#gathered(fewest.relation);
    const [main] = sought;
    if (main !== undefined) {
      if (from !== undefined && from.rank >= GATHERED) throw new InvalidCursorError(encodePlace(from)!);
      const { found: table } = this.reader.database;
      const walk = {
        table: table!,
        endpoints: this.#endpoints,
        isBackward,
        isSpent: () => ++this.#steps % MAX_STEPS === 0,
      };
      return placesOf(walk, main, from);
    }
    return fewest === undefined ? this.#listed() : this.#numbered(fewest.relation);
  }

  /** The record of a place, if it is what is sought and this its first place. */
  #hit(candidate: Candidate): SearchHit | undefined {
    const { numbers } = this.reader.database;
    const iri = candidate.iri ?? numbers.get(numberKey(recordOfPosting(candidate.record)))?.toString("utf8");
    const judged = iri === undefined ? undefined : this.#judged(iri);
    if (judged === undefined) return undefined;
    const isFirst =
      candidate.rank > LAST_TEXT_RANK ||
      (judged.place.rank === candidate.rank && judged.place.form.equals(candidate.form));
    return isFirst ? judged.hit : undefined;
  }

  #judged(iri: string): { readonly hit: SearchHit; readonly place: Omit<Place, "record"> } | undefined {
    try {
      const record = this.reader.find(iri)?.record();
      if (record === undefined) return undefined;
      const { graph, meta } = record;
      const { endpoint, label } = meta;
      if (!this.#endpoints.includes(endpointNumber(endpoint))) return undefined;
      const place = placeInText(graph, endpoint, this.#conditions);
      if (place === undefined) return undefined;
      return { hit: { iri, endpoint, label, classes: classesOf(graph), rank: RANKS[place.rank] }, place };
    } catch (error) {
      // A damaged record is that record's loss alone.
      if (error instanceof RecordDamagedError) return undefined;
      throw error;
    }
  }

  /** The relation that the fewest records have, and about how many these are. */
  #fewest(relations: readonly AskedRelation[]): { relation: AskedRelation; count: number } | undefined {
    const counted = relations.map((relation) => ({
      relation,
      count: this.#groups(relation).reduce((sum, key) => sum + this.reader.database.backlinks.getValuesCount(key), 0),
    }));
    return counted.sort((a, b) => a.count - b.count)[0];
  }

  #groups({ iris, target }: AskedRelation): Buffer[] {
    const { properties } = this.reader.database;
    const hash = textHash(target);
    return [...iris].flatMap((iri) => {
      const number = properties.indexOf(iri) + 1;
      return number === 0 ? [] : [backlinkKey(hash, number)];
    });
  }

  /** All records that refer to the target, in the order in which they would be found. */
  *#gathered(relation: AskedRelation): Iterable<Candidate> {
    const { backlinks, numbers } = this.reader.database;
    const all = new Set(
      this.#groups(relation).flatMap((key) =>
        [...backlinks.getValues(key, { limit: 10 * MAX_GATHERED })].map(recordOfBytes),
      ),
    );
    const found: Candidate[] = [];
    for (const number of all) {
      const iri = numbers.get(numberKey(number))?.toString("utf8");
      const judged = iri === undefined ? undefined : this.#judged(iri);
      if (judged === undefined) continue;
      const { rank, form } = judged.place;
      const record = posting(judged.hit.label, number).subarray(0, RECORD);
      found.push({ rank: rank === -1 ? GATHERED : rank, form, record, iri: judged.hit.iri });
    }
    const { from, isBackward } = this;
    const sign = isBackward ? -1 : 1;
    found.sort((a, b) => sign * comparePlaces(a, b));
    yield* from === undefined ? found : found.filter((each) => sign * comparePlaces(each, from) > 0);
  }

  /** The records that refer to the target, by their numbers, group after group; each in the first that has it. */
  *#numbered(relation: AskedRelation): Iterable<Candidate> {
    const { backlinks } = this.reader.database;
    const groups = this.#groups(relation);
    const { from, isBackward } = this;
    const order = [...groups.keys()];
    for (const group of isBackward ? order.reverse() : order) {
      const at = from === undefined ? group : from.form[0]!;
      if (isBackward ? group > at : group < at) continue;
      let number = from !== undefined && group === at ? recordOfPosting(from.record) : undefined;
      for (;;) {
        const step = isBackward ? -1 : 1;
        const start = number === undefined ? {} : { start: recordBytes(number + step) };
        if (number !== undefined && number + step < 0) break;
        const part = [...backlinks.getValues(groups[group]!, { ...start, reverse: isBackward, limit: PART })];
        for (const bytes of part) {
          number = recordOfBytes(bytes);
          if (groups.slice(0, group).some((key) => backlinks.doesExist(key, bytes))) continue;
          yield { rank: NUMBERED, form: Buffer.of(group), record: posting("", number).subarray(0, RECORD) };
        }
        if (part.length < PART) break;
      }
    }
  }

  /** The records of the endpoints, by label. */
  *#listed(): Iterable<Candidate> {
    const { lists } = this.reader.database;
    const { from, isBackward } = this;
    for (const endpoint of isBackward ? [...this.#endpoints].reverse() : this.#endpoints) {
      const begun = from?.form[0] ?? endpoint;
      if (isBackward ? endpoint > begun : endpoint < begun) continue;
      let key = endpoint === begun ? from?.form : undefined;
      const [low, high] = [Buffer.of(endpoint), Buffer.of(endpoint + 1)];
      for (;;) {
        const range = isBackward ? { start: key ?? high, end: low, reverse: true } : { start: key ?? low, end: high };
        const part = [...lists.getRange({ ...range, limit: PART + 1 })];
        const before: Buffer | undefined = key;
        for (const entry of part) {
          if (before?.equals(entry.key) === true || entry.key[0] !== endpoint) continue;
          key = Buffer.from(entry.key);
          yield { rank: LISTED, form: key, record: NO_FORM, iri: decodeListed(entry.value).iri };
        }
        if (part.length <= PART) break;
      }
    }
  }
}

/** The ranks of a text here, by their numbers. */
const RANKS = ["value", "prefix", "words", "word prefix", "text"] as const;
const LAST_TEXT_RANK = RANKS.length - 1;
/** Endpoints have numbers to this one; 0 stands for none. */
const ALL_ENDPOINTS: readonly number[] = [...Array(ENDPOINTS.length + 1).keys()];

function comparePlaces(a: Place, b: Place): number {
  return a.rank - b.rank || a.form.compare(b.form) || a.record.compare(b.record);
}

/** A cursor: rank (1 byte), record (16, or none where a list's key says it), form. */
function encodePlace(place: Place | undefined): string | undefined {
  if (place === undefined) return undefined;
  return Buffer.concat([Buffer.of(place.rank), place.record, place.form]).toString("base64url");
}

/** Throws `InvalidCursorError`. */
function decodePlace(cursor: string): Place | undefined {
  if (cursor === "") return undefined;
  const bytes = Buffer.from(cursor, "base64url");
  const rank = bytes[0] ?? LISTED + 1;
  const end = rank === LISTED ? 1 : 1 + RECORD;
  const isSound = rank <= LISTED && bytes.length >= end && bytes.length <= MAX_KEY_BYTES;
  if (!isSound || (rank > GATHERED && bytes.length === end)) throw new InvalidCursorError(cursor);
  return { rank, record: bytes.subarray(1, end), form: bytes.subarray(end) };
}

/** The records that stand in a relation to an IRI, by label. Throws `InvalidCursorError`. */
export function relatedIn(database: StoreDatabase, relation: string, iri: string, window: WindowQuery): Window<string> {
  const key = relationKey(iri, ROLES.get(relation)!);
  const isBackward = window.before !== undefined;
  const given = window.before ?? window.after ?? "";
  const from = given === "" ? undefined : Buffer.from(given, "base64url");
  if (from !== undefined && from.length !== RECORD) throw new InvalidCursorError(given);
  const cut = from === undefined ? undefined : past(from, isBackward);
  const found = recordNumbers(database.found!, key, cut, isBackward, window.limit + 1);
  const records = found.slice(0, window.limit);
  const cursor = (record: Buffer | undefined): string | undefined => record?.toString("base64url");
  const onward = found.length > window.limit ? cursor(records.at(-1)) : undefined;
  const back = from === undefined ? undefined : cursor(records[0] ?? from);
  const items = records.flatMap(
    (record) => database.numbers.get(numberKey(recordOfPosting(record)))?.toString("utf8") ?? [],
  );
  return windowOf(items, onward, back, isBackward);
}

/** Items as a walk met them, with the cursors behind the last and ahead of the first. */
function windowOf<T>(
  items: readonly T[],
  onward: string | undefined,
  back: string | undefined,
  isBackward: boolean,
): Window<T> {
  return isBackward
    ? { items: items.toReversed(), next: back, previous: onward }
    : { items, next: onward, previous: back };
}

/** How many records stand in a relation to an IRI. */
export function relatedCountIn(database: StoreDatabase, relation: string, iri: string): number {
  return countOf(database.found!, relationKey(iri, ROLES.get(relation)!));
}
