/** Tokens that clients show: compared in constant time, kept as hashes where they are kept. */
import { createHash, timingSafeEqual } from "node:crypto";

/** Whether an `Authorization` header shows this token. Takes as long for a wrong one as for a right one. */
export function hasToken(authorization: string | undefined, token: string): boolean {
  return timingSafeEqual(digest(authorization ?? ""), digest(`Bearer ${token}`));
}

/** SHA-256. A token is random bytes, which nobody guesses, so that it needs no slow hash. */
export function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
