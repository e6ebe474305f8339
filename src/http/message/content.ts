/** The content that a route gives, and the answer made from it: conditions, content codings and headers, in one place for all routes. */
import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { entryOf } from "../../base/entries.js";
import { FORMATS } from "../../rdf/formats.js";
import { type Answer, type Body, commonHeaders, isWhole, type Pieces, type WholeBody } from "./answer.js";
import { datable, evaluateConditions } from "./headers/conditions.js";
import { type Coding, codingFor, encode, encodePieces, MIN_CODED } from "./headers/content-coding.js";
import { problem } from "./problems/problems.js";

/** A body with its metadata, to be answered with 200 or, if the client already has it, 304. */
export interface Content {
  readonly type: string;
  /** The body, or a function that makes it, called only if the body is sent, so that 304 needs just the tag. */
  readonly body: Body | (() => Body | Promise<Body>);
  /** The length of a body in pieces, in bytes, if known. */
  readonly length?: number;
  /** A text without quotation marks, from which the entity tag is made. It must change whenever the body does. Default: none. */
  readonly tag?: string;
  /** The time of its last change, in milliseconds since 1970. Default: not known. */
  readonly modified?: number | undefined;
  /** The value of `Cache-Control`. Default `no-cache`: caches keep the content, but revalidate it each time. */
  readonly cacheControl?: string;
  /** A request header that the content depends on, such as `Accept-Language`, besides those of every answer. */
  readonly vary?: string;
  /** The URL of exactly this content: `Content-Location`. */
  readonly location?: string;
  readonly headers?: readonly string[];
}

/** The `Cache-Control` of content that never changes and stays public, such as a full page that has a next one. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

/** A tag made from a body: the first characters of its hash, six bits each; by default 132 bits. */
export function tagOf(text: WholeBody, length = 22): string {
  return hash("sha256", text, "base64url").slice(0, length);
}

/** Content of a body that is at hand, with a tag of its hash. */
export function fixedContent(type: string, body: string, headers: readonly string[] = []): Content {
  return { type, body, tag: tagOf(body), headers };
}

/** JSON content, with a tag of its hash. @param indent how many spaces to indent nested values by; without it, all is on one line */
export function jsonContent(value: unknown, type = "application/json", indent?: number): Content {
  return fixedContent(type, `${JSON.stringify(value, null, indent)}\n`);
}

/** JSON content that is true only at this moment, so caches do not store it. */
export function momentaryJson(value: unknown): Content {
  return { type: "application/json", body: `${JSON.stringify(value)}\n`, cacheControl: "no-store" };
}

/** Media types of text, which compression makes smaller; pictures and archives are already compressed. */
const TEXT = /^(?:text\/|application\/(?:[\w.-]*\+)?(?:json|xml|javascript)|image\/svg)/;

const FORMAT_TYPES: ReadonlySet<string> = new Set(FORMATS.map(({ mediaType }) => mediaType));

/** Makes the answer of content, by the request's conditions (RFC 9110, 13) and in the accepted content coding; each coding has its own entity tag. */
export async function answerOf(
  content: Content,
  { method, headers }: Pick<IncomingMessage, "method" | "headers">,
  base: string,
): Promise<Answer> {
  const accepted = headers["accept-encoding"];
  const isText = TEXT.test(content.type) || FORMAT_TYPES.has(content.type.split(";", 1)[0]!);
  const coding = accepted === undefined || !isText ? undefined : codingFor(String(accepted));
  // The answer to a POST is no representation of the target, whose tag this would be (RFC 9110, 8.8).
  const isRead = method === "GET" || method === "HEAD";
  const tag = isRead && content.tag ? `"${content.tag}${coding === undefined ? "" : `-${coding}`}"` : undefined;
  const modified = isRead && content.modified !== undefined ? datable(content.modified) : undefined;
  const outcome = (tag ?? modified) === undefined ? "proceed" : evaluateConditions(headers, tag, modified);
  // 304 repeats these headers of 200 (RFC 9110, 15.4.5).
  const cached = [
    ...(tag === undefined ? [] : ["ETag", tag]),
    ...(content.location === undefined ? [] : ["Content-Location", content.location]),
    ...["Cache-Control", content.cacheControl ?? "no-cache", ...commonHeaders(content.vary)],
  ];
  if (outcome === "not modified") return { status: 304, headers: cached, body: "" };
  if (outcome === "failed") {
    const detail = tag === undefined ? "The content has changed since." : `The entity tag is now ${tag}.`;
    return problem(base, "precondition-failed", detail, { headers: tag === undefined ? [] : ["ETag", tag] });
  }
  const { body, isCoded } = await bodyOf(content, coding);
  const described = ["Content-Type", content.type, ...(content.headers ?? []), ...cached];
  const length = isWhole(body) ? Buffer.byteLength(body) : isCoded ? undefined : content.length;
  if (length !== undefined) described.push("Content-Length", String(length));
  if (isCoded) described.push("Content-Encoding", coding!);
  if (modified !== undefined) described.push("Last-Modified", new Date(modified).toUTCString());
  return { status: 200, headers: described, body };
}

/** The encoded bodies, by content coding, of content objects that routes give more than once. */
const coded = new WeakMap<Content, Map<Coding, Buffer | Promise<Buffer>>>();

/** Pieces with a turn of the event loop after each: a reader that takes them at once would keep other requests waiting. */
async function* inTurns(pieces: Pieces): AsyncIterable<string | Uint8Array> {
  for await (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}

async function bodyOf(content: Content, coding: Coding | undefined): Promise<{ body: Body; isCoded: boolean }> {
  const body = typeof content.body === "function" ? await content.body() : content.body;
  const isCoded = coding !== undefined && (!isWhole(body) || body.length >= MIN_CODED);
  if (!isWhole(body)) return { body: isCoded ? encodePieces(inTurns(body), coding) : inTurns(body), isCoded };
  if (!isCoded) return { body, isCoded };
  if (typeof content.body === "function") return { body: await encode(body, coding), isCoded };
  const known = entryOf(coded, content, () => new Map<Coding, Buffer | Promise<Buffer>>());
  return { body: await entryOf(known, coding, () => encode(body, coding)), isCoded };
}
