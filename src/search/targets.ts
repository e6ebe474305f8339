/** The targets of an entity, as its row has them: five bytes each, the property and the number of the target. */

export interface NumberedTarget {
  readonly property: number;
  readonly target: number;
}

const BYTES = 5;

/** Targets as they lie in the search index: five bytes each. */
export function targetBytes(targets: readonly NumberedTarget[]): Buffer {
  const bytes = Buffer.allocUnsafe(BYTES * targets.length);
  for (const [at, { property, target }] of targets.entries()) {
    bytes.writeUInt8(property, BYTES * at);
    bytes.writeUInt32BE(target, BYTES * at + 1);
  }
  return bytes;
}

/** The targets that `targetBytes` wrote. */
export function* targetsIn(bytes: Buffer): Iterable<NumberedTarget> {
  for (let at = 0; at < bytes.length; at += BYTES)
    yield { property: bytes.readUInt8(at), target: bytes.readUInt32BE(at + 1) };
}
