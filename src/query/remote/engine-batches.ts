/** Batches for an engine: the next changes of the log, or the next records of a first filling. */
import { remembering } from "../../base/bounded-map.js";
import { NamedError } from "../../base/named-error.js";
import { graphWith, type RecordGraph } from "../../rdf/record-graph.js";
import { changeMark } from "../../store/changes.js";
import type { RecordDamagedError } from "../../store/errors.js";
import type { RecordVersions, Snapshot } from "../../store/snapshots.js";
import { allReferring, type StoreWith } from "../../store/store.js";
import { agreedTriple, type EngineTriple, engineTriples, heldOfRecords, isOwn } from "./engine-lines.js";
import type { EngineBatch, EnginePosition, EngineWriter } from "./engine-writer.js";

export type FollowedStore = StoreWith<"changes" | "references" | "snapshots">;

/** A step of an engine: what to change, and where it stands then. */
interface EngineStep {
  readonly batch: EngineBatch;
  readonly to: EnginePosition;
  readonly triples: number;
  /** The turn in which it was read what the engine holds. */
  readonly turn?: string | undefined;
}

/** Nobody knows how far a filling got: the engine has to be compared with the store. */
export class FillingLostError extends NamedError {}

/** Changes that are followed at once, and about how many triples are sent at once. */
const CHANGES = 500;
const FILL_TRIPLES = 40_000;

const READ_RECORDS = 500;

/**
 * The step after a position; `undefined` when the engine reflects the store. In the merged graph a triple goes when nobody states it any more: of
 * what each change replaced, all is taken out that no record states now, and all that the records state now is put in again. What the
 * store does not remember is read from the engine. So a step that is done twice, or again from an older position, gives the same.
 * @throws RecordDamagedError
 */
export async function nextStep(
  store: FollowedStore,
  writer: EngineWriter,
  position: EnginePosition,
  signal?: AbortSignal,
): Promise<EngineStep | undefined> {
  using snapshot = store.snapshots.take();
  const { through, changed } = snapshot.nextChanges(position.sequence, CHANGES);
  if (through === position.sequence) return undefined;
  const to = { sequence: through, mark: (await changeMark(store, through)) ?? "", graphs: position.graphs };
  if (position.graphs === "records") {
    const records = new Map(changed.map(({ iri, after }) => [iri, linesOf(after)]));
    const triples = [...records.values()].reduce((sum, lines) => sum + lines.length, 0);
    return { batch: { graphs: "records", records }, to, triples };
  }
  const forgotten = changed.flatMap(({ iri, before }) => (before === undefined ? [iri] : []));
  const turn = forgotten.length === 0 ? undefined : await writer.takeTurn(signal);
  const held = await heldOfRecords(writer.access, forgotten, signal);
  const batch = await mergedBatch(store, snapshot, changed, held);
  return { batch, to, triples: batch.add.length, turn };
}

function linesOf(graph: RecordGraph | undefined): readonly string[] {
  return graph === undefined ? [] : [...engineTriples(graph).keys()];
}

/** @param held what the engine holds of records that the store does not remember */
async function mergedBatch(
  store: FollowedStore,
  snapshot: Snapshot,
  changed: readonly RecordVersions[],
  held: readonly EngineTriple[],
): Promise<Extract<EngineBatch, { graphs: "merged" }>> {
  const add = new Map<string, EngineTriple>();
  const gone = new Map(held.map((triple) => [triple.line, triple]));
  for (const { iri, before = [], after } of changed) {
    for (const graph of before)
      for (const [line, triple] of engineTriples(graphWith(graph, { iri }))) gone.set(line, triple);
    if (after !== undefined) for (const [line, triple] of engineTriples(after)) add.set(line, triple);
  }
  const stated = new Set([...add.values()].map(agreedTriple));
  const isStatedAnywhere = statementsOf(store, snapshot);
  const remove: string[] = [];
  for (const triple of gone.values()) {
    const isStated = stated.has(agreedTriple(triple)) || (!isOwn(triple) && (await isStatedAnywhere(triple)));
    if (!isStated) remove.push(triple.line);
  }
  return { graphs: "merged", remove, add: [...add.keys()] };
}

/** The test whether any record states a triple: the subject's own, one that describes it, or one that refers to it. */
function statementsOf(store: FollowedStore, snapshot: Snapshot): (triple: EngineTriple) => Promise<boolean> {
  const statedBy = remembering(READ_RECORDS, (iri: string) => {
    const graph = snapshot.record(iri)?.graph;
    return new Set(graph && [...engineTriples(graph).values()].map(agreedTriple));
  });
  return async (triple) => {
    const { subject } = triple;
    const agreed = agreedTriple(triple);
    if (statedBy(subject.value).has(agreed)) return true;
    for (const iri of await store.describedIn(subject.value, Number.MAX_SAFE_INTEGER)) {
      if (statedBy(iri).has(agreed)) return true;
    }
    for await (const iri of allReferring(store.references, subject.value)) if (statedBy(iri).has(agreed)) return true;
    return false;
  };
}

/** The records of a store in steps, after the one that the engine was filled to; the last step ends the filling. */
export async function* fillSteps(
  store: FollowedStore,
  first: EnginePosition,
  onDamaged: (error: RecordDamagedError) => void,
): AsyncGenerator<EngineStep> {
  const { filledTo = "", ...position } = first;
  using snapshot = store.snapshots.take();
  let isBehind = filledTo !== "";
  let records = new Map<string, readonly string[]>();
  let triples = 0;
  for (const { graph } of snapshot.records(onDamaged)) {
    // The store's own order is that of its keys: it is where the last one stood that counts.
    if (isBehind) {
      isBehind = graph.iri !== filledTo;
      continue;
    }
    const lines = linesOf(graph);
    records.set(graph.iri, lines);
    triples += lines.length;
    if (triples < FILL_TRIPLES) continue;
    yield { batch: filling(position.graphs, records), to: { ...position, filledTo: graph.iri }, triples };
    records = new Map();
    triples = 0;
  }
  // The record that it was filled to is gone: nobody knows where that was.
  if (isBehind) {
    throw new FillingLostError(
      "the record that the engine was filled to is gone: the engine is compared with the store",
    );
  }
  yield { batch: filling(position.graphs, records), to: position, triples };
}

function filling(graphs: EnginePosition["graphs"], records: ReadonlyMap<string, readonly string[]>): EngineBatch {
  if (graphs === "records") return { graphs, records };
  return { graphs, remove: [], add: [...new Set([...records.values()].flat())] };
}
