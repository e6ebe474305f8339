/** A service that is killed under load once; the campaign `restarts` ends and kills it again and again. */
import { expect, it } from "vitest";
import { randomFrom } from "../random.js";
import { restart } from "./restarts.js";

it("loses nothing that was acknowledged, and leaves nothing that check would find", async () => {
  const { killed, ended, acknowledged, reads, failures } = await restart(1, randomFrom(1), 300);
  expect(failures).toEqual([]);
  expect([killed, ended]).toEqual([1, 0]);
  expect(acknowledged).toBeGreaterThan(0);
  expect(reads).toBeGreaterThan(0);
});
