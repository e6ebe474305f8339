/** The view of bytes that are read several at a time. */

let viewed: Uint8Array = new Uint8Array(0);
let view = new DataView(viewed.buffer);

/** A view of `bytes`. The last one is kept, since LMDB reads one record after another into the same bytes, which may be longer than the `length` that it gives them. */
export function viewOf(bytes: Uint8Array): DataView {
  if (bytes === viewed) return view;
  viewed = bytes;
  view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view;
}
