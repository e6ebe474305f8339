/** Virtuoso as a managed engine: its settings and its bulk loader (Virtuoso Open Source 7.2). */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EngineError } from "../../engine/engine-client.js";
import { MERGED_GRAPH } from "../remote/engine-writer.js";
import { type BulkLoader, type EngineHome, type ManagedKind, PARTS } from "./managed-kind.js";

export const VIRTUOSO: ManagedKind = {
  program: "virtuoso-t",
  package: "virtuoso-opensource-7-bin",
  version: { args: ["-?"], pattern: /^Version .*$/m },
  // Its files take about 70; queries need room for joins.
  bytesOfTriple: 150,
  prepare(home) {
    const file = join(home.folder, "virtuoso.ini");
    writeFileSync(file, settings(home), { mode: 0o600 });
    return ["+configfile", file, "+foreground"];
  },
  addresses({ ports: [, port], password }) {
    const at = `http://127.0.0.1:${port}`;
    const graphStore = `${at}/sparql-graph-crud-auth`;
    const reader = { user: READER, password };
    return { url: `${at}/sparql-auth`, graphStore, credentials: { user: "dba", password }, reader };
  },
  bulkLoader: (home) => new SqlSession(home),
};

/** The user for queries, who can read only the records' graph, and change none, whatever the queries call. */
const READER = "reader";

/** Advice for when the index is too small or too slow: the command and the option. */
export const ENGINE_ADVICE = `apt-get install ${VIRTUOSO.package}, then vitrine serve --engine virtuoso (docs/run/engines.md)`;

/** The memory that a page of 8 KiB takes, in bytes. */
const PAGE = 8_700;
/** The maximum number of rows in an answer, and of rows that are sorted for a LIMIT or OFFSET. A query with more is refused, not cut; a comparison reads them in halves. */
const MOST_ROWS = 1_000_000;

/** The settings file. Virtuoso keeps its files in its working directory. */
function settings({ ports: [sql, http], memory, queryMemory, queryTime }: EngineHome): string {
  const buffers = Math.floor(memory / PAGE);
  return `[Parameters]
ServerPort = 127.0.0.1:${sql}
DisableUnixSocket = 1
CheckpointInterval = 10
CaseMode = 2
DirsAllowed = ${PARTS}
NumberOfBuffers = ${buffers}
MaxDirtyBuffers = ${Math.floor(buffers * 0.75)}
MaxSortedTopRows = ${MOST_ROWS}
MaxQueryMem = ${Math.floor(queryMemory / 2 ** 20)}M
[Database]
MaxCheckpointRemap = ${Math.floor(buffers / 4)}
[HTTPServer]
ServerPort = 127.0.0.1:${http}
ServerRoot = ${PARTS}
MaxClientConnections = 40
[SPARQL]
ResultSetMaxRows = ${MOST_ROWS}
MaxQueryExecutionTime = ${Math.ceil(queryTime) + 1}
`;
}

/** A session of Virtuoso's own client. The password is sent through a pipe, since everybody can read a program's arguments. */
class SqlSession implements BulkLoader {
  readonly #client;
  #output = "";
  #onOutput = (): void => {};
  #problem: Error | undefined;
  /** The last statement; the next one runs only if it succeeded. */
  #last: Promise<unknown> = Promise.resolve();
  #statements = 0;

  constructor({ ports: [port], password }: EngineHome) {
    const args = [`127.0.0.1:${port}`, "dba", "dba", "VERBOSE=OFF", "PROMPT=OFF", "ERRORS=STDOUT"];
    this.#client = spawn("isql-vt", args, { stdio: ["pipe", "pipe", "ignore"] });
    this.#client.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
      this.#onOutput();
    });
    const lost = (): void => {
      this.#problem = new EngineError(`isql-vt ended: ${this.#output.trim()}`);
      this.#onOutput();
    };
    this.#client.stdin.on("error", lost);
    this.#client.once("error", lost).once("close", lost);
    // A new Virtuoso has a default password. Deny reading to anybody else before setting the real one.
    this.#ask("DB.DBA.RDF_DEFAULT_USER_PERMS_SET('nobody', 0)");
    this.#ask(`set password "dba" "${password}"`);
    this.#ask(`DB.DBA.USER_CREATE('${READER}', '${password}')`);
    this.#ask(`GRANT SPARQL_SELECT TO "${READER}"`);
    this.#ask(`DB.DBA.RDF_GRAPH_USER_PERMS_SET('${MERGED_GRAPH}', '${READER}', 1)`);
  }

  async add(file: string): Promise<void> {
    this.#ask(`ld_dir('${PARTS}', '${file}', '${MERGED_GRAPH}')`);
    await this.#ask("rdf_loader_run()");
  }

  async finish(): Promise<readonly string[]> {
    this.#ask("checkpoint");
    const wrong = "from DB.DBA.load_list where ll_state <> 2 or ll_error is not null";
    const said = await this.#ask(`select concat('REFUSED ', coalesce(ll_error, 'not loaded')) ${wrong}`);
    return said.split("\n").filter((line) => line.startsWith("REFUSED "));
  }

  close(): void {
    this.#client.kill("SIGKILL");
  }

  /** Queue a statement, and return its answer. The caller may await only the last of several. Rejects with `EngineError`. */
  #ask(statement: string): Promise<string> {
    const answer = this.#last.then(() => this.#say(statement));
    answer.catch(() => {});
    this.#last = answer;
    return answer;
  }

  async #say(statement: string): Promise<string> {
    const mark = `DONE ${++this.#statements}.`;
    this.#output = "";
    this.#client.stdin.write(`${statement};\nECHO "${mark}\\n";\n`);
    while (!this.#output.includes(mark)) {
      if (this.#problem !== undefined) throw this.#problem;
      await new Promise<void>((resolve) => {
        this.#onOutput = resolve;
      });
    }
    // Only the first line: the next ones repeat the statement, and so the password.
    const problem = /^\*\*\* Error .*$/m.exec(this.#output);
    if (problem !== null) throw new EngineError(`Virtuoso: ${problem[0]}`);
    return this.#output;
  }
}
