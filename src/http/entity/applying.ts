/** Which representations a record has: most have all. What there is of the others: their names, and the links to what a record has. */
import { remembering } from "../../base/bounded-map.js";
import type { StoredRecord } from "../../store/store.js";
import type { RenderContext, Representation } from "../representations/representation.js";
import { alternateLinks } from "./links.js";

/** Sets of lacking representations whose links are kept. */
const MAX_SETS = 64;

/** Names of the representations that a record lacks. */
export type Lacking = readonly string[];

/** The representations, told apart by whether every record has them. */
export class Applying {
  /** Those that some records lack. */
  readonly #partial: readonly Representation[];
  readonly #alternates: (lacking: string) => readonly string[];

  constructor(readonly all: readonly Representation[]) {
    this.#partial = all.filter(({ appliesTo }) => appliesTo !== undefined);
    this.#alternates = remembering(MAX_SETS, (lacking) => alternateLinks(this.of(lacking.split(" "))));
  }

  /** What a record lacks that may lack it. */
  get mostLacking(): Lacking {
    return this.#partial.map(({ format }) => format);
  }

  /** What a record lacks; a promise where other records decide. */
  lacking(record: StoredRecord, context: RenderContext): Lacking | Promise<Lacking> {
    const asked = this.#partial.map(({ appliesTo }) => appliesTo!(record, context));
    const lacking = (answers: readonly (boolean | Promise<boolean>)[]): Lacking =>
      this.#partial.flatMap(({ format }, at) => (answers[at] === true ? [] : [format]));
    return asked.some((each) => each instanceof Promise) ? Promise.all(asked).then(lacking) : lacking(asked);
  }

  /** What a record has that lacks these. */
  of(lacking: Lacking): readonly Representation[] {
    return this.all.filter(({ format }) => !lacking.includes(format));
  }

  /** The links to what a record has at `url`, each with a comma before it. */
  links(lacking: Lacking, url: string): string {
    return this.#alternates(lacking.join(" ")).join(url);
  }

  /** The context in which a record is written that lacks these: their suffixes stand for nothing. */
  context(context: RenderContext, lacking: Lacking): RenderContext {
    const suffixes = this.#partial.flatMap(({ format, suffix }) => (lacking.includes(format) ? (suffix ?? []) : []));
    return suffixes.length === 0 ? context : { ...context, taken: new Set([...(context.taken ?? []), ...suffixes]) };
  }
}
