/** Files of a directory as content: their media types, tags and dates, and no way out of the directory. */
import type { BigIntStats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { FORMATS } from "../../rdf/formats.js";
import type { Json } from "../../rdf/record-graph.js";
import type { Body } from "../message/answer.js";
import type { Content } from "../message/content.js";
import { ProblemError } from "../message/problems/problems.js";
import { ALWAYS, headersNamed } from "./openapi/headers.js";
import type { RouteRequest } from "./route.js";

/** What OpenAPI says of a part of a file. */
export const PART: Json = {
  description: "The part of the file that `Range` asks for (RFC 9110, 14).",
  headers: headersNamed(["Content-Range", "Accept-Ranges", "ETag", "Last-Modified", "Cache-Control", ...ALWAYS]),
};

/** Media types by the ends of file names: those of formats, and those of pictures, recordings and pages. */
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ...FORMATS.flatMap(({ extensions, mediaType, contentType = mediaType }) =>
    extensions.map((extension): [string, string] => [extension, contentType]),
  ),
  ["avif", "image/avif"],
  ["bmp", "image/bmp"],
  ["css", "text/css; charset=utf-8"],
  ["csv", "text/csv; charset=utf-8"],
  ["gif", "image/gif"],
  ["glb", "model/gltf-binary"],
  ["gltf", "model/gltf+json"],
  ["gz", "application/gzip"],
  ["html", "text/html; charset=utf-8"],
  ["ico", "image/vnd.microsoft.icon"],
  ["jp2", "image/jp2"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["js", "text/javascript; charset=utf-8"],
  ["json", "application/json"],
  ["jxl", "image/jxl"],
  ["mjs", "text/javascript; charset=utf-8"],
  ["mp3", "audio/mpeg"],
  ["mp4", "video/mp4"],
  ["ogg", "audio/ogg"],
  ["otf", "font/otf"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["svg", "image/svg+xml"],
  ["tif", "image/tiff"],
  ["tiff", "image/tiff"],
  ["ttf", "font/ttf"],
  ["txt", "text/plain; charset=utf-8"],
  ["wav", "audio/wav"],
  ["webm", "video/webm"],
  ["webp", "image/webp"],
  ["woff", "font/woff"],
  ["woff2", "font/woff2"],
  ["xml", "application/xml"],
]);

/** What the system says of a path that leads to nothing. */
const ABSENT: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

/**
 * What answers with the files of a directory. Files and folders whose names begin with a dot are none.
 * @param names the parameters of the route's path that make up the path of the file
 * @param more what is said of every file
 */
export function filesIn(
  directory: string,
  names: readonly string[],
  more: Pick<Content, "cacheControl" | "headers">,
): (request: RouteRequest) => Promise<Content | undefined> {
  return async (request) => {
    const segments = names.flatMap((name) => request.parameter(name).split("/"));
    if (segments.some((segment) => !/^[^.\\\0][^\\\0]*$/.test(segment))) return undefined;
    const path = join(directory, ...segments);
    const stats = await statsOf(path);
    if (stats?.isFile() !== true) return undefined;
    const length = Number(stats.size);
    const tag = tagOfFile(stats);
    const part = (start: number, end: number): Promise<Body> => bytesOf(path, tag, start, end);
    return {
      type: MEDIA_TYPES.get(extname(path).slice(1).toLowerCase()) ?? "application/octet-stream",
      body: () => part(0, length),
      part,
      length,
      tag,
      modified: Math.min(Number(stats.mtimeMs), Date.now()),
      ...more,
    };
  };
}

async function statsOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}

/** Whatever is written to a file changes the time of its last change, which nobody can set, not even to keep a date. */
function tagOfFile({ size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [size, mtimeNs, ctimeNs].map((number) => number.toString(36)).join("-");
}

/** Bytes of a file, as long as it is as its tag says. Throws `ProblemError` where it was replaced meanwhile. */
async function bytesOf(path: string, tag: string, start: number, end: number): Promise<Body> {
  if (start === end) return "";
  const file = await open(path);
  if (tagOfFile(await file.stat({ bigint: true })) === tag) return file.createReadStream({ start, end: end - 1 });
  await file.close();
  throw new ProblemError("unavailable", { detail: "The file is being replaced at this moment. Ask again." });
}
