/** Two stores of some places, and what tests start over copies of them. */
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { type Built, start, timeUsed, until, urlOf } from "./built.js";
import { run } from "./run.js";

export const BASE = "http://data.museum.example/";
/** For services that are asked no query: an index is a process more. */
export const WITHOUT_QUERIES: readonly string[] = ["--sparql-access", "off"];
/** Takes for ever, on any store with some triples. */
export const ENDLESS = `SELECT (COUNT(*) AS ?n) { ${Array.from({ length: 40 }, (_, n) => `?a${n} ?b${n} ?c${n} .`).join(" ")} }`;

/** The places that each store has. */
const PLACES = { store: ["1", "2"], other: ["3"] } as const;

/** Make the stores that are copied for each test; resolves to their folder. */
export async function makeStores(): Promise<string> {
  const made = mkdtempSync(join(tmpdir(), "vitrine-made-"));
  for (const [name, places] of Object.entries(PLACES)) {
    const documents = places.map((id) => {
      const document = { "@context": DEFAULT_MODEL.contextUri, id: `${BASE}place/${id}`, type: "Place", _label: id };
      return `${JSON.stringify(document)}\n`;
    });
    const loading = ["load", "-", "--format", "jsonl", "--store", join(made, name), "--base-url", BASE];
    await run(loading, { stdin: documents.join("") });
  }
  return made;
}

/** What a test works with: two stores, and what it has started. */
export interface Scene {
  readonly folder: string;
  readonly store: string;
  readonly other: string;
  begun(args: readonly string[], wrapper?: readonly string[]): Built;
  /** Serve the first store; resolves once it listens. */
  serving(args: readonly string[], wrapper?: readonly string[]): Promise<Built & { readonly url: string }>;
  /** The other store takes the place of the one that is served, which it had before. */
  exchange(): void;
}

/** Copy the stores that were made for a test, after which all that it started is killed. */
export function sceneOf(made: string, { onTestFinished }: TestContext): Scene {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-processes-"));
  const [store, other, away] = [join(folder, "store"), join(folder, "other"), join(folder, "exchanged")];
  cpSync(made, folder, { recursive: true });
  const started: Built[] = [];
  onTestFinished(async () => {
    for (const { process: child, ended } of started) {
      child.kill("SIGKILL");
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });
  const begun = (args: readonly string[], wrapper?: readonly string[]): Built => {
    const built = start(args, wrapper);
    started.push(built);
    return built;
  };
  return {
    ...{ folder, store, other, begun },
    async serving(args, wrapper) {
      const built = begun(["serve", "--port", "0", "--store", store, ...args], wrapper);
      return { ...built, url: await urlOf(built) };
    },
    exchange() {
      renameSync(store, away);
      renameSync(other, store);
      renameSync(away, other);
    },
  };
}

/** The number of records that queries know of; -1 where none is answered. */
export async function countAt(url: string): Promise<number> {
  const query = encodeURIComponent("SELECT (COUNT(?s) AS ?n) { ?s a ?c }");
  const answer = await fetch(`${url}/sparql?query=${query}`);
  if (answer.status !== 200) return -1;
  const { results } = (await answer.json()) as { results: { bindings: { n: { value: string } }[] } };
  return Number(results.bindings[0]!.n.value);
}

/** Ask a query that takes for ever; once one of the processes is at it, resolves to what will be answered. */
export async function askEndless(url: string, pids: readonly number[]): Promise<{ readonly status: Promise<number> }> {
  const before = timeUsed(pids);
  const asked = fetch(`${url}/sparql?query=${encodeURIComponent(ENDLESS)}`);
  // What answers it works as long as it is let.
  await until(() => timeUsed(pids) > before + 20);
  return { status: asked.then(({ status }) => status) };
}

/** The sockets in a store's folder. */
export const socketsIn = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.includes("sock"));
