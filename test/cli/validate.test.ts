/** `vitrine validate`, and what validation does to loading. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Parser } from "n3";
import { describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { classIri, propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { RDF, RDFS_LABEL } from "../../src/rdf/terms.js";
import { DATED, type Document, painting } from "./feeds.js";
import { inFile } from "./in-file.js";
import { run } from "./run.js";
import { workspaceForEach } from "./workspace.js";

const CONTEXT = DEFAULT_MODEL.contextUri;
const BASE = "https://museum.example/";

const { path, file, feed, vitrine, json } = workspaceForEach();

const validate = (...args: readonly string[]) => run(["validate", ...args]);

/** A record without anything to find. */
function sound(name: string, more: Document = {}): Document {
  const identified_by = [
    { type: "Name", content: name },
    { type: "Identifier", content: `inv. ${name}` },
  ];
  return painting(`${BASE}object/${name}`, name, { identified_by, ...more });
}

const SHAPE = "<urn:s> <http://www.w3.org/ns/shacl#targetNode> <urn:x> .\n";

describe("validate", () => {
  it("names the files of a folder that are no input, but for hidden ones", async () => {
    for (const name of ["list.csv", "README.md", ".DS_Store", "._objects.jsonl"]) file(name, "x");
    feed("objects.jsonl", sound("a"));
    execFileSync("mkfifo", [path("pipe.jsonl")]);
    const { status, stderr } = await validate(path());
    const named = ["README.md", "list.csv", "pipe.jsonl"].map((name) => path(name)).join(", ");
    expect([status, stderr.split("\n")[0]]).toEqual([
      0,
      `3 files left out, of no known format or not regular: ${named}`,
    ]);
  });

  it("names the values where there may be one only, which a document may give in several places", async () => {
    const by = (label: string) => [{ id: `${BASE}person/1`, type: "Person", _label: label }];
    const twice = (name: string) =>
      sound(name, { current_owner: by(`J. ${name}`), current_custodian: by(`Jan ${name}`) });
    const { stdout } = await validate(feed("labels.jsonl", twice("Steen"), twice("Luyken")));
    const problem = "_label has more than one value, but a reference may have only one";
    expect(stdout).toContain(`object/Luyken> at current_owner[0]/_label: ${problem}: "J. Luyken", "Jan Luyken" (ref`);
    expect(stdout).toMatch(/Violation +2 {2}reference\._label\.count\n[^\n]*"J\. Steen", "Jan Steen"\n +first/);
  });

  it("names classes where there may be one only, and no blank nodes", async () => {
    const made = { type: "Production" };
    const one = sound("a", { produced_by: [made, made], destroyed_by: { type: ["Destruction", "Period"] } });
    const { stdout } = await validate(feed("classes.jsonl", one));
    expect(stdout).toContain("produced_by has more than one value, but a Physical Object may have only one (object.");
    expect(stdout).toContain('an activity structure may have only one: "Destruction", "Period" (activity.type.count)');
  });

  it("tells of labels too many once, where a record refers to itself", async () => {
    const again = [{ id: `${BASE}object/a`, type: "HumanMadeObject", _label: "Another" }];
    const { stdout } = await validate(feed("self.jsonl", sound("a", { part_of: again })));
    expect(stdout.match(/: _label has more than one value/g)).toHaveLength(1);
  });

  it("says how many ids come in several inputs, as a load does", async () => {
    const inputs = [feed("a.jsonl", sound("a"), sound("b")), feed("b.jsonl", sound("b"), sound("a"), sound("c"))];
    const line =
      "2 records came more than once: the last of each that is not refused counts; of quads and documents, the quads";
    for (const command of [["validate"], ["load", "--store", path("store")]])
      expect((await run([...command, ...inputs])).stderr).toContain(line);
    expect((await validate(inputs[0]!)).stderr).not.toContain("more than once");
  });

  it("says how many records several inputs of quads describe, and not only refer to, as a load does", async () => {
    const triples = (name: string, graph = "") =>
      `<${BASE}${name}> <${RDF.type}> <${classIri("HumanMadeObject")}> ${graph} .\n` +
      `<${BASE}${name}> <${propertyIri("identified_by")}> _:n ${graph} .\n_:n <${RDF.type}> <${classIri("Name")}> ${graph} .\n`;
    const reference = `<${BASE}b> <${RDFS_LABEL}> "b" ; <${propertyIri("equivalent")}> <urn:b> .\n`;
    const contents = [triples("a", `<${BASE}a>`), triples("c") + reference, triples("b") + reference];
    const inputs = ["1.nq", "2.nq", "3.ttl", "4.ttl"].map((name, at) => file(name, contents[Math.max(0, at - 1)]!));
    const line = `1 record came in several inputs of quads, such as <${BASE}a>: their triples are merged`;
    for (const command of [["validate"], ["load", "--store", path("store"), "--on-invalid", "accept"]])
      expect((await run([...command, ...inputs])).stderr).toContain(line);
    expect((await validate(...inputs.slice(1))).stderr).not.toContain("several inputs");
  });

  it("tells an id that is no text from one that is missing", async () => {
    const documents = [sound("a", { id: 5 }), sound("b", { id: undefined })].map((each) => JSON.stringify(each));
    const { stdout } = await validate(file("ids.jsonl", [...documents, '{"id":12345678901234567891}'].join("\n")));
    expect(stdout).toContain("ids.jsonl:1: invalid record: id is 5, not a text: give the HTTP(S) URI of the entity");
    expect(stdout).toContain("ids.jsonl:2: invalid record: id is missing: give the HTTP(S) URI of the entity");
    expect(stdout).toContain("ids.jsonl:3: invalid record: id is 12345678901234567000, not a text: give the");
  });

  it("says which record breaks which rule, where, and what would be right", async () => {
    const input = feed("objects.jsonl", sound("a"), sound("b", DATED), sound("c", { _label: undefined }));
    const { status, stdout, stderr } = await validate(input);
    expect(status).toBe(1);
    expect(stdout).toContain(
      `${input}:2: invalid <${BASE}object/b> at produced_by/timespan/begin_of_the_begin: begin_of_the_begin must be a UTC ` +
        "timestamp in the form YYYY-MM-DDThh:mm:ssZ: write 1889-01-01T00:00:00Z; " +
        'found "1889"^^<http://www.w3.org/2001/XMLSchema#dateTime> (timespan.begin_of_the_begin.value)',
    );
    expect(stdout).toMatch(
      /Violation +1 +1 {2}timespan\.begin_of_the_begin\.value\n[\s\S]*Warning +1 +- {2}object\._label\.presence/,
    );
    expect(stderr).toBe("3 records: 2 valid, 1 invalid; 1 warning\n");
  });

  it("says of each value what is wrong with it, where it stands, once, and what was probably meant", async () => {
    const timespan = { type: "TimeSpan", begin_of_the_begin: "1937-13-11T00:00:00Z", end_of_the_end: "1695" };
    const names = [null, { type: "Name", content: "right" }, { type: "Identifer", content: 12 }];
    const input = feed(
      "wrong.jsonl",
      sound("a", { identified_by: names, produced_by: { type: "Production", timespan } }),
      sound("b", { _label: undefined, labell: "b", identified_by: [{ type: "Name", content: 12 }] }),
      sound("c", { id: undefined, identified_by: [{ type: "Name", content: 12 }] }),
      sound("d", { type: "Plaec", part_of: [{ id: `${BASE}place/x`, type: "Place", _label: "x" }] }),
      sound("e", { type: undefined, part_of: [{ id: `${BASE}place/x`, type: "Place", _label: "x" }] }),
      sound("f", { type: "Group", part_of: [{ id: `${BASE}group/x`, type: "Group", _label: "x" }] }),
    );
    const { stdout } = await validate(input, "--severity", "*.presence=off");
    const told = stdout
      .split("\n")
      .filter((line) => line.startsWith(input))
      .map((line) => line.slice(input.length + 1).replace(/^(\d+): invalid (?:record|<[^>]*>)/, "$1"));
    const timestamp = "must be a UTC timestamp in the form YYYY-MM-DDThh:mm:ssZ";
    const text = "must be one plain string: no object, number, language tag or other datatype";
    const xsd = "http://www.w3.org/2001/XMLSchema#";
    expect(told).toEqual([
      '1 at identified_by[2]/type: type "Identifer" is a class that no context defines: did you mean Identifier? (document.loss)',
      `1 at identified_by[2]/content: content ${text}: write "12"; found "12"^^<${xsd}integer> (name.content.value)`,
      `1 at produced_by/timespan/begin_of_the_begin: begin_of_the_begin ${timestamp}: there is no month 13: day and month swapped? Then write 1937-11-13T00:00:00Z; found "1937-13-11T00:00:00Z"^^<${xsd}dateTime> (timespan.begin_of_the_begin.value)`,
      `1 at produced_by/timespan/end_of_the_end: end_of_the_end ${timestamp}: write 1695-12-31T23:59:59Z; found "1695"^^<${xsd}dateTime> (timespan.end_of_the_end.value)`,
      "2: labell is a key that no context defines, and its value would be lost: did you mean _label? (document.loss)",
      `2 at identified_by[0]/content: content ${text}: write "12"; found "12"^^<${xsd}integer> (name.content.value)`,
      "3: id is missing: give the HTTP(S) URI of the entity (document.id)",
      `3 at identified_by[0]/content: content ${text}: write "12"; found "12"^^<${xsd}integer> (name.content.value)`,
      '4: type "Plaec" is a class that no context defines: did you mean Place? (document.loss)',
      "5: type is missing; without it part_of and similar keys have no meaning (document.loss)",
      "6: part_of is not a property of Group: its value would be lost (document.loss)",
    ]);
    // What a rule's results say is counted by what they say.
    expect(stdout).toMatch(/Violation +5 +- {2}document\.loss\n(?: +1 x .*\n){5}/);
  });

  it("has nothing to say of the sample, its context included, and ends with 0", async () => {
    const { status, stdout, stderr } = await validate(
      "data/records",
      "data/context.json",
      "--base-url",
      "http://localhost:3000",
    );
    expect([status, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/^([\d,]+) records: \1 valid, 0 invalid; 0 warnings\n$/m);
  });

  it("finds the same in quads, with the line where the record begins", async () => {
    await vitrine("load", feed("objects.jsonl", sound("a"), sound("b", DATED)), "--on-invalid", "accept");
    const quads = path("objects.nq");
    await vitrine("export", "--output", quads);
    const { status, stdout } = await validate(quads);
    const line = readFileSync(quads, "utf8")
      .split("\n")
      .findIndex((text) => text.includes("object/b> ."));
    expect([status, stdout.startsWith(`${quads}:${line + 1}: invalid <${BASE}object/b>`)]).toEqual([1, true]);
  });

  it("writes reports and the targets that other SHACL tools need", async () => {
    const input = feed("objects.jsonl", sound("a"), sound("b", DATED), {
      "@context": CONTEXT,
      id: `${BASE}x`,
      _label: "x",
    });
    const [json, turtle, csv, targets] = ["r.json", "r.ttl", "r.csv", "t.ttl"].map((name) => path(name));
    const { stdout } = await validate(input, "--json", "--report", json!, "--targets", targets!);
    const { summary, records } = JSON.parse(readFileSync(json!, "utf8"));
    expect(summary).toEqual({ records: 3, valid: 1, invalid: 2, warnings: 0, mendable: 1 });
    expect(JSON.parse(stdout)).toEqual(summary);
    expect(records[0].results[0]).toMatchObject({
      severity: "Violation",
      path: "produced_by/timespan/begin_of_the_begin",
      rule: "urn:vitrine:shape:timespan.begin_of_the_begin.value",
      source: `${input}:2`,
    });
    const written = new Parser().parse(readFileSync(targets!, "utf8"));
    expect(written.map(({ subject, object }) => [subject.value.split(":").at(-1), object.value])).toEqual([
      ["object", `${BASE}object/a`],
      ["object", `${BASE}object/b`],
      ["record", `${BASE}x`],
    ]);
    await validate(feed("bad.jsonl", { ...sound("a"), id: `${BASE}a b` }), "--targets", targets!);
    expect(readFileSync(targets!, "utf8")).toBe("");
    await validate(input, "--report", turtle!);
    expect(new Parser().parse(readFileSync(turtle!, "utf8")).length).toBeGreaterThan(10);
    await validate(input, "--report", csv!);
    expect(readFileSync(csv!, "utf8")).toContain(`${BASE}object/b,b,inv. b,object,Violation,produced_by/timespan/`);
  });

  it("follows an institution's decisions, one by one and in a file", async () => {
    const input = feed("objects.jsonl", sound("a", { _label: undefined }), sound("b", DATED));
    const decisions = file("decisions.txt", "# ours\ntimespan.*=warning\n");
    const decided = await validate(input, "--severity", `@${decisions}`, "--severity", "*._label.presence=off");
    expect([decided.status, decided.stderr]).toEqual([0, "2 records: 2 valid, 0 invalid; 1 warning\n"]);
    const strict = await validate(input, "--severity", "object._label.presence=violation");
    expect([strict.status, strict.stderr]).toEqual([1, "2 records: 0 valid, 2 invalid; 0 warnings\n"]);
  });

  it("validates by an institution's own shapes as well, as the documentation shows it", async () => {
    const [, shapes] = /```turtle file=our-shapes\.ttl\n([\s\S]*?)```/.exec(
      readFileSync("docs/publish/validation.md", "utf8"),
    )!;
    const ours = file("our-shapes.ttl", shapes!);
    const unnumbered = { ...sound("b"), identified_by: [{ type: "Name", content: "b" }] };
    const input = feed("objects.jsonl", sound("a"), unnumbered);
    const { status, stdout } = await validate(input, "--shapes", ours);
    expect(status).toBe(1);
    expect(stdout).toContain(
      `${input}:2: invalid <${BASE}object/b>: an object needs an inventory number (https://museum.example/shapes#Object.identified_by)`,
    );
    const timespan = {
      type: "TimeSpan",
      begin_of_the_begin: "1900-01-01T00:00:00Z",
      end_of_the_end: "1850-12-31T23:59:59Z",
    };
    const reversed = feed("reversed.jsonl", sound("c", { produced_by: { type: "Production", timespan } }));
    expect((await validate(reversed, "--shapes", ours)).stdout).toContain("the date ends before it begins");
    const loaded = await vitrine("load", input, "--shapes", ours, "--json");
    expect(JSON.parse(loaded.stdout)).toMatchObject({ created: 1, refused: 1 });
    const decided = await validate(input, "--shapes", ours, "--severity", "*#Object.*=warning");
    expect(decided.status).toBe(0);
  });

  it("leaves warnings out of reports that are not to have them", async () => {
    const input = feed("objects.jsonl", sound("a", DATED), sound("b", { _label: undefined }));
    const names = ["all.json", "violations.json"].map((name) => path(name));
    await validate(input, "--report", names[0]!);
    const { stdout } = await validate(input, "--report", names[1]!, ...inFile({ "report-severity": "violation" }));
    const severities = names.map((name) => {
      const { records } = JSON.parse(readFileSync(name, "utf8")) as { records: { results: { severity: string }[] }[] };
      return records.flatMap(({ results }) => results.map(({ severity }) => severity));
    });
    expect(severities).toEqual([["Violation", "Warning"], ["Violation"]]);
    expect(stdout).toContain("object._label.presence");
    expect((await validate(input, ...inFile({ "report-severity": "none" }))).status).toBe(2);
  });

  it("compares with an earlier report", async () => {
    const report = path("last.json");
    await validate(feed("before.jsonl", sound("a", DATED), sound("b", DATED)), "--report", report);
    const now = feed("now.jsonl", sound("b", DATED), sound("c", DATED), sound("d", { _label: undefined }));
    const { stdout } = await validate(now, "--since", report);
    expect(stdout).toMatch(/since the last report, records\n +new +gone +still {2}rule\n/);
    expect(stdout).toMatch(/\n +1 +1 +1 {2}timespan\.begin_of_the_begin\.value\n/);
    expect(stdout).toMatch(/\n +1 +0 +0 {2}object\._label\.presence\n/);
    const refused = await validate(now, "--since", now);
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining("is not a .json report written by validate or load"),
    ]);
  });

  it("writes a report that is named twice", async () => {
    const report = path("r.json");
    const { status } = await validate(feed("objects.jsonl", sound("a")), "--report", report, "--report", report);
    expect([status, JSON.parse(readFileSync(report, "utf8")).summary]).toEqual([
      0,
      expect.objectContaining({ records: 1 }),
    ]);
  });

  it.each(["--report", "--targets"])("replaces no input by %s, be it in a folder or behind a link", async (option) => {
    const [folder, link, copy] = [path("export"), path("link.ttl"), path("export.ttl")];
    mkdirSync(folder);
    const input = join(folder, "objects.ttl");
    writeFileSync(input, "");
    symlinkSync(input, link);
    for (const [output, given] of [
      [input, folder],
      [link, input],
      [input, link],
    ] as const) {
      const { status, stderr } = await validate(given, option, output);
      expect([status, stderr]).toEqual([2, expect.stringContaining("would replace the input")]);
    }
    expect((await validate(folder, option, copy)).stderr).not.toContain("would replace");
  });

  it("replaces no file of another setting by a report", async () => {
    const input = feed("objects.jsonl", sound("a"));
    const [shapes, decisions] = [file("shapes.ttl", SHAPE), file("decisions.csv", "place.*=off\n")];
    for (const [option, value, report] of [
      ["--shapes", shapes, shapes],
      ["--severity", `@${decisions}`, decisions],
    ] as const) {
      const { status, stderr } = await validate(input, option, value, "--report", report);
      expect([status, stderr]).toEqual([2, expect.stringContaining(`would replace the file of ${option}:`)]);
    }
    expect(readFileSync(shapes, "utf8")).toBe(SHAPE);
  });

  it.each<[string, string[], RegExp]>([
    ["no input", [], /validate needs INPUT/],
    ["an unknown rule", ["--severity", "object.colour=off", "INPUT"], /object\.colour is not a rule/],
    [
      "a missing file of decisions",
      ["--severity", "@missing.txt", "INPUT"],
      /--severity @missing\.txt cannot be read: there is no such file$/m,
    ],
    [
      "a missing file of shapes",
      ["--shapes", "missing.ttl", "INPUT"],
      /--shapes missing\.ttl cannot be read: there is no such file$/m,
    ],
    ["malformed shapes", ["--shapes", "BROKEN", "INPUT"], /broken\.jsonl:1:1: /],
    ["a report of no known form", ["--report", "report.xml", "INPUT"], /a report's name must end in \.json, \.html/],
    [
      "a report in place of an input",
      ["--report", "INPUT", "INPUT"],
      /--report \S+objects\.jsonl would replace the input \S+objects\.jsonl:/,
    ],
    ["a malformed input", ["BROKEN"], /broken\.jsonl:1:\d+: the JSON is malformed/],
  ])("refuses %s with status 2 and leaves no report", async (_name, args, message) => {
    const input = feed("objects.jsonl", sound("a"));
    const broken = file("broken.jsonl", '{"id":}\n');
    const given = args.map((each) => (each === "INPUT" ? input : each === "BROKEN" ? broken : each));
    const report = args.includes("--report") ? [] : ["--report", path("r.json")];
    const { status, stderr } = await validate(...given, ...report);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(() => readFileSync(path("r.json"))).toThrow("ENOENT");
  });
});

describe("load", () => {
  const inputs = (): string => feed("objects.jsonl", sound("a"), sound("b", DATED));

  const stats = () => json("stats");

  it("leaves invalid records out and lists them", async () => {
    const { status, stdout, stderr } = await vitrine("load", inputs(), "--json");
    expect(status).toBe(1);
    expect(stderr).toContain(`objects.jsonl:2: refused <${BASE}object/b> at produced_by/timespan/begin_of_the_begin:`);
    expect(JSON.parse(stdout)).toMatchObject({ created: 1, refused: 1, invalid: 1 });
    expect(await stats()).toMatchObject({ records: 1, invalid: 0 });
  });

  it("takes them with --on-invalid accept, and stats count them", async () => {
    const { status, stdout, stderr } = await vitrine("load", inputs(), "--json", "--on-invalid", "accept");
    expect([status, stderr.includes(": invalid <")]).toEqual([1, true]);
    expect(JSON.parse(stdout)).toMatchObject({ created: 2, refused: 0, invalid: 1 });
    expect(await stats()).toMatchObject({ records: 2, invalid: 1 });
  });

  it("loads nothing with --on-invalid abort, and reports all the same", async () => {
    const report = path("r.json");
    const { status, stderr } = await vitrine("load", inputs(), "--on-invalid", "abort", "--report", report);
    expect([status, stderr.includes("nothing was loaded: 1 record invalid")]).toEqual([1, true]);
    expect(JSON.parse(readFileSync(report, "utf8")).summary).toMatchObject({ records: 2, invalid: 1, created: 0 });
    expect(await stats()).toMatchObject({ records: 0 });
  });

  it("loads what an institution has decided to let pass", async () => {
    const { status } = await vitrine("load", inputs(), "--severity", "timespan.*=warning");
    expect(status).toBe(0);
    expect(await stats()).toMatchObject({ records: 2, invalid: 0 });
  });
});
