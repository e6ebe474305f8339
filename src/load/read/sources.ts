/** Sources: the files, directories and standard input that a command's inputs name, each ready to be read. */
import { createReadStream } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { addAbortSignal, pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { FORMATS, type Format, isReadable } from "../../rdf/formats.js";
import { InputError } from "../errors.js";
import { checkExpansion } from "../limits.js";

const READ_FORMATS: ReadonlyMap<string, Format> = new Map(
  FORMATS.filter(isReadable).flatMap((format) => [format.name, ...format.extensions].map((name) => [name, format])),
);

/** The names and extensions of the readable formats. */
export const EXTENSIONS: readonly string[] = [...READ_FORMATS.keys()];

/** The format of a name or an extension, if it is readable. */
export function formatOf(extension: string): Format | undefined {
  return READ_FORMATS.get(extension);
}

/** Whether a format holds documents, and not triples or quads. */
export function holdsDocuments({ format }: Pick<Source, "format">): boolean {
  return formatOf(format)?.holds === "documents";
}

const STANDARD_INPUT = "-";

/** Large enough that reading outweighs the cost of a chunk. */
const CHUNK_BYTES = 256 * 1024;

export interface Source {
  /** The path as given or found, or `-`. */
  readonly name: string;
  readonly format: string;
  /** The bytes of the file, compressed if it is; `undefined` for a stream, whose size is unknown. */
  readonly size: number | undefined;
  readonly bytesRead: number;
  /** The content, decompressed; can be opened once. `signal` ends it. Throws `InputError`, even after some chunks. */
  open(signal?: AbortSignal): AsyncIterable<Uint8Array>;
}

interface SourceOptions {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** The format of all inputs, one of `EXTENSIONS`. Default: by the extension of each. */
  readonly format?: string | undefined;
  /** Replaces `MAX_EXPANSION`. */
  readonly maxExpansion?: number | undefined;
  /** Called for each skipped entry of a directory: not a file, of no known extension, or hidden (macOS writes `._a.jsonl` beside `a.jsonl`). */
  readonly onIgnored?: (path: string) => void;
}

/** The sources that inputs name, in order, each once; a directory gives all files below it, sorted by path. Throws `InputError`. */
export async function listSources(inputs: readonly string[], options: SourceOptions): Promise<Source[]> {
  const { maxExpansion } = options;
  const given = options.format;
  const format = given === undefined ? undefined : (formatOf(given)?.name ?? unknownFormat(`--format ${given}`));
  const sources = new Map<string, Source>();
  for (const input of inputs) {
    if (input === STANDARD_INPUT) {
      const known = format ?? unknownFormat("standard input");
      const source = new StreamSource(STANDARD_INPUT, known, undefined, false, () => options.stdin, maxExpansion);
      sources.set(STANDARD_INPUT, source);
      continue;
    }
    const { isDirectory, size } = await examine(input);
    const files = isDirectory ? await filesBelow(input, options.onIgnored) : [{ path: input, size }];
    if (files.length === 0)
      throw new InputError(`${input}: the directory has no file that ends in one of ${extensions()}`);
    for (const file of files) {
      const name = parseName(file.path);
      const known = format ?? name.format ?? unknownFormat(file.path);
      const open = () => createReadStream(file.path, { highWaterMark: CHUNK_BYTES });
      // The path that a shell gives for `<(command)` has no real path.
      const real = await realpath(file.path).catch(() => file.path);
      sources.set(real, new StreamSource(file.path, known, file.size, name.isGzip, open, maxExpansion));
    }
  }
  return [...sources.values()];
}

function unknownFormat(path: string): never {
  const isTable = /\.(?:[ct]sv|xlsx?|ods)(?:\.gz)?$/i.test(path);
  if (PACKED_NAME.test(path)) throw packedError(path);
  throw new InputError(
    isTable
      ? `${path}: a table does not say what its columns mean: turn it into documents with a script (docs/publish/prepare.md has some)`
      : `${path}: unknown format: give --format, or a file that ends in one of ${extensions()}`,
  );
}

const PACKED_NAME = /\.(?:zip|7z|rar|tar|tgz|tbz2?|txz|zst|xz|lzma|lz4|bz2|br)(?:\.gz)?$/i;

function packedError(path: string, otherwise = ""): InputError {
  return new InputError(`${path}: unpack it first, or pipe its content: load - --format FORMAT${otherwise}`);
}

function extensions(): string {
  return `${EXTENSIONS.map((format) => `.${format}`).join(" ")} (also with .gz)`;
}

/** The format and the compression that a path's extensions name. */
function parseName(path: string): { format: string | undefined; isGzip: boolean } {
  const isGzip = /\.gz$/i.test(path);
  const [, extension] = /\.([^./\\]+)$/.exec(isGzip ? path.slice(0, -3) : path) ?? [];
  return { format: formatOf(extension?.toLowerCase() ?? "")?.name, isGzip };
}

async function examine(path: string): Promise<{ isDirectory: boolean; size: number | undefined }> {
  const status = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw readingError(path, error);
  });
  return { isDirectory: status.isDirectory(), size: status.isFile() ? status.size : undefined };
}

/** The files of known extensions below a directory, sorted by path, except hidden ones and those of stores. Links are followed; each directory is visited once. */
async function filesBelow(directory: string, onIgnored: SourceOptions["onIgnored"]) {
  const files: { readonly path: string; readonly size: number }[] = [];
  const visited = new Set<string>();
  const visit = async (path: string): Promise<void> => {
    const real = await realpath(path);
    if (visited.has(real)) return;
    visited.add(real);
    const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
      throw readingError(path, error);
    });
    // Its dumps would bring back earlier records, and its history is none.
    if (names.includes("records.mdb")) {
      if (path !== directory) return;
      throw new InputError(`${path}: it is a store: vitrine export writes its records to a file that can be loaded`);
    }
    for (const name of names.sort()) {
      const below = join(path, name);
      // Skipped before they are examined: editors keep hidden links that lead nowhere beside open files.
      if (name.startsWith(".")) {
        onIgnored?.(below);
        continue;
      }
      const { isDirectory, size } = await examine(below);
      if (isDirectory) await visit(below);
      // Its records would be missing without a word, and --sync would delete them.
      else if (PACKED_NAME.test(name)) throw packedError(below, "; if it has no records, move it out of the folder");
      else if (parseName(name).format === undefined || size === undefined) onIgnored?.(below);
      else files.push({ path: below, size });
    }
  };
  await visit(directory);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A source that counts what is read from it and decompresses gzip, even when only the content shows that it is gzip. */
class StreamSource implements Source {
  bytesRead = 0;

  constructor(
    readonly name: string,
    readonly format: string,
    readonly size: number | undefined,
    readonly isGzip: boolean,
    readonly start: () => AsyncIterable<Uint8Array | string>,
    readonly maxExpansion: number | undefined,
  ) {}

  async *open(signal?: AbortSignal): AsyncIterable<Uint8Array> {
    const stream = this.start();
    if (signal !== undefined && stream instanceof Readable) addAbortSignal(signal, stream);
    const chunks = this.#counted(stream);
    const start = await startOf(chunks);
    if (start.length === 0) {
      if (this.isGzip) throw this.#damaged("the file is empty");
      return;
    }
    const isGzip = this.isGzip || (start[0] === 0x1f && start[1] === 0x8b);
    const content = isGzip ? this.#gunzipped(prepend(start, chunks)) : chunks;
    const first = isGzip ? await startOf(content) : start;
    this.#checkStart(first);
    yield* prepend(first, content);
  }

  #checkStart(chunk: Uint8Array): void {
    const start = Buffer.from(chunk.subarray(0, 4)).toString("latin1");
    if (PACKED.some((each) => start.startsWith(each))) throw packedError(this.name);
    if (isUtf16(chunk))
      throw new InputError(
        `${this.name}: the text is UTF-16, not UTF-8: iconv -f UTF-16 -t UTF-8 ${this.name} > NEW converts it`,
      );
  }

  async *#counted(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of stream) {
        const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
        if (bytes.length === 0) continue;
        this.bytesRead += bytes.length;
        yield bytes;
      }
    } catch (error) {
      throw readingError(this.name, error as NodeJS.ErrnoException);
    }
  }

  async *#gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
    // An error in either stream destroys the other, and so reaches the iteration below.
    pipeline(Readable.from(chunks, { objectMode: false }), gunzip, () => {});
    let length = 0;
    try {
      for await (const chunk of gunzip) {
        length += chunk.length;
        checkExpansion(this.name, this.bytesRead, length, this.maxExpansion);
        yield chunk;
      }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw code?.startsWith("Z_") === true ? this.#damaged(message) : error;
    }
  }

  #damaged(reason: string): InputError {
    return new InputError(`${this.name}: the gzip data is damaged: ${reason}`);
  }
}

/** The first bytes of files that zip, 7z, xz, Zstandard or bzip2 packed. */
const KIND_BYTES = 4;
const PACKED = ["PK\x03\x04", "7z\xbc\xaf", "\xfd7zX", "(\xb5/\xfd", "BZh"];

/** Whether a text begins with the byte order mark of UTF-16, or with an ASCII character in UTF-16. */
function isUtf16([first, second]: Uint8Array): boolean {
  if (first === undefined || second === undefined) return false;
  const mark = first * 256 + second;
  return mark === 0xfffe || mark === 0xfeff || (first === 0) !== (second === 0);
}

/** The first bytes of a content, at least as many as tell its kind if it has them: a pipe may give one at a time. */
async function startOf(chunks: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  let start: Uint8Array = Buffer.alloc(0);
  while (start.length < KIND_BYTES) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    start = start.length === 0 ? value : Buffer.concat([start, value]);
  }
  return start;
}

async function* prepend(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

/** An `InputError` if the file is missing, otherwise the error itself. */
function readingError(path: string, error: NodeJS.ErrnoException): Error {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") return error;
  const isAddress = /^https?:\/\//.test(path);
  return new InputError(
    `${path}: no such file or directory${isAddress ? ": download it first; vitrine follow keeps a store equal to a service" : ""}`,
  );
}
