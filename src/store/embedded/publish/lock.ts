/** The loader's lock: only one process at a time writes to a store, and the kernel tells whether that process is alive. */
import { randomBytes } from "node:crypto";
import { lstat, readdir, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFolder } from "../../../base/folders.js";
import { jsonIn } from "../../../base/json.js";
import { processNamespace } from "../../../base/living-process.js";
import { readSocket, SocketFolder } from "../../../base/unix-socket.js";
import { StoreLockedError } from "../../errors.js";
import { LOCK } from "../format/files.js";

/** Milliseconds to wait for a process whose event loop is blocked. If it has not answered by then, it is taken to hold the lock. */
const PATIENCE = 1_000;
/** The age in milliseconds at which an unfinished socket is removed. */
const ABANDONED = 60_000;

/** What a process says at its socket. */
interface Claim {
  readonly pid: number;
  /** The process namespace of `pid`, or the empty string if the system has none. */
  readonly namespace: string;
  /** Whether it holds the lock, rather than asks for it. */
  readonly holds: boolean;
}

/**
 * Take the lock of a store directory, and create the directory if it is missing. Throws `StoreLockedError` while a living
 * process holds it. @param doing what that process does, for the message
 *
 * A process that wants the lock first listens at its own socket in the folder, under a unique name, and then looks for other sockets there.
 * If two processes arrive together, at least one sees the other. If both see each other, the one whose name sorts first waits, and the other
 * gives up. The socket of a living process is never removed: once the kernel refuses a connection, nobody listens at that socket again.
 */
export async function acquireLock(directory: string, doing = `is loading into the store in ${directory}`) {
  await makeFolder(`${directory}/${LOCK}`);
  const asker = await LoaderLock.in(`${directory}/${LOCK}`);
  try {
    for (;;) {
      const rival = await asker.rival();
      if (rival === undefined) {
        asker.holds = true;
        return asker;
      }
      if (rival !== "waits") throw new StoreLockedError(holderIn(rival), doing);
      await sleep(10);
    }
  } catch (error) {
    await asker.release();
    throw error;
  }
}

/** The name of a holder in messages. The process id has no meaning in another process namespace. */
function holderIn(claim: Claim | "silent"): string {
  if (claim === "silent") return "another process";
  if (claim.namespace === processNamespace()) return `process ${claim.pid}`;
  return `a process of another container (${claim.pid} there)`;
}

export class LoaderLock {
  holds = false;

  private constructor(
    readonly folder: SocketFolder,
    readonly server: Server,
    readonly name: string,
    readonly inode: number,
  ) {}

  static async in(path: string): Promise<LoaderLock> {
    const folder = await SocketFolder.open(path);
    const name = `${process.pid}-${randomBytes(9).toString("base64url")}`;
    let asker: LoaderLock | undefined;
    const server = createServer((socket) => {
      const claim: Claim = { pid: process.pid, namespace: processNamespace(), holds: asker?.holds === true };
      socket.on("error", () => {});
      // Closed from this side: a client that stays connected would keep the lock from being released.
      socket.end(JSON.stringify(claim), () => socket.destroy());
    });
    try {
      asker = new LoaderLock(folder, server, name, await folder.bind(server, name, 0o666));
      return asker;
    } catch (error) {
      server.close();
      await folder.close();
      throw error;
    }
  }

  /** The process that prevents taking the lock. `waits`: other processes ask, too, and will give up. Removes the sockets of dead processes. */
  async rival(): Promise<Claim | "silent" | "waits" | undefined> {
    let waits = false;
    for (const name of await readdir(this.folder.path)) {
      if (name === this.name) continue;
      if (name.startsWith(".")) {
        const found = await lstat(`${this.folder.path}/${name}`).catch(() => undefined);
        if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED) await this.#remove(name);
        continue;
      }
      const answer = await readSocket(this.folder.address(name), PATIENCE);
      if (answer.is === "dead") await this.#remove(name);
      if (answer.is === "silent") return "silent";
      if (answer.is !== "answering") continue;
      const claim = jsonIn<Claim>(answer.text);
      if (claim === undefined) return "silent";
      if (claim.holds || name < this.name) return claim;
      waits = true;
    }
    return waits ? "waits" : undefined;
  }

  /** Whether the socket is still in place. */
  isHeld(): Promise<boolean> {
    return this.folder.has(this.name, this.inode);
  }

  async release(): Promise<void> {
    await this.#remove(this.name);
    await new Promise((closed) => this.server.close(closed));
    await this.folder.close();
  }
  readonly [Symbol.asyncDispose] = this.release;

  async #remove(name: string): Promise<void> {
    await rm(`${this.folder.path}/${name}`, { force: true });
  }
}
