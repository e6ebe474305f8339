import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ATTACK_NAMES, attack, SHORT } from "./attack.js";

it("a built service holds against every attack, and an innocent client is answered beside each", async () => {
  let seed = 22;
  const random = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed / 0x80000000;
  };
  for (const { name, failures, answers } of await attack(SHORT, random)) {
    expect(failures, name).toEqual([]);
    expect(answers, name).toBeGreaterThan(0);
  }
}, 300_000);

it("what docs/security.md promises is checked by attacks and tests that there are", () => {
  const text = readFileSync("docs/security.md", "utf8");
  const attacks = [...text.matchAll(/attack "([^"]+)"/g)].map(([, name]) => name!);
  expect([...attacks].sort()).toEqual([...ATTACK_NAMES].sort());
  const files = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!);
  expect(files.length).toBeGreaterThan(20);
  for (const path of files) expect(existsSync(path), path).toBe(true);
});
