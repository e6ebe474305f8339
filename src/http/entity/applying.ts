/** Which representations a record has: most are of every record, and some say of which. */
import type { StoredRecord } from "../../store/store.js";
import type { RenderContext, Representation } from "../representations/representation.js";

export type Lacking = readonly Representation[];

/** The representations that not every record has. */
export function partialOf(representations: readonly Representation[]): readonly Representation[] {
  return representations.filter(({ appliesTo }) => appliesTo !== undefined);
}

/** Those of some representations that a record lacks. */
export async function lackingOf(
  partial: readonly Representation[],
  record: StoredRecord,
  context: RenderContext,
): Promise<Lacking> {
  const applies = await Promise.all(partial.map(({ appliesTo }) => appliesTo!(record, context)));
  return partial.filter((_, at) => !applies[at]);
}

/** The context in which a record is written that lacks these: their suffixes stand for nothing. */
export function contextWithout(context: RenderContext, lacking: Lacking): RenderContext {
  const suffixes = lacking.flatMap(({ suffix }) => suffix ?? []);
  return suffixes.length === 0 ? context : { ...context, taken: new Set([...(context.taken ?? []), ...suffixes]) };
}
