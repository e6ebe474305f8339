/** Held records, dereferenced by those who show a token that may read; for nobody else, and kept by no cache. */
import { entryOf } from "../../base/entries.js";
import type { HeldRecordHandle } from "../../store/held.js";
import type { Store } from "../../store/store.js";
import { readTokenShown, type StoredToken } from "../loads/tokens.js";
import { type Answer, varyingBy } from "../message/answer.js";
import type { Dereferencer, EntityRequest } from "./dereference.js";

/** The value of `Cache-Control` on what is not for everybody (RFC 9111, 5.2.2). */
export const PRIVATE = "private, no-store";

/** Answers for those who may see held records. */
export class HeldAnswers {
  /** By the sources whose records are shown. */
  readonly #dereferencers = new Map<string, Dereferencer>();

  /** @param dereferencer makes that of a store, which has all representations and keeps no answers */
  constructor(
    readonly store: Store,
    readonly tokens: () => readonly StoredToken[],
    readonly dereferencer: (store: Store) => Dereferencer,
  ) {}

  /** The answer with a token that may read, where that finds a record. @param isEntity whether other spellings of the path count */
  async answer(request: EntityRequest, isEntity: boolean): Promise<Answer | undefined> {
    const token = readTokenShown(this.tokens(), request.headers.authorization);
    if (token?.may.includes("read") !== true) return undefined;
    const { sources } = token;
    const dereferencer = entryOf(this.#dereferencers, JSON.stringify(sources ?? null), () =>
      this.dereferencer(withHeld(this.store, sources)),
    );
    const answer =
      (await dereferencer.existing(request)) ?? (isEntity ? await dereferencer.spelled(request) : undefined);
    return answer && privately(answer);
  }
}

/** The store as it is to those who may see the held records of these sources, or of any. Their earlier versions stay where they are. */
function withHeld(store: Store, sources: readonly string[] | undefined): Store {
  const isShown = ({ source }: HeldRecordHandle): boolean =>
    sources === undefined || (source !== null && sources.includes(source));
  const { versions: _, ...others } = store;
  return {
    ...others,
    find: (iri) => {
      const held = store.held?.find(iri);
      return held !== undefined && isShown(held) ? held : store.find(iri);
    },
  };
}

/** An answer that is kept by nobody, and counted as no reading of the record. */
function privately(answer: Answer): Answer {
  const { about: _, ...rest } = varyingBy(answer, "Authorization");
  const headers = [...rest.headers];
  const at = headers.findIndex((each, index) => index % 2 === 0 && each === "Cache-Control");
  if (at === -1) headers.push("Cache-Control", PRIVATE);
  else headers[at + 1] = PRIVATE;
  return { ...rest, headers };
}
