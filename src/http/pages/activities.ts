/** Activities as sentences and timelines: when, what, by whom, where, of what parts. */
import { type Node, take, takeWhere } from "./description.js";
import { classWords } from "./labels.js";
import { aside, type Html, html, isolated, join, NOTHING, text } from "./markup.js";
import { CIRCUMSTANCES, PHRASES, type PhrasePart } from "./phrases.js";
import type { Renderer } from "./renderer.js";
import { timeOrder } from "./time-spans.js";

/** An activity, ready for its place in a timeline. */
export interface Told {
  readonly when: Html;
  readonly what: Html;
  /** By what activities are put in order. */
  readonly order: number;
}

/** An activity: when it was, and what it was as a sentence, rows and parts. */
export function activity(teller: Renderer, node: Node): Told {
  const order = orderOf(teller, node);
  const { told, pending } = teller.capture(() => {
    const when = teller.inline("timespan", take(node, "timespan"));
    const labels = take(node, "_label").map((label) => teller.link(label));
    const kinds = take(node, "classified_as").map((kind) => teller.value("", kind));
    dropNames(teller, node, labels);
    return { when, labels, kinds, ...sentence(teller, node) };
  });
  const { when, labels, kinds, said, isEmpty } = told;
  const isUnnamed = labels.length === 0 && isEmpty;
  const heading = isUnnamed ? text(classWords(node.classes[0] ?? "Activity")) : join(labels, " / ");
  const parts = take(node, "part");
  const what = join([
    heading === NOTHING ? NOTHING : html`<p class="what">${heading}${aside(kinds)}</p>`,
    isEmpty ? NOTHING : html`<p>${said}${heading === NOTHING ? aside(kinds) : NOTHING}</p>`,
    pending,
    teller.rows(node),
    timeline(parts.map((part) => item(teller, part))),
  ]);
  return { when, what, order };
}

/** An activity in a row of facts. */
export function activityInRow(teller: Renderer, node: Node): Html {
  const { when, what } = activity(teller, node);
  return html`<div class="activity">${when === NOTHING ? NOTHING : html`<p class="when">${when}</p>`}${what}</div>`;
}

function orderOf(teller: Renderer, node: Node): number {
  const [timeSpan] = node.values.get("timespan") ?? [];
  return timeSpan === undefined ? Number.POSITIVE_INFINITY : timeOrder(teller.boundsOf(timeSpan));
}

/** Names that repeat the label, as those of provenance's parts do, with no more to say than a language and kinds. */
function dropNames({ description, mention }: Renderer, node: Node, labels: readonly Html[]): void {
  const said: readonly string[] = labels;
  takeWhere(node, "identified_by", (name) => {
    const content = description.text(name, "content");
    if (content === undefined || !said.includes(isolated(content))) return false;
    const { values, term } = description.node(name);
    if (term.termType === "NamedNode" || [...values.keys()].some((each) => !REPEATED.has(each))) return false;
    for (const each of [...(values.get("classified_as") ?? []), ...(values.get("language") ?? [])]) mention(each);
    return true;
  });
}

/** What a name may say that is told among the terms. */
const REPEATED: ReadonlySet<string> = new Set(["content", "classified_as", "language"]);

/** A value as an item of a timeline: an activity, or whatever else it is. */
export function item(teller: Renderer, value: number): Told {
  if (teller.isToTell(value)) return activity(teller, teller.tell(value));
  const { told, pending } = teller.capture(() => teller.value("part", value));
  return { when: NOTHING, what: html`<p>${told}</p>${pending}`, order: Number.POSITIVE_INFINITY };
}

/** When an activity was, without taking that from what it has to tell. */
export function whenOf(teller: Renderer, node: Node): { readonly when: Html; readonly order: number } {
  const [timeSpan] = node.values.get("timespan") ?? [];
  const { told } = teller.capture(() => (timeSpan === undefined ? NOTHING : teller.value("timespan", timeSpan)));
  return { when: told, order: orderOf(teller, node) };
}

/** The sentence about an activity alone, for where the rest is told elsewhere; empty when it has none. */
export function sentenceOf(teller: Renderer, value: number): Html {
  const { told } = teller.capture(() => sentence(teller, teller.description.node(value)));
  return told.isEmpty ? NOTHING : told.said;
}

/** Activities one below the other, their dates beside them. */
export function timeline(items: readonly Told[]): Html {
  if (items.length === 0) return NOTHING;
  const told = items.map(
    ({ when, what }) => html`<li><div class="when">${when}</div><div class="told">${what}</div></li>`,
  );
  return html`<ol class="timeline">${join(told)}</ol>`;
}

/**
 * The sentence about an activity; `isEmpty` when it has nothing but its verb.
 * @param verb in place of what its class gives
 */
export function sentence(
  teller: Renderer,
  node: Node,
  verb?: string,
): { readonly said: Html; readonly isEmpty: boolean } {
  const own: readonly PhrasePart[] = verb === undefined ? (PHRASES[node.classes[0] ?? ""] ?? []) : [verb];
  let said = "";
  let isEmpty = true;
  for (const piece of [...own, ...CIRCUMSTANCES]) {
    if (typeof piece === "string") {
      said += said === "" ? piece : ` ${piece.toLowerCase()}`;
      continue;
    }
    const [word, term] = piece;
    const values = take(node, term);
    if (values.length === 0) continue;
    isEmpty = false;
    const lead = said === "" ? word.charAt(0).toUpperCase() + word.slice(1) : word;
    said += `${said === "" ? "" : " "}${lead}${word === "" ? "" : " "}${teller.inline(term, values)}`;
  }
  return { said: html`${said as Html}.`, isEmpty };
}
