/** Report files in all their forms, and the tally of a run. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Parser } from "n3";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { SH, SHAPES } from "../../../src/model/rules/shapes.js";
import { Comparison, ReportFile } from "../../../src/validate/report/report.js";
import { Tally } from "../../../src/validate/report/tally.js";
import type { RecordResults, Result } from "../../../src/validate/results.js";
import { temporaryFolder } from "../../temporary-folder.js";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
});

const IRI = "https://museum.example/object/1";

const MISSING: Result = {
  severity: "Warning",
  path: "_label",
  focus: `<${IRI}>`,
  value: null,
  message: "_label is missing",
  rule: `${SHAPES}object._label.presence`,
  property: "http://www.w3.org/2000/01/rdf-schema#label",
  component: `${SH}MinCountConstraintComponent`,
};

const WRONG: Result = {
  severity: "Violation",
  path: "produced_by/timespan/begin_of_the_begin",
  focus: "_:b0",
  value: '"a \\"b\\", c"',
  message: 'must not be "a", or\nanything',
  rule: `${SHAPES}timespan.begin_of_the_begin.value`,
  property: "http://www.cidoc-crm.org/cidoc-crm/P82a_begin_of_the_begin",
  component: `${SH}PatternConstraintComponent`,
};

const LOST: Result = {
  ...MISSING,
  severity: "Violation",
  focus: null,
  rule: `${SHAPES}document.loss`,
  property: null,
  component: null,
};

/** What was found in a record of this number. */
const found = (number: number, results: readonly Result[]): RecordResults => ({
  ...{ iri: `https://museum.example/object/${number}`, endpoint: "object", label: "", identifiers: [] },
  ...{ source: `a.jsonl:${number}`, results },
});

/** What people know a changed or deleted record by. */
const TITLE = {
  iri: IRI,
  endpoint: "object",
  label: "Jug & bowl",
  identifiers: ["2026.1", "K 7"],
  differences: [],
} as const;

const RECORDS: readonly RecordResults[] = [
  { ...found(1, [MISSING, WRONG]), label: "=Vase, blue", identifiers: ["1", "-2"] },
  found(2, []),
  { ...found(3, [LOST]), iri: null, endpoint: null },
  found(4, [WRONG]),
];

function written(name: string, records = RECORDS): string {
  const path = join(folder, name);
  const report = new ReportFile(path);
  for (const record of records) report.add(record);
  report.end({ records: records.length, valid: 1, invalid: 3, warnings: 1 });
  return readFileSync(path, "utf8");
}

describe("a report", () => {
  it("as JSON has the summary and the records that have results", () => {
    const { summary, records } = JSON.parse(written("x.json"));
    expect(summary).toEqual({ records: 4, valid: 1, invalid: 3, warnings: 1 });
    expect(
      records.map(({ iri, endpoint, valid }: RecordResults & { valid: boolean }) => [iri, endpoint, valid]),
    ).toEqual([
      [IRI, "object", false],
      [null, null, false],
      ["https://museum.example/object/4", "object", false],
    ]);
    const { property: _property, component: _component, ...result } = WRONG;
    expect(records[0].results[1]).toEqual({ ...result, source: "a.jsonl:1" });
    expect(JSON.parse(written("none.json", []))).toMatchObject({ records: [] });
  });

  it("as JSON also has the broken rules, with their messages and counts", () => {
    const other = (message: string): Result => ({ ...WRONG, message });
    const results = ["write 1695-01-01T00:00:00Z", "write 1701-01-01T00:00:00Z", "there is no month 13"].map(other);
    const { rules } = JSON.parse(written("rules.json", [...RECORDS, { ...RECORDS[3]!, results }]));
    expect(rules.map(({ rule, records }: { rule: string; records: number }) => [rule, records])).toEqual([
      [WRONG.rule, 3],
      [LOST.rule, 1],
      [MISSING.rule, 1],
    ]);
    expect(rules[0]).toMatchObject({
      severity: "Violation",
      results: 5,
      // Messages that differ only in dates are counted together.
      messages: [
        { message: WRONG.message, results: 2 },
        { message: "write 1695-01-01T00:00:00Z", results: 2 },
        { message: "there is no month 13", results: 1 },
      ],
      first: { iri: IRI, source: "a.jsonl:1", path: WRONG.path },
    });
  });

  it("as Turtle is a SHACL validation report", () => {
    const quads = new Parser().parse(written("x.ttl"));
    const objects = (property: string): string[] =>
      quads.filter(({ predicate }) => predicate.value === SH + property).map(({ object }) => object.value);
    expect(objects("conforms")).toEqual(["false"]);
    expect(objects("result")).toHaveLength(4);
    expect(objects("resultSeverity").sort()).toEqual([...Array(3).fill(`${SH}Violation`), `${SH}Warning`]);
    expect(objects("resultMessage")).toContain(WRONG.message);
    expect(objects("sourceShape")).toContain(LOST.rule);
    expect(objects("sourceConstraintComponent")).toContain(WRONG.component);
    expect(objects("value")).toEqual(['a "b", c', 'a "b", c']);
    const focus = quads.filter(({ predicate }) => predicate.value === `${SH}focusNode`).map(({ object }) => object);
    const blanks = focus.filter(({ termType }) => termType === "BlankNode").map(({ value }) => value);
    // The same label in two records is two nodes, and a result without a known record has a blank node.
    expect(new Set(blanks).size).toBe(3);
    const conforming = new Parser().parse(written("none.ttl", []));
    expect(conforming.map(({ object }) => object.value)).toContain("true");
  });

  it.each(["https://museum.example/person/a b", "https://museum.example/1> ] . <urn:a> <urn:b> <urn:c> .", "_:a", ""])(
    "as Turtle has what is no IRI as a text: %j",
    (text) => {
      const results: Result[] = [
        { ...MISSING, focus: `<${text}>`, value: `<${text}>`, property: text },
        { ...MISSING, focus: null, value: `"a"^^<${text}>` },
        { ...MISSING, focus: "_:b0", value: `"a"@${text}` },
      ];
      const quads = new Parser().parse(written("x.ttl", [{ ...RECORDS[0]!, iri: text, results }]));
      const objects = (property: string): string[] =>
        quads.filter(({ predicate }) => predicate.value === property).map(({ object }) => object.value);
      // The focus twice, the first value, and the record three times.
      expect(objects("http://purl.org/dc/terms/identifier")).toEqual(Array(6).fill(text));
      expect(objects(`${SH}value`).slice(1)).toEqual(["a", "a"]);
      expect(objects(`${SH}resultPath`)).toHaveLength(2);
      expect(quads.map(({ predicate }) => predicate.value)).not.toContain("urn:b");
    },
  );

  it("as CSV has a row for each result, with label and identifiers, and no formulas", () => {
    const text = written("x.csv");
    expect(text.startsWith("\uFEFFrecord,label,identifiers,")).toBe(true);
    const rows = text.split("\r\n");
    expect(rows).toHaveLength(6);
    expect(rows[1]).toBe(
      `${IRI},"'=Vase, blue",1; -2,object,Warning,_label,_label is missing,,${MISSING.rule},${IRI},a.jsonl:1`,
    );
    expect(rows[2]).toContain('"must not be ""a"", or\nanything","a ""b"", c"');
  });

  it("as HTML is one page that runs and fetches nothing, whatever the data contain", () => {
    const hostile: RecordResults = {
      ...RECORDS[0]!,
      iri: "javascript:alert(1)",
      label: '</script><script>alert("label")</script>',
      identifiers: ['"><img src=x onerror=alert(2)>'],
      source: "a'b.jsonl:1",
      results: [{ ...WRONG, message: "<b>message</b>", value: '"<i>value</i>"', path: "a<b" }],
      changes: [{ path: "<u>", before: "<s>", after: null, rule: "class" }],
    };
    const page = written("x.html", [...RECORDS, hostile]);
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain("default-src 'none'");
    expect(page.match(/<script/g)).toHaveLength(1);
    for (const harmful of ["<img", "<b>m", "<i>v", "<u>", "<s>", 'href="javascript:'])
      expect(page).not.toContain(harmful);
    expect(page).toContain(`<a href="${IRI}"`);
    expect(page).toContain("timespan.begin_of_the_begin.value");
    expect(page).toContain("&lt;/script&gt;&lt;script&gt;alert(&quot;label&quot;)");
    const [, script] = /<script>([\s\S]*)<\/script>/.exec(page)!;
    const hash = createHash("sha256").update(script!).digest("base64");
    expect(page).toContain(`script-src 'sha256-${hash}'`);
  });

  it("as HTML says how many records it shows, and omits empty lists", () => {
    const clean = written("clean.html", []);
    expect(clean).toContain("<p>No rule is broken.</p>");
    expect(clean.match(/<h2>[^<]*/g)).toEqual(["<h2>Rules", "<h2>Records"]);
    const all = written("all.html");
    expect(all).not.toMatch(/No rule is broken|Only the first/);
    expect(all.match(/<article>/g)).toHaveLength(3);
    expect(all).toMatch(/<\/output><\/p>\s+<article>[\s\S]*<\/article>\s+<\/main>\s+<script>/);
    const many = written(
      "many.html",
      Array.from({ length: 5_001 }, () => RECORDS[3]!),
    );
    expect(many).toContain("<p>Only the first 5000 of 5001 records are on this page");
    expect(many.match(/<article>/g)).toHaveLength(5_000);
  });

  it.each(["json", "html"])("as %s has the parts that follow the records, and records that only change", (form) => {
    const path = join(folder, `further.${form}`);
    const report = new ReportFile(path);
    const changes = [{ path: "_label", before: "Vse", after: "Vase", rule: "spelling" }];
    report.add({ ...RECORDS[1]!, changes });
    for (const number of [1, 2])
      report.addFurther("deletion", { ...TITLE, kind: "delete", iri: `https://museum.example/gone/${number}` });
    report.addFurther("identity", { iri: IRI, problem: "comes back as a blank node" });
    report.addFurther("difference", {
      ...TITLE,
      kind: "update",
      differences: [{ property: "_label", before: ["Vse"], after: ["Vase"] }],
    });
    report.end({ records: 1, valid: 1, invalid: 0, warnings: 0 });
    const text = readFileSync(path, "utf8");
    const said = ["object/2", "gone/1", "gone/2", "comes back as a blank node", "spelling", "Vse"];
    for (const each of said) expect(text).toContain(each);
    if (form === "json") {
      const { records } = JSON.parse(text);
      expect(records).toMatchObject([{ iri: "https://museum.example/object/2", changes }]);
    } else {
      expect(text.match(/<h2>[^<]*/g)).toEqual([
        "<h2>Rules",
        "<h2>Records",
        "<h2>Records that the input lacks",
        "<h2>IRIs that come back as something else",
        "<h2>Changes",
      ]);
    }
  });

  it.each(["csv", "html", "json", "ttl"])("as %s has everything in its place", async (form) => {
    const path = join(folder, `x.${form}`);
    const report = new ReportFile(path);
    const changes = [{ path: "_label", before: "Vse", after: null, rule: "spelling" }];
    const long = { ...WRONG, path: "", value: `"${"x".repeat(600)}"`, message: "another" };
    const records: readonly RecordResults[] = [
      ...RECORDS,
      { ...RECORDS[0]!, isKept: true, changes, mendable: { rules: [MISSING.rule], isWhole: true } },
      { ...RECORDS[2]!, results: [long, { ...LOST, value: `<${IRI}>` }], mendable: { rules: [], isWhole: false } },
      { ...RECORDS[1]!, changes: [...changes, ...changes] },
    ];
    for (const record of records) report.add(record);
    for (const number of [1, 2])
      report.addFurther("deletion", { ...TITLE, kind: "delete", iri: `https://museum.example/gone/${number}` });
    for (const problem of ["is a blank node", "is <another>"]) report.addFurther("identity", { iri: IRI, problem });
    const differences = [
      { property: "_label", before: ["Vse"], after: ["Vase"] },
      { property: "made_of", before: null, after: [{ id: "urn:clay" }] },
    ];
    report.addFurther("difference", { ...TITLE, kind: "create" });
    report.addFurther("difference", { ...TITLE, kind: "update", differences });
    report.addFurther("difference", { ...TITLE, kind: "delete" });
    report.end({ records: 12_345, valid: 1 });
    // The style, the script and their hashes are long, and another test covers them.
    const text = readFileSync(path, "utf8").replace(
      /(<style>|<script>|content=")[\s\S]*?(<\/style>|<\/script>|">)/g,
      "$1...$2",
    );
    await expect(text).toMatchFileSnapshot(`snapshots/report.${form}.txt`);
  });

  it("can be compared with a later run, by rule and record", () => {
    const comparison = new Comparison(written("x.json"));
    comparison.add({ ...RECORDS[0]!, results: [WRONG] });
    comparison.add({ ...RECORDS[1]!, results: [WRONG] });
    expect(comparison.rules.map((rule) => [rule.slice(SHAPES.length), comparison.of(rule)])).toEqual([
      ["document.loss", { appeared: 0, gone: 1, still: 0 }],
      ["object._label.presence", { appeared: 0, gone: 1, still: 0 }],
      ["timespan.begin_of_the_begin.value", { appeared: 1, gone: 1, still: 1 }],
    ]);
    for (const other of [
      "[]",
      "{",
      "null",
      '{"records": {}}',
      '{"records": [{"results": []}, {}]}',
      '{"records": [null]}',
    ])
      expect(() => new Comparison(other)).toThrow("is not a .json report written by validate or load");
    expect(comparison.of("urn:another")).toEqual({ appeared: 0, gone: 0, still: 0 });
  });

  it("knows records without an IRI by their lines in a copy under another name, if all were in one file", () => {
    const nameless = (source: string) => ({ ...RECORDS[0]!, iri: null, source, results: [WRONG] });
    const compared = (earlier: readonly string[], ...later: readonly string[]) => {
      const comparison = new Comparison(written("earlier.json", earlier.map(nameless)));
      for (const source of later) comparison.add(nameless(source));
      return comparison.of(WRONG.rule);
    };
    expect(compared(["a.jsonl:1", "a.jsonl:2"], "b:c.jsonl:2")).toEqual({ appeared: 0, gone: 1, still: 1 });
    expect(compared(["a.jsonl:1", "b.jsonl:1"], "b.jsonl:1")).toEqual({ appeared: 0, gone: 1, still: 1 });
  });

  it("gets its name only when it is complete", () => {
    const path = join(folder, "x.json");
    const report = new ReportFile(path);
    report.add(RECORDS[0]!);
    expect(existsSync(path)).toBe(false);
    report.abandon();
    expect(readdirSync(folder)).toEqual([]);
    const lost = new ReportFile(path);
    rmSync(`${path}.partial`);
    expect(() => lost.abandon()).not.toThrow();
  });

  it.each(["json", "html", "csv", "ttl"])("as %s is written into a named pipe, too", (form) => {
    const path = join(folder, `pipe.${form}`);
    execFileSync("mkfifo", [path]);
    // Opened for both, a pipe keeps no end waiting for the other.
    const pipe = openSync(path, constants.O_RDWR);
    onTestFinished(() => closeSync(pipe));
    const report = new ReportFile(path);
    const summary = { records: 0, valid: 0, invalid: 0, warnings: 0 };
    report.end(summary);
    const other = new ReportFile(join(folder, `file.${form}`));
    other.end(summary);
    const written = readFileSync(join(folder, `file.${form}`));
    const read = Buffer.alloc(written.length);
    readSync(pipe, read);
    expect(read.toString()).toBe(written.toString());
  });

  it.each(["csv", "ttl"])(
    "as %s takes values of any length; as csv it cuts what is too long for a spreadsheet",
    (form) => {
      const long = `${"x".repeat(16_000_000)}\\\\`;
      const text = written(`x.${form}`, [found(1, [{ ...WRONG, value: `"${long}"@en` }])]);
      expect(text.includes(form === "csv" ? `,${"x".repeat(32_000)}…,` : `sh:value "${long}"@en ;`)).toBe(true);
    },
  );

  it("longer than one write is complete", () => {
    const many = Array.from({ length: 3000 }, () => RECORDS[0]!);
    expect(JSON.parse(written("x.json", many)).records).toHaveLength(3000);
  });

  it.each([
    ["report", "a report's name must end in .json, .html, .ttl, .csv"],
    ["report.xml", "a report's name must end in .json, .html, .ttl, .csv"],
    ["no/such/folder/report.json", "cannot be written: ENOENT"],
  ])("cannot be named %s", (name, problem) => {
    const path = join(folder, name);
    const refused = expect.objectContaining({
      name: "RefusalError",
      message: expect.stringContaining(`${path}: ${problem}`),
    });
    expect(() => new ReportFile(path)).toThrow(refused);
  });
});

describe("a tally", () => {
  it("counts records, warnings and rules, the worst first", () => {
    const tally = new Tally();
    for (const record of RECORDS) tally.add(record);
    expect(tally.summary).toEqual({ records: 4, valid: 1, invalid: 3, warnings: 1 });
    expect(tally.rules().map(({ example, records, results }) => [example.rule, records, results])).toEqual([
      [WRONG.rule, 2, 2],
      [LOST.rule, 1, 1],
      [MISSING.rule, 1, 1],
    ]);
    expect(tally.rules()[0]!.record.source).toBe("a.jsonl:1");
  });

  it("counts repairs, and what they would make valid", () => {
    const tally = new Tally();
    const broken = RECORDS[3]!;
    const change = { path: "a", before: 1, after: 2, rule: "spelling" };
    tally.add({ ...broken, mendable: { rules: [WRONG.rule], isWhole: true } });
    tally.add({ ...broken, mendable: { rules: [], isWhole: false, asked: ["b", "a"] } });
    tally.add({ ...broken, mendable: { rules: [], isWhole: false, asked: ["c"] }, changes: [] });
    tally.add({ ...RECORDS[1]!, changes: [change, change, { ...change, rule: "class" }] });
    expect(tally.summary).toEqual({
      records: 4,
      valid: 1,
      invalid: 3,
      warnings: 0,
      mendable: 1,
      mended: 1,
      changes: 3,
    });
    expect(tally.rules()[0]).toMatchObject({ records: 3, mendable: 1 });
    expect([...tally.changesByRule]).toEqual([
      ["spelling", 2],
      ["class", 1],
    ]);
    expect(tally.mendableIfAsked).toEqual({ records: 2, rules: ["a", "b", "c"] });
  });

  it("counts messages regardless of numbers and values, the most frequent first, and at most 200 kinds", () => {
    const tally = new Tally();
    const saying = (message: string): Result => ({ ...WRONG, message });
    const words = Array.from({ length: 203 }, (_, at) => String.fromCodePoint(0x4e00 + at));
    tally.add({ ...RECORDS[3]!, results: words.map(saying) });
    tally.add({ ...RECORDS[3]!, results: ["of 12", "of 345", 'x: "a"', 'x: "b\n"'].map(saying) });
    const [{ messages, results, records }] = tally.rules() as [ReturnType<Tally["rules"]>[number]];
    expect([results, records, messages.length]).toEqual([207, 2, 201]);
    expect(messages.slice(0, 2)).toEqual([
      { message: "other messages", results: 7 },
      { message: words[0], results: 1 },
    ]);
    const few = new Tally();
    few.add({ ...RECORDS[3]!, results: ["y", "of 12", "of 345", 'x: "a"', 'x: "b\n"', 'x: "c"'].map(saying) });
    expect(few.rules()[0]!.messages).toEqual([
      { message: 'x: "a"', results: 3 },
      { message: "of 12", results: 2 },
      { message: "y", results: 1 },
    ]);
  });
});
