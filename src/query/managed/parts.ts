/** The parts that an engine is filled with: N-Triples of all records, a file at a time, written by a thread while the engine takes in the one before. */
import { compiled } from "../../base/compiled.js";
import { WorkerClient } from "../../base/worker-client.js";
import { StoreError } from "../../store/errors.js";

/** The folder of the parts, in that of the engine's files. */
export const PARTS = "parts";

export interface PartsData {
  /** Of the store. */
  readonly directory: string;
  /** Where the parts are written. */
  readonly folder: string;
}

interface StorePart {
  readonly name: string;
  readonly triples: number;
}

export type PartTasks = {
  /** The state of the store that is written: its last change, what tells it from others (`changeMark`), and how many triples its records have. */
  begin(question: undefined): { readonly sequence: number; readonly mark: string; readonly total: number };
  /** The next part; `undefined` after the last. */
  next(question: undefined): StorePart | undefined;
  /** IRIs of records that could not be read. */
  leftOut(question: undefined): readonly string[];
};

/** A thread that writes the files of the bulk loader. It has to be closed. */
export function partsThread(data: PartsData): WorkerClient<PartTasks> {
  const module = compiled(import.meta.url, "./parts-thread.js");
  return new WorkerClient({
    name: "a thread that reads the records for the engine",
    module,
    data,
    errors: [StoreError],
  });
}
