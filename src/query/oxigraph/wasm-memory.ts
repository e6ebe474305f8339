/** The memory of Oxigraph's WebAssembly build: how it grows, and how one sees that there is no more. */
import type * as oxigraph from "oxigraph";
import { free, Store } from "./wasm-instance.js";

/** Whether WebAssembly stopped for good: out of memory or out of stack. The process is of no more use then. */
export function isTrap(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === "RuntimeError");
}

const STEP_BYTES = 64 * 2 ** 20;
/** Triples take up to 500 bytes, so that two thirds of a step are left when the next is due. */
const STEP_TRIPLES = 50_000;

/**
 * Lets the memory grow in large steps while a store is filled.
 *
 * The allocator asks for little at a time, and after each growth JavaScript sees a new buffer of the whole memory, by
 * which V8 counts: at some hundred megabytes it collects garbage at every growth, and filling takes three to five times as
 * long. A large piece that is taken and given back at once leaves room for many small ones.
 */
export class MemorySteps {
  #due = STEP_TRIPLES;
  #scratch: oxigraph.Store | undefined;

  /** Make room for what is to come after so many triples. */
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

  /** Give back what it took. */
  end(): void {
    if (this.#scratch !== undefined) free(this.#scratch);
    this.#scratch = undefined;
  }
}
