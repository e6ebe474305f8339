/** The making of records, which only malformed text ends: whatever a document contains, the others become records. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/load/limits.js";
import { Work } from "../../../src/load/pipeline/work.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { SyntaxProblem } from "../../../src/rdf/syntax-problem.js";
import { forAllAsync, runsOf } from "../../properties.js";

const good = {
  "@context": DEFAULT_MODEL.contextUri,
  id: "http://museum.example/object/1",
  type: "HumanMadeObject",
  _label: "Jar",
  identified_by: [{ type: "Name", content: "Jar", language: [{ id: "http://a.example/en", type: "Language" }] }],
  produced_by: { type: "Production", timespan: { type: "TimeSpan", begin_of_the_begin: "1889-01-01T00:00:00Z" } },
  dimension: [{ type: "Dimension", value: 1.5, unit: { id: "http://a.example/cm", type: "MeasurementUnit" } }],
};

/** Odd values that somebody might write. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, "", "\ud800", "@id", "_:b", "#", "a:b", "http://", "\0", -0, 1e300, 5e-324, [], {}, [
    [],
  ]),
  fc.constantFrom<unknown>(
    { "@value": "x", "@type": "@json" },
    { "@value": {}, "@language": 1 },
    { "@list": [{ "@list": [] }] },
    { "@set": [null] },
    { "@reverse": { about: { id: "x" } } },
    { "@graph": [] },
    { "@included": [1] },
    { "@context": null },
    { "@id": "_:x", "@type": [1] },
  ),
  fc.jsonValue(),
);
const contexts = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    "x",
    "https://no.example/",
    null,
    {},
    [],
    [null],
    [[]],
    { "@vocab": "" },
    { "@base": 1 },
  ),
  fc.constantFrom<unknown>({ "@version": 1.0 }, { "@import": "x" }, { id: "@type" }, { type: "@id", id: null }),
  fc.constantFrom<unknown>({ _label: { "@container": "@graph" } }, { p: { "@reverse": "q" } }, { "@propagate": 1 }),
  fc.jsonValue(),
);

/** A document with another value at one place, or another key. */
const mutated = fc
  .tuple(fc.nat(), odd, contexts, fc.constantFrom("value", "key", "context", "extension"), fc.string())
  .map(([place, value, context, what, key]): unknown => {
    if (what === "context") return { ...good, "@context": context };
    if (what === "extension") return { ...good, "@context": [context, good["@context"]], [key]: value };
    const copy = structuredClone(good) as unknown as Record<string, unknown>;
    const nodes: Record<string, unknown>[] = [];
    const visit = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      nodes.push(node as Record<string, unknown>);
      for (const each of Object.values(node)) visit(each);
    };
    visit(copy);
    const node = nodes[place % nodes.length]!;
    const keys = Object.keys(node);
    node[what === "key" && !Array.isArray(node) ? key : keys[(place >> 4) % keys.length]!] = value;
    return copy;
  });

it("only malformed text ends the work, and every other document is a record or refused", async () => {
  const work = await Work.make({
    examining: { model: DEFAULT_MODEL, contexts: [], decisions: [], shapes: [] },
    staging: { onInvalid: "accept", ordered: false },
    namesAll: true,
    limits: DEFAULT_LIMITS,
  });
  await forAllAsync([fc.array(mutated, { minLength: 1, maxLength: 4 })], runsOf(2_000), async (documents) => {
    const lines = [...documents, good].map((document) => JSON.stringify(document) ?? "null");
    const bytes = new TextEncoder().encode(lines.join("\n"));
    let start = 0;
    const places = lines.flatMap((line, at) => {
      const from = start;
      start += Buffer.byteLength(line) + 1;
      return [from, start - 1, at + 1, 1];
    });
    const sources: string[] = [];
    for await (const { found } of work.batches({ kind: "json", source: "x", bytes, places, context: undefined })) {
      for (const { source, isRefused } of found) if (!isRefused || source !== `x:${lines.length}`) sources.push(source);
    }
    // A line may hold several documents or none, but each is reported, and the good one is a record.
    expect(sources).toContain(`x:${lines.length}`);
  });
  const bytes = new TextEncoder().encode("{");
  const broken = work.batches({ kind: "json", source: "x", bytes, places: [0, 1, 1, 1], context: undefined });
  await expect(
    (async () => {
      for await (const _ of broken);
    })(),
  ).rejects.toThrow(SyntaxProblem);
});
