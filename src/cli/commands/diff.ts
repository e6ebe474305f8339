/** `vitrine diff`: what changed in a record between two of its versions. */
import { currentAt, isVersion } from "../../http/entity/mementos.js";
import { documentSettings } from "../../jsonld/document-settings.js";
import { DocumentWriter } from "../../jsonld/documents.js";
import { differencesOf } from "../../load/pipeline/difference.js";
import type { Json } from "../../rdf/record-graph.js";
import type { Change } from "../../store/changes.js";
import { type LocalStore, openStore } from "../../store/open.js";
import type { Command } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { givenContexts, iriArgument, modelOf } from "../settings/common.js";
import { type Options, UsageError } from "../settings/options.js";

export const diffCommand: Command = {
  name: "diff",
  operands: "IRI [B]",
  summary: "what changed in a record between two versions: the last two that were kept, or any",
  notes: [
    "--between A B compares what was current at two times (2026-11-22, 2026-11-22T05:00:00Z), or as two changes made it (their numbers, as the",
    "change stream has them). Versions are there where --keep versions was given before.",
  ],
  examples: [
    "diff place/paris",
    "diff place/paris --between 2026-01-01 2026-06-30",
    "diff place/paris --between 17 42",
  ],
  options: [{ name: "between", kind: "argument", value: "A B", help: "two times, or two numbers of changes" }],
  async run(options, { stdout }) {
    await using store = await openStore({ directory: options.required("store") });
    const [given, ...rest] = options.positionals;
    if (given === undefined) throw new UsageError("diff what? Give the IRI of a record");
    const iri = await iriArgument(given, options, store);
    const life = await store.changes.page({ iri, limit: Number.MAX_SAFE_INTEGER });
    if (life.length === 0) throw new UsageError(`the store never had a record <${iri}>`);
    const [before, after] = versionsOf(life, options.text("between"), rest);
    const [old, current] = [await documentOf(store, before, options), await documentOf(store, after, options)];
    const differences = differencesOf(old, current);
    const [from, to] = [before, after].map(({ sequence, time }) => ({
      change: sequence,
      time: new Date(time).toISOString(),
    }));
    if (options.isSet("json")) stdout.write(`${JSON.stringify({ iri, from, to, differences })}\n`);
    else {
      stdout.write(`<${iri}> from change ${from!.change} (${from!.time}) to ${to!.change} (${to!.time}):\n`);
      for (const { property, before: was, after: is } of differences) {
        stdout.write(`  ${property}: ${JSON.stringify(was) ?? "nothing"} -> ${JSON.stringify(is) ?? "nothing"}\n`);
      }
      if (differences.length === 0) stdout.write("  nothing\n");
    }
    return ExitStatus.done;
  },
};

/** The two versions to compare. Throws `UsageError`. */
function versionsOf(life: readonly Change[], first: string | undefined, rest: readonly string[]): [Change, Change] {
  if (first === undefined) {
    if (rest.length > 0) throw new UsageError("diff takes one IRI; two versions are named by --between A B");
    const [before, after] = life.filter(isVersion).slice(-2);
    if (after === undefined) throw new UsageError("the record has had one version only");
    return [before!, after];
  }
  const [second, ...more] = rest;
  if (second === undefined || more.length > 0) throw new UsageError("--between takes two: --between A B");
  return [versionAt(life, first), versionAt(life, second)];
}

/** The change with a number, or that was current at a time. Throws `UsageError`. */
function versionAt(life: readonly Change[], text: string): Change {
  const time = Date.parse(text);
  const found = /^\d{1,15}$/.test(text)
    ? life.find(({ sequence }) => sequence === Number(text))
    : Number.isNaN(time)
      ? undefined
      : currentAt(life, time);
  if (found !== undefined && isVersion(found)) return found;
  throw new UsageError(
    `--between ${text}: there was no record then, or that is neither a time nor the number of one of its changes`,
  );
}

/** Throws `UsageError` where the version was not kept. */
async function documentOf(store: LocalStore, { sequence, iri, time }: Change, options: Options): Promise<Json> {
  const record = await store.versions.find(sequence);
  if (record === undefined) {
    const when = new Date(time).toISOString();
    throw new UsageError(
      `what <${iri}> said at change ${sequence} (${when}) was not kept: --keep versions has it kept from then on`,
    );
  }
  const contexts = [...(await store.contexts()), ...(await givenContexts(options))];
  return new DocumentWriter(documentSettings(modelOf(options), contexts), { exactNumbers: true }).document(
    record.graph,
  );
}
