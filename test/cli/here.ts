/** What a service starts beside itself and what loads into its store, all in this process. */
import { EventEmitter } from "node:events";
import { PassThrough, Readable, type Writable } from "node:stream";
import { main } from "../../src/cli/main/main.js";
import { WHOLE_INPUT } from "../../src/cli/main/terminal.js";
import type { LoadConditions, StartedCommand } from "../../src/http/loads/loads.js";
import { openEnvironment } from "../../src/store/embedded/format/database.js";
import { RECORDS } from "../../src/store/embedded/format/files.js";

/**
 * Let this process load into a store that it serves: LMDB opens a file once a process, and the first to open it decides whether it can be
 * written to. Resolves what ends that.
 */
export function lettingWrite(store: string): () => Promise<void> {
  const environment = openEnvironment(`${store}/${RECORDS}`, false);
  return () => environment.close();
}

/** Run a command as a service does in a process of its own. */
export function startHere(args: readonly string[], conditions: LoadConditions): StartedCommand {
  return new CommandHere(args, conditions) as unknown as StartedCommand;
}

class CommandHere extends EventEmitter {
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly stdin: Writable;
  connected = true;
  readonly #interrupt = new AbortController();
  #tell!: (isWhole: boolean) => void;

  constructor(args: readonly string[], conditions: LoadConditions) {
    super();
    const { input, output } = pipe();
    this.stdin = output;
    const isWhole = new Promise<boolean>((resolve) => {
      this.#tell = resolve;
    });
    const { stdout, stderr } = this;
    const streams = { stdin: input, stdout, stderr, environment: {}, channel: { conditions, isWhole: () => isWhole } };
    void main(args, { ...streams, interrupted: this.#interrupt.signal }).then((status) => {
      stdout.end();
      stderr.end();
      this.emit("exit", status, null);
    });
  }

  send(message: unknown): boolean {
    this.#tell(message === WHOLE_INPUT);
    return true;
  }

  disconnect(): void {
    this.connected = false;
    this.#tell(false);
  }

  kill(): boolean {
    this.#interrupt.abort();
    return true;
  }
}

/** The two ends of a pipe: it ends as well for who reads when it is destroyed at the other end. */
function pipe(): { readonly input: Readable; readonly output: Writable } {
  const output = new PassThrough();
  return { input: Readable.from(untilDestroyed(output), { objectMode: false }), output };
}

async function* untilDestroyed(output: PassThrough): AsyncIterable<Buffer> {
  try {
    yield* output;
  } catch {
    // A pipe does not tell its reader why there is no more.
  }
}
