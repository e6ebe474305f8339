/** The messages between the service and an index process. */
import type { QueryRefusedError, QueryRequest, QueryResult } from "../engine.js";
import type { SpoolRoom } from "./spool.js";

/** A record that Oxigraph does not accept. */
export interface RefusedRecord {
  readonly iri: string;
  /** A hash of its triples, so that another version is tried again. */
  readonly version: string;
  readonly message: string;
}

export interface IndexSettings {
  readonly directory: string;
  /** Whether the index is empty: queries are answered only from the records that they name. */
  readonly isEmpty: boolean;
  /** Whether the index also has each record in a named graph. */
  readonly withGraphs: boolean;
  /** The memory that the filled index may take, in bytes. */
  readonly memory: number;
  /** Records that crashed an earlier process. These versions of them are left out. */
  readonly leftOut: readonly RefusedRecord[];
  /** The file of the index image; without it, there is no image. */
  readonly image: string | undefined;
  /** Whether to start from the image if there is one that fits. */
  readonly fromImage: boolean;
}

export interface IndexStanding {
  readonly sequence: number;
  /** The number of triples of all records at this sequence number. */
  readonly triples: number;
  readonly live: number;
  /** The number of removed triples, which still take memory. */
  readonly dead: number;
  /** IRIs of records that are not in the index. */
  readonly leftOut: readonly string[];
  /** The number of their triples when the index was filled. */
  readonly missing: number;
  /** The sequence number of the image from which the index started. */
  readonly image: number | undefined;
}

export type ToIndex =
  | { readonly type: "fill"; readonly settings: IndexSettings }
  | { readonly type: "follow" }
  /** Write the index image. @param isUrgent whether queries wait until it is written; otherwise they abort it */
  | { readonly type: "image"; readonly isUrgent: boolean }
  /** @param room where a long answer is written in the shared file */
  | { readonly type: "query"; readonly request: QueryRequest; readonly room: SpoolRoom };

export type FromIndex =
  | { readonly type: "filling"; readonly done: number; readonly total: number }
  /** The index is filled, or up to date again. */
  | { readonly type: "ready"; readonly standing: IndexStanding }
  /** Too many changes to follow: all records must be read again. */
  | { readonly type: "behind" }
  /** The image is not used. If part of it was already in memory, the process ends next. */
  | { readonly type: "image refused"; readonly message: string }
  /** The image was written, with its sequence number; or it was not, because it was aborted or failed (`problem`). */
  | { readonly type: "imaged"; readonly sequence?: number | undefined; readonly problem?: string }
  /** The store cannot be read. The process ends. */
  | { readonly type: "unreadable"; readonly message: string }
  | { readonly type: "damaged"; readonly message: string }
  /** Oxigraph does not accept a record. The process cannot be used any more. */
  | { readonly type: "cannot take"; readonly record: RefusedRecord }
  | { readonly type: "does not fit"; readonly message: string }
  /** The process has prepared for its first query and has this many bytes of resident memory. */
  | { readonly type: "prepared"; readonly memory: number }
  | (Pick<QueryResult, "kind" | "sequence"> & {
      readonly type: "answered";
      /** The answer's text, or the number of its bytes in the shared file. */
      readonly body: Uint8Array | number;
      readonly standing: IndexStanding;
    })
  /** The query needs the named graphs of all records. */
  | { readonly type: "needs graphs" }
  | ({ readonly type: "refused" } & Pick<QueryRefusedError, "reason" | "message" | "position">);
