/** Numbers formatted for people. */

/** A whole number with commas: `2,000`. `Intl` is not used because its first use would delay every start by 30 ms. */
export function grouped(number: number | string): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `1 record`, `2,000 records`. */
export function counted(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}
