import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RELATIONS } from "../../src/model/relations.js";
import { ENDPOINTS, endpointNamed } from "../../src/model/tables/endpoints.js";
import { STRUCTURES } from "../../src/model/tables/structures.js";

const LIST = "../shared/linked-art/api/api-rels-1.md";

describe("RELATIONS", () => {
  it.skipIf(!existsSync(LIST))("are those that Linked Art lists, no more and no less (needs ../shared)", () => {
    const listed = [...readFileSync(LIST, "utf8").matchAll(/^ {2}\* \[(\w+)\]/gm)].map(([, name]) => name!);
    expect(listed.length).toBeGreaterThan(90);
    expect(RELATIONS.map(({ name }) => name).sort()).toEqual(listed.sort());
  });

  it("are named once", () => {
    expect(new Set(RELATIONS.map(({ name }) => name)).size).toBe(RELATIONS.length);
  });

  it("begin at a property of the tables of each kind of record, or of one of them, and go on through structures", () => {
    const ofStructures = new Set(
      [...STRUCTURES.values()].flatMap(({ fields }) => fields.map(({ property }) => property as string)),
    );
    for (const { name, sources, paths } of RELATIONS) {
      const own = new Set(
        sources.flatMap((each) => endpointNamed(each).fields.map(({ property }) => property as string)),
      );
      for (const { steps } of paths) {
        const first = steps.find(({ repeats }) => !repeats)!;
        expect(own, `${name}: ${first.property}`).toContain(first.property);
        for (const { property } of steps.slice(1)) expect([...own, ...ofStructures], name).toContain(property);
      }
    }
  });

  it("lead to entities of every endpoint", () => {
    const targets = new Set(RELATIONS.flatMap((relation) => relation.targets));
    expect([...targets].sort()).toEqual(ENDPOINTS.map(({ name }) => name).sort());
  });
});
