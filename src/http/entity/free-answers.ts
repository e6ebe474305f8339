/** Suffixes that are taken: `/x.json` may be a record of its own, and then is no representation of `/x`. */
import { entryOf } from "../../base/entries.js";
import type { RecordHandle } from "../../store/record.js";
import type { Answer } from "../message/answer.js";
import type { EntityRequestHeaders } from "../message/headers/conditions.js";
import { atOnce } from "../message/problems/store-unavailable.js";
import type { CacheState } from "./answer-cache.js";
import type { Variant } from "./prepared.js";
import { RecordAnswers, type RecordAnswersOptions } from "./record-answers.js";

/** Answers for records some of whose suffixes lead to other records. */
interface Restricted {
  readonly answers: RecordAnswers;
  /** The representations without such suffixes, by slot. */
  readonly prepared: ReadonlyMap<number, Variant>;
}

/** A record goes before a suffix: `/x.json` may be a record of its own, and then is no representation of `/x`. */
export class FreeAnswers {
  readonly #suffixes: readonly string[];
  readonly #answers: RecordAnswers;
  /** By the suffixes that are taken. */
  readonly #restricted = new Map<string, Restricted>();

  constructor(private readonly options: RecordAnswersOptions) {
    this.#suffixes = options.representations.flatMap(({ suffix }) => suffix ?? []);
    this.#answers = new RecordAnswers(options);
  }

  get kept(): CacheState {
    return this.#answers.kept;
  }

  /** As `RecordAnswers.represent`. Rarely is there more to do than that. */
  represent(
    iri: string,
    found: RecordHandle,
    representation: Variant | undefined,
    headers: EntityRequestHeaders,
  ): Answer | Promise<Answer> {
    if (this.options.store.hasFileNames?.() !== true)
      return this.#answers.represent(iri, found, representation, headers);
    const answer = (taken: readonly string[]): Answer | Promise<Answer> => {
      if (taken.length === 0) return this.#answers.represent(iri, found, representation, headers);
      const { answers, prepared } = entryOf(this.#restricted, taken.join(), () => this.#without(taken));
      return answers.represent(iri, found, representation && prepared.get(representation.slot), headers);
    };
    const taken = this.#taken(iri);
    return taken instanceof Promise ? taken.then(answer) : answer(taken);
  }

  /** The suffix by which a record's representation is asked for, or nothing where another record has that address. */
  async suffixAt(iri: string, representation: Variant | undefined): Promise<string> {
    const suffix = representation?.suffix ?? "";
    return suffix === "" || (await this.#taken(iri)).includes(suffix) ? "" : suffix;
  }

  /** The suffixes that lead to other records. Throws, or rejects with, `StoreUnavailableError`. */
  #taken(iri: string): readonly string[] | Promise<readonly string[]> {
    if (this.options.store.hasFileNames?.() !== true) return [];
    const found = this.#suffixes.map((suffix) => atOnce(() => this.options.store.find(iri + suffix)));
    const taken = (there: readonly unknown[]): readonly string[] =>
      this.#suffixes.filter((_, at) => there[at] !== undefined);
    return found.some((each) => each instanceof Promise) ? Promise.all(found).then(taken) : taken(found);
  }

  #without(taken: readonly string[]): Restricted {
    const isTaken = new Set(taken);
    const prepared = new Map<number, Variant>();
    const representations = this.options.representations.map((each) => {
      const suffix = each.suffix !== null && isTaken.has(each.suffix) ? null : each.suffix;
      const coded = new Map([...each.coded].map(([coding, in_]) => [coding, { ...in_, suffix }]));
      const restricted = { ...each, suffix, coded };
      for (const one of [restricted, ...coded.values()]) prepared.set(one.slot, one);
      return restricted;
    });
    // Another record may come to lie beside this one at any moment, so no answer is kept.
    const answers = new RecordAnswers({ ...this.options, representations, taken: isTaken, cacheBytes: 0 });
    return { answers, prepared };
  }
}
