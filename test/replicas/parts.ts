/** The parts of a service of replicas, each a process that is started again when it ends, as a supervisor does. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** Whether these programs are installed; where one is not, what needs it is skipped, saying so. */
export function areInstalled(...programs: readonly string[]): boolean {
  return programs.every((program) => {
    try {
      execFileSync("which", [program], { stdio: "ignore" });
      return true;
    } catch {
      console.warn(`${program} is not installed: what needs it is not tested`);
      return false;
    }
  });
}

/** Milliseconds until a part that ended is started again. */
const RESTART = 200;

export class Part {
  #child: ChildProcess | undefined;
  #isWanted = false;
  #running: Promise<void> | undefined;
  /** What it said last. */
  #said = "";

  constructor(
    readonly name: string,
    private readonly command: string,
    private readonly args: () => readonly string[],
  ) {}

  start(): void {
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  /** What it said last. */
  get said(): string {
    return this.#said;
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  kill(): void {
    this.#child?.kill("SIGKILL");
  }

  /** End it for good. */
  async stop(): Promise<void> {
    this.#isWanted = false;
    this.#child?.kill("SIGKILL");
    await this.#running;
    this.#running = undefined;
  }

  async #run(): Promise<void> {
    while (this.#isWanted) {
      const child = spawn(this.command, [...this.args()], { stdio: ["ignore", "ignore", "pipe"] });
      this.#child = child;
      child.stderr!.on("data", (chunk: Buffer) => {
        this.#said = `${this.#said}${chunk}`.slice(-2_000);
      });
      await once(child, "exit");
      if (this.#isWanted) await sleep(RESTART);
    }
  }
}
