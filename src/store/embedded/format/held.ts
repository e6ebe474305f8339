/** The stored form of held records: what is needed to publish one, and nothing of it in any table but its own. */

export interface HeldEntry {
  /** The feed that it came from, by name: the numbers of sources are the public's. */
  readonly source: string | null;
  /** Since when it is held as it is, in milliseconds since 1970. */
  readonly since: number;
  /** Its `@context` as JSON, or empty. */
  readonly context: string;
  /** The encoded record, without what publication gives. */
  readonly record: Buffer;
}

/** The length of what comes first (4 bytes), source, time and context as JSON, the record. */
export function encodeHeld({ source, since, context, record }: HeldEntry): Buffer {
  const head = Buffer.from(JSON.stringify({ source, since, context }), "utf8");
  const length = Buffer.allocUnsafe(LENGTH);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, record]);
}

/** The record is a view of the bytes. */
export function decodeHeld(value: Buffer): HeldEntry {
  const end = LENGTH + value.readUInt32LE();
  const head = JSON.parse(value.toString("utf8", LENGTH, end)) as Omit<HeldEntry, "record">;
  return { ...head, record: value.subarray(end) };
}

const LENGTH = 4;
