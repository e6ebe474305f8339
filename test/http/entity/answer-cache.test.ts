/** The cache of ready answers: it gives what was put in, and never exceeds its limit. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerCache, type ReadyAnswer } from "../../../src/http/entity/answer-cache.js";
import { forAll, runsOf } from "../../properties.js";

function answer(body: string): ReadyAnswer {
  const whole = { status: 200, headers: [], body };
  return { sequence: 1, tag: '"x"', modified: 0, whole, unchanged: { status: 304, headers: [], body: "" } };
}

describe("the cache of answers", () => {
  it("gives the answer that was last put there, or none, within its limit of bytes", () => {
    const step = fc.record({
      iri: fc.constantFrom("urn:a", "urn:b", "urn:c", "urn:d", "urn:e"),
      slot: fc.nat(2),
      length: fc.nat(6_000),
    });
    forAll([fc.array(step, { maxLength: 60 })], runsOf(2_000), (steps) => {
      const most = 40_000;
      const cache = new AnswerCache(most);
      const put = new Map<string, ReadyAnswer>();
      for (const { iri, slot, length } of steps) {
        const found = cache.get(iri, slot);
        if (found !== undefined) expect(found).toBe(put.get(`${iri} ${slot}`));
        const next = answer("x".repeat(length));
        cache.set(iri, slot, next);
        put.set(`${iri} ${slot}`, next);
        expect(cache.get(iri, slot)).toBe(next);
        expect(cache.state.bytes).toBeLessThanOrEqual(most);
      }
    });
  });

  it("keeps an answer that is asked for while others come and go", () => {
    const cache = new AnswerCache(100_000);
    const hot = answer("hot");
    cache.set("urn:hot", 0, hot);
    for (let at = 0; at < 1_000; at++) {
      cache.set(`urn:${at}`, 0, answer(""));
      expect(cache.get("urn:hot", 0)).toBe(hot);
    }
    expect(cache.get("urn:0", 0)).toBeUndefined();
  });

  it("keeps no answer that is too large, and nothing at all with a limit of 0 bytes", () => {
    const cache = new AnswerCache(20_000);
    cache.set("urn:a", 0, answer("x".repeat(10_000)));
    expect(cache.get("urn:a", 0)).toBeUndefined();
    expect(new AnswerCache(0).state.bytes).toBe(0);
  });

  it("remembers what was asked for before, by entity and slot", () => {
    const cache = new AnswerCache(1_000);
    expect(cache.wasAsked("urn:a", 0)).toBe(false);
    expect(cache.wasAsked("urn:a", 0)).toBe(true);
    expect(cache.wasAsked("urn:a", 1)).toBe(false);
    expect(cache.wasAsked("urn:b", 0)).toBe(false);
  });
});
