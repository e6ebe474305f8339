/** The stored form of the change log's entries. */
import type { Change, ChangeKind } from "../../store.js";

const KINDS: readonly ChangeKind[] = ["create", "update", "delete"];
/** Kind (1 byte), time (8 bytes); the IRI follows in UTF-8. */
const HEAD = 9;

export function encodeChange(kind: ChangeKind, time: number, iri: Buffer): Buffer {
  const value = Buffer.allocUnsafe(HEAD + iri.length);
  value[0] = KINDS.indexOf(kind);
  value.writeDoubleLE(time, 1);
  iri.copy(value, HEAD);
  return value;
}

export function decodeChange(sequence: number, value: Buffer): Change {
  return { sequence, iri: value.toString("utf8", HEAD), kind: KINDS[value[0]!]!, time: value.readDoubleLE(1) };
}
