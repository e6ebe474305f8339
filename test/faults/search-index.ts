/** Does to a search index what machines do: processes killed while it is written, full disks, flipped bits, files that are cut off. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  copyFileSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bringUpToDate } from "../../src/search/index-writer.js";
import { indexStateOf, SEARCH_FILE } from "../../src/search/schema.js";
import { SearchIndex, SearchIndexError } from "../../src/search/search-index.js";
import { isDamage, LOG, removeSqlite, Sqlite, SUMS } from "../../src/search/sqlite.js";
import { openForLoading, openStore } from "../../src/store/open.js";
import { bundled } from "../bundled.js";
import { publish } from "../http/service.js";
import { CONTEXT_URI, graphOf, type JsonObject } from "../jsonld/documents.js";
import type { Row } from "./row.js";

const BASE = "https://museum.example";
const RECORDS = 600;
const QUERIES = [{ text: "canvas" }, { name: "numb" }, { text: "painter 7" }, { identifier: "inv 12" }, {}];
/** Milliseconds that following takes, or building anew: kills come before. */
const FOLLOWED_IN = 400;
/** What a child process does that is killed: whoever opens a store has its index follow. */
const FOLLOWING = `import { openSearched } from "./src/search/open.js";
process.stdout.write("begun");
await (await openSearched({ directory: process.argv[2] })).close();`;

function documentOf(at: number, edition: string): JsonObject {
  const maker = { type: "Person", id: `${BASE}/person/${at % 9}`, _label: `Painter ${at % 9}` };
  const named = [
    { type: "Name", content: `${edition} number ${at}` },
    { type: "Identifier", content: `inv ${at}` },
  ];
  return {
    ...{ "@context": CONTEXT_URI, id: `${BASE}/object/${at}`, type: "HumanMadeObject", _label: `${edition} ${at}` },
    ...{ identified_by: named, made_of: [{ type: "Material", id: `${BASE}/concept/canvas`, _label: "canvas" }] },
    produced_by: { type: "Production", carried_out_by: [maker] },
  };
}

/** A store of two editions, with the search index of either. */
class Proof {
  readonly directory: string;
  readonly #file: string;
  /** What the index says of each state, by its number. */
  readonly #said = new Map<number | undefined, string>();
  #last = 0;

  constructor(folder: string) {
    this.directory = join(folder, "store");
    this.#file = join(this.directory, SEARCH_FILE);
  }

  async prepare(): Promise<void> {
    await using store = await openForLoading({ directory: this.directory });
    const index = new SearchIndex(this.directory, store);
    for (const [edition, count] of [
      ["first", RECORDS],
      ["second", RECORDS / 4],
    ] as const) {
      const documents = Array.from({ length: count }, (_, at) => documentOf(at, edition));
      await publish(store, documents.map(graphOf));
      await index.follow();
      index.close();
      this.#last = (await store.stats()).sequence;
      this.#said.set(this.#last, dumpOf(this.#file)!);
      for (const end of ["", SUMS]) copyFileSync(this.#file + end, `${this.#file}.${edition}${end}`);
    }
  }

  /** The process is killed at some moment of its following, or of its building where there is no index. */
  async kill(random: () => number): Promise<string> {
    this.#put(random() < 0.5 ? "first" : undefined);
    const child = await this.#following();
    const exit = once(child, "exit");
    await Promise.race([exit, sleep(random() * FOLLOWED_IN)]);
    const isLate = child.exitCode !== null;
    child.kill("SIGKILL");
    await exit;
    const sequence = this.#whole();
    await this.#mended();
    return isLate
      ? "ended before it was killed"
      : sequence === this.#last
        ? "killed, and whole"
        : "killed, and as before";
  }

  /** No page more fits at some moment. */
  async fill(random: () => number): Promise<string> {
    this.#put(random() < 0.5 ? "first" : undefined);
    const store = await openStore({ directory: this.directory });
    const sqlite = new Sqlite(this.#file);
    try {
      const [pages] = sqlite.row<[number]>("PRAGMA page_count")!;
      const most = Math.ceil(statSync(`${this.#file}.second`).size / 4_096);
      sqlite.rows(`PRAGMA max_page_count = ${pages + Math.floor(random() * (most - pages))}`);
      await bringUpToDate(sqlite, store, this.directory);
    } catch (error) {
      if (!/full/.test((error as Error).message)) throw error;
    } finally {
      sqlite.close();
      await store.close();
    }
    const isWhole = this.#whole() === this.#last;
    await this.#mended();
    return isWhole ? "room enough" : "full, and as before";
  }

  async flip(random: () => number): Promise<string> {
    this.#put("second");
    const bytes = readFileSync(this.#file);
    const place = Math.floor(random() * bytes.length);
    bytes[place]! ^= 1 << Math.floor(random() * 8);
    writeFileSync(this.#file, bytes);
    const isOpened = random() < 0.5;
    const store = await openStore({ directory: this.directory });
    const index = new SearchIndex(this.directory, store);
    try {
      if (!isOpened && (await index.problems()).length === 0) throw new Error(`bit at ${place} noticed by nobody`);
    } finally {
      index.close();
      await store.close();
    }
    await this.#mended();
    return isOpened ? "built anew when opened" : "found by check";
  }

  /**
   * In use, with newer pages in the write-ahead log or without: whoever looks at all pages again finds it, and what is built anew
   * answers as before. Nobody asks in between, as SQLite's binding ends the process at a text that is no UTF-8.
   */
  async flipInUse(random: () => number): Promise<string> {
    const isLogged = random() < 0.5;
    this.#put(isLogged ? "first" : "second");
    const store = await openStore({ directory: this.directory });
    const [index, reading] = [new SearchIndex(this.directory, store), new Sqlite(this.#file)];
    const ask = async (): Promise<string> => {
      const found = await Promise.all(QUERIES.map((query) => index.find(query, { limit: 20 })));
      return JSON.stringify(found.map(({ items }) => items.map(({ iri }) => iri).sort()));
    };
    // Who reads the state before keeps the log from being emptied.
    if (isLogged) reading.exec("BEGIN; SELECT * FROM fact");
    await index.follow();
    const said = await ask();
    const { ino } = statSync(this.#file);
    // Closed before the rest, it would take the locks of this process with it.
    const flipped = openSync(this.#file + (isLogged && random() < 0.5 ? LOG : ""), "r+");
    try {
      const place = Math.floor(random() * fstatSync(flipped).size);
      const byte = Buffer.alloc(1);
      readSync(flipped, byte, 0, 1, place);
      byte[0]! ^= 1 << Math.floor(random() * 8);
      writeSync(flipped, byte, 0, 1, place);
      await index.followMeanwhile(1);
      const isNew = statSync(this.#file).ino !== ino;
      if (!isNew && !isLogged) throw new Error(`bit at ${place} noticed by nobody`);
      if ((await ask()) !== said) throw new Error(`bit at ${place}: other answers than before`);
      if (dumpOf(this.#file) !== this.#said.get(this.#last)) throw new Error(`bit at ${place}: the index is not right`);
      return isNew
        ? "found, and built anew"
        : "in a page that nobody reads, as a newer one is in the log, or beside pages";
    } finally {
      index.close();
      reading.close();
      await store.close();
      closeSync(flipped);
    }
  }

  async cut(random: () => number): Promise<string> {
    this.#put("second");
    truncateSync(this.#file, Math.floor(random() * statSync(this.#file).size));
    return this.#looked();
  }

  /** Ask of a spoilt index: it refuses, or answers; what is built anew is right. */
  async #looked(): Promise<string> {
    const store = await openStore({ directory: this.directory });
    const index = new SearchIndex(this.directory, store);
    await using _store = { [Symbol.asyncDispose]: () => store.close() };
    using _index = { [Symbol.dispose]: () => index.close() };
    let isRefused = false;
    for (const query of QUERIES) {
      try {
        const { items } = await index.find(query, { limit: 20 });
        for (const { iri, label } of items)
          if (!/^(?:first|second) \d+$/.test(label) || !iri.startsWith(BASE)) throw new Error(`${iri} is no record`);
      } catch (error) {
        if (!(error instanceof SearchIndexError)) throw error;
        isRefused = true;
      }
    }
    if (isRefused) {
      await this.#mended();
      return "refused, and built anew";
    }
    if ((await index.problems()).length === 0) throw new Error("a file that was cut off was read");
    await this.#mended();
    return "found by check";
  }

  /** Which state the index has: all of it. Throws for half a state. */
  #whole(): number | undefined {
    const sqlite = new Sqlite(this.#file);
    const sequence = indexStateOf(sqlite)?.sequence;
    sqlite.close();
    if (sequence !== undefined && dumpOf(this.#file) !== this.#said.get(sequence)) throw new Error("half a state");
    return sequence;
  }

  /** Whoever comes next has the index follow, and it is right. */
  async #mended(): Promise<void> {
    const store = await openStore({ directory: this.directory });
    const index = new SearchIndex(this.directory, store);
    try {
      await index.follow();
      const problems = await index.problems();
      if (problems.length > 0) throw new Error(problems.join());
    } finally {
      index.close();
      await store.close();
    }
    if (dumpOf(this.#file) !== this.#said.get(this.#last)) throw new Error("an index that followed is not right");
  }

  #put(edition: string | undefined): void {
    removeSqlite(this.#file);
    for (const end of edition === undefined ? [] : ["", SUMS])
      copyFileSync(`${this.#file}.${edition}${end}`, this.#file + end);
  }

  async #following() {
    const args = [bundled("following-search", FOLLOWING), this.directory];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
    await once(child.stdout, "data");
    return child;
  }
}

/** All that an index says, by IRIs: two of the same records say the same, whatever their numbers. */
function dumpOf(file: string): string | undefined {
  const sqlite = new Sqlite(file);
  try {
    if (indexStateOf(sqlite)?.sequence === undefined) return undefined;
    const iri = (id: string): string =>
      `(SELECT n.iri || i.local FROM iri i JOIN namespace n ON n.id = i.namespace WHERE i.id = ${id})`;
    sqlite.exec("CREATE VIRTUAL TABLE temp.instance USING fts5vocab(main, word, instance)");
    const queries = [
      `SELECT ${iri("id")}, endpoint, sort, names, begins, ends, picture, number, referrers FROM entity`,
      `SELECT kind, form, ${iri("entity")} FROM name`,
      `SELECT ${iri("target")}, property, sort, ${iri("entity")} FROM reference`,
      `SELECT ${iri("target")}, role, ${iri("subject")}, ${iri("entity")} FROM told`,
      `SELECT term, ${iri("doc")}, col, offset FROM instance`,
      "SELECT 'tally', endpoint, facet, records FROM tally",
    ];
    const rows = queries.flatMap((sql) => sqlite.rows(sql).map((row) => JSON.stringify(row)));
    return rows.sort().join("\n");
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  } finally {
    sqlite.close();
    rmSync(`${file}-journal`, { force: true });
  }
}

/** Spoil a search index so often, in each way in turn. */
export const spoilSearch = (count: number, random: () => number, folder: string): Promise<Row> =>
  spoil(["kill", "fill", "flip", "cut"], count, random, folder);

/** Flip so many bits of a search index that is in use. */
export const flipSearch = (count: number, random: () => number, folder: string): Promise<Row> =>
  spoil(["flipInUse"], count, random, folder);

async function spoil(
  faults: readonly ("kill" | "fill" | "flip" | "flipInUse" | "cut")[],
  count: number,
  random: () => number,
  folder: string,
): Promise<Row> {
  const proof = new Proof(folder);
  const seen = new Map<string, number>();
  const failures: string[] = [];
  await proof.prepare();
  for (let at = 0; at < count; at++) {
    const fault = faults[at % faults.length]!;
    try {
      const fate = `${fault}: ${await proof[fault](random)}`;
      seen.set(fate, (seen.get(fate) ?? 0) + 1);
    } catch (error) {
      failures.push(`${fault}: ${(error as Error).message}`);
    }
  }
  return { runs: count, seen, failures };
}
