/** The keys of the store's tables. */
import { hash } from "node:crypto";
import { type TextHash, textHash } from "../../../rdf/text-hash.js";
import { InvalidCursorError } from "../../errors.js";

/** LMDB allows keys of up to 1,978 bytes. */
export const MAX_KEY_BYTES = 1978;
/** The first byte of a hashed key. No UTF-8 text begins with it. */
const HASHED = 0xff;

/** The key of an IRI: its UTF-8 bytes, or its hash if it is very long (or empty, since LMDB has no empty keys). */
export function iriKey(iri: string): Buffer {
  const bytes = Buffer.from(iri, "utf8");
  if (bytes.length > 0 && bytes.length <= MAX_KEY_BYTES) return bytes;
  return Buffer.concat([Buffer.from([HASHED]), hash("sha256", bytes, "buffer")]);
}

/** Whether a key is a hash rather than the IRI itself. */
export function isHashed(key: Buffer): boolean {
  return key[0] === HASHED;
}

/** The range of a page of a list. @param after the cursor: the last key of the page before. @param beginning with which all keys of the list begin. Throws `InvalidCursorError` */
export function rangeAfter(after: string | undefined, beginning = Buffer.alloc(0)) {
  if (after === undefined) return { start: beginning };
  const start = Buffer.from(after, "base64url");
  const isKey = start.length > 0 && start.length <= MAX_KEY_BYTES;
  if (!isKey || !start.subarray(0, beginning.length).equals(beginning)) throw new InvalidCursorError(after);
  return { start, exclusiveStart: true };
}

/** A number as eight bytes that sort like numbers. */
export function numberKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  key.writeUInt32BE(Math.floor(number / 2 ** 32), 0);
  key.writeUInt32BE(number >>> 0, 4);
  return key;
}

/** The number of a key of eight bytes. */
export function numberOfKey(key: Buffer): number {
  return key.readUInt32BE(0) * 2 ** 32 + key.readUInt32BE(4);
}

/** The sizes of a hash and of a backlink's key, in bytes. */
export const HASH = 12;
export const BACKLINK = HASH + 2;

/** The key of an IRI's backlinks by one property: the IRI's hash (12 bytes) and the property's number (2). */
export function backlinkKey(hash: TextHash, property: number): Buffer {
  const key = Buffer.allocUnsafe(BACKLINK);
  writeBacklinkKey(key, 0, hash, property);
  return key;
}

/** Write the key of backlinks into `bytes` at `start`. */
export function writeBacklinkKey(bytes: Buffer, start: number, { a, b, c }: TextHash, property: number): void {
  bytes.writeUInt32BE(a, start);
  bytes.writeUInt32BE(b, start + 4);
  bytes.writeUInt32BE(c, start + 8);
  bytes.writeUInt16BE(property, start + HASH);
}

/** The property's number in a backlink's key. */
export function propertyOfKey(key: Buffer): number {
  return key.readUInt16BE(HASH);
}

/** A record's number in a group of backlinks, as six bytes that sort like numbers. */
export function recordBytes(record: number): Buffer {
  const bytes = Buffer.allocUnsafe(6);
  bytes.writeUIntBE(record, 0, 6);
  return bytes;
}

/** The number of a record in six bytes. */
export function recordOfBytes(bytes: Buffer): number {
  return bytes.readUIntBE(0, 6);
}

/** The part of the change log with the changes of a source's records at an endpoint: source (4 bytes), endpoint (1). */
export function scopePart(source: number, endpoint: number): Buffer {
  const part = Buffer.allocUnsafe(5);
  part.writeUInt32BE(source);
  part[4] = endpoint;
  return part;
}

/** The part of the change log with the changes of a Set's members: the hash of the Set's IRI, as in the keys of its backlinks. */
export function setPart(set: string): Buffer {
  return backlinkKey(textHash(set), 0).subarray(0, HASH);
}

/** The key of a change in a part of the change log: the part, and the change's ordinal in it (8 bytes), from 1. */
export function ordinalKey(part: Buffer, ordinal: number): Buffer {
  return Buffer.concat([part, numberKey(ordinal)]);
}
