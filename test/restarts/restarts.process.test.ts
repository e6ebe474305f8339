/** A service that is ended and killed under load: the short form of `npm run restarts`. */
import { expect, it } from "vitest";
import { restart } from "./restarts.js";

it("loses nothing that was acknowledged, and leaves nothing that check would find", async () => {
  const { killed, ended, acknowledged, reads, failures } = await restart(2, { checks: 3 });
  expect(failures).toEqual([]);
  expect([killed, ended]).toEqual([1, 1]);
  expect(acknowledged).toBeGreaterThan(0);
  expect(reads).toBeGreaterThan(0);
});
