/** Gzip files made of members, each of which is a gzip file by itself, so that they can be concatenated (RFC 1952, 2.2). */
import { createHash } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { synchronized } from "../../base/whole-file.js";

/** Measured on records: takes a third of the time of zlib's default level, for files a fifth larger. */
const LEVEL = 3;
/** The maximum size of a member's text, in bytes. */
const MEMBER = 2 ** 20;
/** The number of bytes that zlib returns at a time. Most compressed members fit. */
const CHUNK = 2 ** 17;

/** Compressed text, with the number of entries in it. */
interface GzipMember {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly entries: number;
}

/** A text as a member of a gzip file. Its bytes have their own buffer, so that they can be transferred to another thread. @param entries the number of records in it */
export function gzipMember(text: string | Buffer, entries = 0): GzipMember {
  return { bytes: new Uint8Array(gzipSync(text, { level: LEVEL, chunkSize: CHUNK })), entries };
}

/** Collects texts and compresses them into members. */
export class GzipMembers {
  readonly #text: Buffer = Buffer.allocUnsafe(MEMBER);
  #length = 0;
  #entries = 0;
  readonly #members: GzipMember[] = [];

  /** Add an entry. An entry is never split between members. */
  add(text: string): void {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    const most = 3 * text.length;
    if (this.#length + most > MEMBER) this.#compress();
    if (most > MEMBER) return void this.#members.push(gzipMember(text, 1));
    this.#length += this.#text.write(text, this.#length, "utf8");
    this.#entries++;
  }

  /** The members made of everything added since the last call. */
  take(): readonly GzipMember[] {
    this.#compress();
    return this.#members.splice(0);
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
  readonly #hash = createHash("sha256");

  /** @param path of a file that does not exist yet */
  constructor(private readonly path: string) {}

  /** Append a member. Rejects with the system's error, such as for a full disk. */
  async append({ bytes, entries }: GzipMember): Promise<void> {
    this.#hash.update(bytes);
    this.bytes += bytes.length;
    this.entries += entries;
    await appendFile(this.path, bytes);
  }

  /** Complete the file on disk. Resolves to its SHA-256 in hexadecimal. */
  async close(): Promise<string> {
    // An empty file is not valid gzip.
    if (this.bytes === 0) await this.append(gzipMember(""));
    await synchronized(this.path);
    return this.#hash.digest("hex");
  }
}
