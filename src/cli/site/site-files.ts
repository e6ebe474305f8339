/** The files of a site: what was written is known by tags, so that only what differs is written anew, and what is gone is removed. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { entryOf } from "../../base/entries.js";
import { jsonIn } from "../../base/json.js";
import { replaceByCopy, replaceFileNow } from "../../base/whole-file.js";
import { tagOf } from "../../http/message/content.js";
import type { Sought } from "./site-search.js";

interface Known {
  /** The entity tag of what it was made of. */
  readonly tag: string;
  /** The hash of its bytes. */
  readonly hash: string;
  readonly isFinal?: boolean;
  /** Addresses of further pages that it leads to. */
  readonly leads?: readonly string[];
  /** The texts of the record whose file it is, for the search. */
  readonly sought?: Sought | undefined;
}

/** The files of a group, by what their names have after that of the group. */
type Group = Record<string, Known>;

interface NewFile extends Omit<Known, "hash"> {
  readonly content: string | Buffer;
}

export interface Counts {
  written: number;
  unchanged: number;
  removed: number;
}

/** The list of files. Each build adds lines: where it begins and ends, and what it writes, or, as `null`, removes. */
const LIST = ".vitrine-site.jsonl";

interface BuildLine {
  readonly edition: string;
  /** The store's last change that all files have, where the build ended. */
  readonly sequence?: number;
}
type FilesLine = readonly [group: string, files: Readonly<Record<string, Known | null>>];

/** Lines that are written together: what is lost with them is written again. */
const LINES_AT_ONCE = 500;

/** A list of more lines for each group is written anew. */
const MAX_LINES = 2;

/** Files belong to groups, which are kept as one: those of a record, by the name of its place; those of an index; any other file alone. */
export class SiteFiles {
  readonly counts: Counts = { written: 0, unchanged: 0, removed: 0 };
  /** Pages that the files of this build lead to and that are no record's. */
  readonly leads = new Set<string>();
  /** The store's last change when the last build ended; `undefined` where none did, or the edition was another since. */
  readonly sequence: number | undefined;
  readonly hasEnded: boolean;
  readonly #edition: string;
  readonly #known = new Map<string, Group>();
  readonly #kept = new Map<string, Group>();
  /** The names in folders. */
  readonly #names = new Map<string, ReadonlySet<string>>();
  /** How many lines the list has, and those that are to be added. */
  #listed = 0;
  readonly #lines: string[] = [];
  #hasBegun = false;

  /** @param edition what all files depend on; where it differs from last time, no tag counts */
  constructor(
    readonly folder: string,
    edition: string,
  ) {
    this.#edition = tagOf(edition);
    let build: BuildLine | undefined;
    let hasEnded = false;
    for (const text of (readIfThere(join(folder, LIST)) ?? "").split("\n")) {
      const line = jsonIn<BuildLine | FilesLine>(text);
      // The last line of a build that was killed may be half a line.
      if (line === undefined) continue;
      this.#listed++;
      hasEnded = "sequence" in line;
      if (!("edition" in line)) this.#replay(line, build?.edition === this.#edition);
      else build = { ...(build?.edition === line.edition && build), ...line };
    }
    this.sequence = build?.edition === this.#edition ? build.sequence : undefined;
    this.hasEnded = hasEnded;
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
    // The folder of a record has its page alone.
    if (name === "index.html") return existsSync(join(this.folder, file));
    const path = join(this.folder, folder);
    return entryOf(this.#names, folder, () => new Set(existsSync(path) ? readdirSync(path) : [])).has(name);
  }

  read(file: string, group = file): string | undefined {
    return this.known(file, group) && readIfThere(join(this.folder, file));
  }

  *kept(): Iterable<Known> {
    for (const group of this.#kept.values()) yield* Object.values(group);
  }

  /** Say that a file is right as it is. */
  keep(file: string, group = file): void {
    this.#take(file, this.known(file, group)!, group);
    this.counts.unchanged++;
  }

  /** Say that all files of a group are right as they are; `false` where one is gone, or one of these missing. */
  keepAll(group: string, needed: readonly string[]): boolean {
    const files = this.#known.get(group) ?? {};
    const suffixes = Object.keys(files);
    if (!needed.every((suffix) => suffix in files)) return false;
    if (!suffixes.every((suffix) => this.#isThere(group + suffix))) return false;
    for (const suffix of suffixes) this.#take(group + suffix, files[suffix]!, group);
    this.counts.unchanged += suffixes.length;
    return true;
  }

  #take(file: string, known: Known, group: string): void {
    for (const lead of known.leads ?? []) this.leads.add(lead);
    entryOf(this.#kept, group, (): Group => ({}))[file.slice(group.length)] = known;
  }

  /** Write a file, unless it has these very bytes. Throws what the file system says. */
  write(file: string, { content, ...about }: NewFile, group = file): void {
    const hash = tagOf(content);
    const isSame = this.known(file, group)?.hash === hash;
    if (!isSame) replaceFileNow(this.#placeFor(file), content);
    this.#note(file, { ...about, hash }, group, isSame);
  }

  /** Have a copy of a file, unless that is there. Rejects with what the file system says. */
  async copy(file: string, source: string): Promise<void> {
    const { size, mtimeMs } = await stat(source);
    const tag = `${size}-${mtimeMs}`;
    if (this.known(file)?.tag === tag) return this.keep(file);
    await replaceByCopy(this.#placeFor(file), source);
    this.#note(file, { tag, hash: tag });
  }

  /** Where a file is written; its folder is made. */
  #placeFor(file: string): string {
    const place = join(this.folder, file);
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
    // A killed build may have left half a line.
    if (!this.#hasBegun) this.#lines.push("", JSON.stringify({ edition: this.#edition }));
    this.#hasBegun = true;
    this.#lines.push(JSON.stringify(line));
    if (this.#lines.length >= LINES_AT_ONCE) this.flush();
  }

  /** Put down what was written. */
  flush(): void {
    this.#listed += this.#lines.length;
    const lines = this.#lines.splice(0);
    if (lines.length > 0) appendFileSync(join(this.folder, LIST), `${lines.join("\n")}\n`);
  }

  /** Remove what was not kept in this build, and put down what there is. @param sequence the store's last change that all of it has */
  end(sequence: number): void {
    for (const [group, files] of this.#known) {
      const kept = this.#kept.get(group) ?? {};
      for (const suffix of Object.keys(files)) if (!(suffix in kept)) this.#remove(group, suffix);
    }
    if (!this.#hasBegun && this.hasEnded && this.sequence === sequence) return;
    const last = JSON.stringify({ edition: this.#edition, sequence } satisfies BuildLine);
    this.#lines.push(last);
    this.flush();
    if (this.#listed <= MAX_LINES * this.#kept.size) return;
    const lines = [...this.#kept].map((line) => JSON.stringify(line));
    const edition = JSON.stringify({ edition: this.#edition });
    replaceFileNow(join(this.folder, LIST), `${[edition, ...lines, last].join("\n")}\n`);
  }

  #remove(group: string, suffix: string): void {
    const file = group + suffix;
    rmSync(join(this.folder, file), { force: true });
    this.#removeEmpty(dirname(file));
    this.#list([group, { [suffix]: null }]);
    this.counts.removed++;
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
