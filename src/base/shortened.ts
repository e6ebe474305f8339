/** Texts from data in messages for people; long ones are cut. */

/** The text, cut after `most` characters and ended with `…` if it is longer. */
export function shortened(text: string, most = 100): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The text in quotation marks, cut after 60 characters, with invisible characters escaped. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text, 60));
}
