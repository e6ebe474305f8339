/** Authorization at an engine: Bearer, Basic (RFC 7617) or Digest (RFC 7616), as the engine requires. */
import { hash, randomBytes } from "node:crypto";

export type Credentials = { readonly user: string; readonly password: string } | { readonly token: string };

const ALGORITHMS: Readonly<Record<string, string>> = { MD5: "md5", "SHA-256": "sha256" };

/** Credentials, and the `Authorization` header that they give. User and password are only sent after the engine has asked for Basic or Digest. */
export class DigestSession {
  #challenge: Challenge | undefined;
  #count = 0;
  /** Whether the engine has asked for Basic. */
  #isBasic = false;

  constructor(private readonly credentials: Credentials) {}

  /** Take over the challenge of a 401. Returns whether one more attempt may succeed. */
  challenge(header: string): boolean {
    if ("token" in this.credentials) return false;
    const found = digestIn(header);
    if (found !== undefined) {
      // Concurrent requests each get their own nonce, and each of these is valid for all of them.
      if (this.#challenge?.nonce !== found.nonce) this.#count = 0;
      this.#challenge = found;
      return true;
    }
    this.#isBasic = /\bbasic\b/i.test(header);
    return this.#isBasic;
  }

  /** The value of `Authorization` for a request. @param target its path and query */
  authorization(method: string, target: string): string | undefined {
    const given = this.credentials;
    if ("token" in given) return `Bearer ${given.token}`;
    if (this.#challenge !== undefined) return this.#digest(this.#challenge, given, method, target);
    if (!this.#isBasic) return undefined;
    return `Basic ${Buffer.from(`${given.user}:${given.password}`, "utf8").toString("base64")}`;
  }

  #digest(
    { realm, nonce, opaque, algorithm, hasQop }: Challenge,
    { user, password }: { readonly user: string; readonly password: string },
    method: string,
    target: string,
  ): string {
    const hashed = (text: string): string => hash(ALGORITHMS[algorithm]!, text);
    const count = (++this.#count).toString(16).padStart(8, "0");
    const client = randomBytes(8).toString("hex");
    const secret = hashed(`${user}:${realm}:${password}`);
    const requested = hashed(`${method}:${target}`);
    const response = hashed(
      hasQop ? `${secret}:${nonce}:${count}:${client}:auth:${requested}` : `${secret}:${nonce}:${requested}`,
    );
    const parts = [
      `username="${user.replace(/["\\]/g, "\\$&")}"`,
      `realm="${realm}"`,
      `nonce="${nonce}"`,
      `uri="${target}"`,
      `algorithm=${algorithm}`,
      `response="${response}"`,
      ...(hasQop ? ["qop=auth", `nc=${count}`, `cnonce="${client}"`] : []),
      ...(opaque === undefined ? [] : [`opaque="${opaque}"`]),
    ];
    return `Digest ${parts.join(", ")}`;
  }
}

type Challenge = NonNullable<ReturnType<typeof digestIn>>;

/** The Digest challenge in a header, or `undefined` if there is none with a supported algorithm. */
function digestIn(header: string) {
  const at = header.search(/\bdigest\s/i);
  if (at === -1) return undefined;
  const parts = new Map<string, string>();
  for (const [, name, quoted, bare] of header.slice(at).matchAll(/([a-z]+)=(?:"([^"]*)"|([^\s,]+))/gi))
    if (!parts.has(name!.toLowerCase())) parts.set(name!.toLowerCase(), quoted ?? bare!);
  const algorithm = (parts.get("algorithm") ?? "MD5").toUpperCase();
  const qop = parts.get("qop");
  const isKnown = algorithm in ALGORITHMS && (qop === undefined || /\bauth\b/.test(qop));
  const [realm, nonce] = [parts.get("realm"), parts.get("nonce")];
  if (!isKnown || realm === undefined || nonce === undefined) return undefined;
  return { realm, nonce, opaque: parts.get("opaque"), algorithm, hasQop: qop !== undefined };
}
