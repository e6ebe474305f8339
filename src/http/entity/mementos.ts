/** Earlier versions of a record by time (Memento, RFC 7089): which there are, and which was current then. */
import type { Change, ChangeLog } from "../../store/changes.js";
import { target } from "../message/headers/link.js";
import { fromStore } from "../message/problems/problems.js";

const PAGE = 1_000;

/** The life of a record: every change, the oldest first. */
export async function lifeOf(log: ChangeLog, iri: string): Promise<readonly Change[]> {
  const life: Change[] = [];
  for (;;) {
    const changes = await fromStore(() => log.page({ iri, offset: life.length, limit: PAGE }));
    life.push(...changes);
    if (changes.length < PAGE) return life;
  }
}

/** Whether there is a record after a change. */
export function isVersion({ kind }: Change): boolean {
  return kind === "create" || kind === "update";
}

/** The change that made what was current: the last of that second, as HTTP's dates know no less; before the first version, that (RFC 7089, 4.5.3). */
export function currentAt(life: readonly Change[], time: number): Change | undefined {
  const second = Math.floor(time / 1_000);
  const last = life.findLast((change) => Math.floor(change.time / 1_000) <= second);
  if (last === undefined) return life.find(isVersion);
  return isVersion(last) ? last : undefined;
}

/** The version to give for a time: what was current then; after the end of a life the last of it (RFC 7089, 4.5.3). */
export function mementoAt(life: readonly Change[], time: number): Change | undefined {
  const end = life.at(-1);
  const isOver = end !== undefined && !isVersion(end) && Math.floor(end.time / 1_000) <= Math.floor(time / 1_000);
  return isOver ? life.findLast(isVersion) : currentAt(life, time);
}

/** Where a version of a record is: by the number of the change that made it. */
export function versionUrl(base: string, sequence: number): string {
  return `${base}/versions/${sequence}`;
}

/** Where the list of the versions of a record is. */
export function timeMapUrl(base: string, iri: string): string {
  return `${base}/versions?uri=${encodeURIComponent(iri)}`;
}

/** The links from a record to its versions: the entity is its own TimeGate (RFC 7089, 4.1.1). */
export function mementoLinks(base: string, iri: string, url: string): string {
  const timeMap = `${target(timeMapUrl(base, iri))}; rel="timemap"; type="application/link-format"`;
  return `${target(iri)}; rel="original", ${target(url)}; rel="timegate", ${timeMap}`;
}

/** A version in a list of links. */
export function mementoLink(base: string, { sequence, time }: Change, relation: string): string {
  return `${target(versionUrl(base, sequence))}; rel="${relation}"; datetime="${new Date(time).toUTCString()}"`;
}
