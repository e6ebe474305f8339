/** The progress of filling the index for SPARQL, the first time and whenever it is filled again. */
import { counted } from "../../base/counted.js";
import type { EngineState } from "../../query/engine.js";
import type { TerminalWords } from "../main/terminal.js";

/** The milliseconds between two checks of the state, and between two lines. */
const LOOK = 200;
const LINE = 10_000;

/** Report the progress of an index until the returned function is called, which reports the last state. A short filling is reported only at its end. @param line writes a line that stays @param stderr the terminal on which the next line replaces the last; without it, lines are rarer */
export function reportIndex(
  state: () => EngineState,
  line: (text: string, isError?: boolean) => void,
  what = "the index for SPARQL",
  stderr?: Pick<TerminalWords, "isTTY" | "rewrite">,
): () => void {
  const terminal = stderr?.isTTY ? stderr : undefined;
  let filling: { readonly since: number; reported: number } | undefined;
  let wasReady = false;
  const look = (): void => {
    const { state: now, done, total, detail, leftOut = [] } = state();
    const time = performance.now();
    if (now === "filling") {
      if (wasReady) line(`${what} is not available: it is being filled, and queries wait or get 503 meanwhile`);
      wasReady = false;
      filling ??= { since: time, reported: time };
      // The engine itself reports, once, why the index cannot be filled.
      if (detail !== undefined) return;
      const text =
        total === 0
          ? `starting ${what}`
          : `filling ${what}: ${Math.floor((done / total) * 100)} % of ${counted(total, "triple")}`;
      if (terminal !== undefined) terminal.rewrite(text);
      else if (time - filling.reported >= LINE) {
        filling.reported = time;
        line(text);
      }
    } else if (now === "ready" && !wasReady) {
      terminal?.rewrite("");
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
    look();
    if (filling !== undefined) terminal?.rewrite("");
  };
}
