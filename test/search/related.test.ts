import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openSearchedForLoading } from "../../src/search/open.js";
import { BASE, publish } from "../http/service.js";
import { CONTEXT_URI, graphOf, type JsonObject } from "../jsonld/documents.js";
import { problemsIn } from "../store/checked.js";
import { temporaryFolder } from "../temporary-folder.js";

let directory: string;
let store: Awaited<ReturnType<typeof openSearchedForLoading>>;
beforeEach(async () => {
  directory = temporaryFolder(onTestFinished);
  store = await openSearchedForLoading({ directory });
});
afterEach(async () => {
  expect(await problemsIn(directory)).toEqual([]);
  await store.close();
});

const id = (path: string): string => `${BASE}/${path}`;
const reference = (path: string, type: string): JsonObject => ({ id: id(path), type });
const [PLACE, PERSON, OBJECT] = [
  reference("place/1", "Place"),
  reference("person/1", "Person"),
  reference("object/1", "HumanMadeObject"),
];

async function load(...records: readonly (JsonObject & { id: string })[]): Promise<void> {
  const graphs = records.map((record) => graphOf({ "@context": CONTEXT_URI, ...record, id: id(record.id) }));
  await publish(store, await Promise.all(graphs));
}

async function related(relation: string, path: string): Promise<string[]> {
  const { items, next, total } = await store.search.find({ related: { relation, iri: id(path) } }, { limit: 100 });
  expect([next, total]).toEqual([undefined, items.length]);
  return items.map(({ iri }) => iri.slice(BASE.length + 1));
}

describe("a relation leads", () => {
  it("to the class that the reference states, if its target has no record here", async () => {
    await load(
      { id: "text/1", type: "LinguisticObject", about: [PERSON, { id: id("thing/1") }] },
      { id: "person/2", type: "Person", member_of: [reference("group/guild", "Group")] },
    );
    expect(await related("workAboutObject", "person/1")).toEqual([]);
    expect(await related("workAboutAgent", "person/1")).toEqual(["text/1"]);
    expect(await related("entityMemberOfSet", "group/guild")).toEqual([]);
    expect(await related("agentMemberOfGroup", "group/guild")).toEqual(["person/2"]);
    // A reference without a class may be to anything.
    expect(await related("workAboutObject", "thing/1")).toEqual(["text/1"]);
    expect(await related("workAboutPlace", "thing/1")).toEqual(["text/1"]);
  });

  it("nowhere from a record to whose kind it does not apply, whatever the reference states", async () => {
    await load({ id: "text/1", type: "LinguisticObject", about: [reference("person/1", "Place")] });
    expect(await related("workAboutPlace", "person/1")).toEqual(["text/1"]);
    await load({ id: "person/1", type: "Person" });
    expect(await related("workAboutPlace", "person/1")).toEqual([]);
  });

  it("from a place to those who did something there, whichever record states it", async () => {
    const production = { type: "Production", took_place_at: [PLACE], carried_out_by: [PERSON] };
    const people = [
      { id: "person/1", type: "Person", _label: "B" },
      { id: "person/2", type: "Person", _label: "A", carried_out: [{ type: "Activity", took_place_at: [PLACE] }] },
    ];
    await load(...people, { id: "object/1", type: "HumanMadeObject", produced_by: production });
    await load(
      { id: "object/2", type: "HumanMadeObject", produced_by: { type: "Production", part: [production] } },
      { id: "event/1", type: "Activity", took_place_at: [PLACE], carried_out_by: [reference("group/1", "Group")] },
    );
    expect(await related("agentActiveAtPlace", "place/1")).toEqual(["person/2", "person/1"]);
    await load({ id: "group/1", type: "Group", _label: "AB" });
    expect(await related("agentActiveAtPlace", "place/1")).toEqual(["person/2", "group/1", "person/1"]);
    expect(await related("personActiveAtPlace", "place/1")).toEqual(["person/2", "person/1"]);
    expect(await related("groupActiveAtPlace", "place/1")).toEqual(["group/1"]);
    // Two records state it, so deleting one changes nothing.
    await publish(store, [], [id("object/1")]);
    expect(await related("personActiveAtPlace", "place/1")).toEqual(["person/2", "person/1"]);
    await publish(store, [], [id("object/2")]);
    expect(await related("personActiveAtPlace", "place/1")).toEqual(["person/2"]);
    await publish(store, [], [id("group/1")]);
    expect(await related("groupActiveAtPlace", "place/1")).toEqual([]);
  });

  it("to what was encountered, through the parts of provenance", async () => {
    const found = { type: "Encounter", encountered: [OBJECT], carried_out_by: [PERSON], took_place_at: [PLACE] };
    await load(
      { id: "object/1", type: "HumanMadeObject" },
      { id: "provenance/1", type: "Activity", part: [found as JsonObject] },
    );
    expect(await related("objectEncounteredByAgent", "person/1")).toEqual(["object/1"]);
    expect(await related("objectEncounteredAtPlace", "place/1")).toEqual(["object/1"]);
  });

  it("to the works that an entity's own record names", async () => {
    await load(
      { id: "text/1", type: "LinguisticObject", _label: "A" },
      { id: "visual/1", type: "VisualItem", _label: "B" },
      {
        id: "object/1",
        type: "HumanMadeObject",
        subject_of: [reference("text/1", "LinguisticObject")],
        representation: [reference("visual/1", "VisualItem")],
      },
    );
    expect(await related("workAboutObject", "object/1")).toEqual(["text/1"]);
    expect(await related("workRepresentsObject", "object/1")).toEqual(["visual/1"]);
    expect(await related("workAboutOrRepresentsObject", "object/1")).toEqual(["text/1", "visual/1"]);
    expect(await related("workAboutAgent", "object/1")).toEqual([]);
  });

  it("from the custodian of an object or the user of a Set that it is a member of, but not from its permanent custodian", async () => {
    const museum = reference("group/museum", "Group");
    const set = { member_of: [reference("set/1", "Set")] };
    await load(
      { id: "object/1", type: "HumanMadeObject", _label: "A", current_custodian: [museum], ...set },
      { id: "object/2", type: "HumanMadeObject", _label: "B", ...set },
      { id: "object/3", type: "HumanMadeObject", _label: "C", current_permanent_custodian: [museum] },
      { id: "set/1", type: "Set", used_for: [{ type: "Activity", carried_out_by: [museum] }] },
    );
    expect(await related("objectCuratedByAgent", "group/museum")).toEqual(["object/1", "object/2"]);
  });

  it("to all records that others state, in pages in both directions", async () => {
    const people = Array.from({ length: 30 }, (_, at) => `person/${at}`);
    const activity = { took_place_at: [PLACE], carried_out_by: people.map((each) => reference(each, "Person")) };
    await load(
      ...people.map((each, at) => ({ id: each, type: "Person", _label: String.fromCharCode(97 + ((at * 7) % 26)) })),
      { id: "event/1", type: "Activity", ...activity },
    );
    const whole = await related("agentActiveAtPlace", "place/1");
    expect([...whole].sort()).toEqual([...people].sort());
    for (const direction of ["after", "before"] as const) {
      const walked: string[] = [];
      for (let cursor: string | undefined = ""; cursor !== undefined; ) {
        const asked = { related: { relation: "agentActiveAtPlace", iri: id("place/1") } };
        const window = await store.search.find(asked, { [direction]: cursor, limit: 7 });
        const iris = window.items.map(({ iri }) => iri);
        if (direction === "after") walked.push(...iris);
        else walked.unshift(...iris);
        cursor = direction === "after" ? window.next : window.previous;
      }
      expect(walked).toEqual(whole.map(id));
    }
  });

  it("from an activity of many agents at many places in time that grows linearly with the record", async () => {
    const many = (kind: string, type: string) =>
      Array.from({ length: 500 }, (_, at) => reference(`${kind}/${at}`, type));
    await load(
      { id: "person/7", type: "Person" },
      {
        id: "event/1",
        type: "Activity",
        took_place_at: many("place", "Place"),
        carried_out_by: many("person", "Person"),
      },
    );
    expect(await related("agentActiveAtPlace", "place/7")).toEqual(["person/7"]);
    expect(await related("agentActiveAtPlace", "place/8")).toEqual([]);
  });
});
