/** Attacks a built service for some minutes and says what came of it, row by row. */
import { expect, it } from "vitest";
import { IS_SHORT, timesOf } from "../extent.js";
import { randomFrom, seedOf } from "../random.js";
import { attack } from "./attack.js";
import { LONG, SHORT } from "./attacks.js";

it("holds against every attack, and answers an innocent client beside each", async () => {
  const scale = { ...(IS_SHORT ? SHORT : LONG), headerSets: timesOf(LONG.headerSets, SHORT.headerSets) };
  const outcomes = await attack(scale, randomFrom(seedOf("attack")));
  const rows = outcomes.map(({ name, sent, failures, answers, p99, memory }) => {
    const held = failures.length === 0 ? "held  " : "FAILED";
    return `${held} ${name}: ${sent} sent; innocent: ${answers} answers, p99 ${p99.toFixed(1)} ms; ${memory} MiB`;
  });
  console.log(rows.join("\n"));
  for (const { name, failures, answers } of outcomes) {
    expect(failures, name).toEqual([]);
    expect(answers, name).toBeGreaterThan(0);
  }
});
