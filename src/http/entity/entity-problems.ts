/** Answers about an entity that has no representation to give: absent, deleted, or none that the client accepts. */
import type { Json } from "../../rdf/record-graph.js";
import type { Change } from "../../store/changes.js";
import type { Answer } from "../message/answer.js";
import { target } from "../message/headers/link.js";
import { problem } from "../message/problems/problems.js";
import type { Representation } from "../representations/representation.js";
import type { Addresses } from "./addresses.js";
import { boundedLinks } from "./links.js";
import { mementoLink, mementoLinks, versionUrl } from "./mementos.js";
import type { Resolution } from "./resolution.js";

/**
 * 406, with what there is.
 * @param links to what stands beside the representations
 */
export function notAcceptable(
  addresses: Addresses,
  iri: string,
  representations: readonly Representation[],
  links: readonly string[],
): Answer {
  const url = addresses.url(iri);
  const there = representations.map(({ contentType, suffix }) => ({
    type: contentType,
    ...(suffix === null ? {} : { url: url + suffix }),
  }));
  return problem(
    addresses.base,
    "not-acceptable",
    `Accept names no representation that there is: ask for ${there.map(({ type }) => type).join(", ")}.`,
    {
      members: { representations: there },
      headers: ["Link", boundedLinks([`${target(iri)}; rel="canonical"`, ...links])],
    },
  );
}

/** 404 at the suffix of a representation that the record lacks. */
export function notThere(addresses: Addresses, iri: string, { label, format, suffix }: Representation): Answer {
  const url = addresses.url(iri);
  return problem(
    addresses.base,
    "not-found",
    `The record of ${iri} has nothing to show as ${label ?? format}. What it has is linked from ${url}.`,
    { instance: url + (suffix ?? "") },
  );
}

/** 412, with the tag of what there is now. */
export function preconditionFailed({ base }: Addresses, iri: string, tag: string): Answer {
  return problem(base, "precondition-failed", `${iri} is now ${tag}.`, { headers: ["ETag", tag] });
}

/**
 * 410, with the time, and with what the record was last where the store has kept that.
 * @param last its document, and the change that made it so
 */
export function gone(
  addresses: Addresses,
  { iri, time }: Change,
  instance: string,
  last?: { readonly document: Json; readonly change: Change },
): Answer {
  const { base } = addresses;
  const deleted = new Date(time).toISOString();
  const sentence = `The record of ${iri} was deleted at ${deleted}.`;
  if (last === undefined) return problem(base, "gone", sentence, { instance, members: { deleted } });
  const url = versionUrl(base, last.change.sequence);
  const links = [mementoLinks(base, iri, addresses.url(iri)), mementoLink(base, last.change, "last memento")];
  return problem(base, "gone", `${sentence} What it said last is in lastVersion, and at ${url}.`, {
    instance,
    members: { deleted, lastVersion: { url, document: last.document } },
    headers: ["Link", links.join(", ")],
  });
}

/** 404, with who refers to the IRI, and with its fragments that have records. */
export function notFound(
  addresses: Addresses,
  iri: string,
  { referrers, fragments }: Resolution<Representation> & { kind: "unknown" },
  instance: string,
): Answer {
  const referring = new Set(referrers.map(({ record }) => record));
  const sentences = [`No record describes ${iri}.`];
  if (referring.size > 0) sentences.push(`Records refer to it: ${[...referring].join(", ")}.`);
  if (fragments.length > 0) sentences.push(`Several records have it as their document: ${fragments.join(", ")}.`);
  return problem(addresses.base, "not-found", sentences.join(" "), {
    instance,
    members: {
      ...(referrers.length > 0 ? { referrers: referrers.map(({ record, property }) => ({ record, property })) } : {}),
      ...(fragments.length > 0
        ? { fragments: fragments.map((fragment) => ({ iri: fragment, url: addresses.url(fragment) })) }
        : {}),
    },
  });
}
