/** What the scripts of this folder share: reading CSV, and the parts that most documents consist of. */
import { readFileSync } from "node:fs";

export const CONTEXT = "https://linked.art/ns/v1/linked-art.json";
export const AAT = "http://vocab.getty.edu/aat/";

/** How many problems a script lists. */
const LISTED = 20;

const problems = [];
/** How often each thing of the export is not in the records, or not as the tables of a script would have it. */
const counts = new Map();
/** The tables that were read, with the columns that a script looked at. */
const tables = [];
/** Records of entities that the export has no row for, by their ids. */
const others = new Map();

/** End the script with a sentence: documents that are made of what is missing would all get one id. */
export function stop(message) {
  console.error(message);
  process.exit(1);
}

/** Report what makes a record wrong. The script goes on to find other problems, and then writes nothing. */
export function report(problem) {
  problems.push(problem);
}

/** Count values that are left out. */
export function leaveOut(what, count = 1) {
  instead(`left out: ${what}`, count);
}

/** Count values that become something else, because a table of a script lacks them. */
export function instead(what, count = 1) {
  if (count > 0) counts.set(what, (counts.get(what) ?? 0) + count);
}

/** The id of an entity, by its number in the system. */
export function idOf(kind, number) {
  if (number === undefined || number === "") report(`a record of ${kind} has no number, and without one it has no id`);
  return `${kind}/${number}`;
}

/** The text of a file. Another encoding than UTF-8, which would spoil names, ends the script. */
export function readText(path) {
  if (path === undefined) stop("a file of the export is not named: the first line of the script lists them");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    return stop(`${path}: ${error.message}${error instanceof TypeError ? '. In Excel, save it as "CSV UTF-8"' : ""}`);
  }
}

/** The character at which the fields of a CSV file end: Excel writes semicolons where numbers have decimal commas. */
function separatorOf(text) {
  const [names] = text.trimStart().split("\n", 1);
  const count = (character) => names.split(character).length;
  return [",", ";", "\t"].reduce((best, each) => (count(each) > count(best) ? each : best));
}

/**
 * The rows of a CSV file (RFC 4180), each an object by the names of its first line. Fields end at commas, semicolons or tabs,
 * whichever that line has most of. A name that it lacks ends the script.
 */
export function readCsv(path) {
  const text = readText(path);
  const separator = separatorOf(text);
  // A field in quotation marks, where two stand for one, or one that does not begin with any, such as `12" x 8"`.
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|((?!")[^${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`, "gy");
  const rows = [];
  let row = [];
  let read = 0;
  const stopHere = (message) => stop(`${path}:${text.slice(0, read).split("\n").length}: ${message}`);
  for (const [all, quoted, plain, end] of text.matchAll(field)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== separator) {
      if (rows.length > 0 && row.slice(rows[0].length).some((value) => value !== ""))
        stopHere(`the row has more fields than columns: write a field that has a ${separator} in quotation marks`);
      if (row.some((value) => value !== "")) rows.push(row);
      row = [];
    }
    read += all.length;
  }
  if (read < text.length)
    stopHere("the quotation marks of a field are not closed, or more text follows: double those within it");
  const [names, ...values] = rows;
  if (names === undefined) stop(`${path} has no column: it is empty`);
  const twice = names.find((name, at) => name !== "" && names.indexOf(name) !== at);
  if (twice !== undefined) stop(`${path} has two columns ${twice}: rename or remove one`);
  const used = new Set();
  const columns = {
    get(row, name) {
      used.add(name);
      if (name in row) return row[name];
      return stop(`${path} has no column ${name}. It has: ${names.join(" | ")} (fields end at ${separator})`);
    },
  };
  const rowOf = (row) => Object.fromEntries(names.map((name, at) => [name, (row[at] ?? "").trim()]));
  const all = values.map(rowOf);
  tables.push({ path, names, used, rows: all });
  return all.map((row) => new Proxy(row, columns));
}

/** The value of a column that a table may lack. */
export function optional(row, name) {
  return name in row ? row[name] : "";
}

export function concept(number, label, type = "Type") {
  return { id: AAT + number, type, _label: label };
}

/** A reference to an entity that the export has no row for: `writeLines` writes a record of it, too. */
export function own(kind, number, type, name) {
  const reference = { id: idOf(kind, number), type, ...label(name) };
  if (!others.has(reference.id)) others.set(reference.id, { ...reference, identified_by: primaryName(name) });
  return reference;
}

/** The concept of a word: the one that a table has for it, or else one of the museum's own. @param table an object with the table, by its name */
export function termOf(table, word, type = "Type") {
  const [[name, concepts]] = Object.entries(table);
  if (Object.hasOwn(concepts, word)) return concepts[word];
  instead(`a concept of its own, because ${name} lacks it: ${word}`);
  return own("concept", `${type === "Type" ? "" : `${slug(type)}-`}${slug(word)}`, type, word);
}

/** A label; nothing where there is none. */
export function label(text) {
  return text ? { _label: text } : {};
}

/** The name that is shown first; nothing where there is none. */
export function primaryName(content) {
  return content ? [{ type: "Name", classified_as: [concept(300404670, "preferred terms")], content }] : [];
}

export function accessionNumber(content) {
  return content ? [{ type: "Identifier", classified_as: [concept(300312355, "accession numbers")], content }] : [];
}

/** A text for people to read; nothing where there is none. */
export function statement(number, label, content) {
  if (!content) return [];
  return [
    { type: "LinguisticObject", classified_as: [concept(number, label), concept(300418049, "brief texts")], content },
  ];
}

/** A name as the end of an IRI that stays the same for as long as the name does: Latin letters without accents, and those of other scripts. */
export function slug(text) {
  const plain = text
    .normalize("NFKD")
    .replace(/(\p{Script=Latin})\p{M}+/gu, "$1")
    .normalize("NFC")
    .toLowerCase();
  return plain.replace(/[^\p{L}\p{M}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
}

/** Write lines to standard output, if there are no problems. Otherwise list these, and end the script. What is left out is listed, too. */
export function write(lines) {
  if (problems.length > 0) stop(listed(problems, "problems"));
  for (const line of lines) process.stdout.write(`${line}\n`);
  for (const { path, names, used, rows } of tables)
    for (const name of names.filter((each) => !used.has(each)))
      leaveOut(`column ${name} of ${path}`, rows.filter((row) => row[name] !== "").length);
  const often = [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([what, count]) => `${what} (${count === 1 ? "once" : `${count} times`})`);
  if (often.length > 0) console.error(listed(often, "kinds"));
}

function listed(lines, what) {
  const more = lines.length - LISTED;
  return [...lines.slice(0, LISTED), ...(more > 0 ? [`and ${more} more ${what}`] : [])].join("\n");
}

/** One document a line: these, and those of the entities that they refer to and the export has no row for. */
export function writeLines(documents) {
  const all = [...documents, ...others.values()];
  write(all.map((document) => JSON.stringify({ "@context": CONTEXT, ...document })));
}
