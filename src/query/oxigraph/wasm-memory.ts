/** The memory of Oxigraph's WebAssembly build: how it grows, and how its exhaustion is recognized. */
import type * as oxigraph from "oxigraph";
import { free, Store } from "./wasm-instance.js";

/** Whether an error is a trap: WebAssembly is out of memory or stack, and the process cannot be used any more. */
export function isTrap(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === "RuntimeError");
}

const STEP_BYTES = 64 * 2 ** 20;
/** Triples take up to 500 bytes, so that about two thirds of a step are free when the next one is due. */
const STEP_TRIPLES = 50_000;

/**
 * Makes the memory grow in large steps while a store is filled.
 *
 * The allocator requests little at a time, and each growth gives JavaScript a new buffer of the whole memory, which V8
 * counts as allocated: at some hundred megabytes it collects garbage at every growth, and filling takes three to five times as
 * long. A large block that is allocated and freed at once leaves room for many small ones.
 */
export class MemorySteps {
  #due = STEP_TRIPLES;
  #scratch: oxigraph.Store | undefined;

  /** Make room for more, given the number of triples so far. */
  after(triples: number): void {
    if (triples < this.#due) return;
    this.#due = triples + STEP_TRIPLES;
    try {
      // The text is copied as a whole, and refused at its first byte.
      this.#scratch ??= new Store();
      this.#scratch.load(new Uint8Array(STEP_BYTES), { format: "application/n-triples" });
    } catch (error) {
      if (isTrap(error)) throw error;
    }
  }

  /** Free the scratch store. */
  end(): void {
    if (this.#scratch !== undefined) free(this.#scratch);
    this.#scratch = undefined;
  }
}
