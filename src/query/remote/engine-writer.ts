/** The writer of changes to an engine. No change is lost, applied twice or applied late, whatever fails on the way. */
import { randomBytes } from "node:crypto";
import { byCodeUnits } from "../../base/entries.js";
import { jsonIn } from "../../base/json.js";
import type { EngineAccess, EngineGraphs } from "../../engine/engine-access.js";
import { EngineError } from "../../engine/engine-client.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { iri, literal } from "../../rdf/terms.js";

export const MERGED_GRAPH = "urn:vitrine:records";
/** The graph with the engine's position. */
const STATE = "<urn:vitrine:state>";
const ENGINE = "<urn:vitrine:engine>";
const POSITION = "<urn:vitrine:position>";
const TURN = "<urn:vitrine:turn>";
const APPLIED = "<urn:vitrine:applied>";
const PART = "urn:vitrine:part:";
const NUMBER = "<urn:vitrine:number>";
/** The prefix of graphs for triples that are staged. */
const STAGED = "urn:vitrine:staged:";

/** The state of the store that an engine reflects. It is stored in the engine itself, as JSON. */
export interface EnginePosition {
  readonly sequence: number;
  /** Distinguishes the store from others with the same sequence number (`changeMark`). */
  readonly mark: string;
  readonly graphs: EngineGraphs;
  /** While the engine is being filled: the IRI of the last record in it, `""` before the first. */
  readonly filledTo?: string;
}

export type EngineBatch =
  /** Lines of N-Triples to remove from the merged graph, and to add to it. */
  | { readonly graphs: "merged"; readonly remove: readonly string[]; readonly add: readonly string[] }
  /** Named graphs with all their lines. A graph without lines is dropped. */
  | { readonly graphs: "records"; readonly records: ReadonlyMap<string, readonly string[]> };

/** Limits of one request: Virtuoso refuses an update that compiles to more than 10,000 lines, and 250 triples are fast. */
const MAX_UPDATE_TRIPLES = 250;
const MAX_UPDATE_CHARACTERS = 400_000;
const MAX_UPLOAD_TRIPLES = 20_000;
const MAX_UPDATE_RECORDS = 25;

export class EngineWriter {
  /** @param signal ends the requests */
  constructor(
    private readonly access: EngineAccess,
    private readonly signal?: AbortSignal,
  ) {}

  select(query: string): ReturnType<EngineAccess["select"]> {
    return this.access.select(query, this.signal);
  }

  /** The engine's position, or `undefined` if it has none. If an interrupted step left two, the earlier one. */
  async position(): Promise<EnginePosition | undefined> {
    const { rows } = await this.select(`SELECT ?p { GRAPH ${STATE} { ${ENGINE} ${POSITION} ?p } }`);
    const positions = rows.map(({ p }) => positionIn(p?.value ?? ""));
    // A position that is still being filled comes first.
    const place = ({ filledTo = "\uffff" }: EnginePosition): string => filledTo;
    return positions.sort((a, b) => a.sequence - b.sequence || byCodeUnits(place(a), place(b)))[0];
  }

  /** Clear the engine: remove its position and its records, and set the first position. */
  async restart(first: EnginePosition): Promise<void> {
    await this.#update(`DROP SILENT GRAPH ${STATE}`);
    await this.tidy();
    await this.#update(`DROP SILENT GRAPH <${MERGED_GRAPH}>`);
    if (await this.holdsAnything()) throw disturbed("forget what it held");
    await this.claim(first);
  }

  async claim(first: EnginePosition): Promise<void> {
    await this.#update(`INSERT DATA { GRAPH ${STATE} { ${ENGINE} ${POSITION} ${textOf(first)} } }`);
    const there = await this.position();
    if (there === undefined || textOf(there) !== textOf(first)) throw disturbed("store its first position");
  }

  async holdsAnything(): Promise<boolean> {
    const { rows } = await this.select(`SELECT ?s { GRAPH <${MERGED_GRAPH}> { ?s ?p ?o } } LIMIT 1`);
    return rows.length > 0;
  }

  /** Drop the staged graphs of interrupted steps. */
  async tidy(): Promise<void> {
    const { rows } = await this.select(`SELECT DISTINCT ?g { GRAPH ?g { ?part ${NUMBER} ?n } }`);
    const graphs = rows.map(({ g }) => g?.value ?? "").filter((graph) => graph.startsWith(STAGED));
    for (const graph of graphs) await this.#update(`DROP SILENT GRAPH <${graph}>`);
  }

  /** Begin a turn. From now on, pending and abandoned requests of other turns have no effect, so what is read from the engine stays valid until this turn's batch is applied. */
  async takeTurn(): Promise<string> {
    const turn = randomBytes(12).toString("hex");
    await this.#update(
      `INSERT DATA { GRAPH ${STATE} { ${ENGINE} ${TURN} "${turn}" } } ;\n` +
        `DELETE { GRAPH ${STATE} { ${ENGINE} ${TURN} ?t } } WHERE { GRAPH ${STATE} { ${ENGINE} ${TURN} ?t FILTER(?t != "${turn}") } }`,
    );
    return turn;
  }

  /**
   * Change the engine from one position to the next. The triples to add and remove are first uploaded to staged graphs, then applied
   * by updates that only have an effect while the engine is at `from` and it is this batch's turn: a request that was given
   * up and arrives late, or arrives twice, does nothing. Afterwards it is verified that each part arrived and was applied.
   * @param begun the turn in which the batch was made from what the engine holds; by default it takes a new turn
   * @throws EngineError, and what the requests throw; then try again from the engine's position
   */
  async apply(batch: EngineBatch, from: EnginePosition, to: EnginePosition, begun?: string): Promise<void> {
    const turn = begun ?? (await this.takeTurn());
    const parts = batch.graphs === "merged" ? { remove: batch.remove, add: batch.add } : [...batch.records.values()];
    const filled = Object.entries(parts).filter(([, lines]) => lines.length > 0);
    const graphs = filled.map(([name, lines]) => [`${STAGED}${turn}:${name}`, lines] as const);
    if (!(await this.#upload(graphs, turn))) throw disturbed("receive a part");
    const now = `GRAPH ${STATE} { ${ENGINE} ${TURN} "${turn}" . ${ENGINE} ${POSITION} ${textOf(from)} }`;
    const updates = updatesOf(batch, turn, now);
    for (const [number, update] of updates.entries()) {
      // In the same request, so that it proves that this very update was applied; a successful answer does not prove it.
      const proof = `INSERT { GRAPH ${STATE} { ${ENGINE} ${APPLIED} "${turn} ${number}" } } WHERE { ${now} }`;
      await this.#update(`${update} ;\n${proof}`);
    }
    const proofs = [...updates.keys()].map((number) => `${turn} ${number}`);
    const areDone = await this.#hasAll(`GRAPH ${STATE} { ${ENGINE} ${APPLIED} ?v }`, proofs);
    if (!areDone) throw disturbed("change its records");
    await this.#advance(now, to);
    for (const [graph] of graphs) await this.#update(`DROP SILENT GRAPH <${graph}>`);
  }

  /** Upload lines directly into the merged graph, while the engine is being filled. */
  async fill(lines: readonly string[], from: EnginePosition, to: EnginePosition): Promise<void> {
    if (!this.access.hasGraphStore) return this.apply({ graphs: "merged", remove: [], add: lines }, from, to);
    const turn = randomBytes(12).toString("hex");
    const areThere = await this.#upload([[MERGED_GRAPH, lines]], turn);
    await this.#update(`DELETE WHERE { GRAPH <${MERGED_GRAPH}> { ?part ${NUMBER} ?n } }`);
    if (!areThere) throw disturbed("receive a part");
    await this.apply({ graphs: "merged", remove: [], add: [] }, from, to);
  }

  #update(text: string): Promise<void> {
    return this.access.update(text, this.signal);
  }

  async #hasAll(pattern: string, values: readonly (string | number)[]): Promise<boolean> {
    if (values.length === 0) return true;
    const { rows } = await this.select(`SELECT ?v { ${pattern} }`);
    const there = new Set(rows.map(({ v }) => v?.value));
    return values.every((value) => there.has(String(value)));
  }

  async #advance(now: string, to: EnginePosition): Promise<void> {
    const next = textOf(to);
    await this.#update(
      `INSERT { GRAPH ${STATE} { ${ENGINE} ${POSITION} ${next} } } WHERE { ${now} } ;\n` +
        `DELETE { GRAPH ${STATE} { ${ENGINE} ${POSITION} ?p } } WHERE { GRAPH ${STATE} { ${ENGINE} ${POSITION} ${next} . ${ENGINE} ${POSITION} ?p FILTER(?p != ${next}) } } ;\n` +
        `DELETE WHERE { GRAPH ${STATE} { ${ENGINE} ${APPLIED} ?t } }`,
    );
    const there = await this.position();
    if (there === undefined || textOf(there) !== next) throw disturbed("remember its position");
  }

  /** Upload lines into graphs, in parts. Returns whether all parts are there afterwards. */
  async #upload(graphs: readonly GraphLines[], turn: string): Promise<boolean> {
    const { access } = this;
    const most = access.hasGraphStore ? MAX_UPLOAD_TRIPLES : MAX_UPDATE_TRIPLES;
    const parts = graphs.flatMap(([graph, lines]) => chunks(lines, most).map((chunk) => ({ graph, chunk })));
    const send = async ([number, { graph, chunk }]: readonly [number, (typeof parts)[0]]): Promise<void> => {
      // The last line has the number of the part, so that a half-received part does not pass for complete.
      const text = [...chunk, `<${PART}${turn}> ${NUMBER} "${number}" .`].join("\n");
      if (access.hasGraphStore) await access.add(graph, `${text}\n`, this.signal);
      else await this.#update(`INSERT DATA { GRAPH <${graph}> {\n${text}\n} }`);
    };
    for (let rest = [...parts.entries()]; rest.length > 0; rest = rest.slice(MAX_UPLOADS)) {
      // An error is thrown once no other part is in progress any more.
      const sent = await Promise.allSettled(rest.slice(0, MAX_UPLOADS).map(send));
      for (const each of sent) if (each.status === "rejected") throw each.reason;
    }
    return this.#hasAll(`GRAPH ?g { <${PART}${turn}> ${NUMBER} ?v }`, [...parts.keys()]);
  }
}

const MAX_UPLOADS = 4;

type GraphLines = readonly [graph: string, lines: readonly string[]];

/** The updates that apply a batch. @param now the pattern that matches only while it is this batch's turn */
function updatesOf(batch: EngineBatch, turn: string, now: string): string[] {
  const staged = (name: string | number): string =>
    `GRAPH <${STAGED}${turn}:${name}> { ?s ?p ?o FILTER(?p != ${NUMBER}) }`;
  if (batch.graphs === "merged") {
    const merged = `GRAPH <${MERGED_GRAPH}> { ?s ?p ?o }`;
    const added = batch.add.length === 0 ? [] : [`INSERT { ${merged} } WHERE { ${now} ${staged("add")} }`];
    if (batch.remove.length === 0) return added;
    // Add first: the triples that lead to a record's nodes are then present, so the next step finds all that an interrupted one left.
    // And add again: some engines keep one triple for two spellings of a value, and removing one of them removes it.
    return [...added, [`DELETE { ${merged} } WHERE { ${now} ${staged("remove")} }`, ...added].join(" ;\n")];
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

/** The error for a request without effect, because another process or a late request interfered. */
function disturbed(what: string): EngineError {
  return new EngineError(`the engine did not do what was requested (${what})`);
}

/** A position as a literal. Equal positions give equal literals, so that queries can match them. */
function textOf({ sequence, mark, graphs, filledTo }: EnginePosition): string {
  return formatTerm(literal(JSON.stringify({ sequence, mark, graphs, filledTo })));
}

function positionIn(text: string): EnginePosition {
  const found = jsonIn<EnginePosition | null>(text);
  if (Number.isSafeInteger(found?.sequence)) return found!;
  throw disturbed(`its position is ${JSON.stringify(text.slice(0, 100))}`);
}
