/** JSON text built byte by byte: texts are copied directly, without becoming strings in between. */
import { viewOf } from "../base/byte-view.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x7b;
/** The maximum number of bytes that one byte can become, as in `\u0001`. */
const MOST_OF_ONE = 6;
/** A text is escaped in pieces of this many bytes, with room made for one piece at a time. */
const PIECE = 65_536;
/** The initial size of the buffer, and the maximum that is kept for the next text, in bytes. */
const FIRST = 65_536;
const MOST_KEPT = 4 * 2 ** 20;

/** The bytes of a text that is written again and again. */
export function readyBytes(text: string): DataView {
  const { buffer, byteOffset, byteLength } = new TextEncoder().encode(text);
  return new DataView(buffer, byteOffset, byteLength);
}

/** A buffer for one text after another. Its methods are called many times for each document, so none of them allocates an object. */
export class JsonBytes {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  clear(): void {
    if (this.#bytes.length > MOST_KEPT) this.#resize(FIRST);
    this.#length = 0;
  }

  text(): string {
    return this.#bytes.toString("utf8", 0, this.#length);
  }

  byte(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#length++] = byte;
  }

  raw(bytes: DataView): void {
    const length = bytes.byteLength;
    if (this.#length + length > this.#bytes.length) this.#grow(length);
    const target = this.#view;
    const to = this.#length;
    let at = 0;
    for (; at + 4 <= length; at += 4) target.setInt32(to + at, bytes.getInt32(at));
    for (; at < length; at++) target.setUint8(to + at, bytes.getUint8(at));
    this.#length = to + length;
  }

  /** Write a key of an object, with anything prepared to follow it, after a comma unless it is the first. */
  key(bytes: DataView): void {
    if (this.#bytes[this.#length - 1] !== OPEN) this.byte(COMMA);
    this.raw(bytes);
  }

  /** Write the UTF-8 text `bytes[start..end]` as a string, as `JSON.stringify` would. */
  string(bytes: Uint8Array, start: number, end: number): void {
    this.byte(QUOTE);
    for (let at = start; at < end; at += PIECE) this.#escaped(bytes, at, Math.min(at + PIECE, end));
    this.byte(QUOTE);
  }

  json(text: string): void {
    const most = text.length * 3;
    if (this.#length + most > this.#bytes.length) this.#grow(most);
    this.#length += this.#bytes.write(text, this.#length, "utf8");
  }

  #escaped(bytes: Uint8Array, start: number, end: number): void {
    const most = (end - start) * MOST_OF_ONE;
    if (this.#length + most > this.#bytes.length) this.#grow(most);
    const [source, target] = [viewOf(bytes), this.#view];
    let to = this.#length;
    for (let at = start; at < end; ) {
      // Fewer than four bytes are read one by one, as what must be escaped.
      const four = at + 4 <= end ? source.getInt32(at) : 0;
      if (!mustEscape(four)) {
        target.setInt32(to, four);
        at += 4;
        to += 4;
        continue;
      }
      const byte = source.getUint8(at++);
      if (byte < 0x20) to += this.#bytes.write(JSON.stringify(String.fromCharCode(byte)).slice(1, -1), to, "latin1");
      else {
        if (byte === QUOTE || byte === BACKSLASH) target.setUint8(to++, BACKSLASH);
        target.setUint8(to++, byte);
      }
    }
    this.#length = to;
  }

  #grow(by: number): void {
    const before = this.#bytes;
    this.#resize(2 * (before.length + by));
    before.copy(this.#bytes, 0, 0, this.#length);
  }

  #resize(length: number): void {
    this.#bytes = Buffer.allocUnsafeSlow(length);
    this.#view = new DataView(this.#bytes.buffer);
  }
}

/** Whether one of four bytes must be escaped: below 0x20, a quote or a backslash. `(x - 0x01010101) & ~x & 0x80808080` is not 0 if and only if a byte of `x` is 0. */
function mustEscape(four: number): boolean {
  const quote = four ^ 0x22222222;
  const backslash = four ^ 0x5c5c5c5c;
  const found =
    ((four - 0x20202020) & ~four) | ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash);
  return (found & 0x80808080) !== 0;
}
