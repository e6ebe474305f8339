/** Numbers of things as people read them. */

/** `1 record`, `2,000 records`. */
export function counted(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
