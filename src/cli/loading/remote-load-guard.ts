/** Loads and deletions that a service was sent: what they wait for, and what they must find to go on. */
import { setTimeout as sleep } from "node:timers/promises";
import { ANY_RECORD, HASH_DIFFERS, NO_RECORD } from "../../http/loads/loads.js";
import { entityTag, hashOfTag } from "../../http/message/headers/conditions.js";
import { atIntervals, type LoadProgress } from "../../load/pipeline/progress.js";
import { openSearchedForLoading } from "../../search/open.js";
import { StoreLockedError } from "../../store/errors.js";
import { ensureStore, type LoadableStore } from "../../store/open.js";
import type { HeldChange, Store } from "../../store/store.js";
import type { PendingChange, Review } from "../../store/writable-store.js";
import type { Terminal } from "../main/command.js";
import { UsageError } from "../settings/options.js";

/** The standard input; of a load that a service was sent, what counts as whole only once the service says so. */
export function inputOf({ stdin, channel }: Terminal): AsyncIterable<Uint8Array | string> {
  return channel === undefined ? stdin : confirmed(stdin, channel.isWhole);
}

/** Where the sender or the service dies, a pipe ends like one that brought everything. Throws `UsageError` unless it is confirmed that all came. */
async function* confirmed(
  input: AsyncIterable<Uint8Array | string>,
  isWhole: () => Promise<boolean>,
): AsyncIterable<Uint8Array | string> {
  const confirmation = isWhole();
  yield* input;
  if (!(await confirmation)) throw new UsageError("the connection was cut before all was sent: nothing was loaded");
}

/** A store that is there, for what changes its records, as `openWhenFree` gives it: a name that was mistyped makes none. Throws `StoreError`. */
export async function openToChange(
  directory: string,
  waits: boolean,
  terminal: Pick<Terminal, "stderr" | "interrupted">,
): Promise<LoadableStore> {
  await ensureStore({ directory });
  return openWhenFree(directory, waits, terminal);
}

/** The store for loading, once nobody else loads where that is to be waited for. Throws `StoreError`. */
export async function openWhenFree(
  directory: string,
  waits: boolean,
  { stderr, interrupted: signal }: Pick<Terminal, "stderr" | "interrupted">,
): Promise<LoadableStore> {
  for (;;) {
    try {
      return await openSearchedForLoading({ directory }, (problem) => stderr.write(`warning: ${problem}\n`));
    } catch (error) {
      if (!waits || !(error instanceof StoreLockedError)) throw error;
    }
    await sleep(200, undefined, { signal });
  }
}

/** Throws `UsageError` where the record that may change is not as its sender believes. */
export async function checkHash({ channel }: Terminal, store: Store): Promise<void> {
  const { onlyRecord: iri, hash: wanted, unmodifiedSince = Number.POSITIVE_INFINITY } = channel?.conditions ?? {};
  if (iri === undefined) return;
  const found = (await store.find(iri)) ?? store.held?.find(iri);
  const is = found === undefined ? NO_RECORD : hashOfTag(entityTag(found.hash, ""));
  const isMet = wanted === ANY_RECORD ? is !== NO_RECORD : wanted === undefined || wanted.split(",").includes(is);
  const isLater = found !== undefined && Math.floor(found.modified / 1_000) * 1_000 > unmodifiedSince;
  if (!isMet || isLater) throw new UsageError(`the record <${iri}> ${HASH_DIFFERS}: nothing was changed`);
}

/** Stops deletions of records of any other source, where only one may change. */
export function onlySource(only: string | undefined): Review {
  let foreign: string | undefined;
  const look = ({ iri, source }: PendingChange | HeldChange): void => {
    if (only !== undefined && source !== only) foreign ??= iri;
  };
  return {
    onChange: look,
    onHeld: look,
    beforeCommit() {
      if (foreign !== undefined) throw new UsageError(`nothing was deleted: <${foreign}> has another source`);
    },
  };
}

/** Milliseconds between two lines of progress. */
const INTERVAL = 500;

/** Progress as lines of JSON. */
export function lineProgress(line: (value: object) => void): LoadProgress {
  let quads = 0;
  const due = atIntervals(INTERVAL);
  return {
    readQuads(read) {
      quads = read;
    },
    made(records, triples) {
      if (due() !== undefined) line({ progress: { records, quads: Math.max(quads, triples) } });
    },
    publishing: () => line({ progress: { publishing: true } }),
    indexed(indexed) {
      if (due() !== undefined) line({ progress: { indexed } });
    },
    [Symbol.dispose]: () => {},
  };
}
