/** Versions of a record by time (Memento, RFC 7089): all of them, and the one current at a time. */
import type { Change, ChangeLog, Versions } from "../../store/changes.js";
import { target } from "../message/headers/link.js";
import { fromStore } from "../message/problems/problems.js";
import { equivalents } from "./iri-equivalents.js";

/** Every change of a record, the oldest first. */
export function lifeOf(log: ChangeLog, iri: string): Promise<readonly Change[]> {
  return fromStore(() => log.page({ iri, limit: Number.MAX_SAFE_INTEGER }));
}

/** Every change of the first of these IRIs, or else of their other spellings, that ever had a record. */
export async function lifeOfAny(log: ChangeLog, iris: readonly string[]): Promise<readonly Change[]> {
  for (const iri of [...iris, ...iris.flatMap(equivalents)]) {
    const life = await lifeOf(log, iri);
    if (life.length > 0) return life;
  }
  return [];
}

/** Whether a record exists after a change. */
export function isVersion({ kind }: Change): boolean {
  return kind === "create" || kind === "update";
}

/** The change that made the version of a time, which counts to the second, as in HTTP dates. Before all changes, the first version's (RFC 7089, 4.5.3); `undefined` after a deletion. */
export function currentAt(life: readonly Change[], time: number): Change | undefined {
  const second = Math.floor(time / 1_000);
  const last = life.findLast((change) => Math.floor(change.time / 1_000) <= second);
  if (last === undefined) return life.find(isVersion);
  return isVersion(last) ? last : undefined;
}

/** Whether the store has the version that a change made. Rejects with `StoreUnavailableError`. */
export async function isKept(versions: Versions, { sequence }: Change): Promise<boolean> {
  return (await fromStore(() => versions.find(sequence))) !== undefined;
}

/** The first of these versions that the store has kept, if there is one. */
export async function keptOf(versions: Versions, some: readonly Change[]): Promise<Change | undefined> {
  for (const version of some) if (await isKept(versions, version)) return version;
  return undefined;
}

/** The version to serve for a time: the one current then; before all changes, the first one kept; after the record was deleted, the last one (RFC 7089, 4.5.3). */
export async function mementoAt(versions: Versions, life: readonly Change[], time: number) {
  const isBy = (change: Change): boolean => Math.floor(change.time / 1_000) <= Math.floor(time / 1_000);
  const end = life.at(-1);
  if (end !== undefined && !isVersion(end) && isBy(end)) return life.findLast(isVersion);
  const current = currentAt(life, time);
  return current === undefined || isBy(current) ? current : keptOf(versions, life.filter(isVersion));
}

/** The URL of a version, by the sequence number of the change that made it. */
export function versionUrl(base: string, sequence: number): string {
  return `${base}/versions/${sequence}`;
}

/** The URL of the list of a record's versions. */
export function timeMapUrl(base: string, iri: string): string {
  return `${base}/versions?uri=${encodeURIComponent(iri)}`;
}

/** The links from a record to its versions: the entity is its own TimeGate (RFC 7089, 4.1.1). */
export function mementoLinks(base: string, iri: string, url: string): string {
  const timeMap = `${target(timeMapUrl(base, iri))}; rel="timemap"; type="application/link-format"`;
  return `${target(iri)}; rel="original", ${target(url)}; rel="timegate", ${timeMap}`;
}

/** The link to a version. */
export function mementoLink(base: string, { sequence, time }: Change, relation: string): string {
  return `${target(versionUrl(base, sequence))}; rel="${relation}"; datetime="${new Date(time).toUTCString()}"`;
}
