/** The files of a site. Tags of what was written make it possible to write only what differs, and to remove what is gone. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { entryOf } from "../../base/entries.js";
import { jsonIn } from "../../base/json.js";
import { PARTIAL, replaceByCopy, replaceFileNow, withPath } from "../../base/whole-file.js";
import { tagOf } from "../../http/message/content.js";
import type { SearchableRecord } from "./site-search.js";

interface Known {
  /** The entity tag of the answer that the file was made of. */
  readonly tag: string;
  /** The hash of the file's bytes. */
  readonly hash: string;
  readonly isFinal?: boolean;
  /** The addresses of further pages that the file leads to. */
  readonly leads?: readonly string[];
  /** What the search needs of the record whose file it is. */
  readonly sought?: SearchableRecord | undefined;
}

/** The files of a group, by their names without the group's name. */
type Group = Record<string, Known>;

export interface Counts {
  written: number;
  unchanged: number;
  removed: number;
}

/** The list of files. A build appends lines for its beginning, and for the files that it writes (`null` for those that it removes). At its end it writes the list anew, so that nothing is left there of what records said before. */
export const LIST = ".vitrine-site.jsonl";

interface BuildLine {
  readonly edition: string;
  /** The store's last change that all files include, and its mark (`changeMark`), if the build ended. */
  readonly sequence?: number;
  readonly mark?: string;
}
type FilesLine = readonly [group: string, files: Readonly<Record<string, Known | null>>];

/** What is listed of a file before it is written: that it may be there, whatever its content. */
const UNWRITTEN: Known = { tag: "", hash: "" };

/** The files of a site, in groups that are kept as a whole: those of a record, by its place; those of the index; any other file by itself. */
export class SiteFiles {
  readonly counts: Counts = { written: 0, unchanged: 0, removed: 0 };
  /** The pages that the files of this build lead to and that do not belong to a record. */
  readonly leads = new Set<string>();
  /** The line of the last build; `undefined` when it did not end and so has replaced some files, or the edition differs. */
  readonly last: Required<BuildLine> | undefined;
  readonly #edition: string;
  readonly #known = new Map<string, Group>();
  readonly #kept = new Map<string, Group>();
  readonly #names = new Map<string, ReadonlySet<string>>();
  #hasBegun = false;

  /** @param edition what all files depend on; when it differs from the last build's, no tag is valid */
  constructor(
    readonly folder: string,
    edition: string,
  ) {
    this.#edition = tagOf(edition);
    let build: BuildLine | undefined;
    let hasEnded = false;
    const list = join(folder, LIST);
    // A very long list is longer than a string can be.
    const bytes = existsSync(list) ? readFileSync(list) : Buffer.alloc(0);
    for (let at = 0, end: number; at < bytes.length; at = end) {
      end = bytes.indexOf("\n", at) + 1 || bytes.length;
      const line = jsonIn<BuildLine | FilesLine>(bytes.subarray(at, end));
      // The last line of a killed build may be incomplete.
      if (line === undefined) continue;
      hasEnded = "sequence" in line;
      if (!("edition" in line)) this.#replay(line, build?.edition === this.#edition);
      else build = { ...(build?.edition === line.edition && build), ...line };
    }
    this.last = hasEnded && build?.edition === this.#edition ? (build as Required<BuildLine>) : undefined;
  }

  #replay([name, files]: FilesLine, isOfEdition: boolean): void {
    const group = entryOf(this.#known, name, (): Group => ({}));
    for (const [suffix, known] of Object.entries(files)) {
      if (known === null) delete group[suffix];
      else group[suffix] = isOfEdition ? known : { tag: "", hash: known.hash };
    }
  }

  known(file: string, group = file): Known | undefined {
    const suffix = file.slice(group.length);
    const kept = this.#kept.get(group)?.[suffix];
    if (kept !== undefined) return kept;
    const known = this.#known.get(group)?.[suffix];
    return known !== undefined && this.#isThere(file) ? known : undefined;
  }

  #isThere(file: string): boolean {
    const at = file.lastIndexOf("/") + 1;
    const [folder, name] = [file.slice(0, at), file.slice(at)];
    // The folder of a record contains only its page.
    if (name === "index.html") return existsSync(join(this.folder, file));
    const path = join(this.folder, folder);
    return entryOf(this.#names, folder, () => new Set(existsSync(path) ? readdirSync(path) : [])).has(name);
  }

  read(file: string, group = file): string | undefined {
    return this.known(file, group) && readFileSync(join(this.folder, file), "utf8");
  }

  *kept(): Iterable<Known> {
    for (const group of this.#kept.values()) yield* Object.values(group);
  }

  keep(file: string, group = file): void {
    this.#take(file, this.known(file, group)!, group);
    this.counts.unchanged++;
  }

  /** Keep all files of a group as they are. Returns `false` when one is gone, or a needed one is missing. */
  keepAll(group: string, needed: readonly string[]): boolean {
    const files = this.#known.get(group) ?? {};
    const suffixes = Object.keys(files);
    if (!needed.every((suffix) => suffix in files)) return false;
    if (!suffixes.every((suffix) => files[suffix]!.hash !== "" && this.#isThere(group + suffix))) return false;
    for (const suffix of suffixes) this.#take(group + suffix, files[suffix]!, group);
    this.counts.unchanged += suffixes.length;
    return true;
  }

  #take(file: string, known: Known, group: string): void {
    for (const lead of known.leads ?? []) this.leads.add(lead);
    entryOf(this.#kept, group, (): Group => ({}))[file.slice(group.length)] = known;
  }

  /** Write a file, unless it has exactly these bytes. Throws errors of the file system. */
  write(file: string, { content, ...about }: Omit<Known, "hash"> & { content: string | Buffer }, group = file): void {
    const hash = tagOf(content);
    const isSame = this.known(file, group)?.hash === hash;
    if (!isSame) replaceFileNow(this.#placeFor(file, group), content);
    this.#note(file, { ...about, hash }, group, isSame);
  }

  /** The files of a folder that are no longer copies of their sources: these changed, are new or are gone. @param tags those of the sources, see `copyTag` */
  differing(folder: string, tags: ReadonlyMap<string, string>): string[] {
    const gone = [...this.#known.keys()].filter((file) => file.startsWith(`${folder}/`) && !tags.has(file));
    const others = [...tags].filter(([file, tag]) => this.known(file)?.tag !== tag);
    return [...gone, ...others.map(([file]) => file)];
  }

  /** Copy a file, unless the copy exists. Rejects with errors of the file system. @param content what the copy has instead */
  async copy(file: string, source: string, content?: string): Promise<void> {
    const tag = copyTag(source);
    if (this.known(file)?.tag === tag) return this.keep(file);
    if (content !== undefined) return this.write(file, { tag, content });
    await replaceByCopy(this.#placeFor(file), source);
    this.#note(file, { tag, hash: tag });
  }

  /** The path of a file to be written, in a folder that exists. It is listed first, so that a build after a killed one can remove it. */
  #placeFor(file: string, group = file): string {
    const place = join(this.folder, file);
    this.#list([group, { [file.slice(group.length)]: UNWRITTEN }]);
    mkdirSync(dirname(place), { recursive: true });
    return place;
  }

  #note(file: string, known: Known, group = file, isSame = false): void {
    this.#take(file, known, group);
    this.counts[isSame ? "unchanged" : "written"]++;
    const suffix = file.slice(group.length);
    const before = this.#known.get(group)?.[suffix];
    if (!isSame || JSON.stringify(before) !== JSON.stringify(known)) this.#list([group, { [suffix]: known }]);
  }

  #list(line: FilesLine): void {
    const list = join(this.folder, LIST);
    // A killed build may have left an incomplete line.
    const begin = this.#hasBegun ? "" : `\n${JSON.stringify({ edition: this.#edition })}\n`;
    this.#hasBegun = true;
    try {
      appendFileSync(list, `${begin}${JSON.stringify(line)}\n`);
    } catch (error) {
      throw withPath(error, list);
    }
  }

  /** Remove the files of records that have no place any more, so that others can have their names. @param places those of the records to be written */
  makeRoom(places: ReadonlySet<string>): void {
    for (const [group, files] of this.#known) {
      // Any other group is a single file or a folder.
      const isRecord = !("" in files || group.endsWith("/"));
      if (!isRecord || this.#kept.has(group) || places.has(group)) continue;
      for (const suffix of Object.keys(files)) this.#remove(group, suffix);
      this.#known.delete(group);
    }
  }

  /** Remove files that this build did not keep, and complete the list. @param sequence the store's last change that all files include @param mark its mark */
  end(sequence: number, mark: string): void {
    for (const [group, files] of this.#known) {
      const kept = this.#kept.get(group) ?? {};
      for (const suffix of Object.keys(files)) if (!(suffix in kept)) this.#remove(group, suffix);
    }
    if (!this.#hasBegun && this.last?.mark === mark) return;
    const edition = this.#edition;
    const lines = [{ edition }, ...this.#kept, { edition, sequence, mark }];
    // All together may be longer than a string can be.
    const bytes = lines.map((line) => Buffer.from(`${JSON.stringify(line)}\n`));
    replaceFileNow(join(this.folder, LIST), Buffer.concat(bytes));
  }

  #remove(group: string, suffix: string): void {
    const file = group + suffix;
    // A killed build may have left an incomplete file, too.
    for (const each of [file, file + PARTIAL]) rmSync(join(this.folder, each), { force: true });
    this.#list([group, { [suffix]: null }]);
    this.counts.removed++;
    try {
      for (let folder = dirname(file); folder !== "."; folder = dirname(folder)) rmdirSync(join(this.folder, folder));
    } catch {
      // A folder that is not empty stays, and so do the folders around it.
    }
  }
}

/** The tag of a copy: it differs when the source changes. */
export function copyTag(source: string): string {
  const { size, mtimeMs } = statSync(source);
  return `${size}-${mtimeMs}`;
}
