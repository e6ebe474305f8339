/** The balancer and the cache of deploy/replicas, in front of servers that only say who they are. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../cli/built.js";
import { freePort } from "../free-port.js";
import { type Listening, listening } from "../listening.js";
import { areInstalled, Part } from "../replicas/parts.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const servers: Listening[] = [];
const parts: Part[] = [];
let answered = 0;

/** A server whose answers have its name, the requested path and a number of their own, and may be cached. */
async function named(name: string): Promise<number> {
  const server = await listening(({ url }, response) => {
    response.setHeader("Cache-Control", "max-age=0, s-maxage=3600");
    response.end(`${name} ${url} ${answered++}`);
  });
  servers.push(server);
  return server.port;
}

/** Starts a program with a file of deploy/replicas in which texts are replaced. Resolves when it answers. */
async function start(program: string, file: string, port: number, replaced: Record<string, string>, args: string[]) {
  let text = readFileSync(join("deploy/replicas", file), "utf8");
  for (const [from, to] of Object.entries(replaced)) text = text.replaceAll(from, to);
  const path = join(folder, file);
  writeFileSync(path, text);
  const part = new Part(program, program, () => [...args, "-f", path]);
  parts.push(part);
  part.start();
  await until(async () => (await ask(port, "/health")).startsWith("follower"));
}

async function ask(port: number, path: string, init: RequestInit = {}): Promise<string> {
  const asked = fetch(`http://127.0.0.1:${port}${path}`, init);
  return asked.then((answer) => answer.text()).catch(() => "");
}

afterAll(async () => {
  await Promise.all(parts.map((part) => part.stop()));
  await Promise.all(servers.map((server) => server.stop()));
});

describe.skipIf(!areInstalled("haproxy"))("the balancer", () => {
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    const [loader, follower] = [await named("loader"), await named("follower")];
    const hosts = Object.fromEntries([1, 2, 3].map((each) => [`follower${each}:3000`, `127.0.0.1:${follower}`]));
    const replaced = { ...hosts, ":8080": `127.0.0.1:${port}`, "loader:3000": `127.0.0.1:${loader}` };
    await start("haproxy", "haproxy.cfg", port, replaced, ["-db"]);
  });

  it("asks the loader to change records and for held ones, and the followers for all else", async () => {
    const token = { headers: { authorization: "Bearer token" } };
    const toLoader: [string, RequestInit?][] = [
      ["/object/1", { method: "PUT", body: "{}" }],
      ["/object/1", { method: "DELETE" }],
      ["/load?format=nq", { method: "POST", body: "" }],
      ["/loads"],
      ["/loads/20261127212352-34ef7d7a"],
      ["/held"],
      ["/object/1", token],
    ];
    for (const [path, init] of toLoader) expect(await ask(port, path, init)).toMatch(`loader ${path}`);
    const toFollowers: [string, RequestInit?][] = [
      ["/object/1"],
      ["/loading-dock/1"],
      ["/sparql", { method: "POST", body: "" }],
      ["/sparql", token],
    ];
    for (const [path, init] of toFollowers) expect(await ask(port, path, init)).toMatch(`follower ${path}`);
    expect(await ask(port, "/metrics")).toContain("403");
  });
});

describe.skipIf(!areInstalled("varnishd"))("the cache", () => {
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    // Varnish reads its files as a user of its own.
    chmodSync(folder, 0o755);
    const replaced = { '"balancer"': '"127.0.0.1"', '"8080"': `"${await named("follower")}"` };
    const args = ["-F", "-n", join(folder, "varnish"), "-s", "malloc,16m", "-T", "none", "-a", `127.0.0.1:${port}`];
    await start("varnishd", "varnish.vcl", port, replaced, args);
  });

  it("keeps each form of a record, until a purge of the record drops all", async () => {
    const forms = ["/object/1", "/object/1.ttl", "/object/1.schema.jsonld"];
    const kept = await Promise.all(forms.map((form) => ask(port, form)));
    expect(kept.map((text) => text.split(" ")[1])).toEqual(forms);
    expect(await Promise.all(forms.map((form) => ask(port, form)))).toEqual(kept);
    await ask(port, "/object/1", { method: "PURGE" });
    for (const [at, form] of forms.entries()) expect(await ask(port, form)).not.toBe(kept[at]);
  });

  it("keeps no answer of /entity, which a purge might not reach, and takes the end of a query for no suffix", async () => {
    const path = "/entity?uri=http://museum.example/object/1";
    expect(await ask(port, path)).not.toBe(await ask(port, path));
    const [page, other] = [
      "/activity/record?page=1&uri=http://x/page",
      "/activity/record?page=1&uri=http://x/page.html",
    ];
    expect(await ask(port, page)).toMatch(`follower ${page} `);
    expect(await ask(port, other)).toMatch(`follower ${other} `);
  });
});
