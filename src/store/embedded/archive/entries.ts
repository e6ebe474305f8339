/** The lines of an archive's ledger: what they say, the same for whoever writes and whoever reads them. */
import type { EndpointName } from "../../../model/tables/endpoints.js";
import type { Json } from "../../../rdf/record-graph.js";
import type { ChangeKind } from "../../changes.js";
import type { Keeps } from "../../writable-store.js";

/** Grows with every change of the lines that old readers would misread. */
export const LEDGER = 1;

/** The first line. */
export interface HeadEntry {
  readonly ledger: number;
  readonly sequence: number;
  readonly lastChange: number | null;
  readonly baseUrl: string | null;
  readonly keeps: Keeps;
  readonly records: number;
  readonly nextNumber: number;
  readonly sources: readonly string[];
  /** When the records of each block of numbers last changed, in milliseconds since 1970. */
  readonly blockTimes: readonly number[];
}

/** The `@context` of records, in the order of their numbers from 1; its JSON as it is stored, since hashes are made of it. */
export interface ContextEntry {
  readonly context: string;
}

/** A context document that a load was given. */
export interface DocumentEntry {
  readonly document: string;
  readonly content: Json;
}

/** What is kept of a record beside its graph. */
export interface RecordFacts {
  /** The change that made it so. */
  readonly change: number;
  /** When that was, in milliseconds since 1970. */
  readonly time: number;
  readonly endpoint: EndpointName | null;
  readonly label: string;
  readonly valid: boolean;
  /** Numbers: the record's own, and those of its source and its context, or 0. */
  readonly number: number;
  readonly source: number;
  readonly context: number;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
}

/** A record, whose graph is elsewhere. */
export interface RecordEntry extends RecordFacts {
  readonly record: string;
}

/** An entry of the change log. */
export interface ChangeEntry {
  readonly logged: number;
  readonly kind: ChangeKind;
  readonly iri: string;
  readonly time: number;
  readonly endpoint: EndpointName | null;
  readonly label: string;
  readonly source: number;
  readonly previous: number;
  readonly target?: string;
}

/** Some of the changes of a Set's members, in their order: the hash of the Set's IRI, and sequence numbers. */
export interface SetEntry {
  readonly set: string;
  readonly changes: readonly number[];
}

/** A deleted or moved record. */
export interface TombstoneEntry {
  readonly tombstone: string;
  readonly change: number;
}

/** An earlier version of a record, with its triples as N-Triples. */
export interface VersionEntry extends RecordFacts {
  readonly version: string;
  readonly triples: string;
}

/** The last line: how many lines there are with it. */
export interface EndEntry {
  readonly lines: number;
}

export type LedgerEntry =
  | HeadEntry
  | ContextEntry
  | DocumentEntry
  | RecordEntry
  | ChangeEntry
  | SetEntry
  | TombstoneEntry
  | VersionEntry
  | EndEntry;
