/** The thread that writes what an engine is filled with, part by part: it opens the store for itself, so that requests go on meanwhile. */
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { answerTasks } from "../../base/worker-client.js";
import { tripleCount } from "../../rdf/record-graph.js";
import { changeMark } from "../../store/changes.js";
import { openStore } from "../../store/open.js";
import type { NumberedRecord } from "../../store/snapshots.js";
import { engineTriples } from "../remote/engine-lines.js";

/** Triples of a part, about. */
const PART_TRIPLES = 500_000;
/** Lines that are written at once: of those, none is repeated, as many records do. The engine holds each once anyway. */
const LINES = 50_000;

/** Where the store is, and where the parts are written. */
export interface PartsData {
  readonly directory: string;
  readonly folder: string;
}

export type PartTasks = {
  /** The state of the store that is written: its last change, what tells it from others (`changeMark`), and how many triples its records have. */
  begin(question: undefined): { readonly sequence: number; readonly mark: string; readonly total: number };
  /** The next part; `undefined` after the last. */
  next(question: undefined): { readonly name: string; readonly triples: number } | undefined;
  /** IRIs of records that could not be read. */
  leftOut(question: undefined): readonly string[];
};

answerTasks<PartTasks, PartsData>(async ({ directory, folder }) => {
  const store = await openStore({ directory });
  const snapshot = store.snapshots.take();
  const { sequence, triples: total } = snapshot;
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

/** Write the next records into a file. @returns how many triples they have */
function writePart(records: Iterator<NumberedRecord>, file: string): number {
  const descriptor = openSync(file, "w");
  const lines = new Set<string>();
  const flush = (): void => {
    writeSync(descriptor, [...lines].map((line) => `${line}\n`).join(""));
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
  closeSync(descriptor);
  return triples;
}
