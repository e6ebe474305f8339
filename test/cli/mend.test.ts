/** `vitrine mend` and `load --mend`: what is repaired, what is left alone, and that all of it is told. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { PREFIXES } from "../../src/model/vocabulary/vocabulary.js";
import { shareOf } from "../extent.js";
import { DATED, type Document, painting } from "./feeds.js";
import { inFile } from "./in-file.js";
import { run } from "./run.js";
import { workspaceForEach } from "./workspace.js";

const BASE = "https://museum.example/";
const MESSY = "../shared/corpus/messy.jsonl";

const { path, file, feed, vitrine, load } = workspaceForEach();

const SOUND = painting(`${BASE}object/a`, "a");
const OLD: Document = { ...SOUND, id: `${BASE}object/b`, type: "ManMadeObject", ...DATED };

const HOPELESS: Document = { ...SOUND, id: `${BASE}object/c`, widget: "w", type: "ManMadeObject" };

const MENDED: Document = {
  ...OLD,
  type: "HumanMadeObject",
  produced_by: { type: "Production", timespan: { type: "TimeSpan", begin_of_the_begin: "1889-01-01T00:00:00Z" } },
};

/** Written so that it is told whether a line was touched. */
const SOUND_LINE = JSON.stringify(SOUND).replaceAll(",", " , ");

describe("mend", () => {
  it("goes by the limits of the settings file", async () => {
    const input = file("in.jsonl", JSON.stringify(OLD));
    const limits = inFile({ "max-record-triples": 5 });
    const { status, stdout } = await run(["mend", input, "--output", path("out.jsonl"), ...limits]);
    expect([status, stdout]).toEqual([1, expect.stringContaining("triples")]);
    // Of more triples than are read, a copy would have a part.
    await load([SOUND]);
    const [quads, output] = [path("in.nq"), path("out.nq")];
    await vitrine("export", "--output", quads);
    expect(await run(["mend", quads, "--output", output, ...limits])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /in\.nq:2: mend cannot copy what is beyond a limit .*: the record has more than 5 triples/,
      ),
    });
    expect(existsSync(output)).toBe(false);
    // Nor does mending make valid what is left, here by merging the two pieces of a production.
    const [object, production] = [`<${BASE}object/1>`, `<${PREFIXES.crm}P108i_was_produced_by>`];
    const classes = [object, "_:a", "_:b"].map(
      (node, at) =>
        `${node} <${PREFIXES.rdf}type> <${PREFIXES.crm}${at === 0 ? "E22_Human-Made_Object" : "E12_Production"}> ${object} .\n`,
    );
    const links = ["_:a", "_:b"].map((node) => `${object} ${production} ${node} ${object} .\n`);
    const last = `${object} <${PREFIXES.rdfs}label> "Left out" ${object} .\n`;
    const cut = file(
      "cut.nq",
      [...classes, ...links, `_:a <${PREFIXES.rdfs}label> "Made" ${object} .\n`, last].join(""),
    );
    expect((await run(["mend", cut, "--output", output, ...limits])).status).toBe(2);
  });

  it("repairs what is invalid, touches nothing else, and tells of every change", async () => {
    const input = file("in.jsonl", [SOUND_LINE, JSON.stringify(OLD), JSON.stringify(HOPELESS)].join("\n"));
    const [output, report] = [path("out.jsonl"), path("report.json")];
    const { status, stdout, stderr } = await run(["mend", input, "--output", output, "--report", report]);
    expect([status, stderr]).toEqual([1, "3 records: 2 mended (3 changes), 2 valid, 1 invalid\n"]);
    expect(stdout).toContain(`${input}:3: still invalid <${BASE}object/c>`);
    const [first, second, third] = readFileSync(output, "utf8").split("\n");
    expect(first).toBe(SOUND_LINE);
    expect(JSON.parse(second!)).toEqual(MENDED);
    expect(JSON.parse(third!)).toEqual({ ...HOPELESS, type: "HumanMadeObject" });
    const { summary, records } = JSON.parse(readFileSync(report, "utf8"));
    expect(summary).toMatchObject({ records: 3, valid: 2, invalid: 1, mended: 2, changes: 3 });
    expect(records[0]).toMatchObject({
      iri: `${BASE}object/b`,
      valid: true,
      changes: [
        { path: "type", before: "ManMadeObject", after: "HumanMadeObject", rule: "class" },
        {
          path: "produced_by/timespan/begin_of_the_begin",
          before: "1889",
          after: "1889-01-01T00:00:00Z",
          rule: "timestamp",
        },
      ],
    });
    const again = path("again.jsonl");
    await run(["mend", output, "--output", again]);
    expect(readFileSync(again, "utf8")).toBe(readFileSync(output, "utf8"));
  });

  it.each([
    ["in.json", `${JSON.stringify([SOUND, OLD])}`, [SOUND, MENDED]],
    ["in.jsonld", JSON.stringify(OLD), MENDED],
  ])("writes the documents of %s in the same form", async (name, text, expected) => {
    const output = path(`out-${name}`);
    const { status } = await run(["mend", file(name, text), "--output", output]);
    expect([status, JSON.parse(readFileSync(output, "utf8"))]).toEqual([0, expected]);
  });

  it("writes documents in the form of the output's name, whatever the forms of the inputs", async () => {
    const inputs = [file("in.json", JSON.stringify(SOUND, null, 2)), file("in.jsonl", JSON.stringify(OLD))];
    const [lines, array] = [path("out.jsonl"), path("out.json")];
    for (const output of [lines, array])
      expect(await run(["mend", ...inputs, "--output", output])).toMatchObject({ status: 0 });
    const documents = readFileSync(lines, "utf8").trim().split("\n");
    expect(documents.map((each) => JSON.parse(each))).toEqual([SOUND, MENDED]);
    expect(JSON.parse(readFileSync(array, "utf8"))).toEqual([SOUND, MENDED]);
  });

  it.each(["nq", "trig", "nt"])("repairs records that come as .%s", async (format) => {
    const input = path("in.nq");
    const dated = { ...MENDED, produced_by: OLD.produced_by };
    await load([SOUND, dated], "--on-invalid", "accept");
    await vitrine("export", "--output", input);
    const quads = readFileSync(input, "utf8");
    const older = quads.replaceAll("E22_Human-Made_Object", "E22_Man-Made_Object");
    const texts: Record<string, string> = {
      nq: older,
      trig: older.replaceAll(/^(?!#)(.*) (<[^>]*>) \.$/gm, "$2 { $1 . }"),
      // Without a graph it takes a class to tell the records.
      nt: quads.replaceAll(/ <[^>]*> \.$/gm, " ."),
    };
    const given = file(`given.${format}`, texts[format]!);
    const output = path(`out.${format}`);
    const { status, stderr } = await run(["mend", given, "--output", output]);
    expect([status, stderr]).toEqual([0, expect.stringContaining("2 valid, 0 invalid")]);
    expect(await run(["validate", output])).toMatchObject({
      status: 0,
      stderr: "2 records: 2 valid, 0 invalid; 0 warnings\n",
    });
  });

  it.each([
    ["1880", "gYear", "1885-12", "gYearMonth"],
    ["1880-01-01", "date", "1885-12-31", "date"],
    ["1880", "string", "1885-12-31T23:59:59Z", "string"],
    ["1880", "dateTime", "1885", "integer"],
  ])("repairs the dates %s of type %s and %s of type %s in Turtle", async (begin, of, end, to) => {
    const [xsd, crm] = ["http://www.w3.org/2001/XMLSchema#", PREFIXES.crm];
    const input = file(
      "in.ttl",
      `@prefix crm: <${crm}> . @prefix xsd: <${xsd}> .
      <${BASE}object/1> a crm:E22_Human-Made_Object ; crm:P108i_was_produced_by [ a crm:E12_Production ; crm:P4_has_time-span [
        a crm:E52_Time-Span ; crm:P82a_begin_of_the_begin "${begin}"^^xsd:${of} ; crm:P82b_end_of_the_end "${end}"^^xsd:${to} ] ] .`,
    );
    const output = path("out.nt");
    const { stderr } = await run(["mend", input, "--output", output]);
    expect(stderr).toContain("1 record: 1 mended");
    const mended = readFileSync(output, "utf8");
    expect(mended).toContain(`<${crm}P82a_begin_of_the_begin> "1880-01-01T00:00:00Z"^^<${xsd}dateTime>`);
    expect(mended).toContain(`<${crm}P82b_end_of_the_end> "1885-12-31T23:59:59Z"^^<${xsd}dateTime>`);
  });

  it.each([
    ["with a key twice", '"_label":"A","_label":"B"'],
    ["nested too deeply", `"_label":${"[".repeat(2_000)}${"]".repeat(2_000)}`],
  ])("copies a document %s as it is, with the context around it", async (_, label) => {
    const documents = ["object/1", "object/2"].map((id) => `{"id":"${BASE}${id}","type":"HumanMadeObject",${label}}`);
    const graph = `{"@context":"${OLD["@context"]}","@graph":[${documents[0]}, [${documents}]]}`;
    const input = file("in.json", graph);
    for (const output of [path("out.json"), path("out.jsonl")]) {
      expect((await run(["mend", input, "--output", output])).status).toBe(1);
      const copy = readFileSync(output, "utf8");
      for (const each of documents) expect(copy).toContain(each);
      const [before, after] = await Promise.all([input, output].map((each) => run(["validate", each, "--json"])));
      expect([after!.status, after!.stdout]).toEqual([before!.status, before!.stdout]);
    }
  });

  it("copies the triples that belong to no record, whose blank nodes are those of their input", async () => {
    const stray = (label: string): string => `_:b <${PREFIXES.rdfs}label> "${label}" .\n`;
    const record = `<${BASE}object/1> a <${PREFIXES.crm}E22_Human-Made_Object> .\n`;
    const inputs = [
      file("a.ttl", record + stray("A")),
      file("b.nt", `<${BASE}vocabulary> <${BASE}has> _:b .\n${stray("B")}`),
    ];
    const output = path("out.nt");
    expect((await run(["mend", ...inputs, "--output", output])).status).toBe(1);
    const copy = readFileSync(output, "utf8");
    const [, node] = /^<\S+vocabulary> \S+ (\S+) \.$/m.exec(copy)!;
    const nodes = ["A", "B"].map((label) => new RegExp(`^(\\S+) \\S+ "${label}" \\.$`, "m").exec(copy)![1]);
    expect([copy.split("\n").length, nodes[1], nodes[0] === node]).toEqual([5, node, false]);
  });

  it("copies triples that belong to no record beside records in named graphs, so that the copy can be loaded", async () => {
    const stray = `<${BASE}vocabulary> <${PREFIXES.rdfs}label> "Stray" .\n`;
    const input = file(
      "in.nq",
      `<${BASE}object/1> a <${PREFIXES.crm}E22_Human-Made_Object> .\n${stray}`.replace(
        " a ",
        ` <${PREFIXES.rdf}type> `,
      ),
    );
    const [once, twice] = [path("once.nq"), path("twice.nq")];
    for (const [from, to] of [
      [input, once],
      [once, twice],
    ])
      expect((await run(["mend", from!, "--output", to!])).status).toBe(1);
    expect(readFileSync(twice, "utf8")).toBe(readFileSync(once, "utf8"));
    expect(readFileSync(once, "utf8")).toContain(stray);
    expect((await vitrine("load", once)).stderr).toContain("1 created, 0 replaced, 0 unchanged, 1 refused");
  });

  it("makes no addresses of its own for relative IRIs in triples", async () => {
    const input = file("in.ttl", `<object/1> a <${PREFIXES.crm}E22_Human-Made_Object> .\n`);
    const output = path("out.nt");
    expect(await run(["mend", input, "--output", output])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("give --base-url"),
    });
    expect(existsSync(output)).toBe(false);
    await run(["mend", input, "--output", output, "--base-url", BASE]);
    expect(readFileSync(output, "utf8")).toContain(`<${BASE}object/1>`);
  });

  it("compresses, and names its rules with examples", async () => {
    const output = path("out.jsonl.gz");
    await run(["mend", file("in.jsonl", JSON.stringify(OLD)), "--output", output]);
    expect(JSON.parse(gunzipSync(readFileSync(output)).toString())).toEqual(MENDED);
    const { stdout } = await run(["mend", "--list"]);
    expect(stdout).toContain("swapped-days: day and month");
    expect(JSON.parse((await run(["mend", "--list", "--json"])).stdout)).toContainEqual(
      expect.objectContaining({ name: "class" }),
    );
  });

  it.each<[string, string[], RegExp]>([
    ["no input", ["--output", "OUT"], /mend needs inputs/],
    ["no output", ["INPUT"], /needs --output FILE/],
    [
      "its input as output",
      ["INPUT", "--output", "INPUT"],
      /--output \S+in\.jsonl would replace the input \S+in\.jsonl:/,
    ],
    [
      "its report as output",
      ["INPUT", "--output", "OUT", "--report", "OUT"],
      /--report \S+out\.json would replace the file of --output:/,
    ],
    ["an unknown rule", ["INPUT", "--output", "OUT", "--rules", "klass"], /mend has no rule named klass/],
    ["inputs of two kinds", ["INPUT", "TURTLE", "--output", "OUT"], /one file of one format, not of jsonl and ttl/],
    ["a dash for a file", ["INPUT", "--output", "-"], /for standard output write \/dev\/stdout/],
    ["a folder that is not there", ["INPUT", "--output", "/nowhere/at/all.jsonl"], /there is no folder/],
    ["a name of another format", ["INPUT", "--output", "out.csv"], /mend writes jsonld, json, jsonl, ndjson from/],
    ["a name of quads for documents", ["INPUT", "--output", "out.nq.gz"], /not \.nq: give the file/],
    ["a malformed input", ["BROKEN", "--output", "OUT"], /the JSON is malformed/],
  ])("refuses %s with status 2 and leaves no output", async (_what, args, message) => {
    const given = {
      INPUT: file("in.jsonl", JSON.stringify(OLD)),
      TURTLE: file("in.ttl", ""),
      BROKEN: file("broken.jsonl", `${JSON.stringify(OLD)}\n{`),
      OUT: path("out.json"),
    };
    const { status, stderr } = await run(["mend", ...args.map((each) => given[each as keyof typeof given] ?? each)]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(readdirSync(path()).filter((name) => name.startsWith("out"))).toEqual([]);
  });

  it.skipIf(!existsSync(MESSY))(
    "makes four of five messy records valid (skipped where ../shared is absent)",
    async () => {
      const output = path("out.jsonl");
      const asked = ["--rules", "+swapped-days", "--rules", "+actors-as-persons"];
      const lines = shareOf(readFileSync(MESSY, "utf8").trimEnd().split("\n"), 4);
      const input = file("messy.jsonl", lines.join("\n"));
      const { stderr } = await run(["mend", input, "--output", output, ...asked, "--json"]);
      const [, valid] = /(\d+) valid/.exec(stderr)!;
      expect(Number(valid) / lines.length).toBeGreaterThan(0.8);
      expect(stderr).toMatch(/\d+ of \d+ invalid records would be valid with --rules \+first-label/);
    },
  );

  it.skipIf(!existsSync(MESSY))(
    "by all rules makes 176 of 181 messy records valid (skipped where ../shared is absent)",
    async () => {
      const rules = [
        "actors-as-persons",
        "swapped-days",
        "physical-objects",
        "first-label",
        "foreign-classes",
        "foreign-keys",
        "unknown-terms",
      ];
      const asked = rules.flatMap((rule) => ["--rules", `+${rule}`]);
      const { stdout } = await run(["mend", MESSY, "--output", path("most.jsonl"), ...asked, "--json"]);
      expect(JSON.parse(stdout)).toMatchObject({ records: 181, valid: 176 });
    },
  );
});

it("--rules +actors-as-groups=... names Actors that are Groups, one by one or in a file", async () => {
  const actors = ["firm", "shop", "ada"].map((name) => ({ ...SOUND, id: `${BASE}agent/${name}`, type: "Actor" }));
  const input = feed("actors.jsonl", ...actors);
  const groups = file("groups.txt", `${BASE}agent/shop\n`);
  const output = path("out.jsonl");
  const named = ["--rules", `+actors-as-groups=${BASE}agent/firm`, "--rules", `+actors-as-groups=@${groups}`];
  await run(["mend", input, "--output", output, ...named, "--rules", "+actors-as-persons"]);
  const types = readFileSync(output, "utf8").trim().split("\n");
  expect(types.map((line) => JSON.parse(line).type)).toEqual(["Group", "Group", "Person"]);
});

describe("load --mend", () => {
  it("loads what could be repaired, and says so", async () => {
    const input = feed("in.jsonl", SOUND, OLD, HOPELESS);
    const report = path("report.json");
    const { status, stdout, stderr } = await vitrine("load", input, "--mend", "--report", report, "--json");
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { created: 2, refused: 1 }]);
    expect(stderr).toMatch(/2 records mended, 3 changes:\n +2 {2}class\n +1 {2}timestamp\n/);
    expect(JSON.parse(readFileSync(report, "utf8")).summary).toMatchObject({ mended: 2, changes: 3 });
    expect(JSON.parse((await vitrine("get", `${BASE}object/b`)).stdout)).toEqual(MENDED);
  });
});
