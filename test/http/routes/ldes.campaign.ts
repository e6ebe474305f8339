/** The event stream, replicated by npm's `ldes-client`. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { until } from "../../cli/built.js";
import { run, runApart, serve } from "../../cli/run.js";
import { plain } from "../../cli/site/hosts.js";
import { freePort } from "../../free-port.js";
import { installed } from "../../packages.js";
import { startedForAll } from "../../started.js";
import { temporaryFolder } from "../../temporary-folder.js";

/** The client's program: it prints each member's IRI, and keeps polling. */
const CLIENT = `
const { replicateLDES } = await import(process.argv[3]);
const reader = replicateLDES({ url: process.argv[2], polling: true, pollInterval: 300, loose: true }).stream().getReader();
for (let each = await reader.read(); !each.done; each = await reader.read()) if (each.value) console.log(each.value.id.value);
`;

const folder = temporaryFolder();
const MODULES = await installed("ldes-client");

const store = join(folder, "store");
const service = startedForAll(async () => {
  writeFileSync(join(folder, "client.mjs"), CLIENT);
  const port = await freePort();
  await run(["load", "data/records", "--store", store, "--base-url", `http://127.0.0.1:${port}/`]);
  return serve(["--port", String(port), "--store", store, "--sparql-access", "off"]);
});

/** A client that replicates from an address, and the members that it has so far. */
function replicate(address: string) {
  const client = spawn(process.execPath, ["client.mjs", address, join(MODULES!, "ldes-client/dist/lib/client.js")], {
    cwd: folder,
  });
  const members: string[] = [];
  createInterface({ input: client.stdout }).on("line", (line) => {
    if (line.startsWith("http")) members.push(line);
  });
  return { members, stop: () => client.kill() };
}

const changes = (base: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${base}/activity/change/${at + 1}`).sort();

it.skipIf(MODULES === undefined)("the client gets every member once from a site of files", async () => {
  const port = await freePort();
  const www = join(folder, "www");
  const base = `http://127.0.0.1:${port}/collection`;
  await run(["site", join(www, "collection"), "--store", store, "--base-url", `${base}/`]);
  const host = await plain(www, "/collection/", port);
  const { members, stop } = replicate(`${base}/ldes/page/1.ttl`);
  await using _host = { [Symbol.asyncDispose]: () => host.stop() };
  using _stop = { [Symbol.dispose]: () => stop() };
  await until(() => members.length >= 589);
  expect([...members].sort()).toEqual(changes(base, 589));
});

it.skipIf(MODULES === undefined)("the client gets every member once from a service, and stays in step", async () => {
  const { members, stop } = replicate(`${service.url}/ldes/page/1`);
  using _ = { [Symbol.dispose]: () => stop() };
  await until(() => members.length >= 589);
  expect([...members].sort()).toEqual(changes(service.url, 589));
  await runApart(["delete", "object/mona-lisa", "object/the-kiss", "--store", store]);
  // Two polls of the client may overlap. A member that both find comes twice.
  await until(() => new Set(members).size >= 591);
  expect([...new Set(members)].sort()).toEqual(changes(service.url, 591));
});
