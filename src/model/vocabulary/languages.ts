/** The codes of languages in the Art & Architecture Thesaurus, by identifier, for records that name a language without a code. */
export const LANGUAGE_CODES: ReadonlyMap<string, string> = new Map([
  ["300387827", "el"],
  ["300388256", "nl"],
  ["300388277", "en"],
  ["300388306", "fr"],
  ["300388344", "de"],
  ["300388474", "it"],
  ["300388486", "ja"],
  ["300388693", "la"],
  ["300389311", "es"],
]);

/** A language tag for HTML's `lang` (RFC 5646, 2.1, approximately). */
export const LANGUAGE_TAG = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i;
