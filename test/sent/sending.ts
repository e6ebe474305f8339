/** Loads over HTTP for tests: inputs, a service that takes them, senders that are cut off, and hostile requests. */
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { request } from "../../src/base/http-client.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { startServing } from "../cli/built.js";
import { run } from "../cli/run.js";

export const BASE = "http://data.museum.example/";

/** Places as lines of JSON. */
export function places(from: number, to: number, label = "place"): string {
  let text = "";
  for (let at = from; at < to; at++) {
    text += `${JSON.stringify({ "@context": DEFAULT_MODEL.contextUri, id: `${BASE}place/${at}`, type: "Place", _label: `${label} ${at}` })}\n`;
  }
  return text;
}

export interface Taking extends Taker {
  readonly url: string;
}

/** A store that takes loads over HTTP once it is served. */
export interface Taker {
  readonly store: string;
  /** A token that may load and delete records of any source, and one for those of `objects`. */
  readonly token: string;
  readonly limited: string;
  /** A token that may only read what is held, one that may only load, and one that may only delete. */
  readonly reading: string;
  readonly loading: string;
  readonly deleting: string;
  records(): Promise<number>;
  remove(): void;
}

/** How a store is served that takes loads. */
export const serving = ({ store }: Taker): readonly string[] => [
  ...["--store", store],
  ...["--sparql-access", "off", "--base-url", BASE],
];

/** A store of some records, and tokens. */
export async function makeTaker(records: number): Promise<Taker> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-sent-"));
  const store = join(folder, "store");
  await run(["load", "-", "--format", "jsonl", "--store", store, "--base-url", BASE, "--source", "first"], {
    stdin: places(0, records),
  });
  const token = async (...args: string[]) => (await run(["token", "new", "--store", store, ...args])).stdout.trim();
  const tokens = {
    token: await token("--may", "load,delete"),
    limited: await token("--may", "load,delete", "--source", "objects"),
    reading: await token("--may", "read"),
    loading: await token("--may", "load"),
    deleting: await token("--may", "delete"),
  };
  return {
    store,
    ...tokens,
    records: async () =>
      (JSON.parse((await run(["stats", "--json", "--store", store])).stdout) as { records: number }).records,
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** A service with a store of some records, and tokens. */
export async function startTaking(
  records: number,
  ...options: readonly string[]
): Promise<Taking & { readonly pid: number; stop(): Promise<void> }> {
  const taker = await makeTaker(records);
  const service = await startServing([...serving(taker), ...options]);
  return {
    ...taker,
    url: service.url,
    pid: service.pid,
    async stop() {
      service.process.kill("SIGTERM");
      await service.ended;
      taker.remove();
    },
  };
}

/** Send a load and cut the connection when so many bytes of it are out, some milliseconds later; resolves when it is cut. */
export function sendAndCut(
  { url, token }: Taking,
  body: string,
  bytes: number,
  milliseconds = bytes % 40,
): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => resolve());
    socket.on("close", () => resolve());
    const head = `POST /load?format=jsonl HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(head + body.slice(0, bytes), () => setTimeout(() => socket.destroy(), milliseconds));
  });
}

/** Send a load whose body ends only with its connection. */
export function sendEndless({ url, token }: Taking) {
  const body = new PassThrough();
  body.write(places(1, 2));
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/jsonl" };
  return request(`${url}/load`, { method: "POST", headers, body });
}

/** A request that must not change anything. */
export interface Hostile {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** After so many bytes of the body nothing more comes, and the connection ends. */
  readonly stopsAt?: number;
}

/** What comes of hostile requests: a status, the state of a load that began, or a connection that ended. */
export const REFUSALS: readonly (number | string)[] = [
  ...["refused", "interrupted", "cut"],
  ...[400, 401, 403, 404, 412, 413, 415, 422],
];

/** How many kinds of hostile requests there are. */
export const HOSTILE_KINDS = 29;

/** Hostile requests, each of another kind, over and over. */
export function hostile({ token, limited, reading, loading, deleting }: Taking, count: number): Hostile[] {
  const body = places(0, 3, "hostile");
  const type = { "content-type": "application/jsonl" };
  const with_ = (shown: string) => ({ ...type, authorization: `Bearer ${shown}` });
  const bomb = Buffer.concat(Array<Buffer>(400).fill(gzipSync(Buffer.alloc(1_024 * 1_024, 0x20))));
  const kinds: readonly ((at: number) => Hostile)[] = [
    () => ({ name: "no token", path: "/load", method: "POST", headers: type, body }),
    (at) => ({
      name: "wrong token",
      path: "/load",
      method: "POST",
      headers: with_(token.slice(0, -1 - (at % 9)) + "x".repeat(1 + (at % 9))),
      body,
    }),
    () => ({
      name: "another scheme",
      path: "/load",
      method: "POST",
      headers: { ...type, authorization: `Basic ${Buffer.from(`a:${token}`).toString("base64")}` },
      body,
    }),
    () => ({ name: "token in the query", path: `/load?token=${token}`, method: "POST", headers: type, body }),
    () => ({ name: "wrong source", path: "/load?source=people", method: "POST", headers: with_(limited), body }),
    () => ({
      name: "record of another source",
      path: "/load?source=objects",
      method: "POST",
      headers: with_(limited),
      body,
    }),
    () => ({
      name: "unchanged record of another source",
      path: "/load?source=objects",
      method: "POST",
      headers: with_(limited),
      body: places(0, 2),
    }),
    () => ({
      name: "oversized",
      path: "/load",
      method: "POST",
      headers: with_(token),
      body: `${places(900_000, 909_000)}${" ".repeat(2 ** 21)}`,
    }),
    () => ({ name: "compressed bomb", path: "/load", method: "POST", headers: with_(token), body: bomb }),
    () => ({
      name: "file of the service",
      path: "/load?severity=@/etc/passwd",
      method: "POST",
      headers: with_(token),
      body,
    }),
    () => ({
      name: "option that is no parameter",
      path: "/load?store=/tmp/x",
      method: "POST",
      headers: with_(token),
      body,
    }),
    () => ({ name: "unknown format", path: "/load?format=exe", method: "POST", headers: with_(token), body }),
    () => ({ name: "broken input", path: "/load", method: "POST", headers: with_(token), body: body.slice(0, -20) }),
    () => ({
      name: "another coding",
      path: "/load",
      method: "POST",
      headers: { ...with_(token), "content-encoding": "br" },
      body,
    }),
    () => ({
      name: "PUT of another record",
      path: "/place/1",
      method: "PUT",
      headers: { ...with_(token), "content-type": "application/ld+json" },
      body: places(2, 3, "other").trim(),
    }),
    () => ({
      name: "PUT under a condition",
      path: "/place/1",
      method: "PUT",
      headers: { ...with_(token), "content-type": "application/ld+json", "if-none-match": "*" },
      body: places(1, 2, "x").trim(),
    }),
    () => ({ name: "DELETE without token", path: "/place/1", method: "DELETE", headers: {} }),
    () => ({
      name: "DELETE of another source",
      path: "/place/1?source=objects",
      method: "DELETE",
      headers: { authorization: `Bearer ${limited}` },
    }),
    () => ({
      name: "DELETE of an older state",
      path: "/place/1",
      method: "DELETE",
      headers: { authorization: `Bearer ${token}`, "if-match": '"AAAAAAAAAAAAAAAAAAAAAA.jsonld-x"' },
    }),
    () => ({ name: "loads without token", path: "/loads", method: "GET", headers: {} }),
    () => ({ name: "token that may read", path: "/load", method: "POST", headers: with_(reading), body }),
    () => ({ name: "token that may delete", path: "/load", method: "POST", headers: with_(deleting), body }),
    () => ({
      name: "DELETE with a token that may load",
      path: "/place/1",
      method: "DELETE",
      headers: { authorization: `Bearer ${loading}` },
    }),
    () => ({
      name: "PUT with a token that may delete",
      path: "/place/1",
      method: "PUT",
      headers: { ...with_(deleting), "content-type": "application/ld+json" },
      body: places(1, 2, "x").trim(),
    }),
    () => ({
      name: "PUT under a condition that is none",
      path: "/place/1",
      method: "PUT",
      headers: { ...with_(token), "content-type": "application/ld+json", "if-match": '"", W/"x", \u00e9' },
      body: places(1, 2, "x").trim(),
    }),
    (at) => ({
      name: "compressed and cut off",
      path: "/load",
      method: "POST",
      headers: { ...with_(token), "content-encoding": "gzip" },
      body: gzipSync(body).subarray(0, 40 + (at % 60)),
    }),
    () => ({
      name: "nothing of a source, synchronized",
      path: "/load?source=first&sync",
      method: "POST",
      headers: with_(token),
      body: "",
    }),
    () => ({
      name: "synchronized with a token that may load",
      path: "/load?sync=true&max-delete=100%25",
      method: "POST",
      headers: with_(loading),
      body: places(1, 2),
    }),
    (at) => ({ name: "body that stops", path: "/load", method: "POST", headers: with_(token), body, stopsAt: at % 90 }),
  ];
  if (kinds.length !== HOSTILE_KINDS) throw new Error(`there are ${kinds.length} kinds`);
  return Array.from({ length: count }, (_, at) => kinds[at % kinds.length]!(at));
}

/** Send a hostile request; resolves to what came of it: the status, or for a load that began its state. */
export async function attack(taking: Taking, request: Hostile): Promise<number | string> {
  const { path, method, headers, body } = request;
  if (request.stopsAt !== undefined) return stopping(taking, request);
  const { url } = taking;
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) }).catch(
    () => undefined,
  );
  const text = await answer?.text().catch(() => "");
  if (answer?.status !== 200 || method !== "POST") return answer?.status ?? "cut";
  return (JSON.parse(text!.trim().split("\n").at(-1)!) as { state: string }).state;
}

/** Send what a request has of its body, byte by byte in the end, and go away. */
async function stopping({ url }: Taking, { path, method, headers, body = "", stopsAt = 0 }: Hostile): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  const fields = Object.entries({ host: "x", ...headers, "content-length": String(body.length) });
  socket.write(`${method} ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
  for (let at = 0; at < stopsAt; at++) {
    socket.write(body.slice(at, at + 1));
    await sleep(5);
  }
  socket.destroy();
  return "cut";
}
