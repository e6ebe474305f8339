/** Problems of requests for entities: no record, a deleted record, or no representation that the client accepts. */
import type { InexpressibleError } from "../../rdf/inexpressible.js";
import type { Json, JsonObject } from "../../rdf/record-graph.js";
import type { Change } from "../../store/changes.js";
import type { Answer } from "../message/answer.js";
import { target } from "../message/headers/link.js";
import { problem } from "../message/problems/problems.js";
import type { Representation } from "../representations/representation.js";
import type { Addresses } from "./addresses.js";
import { boundedLinks } from "./links.js";
import { mementoLink, mementoLinks, versionUrl } from "./mementos.js";
import type { Resolution } from "./resolution.js";

/** Why a record lacks a format. */
export function unwritable(error: InexpressibleError): string {
  return `${error.format} cannot express this record: ${error.problem}.`;
}

/** Why a representation does not apply to a record. */
export function nothingToShow(iri: string, { label, format }: Representation): string {
  return `The record of ${iri} has nothing to show as ${label ?? format}.`;
}

/** 406, with the available representations and the entity's links. @param reason why, if not because of `Accept` */
export function notAcceptable(
  addresses: Addresses,
  iri: string,
  offered: readonly Representation[],
  links: readonly string[],
  reason = "None of the media types in Accept is available.",
): Answer {
  const url = addresses.url(iri);
  const representations = offered.map(({ contentType: type, suffix }) =>
    suffix === null ? { type } : { type, url: url + suffix },
  );
  const types = offered.map(({ contentType }) => contentType).join(", ");
  const headers = ["Link", boundedLinks([`${target(iri)}; rel="canonical"`, ...links])];
  const detail = `${reason} Ask for ${types}.`;
  return problem(addresses.base, "not-acceptable", detail, { members: { representations }, headers });
}

/** 404 at the suffix of a representation that does not apply to the record. */
export function notRepresented(addresses: Addresses, iri: string, form: Representation, instance: string): Answer {
  const url = addresses.url(iri);
  const detail = `${nothingToShow(iri, form)} \`record\` links to its other representations.`;
  return problem(addresses.base, "not-found", detail, { instance, members: { record: url } });
}

/** 410, with the time of the deletion and, if the store keeps versions, the last document and its change. */
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
  return problem(base, "gone", `${sentence} Its last version is at ${url}, and in \`lastVersion\`.`, {
    instance,
    members: { deleted, lastVersion: { url, document: last.document } },
    headers: ["Link", links.join(", ")],
  });
}

/** 404, with the records that refer to the IRI and its fragment IRIs that have records. @param bare the IRI without its query, if that has a record */
export function notFound(
  addresses: Addresses,
  iri: string,
  { referrers, fragments }: Resolution & { kind: "unknown" },
  instance: string,
  bare?: string,
): Answer {
  const sentences = [`No record describes ${iri}.`];
  const members: JsonObject = {};
  if (bare !== undefined) {
    sentences.push(`The address of the record in \`record\` has no query; only /entity takes \`format\`.`);
    members.record = addresses.url(bare);
  }
  if (referrers.length > 0) {
    sentences.push(`Records refer to it: ${[...new Set(referrers.map(({ record }) => record))].join(", ")}.`);
    members.referrers = referrers.map(({ record, property }) => ({ record, property, url: addresses.url(record) }));
  }
  if (fragments.length > 0) {
    sentences.push(`Several records have it as their document: ${fragments.join(", ")}.`);
    members.fragments = fragments.map((fragment) => ({ iri: fragment, url: addresses.url(fragment) }));
  }
  return problem(addresses.base, "not-found", sentences.join(" "), { instance, members });
}
