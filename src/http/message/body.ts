/** The bodies of requests: their content coding, texts of bounded size, and forms. */
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { mediaTypeOf } from "../../base/http-client.js";
import { malformed, ProblemError } from "./problems/problems.js";

export const FORM = "application/x-www-form-urlencoded";

/** Whether a request has a body (RFC 9112, 6). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/** The decoders of the content codings of request bodies (RFC 9110, 8.4.1). */
const DECODERS = { gzip: createGunzip, br: createBrotliDecompress, deflate: createInflate } as const;

type BodyCoding = keyof typeof DECODERS | "identity";

/** The problem 415 for a body of none of these media types (RFC 9110, 15.5.16). */
export function unsupportedType(detail: string, types: readonly string[]): ProblemError {
  return new ProblemError("unsupported-media-type", detail, { headers: ["Accept", types.join(", ")] });
}

/** The content coding of a request's body. Throws `ProblemError` for one that is not supported. */
export function codingOf({ headers }: Pick<IncomingMessage, "headers">): BodyCoding {
  const named = (headers["content-encoding"] ?? "").trim().toLowerCase();
  const coding = named === "x-gzip" ? "gzip" : named || "identity";
  if (coding === "identity" || Object.hasOwn(DECODERS, coding)) return coding as BodyCoding;
  const codings = Object.keys(DECODERS).join(", ");
  const detail = `Content-Encoding names ${named}. Send the body as it is, or in one of the codings ${codings}.`;
  throw new ProblemError("unsupported-media-type", detail, { headers: ["Accept-Encoding", codings] });
}

/** The decoded body as a stream, which fails if the body is not in its content coding. `bytesWritten` of a decoder are those that it read. Throws `ProblemError` as `codingOf` does. */
export function decodedBody(request: IncomingMessage): Readable & { readonly bytesWritten?: number } {
  const coding = codingOf(request);
  if (coding === "identity") return request;
  const decoder = DECODERS[coding]();
  // When decoding fails, `pipeline` would close the connection before the answer that says why.
  request.once("close", () => {
    if (!request.complete) decoder.destroy(request.errored ?? undefined);
  });
  return request.pipe(decoder);
}

/** Reads a body as UTF-8. Throws `ProblemError` if it is too long, not UTF-8 or wrongly coded. @param what the body's name in the problem, such as "The query" */
export async function readText(request: IncomingMessage, maxBytes: number, what: string): Promise<string> {
  const tooLarge = new ProblemError("content-too-large", `${what} may have up to ${maxBytes} bytes.`);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // Destroying the unread rest of a refused body would close the connection before the answer.
    for await (const chunk of decodedBody(request).iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge;
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ProblemError || request.errored !== null) throw error;
    throw malformed("The body is not in the coding that Content-Encoding names.");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw malformed("The body is not UTF-8.");
  }
}

/** The maximum number of parameters of a posted form. Parsing takes time for each, also if the body is compressed to nearly nothing. */
export const MAX_PARAMETERS = 10_000;

/** The parameters in the body of a form. Throws `ProblemError` if there are too many. */
export function parametersIn(form: string): URLSearchParams {
  if (form.split("&", MAX_PARAMETERS + 1).length <= MAX_PARAMETERS) return new URLSearchParams(form);
  throw new ProblemError("content-too-large", `A form may have up to ${MAX_PARAMETERS} parameters.`);
}

/** Reads the parameters of a posted form. Throws `ProblemError` for a body of another media type, and as `readText` does. */
export async function readForm(request: IncomingMessage, maxBytes: number, what: string): Promise<URLSearchParams> {
  const type = mediaTypeOf(request.headers);
  if (type !== FORM)
    throw unsupportedType(`${what} must be posted as ${FORM}; this is ${type || "without a type"}.`, [FORM]);
  return parametersIn(await readText(request, maxBytes, what));
}
