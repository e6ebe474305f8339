/** Unix sockets in folders: binding and reaching them, however long their paths are, and finding out who answers. */
import { once } from "node:events";
import { chmod, type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** Operating systems allow about a hundred bytes for a socket address (`sun_path`, unix(7)). */
const MAX_ADDRESS_BYTES = 100;

/** A folder of sockets. It must be closed after the servers that listen there. */
export class SocketFolder {
  private constructor(
    readonly path: string,
    readonly handle: FileHandle,
  ) {}

  /** Open the folder. Rejects with the file system's error if it is missing. */
  static async open(path: string): Promise<SocketFolder> {
    return new SocketFolder(path, await open(path, "r"));
  }

  /** The address of a socket in this folder: its path or, if that is too long, a short path through Linux's `/proc/self/fd`. */
  address(name: string): string {
    const path = join(this.path, name);
    return Buffer.byteLength(path) <= MAX_ADDRESS_BYTES ? path : `/proc/self/fd/${this.handle.fd}/${name}`;
  }

  /** Make a server listen at a socket in this folder, and return the inode. Until the server listens, the socket looks dead, so it is called `before`. @param mode who may connect */
  async bind(server: Server, name: string, mode: number, before = `.${name}`): Promise<number> {
    const path = join(this.path, before);
    await rm(path, { force: true });
    // The address in the error may be the short one.
    await listening(server, this.address(before)).catch((error) => {
      throw Object.assign(error, { path: this.path });
    });
    server.unref();
    await chmod(path, mode);
    const { ino } = await lstat(path);
    await rename(path, join(this.path, name));
    return ino;
  }

  async has(name: string, inode: number): Promise<boolean> {
    return (await lstat(join(this.path, name)).catch(() => undefined))?.ino === inode;
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

/** Start a server at a socket address. Resolves when it listens. */
export async function listening(server: Server, address: string): Promise<void> {
  await once(server.listen(address), "listening");
  server.on("error", () => {});
}

/** What answers at a socket address: the text that was sent, or why there is none. A silent process is busy, suspended or another user's. At a dead socket no process listens any more. */
type SocketAnswer =
  | { readonly is: "answering"; readonly text: string }
  | { readonly is: "silent" | "dead" | "missing" };

/** Read what a socket sends until its end, waiting `patience` milliseconds. Only a refused connection proves that nobody listens; the kernel decides that across containers, too. */
export async function readSocket(address: string, patience: number): Promise<SocketAnswer> {
  const socket = connect(address);
  socket.setTimeout(patience, () => socket.destroy(new Error("silent")));
  try {
    return { is: "answering", text: await text(socket) };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED") return { is: "dead" };
    // A reset connection: the process that listened has just ended.
    return { is: ["ENOENT", "ECONNRESET", "EPIPE"].includes(code) ? "missing" : "silent" };
  }
}
