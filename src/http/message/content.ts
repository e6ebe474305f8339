/** The content that a route gives, and the answer made of it: conditions, codings and headers, in one place for all. */
import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { entryOf } from "../../base/entries.js";
import { FORMATS } from "../../rdf/formats.js";
import { type Answer, type Body, commonHeaders, isWhole, type WholeBody } from "./answer.js";
import { evaluateConditions } from "./headers/conditions.js";
import { type Coding, codingFor, encode, encodePieces, MIN_CODED } from "./headers/content-coding.js";
import { problem } from "./problems/problems.js";

/** A body with what there is to say of it, to be answered with 200 or, where the client has it already, 304. */
export interface Content {
  readonly type: string;
  /** The body, or what makes it: that is called only where the body is sent, so 304 costs the tag alone. */
  readonly body: Body | (() => Body | Promise<Body>);
  /** How many bytes a body in pieces has, where that is known. */
  readonly length?: number;
  /** A text that differs whenever the body does, without quotation marks: the entity tag is made of it. Default: none. */
  readonly tag?: string;
  /** When it last changed, in milliseconds since 1970. Default: not known. */
  readonly modified?: number;
  /** The value of `Cache-Control`. Default `no-cache`: caches keep it, and ask each time whether it changed. */
  readonly cacheControl?: string;
  /** A request header that it depends on besides those of every answer, such as `Accept-Language`. */
  readonly vary?: string;
  /** The URL of just this body: `Content-Location`. */
  readonly location?: string;
  readonly headers?: readonly string[];
}

/** The `Cache-Control` of what never changes: a version, a full page that another follows. */
export const FOR_GOOD = "public, max-age=31536000, immutable";

/** A tag for a text that is at hand: 132 bits of its hash, or six for each of so many characters. */
export function tagOf(text: WholeBody, length = 22): string {
  return hash("sha256", text, "base64url").slice(0, length);
}

/** Text that is the same for as long as the service runs. */
export function fixedContent(type: string, body: string, headers: readonly string[] = []): Content {
  return { type, body, tag: tagOf(body), headers };
}

/** JSON, whose tag is that of its text. */
export function jsonContent(value: unknown, type = "application/json"): Content {
  return fixedContent(type, `${JSON.stringify(value)}\n`);
}

/** JSON that is true at this moment only. */
export function momentaryJson(value: unknown): Content {
  return { type: "application/json", body: `${JSON.stringify(value)}\n`, cacheControl: "no-store" };
}

/** Media types that a text coding makes smaller; pictures and archives are compressed already. */
const TEXT = /^(?:text\/|application\/(?:[\w.-]*\+)?(?:json|xml|javascript)|image\/svg)/;

const FORMAT_TYPES: ReadonlySet<string> = new Set(FORMATS.map(({ mediaType }) => mediaType));

function isText(contentType: string): boolean {
  return TEXT.test(contentType) || FORMAT_TYPES.has(contentType.split(";", 1)[0]!);
}

/** The answer that content makes by the request's conditions (RFC 9110, 13), in its coding, each of which has its own entity tag. */
export async function answerOf(
  content: Content,
  { method, headers }: Pick<IncomingMessage, "method" | "headers">,
  base: string,
): Promise<Answer> {
  const accepted = headers["accept-encoding"];
  const coding = accepted === undefined || !isText(content.type) ? undefined : codingFor(String(accepted));
  const tag = content.tag && `"${content.tag}${coding === undefined ? "" : `-${coding}`}"`;
  const isConditional = (method === "GET" || method === "HEAD") && (tag ?? content.modified) !== undefined;
  const outcome = isConditional ? evaluateConditions(headers, tag, content.modified) : "proceed";
  const cached = cachingHeaders(content, tag);
  if (outcome === "not modified") return { status: 304, headers: cached, body: "" };
  if (outcome === "failed") {
    const detail = tag === undefined ? "What is there is newer." : `What is there is ${tag}.`;
    return problem(base, "precondition-failed", detail, { headers: tag === undefined ? [] : ["ETag", tag] });
  }
  const { body, isCoded } = await bodyOf(content, coding);
  const described = ["Content-Type", content.type, ...(content.headers ?? []), ...cached];
  const length = isWhole(body) ? Buffer.byteLength(body) : isCoded ? undefined : content.length;
  if (length !== undefined) described.push("Content-Length", String(length));
  if (isCoded) described.push("Content-Encoding", coding!);
  if (content.modified !== undefined) described.push("Last-Modified", new Date(content.modified).toUTCString());
  return { status: 200, headers: described, body };
}

/** The headers of 200 that 304 repeats (RFC 9110, 15.4.5). */
function cachingHeaders({ cacheControl = "no-cache", vary, location }: Content, tag: string | undefined): string[] {
  return [
    ...(tag === undefined ? [] : ["ETag", tag]),
    ...(location === undefined ? [] : ["Content-Location", location]),
    "Cache-Control",
    cacheControl,
    ...commonHeaders(vary),
  ];
}

/** Bodies of content that is given again and again, in the codings that they were asked for. */
const coded = new WeakMap<Content, Map<Coding, Buffer | Promise<Buffer>>>();

async function bodyOf(content: Content, coding: Coding | undefined): Promise<{ body: Body; isCoded: boolean }> {
  const body = typeof content.body === "function" ? await content.body() : content.body;
  if (coding === undefined) return { body, isCoded: false };
  if (!isWhole(body)) return { body: encodePieces(body, coding), isCoded: true };
  if (body.length < MIN_CODED) return { body, isCoded: false };
  if (typeof content.body === "function") return { body: await encode(body, coding), isCoded: true };
  const known = entryOf(coded, content, () => new Map<Coding, Buffer | Promise<Buffer>>());
  return { body: await entryOf(known, coding, () => encode(body, coding)), isCoded: true };
}
