/** Attacks a built service on this machine beside an innocent client, whose waiting is measured. */
import { readFile, writeFile } from "node:fs/promises";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { startServing, until } from "../cli/built.js";
import { run } from "../cli/run.js";
import { temporaryFolder } from "../temporary-folder.js";
import { ATTACKS, ask, type Scale } from "./attacks.js";
import { TEXTS } from "./forms.js";

const BASE = "http://data.museum.example";
const CRM = "http://www.cidoc-crm.org/cidoc-crm/";
const TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const LABEL = "http://www.w3.org/2000/01/rdf-schema#label";

/** What came of a row. */
export interface Outcome {
  readonly name: string;
  /** Requests or forms that were sent. */
  readonly sent: number;
  /** What should not have come out; empty when the attack was held. */
  readonly failures: readonly string[];
  /** The innocent client: its answers, and milliseconds within which 99 of 100 came. */
  readonly answers: number;
  readonly p99: number;
  /** Memory of the serving process when it was over, in MiB. */
  readonly memory: number;
}

/** A record for the innocent, a large one, and one for each hostile text. */
function collection(parts: number): string {
  const lines: string[] = [];
  const add = (record: string, subject: string, predicate: string, object: string): void => {
    lines.push(`${subject} <${predicate}> ${object} <${record}> .`);
  };
  const object = (id: string, label: string): string => {
    const iri = `${BASE}/object/${id}`;
    add(iri, `<${iri}>`, TYPE, `<${CRM}E22_Human-Made_Object>`);
    add(iri, `<${iri}>`, LABEL, label);
    return iri;
  };
  object("1", '"An innocent object"');
  object("2", '"Another"');
  const large = object("large", '"A large object"');
  for (let at = 0; at < parts; at++) {
    add(large, `<${large}>`, `${CRM}P46_is_composed_of`, `_:b${at}`);
    add(large, `_:b${at}`, TYPE, `<${CRM}E22_Human-Made_Object>`);
    add(large, `_:b${at}`, LABEL, `"Part ${at}"`);
  }
  for (const [at, text] of TEXTS.entries()) {
    const literal = literalOf(text);
    const iri = object(`hostile-${at}`, literal);
    add(iri, `<${iri}>`, `${CRM}P1_is_identified_by`, "_:name");
    add(iri, "_:name", TYPE, `<${CRM}E33_E41_Linguistic_Appellation>`);
    add(iri, "_:name", `${CRM}P190_has_symbolic_content`, literal);
    add(iri, `<${iri}>`, `http://x.example/${encodeURIComponent(text.slice(0, 40).toWellFormed())}`, literal);
  }
  return `${lines.join("\n")}\n`;
}

function literalOf(text: string): string {
  const escaped = [...text].map((character) => {
    const code = character.codePointAt(0)!;
    return code < 0x20 || character === '"' || character === "\\"
      ? `\\u${code.toString(16).padStart(4, "0")}`
      : character;
  });
  return `"${escaped.join("")}"`;
}

/** Asks for one record again and again, on a connection of its own, until it is stopped. */
class Innocent {
  readonly waits: number[] = [];
  readonly failures: string[] = [];
  #isOver = false;
  readonly #ended: Promise<void>;

  constructor(url: string) {
    this.#ended = this.#run(url, new Agent({ keepAlive: true, maxSockets: 1 }));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  async #run(url: string, agent: Agent): Promise<void> {
    while (!this.#isOver) {
      const begun = performance.now();
      const status = await new Promise<number>((resolve) => {
        get(`${url}/object/1`, { agent }, (answer) => {
          answer.resume().once("end", () => resolve(answer.statusCode!));
        }).once("error", () => resolve(0));
      });
      this.waits.push(performance.now() - begun);
      if (status !== 200) this.failures.push(`the innocent client got ${status}`);
      await sleep(5);
    }
    agent.destroy();
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}

/**
 * Attack a service of its own, one row after another.
 * @param random from 0 to 1, for what is made at random
 */
export async function attack(scale: Scale, random: () => number): Promise<Outcome[]> {
  const folder = temporaryFolder(onTestFinished);
  const store = join(folder, "store");
  await writeFile(join(folder, "records.nq"), collection(scale.parts));
  await run(["load", join(folder, "records.nq"), "--store", store, "--on-invalid", "accept"]);
  const served = await startServing(["--store", store, "--base-url", `${BASE}/`, "--query-timeout", "20"]);
  const outcomes: Outcome[] = [];
  try {
    await until(async () => (await ask(served.url, { query: "ASK {}" })).status === 200);
    const target = { url: served.url, port: Number(new URL(served.url).port), store, folder, random, scale };
    for (const { name, run: make } of ATTACKS) {
      const innocent = new Innocent(served.url);
      const failures: string[] = [];
      const sent = await make(target, failures);
      await innocent.stop();
      const { waits } = innocent;
      const memory = await memoryOf(served.pid);
      const all = [...failures, ...innocent.failures];
      outcomes.push({ name, sent, failures: all, answers: waits.length, p99: percentile(waits, 0.99), memory });
    }
  } finally {
    served.process.kill("SIGTERM");
    await served.ended;
  }
  return outcomes;
}
