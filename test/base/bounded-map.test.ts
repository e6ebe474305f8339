/** The bounded map: it never exceeds its limit, and keeps entries in use through any flood of others. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundedMap, remembering } from "../../src/base/bounded-map.js";
import { forAll, runsOf } from "../properties.js";

describe("a bounded map", () => {
  it("never exceeds its limit, and holds the values that were set last", () => {
    forAll(
      [
        fc.integer({ min: 2, max: 20 }).map((half) => 2 * half),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 1_000 })), { maxLength: 300 }),
      ],
      runsOf(100),
      (most, entries) => {
        const map = new BoundedMap<number, number>(most);
        for (const [key, value] of entries) map.put(key, value);
        const last = new Map(entries);
        const held = [...last.keys()].filter((key) => {
          const value = map.get(key);
          if (value !== undefined) expect(value).toBe(last.get(key));
          return value !== undefined;
        });
        expect(held.length).toBeLessThanOrEqual(most);
        expect(map.get(entries.at(-1)?.[0] ?? -1)).toBe(entries.at(-1)?.[1]);
      },
    );
  });

  it("keeps entries in use through a flood of others, and accepts new entries when full", () => {
    const map = new BoundedMap<string, number>(100);
    for (let at = 0; at < 20; at++) map.put(`wanted ${at}`, at);
    const kept = Array.from({ length: 10_000 }, (_, junk) => {
      map.put(`junk ${junk}`, junk);
      return map.get(`wanted ${junk % 20}`) === junk % 20;
    });
    expect(kept).not.toContain(false);
    map.put("new", 1);
    expect(map.get("new")).toBe(1);
    expect(map.get("junk 0")).toBeUndefined();
  });
});

describe("a remembering function", () => {
  it("makes each value in use once, including null", () => {
    const made: number[] = [];
    const half = remembering(10, (key: number) => {
      made.push(key);
      return key % 2 === 0 ? key / 2 : null;
    });
    for (let round = 0; round < 3; round++) for (let key = 0; key < 5; key++) half(key);
    expect([half(3), half(4), made]).toEqual([null, 2, [0, 1, 2, 3, 4]]);
  });
});
