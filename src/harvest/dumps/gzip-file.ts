/** A gzipped file that is written piece by piece: each is a member of its own, so that files can be joined byte by byte (RFC 1952, 2.2). */
import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const compressed = promisify(gzip);

/** Measured on records: a third of the time of zlib's usual level, for files larger by a fifth. */
const LEVEL = 3;
/** Text of a member, in bytes. */
const MEMBER = 2 ** 20;
/** What zlib hands out at a time: a member takes one or two of these, where its default would take many turns. */
const CHUNK = 2 ** 18;
/** Members of all files that may be compressed at once: more would only wait in memory. */
const MAX_AT_ONCE = 6;

/** How many members are being compressed, and who waits for one of them to be done. */
class Compressing {
  #running = 0;
  #waiting: (() => void)[] = [];

  async begin(): Promise<void> {
    while (this.#running >= MAX_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
  }

  end(): void {
    this.#running--;
    this.#waiting.shift()?.();
  }
}

const compressing = new Compressing();

/** Text goes in, gzip comes out. */
export class GzipFile {
  readonly #handle: FileHandle;
  readonly #hash: Hash = createHash("sha256");
  /** The member that is being filled. */
  #member: Buffer = Buffer.allocUnsafe(MEMBER);
  #length = 0;
  #bytes = 0;
  #written: Promise<void> = Promise.resolve();

  private constructor(
    readonly path: string,
    handle: FileHandle,
  ) {
    this.#handle = handle;
  }

  /** Make a file; there must be none. */
  static async create(path: string): Promise<GzipFile> {
    return new GzipFile(path, await open(path, "wx"));
  }

  /** How many bytes were written so far; all only after `flush`. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Append text, or bytes of it, which are copied at once; where there is a promise, more may come when it resolves. */
  add(text: string | Uint8Array): Promise<void> | undefined {
    // No character takes more than three bytes for each of its UTF-16 units.
    const most = typeof text === "string" ? 3 * text.length : text.length;
    if (this.#length + most <= MEMBER) {
      this.#put(text);
      return undefined;
    }
    // What is in the record's own buffer is there until the next record alone.
    return this.#addToNext(typeof text === "string" ? text : Buffer.from(text), most);
  }

  #put(text: string | Uint8Array): void {
    if (typeof text === "string") this.#length += this.#member.write(text, this.#length, "utf8");
    else {
      this.#member.set(text, this.#length);
      this.#length += text.length;
    }
  }

  /** Append bytes that are gzip already. */
  async addCompressed(bytes: Buffer): Promise<void> {
    await this.flush();
    await this.#write(bytes);
  }

  /** Resolves when all that was added is in the file, the last of it in a member of its own. */
  async flush(): Promise<void> {
    if (this.#length > 0) await this.#compress();
    await this.#written;
  }

  /** End the file, on disk; its SHA-256 in hexadecimal. */
  async close(): Promise<string> {
    try {
      await this.flush();
      await this.#handle.sync();
    } finally {
      await this.#handle.close();
    }
    return this.#hash.digest("hex");
  }

  async #addToNext(text: string | Uint8Array, most: number): Promise<void> {
    await this.#compress();
    if (most > MEMBER) this.#member = Buffer.allocUnsafe(most);
    this.#put(text);
    if (most > MEMBER) await this.#compress();
  }

  async #compress(): Promise<void> {
    if (this.#length === 0) return;
    const text = this.#member.subarray(0, this.#length);
    this.#member = Buffer.allocUnsafe(MEMBER);
    this.#length = 0;
    await compressing.begin();
    const member = compressed(text, { level: LEVEL, chunkSize: CHUNK }).finally(() => compressing.end());
    this.#written = Promise.all([member, this.#written]).then(([bytes]) => this.#write(bytes));
    // Whoever waits for the file next is told of a failure.
    this.#written.catch(() => {});
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#handle.write(bytes);
  }
}
