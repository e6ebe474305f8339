/** Requests a minute: what a client may send, how long it waits, and that no crowd of clients fills the memory. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RateLimit } from "../../src/http/rate-limit.js";

describe("the rate limit", () => {
  it("lets a minute's worth through at once, then as many as the time brings", () => {
    let now = 0;
    const limit = new RateLimit(6, () => now);
    const send = () => limit.secondsToWait("a");
    expect(Array.from({ length: 6 }, send)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(send()).toBe(10);
    now += 4_000;
    expect(send()).toBe(6);
    now += 6_000;
    expect(send()).toBe(0);
    expect(send()).toBe(10);
    expect(limit.secondsToWait("b")).toBe(0);
  });

  it("never lets more through in any time than that, whatever the requests' times", () => {
    const times = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), times, (perMinute, pauses) => {
        let now = 0;
        const limit = new RateLimit(perMinute, () => now);
        let sent = 0;
        for (const pause of pauses) {
          now += pause;
          if (limit.secondsToWait("a") === 0) sent++;
          expect(sent).toBeLessThanOrEqual(perMinute + (now * perMinute) / 60_000 + 1e-6);
        }
      }),
    );
  });

  it("is kept by whoever waits as long as told", () => {
    let now = 0;
    const limit = new RateLimit(7, () => now);
    for (let request = 0; request < 50; request++) {
      const seconds = limit.secondsToWait("a");
      now += seconds * 1_000;
      if (seconds > 0) expect(limit.secondsToWait("a")).toBe(0);
    }
  });

  it("remembers no more clients than it has room for, and none for long", () => {
    let now = 0;
    const limit = new RateLimit(1, () => now, 100);
    for (let client = 0; client < 10_000; client++) limit.secondsToWait(`client ${client}`);
    expect(limit.clients).toBeLessThanOrEqual(200);
    now += 61_000;
    limit.secondsToWait("a");
    now += 61_000;
    limit.secondsToWait("a");
    expect(limit.clients).toBe(1);
  });
});
