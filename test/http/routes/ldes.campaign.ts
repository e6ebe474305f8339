/** The event stream as npm's `ldes-client` replicates it. It is installed for the campaign alone, and where it cannot be, that is said. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../../cli/built.js";
import { type Running, run, runApart, serve } from "../../cli/run.js";
import { plain } from "../../cli/site/hosts.js";
import { freePort } from "../../free-port.js";

/** Prints each member's IRI, and goes on asking. */
const CLIENT = `
import { replicateLDES } from "ldes-client";
const reader = replicateLDES({ url: process.argv[2], polling: true, pollInterval: 300, loose: true }).stream().getReader();
for (let each = await reader.read(); !each.done; each = await reader.read()) if (each.value) console.log(each.value.id.value);
`;

const folder = mkdtempSync(join(tmpdir(), "vitrine-ldes-"));
writeFileSync(join(folder, "package.json"), '{"type":"module"}');
const HAS_CLIENT =
  spawnSync("npm", ["install", "--no-audit", "--no-fund", "ldes-client@0.3"], { cwd: folder, timeout: 300_000 })
    .status === 0;
if (!HAS_CLIENT) console.warn("ldes-client could not be installed: the event stream is not replicated");

let service: Running;
let store: string;
beforeAll(async () => {
  writeFileSync(join(folder, "client.js"), CLIENT);
  store = join(folder, "store");
  const port = await freePort();
  await run(["load", "data/records", "--store", store, "--base-url", `http://127.0.0.1:${port}/`]);
  service = await serve(["--port", String(port), "--store", store, "--sparql-access", "off"]);
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

it.skipIf(!HAS_CLIENT)("gives every member once from a site of files", async () => {
  const port = await freePort();
  const www = join(folder, "www");
  const base = `http://127.0.0.1:${port}/collection/`;
  await run(["site", join(www, "collection"), "--store", store, "--base-url", base]);
  const host = await plain(www, "/collection/", port);
  const client = spawn(process.execPath, ["client.js", `${base}ldes/page/1.ttl`], { cwd: folder });
  const members: string[] = [];
  createInterface({ input: client.stdout }).on("line", (line) => {
    if (line.startsWith("http")) members.push(line);
  });
  try {
    await until(() => members.length >= 589);
    expect(members.sort()).toEqual(Array.from({ length: 589 }, (_, at) => `${base}activity/change/${at + 1}`).sort());
  } finally {
    client.kill();
    await host.stop();
  }
});

it.skipIf(!HAS_CLIENT)("gives every member once, and stays in step", async () => {
  const client = spawn(process.execPath, ["client.js", `${service.url}/ldes/page/1`], { cwd: folder });
  const members: string[] = [];
  createInterface({ input: client.stdout }).on("line", (line) => {
    if (line.startsWith("http")) members.push(line);
  });
  const changes = (count: number) =>
    Array.from({ length: count }, (_, at) => `${service.url}/activity/change/${at + 1}`).sort();
  try {
    await until(() => members.length >= 589);
    expect([...members].sort()).toEqual(changes(589));
    await runApart(["delete", "object/mona-lisa", "object/the-kiss", "--store", store]);
    await until(() => members.length >= 591);
    expect([...members].sort()).toEqual(changes(591));
  } finally {
    client.kill();
  }
});
