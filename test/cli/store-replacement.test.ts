/** The life of a service with its store: what it reports when the store goes. */
import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { liveWithStore } from "../../src/cli/serving/store-replacement.js";
import { openStore } from "../../src/store/open.js";
import { places } from "../sent/sending.js";
import { workspaceForEach } from "./workspace.js";

const { path, file, vitrine } = workspaceForEach();

it("reports as errors that the store is gone, and that there is none", async () => {
  await vitrine("load", file("a.jsonl", places(0, 1)), "--base-url", "https://data.museum.example/");
  const directory = path("store");
  const interrupt = new AbortController();
  const errors: string[] = [];
  const report = (message: string, isError = false): void => {
    if (isError) errors.push(message);
    if (message.includes("there is no store")) interrupt.abort();
  };
  const live = async (_: unknown, ended: AbortSignal): Promise<void> => {
    rmSync(directory, { recursive: true });
    await new Promise((resolve) => ended.addEventListener("abort", resolve));
  };
  await liveWithStore({ directory, open: () => openStore({ directory }), interrupted: interrupt.signal, report, live });
  expect(errors).toEqual([
    expect.stringMatching(/was removed or replaced/),
    expect.stringMatching(/there is no store/),
  ]);
});
