/** The preview of a load: the counts and the review of its publication, whatever is staged, held, released or moved. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openEmbeddedForLoading } from "../../../../src/store/embedded/embedded-store.js";
import type { HeldChange, Hold } from "../../../../src/store/store.js";
import type { Keeps, PendingChange, Stage } from "../../../../src/store/writable-store.js";
import { forAllAsync, runsOf } from "../../../properties.js";
import { problemsIn } from "../../checked.js";
import { graphOf, stagedObject } from "../../records.js";

const iri = fc.constantFrom("urn:a", "urn:b", "urn:c", "urn:d");
const record = fc.record({
  label: fc.constantFrom("1", "2"),
  hold: fc.constantFrom<(Hold | undefined)[]>(undefined, undefined, "rule", "name"),
  unordered: fc.boolean(),
  takesOver: fc.option(iri, { nil: undefined, freq: 4 }),
});
type Put = Parameters<Parameters<typeof record.map>[0]>[0];
const step = fc.record({
  iri,
  content: fc.oneof(
    { weight: 4, arbitrary: record },
    { weight: 1, arbitrary: fc.constantFrom("delete", "keep", "release") },
    { weight: 1, arbitrary: fc.record({ movedTo: iri }) },
  ),
});
const load = fc.record({
  steps: fc.array(step, { maxLength: 6 }),
  source: fc.constantFrom(undefined, "A", "B"),
  sync: fc.boolean(),
  keeps: fc.constantFrom<(Keeps | undefined)[]>(undefined, "versions", "deleted"),
});

function put(stage: Stage, iri: string, source: string | undefined, { label, hold, unordered, takesOver }: Put) {
  const taken = takesOver === undefined || source !== undefined ? {} : { takesOver };
  return stage.put({ ...stagedObject(graphOf(iri, { label })), ...(hold && { hold }), ...taken, unordered });
}

/** A review that notes what it is told. */
function noting() {
  const notes: string[] = [];
  const note = (...parts: readonly unknown[]): void => void notes.push(parts.join(" "));
  return {
    notes,
    onChange: ({ iri, kind, source, before, after, deletion }: PendingChange) =>
      note(iri, kind, source, before()?.iri, after()?.iri, deletion()?.sequence),
    onUnchanged: (iri: string, source: string | null) => note(iri, source),
    onHeld: ({ iri, source }: HeldChange) => note("held", iri, source),
    beforeCommit() {},
  };
}

it("has the counts and the review of the publication, and the store stays sound", async () => {
  await forAllAsync([fc.array(load, { maxLength: 6 })], runsOf(1_000, 15), async (loads) => {
    const directory = mkdtempSync(join(tmpdir(), "vitrine-preview-"));
    using _ = { [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
    const store = await openEmbeddedForLoading(directory);
    for (const { steps, source, sync, keeps } of loads) {
      const stage = await store.stage({ source, keeps });
      for (const { iri, content } of steps) {
        if (content === "delete") await stage.delete(iri);
        else if (content === "keep") await stage.keep(iri);
        else if (content === "release") await stage.release!(iri);
        else if (typeof content === "object" && "movedTo" in content) await stage.delete(iri, content.movedTo);
        else await put(stage, iri, source, content as Put);
      }
      if (sync) await stage.deleteRest();
      const [previewed, published] = [noting(), noting()];
      const { sequence: before, ...counts } = await stage.preview(undefined, previewed);
      expect(await stage.publish(undefined, published)).toMatchObject(counts);
      expect(published.notes.sort()).toEqual(previewed.notes.sort());
      using snapshot = store.snapshots.take();
      // No replaced version is missing.
      expect(snapshot.changesAfter(before, 99)).toBeDefined();
    }
    await store.close();
    expect(await problemsIn(directory)).toEqual([]);
  });
});
