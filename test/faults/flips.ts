/** Flips bits of a store's file under a running service, one at a time, and asks by every door for what it says then. */
import { closeSync, openSync, readSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { childrenOf, startServing } from "../cli/built.js";
import { run } from "../cli/run.js";
import { type Row, vitrine } from "./row.js";

const BASE = "http://data.museum.example";
const CRM = "http://www.cidoc-crm.org/cidoc-crm/";
const TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const LABEL = "http://www.w3.org/2000/01/rdf-schema#label";
/** Records of every size: many share a page, others fill several. */
const RECORDS = 60;
/** Of so many flips one is also looked at by whoever reads the whole store: a new index, `export`, `check`. */
const WHOLE_EVERY = 5;
/** Milliseconds for an answer, because a damaged page can lead its reader in circles. Even on a busy machine, an index takes less to answer or to come back. */
const PATIENCE = 60_000;

/** What an address answers: its status and body. */
interface Said {
  readonly status: number;
  readonly body: string;
}

/** What came of one bit. */
type Fate = "right everywhere" | "refused" | "the service ended" | "no answer";

const PATHS: readonly string[] = [
  ...Array.from({ length: RECORDS }, (_, at) =>
    at % 2 === 0 ? [`/object/${at}`, `/object/${at}.html`] : [`/object/${at}.ttl`],
  ).flat(),
  "/object/gone",
  "/object/never",
  "/browse/object",
  "/activity",
  "/activity/page/1",
  "/activity/object",
  "/activity/object/page/1",
  `/activity/record?uri=${encodeURIComponent(`${BASE}/object/3`)}`,
  ...Array.from({ length: 6 }, (_, at) => queryPath(`SELECT * FROM <${BASE}/object/${at * 9}> { ?s ?p ?o }`)),
];

const ALL = queryPath("SELECT * { ?s ?p ?o }");

function queryPath(query: string): string {
  return `/sparql?query=${encodeURIComponent(query)}`;
}

/** A record of 0.2 to 60 KB; all are about the same material. */
function quadsOf(name: string, size: number): string {
  const iri = `<${BASE}/object/${name}>`;
  const notes = "A note. ".repeat(size % 10 === 9 ? 8_000 : size % 5 === 4 ? 500 : 20);
  const material = "<http://vocab.getty.edu/aat/300014078>";
  return [
    [iri, TYPE, `<${CRM}E22_Human-Made_Object>`],
    [iri, LABEL, `"Object ${name}"`],
    [iri, `${CRM}P1_is_identified_by`, `_:n${name}`],
    [`_:n${name}`, TYPE, `<${CRM}E33_E41_Linguistic_Appellation>`],
    [`_:n${name}`, `${CRM}P190_has_symbolic_content`, `"${notes}"`],
    [iri, `${CRM}P45_consists_of`, material],
    [material, TYPE, `<${CRM}E57_Material>`],
    [material, LABEL, '"canvas"'],
  ]
    .map(([subject, predicate, object]) => `${subject} <${predicate}> ${object} ${iri} .\n`)
    .join("");
}

class Doors {
  readonly store: string;
  readonly #expected = new Map<string, Said>();
  #rows: ReadonlySet<string> = new Set();
  #exported = "";
  #service: Awaited<ReturnType<typeof startServing>> | undefined;

  constructor(readonly folder: string) {
    this.store = join(folder, "store");
  }

  async prepare(): Promise<void> {
    writeFileSync(
      join(this.folder, "in.nq"),
      [...Array.from({ length: RECORDS }, (_, at) => quadsOf(String(at), at)), quadsOf("gone", 0)].join(""),
    );
    const at = ["--store", this.store];
    await run(["load", join(this.folder, "in.nq"), ...at, "--source", "feed", "--on-invalid", "accept"]);
    await run(["delete", `${BASE}/object/gone`, ...at]);
    this.#exported = (await run(["export", ...at])).stdout;
    await this.serve();
    for (const path of PATHS) this.#expected.set(path, (await this.#ask(path))!);
    this.#rows = new Set(rowsOf((await this.#ask(ALL))!));
    if (this.#expected.get("/object/9.ttl")?.status !== 200 || this.#rows.size < 5 * RECORDS) {
      throw new Error("the records whose bits are to be flipped are not served");
    }
  }

  /**
   * Start the service where there is none, and wait until queries are answered: an index that met a damaged byte begins again.
   * @returns whether a service that ran had to be started anew for that
   */
  async serve(): Promise<boolean> {
    const isRunning = this.#isRunning;
    if (isRunning && (await this.#answersQueries())) return false;
    await this.end();
    const options = ["--store", this.store, "--base-url", `${BASE}/`, "--cache", "0"];
    this.#service = await startServing(options);
    if (!(await this.#answersQueries())) throw new Error(`no query is answered: ${this.#service.stderr()}`);
    return isRunning;
  }

  get #isRunning(): boolean {
    return this.#service?.process.exitCode === null && this.#service.process.signalCode === null;
  }

  async #answersQueries(): Promise<boolean> {
    const until = performance.now() + PATIENCE;
    while (performance.now() < until) {
      if ((await this.#ask(queryPath("ASK {}")))?.status === 200) return true;
      await sleep(20);
    }
    return false;
  }

  async end(): Promise<void> {
    this.#service?.process.kill("SIGKILL");
    await this.#service?.ended;
  }

  /** What a bit comes to that is flipped now. Failures say which door gave what it should not. */
  async look(failures: string[], isWhole: boolean): Promise<Fate> {
    const seen: Fate[] = [];
    const work = [...PATHS];
    const asking = Array.from({ length: 6 }, async () => {
      for (let path = work.pop(); path !== undefined; path = work.pop()) seen.push(await this.#compare(path, failures));
    });
    await Promise.all(asking);
    if (isWhole) seen.push(await this.#lookWhole(failures, seen.includes("refused")));
    if (!this.#isRunning) return "the service ended";
    if (!seen.includes("no answer")) return seen.includes("refused") ? "refused" : "right everywhere";
    await this.end();
    return "no answer";
  }

  async #compare(path: string, failures: string[]): Promise<Fate> {
    const said = await this.#ask(path);
    if (said === undefined) return "no answer";
    const { status, body } = this.#expected.get(path)!;
    if (said.status === status && (status !== 200 || said.body === body)) return "right everywhere";
    if (said.status === 503) return "refused";
    const what = said.status === 200 ? "other bytes" : said.body.slice(0, 200);
    failures.push(`${decodeURIComponent(path).slice(0, 80)}: ${said.status}, not ${status}: ${what}`);
    return "refused";
  }

  /** Those who read everything: an index that is filled now, the export, and the check, which has to find what others refused. */
  async #lookWhole(failures: string[], wasRefused: boolean): Promise<Fate> {
    const at = ["--store", this.store];
    const [exported, checked] = [await vitrine(["export", ...at]), await vitrine(["check", ...at])];
    const isExported = exported.status === 0;
    if (isExported && exported.stdout !== this.#exported) failures.push("export: other records, with status 0");
    const filled = await this.#fill(failures);
    const isRefused = !isExported || filled === "refused" || wasRefused;
    if (isRefused && checked.status === 0) failures.push("check: nothing is wrong, where others refuse what they read");
    return filled === "no answer" ? filled : isRefused ? "refused" : "right everywhere";
  }

  async #fill(failures: string[]): Promise<Fate> {
    const [index] = childrenOf(this.#service!.pid);
    if (index === undefined) return "no answer";
    process.kill(index, "SIGKILL");
    const until = performance.now() + PATIENCE;
    for (;;) {
      const said = await this.#ask(ALL);
      if (said === undefined) return "no answer";
      if (said.status !== 200) {
        if (performance.now() > until) return "refused";
        await sleep(50);
        continue;
      }
      const rows = rowsOf(said);
      const wrong = rows.filter((row) => !this.#rows.has(row));
      if (wrong.length > 0)
        failures.push(`SPARQL: ${wrong.length} rows that no record states, such as ${wrong[0]!.slice(0, 200)}`);
      if (rows.length === this.#rows.size) return "right everywhere";
      const { index: state } = JSON.parse((await this.#ask("/ready"))?.body ?? "{}") as {
        index?: { leftOut?: unknown };
      };
      if (state?.leftOut === undefined) failures.push("SPARQL: rows are missing, and /ready does not say so");
      return "refused";
    }
  }

  async #ask(path: string): Promise<Said | undefined> {
    try {
      const accept = path.startsWith("/sparql") ? "text/tab-separated-values" : "*/*";
      const headers = { accept, connection: "close" };
      const answer = await fetch(`${this.#service!.url}${path}`, { headers, signal: AbortSignal.timeout(PATIENCE) });
      return { status: answer.status, body: await answer.text() };
    } catch {
      return undefined;
    }
  }
}

function rowsOf({ body }: Said): string[] {
  return body.split("\n").filter(Boolean);
}

/** Flip so many bits, spread over all parts of the file. */
export async function flipBits(count: number, random: () => number, folder: string): Promise<Row> {
  const doors = new Doors(folder);
  const seen = new Map<string, number>();
  const failures: string[] = [];
  try {
    await doors.prepare();
    const file = openSync(join(doors.store, "records.mdb"), "r+");
    const { size } = statSync(join(doors.store, "records.mdb"));
    for (let at = 0; at < count; at++) {
      const place = Math.floor(((at + random()) / count) * size);
      const flip = 1 << Math.floor(random() * 8);
      const found: string[] = [];
      toggle(file, place, flip);
      const fate = await doors.look(found, at % WHOLE_EVERY === WHOLE_EVERY - 1);
      toggle(file, place, flip);
      seen.set(fate, (seen.get(fate) ?? 0) + 1);
      failures.push(...found.map((failure) => `byte ${place}, bit ${flip}: ${failure}`));
      const wasMute = await doors.serve();
      if (wasMute) failures.push(`byte ${place}, bit ${flip}: SPARQL does not come back when the byte is right again`);
    }
    closeSync(file);
  } finally {
    await doors.end();
  }
  return { runs: count, seen, failures };
}

function toggle(file: number, place: number, flip: number): void {
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, place);
  byte[0]! ^= flip;
  writeSync(file, byte, 0, 1, place);
}
