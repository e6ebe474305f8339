import { describe, expect, it } from "vitest";
import { GROUPS, PART_GROUP } from "../../../src/model/rules/rules.js";
import { STRUCTURES } from "../../../src/model/tables/structures.js";

describe("the groups of structures", () => {
  it("include every structure exactly once", () => {
    const grouped = [...GROUPS, PART_GROUP].flatMap(({ structures }) => structures);
    expect([...grouped].sort()).toEqual([...STRUCTURES.keys()].sort());
  });
});
