/** The outcome of a load: its message for people, its JSON, and its exit status. */
import { counted } from "../../base/counted.js";
import type { LoadSummary } from "../../load/pipeline/load.js";
import { otherSchemeOf } from "../../load/pipeline/work.js";
import { ExitStatus } from "../main/exit-status.js";
import type { Options } from "../settings/options.js";

/** The exit status of a load. A load that was stopped by a limit counts as refused, since nothing changed. */
export function statusOfLoad({ unpublished, invalid }: LoadSummary): ExitStatus {
  if (unpublished !== null && unpublished !== "dry run" && unpublished !== "abort") return ExitStatus.refused;
  return invalid > 0 ? ExitStatus.someInvalid : ExitStatus.done;
}

/** The outcome for people, as lines. */
export function outcomeOf(summary: LoadSummary, options: Options): string {
  return [...remarks(summary), result(summary, options)].map((line) => `${line}\n`).join("");
}

type AboutIris = Pick<LoadSummary, "repeated" | "merged" | "otherScheme" | "baseUrl" | "mostShared">;

/** The lines about IRIs of the input: those of several records or inputs, those with the other scheme, and one that several documents share. */
export function* iriRemarks({ repeated, merged, otherScheme, baseUrl, mostShared }: AboutIris): Iterable<string> {
  if (repeated > 0)
    yield `${counted(repeated, "record")} came more than once: the last of each that is not refused counts; of quads and documents, the quads`;
  if (merged !== undefined)
    yield `${counted(merged.records, "record")} came in several inputs of quads, such as <${merged.iri}>: their triples are merged, and blank nodes that are in both are there twice`;
  const other = otherSchemeOf(baseUrl);
  if (otherScheme > 0 && other !== undefined)
    yield `${counted(otherScheme, "record")} under ${other}, but the base URL is ${baseUrl}: these are different addresses; --base-url ${other} uses the records' own`;
  if (mostShared !== undefined) {
    const { iri, documents } = mostShared;
    yield `at least ${counted(documents, "document")} of the input have the id <${iri}>: only the last that is not refused counts`;
  }
}

function* remarks(summary: LoadSummary): Iterable<string> {
  const { droppedKeys, withoutEndpoint, kept, unidentified, deletions, unpublished, unnamed } = summary;
  if (droppedKeys > 0)
    yield `${counted(droppedKeys, "key")} beginning with _ that no context defines, such as _links, left out`;
  yield* iriRemarks(summary);
  if (withoutEndpoint > 0) yield `${counted(withoutEndpoint, "record")} of a class that belongs to no endpoint`;
  const { count, of, first } = unnamed;
  // A load that is stopped does not look at all records.
  if (count > 0 && (unpublished === null || unpublished === "dry run"))
    yield `warning: ${count} of ${counted(of, "IRI")} of --hold name no record of the load or the store: ${first.join(", ")}${count > first.length ? ", ..." : ""}`;
  if (kept > 0) yield `${counted(kept, "refused record")} kept: the stored version stays`;
  if (unidentified > 0 && deletions > 0)
    yield `${counted(unidentified, "refused record")} without a readable id: the published version may be among the deleted`;
}

function result(summary: LoadSummary, options: Options): string {
  const { created, replaced, unchanged, deleted, refused, held, withdrawn, triples, seconds } = summary;
  const parts = [`${created} created`, `${replaced} replaced`, `${unchanged} unchanged`, `${refused} refused`];
  // Also show that nothing was held: a mistyped rule publishes what it was meant to hold.
  if (held > 0 || options.all("hold").length > 0)
    parts.push(`${held} held${withdrawn > 0 ? ` (${withdrawn} of them withdrawn from the public)` : ""}`);
  const all = [...parts, ...(summary.deletions > 0 ? [`${deleted - withdrawn} deleted`] : [])].join(", ");
  const { unpublished, invalid, maxInvalid, deletions, maxDeleted, changed, maxChanged } = summary;
  if (unpublished === null) return `${all}; ${triples} triples in ${seconds.toFixed(1)} s`;
  if (unpublished === "dry run") return `nothing was loaded (--dry-run); a load would give: ${all}; ${triples} triples`;
  const reasons: Readonly<Record<typeof unpublished, string>> = {
    abort: `${counted(invalid, "record")} invalid (--on-invalid abort)`,
    "too many invalid": `${counted(invalid, "record")} invalid, and --max-invalid allows ${maxInvalid}`,
    "too many deleted": `the input lacks ${counted(deletions, "record")}, but only ${maxDeleted} may be deleted. To delete them, give --max-delete ${deletions}`,
    "too many changed": `${counted(changed, "record")} would change, and --max-change allows ${maxChanged}`,
    "other source": "records of another source would change, which the token does not allow",
    "other record": "the input is not the one record that may change",
    identity: "known IRIs come back as something else (--strict-identity)",
  };
  return `nothing was loaded: ${reasons[unpublished]}`;
}

/** The outcome as `--json` prints it. */
export function machineOutcome(summary: LoadSummary): object {
  const { created, replaced, unchanged, deleted, refused, invalid, triples, seconds, sequence } = summary;
  const { repeated, held, withdrawn } = summary;
  const ifAny = { ...(repeated > 0 && { repeated }), ...(held > 0 && { held, withdrawn }) };
  return { created, replaced, unchanged, deleted, refused, invalid, ...ifAny, triples, seconds, sequence };
}
