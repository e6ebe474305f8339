/** The thread that writes the files from which an engine is filled. It opens the store itself, so that requests are answered meanwhile. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { answerTasks } from "../../base/worker-client.js";
import { tripleCount } from "../../rdf/record-graph.js";
import { changeMark } from "../../store/changes.js";
import { openStore } from "../../store/open.js";
import type { NumberedRecord } from "../../store/snapshots.js";
import { engineTriples } from "../remote/engine-lines.js";

const PART_TRIPLES = 500_000;
/** Lines that are written at once, each only once; many records repeat the same lines, and the engine keeps each once anyway. */
const LINES = 50_000;

/** The store's directory, and the folder for the parts. */
export interface PartsData {
  readonly directory: string;
  readonly folder: string;
}

export type PartTasks = {
  /** The state of the store that is written: its last change with the change's mark (`changeMark`), and the number of triples. */
  begin(question: undefined): { readonly sequence: number; readonly mark: string; readonly total: number };
  /** Write the next part. `undefined` after the last. */
  next(question: undefined): { readonly name: string; readonly triples: number } | undefined;
  /** IRIs of records that could not be read. */
  leftOut(question: undefined): readonly string[];
};

answerTasks<PartTasks, PartsData>(async ({ directory, folder }) => {
  const store = await openStore({ directory });
  const snapshot = store.snapshots.take();
  const { sequence, triples: total } = snapshot.stats;
  const mark = (await changeMark(store, sequence)) ?? "";
  const leftOut: string[] = [];
  const records = snapshot.records(({ iri }) => leftOut.push(iri))[Symbol.iterator]();
  let number = 0;
  return {
    begin: () => ({ sequence, mark, total }),
    next() {
      const name = `${number++}.nt`;
      const triples = writePart(records, join(folder, name));
      return triples === 0 ? undefined : { name, triples };
    },
    leftOut: () => leftOut,
    async close() {
      snapshot.close();
      await store.close();
    },
  };
});

/** Write the next records into a file. @returns the number of their triples */
function writePart(records: Iterator<NumberedRecord>, file: string): number {
  const lines = new Set<string>();
  const flush = (): void => {
    appendFileSync(file, [...lines].map((line) => `${line}\n`).join(""));
    lines.clear();
  };
  let triples = 0;
  while (triples < PART_TRIPLES) {
    const { value, done } = records.next();
    if (done === true) break;
    for (const line of engineTriples(value.graph).keys()) lines.add(line);
    triples += tripleCount(value.graph);
    if (lines.size > LINES) flush();
  }
  flush();
  return triples;
}
