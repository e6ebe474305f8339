/** Oxigraph, loaded so that the memory of its WebAssembly instance can be written down and read again. The index process imports it from here alone. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as oxigraph from "oxigraph";

/** WebAssembly's own types come with the browser's, which nothing else here needs (WebAssembly JavaScript Interface, 5). */
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
  /** The JavaScript values that WebAssembly holds: at rest, strings that it uses again and again. */
  readonly references: WasmTable;
}

/** wasm-bindgen's name of the table of references among the exports. */
const REFERENCES = "__wbindgen_externrefs";

const require = createRequire(import.meta.url);

/** How many want the memory at rest, and what is to be freed once nobody does. */
let resting = 0;
let waiting: (() => void)[] = [];

/** Has the memory that garbage held freed, but not while it is to be at rest: collecting garbage comes between any two turns. */
class FreeingAfterRest<T> extends FinalizationRegistry<T> {
  constructor(free: (held: T) => void) {
    super((held) => {
      if (resting === 0) free(held);
      else waiting.push(() => free(held));
    });
  }
}

/** Do what wants the memory to stay as it is; what garbage held meanwhile is freed afterwards. Rejects as the work does. */
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

/** The state of this Oxigraph; `undefined` where it was loaded from elsewhere before, or is built otherwise. */
export const wasmState: WasmState | undefined = state;

/** SHA-256 of the WebAssembly file and of what binds it to JavaScript: memory means the same under the same digest only. */
export function wasmDigest(): string {
  const file = require.resolve("oxigraph");
  const hash = createHash("sha256");
  for (const path of [file, join(dirname(file), "node_bg.wasm")]) hash.update(readFileSync(path));
  return hash.digest("hex");
}

/** Where a store lies in the memory of Oxigraph's WebAssembly. */
export function memoryAddress(store: oxigraph.Store): number {
  return (store as unknown as { readonly __wbg_ptr: number }).__wbg_ptr;
}

/** Give back the memory of a store that is of no more use, before garbage is collected. */
export function free(store: oxigraph.Store): void {
  (store as unknown as { free(): void }).free();
}

/** The store at an address in the memory of Oxigraph's WebAssembly. */
export function storeAt(address: number): oxigraph.Store {
  // As the bindings themselves wrap what WebAssembly returns.
  return Object.assign(Object.create(Store.prototype), { __wbg_ptr: address }) as oxigraph.Store;
}
