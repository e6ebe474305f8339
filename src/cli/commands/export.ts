/** `vitrine export`: writes the whole store, or what a search finds, as N-Quads, JSON lines or CSV. */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Addresses } from "../../http/entity/addresses.js";
import { csvWriter } from "../../http/routes/search/table-columns.js";
import type { EndpointName } from "../../model/tables/names.js";
import { EXPORT_BEGINS, exportEnds, writeNQuads } from "../../rdf/ntriples/writer.js";
import { tripleCount } from "../../rdf/record-graph.js";
import { openSearched } from "../../search/open.js";
import { meantText } from "../../search/years.js";
import { type LocalStore, openStore } from "../../store/open.js";
import type { StoredRecord } from "../../store/record.js";
import type { SearchQuery } from "../../store/search.js";
import type { StoreWith } from "../../store/store.js";
import type { CommandDefinition, Terminal } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { contextsOf, documentWriterOf } from "../settings/documents.js";
import { argument, type Options, UsageError, usable } from "../settings/options.js";
import { writeOutput } from "../settings/output-file.js";
import { SEARCH_OPTIONS, searchQueryOf } from "./find.js";

const FORMATS = ["nq", "jsonl", "csv"];

export const exportCommand: CommandDefinition = {
  operands: "[TEXT...]",
  summary: "writes the whole store, or what a search finds, as N-Quads, JSON lines or CSV",
  notes: [
    "N-Quads end with the numbers of records and quads, so load can refuse a file that lacks some. --output replaces a file",
    "only when the export is complete and on disk.",
  ],
  examples: [
    "export --output records.nq.gz",
    "export --format jsonl --endpoint person --output people.jsonl",
    'export "night watch" --format csv --endpoint object --where sort=date --output found.csv',
  ],
  options: [
    argument(
      "format NAME",
      "N-Quads, one document per line, or one row per record; default: by FILE's extension, else nq",
      { choices: FORMATS },
    ),
    ...SEARCH_OPTIONS,
    argument("columns PATHS", "for CSV: paths of properties, separated by commas, such as id,_label,made_of"),
    argument("output FILE", "instead of standard output; .gz compresses"),
  ],
  async run(options, terminal) {
    const { stdout, stderr, interrupted } = terminal;
    const query = await searchQueryOf(options);
    const format = formatOf(options);
    if (format !== "csv" && options.text("columns") !== undefined) throw new UsageError("--columns needs --format csv");
    const directory = options.required("store");
    await using store =
      query === undefined
        ? await openStore({ directory })
        : await openSearched({ directory }, stderr.line, interrupted);
    let skipped = 0;
    const skip = (problem: string): void => {
      skipped++;
      stderr.line(`vitrine: left out: ${problem}`);
    };
    const output = options.text("output");
    const isUnread = (): boolean => output === undefined && stdout.isClosed;
    const writer = await writerOf(format, options, store, skip);
    const records =
      store.search === undefined || query === undefined
        ? store.lists.records(options.text("endpoint") as EndpointName | undefined)
        : foundRecords({ ...store, search: store.search }, query, terminal);
    const text = Readable.from(chunks(records, writer, isUnread));
    if (output === undefined) await pipeline(text, stdout, { end: false, signal: interrupted });
    else await writeOutput(output, text, interrupted);
    const contexts = await contextsOf(options, store);
    if (format === "nq" && contexts.length > 0) {
      const uris = contexts.map(([uri]) => uri).join(", ");
      stderr.line(`vitrine: N-Quads have no contexts, so these are not in it: ${uris} (--format jsonl keeps to them)`);
    }
    return skipped === 0 ? ExitStatus.done : ExitStatus.someInvalid;
  },
};

/** The format requested, or that of the file's extension. Throws `UsageError` for an extension of a format that export does not write. */
function formatOf(options: Options): string {
  const file = options.text("output")?.replace(/\.gz$/i, "") ?? "";
  const extension = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase().replace("ndjson", "jsonl") ?? "";
  const format = options.text("format") ?? FORMATS.find((name) => name === extension);
  if (format === undefined && extension !== "")
    throw new UsageError(`export writes ${FORMATS.join(", ")}, not .${extension}: end FILE in one, or give --format`);
  return format ?? "nq";
}

/** The records that a search finds, each with all its words. A search page may leave out a word and say so, but nobody reads such a note beside a file. */
async function* foundRecords(store: LocalStore & StoreWith<"search">, given: SearchQuery, { stderr }: Terminal) {
  const query = { ...given, hasAllWords: true };
  const { total, meant } = await store.search.find(query, { limit: 1 });
  if (total === 0) stderr.line("nothing found");
  if (meant !== undefined) stderr.line(`nothing found; these are for: ${meantText(meant)}`);
  for await (const iris of store.search.all(query)) {
    for (const iri of iris) {
      const found = await store.find(iri);
      if (found !== undefined) yield await found.record();
    }
  }
}

interface RecordWriter {
  readonly head: string;
  /** @param at the number of records written before */
  readonly write: (record: StoredRecord, at: number) => string | Promise<string>;
  readonly tail?: (records: number) => string;
}

function quadsWriter(): RecordWriter {
  let quads = 0;
  const write: RecordWriter["write"] = ({ graph }, at) => {
    quads += tripleCount(graph);
    // In a file of quads a label means the same node in all graphs, so each record gets its own labels.
    return writeNQuads(graph, `r${at}b`);
  };
  return { head: EXPORT_BEGINS, write, tail: (records) => exportEnds(records, quads) };
}

/** @param skip called with the reason for each record that the format cannot express */
async function writerOf(
  format: string,
  options: Options,
  store: LocalStore,
  skip: (problem: string) => void,
): Promise<RecordWriter> {
  if (format === "nq") return quadsWriter();
  if (format === "csv") {
    const endpoint = options.text("endpoint") as EndpointName | undefined;
    const addresses = new Addresses({ baseUrl: (await store.stats()).baseUrl ?? "http://localhost/" });
    return usable("--columns: ", () => csvWriter(options.text("columns"), endpoint, { store, addresses }));
  }
  const documents = await documentWriterOf(options, store);
  const write: RecordWriter["write"] = ({ graph }) => {
    const document = documents.documentIfAny(graph, (problem) => skip(`<${graph.iri}>: ${problem}`));
    return document === undefined ? "" : `${JSON.stringify(document)}\n`;
  };
  return { head: "", write };
}

/** The approximate number of characters written at once. */
const CHUNK = 65_536;

async function* chunks(all: AsyncIterable<StoredRecord>, writer: RecordWriter, isUnread: () => boolean) {
  const { head, write, tail } = writer;
  let text = head;
  let records = 0;
  for await (const record of all) {
    text += await write(record, records);
    records++;
    if (text.length < CHUNK) continue;
    yield text;
    text = "";
    if (isUnread()) return;
  }
  text += tail?.(records) ?? "";
  if (text !== "") yield text;
}
