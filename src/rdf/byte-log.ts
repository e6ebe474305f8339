/** A byte log: a growing append-only buffer, for lines that go to memory or a temporary file. */
export class ByteLog {
  #bytes: Buffer;
  #length = 0;

  constructor(capacity = 1024) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** All appended bytes, as a view that is valid until the next append or `clear`. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  copy(source: Buffer, start: number, end: number): void {
    const at = this.#reserve(end - start);
    source.copy(this.#bytes, at, start, end);
  }

  text(text: string): void {
    const at = this.#reserve(text.length * 3);
    this.#length = at + this.#bytes.write(text, at);
  }

  /** Append an unsigned 32-bit integer, little-endian. Returns its offset, for `setUint32`. */
  uint32(value: number): number {
    const at = this.#reserve(4);
    this.setUint32(at, value);
    return at;
  }

  /** Overwrite an integer that `uint32` appended. */
  setUint32(at: number, value: number): void {
    const bytes = this.#bytes;
    bytes[at] = value;
    bytes[at + 1] = value >>> 8;
    bytes[at + 2] = value >>> 16;
    bytes[at + 3] = value >>> 24;
  }

  /** Remove all bytes; the memory is kept for later appends. */
  clear(): void {
    this.#length = 0;
  }

  #reserve(size: number): number {
    const at = this.#length;
    const needed = at + size;
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, at);
      this.#bytes = grown;
    }
    this.#length = needed;
    return at;
  }
}
