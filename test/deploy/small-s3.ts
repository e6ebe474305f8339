/** As much of Amazon's S3 as rclone asks for (REST API 2006-03-01): objects put, read, looked at and listed. Signatures are not checked. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { listening } from "../listening.js";

interface Stored {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface SmallS3 {
  readonly url: string;
  readonly objects: ReadonlyMap<string, Stored>;
  stop(): Promise<void>;
}

/** Start it, with one bucket. */
export async function startSmallS3(bucket: string): Promise<SmallS3> {
  const objects = new Map<string, Stored>();
  const { url, stop } = await listening((request, response) => void answer(request, response, bucket, objects));
  return { url, objects, stop };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  bucket: string,
  objects: Map<string, Stored>,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, "http://s3");
  const [, of, ...rest] = decodeURIComponent(pathname).split("/");
  const key = rest.join("/");
  if (request.method === "PUT" && key !== "") {
    const body = await buffer(request);
    const kept = Object.entries(request.headers).filter(([name]) => name.startsWith("x-amz-meta-"));
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;
    const headers = { ...(Object.fromEntries(kept) as Record<string, string>), etag };
    objects.set(key, { body, headers });
    response.writeHead(200, { etag }).end();
  } else if (of === bucket && key === "") {
    response.writeHead(200, { "content-type": "application/xml" }).end(listing(bucket, objects, searchParams));
  } else {
    const stored = objects.get(key);
    if (stored === undefined) response.writeHead(404).end();
    else {
      const { body, headers } = stored;
      const dated = { ...headers, "last-modified": new Date(0).toUTCString(), "content-length": body.length };
      response.writeHead(200, dated).end(request.method === "HEAD" ? undefined : body);
    }
  }
}

function listing(bucket: string, objects: ReadonlyMap<string, Stored>, parameters: URLSearchParams): string {
  const [prefix, delimiter] = [parameters.get("prefix") ?? "", parameters.get("delimiter") ?? ""];
  const folders = new Set<string>();
  let contents = "";
  for (const [key, { body, headers }] of [...objects].sort()) {
    if (!key.startsWith(prefix)) continue;
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    if (end !== -1) folders.add(key.slice(0, end + 1));
    else {
      contents += `<Contents><Key>${key}</Key><LastModified>1970-01-01T00:00:00.000Z</LastModified><ETag>${headers.etag}</ETag><Size>${body.length}</Size></Contents>`;
    }
  }
  const common = [...folders].map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`).join("");
  return `<?xml version="1.0"?><ListBucketResult><Name>${bucket}</Name><Prefix>${prefix}</Prefix><IsTruncated>false</IsTruncated>${contents}${common}</ListBucketResult>`;
}
