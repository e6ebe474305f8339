/** Index processes where descriptors are used up: that one cannot be started ends nothing, and it is tried again. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { iri, literal, RDFS_LABEL } from "../../../src/rdf/terms.js";
import { publish, recordOf, type TestStore, testStore } from "../records.js";

let there: TestStore;
beforeEach(async () => {
  there = await testStore();
});
afterEach(() => there.remove());

/** Leaves so many descriptors, has an index process started, and gives the descriptors back. */
const SCRIPT = `
import { closeSync, openSync } from "node:fs";
const [module, directory, left] = process.argv.slice(2);
const { QueryIndex } = await import(module);
const held = [];
try {
  for (;;) held.push(openSync("/dev/null"));
} catch {}
for (const descriptor of held.splice(0, Number(left))) closeSync(descriptor);
const index = new QueryIndex({ directory, report: (message) => console.log(message) });
await new Promise((done) => setImmediate(done));
for (const descriptor of held) closeSync(descriptor);
await index.whenReady();
console.log("ready");
index.close();
`;

// Without any, the file for answers fails; with some, the channel to the process or the process itself.
it.each([0, 4])(
  "is tried again with %i descriptors left",
  async (left) => {
    const label = literal("A label");
    await publish(there.store, [recordOf("urn:x:1", [[iri("urn:x:1"), iri(RDFS_LABEL), label]])]);
    const script = join(there.directory, "..", "script.mjs");
    writeFileSync(script, SCRIPT);
    const module = pathToFileURL(resolve("dist/query/oxigraph/query-index.js")).href;
    const limited = 'ulimit -n 128 && exec "$@"';
    const process_ = spawn(
      "sh",
      ["-c", limited, "sh", process.execPath, script, module, there.directory, String(left)],
      {
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const [told, problems] = await Promise.all([text(process_.stdout), text(process_.stderr), once(process_, "exit")]);
    expect(problems).toBe("");
    expect(told.trim().split("\n").at(-1)).toBe("ready");
    expect(told.trim().split("\n").length).toBe(2);
  },
  60_000,
);
