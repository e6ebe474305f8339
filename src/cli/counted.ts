/** Numbers of things as people read them. */

/** `2,000`. */
export function grouped(number: number): string {
  return number.toLocaleString("en");
}

/** `1 record`, `2,000 records`. */
export function counted(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}
