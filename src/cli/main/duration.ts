/** Durations as people write them. */
import { UsageError } from "../settings/options.js";

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The longest that a timer of Node's waits, and so the longest that can be asked for, in milliseconds. */
const MAX_DURATION = 2 ** 31 - 1;

/** `90s`, `15m`, `1h`, `7d` in milliseconds. @param name the option that says it. Throws `UsageError`. */
export function durationOf(name: string, text: string): number {
  const [, number, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  const duration = number === undefined ? Number.NaN : Number(number) * UNITS[unit as keyof typeof UNITS];
  if (duration <= MAX_DURATION) return duration;
  throw new UsageError(`--${name} ${text} is no duration such as 15m, 1h or 1d, up to 24d`);
}
