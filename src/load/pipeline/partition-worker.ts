/** A worker thread that makes records of partitions: grouped, examined, and encoded for the store. */
import { parentPort, workerData } from "node:worker_threads";
import { tripleCount } from "../../rdf/record-graph.js";
import { StoreError } from "../../store/errors.js";
import { recordEncoder } from "../../store/open.js";
import { InputError } from "../errors.js";
import { recordsOf } from "../group/grouped-records.js";
import { takeFile } from "../group/partitions.js";
import { type Examined, examineBatch, makeExaminer, toStage } from "./examine.js";
import type { PartitionAnswer, PartitionTask, PartitionWorkerData } from "./partition-pool.js";

const { examining, maxRecordBytes, ...settings } = workerData as PartitionWorkerData;
const examiner = makeExaminer(examining);
const encoder = recordEncoder();

parentPort!.on("message", async (task: PartitionTask) => {
  try {
    await workOn(task);
    answer({ kind: "done" });
  } catch (error) {
    const { name, message, stack } = error as Error;
    const of = error instanceof InputError ? "input" : error instanceof StoreError ? "store" : "program";
    answer({ kind: "failed", of, name, message: of === "program" ? (stack ?? message) : message });
  }
});

async function workOn({ path, inputs }: PartitionTask): Promise<void> {
  for (const batch of recordsOf([await takeFile(path)], inputs, maxRecordBytes)) {
    const examined = await examineBatch(batch, examiner);
    let clean = 0;
    const staged: Examined[] = [];
    const refused: Examined[] = [];
    for (const record of examined) {
      const isStaged = encode(record);
      if (record.results.length === 0) clean++;
      else (isStaged ? staged : refused).push({ ...record, graph: undefined });
    }
    const encoded = encoder.take();
    const triples = batch.reduce((sum, { graph }) => sum + tripleCount(graph), 0);
    answer({ kind: "batch", encoded, triples, clean, staged, refused }, [encoded.bytes.buffer as ArrayBuffer]);
  }
}

/** Encode a record; `false` when it is refused. */
function encode(record: Examined): boolean {
  const staged = toStage(record, settings);
  if (staged === undefined) return false;
  encoder.add(staged);
  return true;
}

function answer(content: PartitionAnswer, transferred: readonly ArrayBuffer[] = []): void {
  parentPort!.postMessage(content, transferred);
}
