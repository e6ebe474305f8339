/** JSON text built byte by byte: texts are copied directly, without becoming strings in between. */

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

/** A buffer for one text after another. Its methods are called many times for each document, so none of them allocates an object. */
export class JsonBytes {
  #bytes: Buffer = Buffer.allocUnsafe(FIRST);
  #length = 0;

  clear(): void {
    if (this.#bytes.length > MOST_KEPT) this.#bytes = Buffer.allocUnsafe(FIRST);
    this.#length = 0;
  }

  text(): string {
    return this.#bytes.toString("utf8", 0, this.#length);
  }

  byte(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#length++] = byte;
  }

  raw(bytes: Uint8Array): void {
    const { length } = bytes;
    if (this.#length + length > this.#bytes.length) this.#grow(length);
    const target = this.#bytes;
    let to = this.#length;
    for (let at = 0; at < length; at++) target[to++] = bytes[at]!;
    this.#length = to;
  }

  /** Write a key of an object, with anything prepared to follow it, after a comma unless it is the first. */
  key(bytes: Uint8Array): void {
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
    const target = this.#bytes;
    let to = this.#length;
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!;
      if (byte < 0x20) to += target.write(JSON.stringify(String.fromCharCode(byte)).slice(1, -1), to, "latin1");
      else {
        if (byte === QUOTE || byte === BACKSLASH) target[to++] = BACKSLASH;
        target[to++] = byte;
      }
    }
    this.#length = to;
  }

  #grow(by: number): void {
    const larger = Buffer.allocUnsafe(2 * (this.#bytes.length + by));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
