/** `vitrine diff`: the differences between two versions of a record, or between two releases of a collection. */
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { counted, grouped } from "../../base/counted.js";
import { shortened } from "../../base/shortened.js";
import { makeTemporaryDirectory } from "../../base/temporary.js";
import { type DumpManifest, MANIFEST } from "../../harvest/dumps/manifest.js";
import { currentAt, isVersion } from "../../http/entity/mementos.js";
import { compareReleases, differencesOf, type ReleaseDifference } from "../../load/difference.js";
import type { LoadEvent } from "../../load/pipeline/load.js";
import { listSources } from "../../load/read/sources.js";
import { timestampOf } from "../../model/timestamps.js";
import type { Json } from "../../rdf/record-graph.js";
import type { Change } from "../../store/changes.js";
import { isStore, type LocalStore, openForLoading, openStore } from "../../store/open.js";
import type { CommandDefinition, Terminal } from "../main/command.js";
import { titledTable } from "../main/text-table.js";
import { iriArgument } from "../settings/common.js";
import { documentWriterOf } from "../settings/documents.js";
import { argument, type Options, UsageError } from "../settings/options.js";
import { loadSources } from "./load.js";

export const diffCommand: CommandDefinition = {
  operands: "IRI [B]",
  summary: "shows what changed between two versions of a record, or two releases of a collection",
  notes: [
    "--between A B names two times (2026-11-22, 2026-11-22T05:00:00Z) or two numbers of changes (as in the",
    "change stream). Versions exist from --keep versions on. Two releases A and B are stores, backups, folders",
    "of dumps, or files that load reads: which records were created, replaced and deleted, and which properties changed most.",
  ],
  examples: [
    "diff place/paris",
    "diff place/paris --between 2026-01-01 2026-06-30",
    "diff place/paris --between 17 42",
    "diff last-year.nq.gz store",
  ],
  options: [argument("between A B", "two times, or two numbers of changes")],
  async run(options, terminal) {
    const { stdout } = terminal;
    const [first, second] = options.positionals as [string, string?];
    const between = options.text("between");
    if (second !== undefined && between === undefined && [first, second].some((path) => existsSync(path)))
      return await diffReleases(first, second, options, terminal);
    if (second !== undefined && between === undefined)
      throw new UsageError(
        `diff takes one IRI, or two releases, and there is no file or folder ${first} or ${second}; name two versions with --between A B`,
      );
    await using store = await openStore({ directory: options.required("store") });
    const iri = await iriArgument(first, options, store);
    const changes = await store.changes.page({ iri, limit: Number.MAX_SAFE_INTEGER });
    if (changes.length === 0) throw new UsageError(`the store never had a record <${iri}>`);
    const [before, after] = versionsOf(changes, between, second);
    const [old, current] = [await documentOf(store, before, options), await documentOf(store, after, options)];
    const differences = differencesOf(old, current);
    const placeOf = ({ sequence, time }: Change) => ({ change: sequence, time: new Date(time).toISOString() });
    const [from, to] = [placeOf(before), placeOf(after)];
    if (options.isSet("json")) stdout.json({ iri, from, to, differences });
    else {
      stdout.write(`<${iri}> from change ${from.change} (${from.time}) to ${to.change} (${to.time}):\n`);
      for (const { property, before: was, after: is } of differences)
        stdout.write(`  ${property}: ${JSON.stringify(was) ?? "nothing"} -> ${JSON.stringify(is) ?? "nothing"}\n`);
      if (differences.length === 0) stdout.write("  nothing\n");
    }
  },
};

async function diffReleases(from: string, to: string, options: Options, terminal: Terminal): Promise<undefined> {
  // A store is opened first: its base URL is also that of relative ids in a file.
  const isTurned = !isStore(from) && isStore(to);
  await using one = await openRelease(isTurned ? to : from, options, terminal);
  const { baseUrl } = await one.store.stats();
  await using other = await openRelease(isTurned ? from : to, options, terminal, baseUrl ?? undefined);
  const [before, after] = isTurned ? [other, one] : [one, other];
  const difference = await compareReleases(before, after, terminal.interrupted);
  const { stdout } = terminal;
  if (options.isSet("json")) stdout.json({ from, to, ...difference });
  else stdout.write(wordsOf(from, to, difference));
}

/** At most this many properties are shown, and at most as many records of each kind. */
const MAX_SHOWN = 20;

function wordsOf(from: string, to: string, { counts, endpoints, properties, records }: ReleaseDifference): string {
  const { created, replaced, deleted, unchanged } = counts;
  const all = `${grouped(created)} created, ${grouped(replaced)} replaced, ${grouped(deleted)} deleted, ${grouped(unchanged)} unchanged`;
  const kinds = Object.entries(endpoints).map(([name, by]) => [name, ...KINDS.map((kind) => grouped(by[kind]))]);
  const changed = properties.slice(0, MAX_SHOWN).map(({ property, records, appeared, vanished, example }) => {
    const sample = `<${example.iri}> ${shown(example.before)} -> ${shown(example.after)}`;
    return [property, grouped(records), grouped(appeared), grouped(vanished), sample];
  });
  const more = properties.length - changed.length;
  return [
    `from ${from} to ${to}: ${all}\n`,
    tableOf("records", ["endpoint", ...KINDS], kinds),
    tableOf("properties that changed most", ["property", "records", "appeared", "vanished", "such as"], changed),
    more > 0 ? `  and ${grouped(more)} more\n` : "",
    ...KINDS.map((kind) => listOf(kind, records[kind], counts[kind])),
  ].join("");
}

const KINDS = ["created", "replaced", "deleted"] as const;

function tableOf(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? "" : `\n${titledTable(title, [head, ...rows], [1, 2, 3])}`;
}

function listOf(kind: string, records: ReleaseDifference["records"]["created"], count: number): string {
  if (count === 0) return "";
  const lines = records.slice(0, MAX_SHOWN).map(({ iri, label, properties }) => {
    const where = properties === undefined || properties.length === 0 ? "" : `: ${properties.join(", ")}`;
    return `  <${iri}> ${JSON.stringify(label)}${where}\n`;
  });
  const left = count - lines.length;
  return `\n${kind}\n${lines.join("")}${left > 0 ? `  and ${grouped(left)} more: --json names up to 1,000\n` : ""}`;
}

function shown(value: Json | undefined): string {
  return value === undefined || value === null ? "nothing" : shortened(JSON.stringify(value));
}

function versionsOf(changes: readonly Change[], first?: string, second?: string): [Change, Change] {
  if (first === undefined) {
    const [before, after] = changes.filter(isVersion).slice(-2);
    if (after === undefined) throw new UsageError("the record has only one version");
    return [before!, after];
  }
  if (second === undefined) throw new UsageError("--between takes two values: --between A B");
  return [versionAt(changes, first), versionAt(changes, second)];
}

/** The change with a number, or the change that was current at a time. Throws `UsageError`. */
function versionAt(changes: readonly Change[], text: string): Change {
  // `Date.parse` also accepts dates that do not exist (2026-02-30), and words with a number (release 5).
  const time = timestampOf(text, "first") === undefined ? Number.NaN : Date.parse(text);
  const found = /^\d{1,15}$/.test(text)
    ? changes.find(({ sequence }) => sequence === Number(text))
    : Number.isNaN(time)
      ? undefined
      : currentAt(changes, time);
  if (found !== undefined && isVersion(found)) return found;
  throw new UsageError(
    `--between ${text}: this is neither a time nor the number of a change to the record, or there was no record then`,
  );
}

async function documentOf(store: LocalStore, { sequence, iri, time }: Change, options: Options): Promise<Json> {
  const record = await store.versions.find(sequence);
  if (record === undefined)
    throw new UsageError(
      `the version of <${iri}> at change ${sequence} (${new Date(time).toISOString()}) was not kept: --keep versions keeps later versions`,
    );
  return (await documentWriterOf(options, store)).document(record.graph);
}

/** Open a release for reading. Anything but a store is loaded into a temporary store. Throws `InputError`, `SyntaxProblem`, `StoreError`. */
async function openRelease(path: string, options: Options, terminal: Terminal, base?: string) {
  const directory = isStore(path) ? path : makeTemporaryDirectory(tmpdir(), "release");
  let store: LocalStore | undefined;
  const unread = new Set<string>();
  const close = async (): Promise<void> => {
    try {
      await store?.close();
    } finally {
      if (directory !== path) await rm(directory, { recursive: true, force: true });
    }
  };
  try {
    const loadable = directory === path ? undefined : await openForLoading({ directory });
    store = loadable ?? (await openStore({ directory }));
    if (loadable !== undefined) {
      const input = await inputOf(path);
      const sources = await listSources([input], { stdin: terminal.stdin });
      const tell = ({ record }: LoadEvent) => record?.isRefused && record.iri !== null && unread.add(record.iri);
      const all = { onInvalid: "accept", tell } as const;
      const { refused } = await loadSources(options, loadable, directory, sources, base, terminal, all);
      const words = "unreadable and not compared: vitrine validate says why";
      if (refused > 0) terminal.stderr.line(`${input}: ${counted(refused, "record")} ${words}`);
    }
    return { store, unread, writer: await documentWriterOf(options, store), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The input at a path. In the folder of a dump it is a file with all records, N-Quads if there are any: JSON lines may lack records. */
async function inputOf(path: string): Promise<string> {
  const text = await readFile(join(path, MANIFEST), "utf8").catch(() => undefined);
  if (text === undefined) return path;
  const whole = (JSON.parse(text) as DumpManifest).files.filter((file) => file.of === "all");
  const file = whole.find(({ format }) => format === "nq") ?? whole[0];
  return file === undefined ? path : join(path, file.name);
}
