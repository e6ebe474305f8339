/** The scripts of docs/publish/prepare on files that are not as they expect: they end with a sentence, and write no document. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";

const SCRIPTS = "docs/publish/prepare";

const OBJECT_COLUMNS =
  "ObjectID,ObjectNumber,Classification,Title,Dated,DateBegin,DateEnd,Medium,Dimensions,CreditLine";

type Dates = { timeSpan: (id: string, words: string, from: string, to: string) => object };
const { timeSpan } = (await import(pathToFileURL(resolve(SCRIPTS, "dates.mjs")).href)) as Dates;

const folder = temporaryFolder();

function outcome(script: string, ...args: readonly string[]): Promise<{ status: unknown; out: string; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [`${SCRIPTS}/${script}`, ...args], (error, out, said) =>
      resolve({ status: error?.code ?? 0, out, said }),
    );
  });
}

function file(name: string, text: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function linesOf(text: string): unknown[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("a script of docs/publish/prepare", () => {
  it.each<[string, string, string | Buffer, RegExp, readonly string[]]>([
    [
      "tms.mjs",
      "semicolons.csv",
      "Number;Title, or name;Dated\n1;A;1634\n",
      /semicolons\.csv has no column ObjectID\. It has: Number \| Title, or name \| Dated \(fields end at ;\)/,
      [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`],
    ],
    [
      "tms.mjs",
      "columns.csv",
      "Number,Title\n1,A\n",
      /has no column ObjectID\. It has: Number \| Title \(fields end at ,\)/,
      [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`],
    ],
    [
      "tms.mjs",
      "empty.csv",
      `${OBJECT_COLUMNS}\n,,x,,,,,,,\n`,
      /a record of object has no number/,
      [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`],
    ],
    [
      "museumplus.mjs",
      "commas.csv",
      "Id,Titel\n1,A\n",
      /commas\.csv has no column Inventarnummer\. It has: Id \| Titel \(fields end at ,\)/,
      ["https://a.example/"],
    ],
    [
      "adlib.mjs",
      "nameless.json",
      '{"adlibJSON":{"recordList":{"record":[{"@attributes":{}}]}}}',
      /a record of object has no number/,
      [],
    ],
    [
      "tms.mjs",
      "twice.csv",
      "ObjectID,Title,Title\n1,A,B\n",
      /twice\.csv has two columns Title: rename or remove one/,
      [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`],
    ],
    [
      "tms.mjs",
      "cut-off.csv",
      "",
      /cut-off\.csv has no column: it is empty/,
      [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`],
    ],
    [
      "tms.mjs",
      "alone.csv",
      "ObjectID\n",
      /a file of the export is not named: the first line of the script lists them/,
      [],
    ],
    [
      "museumplus.mjs",
      "latin-1.csv",
      Buffer.from("Id;Titel\n1;Schüssel\n", "latin1"),
      /latin-1\.csv: The encoded data was not valid.*In Excel, save it as "CSV UTF-8"/,
      ["https://a.example/"],
    ],
    ["museumplus.mjs", "baseless.csv", "Id;Titel\n1;A\n", /the base URL, which ends in a slash/, []],
    ["museumplus.mjs", "slashless.csv", "Id;Titel\n1;A\n", /which ends in a slash/, ["https://a.example"]],
    [
      "tms.mjs",
      "unclosed.csv",
      'ObjectID,Title\n1,A\n2,"B\n3,C\n',
      /unclosed\.csv:3: the quotation marks of a field are not closed/,
      [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`],
    ],
    [
      "tms.mjs",
      "comma.csv",
      "\nObjectID,Title,Dated\n1,A,,\n2,Still life, with fruit,1634\n",
      /comma\.csv:4: the row has more fields than columns: write a field that has a , in quotation marks/,
      [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`],
    ],
    [
      "tms.mjs",
      "words.csv",
      `${OBJECT_COLUMNS}\n5,,,,c. 1790,late 18th c.,1800,,,\n`,
      /object\/5: late 18th c\. is no year: write one in digits, such as 1634/,
      [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`],
    ],
    [
      "tms.mjs",
      "makers.csv",
      `${OBJECT_COLUMNS}\n1001,,,,,,,,,\n`,
      /object 1001 has the constituent 7, which no row describes/,
      [
        file("nobody.csv", "ConstituentID,ConstituentType,DisplayName,BeginDate,EndDate\n"),
        `${SCRIPTS}/tms-conxrefs.csv`,
      ],
    ],
    ["adlib.mjs", "cut.json", '{"adlibJSON":', /cut\.json: Unexpected end of JSON/, []],
    ["adlib.mjs", "other.json", "{}", /other\.json has no adlibJSON: ask for output=json/, []],
    [
      "museumplus.mjs",
      "sign.csv",
      "Id;Inventarnummer;Titel;Datierung;Datierung von;Datierung bis;Beteiligte;Material/Technik\n1;A;A;;;;?;\n",
      /a record of person has no number/,
      ["https://a.example/"],
    ],
    ["adlib.mjs", "latin-1.json", Buffer.from('{"a": "ü"}', "latin1"), /latin-1\.json: The encoded data/, []],
  ])("%s names what %s lacks", async (script, name, text, words, more) => {
    const { status, out, said } = await outcome(script, file(name, text), ...more);
    expect([status, out, said]).toEqual([1, "", expect.stringMatching(words)]);
    expect(said.trim().split("\n")).toHaveLength(1);
  });

  it("keeps inches, names in any script and dates in words, leaves empty fields out, and writes years with four digits", async () => {
    const columns = "Id;Inventarnummer;Titel;Datierung;Datierung von;Datierung bis;Beteiligte;Material/Technik";
    const rows = [
      columns,
      '1;A 1;"Dish 12"" wide";;795;;Κώστας;6" x 4" tin',
      "2;A 2;Jug;;;;がか;",
      "3;A 3;Can;;;;かか;",
      "4;;;18. Jh.;;;;",
    ];
    const { status, out } = await outcome("museumplus.mjs", file("all.csv", rows.join("\n")), "https://a.example/");
    expect(status).toBe(0);
    for (const text of ['"Dish 12\\" wide"', '"6\\" x 4\\" tin"', '"0795-01-01T00:00:00Z"'])
      expect(out).toContain(text);
    expect(new Set(out.match(/person\/[^>]*/g))).toEqual(new Set(["person/κώστας", "person/がか", "person/かか"]));
    expect(out).not.toMatch(/""|Time-Span.*mp-2|T23:59:59Z.*mp-[123]|_:(name|number) .*mp-4/);
    expect(out).toMatch(/^_:words \S+ "18. Jh." <https:\/\/a\.example\/object\/mp-4> \.$/m);
  });

  it("names all problems of an export, at most 20", async () => {
    const rows = Array.from({ length: 25 }, (_, at) => `${at},,,,,NULL,1653-1654,,,\n`);
    const objects = file("bad-years.csv", `${OBJECT_COLUMNS}\n${rows.join("")}`);
    const more = [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`];
    const { status, out, said } = await outcome("tms.mjs", objects, ...more);
    const lines = said.trim().split("\n");
    expect([status, out, lines.length]).toEqual([1, "", 21]);
    expect(lines[0]).toMatch(/^object\/0: NULL is no year/);
    expect(lines[3]).toMatch(/^object\/1: 1653-1654 is no year/);
    expect(lines[20]).toBe("and 30 more problems");
  });

  it("reads fields that end at commas, semicolons or tabs", async () => {
    const people = "ConstituentID,ConstituentType,DisplayName,BeginDate,EndDate\n1,Individual,Jan,1840,1911\n";
    const outcomes = [",", ";", "\t"].map(async (separator) => {
      const name = `people-${separator.charCodeAt(0)}.csv`;
      const objects = file(`of-${name}`, `${OBJECT_COLUMNS.replaceAll(",", separator)}\r\n`);
      const [at, joins] = [file(name, people.replaceAll(",", separator)), `${SCRIPTS}/tms-conxrefs.csv`];
      return outcome("tms.mjs", objects, at, joins);
    });
    for (const { out } of await Promise.all(outcomes))
      expect(JSON.parse(out)).toMatchObject({ id: "person/1", _label: "Jan" });
  });

  it("says how often it left out which values of a table, and makes concepts of words that have none", async () => {
    const people = file(
      "roles.csv",
      "ConstituentID,ConstituentType,DisplayName,BeginDate,EndDate,Nationality\n1,Institution,Studio,1880,1911,Dutch\n",
    );
    const joins = file("roles-of.csv", "ObjectID,ConstituentID,Role\n1,1,Artist\n1,1,Donor\n2,1,Donor\n9,1,Artist\n");
    const rows = ["1,A1,Ceramics,Vase,,,,,,,12", "2,A2,Ceramics,Cup,,,,,,,", "3,A3,Paintings,Cat,,,,,,,"];
    const objects = file("kinds.csv", [`${OBJECT_COLUMNS},Height`, ...rows].join("\n"));
    const { status, out, said } = await outcome("tms.mjs", objects, people, joins);
    expect([status, said.trim().split("\n")]).toEqual([
      0,
      [
        "left out: constituents with the role Donor (2 times)",
        "a concept of its own, because CLASSIFICATIONS lacks it: Ceramics (2 times)",
        "left out: makers of objects that no row describes (once)",
        `left out: column Height of ${objects} (once)`,
        `left out: column Nationality of ${people} (once)`,
      ],
    ]);
    const [studio, vase, , cat, kind] = linesOf(out);
    expect(studio).toMatchObject({ id: "group/1", formed_by: { type: "Formation" } });
    expect(vase).toMatchObject({ classified_as: [{ id: "concept/ceramics", type: "Type", _label: "Ceramics" }] });
    expect(cat).toMatchObject({ classified_as: [{ _label: "paintings" }, { _label: "works of art" }] });
    expect(kind).toMatchObject({ id: "concept/ceramics", identified_by: [{ content: "Ceramics" }] });
  });

  it("takes all values of Adlib's fields that it knows, and counts the others", async () => {
    const record = {
      "@attributes": { priref: "1" },
      object_number: ["A 1", "OLD 7"],
      Title: [{ title: ["Harbour"] }, { title: ["Haven"], "title.language": ["nl"] }],
      Object_name: [{ object_name: ["schilderij"] }, { object_name: ["tekening"], "object_name.lref": ["9"] }],
      Production: [
        { creator: ["Voorbeeld, Anna"], "creator.lref": ["345"], "production.place": ["Delft"] },
        { creator: ["Tweede, Maker"], "creator.role": ["graveur"] },
      ],
      Production_date: [
        { "production.date.start.prec": ["circa"], "production.date.start": ["1881"] },
        { "production.date.start": ["1700"], "production.date.end": ["1710"] },
      ],
      Material: [{ material: ["glas"] }],
      Technique: [{ technique: ["ets"] }],
      Dimension: [
        { "dimension.type": ["diepte"], "dimension.value": ["1,5"], "dimension.unit": ["dm"] },
        { "dimension.type": ["hoogte"], "dimension.value": ["ca. 45"], "dimension.unit": ["cm"] },
      ],
      Description: [{ description: ["One."] }, { description: ["Two."] }],
      credit_line: ["Gift"],
      current_location: ["Depot 3"],
    };
    const page = file("full.json", JSON.stringify({ adlibJSON: { recordList: { record: [record] } } }));
    const { status, out, said } = await outcome("adlib.mjs", page);
    const [object, ...others] = linesOf(out);
    expect([status, object]).toMatchObject([
      0,
      {
        classified_as: [{ _label: "paintings" }, { id: "concept/tekening" }],
        identified_by: ["Harbour", "Haven", "A 1", "OLD 7"].map((content) => ({ content })),
        referred_to_by: ["One.", "Two.", "Gift", "hoogte ca. 45 cm"].map((content) => ({ content })),
        made_of: [{ id: "concept/material-glas", type: "Material" }],
        produced_by: {
          carried_out_by: [{ id: "person/345" }, { id: "person/tweede-maker" }],
          took_place_at: [{ id: "place/delft" }],
          technique: [{ id: "concept/ets" }],
          part: [
            { timespan: { identified_by: [{ content: "circa 1881" }], begin_of_the_begin: "1881-01-01T00:00:00Z" } },
            { timespan: { begin_of_the_begin: "1700-01-01T00:00:00Z", end_of_the_end: "1710-12-31T23:59:59Z" } },
          ],
        },
        dimension: [{ value: 1.5, classified_as: [{ id: "concept/diepte" }], unit: { type: "MeasurementUnit" } }],
      },
    ]);
    expect(others).toHaveLength(8);
    for (const left of ["Title/title.language", "Production/creator.role", "current_location"])
      expect(said).toContain(`left out: ${left} (once)`);
    expect(said).not.toContain("lref");
  });

  it("gives objects their images, and both their rights", async () => {
    const columns = `${OBJECT_COLUMNS},Rights,Image,ImageRights`;
    const rows = ["1,,,,,,,,,,CC0,https://i.example/a b.jpg,CC BY 4.0", "2,,,,,,,,,,Ask us,,CC0", "3,,,,,,,,,,,,"];
    const more = [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`];
    const joins = file("joins-of-none.csv", "ObjectID,ConstituentID,Role\n");
    const { out, said } = await outcome("tms.mjs", file("images.csv", [columns, ...rows].join("\n")), more[0]!, joins);
    const [, , one, two, three] = linesOf(out);
    const right = (id: string) => [{ type: "Right", classified_as: [{ id: `https://creativecommons.org/${id}` }] }];
    const shown = {
      format: "image/jpeg",
      access_point: [{ id: "https://i.example/a%20b.jpg", type: "DigitalObject" }],
    };
    expect(one).toMatchObject({
      subject_to: right("publicdomain/zero/1.0/"),
      representation: [{ digitally_shown_by: [{ ...shown, subject_to: right("licenses/by/4.0/") }] }],
    });
    expect(two).toMatchObject({ referred_to_by: [{ content: "Ask us" }] });
    expect(two).not.toHaveProperty("representation");
    expect(three).not.toHaveProperty("subject_to");
    expect(said).toContain("a statement, because RIGHTS lacks it: Ask us (once)\n");
    expect(said).toContain("left out: rights in images that have no address (once)\n");
    const wrong = file("wrong-image.csv", `${columns}\n1,,,,,,,,,,,a.jpg,\n`);
    expect((await outcome("tms.mjs", wrong, more[0]!, joins)).said).toMatch(
      /^object\/1: a\.jpg is no address of an image/,
    );
  });

  it("makes a person of each name that a semicolon ends", async () => {
    const columns = "Id;Inventarnummer;Titel;Datierung;Datierung von;Datierung bis;Beteiligte;Material/Technik";
    const list = file("two.csv", `${columns}\n1;A 1;Jug;;;;"Muster, G.; Meier, H.";\n`);
    const { out } = await outcome("museumplus.mjs", list, "https://a.example/");
    expect(new Set(out.match(/person\/[^>]*/g))).toEqual(new Set(["person/muster-g", "person/meier-h"]));
    expect(out.match(/P14_carried_out_by/g)).toHaveLength(2);
  });

  it("counts years before Christ as timestamps do, with a year 0", async () => {
    const columns = "Id;Inventarnummer;Titel;Datierung;Datierung von;Datierung bis;Beteiligte;Material/Technik";
    const rows = [columns, "1;A 1;Jug;500 v. Chr.;-500;-490;;", "2;A 2;Can;;-1;1;;"];
    const { out } = await outcome("museumplus.mjs", file("bc.csv", rows.join("\n")), "https://a.example/");
    expect(out.match(/"[-\d]+T/g)).toEqual(['"-0499-01-01T', '"-0489-12-31T', '"0000-01-01T', '"0001-12-31T']);
  });

  it.each([
    ["before 1900", undefined, "1899-12-31"],
    ["vóór 500 v. Chr.", undefined, "-0500-12-31"],
    ["na 1900", "1901-01-01", undefined],
    ["after 1 BC", "0001-01-01", undefined],
    ["1634", "1634-01-01", "1634-12-31"],
    ["1881–1883", "1881-01-01", "1883-12-31"],
    ["500-490 BC", "-0499-01-01", "-0489-12-31"],
    ["1880s", "1880-01-01", "1889-12-31"],
    ["19th century", "1801-01-01", "1900-12-31"],
    ["18. Jh.", "1701-01-01", "1800-12-31"],
    ["3e kwart 19e eeuw", "1851-01-01", "1875-12-31"],
    ["3rd quarter 19th century", "1851-01-01", "1875-12-31"],
    ["Last quarter of the 19th century", "1876-01-01", "1900-12-31"],
    ["eerste helft van de 17e eeuw", "1601-01-01", "1650-12-31"],
    ["2. Hälfte 18. Jahrhundert", "1751-01-01", "1800-12-31"],
    ["1re moitié du 19e siècle", "1801-01-01", "1850-12-31"],
    ["1st quarter 5th century BC", "-0499-01-01", "-0475-12-31"],
    ["5e eeuw v.Chr.", "-0499-01-01", "-0400-12-31"],
    ["c. 1634", undefined, undefined],
    ["1900s", undefined, undefined],
    ["late 19th century", undefined, undefined],
    ["5th quarter 19th century", undefined, undefined],
    ["early half 19th century", undefined, undefined],
    ["before 1900?", undefined, undefined],
    ["1655–60", undefined, undefined],
    ["1883-1881", undefined, undefined],
  ])("reads the date %s", (words, first, last) => {
    expect(timeSpan("object/1", words, "0", "")).toEqual({
      timespan: {
        type: "TimeSpan",
        identified_by: [{ type: "Name", content: words }],
        ...(first && { begin_of_the_begin: `${first}T00:00:00Z` }),
        ...(last && { end_of_the_end: `${last}T23:59:59Z` }),
      },
    });
  });

  it("takes days, years before words, and no date that ends before it begins", async () => {
    expect(timeSpan("object/1", "before 1900", "1653-05-12", "1653-06")).toMatchObject({
      timespan: { begin_of_the_begin: "1653-05-12T00:00:00Z", end_of_the_end: "1653-06-30T23:59:59Z" },
    });
    expect(timeSpan("object/1", "", "-500-02", "-500-02")).toMatchObject({
      timespan: { begin_of_the_begin: "-0499-02-01T00:00:00Z", end_of_the_end: "-0499-02-28T23:59:59Z" },
    });
    const objects = file("turned.csv", `${OBJECT_COLUMNS}\n1,,,,,1990,1880,,,\n2,,,,,1653-02-30,,,,\n`);
    const more = [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`];
    const { status, said } = await outcome("tms.mjs", objects, ...more);
    expect([status, said.trim().split("\n")]).toEqual([
      1,
      [
        "object/1: the date ends (1880) before it begins (1990)",
        expect.stringMatching(/^object\/2: 1653-02-30 is no year/),
      ],
    ]);
  });

  it("leaves out names and numbers that are empty, and keeps a date in words", async () => {
    const objects = file("few.csv", `${OBJECT_COLUMNS}\n1,,,,c. 1634,0,,,,\n`);
    const people = file(
      "unnamed.csv",
      "ConstituentID,ConstituentType,DisplayName,BeginDate,EndDate\n9,Individual,,0,0\n",
    );
    const { out } = await outcome(
      "tms.mjs",
      objects,
      people,
      file("joins.csv", "ObjectID,ConstituentID,Role\n1,9,Artist\n"),
    );
    const [person, object] = linesOf(out);
    expect(person).toMatchObject({ id: "person/9", identified_by: [] });
    expect(object).toMatchObject({
      identified_by: [],
      produced_by: {
        carried_out_by: [{ id: "person/9", type: "Person" }],
        timespan: { type: "TimeSpan", identified_by: [{ type: "Name", content: "c. 1634" }] },
      },
    });
    expect(out).not.toContain('""');
  });
});
