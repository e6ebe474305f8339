/** The lines of a text that arrives in pieces. */

/** The lines of UTF-8 bytes, without the line feeds that end them. Node's readline would also cut at U+2028 and U+2029, which strings of JSON may contain. */
export async function* linesFrom(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of pieces) {
    const lines = decoder.decode(piece, { stream: true }).split("\n");
    lines[0] = rest + lines[0];
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== "") yield rest;
}
