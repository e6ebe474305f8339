/** Tokens that clients show: compared in constant time, kept as hashes where they are kept. */
import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ProblemError } from "../message/problems/problems.js";

/**
 * Throws `ProblemError` where an `Authorization` header does not show the token that there is. Takes as long for a wrong one as for a right one.
 * @param what it is the token of
 */
export function checkToken(
  authorization: string | undefined,
  token: string | undefined,
  what: string,
  challenge = "Bearer",
): void {
  if (token === undefined || timingSafeEqual(digest(authorization ?? ""), digest(`Bearer ${token}`))) return;
  const detail = `Send the token of ${what} as Authorization: Bearer TOKEN.`;
  throw new ProblemError("unauthorized", detail, { headers: ["WWW-Authenticate", challenge] });
}

/** SHA-256. A token is random bytes, which nobody guesses, so that it needs no slow hash. */
export function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The powers of a token. `read` shows held records. */
export const POWERS = ["load", "delete", "read"] as const;

export type Power = (typeof POWERS)[number];

/** A token as it is kept: nobody can make it out of this. */
export interface StoredToken {
  readonly name: string;
  readonly hash: string;
  readonly may: readonly Power[];
  /** The feeds that it is for; absent where it is for any. */
  readonly sources?: readonly string[];
  readonly created: string;
}

export const TOKENS_FILE = "tokens.json";

/** The tokens of a store; none where there is no file. Throws what reading it does otherwise, and for a file that is none of ours. */
export function readTokens(directory: string): readonly StoredToken[] {
  let text: string;
  try {
    text = readFileSync(join(directory, TOKENS_FILE), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return JSON.parse(text) as readonly StoredToken[];
}

/** The token that an `Authorization` header shows (RFC 6750, 2.1). */
export function tokenShown(tokens: readonly StoredToken[], authorization?: string): StoredToken | undefined {
  const [, shown = ""] = /^Bearer +(\S+) *$/i.exec(authorization ?? "") ?? [];
  return tokenOf(tokens, shown);
}

/** The token that may read, also shown as a password (RFC 7617), as browsers do. None that changes records is: browsers send passwords unasked. */
export function readTokenShown(tokens: readonly StoredToken[], authorization?: string): StoredToken | undefined {
  const [, coded] = /^Basic +(\S+) *$/i.exec(authorization ?? "") ?? [];
  if (coded === undefined) return tokenShown(tokens, authorization);
  const [, password = ""] = /^[^:]*:(.*)$/s.exec(Buffer.from(coded, "base64").toString("utf8")) ?? [];
  return tokenOf(tokens, password);
}

/** Looks at all of them, so that the time tells nothing. */
function tokenOf(tokens: readonly StoredToken[], shown: string): StoredToken | undefined {
  const hash = digest(shown);
  let found: StoredToken | undefined;
  for (const token of tokens) if (timingSafeEqual(hash, Buffer.from(token.hash, "hex"))) found = token;
  return found;
}
