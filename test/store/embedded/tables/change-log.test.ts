/** The change log of the embedded store: what a page of a record's changes costs. */
import { expect, it, onTestFinished, vi } from "vitest";
import { openEmbeddedForLoading } from "../../../../src/store/embedded/embedded-store.js";
import { temporaryFolder } from "../../../temporary-folder.js";
import { graphOf, publish } from "../../records.js";

it("reads of a record's changes those of a page and the newer ones", async () => {
  await using store = await openEmbeddedForLoading(temporaryFolder(onTestFinished));
  const iri = "urn:often";
  for (let nth = 1; nth <= 40; nth++) await publish(store, [graphOf(iri, { label: String(nth) })]);
  const read = vi.spyOn(store.database.changes, "get");
  const cases = [
    [{ before: Number.POSITIVE_INFINITY }, [40, 39, 38]],
    [{ before: 36 }, [35, 34, 33]],
    [{ before: 3 }, [2, 1]],
    [{ after: 37 }, [38, 39, 40]],
    [{ after: 30 }, [31, 32, 33]],
    [{ offset: 1 }, [2, 3, 4]],
    [{}, [1, 2, 3]],
  ] as const;
  const costs: number[] = [];
  for (const [place, expected] of cases) {
    read.mockClear();
    const page = await store.changes.page({ iri, ...place, limit: 3 });
    expect(page.map(({ sequence }) => sequence)).toEqual(expected);
    costs.push(read.mock.calls.length);
  }
  // Each change of the page is read twice: for its predecessor, and for itself.
  expect(costs).toEqual([6, 11, 42, 6, 13, 43, 43]);
  expect(await store.changes.count({ iri })).toBe(40);
});
