/** Oxigraph, loaded so that the memory of its WebAssembly instance can be saved, restored and enlarged, and its exhaustion recognized. The index process imports it only from here. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as oxigraph from "oxigraph";

/** TypeScript has the types of WebAssembly only together with those of browsers, which nothing else here needs (WebAssembly JavaScript Interface, 5). */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** @param pages of 64 KiB */
  grow(pages: number): number;
}

export interface WasmTable {
  readonly length: number;
  get(at: number): unknown;
  set(at: number, value: unknown): void;
  grow(entries: number): number;
}

type InstanceClass = new (...given: unknown[]) => { readonly exports: Readonly<Record<string, unknown>> };

/** The state of an instance while no function of it runs. */
export interface WasmState {
  readonly memory: WasmMemory;
  /** The JavaScript values that WebAssembly refers to; at rest, only strings that it keeps. */
  readonly references: WasmTable;
}

/** The name under which wasm-bindgen exports the table of references. */
const REFERENCES = "__wbindgen_externrefs";

const require = createRequire(import.meta.url);

/** The number of callers that need the memory at rest, and what is to be freed when there are none. */
let resting = 0;
const waiting: (() => void)[] = [];

/** A registry that frees WebAssembly memory of collected objects, but not while the memory must be at rest: garbage collection may happen at any time. */
class FreeingAfterRest<T> extends FinalizationRegistry<T> {
  constructor(free: (held: T) => void) {
    super((held) => {
      if (resting === 0) free(held);
      else waiting.push(() => free(held));
    });
  }
}

/** Run `work` while no memory is freed; what becomes garbage meanwhile is freed afterwards. Rejects as `work` does. */
export async function atRest<T>(work: () => Promise<T>): Promise<T> {
  resting++;
  try {
    return await work();
  } finally {
    resting--;
    if (resting === 0) for (const free of waiting.splice(0)) free();
  }
}

function loaded(): { readonly library: typeof oxigraph; readonly state: WasmState | undefined } {
  const wasm = (globalThis as unknown as { WebAssembly: { Instance: InstanceClass } }).WebAssembly;
  const { Instance } = wasm;
  const { FinalizationRegistry: Registry } = globalThis;
  let state: WasmState | undefined;
  wasm.Instance = class extends Instance {
    constructor(...given: unknown[]) {
      super(...given);
      const { memory, [REFERENCES]: references } = this.exports;
      if (memory !== undefined && references !== undefined)
        state = { memory: memory as WasmMemory, references: references as WasmTable };
    }
  };
  globalThis.FinalizationRegistry = FreeingAfterRest;
  try {
    return { library: require("oxigraph") as typeof oxigraph, state };
  } finally {
    wasm.Instance = Instance;
    globalThis.FinalizationRegistry = Registry;
  }
}

const { library, state } = loaded();
export const { Store, defaultGraph, namedNode } = library;

/** The state of this Oxigraph; `undefined` if it was loaded from elsewhere before, or is built differently. */
export const wasmState: WasmState | undefined = state;

/** SHA-256 of the WebAssembly file and its JavaScript bindings. Saved memory is only valid with the same digest. */
export function wasmDigest(): string {
  const file = require.resolve("oxigraph");
  const hash = createHash("sha256");
  for (const path of [file, join(dirname(file), "node_bg.wasm")]) hash.update(readFileSync(path));
  return hash.digest("hex");
}

/** The address of a store in the WebAssembly memory. */
export function memoryAddress(store: oxigraph.Store): number {
  return (store as unknown as { readonly __wbg_ptr: number }).__wbg_ptr;
}

/** Free the memory of a store that is no longer used, without waiting for garbage collection. */
export function free(store: oxigraph.Store): void {
  (store as unknown as { free(): void }).free();
}

/** The store at an address in the WebAssembly memory. */
export function storeAt(address: number): oxigraph.Store {
  // The bindings wrap pointers in the same way.
  return Object.assign(Object.create(Store.prototype), { __wbg_ptr: address }) as oxigraph.Store;
}

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

  end(): void {
    if (this.#scratch !== undefined) free(this.#scratch);
    this.#scratch = undefined;
  }
}
