import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { LIFE_DATES, lastOfPeriod, periodOf, SPANS, yearsIn, yearsText } from "../../src/search/years.js";
import { forAll, runsOf } from "../properties.js";

describe("the years of a text", () => {
  it.each([
    ["1761", 1761, 1761],
    ["1761-01-01T00:00:00Z", 1761, 1761],
    ["12.3.1761", 1761, 1761],
    ["c. 1621", 1621, 1621],
    ["between 1727 and 1737", 1727, 1737],
    ["1727-37", 1727, 1737],
    ["1727–1737", 1727, 1737],
    ["1880s", 1880, 1889],
    ["1900s", 1900, 1999],
    ["17th century", 1601, 1700],
    ["XVIe siècle", 1501, 1600],
    ["siglo XIX", 1801, 1900],
    ["16. Jahrhundert", 1501, 1600],
    ["14e eeuw", 1301, 1400],
    ["5th century BC", -499, -400],
    ["1960's", 1960, 1969],
    ["early 20th c", 1901, 2000],
    ["19th-20th century", 1801, 2000],
    ["late 18th–early 19th century", 1701, 1900],
    ["16th to 17th centuries", 1501, 1700],
    ["17e-18e eeuw", 1601, 1800],
    ["17de of 18de eeuw", 1601, 1800],
    ["20ste eeuw", 1901, 2000],
    ["16.-17. Jahrhundert", 1501, 1700],
    ["XVIIe-XVIIIe siècle", 1601, 1800],
    ["siglos XVI y XVII", 1501, 1700],
    ["siglo XV al XVII", 1401, 1700],
    ["siglo diecinueve", 1801, 1900],
    ["siglo 19", 1801, 1900],
    ["18 century", 1701, 1800],
    ["18 Jh.", 1701, 1800],
    ["diciannovesimo secolo", 1801, 1900],
    ["Seicento", 1600, 1699],
    ["A.H. 1250", 1834, 1835],
    ["1250 AH", 1834, 1835],
    ["AH 974/1566-67", 1566, 1567],
    ["A.H. 1250-1255", 1834, 1840],
    ["BAH 1250", 1250, 1250],
    ["AH 12, 1650", 1650, 1650],
    ["from the first to the third century", 1, 300],
    ["zwischen dem 1. und dem 3. Jahrhundert", 1, 300],
    ["du XVe au XVIe siècle", 1401, 1600],
    ["dal XV al XVI secolo", 1401, 1600],
    ["2nd half of the 19th century", 1801, 1900],
    ["5th c. BC", -499, -400],
    ["5th–4th century BC", -499, -300],
    ["450 BC", -449, -449],
    ["500-450 BCE", -499, -449],
    ["AD 775", 775, 775],
    ["450BC", -449, -449],
    ["450 av. J.-C.", -449, -449],
    ["450 a. C.", -449, -449],
    ["450 av. JC", -449, -449],
    ["450 avant Jésus-Christ", -449, -449],
    ["450 avanti Cristo", -449, -449],
    ["siglo V antes de Cristo", -499, -400],
    ["79 dopo Cristo", 79, 79],
    ["siglo V a.C.", -499, -400],
    ["B.C. 450", -449, -449],
    ["b. c. 1850", 1850, 1850],
    ["B.C. Hydro, 1980", 1980, 1980],
    ["Vancouver, B.C., 1920", 1920, 1920],
    ["Kispiox, B.C., 1909", 1909, 1909],
    ["Av. Juárez, 1850", 1850, 1850],
    ["1920, avant jazz", 1920, 1920],
    ["b. Chicago 1850", 1850, 1850],
    ["Ve siècle avant J.-C.", -499, -400],
    ["300 vor Christus", -299, -299],
    ["300001 BC", -300000, -300000],
    ["AD 79", 79, 79],
    ["ca1650", 1650, 1650],
    ["AD1066", 1066, 1066],
    ["AD 2nd century", 101, 200],
    ["AD 1st-3rd century", 1, 300],
    ["79 CE", 79, 79],
    ["9 n. Chr.", 9, 9],
    ["50 BC–AD 150", -49, 150],
    ["between 50 and 30 BC", -29, -29],
    ["27 BC - 14 AD", -26, 14],
    ["106–43 BC", -105, -42],
    ["480-79 BC", -479, -478],
    ["1st century BC to 2nd century AD", -99, 200],
    ["between 450 BC and 400 BC", -449, -399],
    ["-0449", -449, -449],
    [" -449 ", -449, -449],
    ["-0449-06-01T00:00:00Z", -449, -449],
    ["-0499-01/-0400-12", -499, -400],
    ["-0049/0150", -49, 150],
    ["1690 -1750", 1690, 1750],
    ["s. XIX", 1801, 1900],
    ["ss. XVI-XVII", 1501, 1700],
    ["XIXe s.", 1801, 1900],
    ["Ve s. av. J.-C.", -499, -400],
    ["3rd millennium BC", -2999, -2000],
    ["4th–3rd millennium BC", -3999, -2000],
    ["IIe millénaire av. J.-C.", -1999, -1000],
    ["19??", 1900, 1999],
    ["[18--?]", 1800, 1899],
    ["186-?", 1860, 1869],
    ["[186-]", 1860, 1869],
    ["186X", 1860, 1869],
    ["before 1500", -Infinity, 1500],
    ["before c. 450 BC", -Infinity, -449],
    ["pre-1900", -Infinity, 1900],
    ["vor dem 1.3.1650", -Infinity, 1650],
    ["before 1 January 1700", -Infinity, 1700],
    ["300 BC or earlier", -Infinity, -299],
    ["after 1900", 1900, Infinity],
    ["1850 or later", 1850, Infinity],
    ["before the 16th century", -Infinity, 1500],
    ["avant le XVIe siècle", -Infinity, 1500],
    ["until the 16th century", -Infinity, 1600],
    ["before the 5th century BC", -Infinity, -500],
    ["after the 1660s", 1670, Infinity],
    ["1660s and later", 1660, Infinity],
    ["16th century or earlier", -Infinity, 1600],
    ["after 1900 and before 1920", 1900, 1920],
    ["not before 1500", 1500, 1500],
    ["prior to c. 1600", -Infinity, 1600],
    ["earlier than the 1850s", -Infinity, 1849],
    ["no later than the 1850s", -Infinity, 1859],
    ["jusqu'au XVIe siècle", -Infinity, 1600],
    ["later than 1980", 1980, Infinity],
    ["not earlier than the 1850s", 1850, Infinity],
    ["1950s onwards", 1950, Infinity],
    ["the year 1889", 1889, 1889],
    ["after 5 pm, 1920", 1920, 1920],
    ["1650 bis 1660", 1650, 1660],
    ["XVII secolo", 1601, 1700],
    ["i secoli XV e XVI", 1401, 1600],
    ["XVII wiek", 1601, 1700],
    ["17-й век", 1601, 1700],
    ["XVII. század", 1601, 1700],
    ["17. yüzyıl", 1601, 1700],
    ["17世紀", 1601, 1700],
    ["1600-tallet", 1600, 1699],
    ["nineteenth century", 1801, 1900],
    ["Late Nineteenth-Century", 1801, 1900],
    ["late eighteenth or early nineteenth century", 1701, 1900],
    ["first half of the twenty-first century", 2001, 2100],
    ["third millennium BC", -2999, -2000],
    ["negentiende eeuw", 1801, 1900],
    ["im neunzehnten Jahrhundert", 1801, 1900],
    ["dix-neuvième siècle", 1801, 1900],
    ["deuxieme siècle", 101, 200],
    ["dix septième siècle", 1601, 1700],
    ["vingt et unième siècle", 2001, 2100],
    ["the twenty first century", 2001, 2100],
    ["2,000 BC", -1999, -1999],
    ["c. 2.500 v. Chr.", -2499, -2499],
    ["10,000–8,000 BC", -9999, -7999],
    ["1920er Jahre", 1920, 1929],
    ["١٨٣١", 1831, 1831],
    ["１８３１", 1831, 1831],
    ["3. Jh. v. u. Z.", -299, -200],
    ["450 v.d.Z.", -449, -449],
    ["450 vor unserer Zeitrechnung", -449, -449],
    ["79 n. u. Z.", 79, 79],
    ["1650 v. d. Zande", 1650, 1650],
    ["IIIe siècle avant notre ère", -299, -200],
    ["450 av. n. è.", -449, -449],
    ["79 de notre ère", 79, 79],
    ["3e eeuw voor onze jaartelling", -299, -200],
    ["450 v.o.j.", -449, -449],
    ["前450年", -449, -449],
    ["公元前450–前400年", -449, -399],
    ["紀元前3世紀", -299, -200],
    ["公元前2世纪—公元1世纪", -199, 100],
    ["西暦79年", 79, 79],
    ["公元后79年", 79, 79],
    ["前221－後220年", -220, 220],
    ["300 vóór Christus", -299, -299],
    ["ca. 300 v.C.", -299, -299],
    ["79 n.C.", 79, 79],
    ["1650 v. C. de Vos", 1650, 1650],
    ["1650 voor Christina", 1650, 1650],
    ["10 000 av. J.-C.", -9999, -9999],
    ["10\u202f000 à 8\u00a0500 av. J.-C.", -9999, -8499],
    ["no. 12 450 BC", -449, -449],
    ["années 1820", 1820, 1829],
    ["jaren 1820", 1820, 1829],
    ["années 1820-1825", 1820, 1825],
  ])("of %j are %i to %i", (text, first, last) => {
    expect(yearsIn(text)).toMatchObject({ first, last });
  });

  it.each([
    "",
    "undated",
    "44.5 cm",
    "5 cents",
    "I cannot",
    "1761.25",
    "12 Main Street",
    "nineteenth",
    "the second and the third",
    "2,000 years",
    "2008,3008.1",
    "la vie s'en va",
    "this is s",
    "Q5598",
    "NG1314",
    "目前450年",
    "前12枚",
  ])("are none in %j", (text) => {
    expect(yearsIn(text)).toBeUndefined();
  });

  it.each([
    ["photograph 1920s", "photograph"],
    ["portrait of a lady, early 16th century", "portrait of a lady,"],
    ["1st half of the 19th century", ""],
    ["maps, fin du XIXe siècle", "maps,"],
    ["vase 5th century B.C.", "vase"],
    ["vase 450 av. J.-C.", "vase"],
    ["vase 450 avant Jésus-Christ", "vase"],
    ["-0049/0150", ""],
    ["coin AD 79", "coin"],
    ["vase 5th c. BC", "vase"],
    ["vase 19th to 20th century", "vase"],
    ["lamp 50 BC–AD 150", "lamp"],
    ["Vermeer (c. 1660-65)", "Vermeer ( )"],
    ["paysage du XVIe siècle", "paysage du"],
    ["maps before about 1500", "maps"],
    ["pre-1900 maps", "maps"],
    ["maps up to 1500", "maps"],
    ["maps, anno 1642", "maps,"],
    ["cartes, année 1889", "cartes,"],
    ["maps, 1850 or later", "maps,"],
    ["after Rembrandt 1650", "after Rembrandt"],
    ["etching between 1650 and 1655", "etching"],
    ["maps from c. 1650 to 1655, Paris", "maps  , Paris"],
    ["maps, XVIe à XVIIe siècle", "maps,"],
    ["B.C. 450", ""],
    ["Vancouver, B.C., 1920", "Vancouver, B.C.,"],
    ["15/05/1990", ""],
    ["5 maart 1642", ""],
    ["letter, May 1st, 1990", "letter,"],
    ["Mary 1900", "Mary"],
    ["Vermeer d. 1675", "Vermeer"],
    ["drawing fl. c. 1650", "drawing"],
    ["2nd half 19th c. vase", "vase"],
    ["vase 2e helft van de 17e eeuw", "vase"],
    ["vases from the first to the third century", "vases"],
    ["entre le XVe et le XVIe siècle", ""],
    ["1885 or 1886 map", "map"],
    ["map between the 1650s and the 1660s", "map"],
    ["jug, early to mid-1800s", "jug,"],
    ["vase 3. Jh. v. u. Z.", "vase"],
    ["vase, IIIe siècle avant notre ère", "vase,"],
    ["壺 公元前450年", "壺"],
    ["mars 1820", ""],
    ["lettre, 1er mars 1820", "lettre,"],
    ["Brief, März 1820", "Brief,"],
    ["brief, maart 1820", "brief,"],
    ["letter, May 1820", "letter,"],
    ["from March 1820 to May 1821", ""],
    ["March-May 1956", ""],
    ["Plakat, März/April 1956", "Plakat,"],
    ["Karl May 1912", "Karl May"],
    ["Venus and Mars 1485", "Venus and Mars"],
    ["Augustus, 1706", "Augustus,"],
    ["3 meisjes 1890", "3 meisjes"],
    ["2 décors 1820", "2 décors"],
    ["12 décembre 1820", ""],
    ["Kopie 1650 nach Christoph Schwarz", "Kopie   nach Christoph Schwarz"],
    ["portrait 1650 de Christine de Suède", "portrait   de Christine de Suède"],
    ["Münze 300 nach Christi Geburt", "Münze"],
    ["Augustus 27 BC", "Augustus"],
    ["entre le 28 juillet 1914 et le 11 novembre 1918", ""],
    ["zwischen dem 28. Juli 1914 und dem 11. November 1918", ""],
    ["les années 1820", ""],
    ["dernier quart du XVIIIe siècle", ""],
    ["letztes Viertel des 18. Jahrhunderts", ""],
    ["laatste kwart 18e eeuw", ""],
    ["premier tiers du dix-neuvième siècle", ""],
  ])("leave of %j %j", (text, rest) => {
    expect(yearsIn(text)!.rest.trim()).toBe(rest);
  });

  it.each([
    ["Vermeer (1632-1675)", "Vermeer"],
    ["Vermeer, 1632-", "Vermeer,"],
    ["Cicero (106–43 BC)", "Cicero"],
    ["Cicero, c. 106 BC – 43 BC", "Cicero,"],
    ["Augustus (63 v. Chr.-14 n. Chr.)", "Augustus"],
    ["Auguste [63 av. J.-C. – 14 apr. J.-C.]", "Auguste"],
    ["Augustus (63 BC–AD 14)", "Augustus"],
    ["Trajan (AD 53-117)", "Trajan"],
    ["Apollo 12-14", "Apollo 12-14"],
  ])("of a life in %j are not in %j", (text, name) => {
    expect(text.replace(LIFE_DATES, " ").trim()).toBe(name);
  });

  it("are approximate by a word, and not by the letters of an era", () => {
    const isAbout = (text: string): boolean => yearsIn(text)!.isAbout;
    expect(["c. 450 B.C.", "ca 450 BC", "about 5th c. BC"].map(isAbout)).toEqual([true, true, true]);
    expect(["450 B.C.", "450 a. C.", "-0449", "5th c. BC", "450 av. J.-C.", "12 déc. 1820"].map(isAbout)).not.toContain(
      true,
    );
  });

  it.each([
    [1906, 1906, "1906"],
    [1501, 1600, "1501 to 1600"],
    [-700, -601, "701 to 602 BC"],
    [-99, 50, "100 BC to AD 50"],
    [0, 0, "1 BC"],
    [-Infinity, -299, "300 BC or earlier"],
    [1850, Infinity, "1850 or later"],
  ])("%i to %i are written as %s", (first, last, text) => {
    expect(yearsText(first, last, " to ")).toBe(text);
  });

  it("are each in one period, and periods follow each other without a gap", () => {
    const spans = fc.constantFrom(...Object.values(SPANS));
    forAll([fc.integer({ min: -3_000, max: 3_000 }), spans], runsOf(1_000), (year, span) => {
      const first = periodOf(year, span);
      const last = lastOfPeriod(first, span);
      expect([first <= year && year <= last, periodOf(last, span), periodOf(last + 1, span)]).toEqual([
        true,
        first,
        last + 1,
      ]);
    });
    expect([-100, -99, 0, 1, 99, 100, 1899].map((year) => periodOf(year, 100))).toEqual([
      -199, -99, -99, 1, 1, 100, 1800,
    ]);
  });

  it("begin before they end, whatever the text", () => {
    const words = [
      "1",
      "19",
      "192",
      "1920",
      "s",
      "th",
      " ",
      "   ",
      "c",
      "ca. ",
      "century",
      "xvi",
      "iiii",
      "e",
      "-",
      "/",
      ".",
      "b.c.",
      "siglo ",
      " y ",
      "ad ",
      "av. j.-c.",
      "?",
      "before ",
      " or later",
    ];
    const text = fc.array(fc.constantFrom(...words), { maxLength: 120 }).map((each) => each.join(""));
    forAll([text], runsOf(10_000), (whole) => {
      const { first, last, rest } = yearsIn(whole) ?? { first: 0, last: 0, rest: "" };
      expect(first <= last && rest.length <= whole.length).toBe(true);
    });
  });

  it("are looked for in parts of long words, since the patterns try words from each of their letters", () => {
    const long = "Dampfschiff".repeat(30);
    const exec = vi.spyOn(RegExp.prototype, "exec");
    const found = yearsIn(`–${long} 1850`);
    const [patterns, texts] = [exec.mock.contexts as RegExp[], exec.mock.calls.map(([text]) => text)];
    exec.mockRestore();
    const tried = texts.filter((_, at) => patterns[at]!.source.includes("\\p{L}*"));
    expect(tried).not.toEqual([]);
    expect(tried.filter((text) => /\p{L}{25}/u.test(text))).toEqual([]);
    expect(found).toMatchObject({ first: 1850, last: 1850, rest: expect.stringContaining(long) });
  });

  it("are soon found not to be in marks: a request for reconciliation asks for thousands of texts", () => {
    const texts = ["–", "–.", "/ "].map((marks) => marks.repeat(200));
    for (let at = 0; at < 1_000; at++) expect(texts.flatMap((text) => yearsIn(text) ?? [])).toEqual([]);
  });
});
