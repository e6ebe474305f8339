/** Languages in the Art & Architecture Thesaurus: their codes and identifiers. */
const IDENTIFIERS = `
ar 300387843 el 300387827 el 300388361 bg 300388034 ca 300388072 zh 300388113 hr 300388185 cs 300388191 da 300388204
nl 300388256 en 300388277 et 300388283 fi 300388299 fr 300388306 ka 300388343 de 300388344 he 300388401 hi 300388412
is 300388449 id 300388460 ga 300388467 it 300388474 ja 300388486 ko 300388633 la 300388693 lv 300388696 lt 300388723
hu 300388770 no 300388992 nb 300391418 fa 300389087 pl 300389109 pt 300389115 ro 300389157 ru 300389168 sr 300389247 sk 300389290
sl 300389291 es 300389311 sv 300389336 tr 300389470 uk 300389489 cy 300389555 yi 300389602`;

/** The codes of languages in the Art & Architecture Thesaurus, by identifier, for records that name a language without a code. */
export const LANGUAGE_CODES: ReadonlyMap<string, string> = new Map(
  [...IDENTIFIERS.matchAll(/(\w+) (\d+)/g)].map(([, code = "", identifier = ""]) => [identifier, code]),
);

/** A language tag for HTML's `lang` (RFC 5646, 2.1, approximately). */
export const LANGUAGE_TAG = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i;
