/** The process of a managed engine: started, polled until it answers, and never left behind. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { request } from "../../base/http-client.js";
import { EngineError } from "../../engine/engine-client.js";
import type { EngineHome, ManagedKind } from "./managed-kind.js";

/** Milliseconds between two polls for an answer. */
const LOOK = 50;
/** Milliseconds until a process that was told to end is killed. Nothing is lost then: the engine recovers from its log. */
const GRACE = 2_000;

/** The installed version of an engine. Throws `EngineError` if it is not installed. */
export async function installedVersion({ program, package: name, version }: ManagedKind): Promise<string> {
  const running = promisify(execFile)(program, [...version.args]);
  // Some programs exit with an error status when they only print their version.
  const output = await running.catch((error: NodeJS.ErrnoException & { stdout?: string; stderr?: string }) => error);
  if ("code" in output && output.code === "ENOENT")
    throw new EngineError(`${program} is not installed: apt-get install ${name}`);
  return version.pattern.exec(`${output.stdout}\n${output.stderr}`)?.[0] ?? "unknown";
}

/** Two free ports of the loopback interface. */
export async function freePorts(): Promise<[number, number]> {
  await using one = createServer().listen(0, "127.0.0.1");
  await using other = createServer().listen(0, "127.0.0.1");
  await Promise.all([one, other].map((server) => once(server, "listening")));
  return [(one.address() as AddressInfo).port, (other.address() as AddressInfo).port];
}

export class EngineProcess {
  readonly #child: ChildProcess;
  readonly pid: number | undefined;
  readonly ended: Promise<string>;

  constructor(kind: ManagedKind, home: EngineHome) {
    const log = openSync(join(home.folder, "output.log"), "w", 0o600);
    // The kernel kills the engine when this process ends, however it ends.
    const args = ["--pdeathsig", "KILL", kind.program, ...kind.prepare(home)];
    this.#child = spawn("setpriv", args, { cwd: home.folder, stdio: ["ignore", log, log] });
    this.pid = this.#child.pid;
    closeSync(log);
    this.ended = new Promise((resolve) => {
      this.#child.once("error", ({ message }) => resolve(message));
      this.#child.once("exit", (status, signal) => resolve(`it ended with ${signal ?? `status ${status}`}`));
    });
    // Answering entity requests has priority over queries.
    if (this.pid !== undefined) setPriority(this.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  }

  /** Resolves when the engine answers requests, with any status. @param signal aborts when the process ends */
  async answers(url: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const answer = await request(url, { signal }).catch(() => undefined);
      await answer?.body.dump();
      if (answer !== undefined) return;
      await sleep(LOOK, undefined, { signal });
    }
  }

  /** End the process, by force after `GRACE` milliseconds. */
  async end(): Promise<void> {
    this.#child.kill("SIGTERM");
    const late = setTimeout(() => this.#child.kill("SIGKILL"), GRACE);
    await this.ended;
    clearTimeout(late);
  }
}
