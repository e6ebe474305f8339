/** The files of a site: what was written is known by tags, so that only what differs is written anew, and what is gone is removed. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { copyFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { replaceFileNow } from "../../base/whole-file.js";
import { tagOf } from "../../http/message/content.js";
import type { Sought } from "./site-search.js";

interface Manifest {
  readonly edition: string;
  readonly sequence: number;
  readonly files: Readonly<Record<string, Known>>;
}

/** What is known of a file. */
interface Known {
  /** The entity tag of what it was made of. */
  readonly tag: string;
  /** The hash of its bytes. */
  readonly hash: string;
  /** Whether it never changes again. */
  readonly isFinal?: boolean;
  /** Addresses of further pages that it leads to. */
  readonly leads?: readonly string[];
  /** What the record is found by whose file it is. */
  readonly sought?: Sought | undefined;
}

/** What a file is given. */
export interface NewFile extends Omit<Known, "hash"> {
  readonly content: string | Buffer;
}

/** What came of a build. */
export interface Counts {
  written: number;
  unchanged: number;
  removed: number;
}

/** The list of files; and beside it, line by line, what a build that goes on has written. */
const MANIFEST = ".vitrine-site.json";
const JOURNAL = ".vitrine-site.journal";

/** Lines of the journal that are written together: what is lost with them is written again. */
const JOURNALED_AT_ONCE = 500;

export class SiteFiles {
  readonly counts: Counts = { written: 0, unchanged: 0, removed: 0 };
  /** The sequence number of the store's last change when the last build ended; `undefined` where none did, or its edition was another. */
  readonly sequence: number | undefined;
  readonly #known = new Map<string, Known>();
  /** What is there. */
  readonly #present: ReadonlySet<string>;
  readonly #kept = new Set<string>();
  #journal: string[] = [];

  /** @param edition what all files depend on; where it differs from last time, no tag counts */
  constructor(
    readonly folder: string,
    private readonly edition: string,
  ) {
    const manifest = readIfThere(join(folder, MANIFEST));
    if (manifest !== undefined) {
      const { edition: last, sequence, files } = JSON.parse(manifest) as Manifest;
      if (last === edition) this.sequence = sequence;
      for (const [file, known] of Object.entries(files)) {
        this.#known.set(file, last === edition ? known : { tag: "", hash: known.hash });
      }
    }
    for (const line of (readIfThere(join(folder, JOURNAL)) ?? "").split("\n")) this.#replay(line);
    this.#present = new Set(
      readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
      ),
    );
  }

  /** The last line of a build that was killed may be half a line. */
  #replay(line: string): void {
    try {
      const [edition, file, known] = JSON.parse(line) as [string, string, Known];
      this.#known.set(file, edition === this.edition ? known : { tag: "", hash: known.hash });
    } catch {}
  }

  /** What is known of a file that is there. */
  known(file: string): Known | undefined {
    const known = this.#known.get(file);
    const isThere = this.#kept.has(file) || this.#present.has(join(this.folder, file));
    return isThere ? known : undefined;
  }

  /** The content of a file that is there. */
  read(file: string): string | undefined {
    return this.known(file) && readIfThere(join(this.folder, file));
  }

  /** What is known of the files that this build has kept so far. */
  *kept(): Iterable<Known> {
    for (const [file, known] of this.#known) if (this.#kept.has(file)) yield known;
  }

  /** Keep the files whose names begin so, where they were all written with this tag, the given one last. */
  keepAll(start: string, tag: string, last: string): boolean {
    const files = [...this.#known.keys()].filter((file) => file.startsWith(start));
    if (![last, ...files].every((file) => this.known(file)?.tag === tag)) return false;
    for (const file of files) this.keep(file);
    return true;
  }

  /** Say that a file is right as it is. */
  keep(file: string): void {
    this.#kept.add(file);
    this.counts.unchanged++;
  }

  /** Write a file, unless it has these very bytes. Throws what the file system says. */
  write(file: string, { content, ...about }: NewFile): void {
    const hash = tagOf(content);
    const isSame = this.known(file)?.hash === hash;
    if (!isSame) replaceFileNow(this.#placeFor(file), content);
    this.#note(file, { ...about, hash }, isSame);
  }

  /** Have a copy of a file, unless that is there. Rejects with what the file system says. */
  async copy(file: string, source: string): Promise<void> {
    const { size, mtimeMs } = await stat(source);
    const tag = `${size}-${mtimeMs}`;
    if (this.known(file)?.tag === tag) return this.keep(file);
    const place = this.#placeFor(file);
    await copyFile(source, `${place}.partial`);
    renameSync(`${place}.partial`, place);
    this.#note(file, { tag, hash: tag }, false);
  }

  /** Where a file is written; its folder is made. */
  #placeFor(file: string): string {
    const place = join(this.folder, file);
    mkdirSync(dirname(place), { recursive: true });
    return place;
  }

  #note(file: string, known: Known, isSame: boolean): void {
    this.#known.set(file, known);
    this.#kept.add(file);
    this.counts[isSame ? "unchanged" : "written"]++;
    if (this.#journal.push(JSON.stringify([this.edition, file, known])) >= JOURNALED_AT_ONCE) this.flush();
  }

  /** Put down what was written. */
  flush(): void {
    if (this.#journal.length === 0) return;
    appendFileSync(join(this.folder, JOURNAL), this.#journal.map((line) => `${line}\n`).join(""));
    this.#journal = [];
  }

  /**
   * Remove what was written in an earlier build and not kept in this one, and put down what there is.
   * @param sequence the store's last change that all of it has
   */
  end(sequence: number): void {
    this.flush();
    for (const file of this.#known.keys()) {
      if (this.#kept.has(file)) continue;
      rmSync(join(this.folder, file), { force: true });
      this.#removeEmpty(dirname(file));
      this.#known.delete(file);
      this.counts.removed++;
    }
    if (this.counts.written + this.counts.removed > 0 || this.sequence !== sequence) {
      const manifest: Manifest = { edition: this.edition, sequence, files: Object.fromEntries(this.#known) };
      replaceFileNow(join(this.folder, MANIFEST), JSON.stringify(manifest));
    }
    rmSync(join(this.folder, JOURNAL), { force: true });
  }

  #removeEmpty(folder: string): void {
    if (folder === ".") return;
    try {
      rmdirSync(join(this.folder, folder));
    } catch {
      return;
    }
    this.#removeEmpty(dirname(folder));
  }
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
