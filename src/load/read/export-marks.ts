/** The check whether an export of quads was cut off. */
import { EXPORT_BEGINS, EXPORT_ENDED } from "../../rdf/export-marks.js";
import { InputError } from "../errors.js";

/** As long as the last line may be. */
const TAIL_BYTES = 100;

class IncompleteExportError extends InputError {
  constructor(readonly source: string) {
    super(
      `${source}: this export of Vitrine was cut off, since its last line is missing. Export again; to load the part anyway, remove its first line`,
    );
  }
}

/** Pass the bytes of quads on. Throws `IncompleteExportError` at their end when they begin as an export and do not end as one. */
export async function* wholeExport(chunks: AsyncIterable<Uint8Array>, source: string): AsyncIterable<Uint8Array> {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head.length < EXPORT_BEGINS.length) {
      head = Buffer.concat([head, chunk.subarray(0, EXPORT_BEGINS.length - head.length)]);
    }
    const last = chunk.subarray(-TAIL_BYTES);
    tail = last.length === TAIL_BYTES ? Buffer.from(last) : Buffer.concat([tail, last]).subarray(-TAIL_BYTES);
    yield chunk;
  }
  const isExport = head.toString("latin1") === EXPORT_BEGINS;
  if (isExport && !EXPORT_ENDED.test(tail.toString("latin1"))) throw new IncompleteExportError(source);
}
