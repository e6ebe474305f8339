/** The remote load, `vitrine load --to URL`: inputs are sent to a service, and the load is reported as if it ran here. */
import { Readable } from "node:stream";
import { counted, grouped } from "../../base/counted.js";
import { failureOf, httpAgent, request } from "../../base/http-client.js";
import { jsonIn } from "../../base/json.js";
import { linesFrom } from "../../base/lines.js";
import { MAX_TARGET } from "../../http/entity/addresses.js";
import { InputError, UnknownOutcomeError } from "../../load/errors.js";
import type { LoadEvent, LoadSummary } from "../../load/pipeline/load.js";
import { type LoadProgress, streamProgress } from "../../load/pipeline/progress.js";
import type { Source } from "../../load/read/sources.js";
import type { Terminal } from "../main/command.js";
import { httpBase, secretOf } from "../settings/common.js";
import { type Options, UsageError } from "../settings/options.js";
import { givenHoldRules, namesFile, SENT_PARAMETERS } from "../settings/record-options.js";

/** The formats whose inputs can be concatenated. In lines of quads, equal labels of blank nodes would become one node. */
const LINES = ["jsonl", "ndjson"];

/** Send inputs, and report the load as `loadInputs` does. Throws `UsageError` when the service refuses it, and `UnknownOutcomeError`. */
export async function sendInputs(
  options: Options,
  sources: readonly Source[],
  terminal: Terminal,
  tell: (event: LoadEvent) => void,
): Promise<LoadSummary> {
  const token = await secretOf(options, "token");
  if (token === undefined)
    throw new UsageError("--to needs --token: the service's operator makes one with vitrine token new");
  const url = await addressOf(options, sources);
  await using dispatcher = httpAgent();
  const begins: number[] = [];
  const placed = (text: string): string => placeIn(sources, begins, text);
  using progress = streamProgress(terminal.stderr);
  try {
    const answer = await request(url, {
      dispatcher,
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" },
      body: Readable.from(bytesOf(sources, begins), { objectMode: false }),
      signal: terminal.interrupted,
    }).catch((error: unknown) => {
      if (error instanceof InputError || terminal.interrupted.aborted) throw error;
      throw new UsageError(`${url.origin} cannot be reached: ${failureOf(error)}`);
    });
    const lines = linesFrom(answer.body);
    if (answer.statusCode !== 200) throw await refusal(url, answer.statusCode, lines);
    let [summary, last]: [LoadSummary | undefined, Line] = [undefined, {}];
    for await (const text of lines) {
      last = JSON.parse(text) as Line;
      const { record } = last;
      tell(record === undefined ? last : { ...last, record: { ...record, source: placed(record.source) } });
      summary = last.summary ?? summary;
      showState(last, sources, progress, terminal);
    }
    if (last.state === undefined) throw new UnknownOutcomeError("the connection ended");
    const { problem = null, load, state } = last;
    if (summary !== undefined) return summary;
    if (state === "failed") throw new UnknownOutcomeError(`the load ${load} failed (${problem})`);
    throw new UsageError(problem === null ? `the load ${load} is ${state}` : placed(problem));
  } catch (error) {
    const isCut = ["ECONNRESET", "UND_ERR_SOCKET"].includes((error as NodeJS.ErrnoException).code ?? "");
    // The service goes on with what has arrived, also when this command is interrupted.
    const what = terminal.interrupted.aborted ? "the command was interrupted" : isCut && "the connection was cut";
    throw what ? new UnknownOutcomeError(what) : error;
  }
}

/** Show people how far the load is, as a line of the service says. */
function showState(line: Line, sources: readonly Source[], shown: LoadProgress, { stderr }: Terminal): void {
  const { waiting = 0, omitted = 0, progress: { records, quads = 0, publishing = false, indexed } = {} } = line;
  if (omitted > 0)
    stderr.line(
      `warning: the service sent only the first results: reports and tables lack those of ${grouped(omitted)} further records`,
    );
  if (waiting > 0) stderr.line(`waiting for ${counted(waiting, "other load")}`);
  if (records !== undefined) shown.made(quads, records, quads, sources);
  if (publishing) shown.publishing();
  if (indexed !== undefined) shown.indexed(indexed);
}

/** The address of the load, with the options as parameters. Throws `UsageError` for what cannot be sent. */
async function addressOf(options: Options, sources: readonly Source[]): Promise<URL> {
  const formats = [...new Set(sources.map((source) => source.format))];
  const [format] = formats;
  if (formats.length > 1 || (sources.length > 1 && !LINES.includes(format!)))
    throw new UsageError(`only JSON lines can be sent together, not inputs of ${formats.join(" and ")}`);
  const url = new URL("load", httpBase("--to", options.required("to")));
  const parameters = parametersOf(options, format!);
  for (const { by, value } of await givenHoldRules(options)) parameters.append("hold", `${by}=${value}`);
  url.search = parameters.toString();
  if (url.pathname.length + url.search.length <= MAX_TARGET) return url;
  throw new UsageError("--hold names too many records for one request: put the list into the service's setting hold");
}

/** The options of the load as parameters of the service. Throws `UsageError` for options that name files on this machine. */
function parametersOf(options: Options, format: string): URLSearchParams {
  const parameters = new URLSearchParams({ format });
  for (const name of ["context", "shapes"])
    if (options.all(name).length > 0) throw new UsageError(`--${name} cannot be sent: it names files of this machine`);
  for (const name of ["base-url", "context-uri", "vocab-base"])
    if (options.settings.get(name)?.origin === `--${name}`)
      throw new UsageError(`--${name} cannot be sent: the service reads records by its own`);
  if (options.text("keep") !== undefined)
    throw new UsageError("--keep cannot be sent: what a store keeps is its operator's decision");
  for (const [name, { value, origin }] of options.settings) {
    if (name === "format" || name === "hold" || origin === "default" || !SENT_PARAMETERS.has(name)) continue;
    for (const each of typeof value === "object" ? value : [value]) {
      if (namesFile(String(each)))
        throw new UsageError(`--${name} ${each} cannot be sent: write out the contents of the file`);
      parameters.append(name, String(each));
    }
  }
  return parameters;
}

/** A line of the service's answer: an event of the load, or its state. */
interface Line extends LoadEvent {
  readonly waiting?: number;
  readonly summary?: LoadSummary;
  /** The number of lines about records that were not sent. */
  readonly omitted?: number;
  readonly state?: string;
  readonly problem?: string | null;
  readonly load?: string;
}

/** A text whose place is that of a file here, such as `b.jsonl:20` for `-:120`: the service sees one input, without names. @param begins the number of lines sent before each source */
function placeIn(sources: readonly Source[], begins: readonly number[], text: string): string {
  const [, line] = /^-:(\d+)/.exec(text) ?? [];
  if (line === undefined) return sources.length === 1 ? text.replace(/^-(?=:)/, () => sources[0]!.name) : text;
  const at = begins.findLastIndex((before) => before < Number(line));
  return `${sources[at]!.name}:${Number(line) - begins[at]!}${text.slice(line.length + 2)}`;
}

/** @param begins gets the number of lines before each source, once it is read */
async function* bytesOf(sources: readonly Source[], begins: number[]): AsyncIterable<Uint8Array> {
  let lines = 0;
  for (const [index, source] of sources.entries()) {
    if (index > 0) {
      // A file may lack the end of its last line, so the next file begins on a new line.
      yield Buffer.from("\n");
      lines++;
    }
    begins.push(lines);
    for await (const chunk of source.open()) {
      for (let at = chunk.indexOf(LINE_END); at !== -1; at = chunk.indexOf(LINE_END, at + 1)) lines++;
      yield chunk;
    }
  }
}

const LINE_END = 0x0a;

async function refusal(url: URL, status: number, lines: AsyncIterable<string>): Promise<UsageError> {
  let text = "";
  for await (const line of lines) text += line;
  // An answer that is not one of our problems comes from another server.
  const { detail = text.slice(0, 300) } = jsonIn<{ detail?: string } | null>(text) ?? {};
  return new UsageError(`${url.origin}${url.pathname} refused the load (${status}): ${detail}`);
}
