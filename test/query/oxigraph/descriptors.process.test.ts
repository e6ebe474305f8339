/** Index processes when file descriptors are used up: failing to start one ends nothing, and is tried again. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bundled } from "../../bundled.js";
import { objects, publish, type TestStore, testStore } from "../records.js";

let there: TestStore;
beforeEach(async () => {
  there = await testStore();
});
afterEach(() => there.remove());

/** For each number given: leaves that many descriptors, starts an index process, and gives the descriptors back. */
const SCRIPT = `
import { closeSync, openSync } from "node:fs";
import { QueryIndex } from "./src/query/oxigraph/query-index.ts";
import { untilReady } from "./src/query/waiting.ts";
const [directory, ...numbers] = process.argv.slice(2);
for (const left of numbers) {
  const held = [];
  try {
    for (;;) held.push(openSync("/dev/null"));
  } catch {}
  for (const descriptor of held.splice(0, Number(left))) closeSync(descriptor);
  const index = new QueryIndex({ directory, restartAfter: 20, report: (message) => console.log(left, message) });
  await new Promise((done) => setImmediate(done));
  for (const descriptor of held) closeSync(descriptor);
  await untilReady(index);
  console.log(left, "ready");
  index.close();
}
`;

// With none, the file for answers cannot be opened; with a few, the channel to the process or the process itself fails.
it("starting an index process is tried again when 0 or 4 descriptors were left", async () => {
  await publish(there.store, objects(1));
  const command = [process.execPath, bundled("descriptors", SCRIPT), there.directory, "0", "4"];
  const child = spawn("sh", ["-c", 'ulimit -n 128 && exec "$@"', "sh", ...command], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, problems] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  expect(problems).toBe("");
  expect(output.trim().split("\n")).toEqual([
    expect.stringMatching(/^0 .*retrying/),
    "0 ready",
    expect.stringMatching(/^4 .*(?:retrying|another is started)/),
    "4 ready",
  ]);
});
