/** Batches of changes to an engine: from the next changes of the log, or from the next records while it is filled. */
import { setImmediate as nextTurn } from "node:timers/promises";
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

/** A step of an engine: what to change, and its position afterwards. */
interface EngineStep {
  readonly batch: EngineBatch;
  readonly to: EnginePosition;
}

/** The position of an interrupted filling is lost: the engine must be compared with the store. */
export class FillingLostError extends NamedError {}

/** The maximum number of changes in a step, and about how many triples it may have. */
const CHANGES = 500;
const TRIPLES = 40_000;

const READ_RECORDS = 500;

const ITEMS_A_TURN = 50;

/** Items such as records, with a turn of the event loop for requests after every few of them. */
export async function* withTurns<T>(items: Iterable<T> | AsyncIterable<T>): AsyncIterable<T> {
  let count = 0;
  for await (const item of items) {
    if (++count % ITEMS_A_TURN === 0) await nextTurn();
    yield item;
  }
}

/**
 * The step after a position; `undefined` when the engine reflects the store. In the merged graph, the step adds all triples of the new versions of records, and
 * removes those triples of the replaced versions that no record states any more. Replaced versions that the store no longer keeps are read from the engine.
 * So a step that is repeated, or starts from an older position, has the same result.
 * `turn` is that in which the engine's triples were read, if the batch depends on them.
 * @throws RecordDamagedError
 */
export async function nextStep(
  store: FollowedStore,
  writer: EngineWriter,
  position: EnginePosition,
): Promise<(EngineStep & { readonly turn?: string | undefined }) | undefined> {
  using snapshot = store.snapshots.take();
  const { through, changed } = snapshot.nextChanges(position.sequence, CHANGES, TRIPLES);
  if (through === position.sequence) return undefined;
  const to = { sequence: through, mark: (await changeMark(store, through)) ?? "", graphs: position.graphs };
  if (position.graphs === "records") {
    const records = new Map(changed.map(({ iri, after }) => [iri, linesOf(after)]));
    return { batch: { graphs: "records", records }, to };
  }
  const forgotten = changed.flatMap(({ iri, before }) => (before === undefined ? [iri] : []));
  const turn = forgotten.length === 0 ? undefined : await writer.takeTurn();
  const held = await heldOfRecords(writer, forgotten);
  return { batch: await mergedBatch(store, snapshot, changed, held), to, turn };
}

function linesOf(graph: RecordGraph | undefined): readonly string[] {
  return graph === undefined ? [] : [...engineTriples(graph).keys()];
}

/** @param held the engine's triples of records whose earlier versions the store no longer keeps */
async function mergedBatch(
  store: FollowedStore,
  snapshot: Snapshot,
  changed: readonly RecordVersions[],
  held: readonly EngineTriple[],
): Promise<EngineBatch> {
  const add = new Map<string, EngineTriple>();
  const gone = new Map(held.map((triple) => [triple.line, triple]));
  for await (const { iri, before = [], after } of withTurns(changed)) {
    for (const graph of before)
      for (const [line, triple] of engineTriples(graphWith(graph, { iri }))) gone.set(line, triple);
    if (after !== undefined) for (const [line, triple] of engineTriples(after)) add.set(line, triple);
  }
  const isStatedElsewhere = statementsOf(store, snapshot, new Set(changed.map(({ iri }) => iri)));
  const remove: string[] = [];
  for (const triple of gone.values()) {
    const isStated = add.has(triple.line) || (!isOwn(triple) && (await isStatedElsewhere(triple)));
    if (!isStated) remove.push(triple.line);
  }
  return { graphs: "merged", remove, add: [...add.keys()] };
}

/** A function that tells whether any record but those that changed states a triple: the subject's own record, one that describes the subject, or one that refers to it. */
function statementsOf(store: FollowedStore, snapshot: Snapshot, changed: ReadonlySet<string>) {
  const statedBy = remembering(READ_RECORDS, (iri: string) => {
    const graph = changed.has(iri) ? undefined : snapshot.record(iri)?.graph;
    return new Set(graph && [...engineTriples(graph).values()].map(agreedTriple));
  });
  return async (triple: EngineTriple): Promise<boolean> => {
    const { subject } = triple;
    const agreed = agreedTriple(triple);
    if (statedBy(subject.value).has(agreed)) return true;
    for (const iri of await store.describedIn(subject.value, Number.MAX_SAFE_INTEGER))
      if (statedBy(iri).has(agreed)) return true;
    // There may be millions.
    for await (const iri of withTurns(allReferring(store.references, subject.value)))
      if (statedBy(iri).has(agreed)) return true;
    return false;
  };
}

/** The records of a store in steps, beginning after the record up to which the engine is filled. The last step ends the filling. */
export async function* fillSteps(
  store: FollowedStore,
  first: EnginePosition,
  onDamaged: (error: RecordDamagedError) => void,
): AsyncGenerator<EngineStep & { readonly triples: number }> {
  const { filledTo = "", ...position } = first;
  using snapshot = store.snapshots.take();
  let isBehind = filledTo !== "";
  let records = new Map<string, readonly string[]>();
  let triples = 0;
  for await (const { graph } of withTurns(snapshot.records(onDamaged))) {
    // Found by equality, since the store's order is that of its keys, not of IRIs.
    if (isBehind) {
      isBehind = graph.iri !== filledTo;
      continue;
    }
    const lines = linesOf(graph);
    records.set(graph.iri, lines);
    triples += lines.length;
    if (triples < TRIPLES) continue;
    yield { batch: filling(position.graphs, records), to: { ...position, filledTo: graph.iri }, triples };
    records = new Map();
    triples = 0;
  }
  // The record was deleted, and with it the position in the order.
  if (isBehind)
    throw new FillingLostError(
      "the record up to which the engine was filled has been deleted: comparing the engine with the store",
    );
  yield { batch: filling(position.graphs, records), to: position, triples };
}

function filling(graphs: EnginePosition["graphs"], records: ReadonlyMap<string, readonly string[]>): EngineBatch {
  if (graphs === "records") return { graphs, records };
  return { graphs, remove: [], add: [...new Set([...records.values()].flat())] };
}
