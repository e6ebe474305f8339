/** Languages of the Art & Architecture Thesaurus that records name without a code, by their identifiers. */
export const LANGUAGE_CODES: Readonly<Record<string, string>> = {
  "300387827": "el",
  "300388256": "nl",
  "300388277": "en",
  "300388306": "fr",
  "300388344": "de",
  "300388474": "it",
  "300388486": "ja",
  "300388693": "la",
  "300389311": "es",
};

/** A language tag as HTML's `lang` takes it (RFC 5646, 2.1, roughly). */
export const LANGUAGE_TAG = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i;
