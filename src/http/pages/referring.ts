/** Backlinks on a page: works with their pictures, and the other records by relation, with counts and the first few names (specification, 2.16). */
import { groupBy } from "../../base/entries.js";
import type { Entry, LabelledRecord } from "./caption.js";
import { vocabularyTerm } from "./description.js";
import { entriesHtml } from "./entries.js";
import { aside, type Html, html, join, linkHtml, NOTHING, section, text } from "./markup.js";
import type { Site } from "./site.js";
import { fill } from "./words/words.js";

/** The records that refer to an entity by one property. */
export interface ReferringGroup {
  readonly property: string;
  readonly count: number;
  /** The works or members among the first of them, to show with their pictures. */
  readonly cards: readonly Entry[];
  /** The URL of the list of all works or members, if `cards` may not have all. */
  readonly moreCards: string | undefined;
  /** The other records among the first of them. */
  readonly first: readonly LabelledRecord[];
  /** The URL of the list of all records, if `cards` and `first` do not have all. */
  readonly more: string | undefined;
}

/** The sections of works and members. Properties by which the same works refer to the entity share one section. */
export function worksHtml(groups: readonly ReferringGroup[], site: Site): Html {
  const { words } = site;
  const shown = groups.filter(({ cards }) => cards.length > 0);
  const sections = groupBy(shown, ({ cards, moreCards = "" }) => [moreCards, ...cards.map(({ iri }) => iri)].join(" "));
  return join(
    [...sections.values()].map((same) => {
      const title = words.together(
        same.map(({ property }) => vocabularyTerm(property)),
        (term) => words.works(term),
      );
      const [{ cards, moreCards }] = same as [ReferringGroup];
      const { seeAll } = words.file.list;
      const more =
        moreCards === undefined ? NOTHING : html`<p class="more">${linkHtml(site.link(moreCards), seeAll)}</p>\n`;
      return section(title, html`${entriesHtml(cards, "grid", site)}${more}`);
    }),
  );
}

/** The section of all other records. */
export function referringHtml(groups: readonly ReferringGroup[], site: Site): Html {
  const others = groups.filter(
    ({ first, cards, more }) => first.length > 0 || (more !== undefined && cards.length === 0),
  );
  if (others.length === 0) return NOTHING;
  return html`<section class="referring">
<h2>${text(site.words.file.record.mentioned)}</h2>
<div class="groups body">
${join(others.map((group) => groupHtml(group, site)))}</div>
</section>
`;
}

function groupHtml({ property, count, cards, first, more }: ReferringGroup, site: Site): Html {
  const { words } = site;
  const shown = words.number(more === undefined ? count - cards.length : count);
  const all = fill(words.file.list.allOf, { count: words.number(count) });
  const rest = more === undefined ? NOTHING : html`<p>${linkHtml(site.link(more), all)}</p>\n`;
  return html`<div class="group"><h3>${text(words.referring(vocabularyTerm(property)))} <span class="count">${text(shown)}</span></h3>
${recordList(first, site)}${rest}</div>
`;
}

/** Records as links, with the kind of each if they are not all of one kind. */
function recordList(records: readonly LabelledRecord[], site: Site): Html {
  const names = site.words.file.endpoint;
  const kinds = new Set(records.map(({ endpoint }) => endpoint));
  const [only] = kinds;
  const heading =
    kinds.size === 1 && only !== null && only !== undefined
      ? html`<p class="aside">${text(names[only][records.length === 1 ? "one" : "many"])}</p>`
      : NOTHING;
  const items = records.map(({ iri, label, endpoint }) => {
    const kind = heading === NOTHING && endpoint !== null ? [text(names[endpoint].one)] : [];
    return html`<li>${linkHtml(site.entityLink(iri), label)}${aside(kind)}</li>\n`;
  });
  return html`${heading}<ul>
${join(items)}</ul>
`;
}
