/** A separate Virtuoso for a test file: Debian's `virtuoso-opensource-7-bin`, on loopback, in a temporary folder. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineAddresses } from "../../../src/engine/engine-access.js";
import { freePort } from "../../free-port.js";

/** Whether Virtuoso is installed. If not, tests that need it are skipped, and say so. */
export const HAS_VIRTUOSO = isInstalled();

function isInstalled(): boolean {
  try {
    execFileSync("virtuoso-t", ["-?"], { stdio: "ignore" });
    return true;
  } catch (error) {
    // It ends with a non-zero status when it shows its options.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") return true;
    console.warn("virtuoso-t is not installed (virtuoso-opensource-7-bin): tests that need it are skipped");
    return false;
  }
}

export interface Virtuoso {
  readonly port: number;
  readonly addresses: EngineAddresses;
  /** Kills it, as a failing machine does, and starts it again with the same folder. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** @param buffers its memory in units of 8 KiB @param limits further settings of its section SPARQL */
export async function startVirtuoso(buffers = 4_000, limits = ""): Promise<Virtuoso> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-virtuoso-"));
  const [sqlPort, port] = [await freePort(), await freePort()];
  writeFileSync(join(folder, "virtuoso.ini"), settings(folder, sqlPort, port, buffers) + limits);
  let child: ChildProcess | undefined = await started(folder, port);
  const end = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await ended;
    rmSync(join(folder, "virtuoso.lck"), { force: true });
  };
  const at = `http://127.0.0.1:${port}`;
  return {
    port,
    addresses: {
      url: `${at}/sparql-auth`,
      update: `${at}/sparql-auth`,
      graphStore: `${at}/sparql-graph-crud-auth`,
      credentials: { user: "dba", password: "dba" },
    },
    restart: async () => {
      await end();
      child = await started(folder, port);
    },
    stop: async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function started(folder: string, port: number): Promise<ChildProcess> {
  const args = ["+configfile", join(folder, "virtuoso.ini"), "+foreground"];
  const child = spawn("virtuoso-t", args, { cwd: folder, stdio: "ignore" });
  // In case the tests end without stopping it.
  process.once("exit", () => child.kill("SIGKILL"));
  for (;;) {
    if (child.exitCode !== null) throw new Error(`virtuoso-t ended with ${child.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${port}/sparql?query=ASK%7B%7D`).catch(() => undefined);
    if (answer?.ok === true) return child;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function settings(folder: string, sqlPort: number, port: number, buffers: number): string {
  const file = (name: string): string => join(folder, name);
  return `[Database]
DatabaseFile = ${file("virtuoso.db")}
ErrorLogFile = ${file("virtuoso.log")}
LockFile = ${file("virtuoso.lck")}
TransactionFile = ${file("virtuoso.trx")}
xa_persistent_file = ${file("virtuoso.pxa")}
FileExtend = 200
MaxCheckpointRemap = 2000
TempStorage = TempDatabase
[TempDatabase]
DatabaseFile = ${file("virtuoso-temp.db")}
TransactionFile = ${file("virtuoso-temp.trx")}
MaxCheckpointRemap = 2000
[Parameters]
ServerPort = 127.0.0.1:${sqlPort}
DisableUnixSocket = 1
CheckpointInterval = 60
CaseMode = 2
DirsAllowed = .
NumberOfBuffers = ${buffers}
MaxDirtyBuffers = ${Math.floor(buffers * 0.6)}
[HTTPServer]
ServerPort = 127.0.0.1:${port}
ServerRoot = ${folder}
MaxClientConnections = 10
MaxKeepAlives = 10
KeepAliveTimeout = 10
Charset = UTF-8
[SPARQL]
ResultSetMaxRows = 100000
MaxQueryExecutionTime = 600
`;
}
