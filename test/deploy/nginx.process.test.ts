/** deploy/nginx.conf as it stands, with ports and folders of its own, in front of a service under a prefix path, over HTTPS. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixedContent } from "../../src/http/message/content.js";
import { type RouteMaker, readRoute } from "../../src/http/routes/route.js";
import { ROUTES } from "../../src/http/routes/routes.js";
import { until } from "../cli/built.js";
import { freePort } from "../free-port.js";
import { PAINTING, type Service, startService } from "../http/service.js";
import { temporaryFolder } from "../temporary-folder.js";

const HAS_NGINX = spawnSync("nginx", ["-v"]).status === 0 && spawnSync("openssl", ["version"]).status === 0;
if (!HAS_NGINX) console.warn("nginx or openssl is not installed: deploy/nginx.conf is not tested");

/** Answers after two seconds, as a PUT that waits for a load. */
const late: RouteMaker = () => [
  readRoute("/late", "page", { id: "late", tag: "Service", summary: "Late.", types: ["text/plain"] }, async () => {
    await sleep(2_000);
    return fixedContent("text/plain", "done");
  }),
];

const folder = temporaryFolder();
let service: Service;
let nginx: ChildProcess;
let port: number;

beforeAll(async () => {
  if (!HAS_NGINX) return;
  for (const name of ["cache", "body", "logs"]) mkdirSync(join(folder, name));
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const names = ["-keyout", key, "-out", certificate, "-subj", "/CN=data.museum.example"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...names], { stdio: "ignore" });
  service = await startService({ trustProxy: true, routeMakers: [late, ...ROUTES] });
  const plain = await freePort();
  port = await freePort();
  const site = readFileSync("deploy/nginx.conf", "utf8")
    .replace("/var/cache/nginx/vitrine", join(folder, "cache"))
    .replace("127.0.0.1:3000", `127.0.0.1:${service.port}`)
    .replace("listen 80;", `listen 127.0.0.1:${plain};`)
    .replace("listen 443 ssl http2;", `listen 127.0.0.1:${port} ssl http2;`)
    .replace("/etc/ssl/certs/data.museum.example.pem", certificate)
    .replace("/etc/ssl/private/data.museum.example.key", key);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, "body")};`,
  );
  const user = process.getuid?.() === 0 ? "user root; " : "";
  const whole = `${user}daemon off; pid ${join(folder, "pid")}; error_log ${join(folder, "error.log")};\nevents {}\nhttp { access_log off; proxy_read_timeout 1s; ${temporary.join(" ")}\n${site}\n}\n`;
  writeFileSync(join(folder, "nginx.conf"), whole);
  nginx = spawn("nginx", ["-c", join(folder, "nginx.conf"), "-p", folder], { stdio: "ignore" });
  const hasEnded = (): boolean => nginx.exitCode !== null;
  await until(async () => hasEnded() || (await get("/collection/health").catch(() => undefined))?.status === 200);
  if (hasEnded()) throw new Error(readFileSync(join(folder, "error.log"), "utf8"));
});
afterAll(async () => {
  if (!HAS_NGINX) return;
  nginx.kill("SIGTERM");
  await once(nginx, "exit");
  await service.stop();
});

interface Got {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

function get(path: string, headers: Record<string, string> = {}, method = "GET", sent?: Buffer): Promise<Got> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      path,
      method,
      rejectUnauthorized: false,
      headers: { host: "data.museum.example", ...headers },
    };
    const asked = request(options, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode!, headers: answer.headers, body }));
    });
    asked.on("error", reject);
    asked.end(sent);
  });
}

describe.skipIf(!HAS_NGINX)("through nginx, with HTTPS and a prefix path", () => {
  it("entities come as they are, in each representation, with tags and links", async () => {
    const { status, headers, body } = await get("/collection/object/1");
    expect([status, JSON.parse(body)]).toEqual([200, PAINTING]);
    expect(headers.etag).toMatch(/^"[^"]+"$/);
    expect(headers.link).toContain('rel="cite-as"');
    expect(headers.vary).toContain("Accept");
    expect((await get("/collection/object/1", { accept: "text/turtle" })).headers["content-type"]).toMatch(
      /^text\/turtle/,
    );
    expect((await get("/collection/object/1.nt")).headers["content-type"]).toBe("application/n-triples");
    expect((await get("/collection/object/1")).headers["content-type"]).toMatch(/ld\+json/);
  });

  it("conditions, HEAD, OPTIONS and errors hold", async () => {
    const { headers } = await get("/collection/object/1.ttl");
    expect((await get("/collection/object/1.ttl", { "if-none-match": headers.etag! })).status).toBe(304);
    expect((await get("/collection/object/1.ttl", {}, "HEAD")).headers.etag).toBe(headers.etag);
    expect((await get("/collection/object/1", {}, "OPTIONS")).status).toBe(204);
    expect((await get("/collection/object/none")).headers["content-type"]).toBe("application/problem+json");
    expect((await get("/collection/object/gone")).status).toBe(410);
    expect((await get("/collection/object/1", { accept: "image/png" })).status).toBe(406);
    expect((await get("/collection/production/1")).status).toBe(303);
  });

  it("paths are passed on as they came", async () => {
    for (const path of [
      "/object?id=7",
      "/object/list.ttl",
      `/${encodeURIComponent("künstler")}/${encodeURIComponent("Brücke")}`,
      "/encoded/%e4%bd%9c",
    ]) {
      expect([path, (await get(`/collection${path}`)).status]).toEqual([path, 200]);
    }
    const iri = encodeURIComponent("urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66");
    expect((await get(`/collection/entity?uri=${iri}`)).status).toBe(200);
  });

  it("hands on records of any size: the service says what it takes", async () => {
    const body = Buffer.alloc(3 * 2 ** 20, " ");
    const { status, headers } = await get("/collection/object/1", { "content-length": `${body.length}` }, "PUT", body);
    expect([status, headers["content-type"]]).toEqual([405, "application/problem+json"]);
  });

  it("waits longer for an answer than nginx does by default, which is a second here", async () => {
    expect(await get("/collection/late")).toMatchObject({ status: 200, body: "done" });
  });

  it("hands on no word of a client about addresses", async () => {
    const { status, body } = await get("/collection/object/1", {
      "x-forwarded-host": "evil.example",
      forwarded: "host=evil.example",
    });
    expect([status, body.includes("evil")]).toEqual([200, false]);
  });
});
