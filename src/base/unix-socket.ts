/** Unix sockets in folders: how one is bound and reached whatever the length of its path, and who answers at it. */
import { chmod, type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { join } from "node:path";

/** Systems allow about a hundred bytes for the address of a socket (`sun_path`, unix(7)). */
const MAX_ADDRESS_BYTES = 100;

/** A folder that sockets lie in. It has to be closed after the servers that listen there. */
export class SocketFolder {
  private constructor(
    readonly path: string,
    readonly handle: FileHandle,
  ) {}

  /** Rejects with the file system's error where the folder is missing. */
  static async open(path: string): Promise<SocketFolder> {
    return new SocketFolder(path, await open(path, "r"));
  }

  /** The address of a socket here: its path, or where that is too long, Linux's short name of the open folder with it. */
  address(name: string): string {
    const path = join(this.path, name);
    return Buffer.byteLength(path) <= MAX_ADDRESS_BYTES ? path : `/proc/self/fd/${this.handle.fd}/${name}`;
  }

  /** Make a server listen at a socket here, and give its inode. A socket looks dead until its server listens, and has another name until then. @param mode who may connect */
  async bind(server: Server, name: string, mode: number, before = `.${name}`): Promise<number> {
    const path = join(this.path, before);
    await rm(path, { force: true });
    await listening(server, this.address(before));
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

/** Resolves when a server listens at the address of a socket. */
export function listening(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      server.on("error", () => {});
      resolve();
    });
  });
}

/** The answer at the address of a socket: the text that was sent, or why there is none. */
type SocketAnswer =
  | { readonly is: "answering"; readonly text: string }
  /** Some process holds it, and says nothing: it is busy or suspended, or another user's. */
  | { readonly is: "silent" }
  /** There is a socket that no process listens at any more. */
  | { readonly is: "dead" }
  | { readonly is: "missing" };

/** Hear what is said at a socket until its end, for `patience` milliseconds. The kernel knows, in whatever container: only a refused connection means that nobody listens. */
export function hear(address: string, patience: number): Promise<SocketAnswer> {
  return new Promise((resolve) => {
    const socket = connect(address);
    let text = "";
    const end = (answer: SocketAnswer): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(patience, () => end({ is: "silent" }));
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("end", () => end({ is: "answering", text }));
    socket.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (code === "ECONNREFUSED") end({ is: "dead" });
      // A reset connection was somebody's who left just now.
      else if (code === "ENOENT" || code === "ECONNRESET" || code === "EPIPE") end({ is: "missing" });
      else end({ is: "silent" });
    });
  });
}
