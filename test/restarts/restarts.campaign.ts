/** Ends and kills a service 100 times while it is read from and loaded into. */
import { expect, it } from "vitest";
import { timesOf } from "../extent.js";
import { randomFrom, seedOf } from "../random.js";
import { restart } from "./restarts.js";

it("loses nothing that was acknowledged, and leaves nothing that check would find", async () => {
  const times = timesOf(100, 6);
  const outcome = await restart(times, randomFrom(seedOf("restarts")));
  const { killed, ended, duringLoads, acknowledged, unknown, reads, failures } = outcome;
  console.log(`restarts: ${ended} ended and ${killed} killed, ${duringLoads} of them during a load`);
  console.log(
    `restarts: ${acknowledged} loads and single records acknowledged, ${unknown} attempts without an answer; ${reads} records read`,
  );
  expect(failures).toEqual([]);
  expect([killed, ended]).toEqual([Math.ceil(times / 2), Math.floor(times / 2)]);
  expect(acknowledged).toBeGreaterThan(0);
  expect(reads).toBeGreaterThan(0);
});
