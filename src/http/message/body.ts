/** The bodies of requests: whether there is one, and those that are texts of bounded size. */
import type { IncomingMessage } from "node:http";
import { ProblemError } from "./problems/problems.js";

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/** A body in UTF-8. @param what it is, to begin a sentence with. Throws `ProblemError` for one of more bytes, or of other ones. */
export async function readText(request: IncomingMessage, maxBytes: number, what: string): Promise<string> {
  const tooLarge = new ProblemError("content-too-large", { detail: `${what} may have up to ${maxBytes} bytes.` });
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new ProblemError("malformed", { detail: "The body is not UTF-8." });
  }
}
