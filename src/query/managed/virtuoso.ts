/** Virtuoso as an engine of one's own: its settings, and its bulk loader (Virtuoso Open Source 7.2). */
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
  // Some 70 are its files; queries need room for what they join.
  bytesOfTriple: 150,
  prepare(home) {
    const file = join(home.folder, "virtuoso.ini");
    writeFileSync(file, settings(home), { mode: 0o600 });
    return ["+configfile", file, "+foreground"];
  },
  addresses({ ports: [, port], password }) {
    const at = `http://127.0.0.1:${port}`;
    const graphStore = `${at}/sparql-graph-crud-auth`;
    return { url: `${at}/sparql-auth`, graphStore, credentials: { user: "dba", password } };
  },
  bulkLoader: (home) => new SqlSession(home),
};

/** Advice where an index is too small, or too slow: the one command, and the one option. */
export const ENGINE_ADVICE = `apt-get install ${VIRTUOSO.package}, then vitrine serve --engine virtuoso (docs/run/engines.md)`;

/** Bytes that a page of 8 KiB takes in memory. */
const PAGE = 8_700;
/** Rows of one answer. What has more is refused rather than cut, and read in halves where it is read for comparison. */
const MOST_ROWS = 1_000_000;

/** Its files lie in the folder that it is started in. */
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

/** A session of Virtuoso's own client. The password goes to it by a pipe, since anybody may read what a program is started with. */
class SqlSession implements BulkLoader {
  readonly #client;
  #said = "";
  #heard = (): void => {};
  #problem: Error | undefined;
  /** The statement before the next, which is done only where that one was. */
  #last: Promise<unknown>;
  #statements = 0;

  constructor({ ports: [port], password }: EngineHome) {
    const args = [`127.0.0.1:${port}`, "dba", "dba", "VERBOSE=OFF", "PROMPT=OFF", "ERRORS=STDOUT"];
    this.#client = spawn("isql-vt", args, { stdio: ["pipe", "pipe", "ignore"] });
    this.#client.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
      this.#heard();
    });
    const lost = (): void => {
      this.#problem = new EngineError(`isql-vt ended: ${this.#said.trim()}`);
      this.#heard();
    };
    this.#client.stdin.on("error", lost);
    this.#client.once("error", lost).once("close", lost);
    this.#last = Promise.resolve();
    // It was never used, and its password is the known one. Nobody but the owner may read then.
    this.#ask("DB.DBA.RDF_DEFAULT_USER_PERMS_SET('nobody', 0)");
    this.#ask(`set password "dba" "${password}"`);
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

  /** The answer to a statement. Whoever waits for a later one need not wait for this. Rejects with `EngineError`. */
  #ask(statement: string): Promise<string> {
    const answer = this.#last.then(() => this.#say(statement));
    answer.catch(() => {});
    this.#last = answer;
    return answer;
  }

  async #say(statement: string): Promise<string> {
    const mark = `DONE ${++this.#statements}.`;
    this.#said = "";
    this.#client.stdin.write(`${statement};\nECHO "${mark}\\n";\n`);
    while (!this.#said.includes(mark)) {
      if (this.#problem !== undefined) throw this.#problem;
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
    // Its next lines repeat the statement, and so a password.
    const problem = /^\*\*\* Error .*$/m.exec(this.#said);
    if (problem !== null) throw new EngineError(`Virtuoso: ${problem[0]}`);
    return this.#said;
  }
}
