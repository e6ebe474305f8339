/** The resolution of a request to the record that it names by any spelling or suffix, or to what the store knows in place of a record. */
import type { Change } from "../../store/changes.js";
import type { RecordHandle } from "../../store/record.js";
import type { Reference, Store } from "../../store/store.js";
import { type Representation, suffixesOf } from "../representations/representation.js";
import { pathAndQuery } from "./addresses.js";
import { iriSpellings } from "./iri-equivalents.js";
import type { Variant } from "./prepared.js";

/** The result of a resolution. `representation` is the one that a suffix asks for. */
export type Resolution =
  | (Reading & { readonly kind: "record"; readonly found: RecordHandle })
  /** An embedded node, with the records that describe it, in the order of their IRIs. */
  | (Reading & { readonly kind: "embedded"; readonly records: readonly string[] })
  /** The IRI that the record moved to, or that of the first record whose IRI differs only in a final slash or in tracking parameters. */
  | (Reading & { readonly kind: "moved"; readonly change?: Change })
  | (Pick<Reading, "representation"> & { readonly kind: "deleted"; readonly change: Change })
  | {
      readonly kind: "unknown";
      readonly referrers: readonly Reference[];
      /** The IRI's fragments that have records, if there are several. */
      readonly fragments: readonly string[];
    };

/** An IRI that a request may mean, and the representation that a suffix asks for. */
interface Reading {
  readonly iri: string;
  readonly representation: Variant | undefined;
}

const MAX_NAMED = 10;

/** Returns a function that tells whether an IRI with a suffix (default: with any) ends in a longer suffix, and so is the address of another record: `.jsonld` after `/x.schema`. */
export function endingLonger(representations: readonly Representation[]): (iri: string, suffix?: string) => boolean {
  const suffixes = suffixesOf(representations);
  const parts = suffixes.flatMap((longer) => {
    const ends = suffixes.filter((end) => end !== longer && longer.endsWith(end));
    return ends.map((end) => ({ end, before: longer.slice(0, -end.length) }));
  });
  return (iri, suffix) => parts.some(({ end, before }) => iri.endsWith(before) && end === (suffix ?? end));
}

export class EntityResolver {
  constructor(
    private readonly store: Store,
    private readonly representations: readonly Variant[],
  ) {}

  /** Resolves IRIs that no record has exactly: by another spelling, the only fragment, a suffix; then a describing record; then a tombstone. Rejects with the store's errors. */
  async resolve(iris: readonly string[]): Promise<Resolution> {
    const readings: Reading[] = [];
    for (const { stems, representation } of this.#stems(iris)) {
      const spellings = stems.flatMap(iriSpellings);
      const others = spellings.filter((iri) => !iris.includes(iri));
      const record = (await this.#first(others)) ?? (await this.#onlyFragment(spellings));
      if (record !== undefined) return { kind: "record", ...record, representation };
      readings.push(...spellings.map((iri) => ({ iri, representation })));
    }
    const deletion = await this.#deletion(readings);
    if (deletion?.kind === "moved") return deletion;
    for (const { iri, representation } of readings) {
      const records = await this.store.describedIn(iri, MAX_NAMED);
      if (records.length > 0) return { kind: "embedded", iri, records, representation };
    }
    const similar = await this.#similar(iris);
    if (similar !== undefined) return { kind: "moved", ...similar };
    return deletion ?? this.#unknown(readings);
  }

  /** The ways to read the IRIs: as they are, and without each suffix that they end with, the longest first. */
  *#stems(iris: readonly string[]) {
    yield { stems: iris, representation: undefined };
    const suffixed = this.representations.flatMap((representation) => {
      const suffix = representation.suffix ?? "";
      const stemmed = iris.filter((iri) => suffix !== "" && iri.endsWith(suffix));
      const stems = stemmed.map((iri) => iri.slice(0, -suffix.length));
      return stems.length > 0 ? [{ stems, representation, suffix }] : [];
    });
    yield* suffixed.sort((left, right) => right.suffix.length - left.suffix.length);
  }

  async #deletion(readings: readonly Reading[]): Promise<Resolution | undefined> {
    for (const { iri, representation } of readings) {
      const change = await this.store.tombstone(iri);
      if (change === undefined) continue;
      if (change.target === undefined) return { kind: "deleted", change, representation };
      return { kind: "moved", iri: await finalTarget(this.store, iri), change, representation };
    }
    return undefined;
  }

  async #first(iris: readonly string[]) {
    for (const iri of iris) {
      const found = await this.store.find(iri);
      if (found !== undefined) return { iri, found };
    }
    return undefined;
  }

  /** The first record whose IRI differs only in a final slash, an empty query or tracking parameters: `/object/1` for `/object/1/?utm_source=mail`. */
  async #similar(iris: readonly string[]): Promise<Reading | undefined> {
    for (const { stems, representation } of this.#stems(iris.map(withoutTracking))) {
      const others = stems.flatMap((bare) => [bare, bare.endsWith("/") ? bare.slice(0, -1) : `${bare}/`]);
      const found = await this.#first(others.filter((each) => !iris.includes(each)).flatMap(iriSpellings));
      if (found !== undefined) return { iri: found.iri, representation };
    }
    return undefined;
  }

  /** The record of the first IRI that has exactly one fragment with a record. */
  async #onlyFragment(iris: readonly string[]) {
    for (const iri of iris) {
      const fragments = await this.store.fragments(iri, 2);
      if (fragments.length === 1) return this.#first(fragments);
    }
    return undefined;
  }

  async #unknown(readings: readonly Reading[]): Promise<Resolution> {
    const referrers: Reference[] = [];
    const fragments: string[] = [];
    for (const { iri } of readings) {
      referrers.push(...((await this.store.references?.page(iri, { limit: MAX_NAMED }))?.items ?? []));
      fragments.push(...(await this.store.fragments(iri, MAX_NAMED)));
    }
    return { kind: "unknown", referrers: referrers.slice(0, MAX_NAMED), fragments: fragments.slice(0, MAX_NAMED) };
  }
}

/** Parameters that campaigns, newsletters and social networks add to links. */
const TRACKING = /^(?:utm_\w+|fbclid|gclid|gbraid|wbraid|dclid|msclkid|twclid|igshid|mc_[ce]id|_ga|_gl|yclid)(?:=|$)/;

/** An IRI or a request target without the parameters that others add to it, and without empty ones. */
export function withoutTracking(address: string): string {
  const [path, query] = pathAndQuery(address);
  const kept = query?.split("&").filter((each) => each !== "" && !TRACKING.test(each)) ?? [];
  return kept.length === 0 ? path : `${path}?${kept.join("&")}`;
}

/** Follows the moves of an IRI to the last target. An IRI that was not moved leads to itself, and a cycle to the IRI where it closes. */
async function finalTarget(store: Store, iri: string, passed = new Set<string>()): Promise<string> {
  if (passed.has(iri) || (await store.find(iri)) !== undefined) return iri;
  const target = (await store.tombstone(iri))?.target;
  return target === undefined ? iri : finalTarget(store, target, passed.add(iri));
}
