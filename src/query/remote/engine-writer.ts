/** The writer of changes to an engine, so that nothing is lost, done twice or done late, whatever happens on the way. */
import { randomBytes } from "node:crypto";
import { jsonIn } from "../../base/json.js";
import type { EngineAccess } from "../../engine/engine-access.js";
import { EngineError } from "../../engine/engine-client.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { iri, literal } from "../../rdf/terms.js";

/** How an engine holds the records: each in its named graph, or all merged into one. */
export type EngineGraphs = "records" | "merged";

export const MERGED_GRAPH = "urn:vitrine:records";
/** The graph that says how far the engine is. */
const STATE = "<urn:vitrine:state>";
const ENGINE = "<urn:vitrine:engine>";
const POSITION = "<urn:vitrine:position>";
const TURN = "<urn:vitrine:turn>";
const APPLIED = "<urn:vitrine:applied>";
const PART = "urn:vitrine:part:";
const NUMBER = "<urn:vitrine:number>";
/** Graphs for what is on its way. */
const STAGED = "urn:vitrine:staged:";

/** Up to where an engine reflects the store. It is kept in the engine itself, as JSON. */
export interface EnginePosition {
  readonly sequence: number;
  /** Tells the store from others at that sequence number (`changeMark`). */
  readonly mark: string;
  readonly graphs: EngineGraphs;
  /** While it is being filled: the last record that is in it. Records after it are not. */
  readonly filledTo?: string;
}

export type EngineBatch =
  /** Lines of N-Triples that leave the merged graph, and that come into it. */
  | { readonly graphs: "merged"; readonly remove: readonly string[]; readonly add: readonly string[] }
  /** Named graphs, each with all its lines; without any it is dropped. */
  | { readonly graphs: "records"; readonly records: ReadonlyMap<string, readonly string[]> };

/** Triples in one request: Virtuoso takes no update of more than 10,000 generated lines, and 250 triples are quick. */
const MAX_UPDATE_TRIPLES = 250;
const MAX_UPDATE_CHARACTERS = 400_000;
const MAX_UPLOAD_TRIPLES = 20_000;
const MAX_UPDATE_RECORDS = 25;

export class EngineWriter {
  constructor(readonly access: EngineAccess) {}

  /** How far the engine is; `undefined` where it holds nothing of any store. Of two that a broken step left, the one behind. */
  async position(signal?: AbortSignal): Promise<EnginePosition | undefined> {
    const { rows } = await this.access.select(`SELECT ?p { GRAPH ${STATE} { ${ENGINE} ${POSITION} ?p } }`, signal);
    const positions = rows.map(({ p }) => positionIn(p?.value ?? ""));
    return positions.sort((a, b) => a.sequence - b.sequence || inOrder(a.filledTo, b.filledTo))[0];
  }

  /** Begin anew: forget how far the engine was, and take out what it holds of a store. */
  async restart(first: EnginePosition, signal?: AbortSignal): Promise<void> {
    await this.access.update(`DROP SILENT GRAPH ${STATE}`, signal);
    await this.tidy(signal);
    if (first.graphs === "merged") {
      await this.access.update(`DROP SILENT GRAPH <${MERGED_GRAPH}>`, signal);
      if (await this.holdsAnything(signal)) throw disturbed("forget what it held");
    }
    await this.claim(first, signal);
  }

  /** Have an engine that says nothing of its position remember one. */
  async claim(first: EnginePosition, signal?: AbortSignal): Promise<void> {
    await this.access.update(`INSERT DATA { GRAPH ${STATE} { ${ENGINE} ${POSITION} ${textOf(first)} } }`, signal);
    const there = await this.position(signal);
    if (there === undefined || textOf(there) !== textOf(first)) throw disturbed("begin anew");
  }

  async holdsAnything(signal?: AbortSignal): Promise<boolean> {
    const { rows } = await this.access.select(`SELECT ?s { GRAPH <${MERGED_GRAPH}> { ?s ?p ?o } } LIMIT 1`, signal);
    return rows.length > 0;
  }

  /** Take out what broken steps left on its way. */
  async tidy(signal?: AbortSignal): Promise<void> {
    const { rows } = await this.access.select(`SELECT DISTINCT ?g { GRAPH ?g { ?part ${NUMBER} ?n } }`, signal);
    const graphs = rows.map(({ g }) => g?.value ?? "").filter((graph) => graph.startsWith(STAGED));
    for (const graph of graphs) await this.access.update(`DROP SILENT GRAPH <${graph}>`, signal);
  }

  /** Begin a turn: what others were about to change, or gave up, has no effect from now on. What is read of the engine holds until the turn's batch is applied. */
  async takeTurn(signal?: AbortSignal): Promise<string> {
    const turn = randomBytes(12).toString("hex");
    await this.access.update(
      `INSERT DATA { GRAPH ${STATE} { ${ENGINE} ${TURN} "${turn}" } } ;\n` +
        `DELETE { GRAPH ${STATE} { ${ENGINE} ${TURN} ?t } } WHERE { GRAPH ${STATE} { ${ENGINE} ${TURN} ?t FILTER(?t != "${turn}") } }`,
      signal,
    );
    return turn;
  }

  /**
   * Change the engine from one position to the next. What is added and removed is first put into graphs of its own, then taken
   * over by updates that have an effect only while the engine stands at `from` and it is this batch's turn: a request that was given
   * up and comes late, or comes twice, does nothing. That each part arrived and was applied is read back.
   * @param begun the turn in which the batch was made of what the engine holds; without one it takes its own
   * @throws EngineError, and what the requests throw; then it is to be tried again, from the position that the engine has
   */
  async apply(
    batch: EngineBatch,
    from: EnginePosition,
    to: EnginePosition,
    signal?: AbortSignal,
    begun?: string,
  ): Promise<void> {
    const turn = begun ?? (await this.takeTurn(signal));
    const parts = partsOf(batch, turn, this.access.hasGraphStore);
    await this.#all(parts, (part) => this.#upload(part, signal));
    const areThere = await this.#hasAll(`GRAPH ?g { <${PART}${turn}> ${NUMBER} ?v }`, [...parts.keys()], signal);
    if (!areThere) throw disturbed("take a part");
    const now = `GRAPH ${STATE} { ${ENGINE} ${TURN} "${turn}" . ${ENGINE} ${POSITION} ${textOf(from)} }`;
    const updates = updatesOf(batch, turn, now);
    for (const [number, update] of updates.entries()) {
      // In the same request, so that it says of this update, and of no other, that it was done: an answer may be anybody's.
      const proof = `INSERT { GRAPH ${STATE} { ${ENGINE} ${APPLIED} "${turn} ${number}" } } WHERE { ${now} }`;
      await this.access.update(`${update} ;\n${proof}`, signal);
    }
    const deeds = [...updates.keys()].map((number) => `${turn} ${number}`);
    const areDone = await this.#hasAll(`GRAPH ${STATE} { ${ENGINE} ${APPLIED} ?v }`, deeds, signal);
    if (!areDone) throw disturbed("change its records");
    await this.#advance(now, to, signal);
    for (const graph of new Set(parts.map(({ graph }) => graph)))
      await this.access.update(`DROP SILENT GRAPH <${graph}>`, signal);
  }

  /** Put lines into the merged graph at once, while the engine is being filled. */
  async fill(lines: readonly string[], from: EnginePosition, to: EnginePosition, signal?: AbortSignal): Promise<void> {
    if (!this.access.hasGraphStore) return this.apply({ graphs: "merged", remove: [], add: lines }, from, to, signal);
    const turn = randomBytes(12).toString("hex");
    const marker = `<${PART}${turn}>`;
    const uploads = chunks(lines, MAX_UPLOAD_TRIPLES).map((chunk, number) => [
      ...chunk,
      `${marker} ${NUMBER} "${number}" .`,
    ]);
    await this.#all(uploads, (chunk) => this.access.add(MERGED_GRAPH, `${chunk.join("\n")}\n`, signal));
    const pattern = `GRAPH <${MERGED_GRAPH}> { ${marker} ${NUMBER} ?v }`;
    const areThere = await this.#hasAll(pattern, [...uploads.keys()], signal);
    await this.access.update(`DELETE WHERE { GRAPH <${MERGED_GRAPH}> { ?part ${NUMBER} ?n } }`, signal);
    if (!areThere) throw disturbed("take a part");
    await this.apply({ graphs: "merged", remove: [], add: [] }, from, to, signal);
  }

  async #hasAll(pattern: string, values: readonly (string | number)[], signal?: AbortSignal): Promise<boolean> {
    if (values.length === 0) return true;
    const { rows } = await this.access.select(`SELECT ?v { ${pattern} }`, signal);
    const there = new Set(rows.map(({ v }) => v?.value));
    return values.every((value) => there.has(String(value)));
  }

  async #advance(now: string, to: EnginePosition, signal?: AbortSignal): Promise<void> {
    const next = textOf(to);
    await this.access.update(
      `INSERT { GRAPH ${STATE} { ${ENGINE} ${POSITION} ${next} } } WHERE { ${now} } ;\n` +
        `DELETE { GRAPH ${STATE} { ${ENGINE} ${POSITION} ?p } } WHERE { GRAPH ${STATE} { ${ENGINE} ${POSITION} ${next} . ${ENGINE} ${POSITION} ?p FILTER(?p != ${next}) } } ;\n` +
        `DELETE WHERE { GRAPH ${STATE} { ${ENGINE} ${APPLIED} ?t } }`,
      signal,
    );
    const there = await this.position(signal);
    if (there === undefined || textOf(there) !== next) throw disturbed("remember its position");
  }

  async #upload({ graph, lines }: Part, signal?: AbortSignal): Promise<void> {
    if (this.access.hasGraphStore) await this.access.add(graph, `${lines.join("\n")}\n`, signal);
    else await this.access.update(`INSERT DATA { GRAPH <${graph}> {\n${lines.join("\n")}\n} }`, signal);
  }

  /** Some at a time, as the client lets them. What fails first is thrown once none is on its way any more. */
  async #all<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    let failed: { readonly error: unknown } | undefined;
    const rest = [...items];
    const worker = async (): Promise<void> => {
      for (let item = rest.shift(); item !== undefined && failed === undefined; item = rest.shift()) {
        await work(item).catch((error: unknown) => {
          failed ??= { error };
        });
      }
    };
    await Promise.all(Array.from({ length: MAX_UPLOADS }, worker));
    if (failed !== undefined) throw failed.error;
  }
}

const MAX_UPLOADS = 4;

interface Part {
  readonly graph: string;
  /** The last one says which part it is, so that a part that arrived by half is not taken for whole. */
  readonly lines: readonly string[];
}

function partsOf(batch: EngineBatch, turn: string, isUploaded: boolean): Part[] {
  const most = isUploaded ? MAX_UPLOAD_TRIPLES : MAX_UPDATE_TRIPLES;
  const sets: [string, readonly string[]][] =
    batch.graphs === "merged"
      ? [
          [`${STAGED}${turn}:remove`, batch.remove],
          [`${STAGED}${turn}:add`, batch.add],
        ]
      : [...batch.records.values()].map((lines, number) => [`${STAGED}${turn}:${number}`, lines]);
  const parts = sets.flatMap(([graph, lines]) => chunks(lines, most).map((chunk) => ({ graph, chunk })));
  return parts.map(({ graph, chunk }, number) => ({
    graph,
    lines: [...chunk, `<${PART}${turn}> ${NUMBER} "${number}" .`],
  }));
}

/** @param now the pattern that is there only while it is this batch's turn */
function updatesOf(batch: EngineBatch, turn: string, now: string): string[] {
  const staged = (name: string | number): string =>
    `GRAPH <${STAGED}${turn}:${name}> { ?s ?p ?o FILTER(?p != ${NUMBER}) }`;
  if (batch.graphs === "merged") {
    const merged = `GRAPH <${MERGED_GRAPH}> { ?s ?p ?o }`;
    // What leads to the nodes of a record is added first: a step that is given up leaves nothing that the next one does not find.
    return [
      ...(batch.add.length === 0 ? [] : [`INSERT { ${merged} } WHERE { ${now} ${staged("add")} }`]),
      ...(batch.remove.length === 0 ? [] : [`DELETE { ${merged} } WHERE { ${now} ${staged("remove")} }`]),
    ];
  }
  const operations = [...batch.records].map(([record, lines], number) => {
    const graph = `GRAPH ${formatTerm(iri(record))} { ?s ?p ?o }`;
    const cleared = `DELETE { ${graph} } WHERE { ${now} ${graph} }`;
    return lines.length === 0 ? cleared : `${cleared} ;\nINSERT { ${graph} } WHERE { ${now} ${staged(number)} }`;
  });
  return chunks(operations, MAX_UPDATE_RECORDS).map((some) => some.join(" ;\n"));
}

function chunks(lines: readonly string[], most: number): string[][] {
  const found: string[][] = [];
  let characters = 0;
  for (const line of lines) {
    const last = found.at(-1);
    characters += line.length;
    if (last === undefined || last.length >= most || characters > MAX_UPDATE_CHARACTERS * (most / MAX_UPDATE_TRIPLES)) {
      found.push([line]);
      characters = line.length;
    } else last.push(line);
  }
  return found;
}

/** A message to the engine had no effect, because another process or a late request came in between. */
function disturbed(what: string): EngineError {
  return new EngineError(`the engine did not do what it was asked (${what})`);
}

/** A position as a term: one text a position, so that it can be asked for. */
function textOf({ sequence, mark, graphs, filledTo }: EnginePosition): string {
  return formatTerm(literal(JSON.stringify({ sequence, mark, graphs, filledTo })));
}

function positionIn(text: string): EnginePosition {
  const found = jsonIn<EnginePosition | null>(text);
  if (Number.isSafeInteger(found?.sequence)) return found!;
  throw disturbed(`its position is ${JSON.stringify(text.slice(0, 100))}`);
}

function inOrder(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  // One that is still being filled is behind.
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return a < b ? -1 : 1;
}
