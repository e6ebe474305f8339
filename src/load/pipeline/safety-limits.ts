/** Safety limits: they review everything that a load is about to change, warn, and stop the load when a feed has gone wrong. */
import { NamedError } from "../../base/named-error.js";
import { beginning } from "../../base/shortened.js";
import { CONTENT } from "../../model/search-paths.js";
import { className, propertyIri } from "../../model/vocabulary/vocabulary.js";
import { classesOf, objectsOf, type RecordGraph, rootOf, valuesOf } from "../../rdf/record-graph.js";
import { RDFS_LABEL } from "../../rdf/terms.js";
import type { Change } from "../../store/changes.js";
import type { HeldChange } from "../../store/store.js";
import type { PendingChange, Review } from "../../store/writable-store.js";
import type { IdentityProblem } from "../../validate/results.js";
import { describe } from "./describe.js";

export interface SafetyLimitSettings {
  /** The load is stopped when more records than this change. */
  readonly maxChanged: number;
  /** Whether an IRI that returns as another entity stops the load; otherwise it is only reported. */
  readonly strictIdentity?: boolean;
  readonly vocabBase: string;
  /** The only source whose records may change, besides new ones. Default: any. */
  readonly onlySource?: string | undefined;
  /** The spellings of the IRI of the only record that may change. Default: any record. */
  readonly onlyRecord?: readonly string[] | undefined;
  /** The source of the load. */
  readonly source?: string | undefined;
  onChange(change: PendingChange): unknown;
  /** Called with the IRI of each record that the load changes, holds or has as it is. */
  onRecord(iri: string): unknown;
  onIdentity(problem: IdentityProblem): void;
  /** Called for each record that another source brought before. */
  onTaken(taken: TakenRecord): void;
}

/** A record that a load takes from the source that brought it before. */
export interface TakenRecord {
  readonly iri: string;
  readonly source: string;
}

export type SafetyLimitReason = "too many changed" | "identity" | "other source" | "other record";

/** A safety limit that stops the publication; nothing is changed. */
export class SafetyLimitError extends NamedError {}

export class SafetyLimits implements Review {
  changed = 0;
  #identities = 0;
  #foreign: "other source" | "other record" | undefined;
  #first: string | undefined;

  constructor(private readonly settings: SafetyLimitSettings) {}

  get reason(): SafetyLimitReason | null {
    if (this.#foreign !== undefined) return this.#foreign;
    if (this.changed > this.settings.maxChanged) return "too many changed";
    return this.settings.strictIdentity && this.#identities > 0 ? "identity" : null;
  }

  onChange(change: PendingChange): void {
    const { iri, kind, source } = change;
    this.changed++;
    this.#see(iri, kind !== "create" && source !== this.settings.onlySource);
    if (kind === "update") this.#take(iri, source);
    const problem = identityProblemOf(change, this.settings.vocabBase);
    if (problem !== undefined) {
      this.#identities++;
      this.settings.onIdentity({ iri, problem });
    }
    this.settings.onChange(change);
  }

  onUnchanged(iri: string, source: string | null): void {
    this.#see(iri, source !== this.settings.onlySource);
    this.#take(iri, source);
  }

  /** A held record, too, may be changed only by its own source. */
  onHeld({ iri, source }: HeldChange): void {
    this.#see(iri, source !== undefined && source !== this.settings.onlySource);
  }

  #take(iri: string, from: string | null): void {
    const { source, onTaken } = this.settings;
    if (source !== undefined && from !== null && from !== source) onTaken({ iri, source: from });
  }

  #see(iri: string, isOfOtherSource: boolean): void {
    const { onlySource, onlyRecord } = this.settings;
    this.settings.onRecord(iri);
    if (onlySource !== undefined && isOfOtherSource) this.#foreign = "other source";
    this.#first ??= iri;
    // Two spellings would be two records.
    const isOther = iri !== this.#first || onlyRecord?.includes(iri) === false;
    if (onlyRecord !== undefined && isOther) this.#foreign = "other record";
  }

  /** Throws `SafetyLimitError`. */
  beforeCommit(): void {
    const { reason } = this;
    if (reason !== null) throw new SafetyLimitError(`a safety limit stopped the load: ${reason}`);
  }
}

/** Why a record seems to describe another entity than before, or `undefined`. */
function identityProblemOf(change: PendingChange, vocabBase: string): string | undefined {
  if (change.kind === "update") return changeOfIdentity(change.before()!, change.after()!);
  const deletion = change.kind === "create" ? change.deletion() : undefined;
  return deletion && changeSinceDeletion(deletion, change.after()!, vocabBase);
}

function changeOfIdentity(before: RecordGraph, after: RecordGraph): string | undefined {
  const [was, is] = [identityOf(before), identityOf(after)];
  if (was.classes.size > 0 && is.classes.size > 0 && areDisjoint(was.classes, is.classes))
    return `was of class ${[...was.classes].join(", ")} and comes back as ${[...is.classes].join(", ")}`;
  if (was.names.size === 0 || is.names.size === 0 || !areDisjoint(was.names.keys(), is.names)) return undefined;
  return `has no label, name or identifier in common with what it was: ${quotedNames(was.names)}; it is ${quotedNames(is.names)}`;
}

function changeSinceDeletion(deletion: Change, after: RecordGraph, vocabBase: string): string | undefined {
  const { endpoint } = describe(after, vocabBase);
  const { names } = identityOf(after);
  if (deletion.endpoint !== null && endpoint !== deletion.endpoint)
    return `was deleted as a record of ${deletion.endpoint} and comes back as one of ${endpoint ?? "no endpoint"}`;
  if (deletion.label === "" || names.size === 0 || names.has(normalized(deletion.label))) return undefined;
  return `was deleted as ${JSON.stringify(deletion.label)} and comes back as ${quotedNames(names)}`;
}

const IDENTIFIED_BY = propertyIri("identified_by")!;

/** The classes of a record's entity, and its label, names and identifiers by their normalized forms. */
function identityOf(graph: RecordGraph) {
  const root = rootOf(graph);
  const contents = objectsOf(graph, root, IDENTIFIED_BY).flatMap((node) => valuesOf(graph, node, CONTENT));
  const names = [...valuesOf(graph, root, RDFS_LABEL), ...contents];
  return {
    classes: new Set(classesOf(graph).map((iri) => className(iri) ?? iri)),
    names: new Map(names.map((name) => [normalized(name), name])),
  };
}

/** Names are compared without regard to capitals, diacritics and spacing. */
function normalized(name: string): string {
  return name.normalize("NFKD").replace(/\p{M}/gu, "").replace(/\s+/g, " ").trim().toLowerCase();
}

function areDisjoint(one: Iterable<string>, other: { has(name: string): boolean }): boolean {
  return ![...one].some((each) => other.has(each));
}

/** A message quotes at most this many names. */
const MAX_NAMES = 3;

function quotedNames(names: ReadonlyMap<string, string>): string {
  const some = [...names.values()].slice(0, MAX_NAMES).map((name) => JSON.stringify(beginning(name, 80)));
  return names.size > MAX_NAMES ? `${some.join(", ")} ...` : some.join(", ");
}
