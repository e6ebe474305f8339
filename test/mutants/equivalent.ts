/** Mutants that were looked at and that no test can notice, since the code does the same with them. */

interface Judged {
  /** The file, under `src`. */
  readonly file: string;
  /** The line in which the change begins, as it stands there. All lines of the file that are the same are meant. */
  readonly line: string;
  /** The line, or the lines joined to one, with each of the changes. */
  readonly mutants: readonly string[];
  /** Why nothing is different. */
  readonly why: string;
}

export const EQUIVALENT: readonly Judged[] = [
  {
    file: "rdf/ntriples/term-cache.ts",
    line: "const length = end - start;",
    mutants: ["const length = end + start;"],
    why: "A hash only says where to look first.",
  },
  {
    file: "rdf/ntriples/term-cache.ts",
    line: "for (let at = start; at < end; at += 4) hash = Math.imul(hash ^ wordAt(bytes, Math.min(at, end - 4)), 0x9e3779b1);",
    mutants: [
      "for (let at = start; false; at += 4) hash = Math.imul(hash ^ wordAt(bytes, Math.min(at, end - 4)), 0x9e3779b1);",
      "for (let at = start; at <= end; at += 4) hash = Math.imul(hash ^ wordAt(bytes, Math.min(at, end - 4)), 0x9e3779b1);",
      "for (let at = start; at >= end; at += 4) hash = Math.imul(hash ^ wordAt(bytes, Math.min(at, end - 4)), 0x9e3779b1);",
      "for (let at = start; at < end; at += 4) hash = Math.imul(hash ^ wordAt(bytes, Math.max(at, end - 4)), 0x9e3779b1);",
      "for (let at = start; at < end; at += 4) hash = Math.imul(hash ^ wordAt(bytes, Math.min(at, end + 4)), 0x9e3779b1);",
    ],
    why: "A hash only says where to look first.",
  },
  {
    file: "rdf/ntriples/term-cache.ts",
    line: "const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);",
    mutants: ["const slot = (hash ^ (hash >>> 15)) & (SLOTS + 1);"],
    why: "A hash only says where to look first.",
  },
  {
    file: "rdf/ntriples/term-cache.ts",
    line: "function wordAt(bytes: Buffer, at: number): number {",
    mutants: ["function wordAt(bytes: Buffer, at: number): number {}"],
    why: "A hash only says where to look first.",
  },
  {
    file: "rdf/ntriples/term-cache.ts",
    line: "return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);",
    mutants: [
      "return bytes[at]! | (bytes[at - 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);",
      "return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at - 2]! << 16) | (bytes[at + 3]! << 24);",
      "return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at - 3]! << 24);",
    ],
    why: "A hash only says where to look first.",
  },
  {
    file: "rdf/ntriples/term-cache.ts",
    line: "if (length > LONGEST) return make(start, end);",
    mutants: [
      "if (true) return make(start, end);",
      "if (length >= LONGEST) return make(start, end);",
      "if (length <= LONGEST) return make(start, end);",
    ],
    why: "A cache that forgets, or keeps less, gives the same terms.",
  },
  {
    file: "rdf/ntriples/term-cache.ts",
    line: "if (this.#lengths[slot] === length && this.#isAt(slot * LONGEST, bytes, start, end)) return this.#terms[slot]!;",
    mutants: ["if (false) return this.#terms[slot]!;"],
    why: "A cache that forgets, or keeps less, gives the same terms.",
  },
  {
    file: "rdf/ntriples/term-cache.ts",
    line: "#isAt(from: number, bytes: Buffer, start: number, end: number): boolean {",
    mutants: ["#isAt(from: number, bytes: Buffer, start: number, end: number): boolean {}"],
    why: "A cache that forgets, or keeps less, gives the same terms.",
  },
  {
    file: "rdf/ntriples/term-cache.ts",
    line: "if (tokens[token] !== bytes[at]) return false;",
    mutants: ["if (true) return false;"],
    why: "A cache that forgets, or keeps less, gives the same terms.",
  },
  {
    file: "rdf/ntriples/term-cache.ts",
    line: "return true;",
    mutants: ["return false;"],
    why: "A cache that forgets, or keeps less, gives the same terms.",
  },
  {
    file: "rdf/name-table.ts",
    line: "let hash = end - start;",
    mutants: ["let hash = end + start;"],
    why: "A hash only says where to look first.",
  },
  {
    file: "rdf/name-table.ts",
    line: "for (let at = Math.max(start, end - 8); at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;",
    mutants: [
      "for (let at = Math.min(start, end - 8); at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;",
      "for (let at = Math.max(start, end - 8); at < end; at++) hash = (Math.imul(hash, 31) - bytes[at]!) | 0;",
    ],
    why: "A hash only says where to look first.",
  },
  {
    file: "rdf/name-table.ts",
    line: "for (; this.#places[place] !== 0; place = (place + 1) & (PLACES - 1)) {",
    mutants: ["for (; this.#places[place] !== 0; place = (place - 1) & (PLACES - 1)) {"],
    why: "A hash only says where to look first.",
  },
  {
    file: "rdf/name-table.ts",
    line: "if (start + name.length > this.#bytes.length) {",
    mutants: ["if (start + name.length >= this.#bytes.length) {"],
    why: "Room that is larger, or made earlier, holds the same.",
  },
  {
    file: "rdf/byte-log.ts",
    line: "if (needed > this.#bytes.length) {",
    mutants: ["if (true) {", "if (needed >= this.#bytes.length) {"],
    why: "Room that is larger, or made earlier, holds the same.",
  },
  {
    file: "rdf/byte-log.ts",
    line: "const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));",
    mutants: ["const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length / 2));"],
    why: "Room that is larger, or made earlier, holds the same.",
  },
  {
    file: "rdf/encoded-graph.ts",
    line: "isAscii = true;",
    mutants: ["isAscii = false;"],
    why: "It is filled in before it is read.",
  },
  {
    file: "rdf/encoded-graph.ts",
    line: "for (let number = 0; number < end; number++) {",
    mutants: ["for (let number = 0; number <= end; number++) {"],
    why: "One step further finds nothing.",
  },
  {
    file: "rdf/encoded-graph.ts",
    line: "if (known !== -2) return known;",
    mutants: ["if (false) return known;"],
    why: "A name that is looked up again has the same number.",
  },
  {
    file: "rdf/encoded-graph.ts",
    line: "return number === -1 ? this.value(term) : RECORD_NAMES.text(number);",
    mutants: ["return true ? this.value(term) : RECORD_NAMES.text(number);"],
    why: "A name and the text at its place are the same.",
  },
  {
    file: "rdf/ntriples/scanned-statement.ts",
    line: "if (end - start > MAX_REPEATED_LITERAL) return this.#makeLiteral(start, end);",
    mutants: [
      "if (true) return this.#makeLiteral(start, end);",
      "if (end - start >= MAX_REPEATED_LITERAL) return this.#makeLiteral(start, end);",
      "if (end + start > MAX_REPEATED_LITERAL) return this.#makeLiteral(start, end);",
    ],
    why: "The way around it, which takes longer, gives the same.",
  },
  {
    file: "rdf/ntriples/scanned-statement.ts",
    line: "let at = start + 1;",
    mutants: ["let at = start - 1;"],
    why: "The way around it, which takes longer, gives the same.",
  },
  {
    file: "rdf/ntriples/scanned-statement.ts",
    line: "if ((BYTE_CLASS[bytes[at]!]! & LETTER) === 0) return this.#scanUnusualIri(start);",
    mutants: ["if (true) return this.#scanUnusualIri(start);"],
    why: "The way around it, which takes longer, gives the same.",
  },
  {
    file: "rdf/ntriples/scanned-statement.ts",
    line: "while ((BYTE_CLASS[bytes[at]!]! & IN_SCHEME) !== 0) at++;",
    mutants: [
      "while (false) at++;",
      "while ((BYTE_CLASS[bytes[at]!]! & IN_SCHEME) === 0) at++;",
      "while ((BYTE_CLASS[bytes[at]!]! & IN_SCHEME) !== 0) at--;",
    ],
    why: "The way around it, which takes longer, gives the same.",
  },
  {
    file: "rdf/ntriples/scanned-statement.ts",
    line: "if (bytes[at] !== COLON) return this.#scanUnusualIri(start);",
    mutants: ["if (true) return this.#scanUnusualIri(start);"],
    why: "The way around it, which takes longer, gives the same.",
  },
  {
    file: "rdf/ntriples/scanned-statement.ts",
    line: "while ((BYTE_CLASS[bytes[at]!]! & ENDS_IRI) === 0) at++;",
    mutants: [
      "while (false) at++;",
      "while ((BYTE_CLASS[bytes[at]!]! & ENDS_IRI) !== 0) at++;",
      "while ((BYTE_CLASS[bytes[at]!]! & ENDS_IRI) === 0) at--;",
    ],
    why: "The way around it, which takes longer, gives the same.",
  },
  {
    file: "rdf/ntriples/scanned-statement.ts",
    line: "return bytes[at] === GREATER ? at + 1 : this.#scanUnusualIri(start);",
    mutants: ["return false ? at + 1 : this.#scanUnusualIri(start);"],
    why: "The way around it, which takes longer, gives the same.",
  },
  {
    file: "rdf/ntriples/scanned-statement.ts",
    line: '#encoding: "latin1" | "utf8" = "utf8";',
    mutants: ['#encoding: "latin1" | "utf8" = "";'],
    why: "The encoding is set with the buffer.",
  },
  {
    file: "rdf/ntriples/scanned-statement.ts",
    line: 'const [text] = /^(?:\\s|\\S{1,30})/u.exec(bytes.toString("utf8", at, at + 160)) ?? [""];',
    mutants: [
      'const [text] = /(?:\\s|\\S{1,30})/u.exec(bytes.toString("utf8", at, at + 160)) ?? [""];',
      'const [text] = /^(?:\\s|\\S{1,30})/u.exec(bytes.toString("utf8", at, at + 160)) ?? [];',
      'const [text] = /^(?:\\s|\\S{1,30})/u.exec(bytes.toString("utf8", at, at + 160)) ?? ["Stryker was here!"];',
    ],
    why: "The first character is one or the other.",
  },
  {
    file: "rdf/ntriples/scanned-statement.ts",
    line: "const invisible = /^[^\\S\\t ]/u.test(text);",
    mutants: ["const invisible = /[^\\S\\t ]/u.test(text);"],
    why: "The first character is one or the other.",
  },
  {
    file: "rdf/ntriples/scanned-statement.ts",
    line: "if (byte < 0x80) return (BYTE_CLASS[byte]! & place) === 0 ? at : at + 1;",
    mutants: ["if (byte <= 0x80) return (BYTE_CLASS[byte]! & place) === 0 ? at : at + 1;"],
    why: "A character of UTF-8 begins with no such byte.",
  },
  {
    file: "rdf/ntriples/scanned-statement.ts",
    line: "return end > 0 ? end : this.fail(at, ESCAPE_PROBLEMS[end]!);",
    mutants: ["return end >= 0 ? end : this.fail(at, ESCAPE_PROBLEMS[end]!);"],
    why: "No escape ends at 0.",
  },
  {
    file: "rdf/ntriples/writer.ts",
    line: "const written = new Array<string | undefined>(terms.length);",
    mutants: ["const written = new Array();"],
    why: "Room that is larger, or made earlier, holds the same.",
  },
  {
    file: "rdf/publishable.ts",
    line: "while (at < triples.length && triples[at] !== number) at += 3;",
    mutants: ["while (at <= triples.length && triples[at] !== number) at += 3;"],
    why: "One step further finds nothing.",
  },
  {
    file: "rdf/record-graph.ts",
    line: "const next = new Array<number>(count).fill(-1);",
    mutants: ["const next = new Array().fill(-1);", "const next = new Array<number>(count).fill(+1);"],
    why: "Room that is larger, or made earlier, holds the same.",
  },
  {
    file: "rdf/record-graph.ts",
    line: "for (let at = 0; at < triples.length; at += 3) if (first[triples[at]!] === at / 3) subjects.push(triples[at]!);",
    mutants: [
      "for (let at = 0; at <= triples.length; at += 3) if (first[triples[at]!] === at / 3) subjects.push(triples[at]!);",
    ],
    why: "One step further finds nothing.",
  },
  {
    file: "rdf/record-graph.ts",
    line: 'const isPlain = language === "" && datatype === XSD.string;',
    mutants: ["const isPlain = false;", 'const isPlain = language === "Stryker was here!" && datatype === XSD.string;'],
    why: "Both indexes tell literals apart by datatype or language, and value.",
  },
  {
    file: "rdf/resolve.ts",
    line: 'if (!path.includes("/.") && !path.startsWith(".")) return path;',
    mutants: [
      "if (false) return path;",
      'if (!path.includes("") && !path.startsWith(".")) return path;',
      'if (!path.includes("/.") && !path.startsWith("")) return path;',
    ],
    why: "The way around it, which takes longer, gives the same.",
  },
  {
    file: "rdf/resolve.ts",
    line: 'if (segment === ".." && (kept.length > 1 || (kept.length === 1 && kept[0] !== ""))) kept.pop();',
    mutants: ['if (segment === ".." && (kept.length > 1 || (true && kept[0] !== ""))) kept.pop();'],
    why: "Of nothing nothing is taken away.",
  },
  {
    file: "rdf/terms.ts",
    line: "const [, sign, whole, fraction] = /^([+-]?)0*(\\d*)\\.?(\\d*?)0*$/.exec(value)!;",
    mutants: ["const [, sign, whole, fraction] = /([+-]?)0*(\\d*)\\.?(\\d*?)0*$/.exec(value)!;"],
    why: "The text was found to be a decimal before.",
  },
  {
    file: "rdf/triple-slots.ts",
    line: "if (count * 2 >= this.#slots.length) this.#grow(triples, count);",
    mutants: ["if (count * 2 > this.#slots.length) this.#grow(triples, count);"],
    why: "Room that is larger, or made earlier, holds the same.",
  },
  {
    file: "rdf/triple-slots.ts",
    line: "for (let at = 0; at < count * 3; at += 3) {",
    mutants: ["for (let at = 0; at <= count * 3; at += 3) {"],
    why: "One step further finds nothing.",
  },
  {
    file: "rdf/ntriples/line-blocks.ts",
    line: "for (let start = 0; start < chunk.length; start += MAX_PIECE) {",
    mutants: ["for (let start = 0; start <= chunk.length; start += MAX_PIECE) {"],
    why: "A piece of no bytes says nothing.",
  },
  {
    file: "rdf/ntriples/line-blocks.ts",
    line: "if (end < chunk.length) this.#hold(chunk.subarray(end));",
    mutants: [
      "if (true) this.#hold(chunk.subarray(end));",
      "if (end <= chunk.length) this.#hold(chunk.subarray(end));",
    ],
    why: "A piece of no bytes says nothing.",
  },
  {
    file: "rdf/isomorphism.ts",
    line: "if (shared[subject] !== -1 && shared[object] !== -1) {",
    mutants: [
      "if (true) {",
      "if (shared[subject] !== -1 || shared[object] !== -1) {",
      "if (true && shared[object] !== -1) {",
      "if (shared[subject] !== -1 && true) {",
    ],
    why: "Triples of blank nodes, their names left out, are the same of graphs that are.",
  },
  {
    file: "rdf/isomorphism.ts",
    line: 'return term.termType === "NamedNode" ? term.value : `"${term.datatype}"${term.language}"${term.value}`;',
    mutants: [
      'return false ? term.value : `"${term.datatype}"${term.language}"${term.value}`;',
      'return term.termType === "" ? term.value : `"${term.datatype}"${term.language}"${term.value}`;',
    ],
    why: "No literal is without a datatype.",
  },
  {
    file: "rdf/isomorphism.ts",
    line: "const all = (side: Side): Colours => new Map(side.blanks.map((blank) => [blank, 0]));",
    mutants: ["const all = (side: Side): Colours => new Map(side.blanks.map((blank) => []));"],
    why: "One colour for all tells nothing, whichever it is.",
  },
];

/** A mutant as Stryker reports it. Lines and columns begin with 1, and the end is the place after the last character. */
export interface Mutant {
  readonly status: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** The line that a mutant changes, and what becomes of it. */
export function changeOf(source: string, { location, replacement = "" }: Mutant): { line: string; mutant: string } {
  const { start, end } = location;
  const lines = source.split("\n");
  const [first = "", last = ""] = [lines[start.line - 1], lines[end.line - 1]];
  const changed = first.slice(0, start.column - 1) + replacement + last.slice(end.column - 1);
  return { line: first.trim(), mutant: changed.replace(/\s+/g, " ").trim() };
}

/** Whether a mutant of a file, such as `src/rdf/terms.ts`, is one that cannot be noticed. */
export function isEquivalent(path: string, source: string, mutant: Mutant): boolean {
  const change = changeOf(source, mutant);
  return EQUIVALENT.some(
    ({ file, line, mutants }) => path === `src/${file}` && line === change.line && mutants.includes(change.mutant),
  );
}
