/** Backlinks on a page: records by relation and kind, counted, the first few named (specification, 2.16). */

import { grouped } from "../../base/counted.js";
import type { EndpointName } from "../../model/tables/endpoints.js";
import { vocabularyTerm } from "./description.js";
import { ENDPOINT_WORDS, referringWords } from "./labels.js";
import { aside, type Html, html, join, NOTHING, text } from "./markup.js";

export interface ListedRecord {
  readonly url: string;
  readonly label: string;
  readonly endpoint: EndpointName | null;
}

/** The records that refer to an entity by one property. */
export interface ReferringGroup {
  /** The property's IRI. */
  readonly property: string;
  readonly count: number;
  /** The first of them, or all. */
  readonly first: readonly ListedRecord[];
  /** Where all are listed, when `first` has not all. */
  readonly more: string | undefined;
}

/** Groups in the order of how much there is to see. */
export function referringHtml(groups: readonly ReferringGroup[]): Html {
  if (groups.length === 0) return NOTHING;
  return html`<section class="referring">
<h2>What refers here</h2>
<div class="groups body">
${join(groups.map(groupHtml))}</div>
</section>
`;
}

function groupHtml({ property, count, first, more }: ReferringGroup): Html {
  const words = referringWords(vocabularyTerm(property));
  const rest =
    more === undefined
      ? NOTHING
      : html`<p><a href="${text(more)}">All ${text(grouped(count))}</a></p>
`;
  return html`<div class="group"><h3>${text(words)} <span class="count">${text(grouped(count))}</span></h3>
${recordList(first)}${rest}</div>
`;
}

/** Records as links; what kind each is stands beside it where they are not all of one. */
function recordList(records: readonly ListedRecord[]): Html {
  const kinds = new Set(records.map(({ endpoint }) => endpoint));
  const [only] = kinds;
  const heading =
    kinds.size === 1 && only !== null && only !== undefined
      ? html`<p class="aside">${text(records.length === 1 ? ENDPOINT_WORDS[only].one : ENDPOINT_WORDS[only].many)}</p>`
      : NOTHING;
  const items = records.map((record) => recordItem(record, heading === NOTHING));
  return html`${heading}<ul>
${join(items)}</ul>
`;
}

/** A record in a list. @param withKind whether to say what it is */
export function recordItem({ url, label, endpoint }: ListedRecord, withKind: boolean): Html {
  const kind = withKind && endpoint !== null ? [text(ENDPOINT_WORDS[endpoint].one)] : [];
  return html`<li><a href="${text(url)}">${text(label)}</a>${aside(kind)}</li>
`;
}
