import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { lettingWrite } from "../cli/here.js";
import { inFile } from "../cli/in-file.js";
import { run, serve } from "../cli/run.js";
import { listeningForTest } from "../listening.js";
import { randomFrom } from "../random.js";
import { temporaryFolder } from "../temporary-folder.js";
import { expectCopied, logOf } from "./copies.js";

const BASE = "http://museum.example/";
let folder: string;
let original: string;
let copy: string;
let stopped: () => Promise<void>;
beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  [original, copy] = [join(folder, "original"), join(folder, "copy")];
});
afterEach(() => stopped());

async function done(...args: readonly string[]): Promise<string> {
  const { status, stderr } = await run(args);
  expect(status, stderr).toBe(0);
  return stderr;
}

/** Load places, of which "f" is invalid, so that a copy has to take it all the same. */
async function load(store: string, names: readonly string[], label: string, ...more: string[]): Promise<void> {
  const file = join(folder, "load.jsonl");
  const lines = names.map((name) => {
    const set = [{ id: `${BASE}set/all`, type: "Set", _label: "All" }];
    const id = `${BASE}place/${name}`;
    return JSON.stringify({
      "@context": "https://linked.art/ns/v1/linked-art.json",
      ...{ id, type: "Place", _label: `${label} ${name}`, member_of: set, ...(name === "f" && { defined_by: 5 }) },
    });
  });
  writeFileSync(file, `${lines.join("\n")}\n`);
  const accepting = ["--on-invalid", "accept", "--keep", "versions"];
  const { status, stderr } = await run(["load", file, "--store", store, "--base-url", BASE, ...accepting, ...more]);
  expect(status, stderr).toBeLessThan(2);
}

/** Serve a store that is loaded into meanwhile, until `stopped`. */
async function served(store: string): Promise<string> {
  const endWriting = lettingWrite(store);
  const { url, stop } = await serve(["--store", store, "--sparql-access", "off", "--base-url", BASE]);
  stopped = async () => {
    stopped = async () => {};
    await stop();
    await endWriting();
  };
  return `${url}/`;
}

/** A copy of the original. */
async function restored(): Promise<void> {
  const backup = join(folder, "backup");
  rmSync(backup, { recursive: true, force: true });
  await done("backup", backup, "--store", original);
  await done("restore", backup, "--store", copy);
}

it("has the original's records and log after any changes, also of what came and went between two visits", async () => {
  await load(original, ["a", "b", "c"], "First");
  await restored();
  const url = await served(original);
  const random = randomFrom(7);
  const names = ["a", "b", "c", "d", "e", "f"];
  const some = (): string[] => names.filter(() => random() < 0.4);
  for (let visit = 0; visit < 3; visit++) {
    for (let step = 0; step < 3; step++) {
      const [name, to] = [some()[0] ?? "a", some()[0] ?? "b"];
      const dice = random();
      if (dice < 0.6) await load(original, [name, ...some()], `${visit} ${step}`);
      else if (dice < 0.8) await run(["delete", `${BASE}place/${name}`, "--store", original]);
      else await run(["delete", `${BASE}place/${name}`, "--moved-to", `${BASE}place/${to}`, "--store", original]);
    }
    await load(original, ["passing"], String(visit));
    await done("delete", `${BASE}place/passing`, "--store", original);
    const { status, stderr } = await run([
      "follow",
      url,
      "--store",
      copy,
      ...inFile({ batch: 3 }),
      // It does nothing once the store is a copy.
      ...(visit > 0 ? ["--hold", "class=Place"] : []),
    ]);
    expect(status, stderr).toBe(0);
    await expectCopied(original, copy);
  }
  const [expected, found] = await Promise.all(
    [original, copy].map(async (store) => (await run(["export", "--store", store])).stdout),
  );
  expect(found).toBe(expected);
  await done("check", "--store", copy);
  expect((await run(["follow", url, "--store", copy, "--mend"])).stderr).toContain("leave out --mend");
});

it("takes over a record that moved, and whose successor moved on, between two visits", async () => {
  await load(original, ["a", "b", "c"], "First");
  await restored();
  const url = await served(original);
  await done("delete", `${BASE}place/a`, "--moved-to", `${BASE}place/b`, "--store", original);
  await done("delete", `${BASE}place/b`, "--moved-to", `${BASE}place/c`, "--store", original);
  for (const batch of [1, 100]) {
    await done("follow", url, "--store", copy, ...inFile({ batch }));
    await expectCopied(original, copy);
    await load(original, ["a", "b"], String(batch));
    await done("delete", `${BASE}place/a`, "--moved-to", `${BASE}place/b`, "--store", original);
    await done("delete", `${BASE}place/b`, "--moved-to", `${BASE}place/c`, "--store", original);
  }
  await done("check", "--store", copy);
});

it("stops before a record that it cannot get, and goes on from there", async () => {
  await load(original, ["a", "b"], "First");
  await restored();
  const url = await served(original);
  await load(original, ["a", "b"], "Second");
  let away: string | undefined;
  const proxy = await listeningForTest(async (request, response) => {
    if (away !== undefined && request.url!.startsWith(away)) return response.writeHead(500).end();
    const answer = await fetch(new URL(request.url!, url), { headers: request.headers as Record<string, string> });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const through = `${proxy}/`;
  for (const [path, words] of [
    ["/place/b", "place/b> is answered with 500"],
    // Without the change, it cannot be told whether the store is still a copy.
    ["/activity/change/", "answers 500"],
  ] as const) {
    away = path;
    const { status, stderr } = await run(["follow", through, "--store", copy]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)]);
  }
  await done("check", "--store", copy);
  away = undefined;
  await done("follow", through, "--store", copy);
  await expectCopied(original, copy);
});

it("takes over large documents in several steps", async () => {
  await load(original, ["a"], "First");
  await restored();
  const url = await served(original);
  await load(original, ["b"], "Second");
  await load(original, ["a", "b", "c"], "Third");
  const spaces = Buffer.alloc(16 * 2 ** 20, " ");
  const proxy = await listeningForTest(async (request, response) => {
    const answer = await fetch(new URL(request.url!, url), { headers: request.headers as Record<string, string> });
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.write(Buffer.from(await answer.arrayBuffer()));
    response.end(request.url === "/place/a" ? spaces : "");
  });
  await done("follow", `${proxy}/`, "--store", copy, ...inFile({ connections: 1 }));
  await expectCopied(original, copy);
});

it("can take the place of the original: its numbers go on, and other copies follow it from where they are", async () => {
  await load(original, ["a", "b"], "First");
  await restored();
  const first = await served(original);
  await load(original, ["c"], "Second");
  await done("follow", first, "--store", copy);
  await stopped();
  const third = join(folder, "third");
  const backup = join(folder, "backup");
  await done("restore", backup, "--store", third);
  await load(copy, ["d"], "Of the new loader");
  expect((await logOf(copy)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  const url = await served(copy);
  await done("follow", url, "--store", third);
  await expectCopied(copy, third);
  // The old one, which has gone on by itself, is no copy of the new one: nothing of its log is changed.
  await load(original, ["e"], "Of the old loader");
  const before = await logOf(original);
  await run(["follow", url, "--store", original]);
  expect((await logOf(original)).slice(0, before.length)).toEqual(before);
});

it("says once that it is no copy any more, as after the original was restored from a backup", async () => {
  await load(original, ["a", "b"], "First");
  await restored();
  const url = await served(original);
  await load(original, ["a"], "Second");
  expect(await done("follow", url, "--store", copy)).not.toContain("warning");
  await done("restore", join(folder, "backup"), "--store", original);
  await expect.poll(async () => (await fetch(`${url}activity/change/3`)).status).toBe(404);
  expect(await done("follow", url, "--store", copy)).toContain("is no exact copy now: restore a backup");
  expect(await done("follow", url, "--store", copy)).not.toContain("warning");
});

/** The name that an operator gives to a publisher that shows the changes of this store's own publisher as its own, and a deletion after them. */
const OTHER = ["--source", "other"];

it.each([
  ["that no backup was restored to", false, OTHER, 0, "1 deletion ignored"],
  ["that is a copy of another source", true, OTHER, 0, "1 deletion ignored"],
  ["that also has records from it", false, OTHER, 0, "1 deletion ignored"],
  [
    "whose operator holds records",
    false,
    [...OTHER, "--hold", "class=Place"],
    2,
    "leave out --hold or, if another service",
  ],
  ["whose operator refuses records", false, [...OTHER, "--on-invalid", "refuse"], 2, "leave out --on-invalid"],
])("leaves to its sources a store %s, whatever a publisher shows", async (of, follows, options, expected, words) => {
  await load(original, ["a"], "First");
  await load(original, ["b"], "First", ...(of.includes("from") ? OTHER : []));
  await restored();
  const url = await served(original);
  if (follows) await done("follow", url, "--store", copy, "--source", "original");
  if (of.includes("no backup")) {
    rmSync(copy, { recursive: true });
    cpSync(original, copy, { recursive: true, filter: (path) => !path.endsWith(".sock") });
  }
  const deletion = {
    ...{ id: `${BASE}activity/change/3`, type: "Delete", object: { id: `${BASE}place/a`, type: "Place" } },
    endTime: new Date().toISOString(),
  };
  const other = await listeningForTest(async (request, response) => {
    const answer = await fetch(new URL(request.url!, url), { headers: { accept: request.headers.accept! } });
    const body = (await answer.json()) as { orderedItems?: object[] };
    body.orderedItems?.push(deletion);
    response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const { status, stderr } = await run(["follow", `${other}/`, "--store", copy, ...options]);
  expect([status, stderr]).toEqual([expected, expect.stringContaining(words)]);
  expect(await logOf(copy)).toHaveLength(2);
});
