/** Events that two records tell of: an activity of one is the same as one of another by its IRI, or by when, what and who. */
import type { ResourceDescription } from "./description.js";

/** By what the parties of an activity are referred to. */
const PARTIES: readonly string[] = [
  "transferred_title_from",
  "transferred_title_to",
  "transferred_custody_from",
  "transferred_custody_to",
  "transferred_from",
  "transferred_to",
  "moved_from",
  "moved_to",
  "carried_out_by",
];

/** An activity of a record. */
interface Activity {
  readonly description: ResourceDescription;
  readonly node: number;
}

/** The node of another record, or of a part of it, that is the same event as an activity; `undefined` where there is none. */
export function sameEvent(own: Activity, other: ResourceDescription): number | undefined {
  const all = [other.root, ...other.values(other.root, "part")];
  const iri = iriOf(own);
  const same = all.find((node) => iri !== undefined && iriOf({ description: other, node }) === iri);
  if (same !== undefined) return same;
  const [span, kind, parties] = [spanOf(own), kindOf(own), partiesOf(own)];
  if (span === undefined || parties.length === 0) return undefined;
  return all.find((node) => {
    const each = { description: other, node };
    if (kindOf(each) !== kind || (spanOf(each) ?? spanOf({ ...each, node: other.root })) !== span) return false;
    const theirs = partiesOf(each);
    return parties.every((party) => theirs.includes(party));
  });
}

function iriOf({ description, node }: Activity): string | undefined {
  const { termType, value } = description.terms[node]!;
  return termType === "NamedNode" ? value : undefined;
}

/** Days on which it may have begun and ended, as they are written. */
function spanOf({ description, node }: Activity): string | undefined {
  const [timeSpan] = description.values(node, "timespan");
  if (timeSpan === undefined) return undefined;
  const [first, last] = ["begin_of_the_begin", "end_of_the_end"].map((term) => description.text(timeSpan, term));
  return first === undefined && last === undefined ? undefined : `${first?.slice(0, 10)}/${last?.slice(0, 10)}`;
}

function kindOf({ description, node }: Activity): string {
  return description.node(node).classes.join();
}

function partiesOf({ description, node }: Activity): string[] {
  return PARTIES.flatMap((term) => description.iris(node, term).map((party) => `${term} ${party}`));
}
