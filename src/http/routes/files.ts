/** Files of a directory as answers. Express sets media types, serves ranges and stays within the directory; conditional requests work as everywhere. */
import type { Stats } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type express from "express";
import { lazily, library } from "../../base/lazily.js";
import { COMMON_HEADERS } from "../message/answer.js";
import { datable, evaluateConditions, rangeCounts } from "../message/headers/conditions.js";
import { ProblemError } from "../message/problems/problems.js";
import { headersNamed } from "./openapi/answers.js";
import type { Operation, Route } from "./route.js";

const loadExpress = library<typeof express>("express");

const HEADERS = ["Accept-Ranges", "ETag", "Last-Modified", "Cache-Control", "Content-Security-Policy"] as const;

export const OF_FILES = {
  headers: HEADERS,
  conditions: "tags and dates",
  problems: ["range-not-satisfiable"],
  responses: {
    206: {
      description: "The part of the file that `Range` asks for (RFC 9110, 14).",
      headers: headersNamed(["Content-Range", ...HEADERS]),
      content: { "*/*": {} },
    },
    304: { description: "The client's copy is current.", headers: headersNamed(HEADERS) },
  },
} as const satisfies Partial<Operation>;

/** A handler that serves a directory at the URL path `mount`, with `headers` on every file; names that begin with a dot are hidden. */
export function filesIn(directory: string, mount: string, headers: readonly string[]): Route["answer"] {
  const all = [...headers, ...COMMON_HEADERS];
  const answering = lazily(() =>
    loadExpress().static(directory, {
      cacheControl: false,
      dotfiles: "ignore",
      index: false,
      redirect: false,
      setHeaders: (response, _path, stats: Stats) => {
        for (let at = 0; at < all.length; at += 2) response.setHeader(all[at]!, all[at + 1]!);
        decide(response, stats);
      },
    }),
  );
  return ({ message, response, path }) =>
    new Promise((resolve, reject) => {
      response.once("close", () => resolve("sent"));
      const { url } = message;
      message.url = path.slice(mount.length);
      answering()(message as express.Request, response as express.Response, (error?: unknown) => {
        if (error === undefined) resolve(undefined);
        else reject(problemOf(error) ?? error);
      });
      // Express has read the shortened URL; the log needs the original one.
      message.url = url!;
    });
}

const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range"] as const;

const OTHER_TAG = '""';

/** Sets a file's entity tag and date. Express has other rules for conditions, so replaces them with some for which Express has the right outcome. */
function decide(response: ServerResponse, stats: Stats): void {
  const { headers, method } = response.req as IncomingMessage;
  const modified = datable(stats.mtimeMs);
  // Every write changes the `ctime`, which, unlike the `mtime`, cannot be set.
  const tag = `"${[stats.size, stats.mtimeMs, stats.ctimeMs].map((number) => number.toString(36)).join("-")}"`;
  response.setHeader("ETag", tag);
  response.setHeader("Last-Modified", new Date(modified).toUTCString());
  const outcome = evaluateConditions(headers, tag, modified);
  const hasParts = method === "GET" && rangeCounts(headers, tag, modified);
  for (const name of CONDITIONS) delete headers[name];
  if (outcome === "not modified") headers["if-none-match"] = "*";
  if (outcome === "failed") headers["if-match"] = OTHER_TAG;
  // An end longer than the file is the whole file (RFC 9110, 14.1.2); Express would refuse it.
  const isWhole = Number(/^bytes=\s*-(\d+)\s*$/.exec(headers.range ?? "")?.[1]) > stats.size;
  if (!hasParts || isWhole) headers["if-range"] = OTHER_TAG;
}

/** The problem for an error from Express: a status and, for a wrong range, a `Content-Range` with the size of the file. */
function problemOf(error: unknown): ProblemError | undefined {
  if (!(error instanceof Error && "status" in error)) return undefined;
  const { status, headers } = error as { status: unknown; headers?: { readonly "Content-Range"?: string } };
  if (status === 412) return new ProblemError("precondition-failed", "The file has changed.");
  if (status === 416) {
    const size = headers?.["Content-Range"] ?? "bytes */*";
    const detail = `The file has no such range: its Content-Range is ${size}.`;
    return new ProblemError("range-not-satisfiable", detail, { headers: ["Content-Range", size] });
  }
  const isOfClient = Number(status) >= 400 && Number(status) < 500;
  return isOfClient ? new ProblemError("malformed", "The path cannot be decoded.") : undefined;
}
