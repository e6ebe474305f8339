/** Tokens of clients: compared in constant time, and stored as hashes. */
import { hash, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { jsonIn } from "../../base/json.js";
import { RefusalError } from "../../base/named-error.js";
import { ProblemError } from "../message/problems/problems.js";

/** Throws `ProblemError` if a token is needed and `Authorization` lacks it. A wrong token takes as long as the right one. @param what names what the token is for */
export function checkToken(
  authorization: string | undefined,
  token: string | undefined,
  what: string,
  challenge = "Bearer",
): void {
  const shown = bearerToken(authorization);
  if (token === undefined || (shown !== undefined && timingSafeEqual(digest(shown), digest(token)))) return;
  const detail = `Send the token of ${what} as Authorization: Bearer TOKEN.`;
  throw new ProblemError("unauthorized", detail, { headers: ["WWW-Authenticate", challenge] });
}

/** The text after the scheme of an `Authorization` header (RFC 6750, 2.1), whose scheme may be in any case (RFC 9110, 11.1). */
export function bearerToken(authorization = ""): string | undefined {
  return /^Bearer +(.*)$/i.exec(authorization)?.[1];
}

/** The SHA-256 hash of a token. Tokens are random bytes, which nobody can guess, so they need no slow hash. */
export function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** The powers of a token. `read` shows held records. */
export const POWERS = ["load", "delete", "read"] as const;

export type Power = (typeof POWERS)[number];

/** A token as it is stored. The token itself cannot be recovered from it. */
export interface StoredToken {
  readonly name: string;
  readonly hash: string;
  readonly may: readonly Power[];
  /** The sources that the token is for. Default: all. */
  readonly sources?: readonly string[];
  readonly created: string;
}

export const TOKENS_FILE = "tokens.json";

/** Reads the tokens of a store; none if there is no file. Throws if the file cannot be read or is malformed. */
export function readTokens(directory: string): readonly StoredToken[] {
  const path = join(directory, TOKENS_FILE);
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  const tokens = isThere ? jsonIn<readonly StoredToken[]>(readFileSync(path)) : [];
  if (Array.isArray(tokens)) return tokens;
  throw new RefusalError(`${path} is malformed: restore it from a backup, or remove it and make new tokens`);
}

/** The token in an `Authorization` header. To read, it may also be a password, since browsers send those unasked. Compares with all tokens, so that the time reveals nothing. */
export function tokenShown(tokens: readonly StoredToken[], authorization: string | undefined, power: Power) {
  const shown = (power === "read" ? password(authorization) : undefined) ?? bearerToken(authorization) ?? "";
  const hash = digest(shown);
  return tokens.filter((token) => timingSafeEqual(hash, Buffer.from(token.hash, "hex"))).at(-1);
}

/** The password in an `Authorization` header (RFC 7617). */
function password(authorization = ""): string | undefined {
  const [, coded = ""] = /^Basic +(\S+) *$/i.exec(authorization) ?? [];
  return /^[^:]*:(.*)$/s.exec(Buffer.from(coded, "base64").toString("utf8"))?.[1];
}
