/** Prepared representations, with the parts of answers that depend on the representation alone: tags, links, content codings. */
import type { ModelSettings } from "../../model/settings.js";
import { commonHeaders } from "../message/answer.js";
import { tagOf } from "../message/content.js";
import { CODINGS, type Coding } from "../message/headers/content-coding.js";
import { target } from "../message/headers/link.js";
import type { Representation } from "../representations/representation.js";

/** A representation in one content coding, with the parts of its answers that are the same for every request. */
export interface Variant extends Representation {
  /** The part of an entity tag that does not depend on the record. */
  readonly variant: string;
  readonly profileLink: readonly string[];
  /** The headers of every answer, and the same if `Accept-Datetime` leads to earlier versions (RFC 7089, 2.1.2). */
  readonly common: readonly string[];
  readonly commonByTime: readonly string[];
  readonly slot: number;
  /** The content coding of its body, and the same representation in each coding. */
  readonly coding: Coding | undefined;
  readonly coded: ReadonlyMap<Coding, Variant>;
}

/** Prepares a representation. @param edition a text that changes with everything else that decides how records are written */
export function prepare(representation: Representation, index: number, model: ModelSettings, edition: string): Variant {
  const { format, version, profiles, dependsOn } = representation;
  const settings = dependsOn?.settings === undefined ? [] : [dependsOn.settings];
  const decisive = JSON.stringify([version, model.contextUri, model.vocabBase, edition, ...settings]);
  const language = dependsOn?.languages === true ? "Accept-Language" : undefined;
  const slot = index * (1 + CODINGS.length);
  const coded = new Map<Coding, Variant>();
  const prepared: Variant = {
    ...representation,
    slot,
    coding: undefined,
    coded,
    variant: `${format}-${tagOf(decisive, 6)}`,
    common: commonHeaders(language),
    commonByTime: commonHeaders(language === undefined ? "Accept-Datetime" : `${language}, Accept-Datetime`),
    profileLink: profiles.slice(0, 1).map((profile) => `${target(profile)}; rel="profile"`),
  };
  for (const [at, coding] of CODINGS.entries())
    coded.set(coding, { ...prepared, slot: slot + 1 + at, coding, variant: `${prepared.variant}-${coding}` });
  return prepared;
}
