/** Tells how far a load is: a line that moves on a terminal, a plain line now and then elsewhere. */
import type { Source } from "./sources.js";

export interface LoadProgress {
  /** So many records were read so far, from sources that know how much of them is read. */
  read(records: number, sources: readonly Source[]): void;
  publishing(): void;
  /** Leave the terminal clean. */
  end(): void;
}

/** Milliseconds between two lines. */
const TERMINAL_INTERVAL = 200;
const PLAIN_INTERVAL = 10_000;

/** Progress on a stream, such as standard error. */
export function streamProgress(stream: { write(text: string): unknown; readonly isTTY?: boolean }): LoadProgress {
  const isTerminal = stream.isTTY === true;
  const started = performance.now();
  let last = started;
  let shown = false;
  const show = (text: string): void => {
    stream.write(isTerminal ? `\r\x1b[K${text}` : `${text}\n`);
    shown = isTerminal;
  };
  return {
    read(records, sources) {
      const now = performance.now();
      if (now - last < (isTerminal ? TERMINAL_INTERVAL : PLAIN_INTERVAL)) return;
      last = now;
      show(describe(records, sources, (now - started) / 1000));
    },
    publishing() {
      if (isTerminal || performance.now() - started > PLAIN_INTERVAL) show("publishing ...");
    },
    end() {
      if (shown) stream.write("\r\x1b[K");
    },
  };
}

function describe(records: number, sources: readonly Source[], seconds: number): string {
  const count = records.toLocaleString("en");
  const rate = Math.round(records / seconds).toLocaleString("en");
  const share = shareRead(sources);
  if (share === undefined || share === 0) return `${count} records, ${rate} a second`;
  const left = Math.round((seconds * (1 - share)) / share);
  return `${count} records, ${rate} a second, ${Math.round(share * 100)} % read, about ${left} s left`;
}

/** The share of all bytes that were read, or `undefined` when some size is unknown. */
function shareRead(sources: readonly Source[]): number | undefined {
  let size = 0;
  let read = 0;
  for (const source of sources) {
    if (source.size === undefined) return undefined;
    size += source.size;
    read += source.bytesRead;
  }
  return size === 0 ? undefined : read / size;
}
