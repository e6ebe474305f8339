/** The kind of a managed engine: its program, settings and bulk loader. */
import type { EngineAddresses } from "../../engine/engine-access.js";
import type { SynchronizedSettings } from "../remote/synchronized-engine.js";

/** The folder of input files for bulk loaders, inside the engine's folder. */
export const PARTS = "parts";

/** Where a managed engine runs, and its limits. */
export interface EngineHome {
  /** The folder of the engine alone. */
  readonly folder: string;
  /** Free ports of the loopback interface. */
  readonly ports: readonly [number, number];
  readonly password: string;
  /** The memory for the engine's pages, and for a query in addition, in bytes. */
  readonly memory: number;
  readonly queryMemory: number;
  /** Seconds after which the engine may end a query. */
  readonly queryTime: number;
}

/** Loads files of N-Triples into `MERGED_GRAPH` of an empty engine. It must be closed. */
export interface BulkLoader {
  /** Load a file in the folder `PARTS`. Resolves when it was loaded or refused. */
  add(file: string): Promise<void>;
  /** Flush everything to disk. Resolves to messages about what was refused. */
  finish(): Promise<readonly string[]>;
  close(): void;
}

/** A kind of engine that a service can run; see `MANAGED_ENGINES`. */
export interface ManagedKind {
  /** The program, and the Debian package that contains it. */
  readonly program: string;
  readonly package: string;
  /** Arguments with which the program prints its version, and the pattern of the version. */
  readonly version: { readonly args: readonly string[]; readonly pattern: RegExp };
  /** The recommended memory for a triple, in bytes. */
  readonly bytesOfTriple: number;
  /** Write the engine's settings into its folder. @returns the program's arguments */
  prepare(home: EngineHome): readonly string[];
  addresses(home: EngineHome): EngineAddresses & Pick<SynchronizedSettings, "reader">;
  /** A bulk loader for an engine that has just been started for the first time. It also secures the engine with a password. */
  bulkLoader(home: EngineHome): BulkLoader;
}
