/** Gzipped files made of members, each a file of gzip by itself, so that they are joined byte by byte (RFC 1952, 2.2). */
import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { gzipSync } from "node:zlib";

/** Measured on records: a third of the time of zlib's usual level, for files larger by a fifth. */
const LEVEL = 3;
/** Text of a member, in bytes. */
const MEMBER = 2 ** 20;
/** Bytes that zlib hands out at a time: most members fit. */
const CHUNK = 2 ** 17;

/** Texts, compressed; `entries` were added. */
interface GzipMember {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly entries: number;
}

/** A text as a member of a gzipped file. Its bytes are its own, so that another thread can take them over. @param entries how many records it has */
export function gzipMember(text: string | Buffer, entries = 0): GzipMember {
  return { bytes: new Uint8Array(gzipSync(text, { level: LEVEL, chunkSize: CHUNK })), entries };
}

/** Texts go in, members come out. */
export class GzipMembers {
  readonly #text: Buffer = Buffer.allocUnsafe(MEMBER);
  #length = 0;
  #entries = 0;
  #members: GzipMember[] = [];

  /** Add an entry, which stands in one member. */
  add(text: string): void {
    // No character takes more than three bytes for each of its UTF-16 units.
    const most = 3 * text.length;
    if (this.#length + most > MEMBER) this.#compress();
    if (most > MEMBER) {
      this.#members.push(gzipMember(text, 1));
      return;
    }
    this.#length += this.#text.write(text, this.#length, "utf8");
    this.#entries++;
  }

  /** The members of all that was added since the last were taken. */
  take(): readonly GzipMember[] {
    this.#compress();
    const members = this.#members;
    this.#members = [];
    return members;
  }

  #compress(): void {
    if (this.#length === 0) return;
    this.#members.push(gzipMember(this.#text.subarray(0, this.#length), this.#entries));
    this.#length = 0;
    this.#entries = 0;
  }
}

export class GzipFile {
  bytes = 0;
  entries = 0;
  readonly #hash: Hash = createHash("sha256");

  private constructor(private readonly handle: FileHandle) {}

  /** Make a file; there must be none. */
  static async create(path: string): Promise<GzipFile> {
    return new GzipFile(await open(path, "wx"));
  }

  /** Rejects with what the system says of a full disk. */
  async append({ bytes, entries }: GzipMember): Promise<void> {
    this.#hash.update(bytes);
    this.bytes += bytes.length;
    this.entries += entries;
    await this.handle.writeFile(bytes);
  }

  /** End the file, on disk; its SHA-256 in hexadecimal. */
  async close(): Promise<string> {
    // A file of no bytes is no gzip.
    if (this.bytes === 0) await this.append(gzipMember(""));
    await this.handle.sync();
    await this.handle.close();
    return this.#hash.digest("hex");
  }

  async abandon(): Promise<void> {
    await this.handle.close().catch(() => {});
  }
}
