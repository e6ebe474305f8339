/** A list of 32-bit integers that grows, in four bytes each. */
export class Integers {
  #items = new Int32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(...values: number[]): void {
    if (this.#length + values.length > this.#items.length) {
      const grown = new Int32Array(this.#length * 2);
      grown.set(this.#items);
      this.#items = grown;
    }
    for (const value of values) this.#items[this.#length++] = value;
  }

  at(index: number): number {
    return this.#items[index]!;
  }

  set(index: number, value: number): void {
    this.#items[index] = value;
  }

  /** All of them, and room for more behind them: no view has to be made. Valid until the next `push`. */
  get room(): Int32Array {
    return this.#items;
  }

  /** All of them, as a view that is valid until the next `push`. */
  get items(): Int32Array {
    return this.#items.subarray(0, this.#length);
  }
}
