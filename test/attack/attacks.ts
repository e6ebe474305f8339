/** The attacks on a service, row by row: what each sends, and what should not come out of it. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { Parser } from "n3";
import { vitrine } from "../faults/row.js";
import { HEADER_BOMBS, HEADER_NAMES, HEADER_VALUES, RAW_FORMS, TARGETS, TEXTS, UPDATES } from "./forms.js";

/** How much of each attack there is. */
export interface Scale {
  readonly headerSets: number;
  readonly dribblers: number;
  /** Milliseconds between two letters of a head. */
  readonly dribble: number;
  readonly silentReaders: number;
  /** Milliseconds that they do not read. */
  readonly silence: number;
  /** Queries that are left running. */
  readonly abandoned: number;
  /** Parts of the largest record; three triples each. */
  readonly parts: number;
  /** Whether inputs that expand to hundreds of mebibytes are loaded. */
  readonly bombs: boolean;
}

/**
 * What is part of the tests, what continuous integration does, and all of it, which takes minutes. Among the tests queries
 * are left running by test/http/sparql/robustness.campaign.ts.
 */
export const SMALLEST: Scale = {
  ...{ headerSets: 20, dribblers: 10, dribble: 5, silentReaders: 2, silence: 200 },
  ...{ abandoned: 0, parts: 300, bombs: false },
};
export const SHORT: Scale = {
  ...{ headerSets: 200, dribblers: 60, dribble: 50, silentReaders: 4, silence: 3_000 },
  ...{ abandoned: 6, parts: 6_000, bombs: false },
};
export const LONG: Scale = {
  ...{ headerSets: 10_000, dribblers: 1_000, dribble: 50, silentReaders: 25, silence: 3_000 },
  ...{ abandoned: 6, parts: 30_000, bombs: true },
};

/** What is attacked. */
export interface Target {
  readonly url: string;
  readonly port: number;
  readonly store: string;
  readonly folder: string;
  readonly random: () => number;
  readonly scale: Scale;
}

/** A row: what it does, and what should not have come out of it. */
interface Attack {
  readonly name: string;
  readonly run: (target: Target, failures: string[]) => Promise<number>;
}

/** Whether an answer is none of a failure. */
function isHeld(status: number): boolean {
  return status >= 200 && status < 500;
}

/** Send bytes, and give everything that comes back. @param isLast whether this side ends the connection at once, for which a server may give up what is not answered yet */
async function exchange(port: number, bytes: string, isLast = true): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => {});
  socket.setTimeout(20_000, () => socket.destroy());
  socket.write(Buffer.from(bytes, "latin1"));
  if (isLast) socket.end();
  await once(socket, "close");
  return Buffer.concat(chunks).toString("latin1");
}

function statusesOf(answers: string): number[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

async function inTurn<T>(rows: readonly T[], each: (row: T) => Promise<void>): Promise<number> {
  for (const row of rows) await each(row);
  return rows.length;
}

async function countOf(url: string): Promise<string> {
  return (await ask(url, { query: "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }" })).text();
}

/** A query or an update by POST. */
export function ask(url: string, form: Record<string, string>): Promise<Response> {
  return fetch(`${url}/sparql`, { method: "POST", body: new URLSearchParams(form) });
}

export const ATTACKS: readonly Attack[] = [
  {
    name: "raw forms of smuggling and framing",
    run: ({ port }, failures) =>
      inTurn(RAW_FORMS, async ({ name, bytes, statuses, or = statuses }) => {
        const got = statusesOf(await exchange(port, bytes));
        if (![statuses, or].some((each) => got.join() === each.join()))
          failures.push(`${name}: ${got.join() || "nothing"}, not ${statuses.join()}`);
      }),
  },
  {
    name: "odd targets",
    run: ({ port }, failures) =>
      inTurn(TARGETS, async ([target, status]) => {
        const answer = await exchange(
          port,
          `GET ${target} HTTP/1.1\r\nHost: data.museum.example\r\nConnection: close\r\n\r\n`,
          false,
        );
        const [got] = statusesOf(answer);
        if (got !== status) failures.push(`${target.slice(0, 60)}: ${got}, not ${status}`);
        if (/root:.*:0:0:|^Set-Cookie|"name": "vitrine"/m.test(answer)) failures.push(`${target.slice(0, 60)}: leaks`);
      }),
  },
  {
    name: "updates, in four ways each",
    run: async ({ url }, failures) => {
      const before = await countOf(url);
      const sent = await inTurn(UPDATES, async (update) => {
        const answers = await Promise.all([
          ask(url, { update }),
          ask(url, { query: update }),
          fetch(`${url}/sparql`, {
            method: "POST",
            headers: { "content-type": "application/sparql-update" },
            body: update,
          }),
          fetch(`${url}/sparql?${new URLSearchParams({ update })}`, { headers: { accept: "application/json" } }),
        ]);
        for (const { status } of answers) if (status < 400 || status >= 500) failures.push(`${update}: ${status}`);
      });
      if ((await countOf(url)) !== before) failures.push("the collection changed");
      return 4 * sent;
    },
  },
  {
    name: "header bombs",
    run: ({ port }, failures) =>
      inTurn(HEADER_BOMBS, async ([name, value]) => {
        const answer = await exchange(
          port,
          `GET /object/1 HTTP/1.1\r\nHost: x\r\n${name}: ${value}\r\nConnection: close\r\n\r\n`,
        );
        const [status = 0] = statusesOf(answer);
        if (!isHeld(status)) failures.push(`${name}: ${value.slice(0, 20)}: ${status}`);
      }),
  },
  {
    name: "hostile header sets",
    run: async ({ port, random, scale }, failures) => {
      const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
      for (let count = 0; count < scale.headerSets; count++) {
        const lines = Array.from(
          { length: 1 + Math.floor(random() * 8) },
          () => `${one(HEADER_NAMES)}: ${one(HEADER_VALUES)}\r\n`,
        );
        const target = one(["/object/1", "/nothing", "/object/1.html", "/", "/activity"]);
        const answer = await exchange(
          port,
          `GET ${target} HTTP/1.1\r\nHost: x\r\n${lines.join("")}Connection: close\r\n\r\n`,
          false,
        );
        const [status = 0] = statusesOf(answer);
        if (!isHeld(status)) failures.push(`${status} for ${JSON.stringify(lines)}`);
      }
      return scale.headerSets;
    },
  },
  {
    name: "dribbling heads",
    run: async ({ port, scale }) => {
      const sockets: Socket[] = [];
      for (let count = 0; count < scale.dribblers; count++) {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {});
        sockets.push(socket);
      }
      for (const letter of "GET /object/1 HTTP/1") {
        for (const socket of sockets) socket.write(letter);
        await sleep(scale.dribble);
      }
      for (const socket of sockets) socket.destroy();
      return scale.dribblers;
    },
  },
  {
    name: "readers of results that do not read",
    run: async ({ port, url, scale }, failures) => {
      const query = encodeURIComponent("SELECT * { ?a ?b ?c . ?d ?e ?f } LIMIT 90000");
      const sockets = Array.from({ length: scale.silentReaders }, () => {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {});
        socket.pause();
        socket.write(`GET /sparql?query=${query} HTTP/1.1\r\nHost: x\r\n\r\n`);
        return socket;
      });
      await sleep(scale.silence);
      if (!isHeld((await fetch(`${url}/object/1`)).status)) failures.push("records are not answered");
      for (const socket of sockets) socket.destroy();
      return scale.silentReaders;
    },
  },
  {
    name: "queries that are left running",
    run: async ({ url, scale }, failures) => {
      const endless = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }";
      for (let count = 0; count < scale.abandoned; count++) {
        const signal = AbortSignal.timeout(150);
        await fetch(`${url}/sparql?query=${encodeURIComponent(endless)}`, { signal }).catch(() => {});
      }
      // The process that ran the last is replaced, which takes long on a busy machine; nothing is to wait for six deadlines of twenty seconds.
      const until = performance.now() + 90_000;
      let status = 0;
      while (status !== 200 && performance.now() < until) {
        await sleep(100);
        status = (await ask(url, { query: "ASK {}" })).status;
      }
      if (status !== 200) failures.push(`ASK {} is ${status}`);
      return scale.abandoned;
    },
  },
  {
    name: "large records in every form",
    run: async ({ url }, failures) => {
      const forms = [".jsonld", ".ttl", ".nt", ".rdf", ".html", ".schema.jsonld"];
      const answers = await Promise.all(forms.map((form) => fetch(`${url}/object/large${form}`)));
      for (const [at, answer] of answers.entries()) {
        await answer.arrayBuffer();
        if (answer.status !== 200) failures.push(`${forms[at]}: ${answer.status}`);
      }
      return forms.length;
    },
  },
  {
    name: "hostile texts in every place of a record",
    run: async ({ url }, failures) => {
      let sent = 0;
      for (const at of TEXTS.keys()) {
        for (const form of [".jsonld", ".ttl", ".nt", ".nq", ".trig", ".rdf", ".schema.jsonld", ".html"]) {
          const answer = await fetch(`${url}/object/hostile-${at}${form}`);
          const problem = problemOf(form, answer.status, await answer.text());
          if (problem !== undefined) failures.push(`text ${at} as ${form}: ${problem}`);
          sent++;
        }
      }
      return sent;
    },
  },
  {
    name: "inputs that expand",
    run: async ({ scale, folder }, failures) => {
      if (!scale.bombs) return 0;
      const prefix = `@prefix p: <http://x.example/${"a".repeat(2 ** 20)}> .\n`;
      const statements = Array.from({ length: 20_000 }, (_, at) => `p:s${at} p:p p:o .\n`);
      await writeFile(join(folder, "prefix.ttl.gz"), gzipSync(prefix + statements.join("")));
      await writeFile(join(folder, "zeros.nt.gz"), gzipSync(Buffer.alloc(600 * 2 ** 20, "# a comment\n")));
      return inTurn(["prefix.ttl.gz", "zeros.nt.gz"], async (name) => {
        const { status } = await vitrine(["load", join(folder, name), "--store", join(folder, "other")]);
        if (status !== 2) failures.push(`${name}: status ${status}, not 2`);
      });
    },
  },
];

/** What the rows are called. */
export const ATTACK_NAMES: readonly string[] = ATTACKS.map(({ name }) => name);

/** What is wrong with an answer of a hostile record, or `undefined`. */
function problemOf(form: string, status: number, body: string): string | undefined {
  // XML lacks some characters, which that form says.
  if (status === 406 && form === ".rdf") return undefined;
  if (status !== 200) return `status ${status}`;
  try {
    if (form.endsWith("jsonld")) JSON.parse(body);
    else if (form !== ".rdf" && form !== ".html") new Parser({ format: formatOf(form) }).parse(body);
  } catch (error) {
    return (error as Error).message.slice(0, 100);
  }
  return /\.(?:html|rdf)$/.test(form) && /<script>alert|<img src=x/.test(body) ? "it would run" : undefined;
}

function formatOf(form: string): string {
  return { ".ttl": "text/turtle", ".nt": "N-Triples", ".nq": "N-Quads" }[form] ?? "TriG";
}
