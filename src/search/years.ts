/** The years that a text gives: `1889`, `c. 1650-60`, `1920s`, `16th century`, `XVIe siècle`, `5th century BC`. */
import type { MeantText } from "../store/search.js";
import { withLatinDigits } from "./forms.js";

/** Characters of a text in which years are looked for. */
const MAX_LENGTH = 400;
/** A part of a word that is longer than any in a date. The patterns read words again from each of their letters, so longer ones are divided for them. */
const LONG_PART = /\p{L}{24}(?=\p{L})/gu;

const MILLENNIUM = String.raw`(?:mill?[eé]n+i(?:um|a|o)|mill[eé]naires?|jahrtausende?n?s?)\b`;
const NAMED_CENTURY = String.raw`(?:cent(?:ur(?:y|ies))?\b|jahrh\p{L}{0,12}|jhd?t?s?\b|eeuw\p{L}{0,12}|si[eè]cles?\b|(?<=[eè](?:me|r)?\s)s\b(?!['’])|secolo\b|wieku?\b|stol[eé]t\p{L}{0,12}|век\p{L}{0,12}|в\.|århund\p{L}{0,12}|vuosisa\p{L}{0,12}|század\p{L}{0,12}|yüzyıl\p{L}{0,12}|世[紀纪]|세기|${MILLENNIUM})\.?`;
const NUMBERED = century(
  String.raw`(\d{1,2})(?:st|nd|rd|th|\.|er?|[eè]me|de|ste|(?:-?й)?(?=\s?(?:в|世|세)|\s(?:century|jahrhundert|jh|eeuw|si[eè]cle|secolo)\b))`,
  String.raw`(?:${NAMED_CENTURY}|c\b\.?)`,
);
const ROMAN_NUMBERED = century(String.raw`([ivx]+)(?:th|er?|[eè]me|\.)?`, NAMED_CENTURY);
const SIGLO = String.raw`(?<!\p{L})(?:siglos?|secol[oi]|s[eé]culos?|s[eé]c\.|ss?\.)\s+`;
const CENTURY = String.raw`${NUMBERED}|${ROMAN_NUMBERED}|${SIGLO}([ivx]+)\b|(?<=${SIGLO}[ivx]+)\s*(?:[-–—/]|(?<!\p{L})(?:al?|e|y)(?!\p{L}))\s*([ivx]+)\b`;
const JESUS = String.raw`(?:j(?:[ée]sus|\.?[\s-]?c(?:hr)?(?!\p{L}))|cristo(?!\p{L}))`;
/** `Chr.`, `Christus` and `Christi Geburt`, but not the beginning of `Christine`. */
const CHRIST = String.raw`chr(?:ist(?:us|i(?:\sgeburt)?|o)?)?(?!\p{L})`;
const OUR_ERA = String.raw`(?:[ud]\.\s?z(?!\p{L})|(?:unserer|der)\szeit(?:rechnung|enwende)|o\.\s?j(?!\p{L})|onze\sjaartelling|n\.\s?[eè](?!\p{L})|notre\s[eè]re)`;
/** What follows a year, and may precede it: `BC`, `v. Chr.`, `v. u. Z.`, `av. J.-C.`, `a.C.`; `AD`, `CE`, `n. Chr.`, `de notre ère`, `d.C.` */
const BEFORE_CHRIST = String.raw`(?<!\p{L})(?:(?!b\.\sc\.\s*\d)b\.?\s?c(?:\.?\s?e)?(?!\p{L})|(?:v|v[oó]{1,2}r)\.?\s?(?:${CHRIST}|${OUR_ERA})|(?:av(?:anti?|\.)?|antes\sde)\s?(?:${JESUS}|${OUR_ERA})|a\.\s?c\b|v\.c\b)`;
const AFTER_CHRIST = String.raw`(?<!\p{L})(?:a\.?d\b|c\.?e\b|(?:n|na|nach)\.?\s?(?:${CHRIST}|${OUR_ERA})|de\s${OUR_ERA}|(?:ap(?:r|rès)?\.?|dopo|despu[ée]s\sde)\s?${JESUS}|d\.\s?c\b|n\.c\b)`;
const ANNO_DOMINI = String.raw`\ba\.?d\b\.?\s*`;
const JOINED = String.raw`(?:[-–—/]|(?:and|or|to|und|oder|bis|et|ou|à|en|of|tot|y|e|o)\s)`;
const SHORT_YEAR = String.raw`\d{1,7}(?=\s*(?:[-–—]\s*\d{1,7}\s*)?${BEFORE_CHRIST})|\d{5,7}(?=\s*${JOINED}\s*\d{1,7}\s*${BEFORE_CHRIST})|\d{1,4}(?=\s*${AFTER_CHRIST})|(?<=${ANNO_DOMINI})\d{1,4}(?!\d|st|nd|rd|th)`;
const YEAR = String.raw`(?<=^|\P{L}|\b(?:ca?|a\.?d|b\.?c))(?<!\d|(?:^|[^\d.])\d+[.,])(\d{3,4}|${SHORT_YEAR})('?s\b|(?:er|-?tal(?:l?et)?|-lu[kv]\p{L}*)\b(?:[\s-]jahren?\b)?)?(?:-\d\d-\d\d|\s*[-–—/]\s*(\d\d)(?!\d))?(?!\d|[.,]\d)`;
const ABOUT = String.raw`(?<![\p{L}\d])(?:c|ca|circa|zirka|about|around|approx|um|etwa|gegen|vers|omstreeks|rond|hacia|verso)\b`;
const MONTH = String.raw`(?:(?:jan|f[eé][bv]|m[aä]{1,2}r|a[pv]r|jui?[ln]|aug|ao[uû]|sep|o[ck]t|nov)\p{L}*|ma[iy]o?|mei|d[eé][cz](?:em\p{L}*)?)\.?\s`;
/** A place where `May`, `Mars` or `Augustus` is no name, as it is in `Karl May 1912`, `Venus and Mars 1485` and `Augustus, 1706`. */
const NO_NAME = String.raw`(?<!(?<!\p{L})(?!(?:in|im|from|to|vom|von|bis|tot)\s)\p{L}+\s)(?!(?:mars|augustus),)`;
/** Months that need no day. They are whole words, unlike the beginning of `Mary 1900`. */
const WHOLE_MONTH = `(?:${NO_NAME}(?:march|mars|ma[iy]|august(?:us)?)|janu?ar[iy]?|janvier|febr?uar[iy]?|f[eé]vrier|märz|maart|a[pv]ril|mei|june|jui?n|juni|jul[iy]|juillet|ao[uû]t|(?:septem|o[ck]to|novem|d[eé][cz]em)b(?:er|re))`;
const TO_YEAR = String.raw`(?:\s+(?:the(?:\s+year)?|dem|den|le|de))?[\s-]+(?:\d{1,2}\.\d{1,2}\.|(?:\d{1,2}(?:er|\.)?\s+)?${MONTH})?`;
/** What precedes or follows a year that stands for all earlier years, or for all later ones. */
const BEFORE = String.raw`(?<!\p{L}|not\s|nicht\s|niet\s)(?:before|(?<!no\s)earlier\sthan|prior\sto|until|till|up\sto|(?:no|not)\slater\sthan|pre|ante|vor|bis|avant|jusqu['’](?:en|à|au)|v[oó]{2}r|tot)${TO_YEAR}`;
const AFTER = String.raw`(?<!\p{L}|not\s|nicht\s|niet\s)(?:after|(?<!no\s)later\sthan|(?:no|not)\searlier\sthan|since|post|nach|ab|seit|apr[eè]s|depuis|na|vanaf|sinds)${TO_YEAR}`;
const OR_BEFORE = String.raw`\s+(?:or|and)\s+(?:earlier|before)\b`;
const OR_AFTER = String.raw`\s+(?:(?:or|and)\s+(?:later|after)|onwards?)\b`;
const ERA = `(${BEFORE_CHRIST})|${AFTER_CHRIST}`;
const [CENTURIES, YEARS] = [CENTURY, YEAR].map((each) => new RegExp(each, "giu")) as [RegExp, RegExp];
/** Eras beside a year or a century. `B.C.` in `B.C. Hydro` is none. */
const ERAS = new RegExp(
  String.raw`(?=\p{L})(?:(?<=(?:\d|(?<!\p{L})[ivx]+|\bc|${NAMED_CENTURY})(?:['’]?s)?[^\p{L}\d]*)|(?=(?:${BEFORE_CHRIST}|${AFTER_CHRIST})[\s.:]*\d))(?:${ERA})`,
  "giu",
);
/** Whether the first centuries of a text are millennia. */
const IS_MILLENNIUM = new RegExp(`^(?:(?!${NAMED_CENTURY}).)*?${MILLENNIUM}`, "iu");
const IS_ABOUT = new RegExp(ABOUT, "iu");
const IN_ERA = String.raw`\s*(?:${ERA})(?:-C(?:hr\p{L}*)?(?!\p{L})|[\p{L}.])*`;
const IN_ERAS = new RegExp(IN_ERA, "giu");
/** The parts of centuries, which count as the whole: `early`, `second half of the`, `fin du`. */
const PART = String.raw`(?<![\p{L}\d])(?:(?:early|mid|late)(?:\s+(?:to|or|and)\s+(?:early|mid|late))?|(?:[1-4](?:st|nd|rd|th|\.|er?|[eè]?re|[eè]me|[sd]e|ste)|first|second|third|fourth|last|(?:eer|laat)ste|tweede|derde|vierde|(?:erst|zweit|dritt|viert|letzt)e[ns]?|(?:premi|derni)(?:er|ère)|deuxième|seconde?|troisième|quatrième)\s+(?:half|third|quarter|helft|kwart|hälfte|viertel|drittel|moitié|tiers|quart)(?:\s+(?:of(?:\s+the)?|van\s+de|des|du))?|(?:anfang|mitte|ende|d[ée]but|milieu|fin|begin|midden|eind)(?:\s+d(?:es|u|e))?)[\s-]+`;
/** What precedes the year of an event, or any year, and the day and month of a date. */
const EVENT = String.raw`(?<!\p{L})(?:fl|floruit|active|born|died|dated|(?:the\s)?year|anno|jahr|jaar|année|[bd](?=\.))(?!\p{L})\.?\s*`;
const DAY = String.raw`(?<![\p{L}\d])(?:\d{1,2}(?<day>[./])\d{1,2}\k<day>|\d{1,2}(?:st|nd|rd|th|er|\.)?\s+(?:of\s+|de\s+)?${MONTH}(?:de\s+)?|${MONTH}\d{1,2}(?:st|nd|rd|th)?,?\s+|${WHOLE_MONTH}(?:\s?[-–—/]\s?${WHOLE_MONTH})?,?\s+(?=\d{4}))`;
const CALLED = `(?:${PART})?(?:${EVENT})?(?:${ABOUT}\\.?\\s*)?(?:${DAY})?(?:${ANNO_DOMINI}|(?<!\\p{L})b\\.?c\\b\\.?(?:\\s?e\\b\\.?)?\\s*)?`;
/** Years with the words that belong to them. */
const DATED = new RegExp(
  `(?:${BEFORE}|${AFTER})?${CALLED}(?:${CENTURY}|${YEAR})(?:${IN_ERA})?(?:${OR_BEFORE}|${OR_AFTER})?`,
  "giu",
);
const ARTICLE = String.raw`(?:the\s|de[mn]?\s|l[ae]\s)?\s*`;
/** Two years, for which NUL characters stand, and the words that make them a period. */
const FROM_TO = new RegExp(
  String.raw`(?:(?<!\p{L})(?:between|from|zwischen|von|vom|entre|tussen|van|du|dal|del?)\s+${ARTICLE})?\0\s*${JOINED}?${ARTICLE}\0`,
  "giu",
);
/** Whether a decade or century itself is included: by `until the 1850s` or `1850s or later`, but not by `before the 1850s`. */
const IS_INCLUDED =
  /^(?:until|till|up|no|bis|tot|jusqu|since|ab|seit|depuis|vanaf|sinds)|(?:earlier|before|later|after|onwards?)$/i;
const IS_EARLIER = new RegExp(`^${BEFORE}|${OR_BEFORE}$`, "iu");
const IS_LATER = new RegExp(`^${AFTER}|${OR_AFTER}$`, "iu");
/** Years of which digits are unknown, as in catalogues and in EDTF: `[18--]`, `186-?`, `19??`, `186X`. */
const UNKNOWN_DIGITS = /\b([12]\d)(?:--|\?\?|xx\b|uu\b)\??|\b([12]\d\d)(?:-?\?|-(?=\])|[xu]\b)/gi;
/** Separators of thousands in years before Christ: `10,000–8,000 BC`. In `no. 12 450 BC`, the space separates two numbers. */
const THOUSANDS = new RegExp(
  String.raw`(?<=(?<![\p{L}\d.,])\d{1,3})(?:[.,\xa0\u202f]|\s(?=\d00))(?=\d{3}(?!\d)[\d.,\s]*(?:${JOINED}[\d.,\s]*)?${BEFORE_CHRIST})`,
  "giu",
);
/** Decades in French and Dutch: `années 1820`, `jaren 1820`. */
const DECADES = /(?<!\p{L})(?:(?:les|des?)\s+)?(?:années|jaren)\s+(\d{2,3}0)(?!\d|\s*[-–—/]\s*\d)/giu;
/** Eras before a year or a century, in Chinese and Japanese: `前450年`, `公元前3世纪`, `西暦79年`. `前12` alone is `the first 12`. */
const EASTERN =
  /(?:(?:[公西]元|紀元|(?<!\p{Script=Han})(?=[前後后][\d\s前後后～〜－–—-]+(?:年|世)))(?:(前)|[後后])|[公西]元|西暦)\s?(\d{1,7}(?:\s?[-–—]\s?\d{1,7})?)(?:年|(世[紀纪]))?/gu;
/** The numbers of centuries and millennia in words: English, Dutch, German, French and Italian, and the Spanish ones that follow `siglo`. */
const ORDINALS = [
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first",
  "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende elfde twaalfde dertiende veertiende vijftiende zestiende zeventiende achttiende negentiende twintigste eenentwintigste",
  "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte dreizehnte vierzehnte fünfzehnte sechzehnte siebzehnte achtzehnte neunzehnte zwanzigste einundzwanzigste",
  "premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième onzième douzième treizième quatorzième quinzième seizième dix-septième dix-huitième dix-neuvième vingtième vingt-et-unième",
  "primo secondo terzo quarto quinto sesto settimo ottavo nono decimo undicesimo dodicesimo tredicesimo quattordicesimo quindicesimo sedicesimo diciassettesimo diciottesimo diciannovesimo ventesimo ventunesimo",
  "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno",
].map((words) => words.split(" "));
const ORDINAL = ORDINALS.slice(0, -1).flat().join("|").replaceAll("è", "[eè]").replaceAll("-", String.raw`[\s-]`);
const NAMED_ORDINALS = new RegExp(
  String.raw`(?<!\p{L})(${ORDINAL})[nrs]?(?=[\s-]+(?:(?:\p{L}{1,5}[\s-]+){1,2}(?:${ORDINAL})[\s-]+)?${NAMED_CENTURY})`,
  "giu",
);
const SPANISH_CENTURIES = new RegExp(
  String.raw`(?<!\p{L})siglos?\s+(\d{1,2}|${ORDINALS.at(-1)!.join("|")})(?![\p{L}\d])`,
  "giu",
);
/** The Italian centuries that are called by their hundreds: `Seicento`. */
const HUNDREDS = "due tre quattro cinque sei sette otto nove".split(" ");
const ITALIAN_CENTURIES = new RegExp(String.raw`(?<!\p{L})(${HUNDREDS.join("|")})cento(?!\p{L})`, "giu");
/** Years of the Hijra: `A.H. 1250`, `1250 AH`, `A.H. 1250-1255`. */
const HIJRI =
  /(?<!\p{L})(?:AH|a\.\s?h\.)\s*(\d{3,4})(?:\s?[-–]\s?(\d{3,4}))?(?!\d)|(?<!\d)(\d{3,4})\s?(?:AH(?!\p{L})|a\.\s?h\.)/giu;
const BORN = `${ANNO_DOMINI}\\d{1,4}|\\b\\d{1,4}${IN_ERA}|\\b\\d{3,4}`;
const DIED = `${ANNO_DOMINI}\\d{1,4}|\\d{1,4}${IN_ERA}|\\d{2,4}\\b`;
/** The years of a life beside a name. */
export const LIFE_DATES = new RegExp(
  `[([]?(?:c(?:a|irca)?\\.?\\s*)?(?:${BORN})\\s*[-–—/]\\s*(?:${DIED})?[)\\]]?`,
  "giu",
);
/** Dates of ISO 8601, the first before the year 1, in astronomical years: `-0449-06-01`, `-0499/-0400`. */
const SIGNED = /^\s*(-\d{2,7})(?:-[01]\d\b[^/\s]*)?(?:\/(-?\d{2,7})(?:-[01]\d\b[^/\s]*)?)?\s*$/;

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10 };

/** The pattern of a numbered century. In `late 18th–early 19th century`, the first one has no word `century` of its own. */
function century(number: string, named: string): string {
  const next = String.raw`(?=${number.replace("(", "(?:")}[\s-]*${named})`;
  return String.raw`\b${number}(?:[\s-]*${named}|\s*(?:[-–—/]|(?:(?<!\p{L})\p{L}{1,3}(?!\p{L})\s*){1,2})\s*(?:(?:early|mid|late)[\s-]+)?${next})`;
}

/**
 * The years that a text gives in any usual form, and the rest of the text; `undefined` if it gives none. `before 1700` has no first year, and
 * `1850s or later` no last one.
 * @example
 * yearsIn("between 1727 and 1737"); // => { first: 1727, last: 1737, isAbout: false, rest: " " }
 */
export function yearsIn(whole: string) {
  const text = withLatinDigits(whole.slice(0, MAX_LENGTH))
    .replace(LONG_PART, "$&\x01")
    .replace(UNKNOWN_DIGITS, (_, century, decade) => (century === undefined ? `${decade}0s` : `${century}00s`))
    .replace(EASTERN, (_, isBefore, digits, century = "") => ` ${digits}${century} ${isBefore ? "BC" : "AD"} `)
    .replace(THOUSANDS, "")
    .replace(DECADES, "$1s")
    .replace(HIJRI, (_, first, last = first, only) => `${beginOfHijri(only ?? first)}-${beginOfHijri(only ?? last, 1)}`)
    .replace(NAMED_ORDINALS, (_, word: string) => `${numberOfOrdinal(word)}.`)
    .replace(SPANISH_CENTURIES, (_, word: string) => `${numberOfOrdinal(word) || word}. siècle`)
    .replace(ITALIAN_CENTURIES, (_, word: string) => `${12 + HUNDREDS.indexOf(word.toLowerCase())}00s`);
  const signed = SIGNED.exec(text)?.slice(1).filter(Boolean).map(Number);
  const years = signed ?? yearsWithEras(text);
  if (years.length === 0) return undefined;
  const [first, last] = [Math.min(...years), Math.max(...years)];
  const [dated = "", ...others] = text.match(DATED) ?? [];
  const isOne = first === last || others.length === 0;
  const isWhole = first === last || IS_INCLUDED.test(dated);
  const [isEarlier, isLater] = [IS_EARLIER, IS_LATER].map((each) => isOne && each.test(dated));
  const least = isLater && !isWhole ? last + 1 : first;
  const most = isEarlier && !isWhole ? first - 1 : last;
  const left = signed === undefined ? text.replace(DATED, "\0").replace(FROM_TO, " ") : "";
  return {
    first: isEarlier ? -Infinity : least,
    last: isLater ? Infinity : most,
    isAbout: IS_ABOUT.test(text.replace(IN_ERAS, " ").replace(CENTURIES, " ")),
    rest: left.replaceAll("\0", " ").replaceAll("\x01", "") + whole.slice(MAX_LENGTH),
  };
}

/** The year in which a year of the Hijra begins, or one so many later: 33 of its years are 32 of ours. */
function beginOfHijri(year: string, later = 0): number {
  return Math.floor(622.54 + 0.970224 * (Number(year) + later - 1));
}

/** The first and last years of all centuries, decades and years of a text, astronomical. */
function yearsWithEras(text: string): number[] {
  const eras = [...text.matchAll(ERAS)];
  const before = eras.findLast(([, isBefore]) => isBefore !== undefined)?.index ?? -1;
  // A text such as `450 BC` or `BC 450` has one era; `50 BC–AD 150` has both.
  const turn = eras.some(({ index }) => index > before) ? before : Infinity;
  const isBefore = (at: number): boolean => before !== -1 && at < turn;
  const counted = (at: number, ...years: number[]): number[] => (isBefore(at) ? years.map((year) => 1 - year) : years);
  const centuries = [...text.matchAll(CENTURIES)].flatMap(({ index, 1: digits, ...found }) => {
    const century = Number(digits ?? numberOf(found[2] ?? found[3] ?? found[4]!));
    const years = IS_MILLENNIUM.test(text.slice(index)) ? 1000 : 100;
    return century === 0 ? [] : counted(index, years * (century - 1) + 1, years * century);
  });
  const years = [...text.matchAll(YEARS)].flatMap(({ index, 1: digits, 2: decade, 3: end }) => {
    const year = Number(digits);
    const last = decade === undefined ? year : year + (year % 100 === 0 ? 99 : 9);
    if (end === undefined) return counted(index, year, last);
    const closing = Math.floor(year / 100) * 100 + Number(end);
    // `1660-65` ends in 1665, `480-79 BC` in 479 BC and `106-43 BC` in 43 BC.
    if (isBefore(index)) return counted(index, year, closing < year ? closing : Number(end));
    return [year, last, Math.max(year, closing)];
  });
  return [...centuries, ...years];
}

/**
 * Years as a text, in English.
 * @param first astronomical, as `last` is: 0 is 1 BC
 * @example
 * yearsText(-499, -400); // => "500–401 BC"
 */
export function yearsText(first: number, last: number, between = "–"): string {
  if (first === -Infinity) return `${yearsText(last, last)} or earlier`;
  if (last === Infinity) return `${yearsText(first, first)} or later`;
  const [begin, end] = [first, last].map((year) => String(year > 0 ? year : 1 - year));
  if (first <= 0 && last > 0) return `${begin} BC${between}AD ${end}`;
  return (first === last ? begin! : begin + between + end) + (last > 0 ? "" : " BC");
}

/**
 * A text that was searched for instead of the given one.
 * @example
 * meantText({ text: "portrait", years: [1501, 1600] }); // => "portrait 1501–1600"
 */
export function meantText({ text, years }: MeantText, inWords = yearsText): string {
  return years === undefined ? text : `${text} ${inWords(...years)}`.trim();
}

/** The lengths in years of the periods that records are counted by. */
export const SPANS = { century: 100, decade: 10 } as const;

/** The first year of the period that contains a year. Centuries are 200 to 101 BC, 100 to 1 BC, AD 1 to 99, AD 100 to 199. */
export function periodOf(year: number, span: number): number {
  return year > 0 ? Math.max(1, Math.floor(year / span) * span) : Math.floor((year - 1) / span) * span + 1;
}

/** The last year of the period that begins in a year. */
export function lastOfPeriod(first: number, span: number): number {
  return first === 1 ? span - 1 : first + span - 1;
}

/** The value of an ordinal in words. */
function numberOfOrdinal(word: string): number {
  const ordinal = word.toLowerCase().replace(/ieme$/, "ième").replaceAll(/\s/g, "-");
  return 1 + Math.max(...ORDINALS.map((words) => words.indexOf(ordinal)));
}

/** The value of a Roman number of `i`, `v` and `x`. */
function numberOf(roman: string): number {
  const values = [...roman.toLowerCase()].map((digit) => ROMAN[digit]!);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}
