/** The list of an endpoint's records: keys in the order of labels, and values with label and IRI. */
import { beginning } from "../../../base/shortened.js";
import { endpointNumber } from "../../../model/tables/names.js";
import { MAX_KEPT_LABEL } from "../../changes.js";
import { type Listed, NUMBERS_A_BLOCK } from "../../store.js";
import type { StoreDatabase } from "./database.js";
import { stored } from "./encoding.js";
import { iriKey, MAX_KEY_BYTES, numberKey, recordBytes } from "./keys.js";

/** The maximum numbers of bytes of the label and the IRI in a key. Entries that are equal in these bytes are sorted by record number. */
const MAX_LABEL_BYTES = 240;
const MAX_IRI_BYTES = MAX_KEY_BYTES - MAX_LABEL_BYTES - 16;
/** Ends a label in a key, so that `Delft` sorts before `Delft, view`. */
const END = Buffer.of(0);

interface Listing {
  readonly endpoint: number;
  readonly label: string;
  readonly iri: string;
  readonly number: number;
}

/** The key: endpoint (1 byte), folded label, zero byte, IRI, record's number (6). */
export function listingKey({ endpoint, label, iri, number }: Listing): Buffer {
  const folded = Buffer.from(folding(label), "utf8").subarray(0, MAX_LABEL_BYTES);
  return Buffer.concat([Buffer.of(endpoint), folded, END, iriKey(iri).subarray(0, MAX_IRI_BYTES), recordBytes(number)]);
}

/** The entry of a stored record in lists. */
export function listingOf(value: Buffer, iri: string, number: number): Listing {
  return { endpoint: endpointNumber(stored.endpoint(value)), label: stored.label(value), iri, number };
}

const ASCII = /^[ -~]*$/;

/** A label as it is sorted: `etude` for `Étude `, in lower case and without marks and surrounding space (Unicode Standard, 5.18). */
function folding(label: string): string {
  const head = label.slice(0, MAX_LABEL_BYTES);
  if (ASCII.test(head)) return head.toLowerCase().trim();
  return head
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[\p{Z}\p{C}]+/gu, " ")
    .toLowerCase()
    .trim();
}

/** Put a record into the list of its endpoint. */
export function putListing({ lists }: Pick<StoreDatabase, "lists">, listing: Listing): void {
  lists.putSync(listingKey(listing), encodeListed(listing));
}

/** The value: length of the label (2 bytes), the label, the IRI. */
export function encodeListed({ label, iri }: Listing): Buffer {
  const text = Buffer.from(beginning(label, MAX_KEPT_LABEL), "utf8");
  const value = Buffer.concat([Buffer.allocUnsafe(2), text, Buffer.from(iri, "utf8")]);
  value.writeUInt16LE(text.length);
  return value;
}

/** The label and the IRI of an entry of a list. */
export function decodeListed(value: Buffer): Listed {
  const end = 2 + value.readUInt16LE();
  return { label: value.toString("utf8", 2, end), iri: value.toString("utf8", end) };
}

/** The block of a record's number; the first is 0. */
export function blockOf(number: number): number {
  return Math.floor((number - 1) / NUMBERS_A_BLOCK);
}

/** Store the time when a block last changed, in milliseconds since 1970. */
export function putBlockTime({ blockTimes }: Pick<StoreDatabase, "blockTimes">, block: number, time: number): void {
  const value = Buffer.allocUnsafe(8);
  value.writeDoubleLE(time);
  blockTimes.putSync(numberKey(block), value);
}

/** The times of all blocks, in order. Throws `EntryDamagedError`. */
export function blockTimesIn({ blockTimes }: Pick<StoreDatabase, "blockTimes">): number[] {
  return [...blockTimes.getRange({})].map(({ value }) => value.readDoubleLE());
}
