/** The stored form of the change log's entries. */
import type { Change, ChangeKind } from "../store.js";

const KINDS: readonly ChangeKind[] = ["create", "update", "delete"];

/** Kind (1 byte), time (8 bytes), IRI. */
export function encodeChange({ kind, time, iri }: Change): Buffer {
  const head = Buffer.allocUnsafe(9);
  head[0] = KINDS.indexOf(kind);
  head.writeDoubleLE(time, 1);
  return Buffer.concat([head, Buffer.from(iri, "utf8")]);
}

export function decodeChange(sequence: number, value: Buffer): Change {
  return { sequence, iri: value.toString("utf8", 9), kind: KINDS[value[0]!]!, time: value.readDoubleLE(1) };
}
