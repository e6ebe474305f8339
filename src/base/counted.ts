/** Numbers of things as people read them. */

/** A whole number with commas: `2,000`. `Intl` would take 30 ms at its first use, and every start would wait for it. */
export function grouped(number: number | string): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `1 record`, `2,000 records`. */
export function counted(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}
