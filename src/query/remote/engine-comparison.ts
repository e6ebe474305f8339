/** Comparing an engine with the records, slice by slice, and repairing what differs. */
import { createHash, hash } from "node:crypto";
import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { byCodeUnits, entryOf } from "../../base/entries.js";
import { makeTemporaryDirectory, removeAbandoned } from "../../base/temporary.js";
import type { EngineAccess, EngineGraphs } from "../../engine/engine-access.js";
import { EngineError } from "../../engine/engine-client.js";
import { changeMark } from "../../store/changes.js";
import { type FollowedStore, withTurns } from "./engine-batches.js";
import { agreedTriple, cut, engineTriples, HELD_FORMS, heldOf } from "./engine-lines.js";
import { type EngineBatch, type EnginePosition, EngineWriter } from "./engine-writer.js";

export interface ComparisonOptions {
  readonly store: FollowedStore;
  readonly access: EngineAccess;
  readonly graphs: EngineGraphs;
  readonly isRepaired: boolean;
  readonly signal?: AbortSignal;
}

export interface ComparisonResult {
  /** The number of triples that the records state; in the merged graph each counts once. */
  readonly triples: number;
  /** The numbers of triples that the engine lacks, and that it has in excess. */
  readonly missing: number;
  readonly surplus: number;
  /** Subjects (in the merged graph) or records that differ; at most `MAX_NAMED`. */
  readonly differing: readonly string[];
  /** SHA-256 over the records' triples, slice by slice. */
  readonly digest: string;
  /** The position of the engine, after the repair if there was one. */
  readonly position: EnginePosition;
}

const MAX_NAMED = 100;
/** The approximate size of a slice in triples. A slice has the subjects or records whose MD5 begins with the same digits, since SPARQL can compute MD5 (SPARQL 1.1 Query, 17.4.6). */
const SLICE_TRIPLES = 200_000;
const MAX_DIGITS = 3;

/** By key, the lines of triples, each with the form on which all engines agree. */
type Keyed = Map<string, Map<string, string>>;

/** Compare an engine with a store. Throws what the engine's requests throw. */
export async function compareEngine(options: ComparisonOptions): Promise<ComparisonResult> {
  await removeAbandoned(tmpdir());
  const folder = makeTemporaryDirectory(tmpdir(), "compare");
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  return await new EngineComparison(options, folder).run();
}

class EngineComparison {
  readonly #writer: EngineWriter;
  readonly #differing: string[] = [];
  readonly #digest = createHash("sha256");
  #digits = 0;
  readonly #found = { triples: 0, missing: 0, surplus: 0 };

  constructor(
    private readonly options: ComparisonOptions,
    private readonly folder: string,
  ) {
    this.#writer = new EngineWriter(options.access, options.signal);
  }

  async run(): Promise<ComparisonResult> {
    const { store, graphs, isRepaired } = this.options;
    const there = await this.#writer.position();
    if (there !== undefined) ensureGraphs(there, graphs);
    const { triples: total } = await store.stats();
    while (this.#digits < MAX_DIGITS && total / 16 ** this.#digits > SLICE_TRIPLES) this.#digits++;
    const slices = 16 ** this.#digits;
    const sequence = await this.#spread(slices);
    const counts = await this.#counts();
    let position = there ?? { sequence: 0, mark: "", graphs };
    if (there === undefined && isRepaired) await this.#writer.restart(position);
    for (let slice = 0; slice < slices; slice++) {
      const batch = await this.#compareSlice(slice, counts);
      if (!isRepaired || batch === undefined) continue;
      // Each step has a unique position, so that a delayed request no longer finds its own and has no effect.
      const next = { ...position, filledTo: `${slice} ${hash("sha256", JSON.stringify(this.#differing))}` };
      await this.#writer.apply(batch, position, next);
      position = next;
    }
    if (isRepaired) {
      const to = { sequence, mark: (await changeMark(store, sequence)) ?? "", graphs };
      await this.#writer.apply({ graphs: "merged", remove: [], add: [] }, position, to);
      position = to;
    }
    return { ...this.#found, differing: this.#differing, digest: this.#digest.digest("hex"), position };
  }

  /** Write the records' triples into files, one for each slice. @returns the sequence number of the state that was read */
  async #spread(slices: number): Promise<number> {
    const { store, graphs } = this.options;
    using snapshot = store.snapshots.take();
    const texts = new Array<string>(slices).fill("");
    const flush = (slice: number): void => {
      appendFileSync(this.#file(slice), texts[slice]!);
      texts[slice] = "";
    };
    for await (const { graph } of withTurns(snapshot.records(() => {}))) {
      for (const triple of engineTriples(graph).values()) {
        const key = graphs === "merged" ? triple.subject.value : graph.iri;
        const slice = this.#digits === 0 ? 0 : Number.parseInt(hash("md5", key).slice(0, this.#digits), 16);
        texts[slice] += `${JSON.stringify([key, agreedTriple(triple), triple.line])}\n`;
        if (texts[slice]!.length > FLUSHED) flush(slice);
      }
    }
    for (let slice = 0; slice < slices; slice++) flush(slice);
    return snapshot.stats.sequence;
  }

  #file(slice: number): string {
    return join(this.folder, String(slice));
  }

  async #compareSlice(slice: number, counts: ReadonlyMap<string, number>): Promise<EngineBatch | undefined> {
    const { graphs } = this.options;
    const expected: Keyed = new Map();
    for await (const line of withTurns(readFileSync(this.#file(slice), "utf8").split("\n"))) {
      if (line === "") continue;
      const [key, agreed, whole] = JSON.parse(line) as [string, string, string];
      entryOf(expected, key, () => new Map()).set(whole, agreed);
    }
    rmSync(this.#file(slice));
    const actual: Keyed = new Map();
    const keys = [...expected.keys()];
    const read = async (wanted: readonly string[]): Promise<void> => {
      for await (const { key, triple } of heldOf(this.#writer, graphs, wanted))
        entryOf(actual, key, () => new Map()).set(triple.line, agreedTriple(triple));
    };
    await read(keys);
    const others = (counts.get(this.#name(slice)) ?? 0) === actual.size ? [] : await this.#others(slice, expected);
    await read(others);
    for await (const [key, lines] of withTurns([...expected].sort(([a], [b]) => byCodeUnits(a, b)))) {
      this.#found.triples += lines.size;
      this.#digest.update(`${key}\n${[...lines.values()].sort().join("\n")}\n`);
    }
    const remove: string[] = [];
    const add: string[] = [];
    const records = new Map<string, readonly string[]>();
    for await (const key of withTurns([...keys, ...others])) {
      const [wanted, found] = [expected.get(key) ?? NOTHING, actual.get(key) ?? NOTHING];
      // An engine may keep one triple for several spellings of a value, but it has no more of them than the records.
      const excess = new Map<string, number>();
      for (const agreed of found.values()) excess.set(agreed, (excess.get(agreed) ?? 0) + 1);
      for (const agreed of wanted.values()) if (excess.has(agreed)) excess.set(agreed, excess.get(agreed)! - 1);
      const lacking = (lines: typeof found, others: typeof found): string[] =>
        [...lines].flatMap(([line, agreed]) => (others.has(line) || (excess.get(agreed) ?? 1) < 1 ? [] : [line]));
      const [missing, surplus] = [lacking(wanted, found), lacking(found, wanted)];
      if (missing.length + surplus.length === 0) continue;
      for (const line of missing) add.push(line);
      for (const line of surplus) remove.push(line);
      if (this.#differing.length < MAX_NAMED) this.#differing.push(key);
      records.set(key, [...wanted.keys()]);
    }
    this.#found.missing += add.length;
    this.#found.surplus += remove.length;
    if (records.size === 0) return undefined;
    return graphs === "merged" ? { graphs, remove, add } : { graphs, records };
  }

  #name(slice: number): string {
    return this.#digits === 0 ? "" : slice.toString(16).padStart(this.#digits, "0");
  }

  /** The number of subjects or graphs in the engine, by slice. */
  async #counts(): Promise<ReadonlyMap<string, number>> {
    const { key, pattern } = HELD_FORMS[this.options.graphs];
    const slice = this.#digits === 0 ? '""' : `SUBSTR(MD5(STR(${key})), 1, ${this.#digits})`;
    const query = `SELECT ?slice (COUNT(DISTINCT ${key}) AS ?n) { ${pattern} BIND(${slice} AS ?slice) } GROUP BY ?slice`;
    const { rows } = await this.#writer.select(query);
    return new Map(rows.map(({ slice, n }) => [slice?.value ?? "", Number(n?.value ?? 0)]));
  }

  /** The excess keys of the engine in a slice: subjects in the merged graph, or graphs of deleted records. */
  async #others(slice: number, expected: Keyed): Promise<string[]> {
    const { graphs, store } = this.options;
    const { key: variable, pattern } = HELD_FORMS[graphs];
    const filter = this.#digits === 0 ? "" : `FILTER(STRSTARTS(MD5(STR(${variable})), "${this.#name(slice)}"))`;
    const query = `SELECT DISTINCT (${variable} AS ?key) { ${pattern} ${filter} }`;
    const { rows, isCut } = await this.#writer.select(query);
    if (isCut) throw cut();
    const others = rows.flatMap(({ key }) => (key === undefined || expected.has(key.value) ? [] : [key.value]));
    if (graphs === "merged") return others;
    const deleted: string[] = [];
    for (const graph of others) if ((await store.tombstone(graph)) !== undefined) deleted.push(graph);
    return deleted;
  }
}

const FLUSHED = 65_536;
const NOTHING: ReadonlyMap<string, string> = new Map();

/** Throws `ForeignDataError` if an engine was filled with its records in other graphs. */
export function ensureGraphs({ graphs }: EnginePosition, wanted: EngineGraphs): void {
  if (graphs !== wanted)
    throw new ForeignDataError(`the engine was filled with --engine-graphs ${graphs}, not ${wanted}`);
}

/** An engine has data from elsewhere. It is not touched until a person asks for it. */
export class ForeignDataError extends EngineError {
  constructor(what: string) {
    super(
      `${what}: run vitrine engine fill to fill it from the beginning (docs/run/engines.md says what that removes)`,
    );
  }
}
