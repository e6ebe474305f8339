/** The rebuilding of a search index that somebody ends. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSearchedForLoading, rebuildSearch, searchProblems } from "../../src/search/open.js";
import { BASE, publish } from "../http/service.js";
import { CONTEXT_URI, graphOf } from "../jsonld/documents.js";

it("a search index stays as it was where its rebuilding is interrupted", async () => {
  const directory = mkdtempSync(join(tmpdir(), "vitrine-rebuilt-"));
  const store = await openSearchedForLoading({ directory });
  try {
    const ids = Array.from({ length: 600 }, (_, at) => `${BASE}/place/${at}`);
    const documents = ids.map((id, at) => ({ "@context": CONTEXT_URI, id, type: "Place", _label: `Number ${at}` }));
    await publish(store, await Promise.all(documents.map((document) => graphOf(document))));
    await expect(rebuildSearch({ directory }, AbortSignal.abort())).rejects.toThrow(/abort/i);
    const { items } = await store.search.find({ text: "number 599" }, { limit: 9 });
    expect(items.map(({ iri }) => iri)).toEqual([`${BASE}/place/599`]);
    expect(await searchProblems({ directory })).toEqual([]);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
});
