/** Texts out of data in messages for people: their beginning, where they are long. */

/** A text of at most so many characters: a longer one is cut, and ends in `…`. */
export function shortened(text: string, most = 100): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** A shorter one in quotation marks, with what nobody would see escaped. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text, 60));
}
