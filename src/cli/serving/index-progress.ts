/** The progress of the index for SPARQL, whenever it is filled: from the start or anew. */
import { counted } from "../../base/counted.js";
import type { EngineState } from "../../query/engine.js";

/** Milliseconds between two looks, and between two lines. */
const LOOK = 200;
const LINE = 10_000;

interface IndexProgress {
  /** A line that stays. */
  line(text: string, isError?: boolean): void;
  /** A line that the next one takes the place of; where there is none, lines are told now and then. */
  rewrite?(text: string): void;
  /** The index that is filled. Default: the one for SPARQL. */
  readonly what?: string;
}

/** Tell of an index until the function that this returns is called. Short fillings are told of only at their end. */
export function reportIndex(
  state: () => EngineState,
  { line, rewrite, what = "the index for SPARQL" }: IndexProgress,
): () => void {
  let filling: { readonly since: number; told: number } | undefined;
  let wasReady = false;
  const look = (): void => {
    const { state: now, done, total, detail, leftOut = [] } = state();
    const time = performance.now();
    if (now === "filling") {
      if (wasReady) line(`${what} is not available: it is being filled, and queries get 503 meanwhile`);
      wasReady = false;
      filling ??= { since: time, told: time };
      // Why it cannot be filled is told once, by the engine.
      if (detail !== undefined) return;
      const text =
        total === 0
          ? `starting ${what}`
          : `filling ${what}: ${Math.floor((done / total) * 100)} % of ${counted(total, "triple")}`;
      if (rewrite !== undefined) rewrite(text);
      else if (time - filling.told >= LINE) {
        filling.told = time;
        line(text);
      }
    } else if (now === "ready" && !wasReady) {
      rewrite?.("");
      const seconds = filling === undefined ? 0 : (time - filling.since) / 1_000;
      const without = leftOut.length === 0 ? "" : `, without ${counted(leftOut.length, "record")} that it cannot read`;
      const text = `${what} is ready${without}: ${counted(done, "triple")} in ${seconds.toFixed(1)} s`;
      line(text, without !== "");
      wasReady = true;
      filling = undefined;
    }
  };
  const timer = setInterval(look, LOOK);
  timer.unref();
  look();
  return () => {
    clearInterval(timer);
    if (filling !== undefined) rewrite?.("");
  };
}
