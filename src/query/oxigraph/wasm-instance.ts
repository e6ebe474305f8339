/** Oxigraph, loaded so that the memory of its WebAssembly instance can be saved and restored. The index process imports it only from here. */
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
let waiting: (() => void)[] = [];

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
    if (resting === 0) {
      const freeing = waiting;
      waiting = [];
      for (const free of freeing) free();
    }
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
      if (memory !== undefined && references !== undefined) {
        state = { memory: memory as WasmMemory, references: references as WasmTable };
      }
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
