/** Ranges of the find table for a search: places of records in the order in which they are answered. */
import { FOUND, type FoundKind, formBytes, foundKey, HEADED, isInline, MAX_FORM_BYTES } from "../format/found.js";
import { type Cut, type FoundTable, isBefore, past, RecordList, recordNumbers, upTo } from "./postings.js";

/** A place: the rank of the match, the form that sorts before labels where beginnings match, and the record (label and number). */
export interface Place {
  readonly rank: number;
  readonly form: Buffer;
  readonly record: Buffer;
}

/** A text that is looked for. */
export interface Sought {
  readonly form: string;
  readonly words: readonly string[];
  /** What it may be: names, identifiers, and words of any text. */
  readonly among: "name" | "identifier" | "text";
}

export const RANK = { value: 0, prefix: 1, words: 2, wordPrefix: 3, text: 4 } as const;
const LAST_RANK = 4;

export const NO_FORM: Buffer = Buffer.alloc(0);

export interface Walk {
  readonly table: FoundTable;
  readonly endpoints: readonly number[];
  readonly isBackward: boolean;
  /** Called for each step of a search for words; whether it is to be given up for now. */
  isSpent(): boolean;
}

/** Places of records that may match, each once a rank, from one on, which is not among them. `isOpen`: nothing is there, and the walk goes on. */
export function* placesOf(
  walk: Walk,
  sought: Sought,
  from: Place | undefined,
): Iterable<Place & { readonly isOpen?: true }> {
  const ranks = [...Array(LAST_RANK + 1).keys()].filter((rank) => applies(sought, rank));
  for (const rank of walk.isBackward ? ranks.reverse() : ranks) {
    if (from !== undefined && (walk.isBackward ? rank > from.rank : rank < from.rank)) continue;
    const start = from?.rank === rank ? from : undefined;
    let last: Place | undefined;
    for (const place of ofRank(walk, sought, rank, start)) {
      const isSame = last?.record.equals(place.record) === true && last.form.equals(place.form);
      if (!isSame || place.isOpen === true) yield { rank, ...place };
      last = { rank, ...place };
    }
  }
}

/** Identifiers are found by their values alone, and words of other texts by `text` alone. */
function applies({ among, words }: Sought, rank: number): boolean {
  if (rank <= RANK.prefix) return true;
  return among !== "identifier" && words.length > 0 && (rank !== RANK.text || among === "text");
}

type Step = Omit<Place, "rank"> & { readonly isOpen?: true };

function ofRank(walk: Walk, { form, words, among }: Sought, rank: number, from: Step | undefined): Iterable<Step> {
  const values = { name: [FOUND.name], identifier: [FOUND.identifier], text: [FOUND.name, FOUND.identifier] }[among];
  const keyOf = (kind: FoundKind, endpoint: number, text: string): Buffer => foundKey(kind, endpoint, formBytes(text));
  const all = (endpoint: number, texts: readonly string[], ...kinds: FoundKind[]): Iterable<Step> =>
    together(
      walk,
      texts.map((text) => kinds.map((kind) => keyOf(kind, endpoint, text))),
      from,
    );
  const steps = (endpoint: number): readonly Iterable<Step>[] => {
    switch (rank) {
      case RANK.value:
        return [all(endpoint, [form], ...values)];
      case RANK.prefix:
        return values.map((kind) => ofPrefix(walk, keyOf(kind, endpoint, form), from));
      case RANK.words:
        return [all(endpoint, words, FOUND.nameWord)];
      case RANK.wordPrefix:
        if (words.length > 1) return [all(endpoint, words.slice(0, -1), FOUND.nameWord)];
        return [ofPrefix(walk, keyOf(FOUND.nameWord, endpoint, words[0]!), from)];
      default:
        return [all(endpoint, words, FOUND.nameWord, FOUND.textWord)];
    }
  };
  return mergedSteps(walk.endpoints.flatMap(steps), walk.isBackward);
}

/** The records that all of some texts have; each text has the keys that it may be under. */
function* together(walk: Walk, keys: readonly (readonly Buffer[])[], from: Step | undefined): Iterable<Step> {
  const { table, isBackward } = walk;
  const lists = keys.map((each) => new RecordList(table, each, isBackward)).sort((a, b) => a.count - b.count);
  let cut = from === undefined ? undefined : past(from.record, isBackward);
  for (;;) {
    const first = lists[0]!.from(cut);
    if (first === undefined) return;
    let farthest = first;
    for (const list of lists.slice(1)) {
      const next = list.from(upTo(first, isBackward));
      if (next === undefined) return;
      if (isBefore(farthest, next, isBackward)) farthest = next;
    }
    if (farthest === first) {
      yield { form: NO_FORM, record: first };
      cut = past(first, isBackward);
    } else {
      if (walk.isSpent()) yield { form: NO_FORM, record: first, isOpen: true };
      cut = upTo(farthest, isBackward);
    }
  }
}

/** Entries of the table that are read at once. */
const PART = 32;

/** The records of the keys that begin as one does and go on, in the order of keys. */
function* ofPrefix({ table, isBackward }: Walk, prefix: Buffer, from: Step | undefined): Iterable<Step> {
  const records = function* (key: Buffer, cut: Cut | undefined): Iterable<Step> {
    let at = cut;
    for (;;) {
      const part = recordNumbers(table, key, at, isBackward, PART);
      for (const record of part) yield { form: key.subarray(1), record };
      if (part.length < PART) return;
      at = past(part.at(-1)!, isBackward);
    }
  };
  // A form that was cut is how longer ones begin, and no key goes on behind it.
  if (prefix.length === 1 + MAX_FORM_BYTES) {
    yield* records(prefix, from === undefined ? undefined : past(from.record, isBackward));
    return;
  }
  const end = Buffer.concat([prefix, Buffer.of(0xff)]);
  let key = from === undefined ? undefined : Buffer.concat([prefix.subarray(0, 1), from.form]);
  if (key !== undefined) yield* records(key, past(from!.record, isBackward));
  for (;;) {
    // Forms have no bytes below the space, so that the blocks of a key are left behind.
    const range: Buffer[] = isBackward
      ? [...table.getKeys({ start: key ?? end, end: prefix, reverse: true, limit: PART })]
      : [...table.getKeys({ start: Buffer.concat([key ?? prefix, Buffer.of(1)]), end, limit: PART })];
    const before: Buffer | undefined = key;
    for (const found of range) {
      const zero = found.indexOf(0, HEADED);
      const whole = Buffer.from(zero === -1 ? found : found.subarray(0, zero));
      // The key itself is the whole value, which has a rank of its own.
      if (whole.length === prefix.length || (key !== undefined && whole.equals(key))) continue;
      key = whole;
      yield* records(whole, undefined);
      if (zero !== -1 || !isInline(table.getBinary(whole) ?? NO_FORM)) break;
    }
    if (key === before) return;
  }
}

/** Steps in order as one walk in order; each source is asked for its next one only when it is needed. */
function* mergedSteps(sources: readonly Iterable<Step>[], isBackward: boolean): Iterable<Step> {
  const heads = sources.map((source) => {
    const steps = source[Symbol.iterator]();
    return { steps, next: steps.next() };
  });
  for (;;) {
    let best: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.next.done === true) continue;
      if (best === undefined || isAhead(head.next.value, best.next.value as Step, isBackward)) best = head;
    }
    if (best === undefined) return;
    yield best.next.value as Step;
    best.next = best.steps.next();
  }
}

function isAhead(a: Step, b: Step, isBackward: boolean): boolean {
  const order = a.form.compare(b.form) || a.record.compare(b.record);
  return isBackward ? order > 0 : order < 0;
}
