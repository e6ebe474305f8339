/** The keys of the store's tables. */
import { createHash } from "node:crypto";

/** LMDB takes keys of up to 1,978 bytes. */
export const LONGEST_KEY = 1978;
/** No UTF-8 text begins with this byte. */
const HASHED = 0xff;

/** The key of an IRI: its UTF-8 bytes, or for a very long one (and for the empty one, which LMDB has no key for) its hash. */
export function iriKey(iri: string): Buffer {
  const bytes = Buffer.from(iri, "utf8");
  if (bytes.length > 0 && bytes.length <= LONGEST_KEY) return bytes;
  return Buffer.concat([Buffer.from([HASHED]), createHash("sha256").update(bytes).digest()]);
}

/** Whether a key is a hash rather than the IRI itself. */
export function isHashed(key: Buffer): boolean {
  return key[0] === HASHED;
}

/** A number as eight bytes that sort as the numbers do. */
export function numberKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  key.writeUInt32BE(Math.floor(number / 2 ** 32), 0);
  key.writeUInt32BE(number >>> 0, 4);
  return key;
}

export function numberOfKey(key: Buffer): number {
  return key.readUInt32BE(0) * 2 ** 32 + key.readUInt32BE(4);
}

/** A hash of an IRI in 52 bits, which a double holds exactly (two rounds of FNV-1a with a final mix). */
export function iriHash(iri: string): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let at = 0; at < iri.length; at++) {
    const unit = iri.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 13);
  }
  low = Math.imul(low ^ (low >>> 15), 0xc2b2ae35);
  low ^= low >>> 13;
  high = Math.imul(high ^ (high >>> 16), 0x7feb352d);
  high ^= high >>> 15;
  return (high & 0xfffff) * 2 ** 32 + (low >>> 0);
}

/** Where an IRI is mentioned: its hash (7 bytes), the property's number (2), the record's number (6). */
export function mentionKey(hash: number, property: number, record: number): Buffer {
  const key = Buffer.allocUnsafe(15);
  key.writeUIntBE(Math.floor(hash / 2 ** 32), 0, 3);
  key.writeUInt32BE(hash % 2 ** 32, 3);
  key.writeUInt16BE(property, 7);
  key.writeUIntBE(record, 9, 6);
  return key;
}

/** The property's and the record's number in a mention's key. */
export function mentionOfKey(key: Buffer): { property: number; record: number } {
  return { property: key.readUInt16BE(7), record: key.readUIntBE(9, 6) };
}
