/** A reader of CSV by RFC 4180, independent of the writer. It skips blank lines, as most readers do. */

/** The rows of a text. Throws if it is not CSV. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const fail = (): never => {
    throw new Error(`not CSV at ${at}: ${JSON.stringify(text.slice(at, at + 20))}`);
  };
  while (at < text.length) {
    const isQuoted = text[at] === '"';
    const field = (isQuoted ? /"((?:[^"]|"")*)"/y : /([^",\r\n]*)/y) as RegExp;
    field.lastIndex = at;
    const found = field.exec(text) ?? fail();
    row.push(found[1]!.replaceAll('""', '"'));
    at = field.lastIndex;
    if (text[at] === ",") {
      at++;
      if (at < text.length) continue;
      fail();
    }
    if (text.slice(at, at + 2) !== "\r\n") fail();
    at += 2;
    if (row.length > 1 || isQuoted || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}
