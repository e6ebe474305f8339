/** Activities as sentences and timelines: when, what, by whom, where, and their parts; and the events that two records describe. */
import { ACTIVITY_PART } from "../../model/search-paths.js";
import { CLASS_NAMES, propertyIri } from "../../model/vocabulary/vocabulary.js";
import { type Node, type ResourceDescription, take } from "./description.js";
import { aside, type Html, html, isolated, join, NOTHING, text } from "./markup.js";
import type { Renderer } from "./renderer.js";
import { boundsOf, timeOrder } from "./time-spans.js";
import { ENGLISH_WORDS } from "./words/words.js";

interface TimelineItem {
  readonly when: Html;
  readonly what: Html;
  readonly order: number;
}

interface DescribedElsewhere {
  readonly url: string;
  readonly label: Html;
  /** Sentences about the other parts of that record's event. */
  readonly more: readonly Html[];
}

/** An activity as an item of a timeline: its time, and a sentence, rows and parts. @param elsewhere the record that describes it, to which the heading links */
function activity(renderer: Renderer, node: Node, elsewhere?: DescribedElsewhere): TimelineItem {
  const order = orderOf(renderer, node);
  const { rendered, pending } = renderer.capture(() => {
    const when = renderer.inline("timespan", take(node, "timespan"));
    const labels = take(node, "_label").map((label) => renderer.link(label));
    const kinds = take(node, "classified_as").map((kind) => renderer.value("", kind));
    renderer.dropNames(node, (name) => labels.includes(isolated(renderer.description.text(name, "content") ?? "")));
    return { when, labels, kinds, told: sentence(renderer, node) };
  });
  const { when, labels, kinds, told } = rendered;
  const isUnnamed = labels.length === 0 && told === NOTHING;
  const words = isUnnamed ? text(renderer.words.class(node.classes[0] ?? "Activity")) : join(labels, " / ");
  const linked = labels.length === 0 ? elsewhere?.label : words;
  const heading = elsewhere === undefined ? words : html`<a href="${text(elsewhere.url)}">${linked ?? NOTHING}</a>`;
  const parts = take(node, "part");
  const what = join([
    heading === NOTHING ? NOTHING : html`<p class="what">${heading}${aside(kinds)}</p>`,
    told === NOTHING ? NOTHING : html`<p>${told}${heading === NOTHING ? aside(kinds) : NOTHING}</p>`,
    ...(elsewhere?.more ?? []),
    pending,
    renderer.rows(node),
    timeline(parts.map((part) => item(renderer, part))),
  ]);
  return { when, what, order };
}

/** An activity as the value of a row of facts. */
export function activityInRow(renderer: Renderer, node: Node): Html {
  const { when, what } = activity(renderer, node);
  return html`<div class="activity">${when === NOTHING ? NOTHING : html`<p class="when">${when}</p>`}${what}</div>`;
}

function orderOf(renderer: Renderer, node: Node): number {
  const [timeSpan = -1] = node.values.get("timespan") ?? [];
  return timeOrder(boundsOf(renderer.description, timeSpan));
}

/** A value as an item of a timeline, whether it is an activity or something else. */
export function item(renderer: Renderer, value: number, elsewhere?: DescribedElsewhere): TimelineItem {
  if (renderer.isUnrendered(value)) return activity(renderer, renderer.begin(value), elsewhere);
  const { rendered, pending } = renderer.capture(() => renderer.inline("part", [value]));
  return { when: NOTHING, what: html`<p>${rendered}</p>${pending}`, order: Number.POSITIVE_INFINITY };
}

/** The time of an activity. It stays among the values that the node still has to show. */
export function whenOf(renderer: Renderer, node: Node): { readonly when: Html; readonly order: number } {
  const { rendered } = renderer.capture(() => renderer.inline("timespan", node.values.get("timespan") ?? []));
  return { when: rendered, order: orderOf(renderer, node) };
}

/** The sentence about an activity that another page shows in full; nothing if it has none. */
export function sentenceOf(renderer: Renderer, value: number): Html {
  return renderer.capture(() => sentence(renderer, renderer.description.node(value))).rendered;
}

/** Items one below the other, with their dates beside them. */
export function timeline(items: readonly TimelineItem[]): Html {
  if (items.length === 0) return NOTHING;
  const rendered = items.map(
    ({ when, what }) => html`<li><div class="when">${when}</div><div class="told">${what}</div></li>`,
  );
  return html`<ol class="timeline">${join(rendered)}</ol>`;
}

/** The sentence about an activity; nothing if it would only have a verb. @param verb replaces the verb of the class */
export function sentence(renderer: Renderer, node: Node, verb?: string): Html {
  const written: Html[] = [];
  let isEmpty = true;
  const begins = (words: string): Html => text(written.length === 0 ? renderer.words.begun(words) : words);
  for (const part of renderer.words.sentence(node.classes[0] ?? "", verb)) {
    if (typeof part === "string") {
      written.push(begins(part));
      continue;
    }
    const values = take(node, part.term);
    if (values.length === 0) continue;
    isEmpty = false;
    written.push(html`${begins(part.before)}${renderer.inline(part.term, values)}${text(part.after)}`);
  }
  return isEmpty ? NOTHING : html`${join(written, " ")}.`;
}

/** The classes shown as activities: those with a sentence in the words, those whose parts are activities, and some others. */
export const ACTIVITY_TERMS: ReadonlySet<string> = new Set([
  ...Object.keys(ENGLISH_WORDS.file.sentence),
  ...CLASS_NAMES.filter((name) => propertyIri("part", name) === ACTIVITY_PART),
  ...["Addition", "Removal", "CurationActivity", "RightAcquisition", "TypeCreation"],
  ...["Measurement", "ConditionAssessment", "IdentifierAssignment", "TypeAssignment"],
]);

/** The properties that name the parties of an activity. */
const PARTIES = ["transferred_title", "transferred_custody", "transferred", "moved"]
  .flatMap((term) => [`${term}_from`, `${term}_to`])
  .concat("carried_out_by");

/** The node in another record that describes the same event: its root or a part, with the same IRI, or with the same time, class and parties. */
export function sameEvent(own: ResourceDescription, activity: number, other: ResourceDescription): number | undefined {
  const all = [other.root, ...other.values(other.root, "part")];
  const { termType, value: iri } = own.terms[activity]!;
  const same = all.find((node) => termType === "NamedNode" && other.terms[node]!.value === iri);
  if (same !== undefined) return same;
  const [span, parties] = [spanOf(own, activity), partiesOf(own, activity)];
  if (span === undefined || parties.length === 0) return undefined;
  const kinds = own.node(activity).classes.join();
  return all.find((node) => {
    if (other.node(node).classes.join() !== kinds || (spanOf(other, node) ?? spanOf(other, other.root)) !== span)
      return false;
    const theirs = partiesOf(other, node);
    return parties.every((party) => theirs.includes(party));
  });
}

/** The first and last possible day of an activity, as written. */
function spanOf(description: ResourceDescription, node: number): string | undefined {
  const [timeSpan = -1] = description.values(node, "timespan");
  const [first, last] = ["begin_of_the_begin", "end_of_the_end"].map((term) => description.text(timeSpan, term));
  return first === undefined && last === undefined ? undefined : `${first?.slice(0, 10)}/${last?.slice(0, 10)}`;
}

function partiesOf(description: ResourceDescription, node: number): string[] {
  return PARTIES.flatMap((term) => description.iris(node, term).map((party) => `${term} ${party}`));
}
