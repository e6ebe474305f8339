/** The stored form of entries in the change log. */
import { beginning } from "../../../base/shortened.js";
import { endpointNumber, endpointNumbered } from "../../../model/tables/names.js";
import { type Change, type ChangeKind, MAX_KEPT_LABEL } from "../../changes.js";

const KINDS: readonly ChangeKind[] = ["create", "update", "delete", "move"];
/** Offsets: kind and endpoint (1 byte each), time, source number, sequence number of the IRI's previous change, length of the label. */
const AT = { kind: 0, endpoint: 1, time: 2, source: 10, previous: 14, label: 22 };
/** The label and the IRI follow in UTF-8. In a move, the target follows the IRI, and then its length in bytes (4). */
const HEAD = 24;
const TARGET_LENGTH = 4;

/** A change with the data that only the store needs. */
export interface LoggedChange extends Omit<Change, "sequence"> {
  /** The number of the record's source, or 0. */
  readonly source: number;
  /** The sequence number of the IRI's previous change, or 0. */
  readonly previous: number;
}

/** The value of a change in the change log; the sequence number is its key. */
export function encodeChange(change: LoggedChange): Buffer {
  const { kind, endpoint, time, source, previous, label, iri, target = "" } = change;
  const [text, to] = [Buffer.from(beginning(label, MAX_KEPT_LABEL), "utf8"), Buffer.from(target, "utf8")];
  const end = Buffer.allocUnsafe(kind === "move" ? TARGET_LENGTH : 0);
  const value = Buffer.concat([Buffer.allocUnsafe(HEAD), text, Buffer.from(iri, "utf8"), to, end]);
  value[AT.kind] = KINDS.indexOf(kind);
  value[AT.endpoint] = endpointNumber(endpoint);
  value.writeDoubleLE(time, AT.time);
  value.writeUInt32LE(source, AT.source);
  value.writeDoubleLE(previous, AT.previous);
  value.writeUInt16LE(text.length, AT.label);
  if (kind === "move") value.writeUInt32LE(to.length, value.length - TARGET_LENGTH);
  return value;
}

/** The change that `encodeChange` wrote. */
export function decodeChange(sequence: number, value: Buffer): Change {
  const labelEnd = HEAD + value.readUInt16LE(AT.label);
  const kind = KINDS[value[AT.kind]!]!;
  const iriEnd =
    kind === "move" ? value.length - TARGET_LENGTH - value.readUInt32LE(value.length - TARGET_LENGTH) : value.length;
  return {
    sequence,
    iri: value.toString("utf8", labelEnd, iriEnd),
    kind,
    time: value.readDoubleLE(AT.time),
    endpoint: endpointNumbered(value[AT.endpoint]!),
    label: value.toString("utf8", HEAD, labelEnd),
    ...(kind === "move" ? { target: value.toString("utf8", iriEnd, value.length - TARGET_LENGTH) } : {}),
  };
}

/** The sequence number of the IRI's previous change, or 0. */
export function previousOf(value: Buffer): number {
  return value.readDoubleLE(AT.previous);
}

/** The source number of the changed record, or 0. */
export function changeSource(value: Buffer): number {
  return value.readUInt32LE(AT.source);
}

/** Whether an IRI has no record after a change. */
export function isDeletion({ kind }: Pick<Change, "kind">): boolean {
  return kind === "delete" || kind === "move";
}
