/** The placeholders of the specification, which an institution may set (service.md, preamble). */

export interface ModelSettings {
  /** `{context_uri}`: the URI of the data model's JSON-LD context. */
  readonly contextUri: string;
  /** `{vocab_base}`: the base address of the classification vocabulary, without a final slash. */
  readonly vocabBase: string;
}

/** Linked Art 1.0 with the Art & Architecture Thesaurus. */
export const DEFAULT_MODEL: ModelSettings = {
  contextUri: "https://linked.art/ns/v1/linked-art.json",
  vocabBase: "http://vocab.getty.edu/aat",
};
