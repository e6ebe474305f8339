/** The years that a text gives: `1889`, `c. 1650-60`, `1920s`, `16th century`, `XVIe siècle`, `5th century BC`. */

/** Characters of a text in which years are looked for. */
const MAX_LENGTH = 400;

/** The years of a life beside a name. */
export const LIFE_DATES = /[([]?(?:c(?:a|irca)?\.?\s*)?\b\d{3,4}\s*[-–—/]\s*(?:\d{2,4}\b)?[)\]]?/g;

const NAMED_CENTURY = String.raw`(?:cent(?:ur(?:y|ies))?\b|jahrh\p{L}*|jh\b|eeuw\p{L}*|si[eè]cles?\b)`;
const CENTURY = String.raw`\b(\d{1,2})(?:st|nd|rd|th|\.|er?|[eè]me)[\s-]*(?:${NAMED_CENTURY}|c\b)|\b([ivx]+)(?:th|er?|[eè]me)?[\s-]*${NAMED_CENTURY}|\b(?:siglo|secolo|s[eé]culo)\s+([ivx]+)\b`;
const YEAR = String.raw`(?<!\d|(?:^|[^\d.])\d+[.,])(\d{3,4}|\d{1,4}(?=\s*(?:b\.?\s?c|v\.?\s?chr)))('?s\b)?(?:-\d\d-\d\d|\s*[-–—/]\s*(\d\d)(?!\d))?(?!\d|[.,]\d)`;
const ABOUT = String.raw`\b(?:c|ca|circa|about|around|approx|um|vers|omstreeks)\b`;
const BEFORE_CHRIST = String.raw`\bb\.?\s?c|\bv\.?\s?chr`;
const [CENTURIES, YEARS] = [CENTURY, YEAR].map((each) => new RegExp(each, "giu")) as [RegExp, RegExp];
const IS_ABOUT = new RegExp(ABOUT, "i");
const IS_BEFORE_CHRIST = new RegExp(BEFORE_CHRIST, "i");
/** Years with the words that belong to them. */
const DATED = new RegExp(`(?:${ABOUT}\\.?\\s*)?(?:${CENTURY}|${YEAR})(?:\\s*(?:${BEFORE_CHRIST})[.e]*)?`, "giu");

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10 };

interface YearsInText {
  readonly first: number;
  readonly last: number;
  readonly isAbout: boolean;
  /** The text without its years. */
  readonly rest: string;
}

/**
 * The years that a text gives in any usual form; `undefined` if it gives none.
 * @example
 * yearsIn("between 1727 and 1737"); // => { first: 1727, last: 1737, isAbout: false, rest: "between   and  " }
 */
export function yearsIn(whole: string): YearsInText | undefined {
  const text = whole.slice(0, MAX_LENGTH);
  const years = [...text.matchAll(CENTURIES)].flatMap(([, digits, ...roman]) => {
    const century = Number(digits ?? numberOf(roman.find((each) => each !== undefined)!));
    return century === 0 ? [] : [100 * century - 99, 100 * century];
  });
  for (const [, digits = "", decade, end] of text.matchAll(YEARS)) {
    const year = Number(digits);
    years.push(year);
    if (decade !== undefined) years.push(year + (year % 100 === 0 ? 99 : 9));
    const closing = Math.floor(year / 100) * 100 + Number(end);
    if (closing > year) years.push(closing);
  }
  if (years.length === 0) return undefined;
  const counted = IS_BEFORE_CHRIST.test(text) ? years.map((year) => 1 - year) : years;
  return {
    first: Math.min(...counted),
    last: Math.max(...counted),
    isAbout: IS_ABOUT.test(text),
    rest: text.replace(DATED, " ") + whole.slice(MAX_LENGTH),
  };
}

/**
 * Years as a text, in English.
 * @param first astronomical, as `last` is: 0 is 1 BC
 * @example
 * yearsText(-499, -400); // => "500–401 BC"
 */
export function yearsText(first: number, last: number, between = "–"): string {
  const [begin, end] = [first, last].map((year) => String(year > 0 ? year : 1 - year));
  if (first <= 0 && last > 0) return `${begin} BC${between}AD ${end}`;
  return (first === last ? begin! : begin + between + end) + (last > 0 ? "" : " BC");
}

/** The value of a Roman number of `i`, `v` and `x`. */
function numberOf(roman: string): number {
  const values = [...roman.toLowerCase()].map((digit) => ROMAN[digit]!);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}
