/** The messages between the service and an index process. */
import type { FormatName, ResultFormat } from "../../rdf/formats.js";
import type { QueryPosition, QueryRequest, RefusalReason, ResultKind } from "../engine.js";

/** A record that Oxigraph does not take in. */
export interface RefusedRecord {
  readonly iri: string;
  /** Stands for its triples, so that another version is tried again. */
  readonly version: string;
  readonly message: string;
}

export interface IndexSettings {
  readonly directory: string;
  /** Whether it holds no records at all: queries are answered from the records that they name. */
  readonly isEmpty?: boolean;
  /** Whether each record also stands in a named graph of its own. */
  readonly withGraphs: boolean;
  /** The memory that the filled index may take, in bytes. */
  readonly memory: number;
  /** Records at which a process ended that took them in: as they were then, they are left out. */
  readonly leftOut: readonly RefusedRecord[];
  /** The file of the index image; without a name there is none. */
  readonly image?: string;
  /** Whether to begin from it where there is one that fits. */
  readonly fromImage?: boolean;
}

export interface IndexStanding {
  readonly sequence: number;
  readonly live: number;
  /** Triples that were removed and still take memory. */
  readonly dead: number;
  /** IRIs of records that are not in the index. */
  readonly leftOut: readonly string[];
  /** How many triples those had when it was filled. */
  readonly missing: number;
  /** The sequence number of the image that it was begun from. */
  readonly image?: number;
}

/** The descriptor of the file for long answers in an index process, after those for messages and output. */
export const SPOOL = 4;

export type ToIndex =
  | { readonly type: "fill"; readonly settings: IndexSettings }
  | { readonly type: "follow" }
  /** Write the index image. @param isUrgent whether queries wait for it; else they end it */
  | { readonly type: "image"; readonly isUrgent: boolean }
  /** @param spoolAt from where on a long answer is written to the file that both have */
  | { readonly type: "query"; readonly request: QueryRequest; readonly spoolAt: number };

export type FromIndex =
  | { readonly type: "filling"; readonly done: number; readonly total: number }
  /** Filled, or up to date. */
  | { readonly type: "ready"; readonly standing: IndexStanding }
  /** More has changed than can be followed: all records have to be read anew. */
  | { readonly type: "behind" }
  /** The image is not used. When the process ends then, part of it was in its memory. */
  | { readonly type: "image refused"; readonly message: string }
  /** The image was written, at a sequence number; or it was not: something had to be done, or it could not be. */
  | { readonly type: "imaged"; readonly sequence?: number | undefined; readonly problem?: string }
  /** The store cannot be read. The process ends. */
  | { readonly type: "unreadable"; readonly message: string }
  /** A record cannot be read, and is left out. */
  | { readonly type: "damaged"; readonly message: string }
  /** A record that Oxigraph cannot take in. The process is of no more use. */
  | { readonly type: "cannot take"; readonly record: RefusedRecord }
  | { readonly type: "does not fit"; readonly message: string }
  /** The first query is begun, with so many bytes of resident memory. */
  | { readonly type: "prepared"; readonly memory: number }
  | {
      readonly type: "answered";
      readonly kind: ResultKind;
      readonly format: ResultFormat | FormatName;
      readonly rows: number;
      /** The answer's text, or how many bytes of it were written to the file. */
      readonly body: Uint8Array | number;
      readonly standing: IndexStanding;
    }
  /** The query needs the named graphs of all records. */
  | { readonly type: "needs graphs" }
  | {
      readonly type: "refused";
      readonly reason: RefusalReason;
      readonly message: string;
      readonly position?: QueryPosition | undefined;
    };
