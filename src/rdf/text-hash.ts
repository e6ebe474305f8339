/** Hashes that stand for texts, in memory and in the tables of a store. Changing the hash changes the store's format. */

/** A hash of 96 bits, as three numbers from 0 to 2^32 - 1. */
export type TextHash = Readonly<ReturnType<typeof textHash>>;

/** The 96-bit hash of a text: three 32-bit hashes computed in one pass. */
export function textHash(text: string) {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  let c = 0x3c6ef372;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b) ^ (b >>> 13);
    c = (Math.imul(c, 0x2c9277b5) + unit) ^ (c >>> 15);
  }
  return { a: mixed(a), b: mixed(b), c: mixed(c) };
}

/** The finalizer of MurmurHash3: every input bit affects every output bit. */
export function mixed(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
