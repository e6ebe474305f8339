/** The progress of a load: a moving bar on a terminal, a plain line now and then elsewhere. */
import { counted, grouped } from "../../base/counted.js";
import type { Source } from "../read/sources.js";

export interface LoadProgress extends Disposable {
  /** Called with the numbers of quads read, of records made and of their triples, all so far. Quads become records once all are read. `sources` know how much of them has been read. */
  made(quads: number, records: number, triples: number, sources: readonly Source[]): void;
  publishing(): void;
  /** Called with the share of the published records that is ready to be searched. */
  indexed(share: number): void;
}

/** Milliseconds between two lines. */
const TERMINAL_INTERVAL = 200;
const PLAIN_INTERVAL = 10_000;

const BAR = 24;

/** Reading and sorting quads takes about a third of the time, making records of them the rest (measured). */
const READING_QUADS = 1 / 3;

interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
  /** Replace the current line of the terminal. */
  rewrite(text: string): unknown;
}

/** A function that returns the time at most once in this many milliseconds, and `undefined` in between. */
export function atIntervals(milliseconds: number, now: () => number = () => performance.now(), last = now()) {
  return (): number | undefined => {
    const time = now();
    if (time - last < milliseconds) return undefined;
    last = time;
    return time;
  };
}

/** Progress on a stream, such as standard error. */
export function streamProgress(stream: ProgressStream, now: () => number = () => performance.now()): LoadProgress {
  const isTerminal = stream.isTTY === true;
  const started = now();
  let shown = false;
  const show = (text: string): void => {
    if (isTerminal) stream.rewrite(text);
    else stream.write(`${text}\n`);
    shown = isTerminal;
  };
  const due = atIntervals(isTerminal ? TERMINAL_INTERVAL : PLAIN_INTERVAL, now, started);
  return {
    made(quads, records, triples, sources) {
      const time = due();
      if (time === undefined) return;
      const seconds = (time - started) / 1000;
      const share = shareDone(shareRead(sources), quads, triples);
      const words = wordsOf(records, Math.max(quads, triples), seconds);
      if (share === undefined || share === 0) show(words.join(", "));
      else if (isTerminal) show(`${barOf(share)} ${[...words, timeLeft(share, seconds)].join("  ")}`);
      else show([percentage(share), ...words, timeLeft(share, seconds)].join(", "));
    },
    publishing() {
      if (isTerminal || now() - started > PLAIN_INTERVAL) show("publishing ...");
    },
    indexed(share) {
      if (due() !== undefined) show(`published; ready to be searched: ${percentage(share)}`);
    },
    [Symbol.dispose]() {
      if (shown) stream.rewrite("");
    },
  };
}

function wordsOf(records: number, quads: number, seconds: number): string[] {
  const rate = Math.round(quads / Math.max(seconds, 0.001));
  return [records === 0 ? `${grouped(quads)} quads` : counted(records, "record"), `${grouped(rate)} quads/s`];
}

function barOf(share: number): string {
  const done = Math.round(share * BAR);
  return `[${"=".repeat(done)}${" ".repeat(BAR - done)}] ${percentage(share).padStart(5)}`;
}

function percentage(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function timeLeft(share: number, seconds: number): string {
  const left = Math.round((seconds * (1 - share)) / share);
  return left < 120 ? `about ${left} s left` : `about ${Math.round(left / 60)} min left`;
}

/** The share of the work that is done: reading and, for quads, making records. */
function shareDone(read: number | undefined, quads: number, triples: number): number | undefined {
  if (read === undefined || quads === 0) return read;
  return READING_QUADS * read + (1 - READING_QUADS) * Math.min(1, triples / quads);
}

/** The share of all bytes that has been read, or `undefined` when a size is unknown. */
function shareRead(sources: readonly Source[]): number | undefined {
  const read = sources.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  const all = sources.reduce((sum, { size = Number.NaN }) => sum + size, 0);
  return all > 0 ? Math.min(1, read / all) : undefined;
}
