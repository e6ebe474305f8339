/** The checksum of a stored record: 64 bits over its key, its context and every byte of its value. */
import { viewOf } from "../../../base/byte-view.js";
import { type TextHash, textHash } from "../../../rdf/text-hash.js";

export const SUM = 8;

/** Two words into which bijections mix all bytes. One damaged word therefore always changes both. Other damage goes unnoticed with a probability of 2^-64. */
const state = { a: 0, b: 0 };

function add(view: DataView, start: number, end: number): void {
  let { a, b } = state;
  let at = start;
  const ofWords = end - 3;
  for (; at < ofWords; at += 4) {
    const word = view.getInt32(at, true);
    a = Math.imul(a ^ word, 0x85ebca6b);
    a ^= a >>> 13;
    b = Math.imul((b + word) | 0, 0xc2b2ae35);
    b ^= b >>> 16;
  }
  for (; at < end; at++) {
    const byte = view.getUint8(at);
    a = Math.imul(a ^ byte, 0x85ebca6b);
    a ^= a >>> 13;
    b = Math.imul((b + byte) | 0, 0xc2b2ae35);
    b ^= b >>> 16;
  }
  state.a = a;
  state.b = b;
}

function compute(key: Uint8Array, value: Uint8Array, at: number, context: ContextSum): void {
  // The lengths come first, so that `ab` + `c` and `a` + `bc`, as key and value, have different checksums.
  state.a = context.a ^ key.length;
  state.b = context.b ^ value.length;
  add(new DataView(key.buffer, key.byteOffset, key.length), 0, key.length);
  const view = viewOf(value);
  add(view, 0, at);
  add(view, at + SUM, value.length);
}

/** What a context contributes to the checksums of its records. */
export type ContextSum = Pick<TextHash, "a" | "b">;

/** The contribution of a context, given as its stored JSON; `undefined` for none. */
export function contextSum(context: string | undefined): ContextSum {
  return context === undefined ? NO_CONTEXT : textHash(context);
}

const NO_CONTEXT: ContextSum = { a: 0, b: 0 };

/** Write the checksum into a value at `at`. It does not cover its own bytes. */
export function writeChecksum(key: Uint8Array, value: Buffer, at: number, context = NO_CONTEXT): void {
  compute(key, value, at, context);
  value.writeInt32LE(state.a, at);
  value.writeInt32LE(state.b, at + 4);
}

/** Whether the checksum at `at` in a value matches key, context and value. */
export function hasChecksum(key: Uint8Array, value: Buffer, at: number, context = NO_CONTEXT): boolean {
  compute(key, value, at, context);
  return value.readInt32LE(at) === state.a && value.readInt32LE(at + 4) === state.b;
}
