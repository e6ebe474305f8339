/** `vitrine get`: writes one representation of a record. */
import { Publication } from "../../http/entity/publication.js";
import { lackedBy, writtenText } from "../../http/representations/representation.js";
import { REPRESENTATIONS } from "../../http/representations/representations.js";
import { openStore } from "../../store/open.js";
import type { StoredRecord } from "../../store/record.js";
import type { Store } from "../../store/store.js";
import type { CommandDefinition } from "../main/command.js";
import { baseUrlsOf, iriArgument, modelOf } from "../settings/common.js";
import { contextsOf } from "../settings/documents.js";
import { argument, type Options, UsageError } from "../settings/options.js";

export const getCommand: CommandDefinition = {
  operands: "IRI",
  summary: "writes one representation of a record",
  notes: ["A relative IRI is resolved against --base-url, or the base URL that the store was loaded with."],
  examples: ["get place/delft --format ttl", "get https://museum.example/object/1"],
  options: [
    argument("format NAME", "which representation", { choices: Object.keys(REPRESENTATIONS), default: "jsonld" }),
  ],
  async run(options, { stdout, stderr }) {
    await using store = await openStore({ directory: options.required("store") });
    const iri = await iriArgument(options.positionals[0]!, options, store);
    const held = store.held.find(iri);
    if (held !== undefined) stderr.line(`vitrine: <${iri}> is held: it is not published`);
    const record = await (held ?? (await store.find(iri)))?.record();
    if (record === undefined) {
      const { target, time } = (await store.tombstone(iri)) ?? {};
      const gone = time === undefined ? "" : `: it was deleted at ${new Date(time).toISOString()}`;
      const became = target === undefined ? gone : `: it moved to <${target}>`;
      throw new UsageError(`the store has no record <${iri}>${became}`);
    }
    stdout.write(await writtenIn(options.required("format"), record, store, options));
  },
};

/** A record in a format. Throws `UsageError` when it has no such representation. */
async function writtenIn(format: string, record: StoredRecord, store: Store, options: Options) {
  const contexts = await contextsOf(options, store);
  const [baseUrl = (await store.stats()).baseUrl ?? "http://localhost:3000/", ...otherBaseUrls] = baseUrlsOf(options);
  const { addresses, representations } = new Publication({ model: modelOf(options), baseUrl, otherBaseUrls, contexts });
  const representation = representations.find((candidate) => candidate.format === format)!;
  const context = { store, addresses, languages: [] };
  const lacking = await lackedBy(record, representations, context);
  // If a syntax cannot express the record, its writer throws an error with the reason.
  if (representation.expresses === undefined && lacking.includes(representation))
    throw new UsageError(`the record <${record.graph.iri}> has no representation ${format}`);
  const taken = new Set(lacking.flatMap(({ suffix }) => suffix ?? []));
  return writtenText(await representation.write(record, { ...context, taken }));
}
