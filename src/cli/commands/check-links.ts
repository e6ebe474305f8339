/** `vitrine check-links`: requests the outside IRIs of records, politely and over several runs, to find those that are gone. */
import { appendFile, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { counted } from "../../base/counted.js";
import { makeFolder } from "../../base/folders.js";
import { jsonIn } from "../../base/json.js";
import { checkLinks, type LinkState } from "../../harvest/outside-links.js";
import { RDF } from "../../rdf/terms.js";
import { type LocalStore, openStore } from "../../store/open.js";
import type { CommandDefinition, Terminal } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { argument, numberOf, type Options } from "../settings/options.js";

/** At most this many hosts of records count as the collection's own. */
const MAX_ORIGINS = 100;
/** How long an answer is valid, in milliseconds: a failure for a day, any other for 30 days. */
const FRESH = 30 * 86_400_000;
const FRESH_FAILURE = 86_400_000;

export const checkLinksCommand: CommandDefinition = {
  summary: "requests the IRIs of other sites in the records, and reports those that are gone",
  notes: [
    "Each host gets one request at a time, with pauses. Addresses that are not public get none. The results are kept in links/checked.jsonl in the store, so an interrupted run can continue.",
    "An answer is valid for a month, a failure for a day. The status is 1 if an IRI is gone.",
  ],
  examples: ["check-links", "check-links --limit 1000", "check-links --json > links.json"],
  options: [
    argument("limit NUMBER", "request at most this many now", numberOf("IRIs", 1, undefined, Number.MAX_SAFE_INTEGER)),
    argument("afresh", "request all again"),
  ],
  async run(options, terminal) {
    const { stdout, stderr } = terminal;
    const directory = options.required("store");
    await using store = await openStore({ directory });
    const links = await outsideLinks(store, terminal);
    const file = join(directory, "links", "checked.jsonl");
    const states = options.isSet("afresh") ? new Map<string, LinkState>() : await knownStates(file);
    await requestLinks([...links.keys()], states, file, options, terminal);
    const known = [...links].flatMap(([iri, record]) => (states.has(iri) ? [{ ...states.get(iri)!, record }] : []));
    const counts = { fine: 0, moved: 0, gone: 0, refused: 0, failing: 0, unknown: links.size - known.length };
    for (const { state } of known) counts[state]++;
    const wrong = known.filter(({ state }) => state !== "fine");
    if (options.isSet("json")) stdout.json({ summary: counts, links: wrong });
    else
      for (const { iri, state, answer, location, record } of wrong)
        stdout.write(
          `${state} (${answer}): <${iri}>${location === undefined ? "" : ` -> <${location}>`} in <${record}>\n`,
        );
    const { gone, moved, failing, refused, unknown } = counts;
    stderr.line(
      `${counted(links.size, "outside IRI")}: ${gone} gone, ${moved} moved, ${refused} refused, ${failing} failing, ${unknown} not asked`,
    );
    return gone > 0 ? ExitStatus.someInvalid : ExitStatus.done;
  },
};

/** The IRIs of other sites, each with a record that names it. */
async function outsideLinks(store: LocalStore, { interrupted }: Terminal): Promise<Map<string, string>> {
  const own = (await store.origins(MAX_ORIGINS)).map(({ prefix }) => prefix);
  const links = new Map<string, string>();
  for await (const { graph } of store.lists.records()) {
    interrupted.throwIfAborted();
    const { iri, terms, triples } = graph;
    for (let at = 0; at < triples.length; at += 3) {
      if (terms[triples[at + 1]!]!.value === RDF.type) continue;
      const { termType, value } = terms[triples[at + 2]!]!;
      const isOutside =
        termType === "NamedNode" && /^https?:/.test(value) && !own.some((base) => value.startsWith(base));
      if (isOutside && URL.canParse(value) && !links.has(value)) links.set(value, iri);
    }
  }
  return links;
}

/** Request the IRIs without a valid answer, and record each answer. */
async function requestLinks(
  links: readonly string[],
  states: Map<string, LinkState>,
  file: string,
  options: Options,
  { stderr, interrupted }: Terminal,
): Promise<void> {
  const now = Date.now();
  const due = links.filter((iri) => {
    const { state, time = 0 } = states.get(iri) ?? {};
    return now - time > (state === "failing" ? FRESH_FAILURE : FRESH);
  });
  const limited = due.slice(0, options.number("limit") ?? due.length);
  if (limited.length === 0) return;
  const hosts = new Set(limited.map((iri) => new URL(iri).host));
  stderr.line(`asking ${counted(limited.length, "IRI")} of ${counted(hosts.size, "host")}`);
  await makeFolder(dirname(file));
  for await (const state of checkLinks(limited, { signal: interrupted })) {
    states.set(state.iri, state);
    // After a line that a full disk cut off, the next still begins a line.
    await appendFile(file, `\n${JSON.stringify(state)}`);
  }
}

/** The recorded answers, the last for each IRI; a truncated line or an empty one is ignored. */
async function knownStates(file: string): Promise<Map<string, LinkState>> {
  const text = await readFile(file, "utf8").catch(() => "");
  const states = text.split("\n").flatMap((line) => jsonIn<LinkState>(line) ?? []);
  return new Map(states.map((state) => [state.iri, state]));
}
