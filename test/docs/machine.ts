/** The machine on which the steps of a page are taken: a folder in place of its disk, and services where pages have them. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { begin, type Outcome, run, serve } from "../cli/run.js";
import { startOxigraphEngine } from "../query/remote/oxigraph-engine.js";
import { filesOf, type Language, NPM_START, SAMPLE_URL } from "./pages.js";
import type { Sample } from "./sample.js";
import { ADDED, BASE } from "./scene.js";
import { shell } from "./shell.js";

/** Looks at a service that a command has begun, before it is ended. */
export type Look = (url: string) => Promise<void>;

interface Begun {
  stop(): Promise<unknown>;
}

const QUIET = ["--sparql-access", "off"];

/** What runs a page's programs. */
const PROGRAMS = { js: ["node", "program.mjs"], python: ["python3", "program.py"] } as const;

/** Commands that leave the records, tokens and settings of a machine as they were. */
const READING = "check completion config diff explain export find get mend query serve stats validate".split(" ");

export class Machine {
  readonly #root = process.cwd();
  readonly #folder = mkdtempSync(join(tmpdir(), "vitrine-docs-"));
  readonly #sample: Sample;
  /** Services and engines, by what they are. */
  readonly #begun = new Map<string, Promise<Begun>>();
  /** The token that was made last. */
  #token = "";
  #isChanged = false;

  /** A copy of a scene, for one page; it is the working directory until the machine is closed. */
  constructor(scene: string, page: string, sample: Sample) {
    this.#sample = sample;
    cpSync(scene, this.#folder, { recursive: true });
    for (const [name, text] of filesOf(page)) writeFileSync(join(this.#folder, name), text);
    ADDED[page]?.(this.#folder);
    process.chdir(this.#folder);
  }

  /** Whether a command has changed what the next one may find. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** Run a command or a program as it stands; `look` is called while a service runs that it has begun. */
  async run(text: string, look: Look = async () => {}, language: Language = "sh"): Promise<Outcome> {
    if (text === NPM_START) return { status: 0, stdout: await this.#sample.url(), stderr: "" };
    const asksSample = (language !== "sh" || text.startsWith("curl ")) && text.includes(SAMPLE_URL);
    const sample = asksSample ? await this.#sample.url() : "";
    if (asksSample && text.includes(`${SAMPLE_URL}/sparql`)) await this.#sample.indexed();
    let line = text;
    if (language !== "sh") {
      const [interpreter, name] = PROGRAMS[language];
      writeFileSync(name, text.replaceAll(SAMPLE_URL, sample));
      line = `${interpreter} ${name}`;
    }
    const asksService = text.startsWith("curl ") && text.includes(BASE);
    const environment = {
      HOME: join(this.#folder, "home"),
      TOKEN: this.#token,
      SERVICE: asksService ? await this.#service("store") : "",
      SAMPLE: sample,
    };
    return shell(line, { environment, vitrine: async (args, stdin) => this.#vitrine(args, stdin, look) });
  }

  async close(): Promise<void> {
    using _folder = {
      [Symbol.dispose]: () => rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
    };
    using _place = { [Symbol.dispose]: () => process.chdir(this.#root) };
    for (const each of this.#begun.values()) await (await each).stop();
  }

  async #vitrine(written: readonly string[], stdin: string, look: Look): Promise<Outcome> {
    const args = await this.#here(written);
    const [name = "", ...rest] = args;
    this.#isChanged ||= !READING.includes(name);
    if (name === "serve") return served(rest, look);
    if (name === "follow" && args.includes("--every")) {
      const following = await begin(args, /records? changed, .*\n|trying again/);
      return { status: await following.stop(), stdout: "", stderr: following.stderr() };
    }
    if (name === "query") await this.#index(rest[rest.indexOf("--store") + 1 || rest.length] ?? "store");
    const outcome = await run(args, { stdin });
    if (name === "token" && rest[0] === "new") {
      this.#token = outcome.stdout.trim();
      writeFileSync("token.txt", outcome.stdout);
    }
    return outcome;
  }

  /** Words of a command line as they are on this machine: absolute paths, addresses, ports; workers are processes. */
  #here([name, ...rest]: readonly string[]): Promise<string[]> {
    const words = rest.map(async (word, at) => {
      const before = rest[at - 1];
      if (before === "--port") return "0";
      if (before === "--workers") return "1";
      if (before === "--to") return word.replace(BASE, `${await this.#service("store")}/`);
      if (name === "follow" && at === 0) return word.replace(BASE, `${await this.#service("elsewhere")}/`);
      if (word.startsWith("http://localhost:8890/")) return this.#engine(new URL(word).pathname);
      if (word === "/srv/vitrine/store" || word === "DIR") return "store";
      return word.replace(/^(@?)\/(?=(?:backup|etc|tmp|var)\/)/, "$1./");
    });
    return Promise.all([name!, ...words]);
  }

  /** What is begun when it is first asked for, and runs until the machine is closed. */
  #once<Kind extends Begun>(name: string, begun: () => Promise<Kind>): Promise<Kind> {
    const known = this.#begun.get(name) ?? begun();
    this.#begun.set(name, known);
    return known as Promise<Kind>;
  }

  /** The address of a service of a store. */
  async #service(store: string): Promise<string> {
    return (await this.#once(`service of ${store}`, () => serve(["--store", store, ...QUIET]))).url;
  }

  /** A service whose index answers all queries of a store. */
  async #index(store: string): Promise<void> {
    const args = ["serve", "--port", "0", "--store", store];
    await this.#once(`index of ${store}`, () => begin(args, /the index for SPARQL is ready/));
  }

  /** The address of an engine by its path in the pages: one that Vitrine fills, and at /sparql one that others have filled. */
  async #engine(path: string): Promise<string> {
    const isFilled = path === "/sparql";
    const { store, addresses } = await this.#once(`engine, ${isFilled ? "filled" : "kept"}`, startOxigraphEngine);
    if (isFilled && store.size === 0) store.load((await run(["export"])).stdout, { format: "application/n-quads" });
    return path.includes("graph") ? addresses.graphStore! : addresses.url;
  }
}

/** A service that answers no queries where its page does not say who does. */
async function served(args: readonly string[], look: Look): Promise<Outcome> {
  const saysWho = args.includes("--engine") || args.includes("--sparql-access");
  const running = await serve(saysWho ? args : [...args, ...QUIET]);
  try {
    await look(running.url.replace("0.0.0.0", "127.0.0.1"));
  } catch (error) {
    await running.stop();
    throw error;
  }
  return { status: await running.stop(), stdout: "", stderr: running.stderr() };
}
