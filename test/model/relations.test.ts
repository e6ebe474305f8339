import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RELATIONS } from "../../src/model/relations.js";
import { ENDPOINTS, endpointNamed } from "../../src/model/tables/endpoints.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import { STRUCTURES } from "../../src/model/tables/structures.js";

const LIST = "../shared/linked-art/api/api-rels-1.md";

describe("RELATIONS", () => {
  it.skipIf(!existsSync(LIST))("are exactly those that Linked Art lists (needs ../shared)", () => {
    const listed = [...readFileSync(LIST, "utf8").matchAll(/^ {2}\* \[(\w+)\]/gm)].map(([, name]) => name!);
    expect(listed.length).toBeGreaterThan(90);
    expect(RELATIONS.map(({ name }) => name).sort()).toEqual(listed.sort());
  });

  it("have unique names", () => {
    expect(new Set(RELATIONS.map(({ name }) => name)).size).toBe(RELATIONS.length);
  });

  it("begin at a property of their records' tables, and continue through structures", () => {
    const fieldsOf = (names: readonly EndpointName[]) =>
      new Set(names.flatMap((each) => endpointNamed(each).fields.map(({ property }) => property as string)));
    const all = fieldsOf(ENDPOINTS.map(({ name }) => name));
    const ofStructures = new Set(
      [...STRUCTURES.values()].flatMap(({ fields }) => fields.map(({ property }) => property as string)),
    );
    for (const { name, sources, paths, setPaths } of RELATIONS) {
      const own = fieldsOf(sources);
      for (const { inverse, steps } of paths) {
        const first = steps.find(({ repeats }) => !repeats);
        if (inverse === undefined) expect(own, `${name}: ${first!.property}`).toContain(first!.property);
        else expect([...all, ...ofStructures], name).toContain(inverse);
        for (const { property } of steps.slice(1)) expect([...own, ...ofStructures], name).toContain(property);
      }
      for (const { steps } of setPaths) expect(fieldsOf(["set"]), name).toContain(steps[0]!.property);
    }
  });

  it("lead to entities of every endpoint", () => {
    const targets = new Set(RELATIONS.flatMap((relation) => relation.targets));
    expect([...targets].sort()).toEqual(ENDPOINTS.map(({ name }) => name).sort());
  });
});
