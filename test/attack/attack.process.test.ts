/** Every attack in its smallest form; the campaign `attack` makes them as large as they come. */
import { expect, it } from "vitest";
import { randomFrom } from "../random.js";
import { attack } from "./attack.js";
import { SMALLEST } from "./attacks.js";

it("a built service holds against every attack, and an innocent client is answered beside each", async () => {
  for (const { name, failures, answers } of await attack(SMALLEST, randomFrom(1))) {
    expect(failures, name).toEqual([]);
    expect(answers, name).toBeGreaterThan(0);
  }
});
