/** The machine on which the commands of a page run: a folder in place of its disk, and services where pages have them. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServing } from "../cli/built.js";
import { begin, type Outcome, type Running, run, serve } from "../cli/run.js";
import { type OxigraphEngine, startOxigraphEngine } from "../query/remote/oxigraph-engine.js";
import { BASE } from "./scene.js";
import { shell } from "./shell.js";

/** Looks at a service that a command has begun, before it is ended. */
export type Look = (url: string) => Promise<void>;

const QUIET = ["--sparql-access", "off"];

export class Machine {
  readonly #root = process.cwd();
  readonly #folder = mkdtempSync(join(tmpdir(), "vitrine-docs-"));
  readonly #services = new Map<string, Promise<Running>>();
  readonly #engines = new Map<string, Promise<OxigraphEngine>>();
  /** The token that was made last. */
  #token = "";

  /** A copy of a scene; it is the working directory until the machine is closed. */
  constructor(scene: string) {
    cpSync(scene, this.#folder, { recursive: true });
    process.chdir(this.#folder);
  }

  /** Run a command as it stands; `look` is called while a service runs that it has begun. */
  async run(command: string, look: Look = async () => {}): Promise<Outcome> {
    const isSent = command.startsWith("curl ");
    return shell(command, {
      environment: {
        HOME: join(this.#folder, "home"),
        TOKEN: this.#token,
        SERVICE: isSent ? await this.#service("store") : "",
      },
      vitrine: async (args, stdin) => this.#vitrine(await this.#here(args), stdin, look),
    });
  }

  async close(): Promise<void> {
    try {
      for (const service of this.#services.values()) await (await service).stop();
      for (const engine of this.#engines.values()) await (await engine).stop();
    } finally {
      process.chdir(this.#root);
      rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    }
  }

  async #vitrine(args: readonly string[], stdin: string, look: Look): Promise<Outcome> {
    const [name, ...rest] = args;
    if (name === "serve") return rest.includes("--workers") ? servedByWorkers(rest, look) : served(rest, look);
    if (name === "follow" && args.includes("--every")) {
      const following = await begin(args, /records? changed, .*\n|it is tried again/);
      return { status: await following.stop(), stdout: "", stderr: following.stderr() };
    }
    const outcome = await run(args, { stdin });
    if (name === "token" && rest[0] === "new") {
      this.#token = outcome.stdout.trim();
      writeFileSync("token.txt", outcome.stdout);
    }
    return outcome;
  }

  /** Words of a command line as they are on this machine: absolute paths, addresses, ports. */
  #here([name, ...rest]: readonly string[]): Promise<string[]> {
    const words = rest.map(async (word, at) => {
      const before = rest[at - 1];
      if (before === "--port") return "0";
      if (before === "--to") return word.replace(BASE, `${await this.#service("store")}/`);
      if (name === "follow" && at === 0) return word.replace(BASE, `${await this.#service("elsewhere")}/`);
      if (word.startsWith("http://localhost:8890/")) return this.#engine(new URL(word).pathname);
      if (word === "/srv/vitrine/store" || word === "DIR") return "store";
      return word.replace(/^(@?)\/(?=(?:backup|etc|tmp|var)\/)/, "$1./");
    });
    return Promise.all([name!, ...words]);
  }

  /** The address of a service of a store, begun when it is first asked for. */
  async #service(store: string): Promise<string> {
    const service = this.#services.get(store) ?? serve(["--store", store, ...QUIET]);
    this.#services.set(store, service);
    return (await service).url;
  }

  /** The address of an engine by its path in the pages: one that Vitrine fills, and at /sparql one that others have filled. */
  async #engine(path: string): Promise<string> {
    const name = path === "/sparql" ? "published" : "kept";
    const engine = this.#engines.get(name) ?? startOxigraphEngine();
    this.#engines.set(name, engine);
    const { store, addresses } = await engine;
    if (name === "published" && store.size === 0) {
      const { stdout } = await run(["export"]);
      store.load(stdout, { format: "application/n-quads" });
    }
    return path.includes("graph") ? addresses.graphStore! : addresses.url;
  }
}

async function served(args: readonly string[], look: Look): Promise<Outcome> {
  const running = await serve(args);
  try {
    await look(running.url);
  } catch (error) {
    await running.stop();
    throw error;
  }
  return { status: await running.stop(), stdout: "", stderr: running.stderr() };
}

/** Its workers are processes of the program as it is built. */
async function servedByWorkers(args: readonly string[], look: Look): Promise<Outcome> {
  const built = await startServing(args);
  try {
    await look(built.url.replace("0.0.0.0", "127.0.0.1"));
  } finally {
    built.process.kill();
  }
  return { status: Number(await built.ended), stdout: "", stderr: built.stderr() };
}
