/** Texts from data in messages for people; long ones are cut. */

/** The beginning of a text, of at most `most` characters, without half of a surrogate pair. */
export function beginning(text: string, most: number): string {
  const isSplit = text.length > most && (text.charCodeAt(most - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isSplit ? most - 1 : most);
}

/** The text, cut after `most` characters and ended with `…` if it is longer. */
export function shortened(text: string, most = 100): string {
  return text.length > most ? `${beginning(text, most)}…` : text;
}

/** The text on one line, cut like `shortened`. */
export function onOneLine(text: string, most: number): string {
  return shortened(text.replace(/[\p{Z}\p{C}]+/gu, " "), most);
}

/** The text in quotation marks, cut after 60 characters, with invisible characters escaped. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text, 60));
}
