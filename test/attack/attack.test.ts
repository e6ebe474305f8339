/** The table of attacks in docs/run/security.md. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ATTACK_NAMES } from "./attacks.js";

it("what docs/run/security.md promises is checked by attacks and tests that there are", () => {
  const text = readFileSync("docs/run/security.md", "utf8");
  const attacks = [...text.matchAll(/attack "([^"]+)"/g)].map(([, name]) => name!);
  expect([...attacks].sort()).toEqual([...ATTACK_NAMES].sort());
  const files = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!);
  expect(files.length).toBeGreaterThan(20);
  for (const path of files) expect(existsSync(path), path).toBe(true);
});
