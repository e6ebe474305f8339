/** A kind of engine that a service can run itself: its program, its settings and its bulk loader. */
import type { EngineAddresses } from "../../engine/engine-access.js";

/** The folder of the files for bulk loaders, in that of the engine's files. */
export const PARTS = "parts";

/** Where an engine of one's own runs, and what it may take. */
export interface EngineHome {
  /** Its folder, which is nobody else's. */
  readonly folder: string;
  /** Free ports of the loopback interface. */
  readonly ports: readonly [number, number];
  readonly password: string;
  /** Bytes that it may take for its pages, and a query beyond them. */
  readonly memory: number;
  readonly queryMemory: number;
  /** Seconds after which a query may be ended, whoever waits for it. */
  readonly queryTime: number;
}

/** Takes in files of N-Triples while the engine holds nothing yet. It has to be closed. */
export interface BulkLoader {
  /** Resolves when a file of the folder `PARTS` was taken in, or is known not to be. */
  add(file: string): Promise<void>;
  /** See that all is on disk. Resolves to what of it was refused, in words. */
  finish(): Promise<readonly string[]>;
  close(): void;
}

/** An engine that a service can run. Another one is another row. */
export interface ManagedKind {
  /** The program, and the package of Debian that has it. */
  readonly program: string;
  readonly package: string;
  /** Asked like this, the program says which version it is. */
  readonly version: { readonly args: readonly string[]; readonly pattern: RegExp };
  /** Bytes of memory that are well spent on a triple. */
  readonly bytesOfTriple: number;
  /** Write what it is started with into its folder. @returns its arguments */
  prepare(home: EngineHome): readonly string[];
  addresses(home: EngineHome): EngineAddresses;
  /** Make an engine that was just started for the first time safe, and ready to be filled. */
  bulkLoader(home: EngineHome): BulkLoader;
}
