/** The gauges of a service: which processes count as the index. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { gaugesOf } from "../../src/cli/serving/metrics.js";
import type { Search } from "../../src/store/search.js";
import { MemoryStore } from "../store/memory-store.js";

it("say up to which change the search index has followed", async () => {
  const index = () => ({ state: "ready", done: 0, total: 0 }) as const;
  const said = async (sequence: number | undefined) => {
    const search = { sequence: () => sequence } as Search;
    const gauges = await gaugesOf({ directory: "none", store: Object.assign(new MemoryStore(), { search }), index });
    return gauges.find(({ name }) => name === "vitrine_search_sequence")?.values[0]?.value;
  };
  expect([await said(7), await said(undefined)]).toEqual([7, 0]);
});

it("count of the processes that a service starts those of its index", async () => {
  const memory = async () => {
    const index = () => ({ state: "ready", done: 0, total: 0 }) as const;
    const gauges = await gaugesOf({ directory: "none", store: new MemoryStore(), index });
    return gauges.find(({ name }) => name === "vitrine_index_memory_bytes")?.values[0]?.value;
  };
  const begin = async (...args: readonly string[]) => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log()", ...args]);
    onTestFinished(() => void child.kill());
    await once(child.stdout, "data");
  };
  await begin("bin/vitrine.js", "load");
  // Nobody waits until the indexes of earlier tests have ended.
  await expect.poll(memory).toBe(0);
  await begin("query/oxigraph/index-process.js");
  expect(await memory()).toBeGreaterThan(1_000_000);
});
