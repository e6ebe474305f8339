/** Numbers of things as people read them. */

/** `2,000`. @param number a whole one; what the language gives takes 30 ms when it is first asked for, which a start would wait for */
export function grouped(number: number | string): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `1 record`, `2,000 records`. */
export function counted(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}
