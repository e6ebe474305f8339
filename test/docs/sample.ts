/** The README's beginning, but for the installing, in a process of its own and on a free port, with a store of its own. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Built, start } from "../cli/built.js";
import { NPM_START } from "./pages.js";

export class Sample {
  readonly #project = process.cwd();
  #folder = "";
  #service: Built | undefined;

  /** @param isQueried whether something asks it a query, so that it needs an index */
  constructor(readonly isQueried: boolean) {}

  /** Where it listens; it is started when that is first asked for. */
  async url(): Promise<string> {
    this.#service ??= this.#start();
    const [, port] = await this.#service.told(/listening on http:\S+:(\d+)\//);
    return `http://localhost:${port!}`;
  }

  /** Resolves once it answers all queries. */
  async indexed(): Promise<void> {
    await this.#service?.told(/the index for SPARQL is ready/);
  }

  /** End it as a container or a supervisor does, by a signal to npm alone; resolves to what it said once nothing of it is left. */
  async stop(): Promise<string> {
    const service = this.#service;
    if (service === undefined) return "";
    this.#service = undefined;
    const left = once(service.process.stderr!, "close");
    process.kill(service.pid, "SIGTERM");
    await Promise.all([left, service.ended]);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    return service.stderr();
  }

  #start(): Built {
    this.#folder = mkdtempSync(join(tmpdir(), "vitrine-sample-"));
    const environment = [`VITRINE_STORE=${join(this.#folder, "store")}`, "VITRINE_PORT=0"];
    if (!this.isQueried) environment.push("VITRINE_SPARQL_ACCESS=off");
    // The build is the test's own: nothing else is to be done before.
    const line = NPM_START.replace("npm ci && ", "").concat(" --ignore-scripts");
    // A process group of its own, as a terminal gives it one; what `start` adds is no part of the shell's command.
    return start([], ["setsid", "env", "-C", this.#project, ...environment, "bash", "-c", line]);
  }
}
