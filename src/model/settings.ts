/** The placeholders of the specification that an institution may set (specification, preamble). */

/** Linked Art 1.0 with the Art & Architecture Thesaurus. */
export const DEFAULT_MODEL = {
  /** `{context_uri}`: the URI of the data model's JSON-LD context. */
  contextUri: "https://linked.art/ns/v1/linked-art.json",
  /** `{vocab_base}`: the base address of the classification vocabulary, without a final slash. */
  vocabBase: "http://vocab.getty.edu/aat",
};

export type ModelSettings = Readonly<typeof DEFAULT_MODEL>;
