/** `vitrine explain`: what is known of an IRI the next morning. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { DATED, painting } from "./feeds.js";
import { workspaceForAll } from "./workspace.js";

const BASE = "https://museum.example/";

const { path, file, feed, vitrine, on } = workspaceForAll();
let input: string;

const named = (name: string, more = {}) => painting(`${BASE}object/${name}`, name, more);

const PART = { part_of: [{ id: `${BASE}object/a`, type: "HumanMadeObject", _label: "a" }] };

beforeAll(async () => {
  await vitrine("load", feed("first.jsonl", named("kept"), named("gone")), "--source", "objects");
  input = feed("feed.jsonl", named("a"), named("b", PART), named("kept", DATED), named("refused", DATED));
  await vitrine("load", input, "--source", "objects", "--sync", "--max-delete", "5", "--severity", "place.*=off");
});

async function explained(...args: string[]): Promise<string> {
  return (await vitrine("explain", ...args)).stdout;
}

describe("explain", () => {
  it("says where a published record came from, by what rules, and who refers to it", async () => {
    const text = await explained(`${BASE}object/a`);
    expect(text).toContain(`<${BASE}object/a> is published: object, "a", valid\n`);
    expect(text).toMatch(
      /last changed \S+ \(change \d+\) by the load of \S+ from \S+feed\.jsonl \(source objects\), with --severity place\.\*=off\n/,
    );
    expect(text).toContain(`it is at ${input}:1\nit breaks no rule\n`);
    expect(text).toContain(
      `1 record refers to it by http://www.cidoc-crm.org/cidoc-crm/P46i_forms_part_of: <${BASE}object/b>`,
    );
  });

  it("says so if the load decided by other rules than those that it is given", async () => {
    const { vitrine } = on("strict-store");
    const rule = ["--severity", "object._label.presence=violation"];
    await vitrine("load", feed("strict.jsonl", named("x", { _label: undefined })), "--on-invalid", "accept", ...rule);
    const other = "the load decided by other rules: give its --shapes and --severity here, too\n";
    expect((await vitrine("explain", `${BASE}object/x`)).stdout).toContain(other);
    expect((await vitrine("explain", `${BASE}object/x`, ...rule)).stdout).not.toContain(other);
  });

  it("lists what a load found in quads beside the rules, and accepts instants in the forms that a load does", async () => {
    const { vitrine } = on("quads-store");
    const [iri, crm, xsd] = [
      `${BASE}event/e`,
      "http://www.cidoc-crm.org/cidoc-crm/",
      "http://www.w3.org/2001/XMLSchema#",
    ];
    const quad = (of: string, property: string, value: string) => `${of} ${property} ${value} <${iri}> .\n`;
    const [self, type] = [`<${iri}>`, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"];
    const quads = [
      quad(self, type, `<${crm}E5_Event>`),
      quad(self, `<${crm}P4_has_time-span>`, "_:t"),
      quad("_:t", type, `<${crm}E52_Time-Span>`),
      quad("_:t", `<${crm}P82a_begin_of_the_begin>`, `"1900-01-01T00:00:00+00:00"^^<${xsd}dateTime>`),
      quad("_:t", `<${crm}P2_has_typ>`, "<http://vocab.getty.edu/aat/300055644>"),
    ];
    await vitrine("load", file("event.nq", quads.join("")), "--on-invalid", "accept");
    const found = (await vitrine("explain", iri)).stdout;
    expect(found).toContain("(record.instant)");
    expect(found).toContain("(record.term)");
    expect(found).not.toContain("the load decided by other rules");
    expect((await vitrine("explain", iri, "technique")).stdout).toContain(
      "technique is not there\ntechnique is optional for event of type Activity only (array in JSON): Techniques used.",
    );
  });

  it("names the place of a document, and not where others refer to it before", async () => {
    const [b, a] = [named("b", PART), named("a")];
    const lines = `${JSON.stringify(b)}\n${JSON.stringify(a).replaceAll("/", "\\/")}\n`;
    const inputs: [string, string | Buffer, number][] = [
      ["array.json", JSON.stringify([b, a], null, 2), JSON.stringify([b], null, 2).split("\n").length],
      ["escaped.jsonl", lines, 2],
      ["packed.jsonl.gz", gzipSync(lines), 2],
    ];
    for (const [name, content, line] of inputs) {
      const input = file(name, content);
      const { vitrine } = on(`${name}-store`);
      await vitrine("load", input);
      const { stdout } = await vitrine("explain", `${BASE}object/a`);
      expect(stdout).toContain(`it is at ${input}:${line}\n`);
    }
  });

  it("names the place in quads and triples of any form, and the last of several documents that was not refused", async () => {
    const type = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
    const object = "<http://www.cidoc-crm.org/cidoc-crm/E22_Human-Made_Object>";
    const [iri, note] = [`<${BASE}object/a>`, '<urn:note> "\u2028"'];
    const prefixes = `@prefix o: <${BASE}object/> .\n`;
    const twice = [named("a"), named("a", { referred_to_by: [] }), named("a", DATED), named("c")];
    const inputs: [string, string, number][] = [
      ["graph.nq", `<urn:b> ${note} <urn:b> .\n${iri}\t${type}\t${object}\t${iri}. # a\n`, 2],
      ["divided.nq", `${iri} ${type} ${object} .\n`, 1],
      ["prefixed.ttl", `${prefixes}o:b <urn:note> o:a .\no:a a ${object} .\n`, 3],
      ["graphs.trig", `${prefixes}GRAPH o:a { o:a a ${object} . }\n`, 2],
      ["twice.jsonl", twice.map((each) => JSON.stringify(each)).join("\n"), 2],
    ];
    for (const [name, content, line] of inputs) {
      const input = file(name, content);
      const { vitrine } = on(`${name}-store`);
      await vitrine("load", input);
      expect((await vitrine("explain", `${BASE}object/a`)).stdout).toContain(`it is at ${input}:${line}\n`);
    }
    const both = on("both-store");
    await both.vitrine("load", path("graph.nq"), path("twice.jsonl"));
    const { stdout } = await both.vitrine("explain", `${BASE}object/a`);
    expect(stdout).toContain(`it is at ${path("graph.nq")}:2\n`);
  });

  it("says what is wrong with a property of a refused record, and how to publish only what can be", async () => {
    const { vitrine } = on("refused-store");
    const dimension = [1, 2].map((value) => ({ type: "Dimension", value: value === 1 ? value : "high" }));
    const contexts = [
      named("unknown", { "@context": "https://a.example/context" }),
      named("none", { "@context": undefined }),
    ];
    const wrong = feed("wrong.jsonl", named("loss", { made_of: ["wood"] }), named("size", { dimension }), ...contexts);
    await vitrine("load", wrong);
    for (const name of ["unknown", "none"]) {
      const { stdout } = await vitrine("explain", `${BASE}object/${name}`);
      expect(stdout).toMatch(/^ {2}to publish it, correct these \(vitrine mend may help\)$/m);
    }
    const { stdout } = await vitrine("explain", `${BASE}object/loss`, "made_of");
    expect(stdout).toMatch(/^ {2}to publish it, correct these \(vitrine mend may help\)$/m);
    expect(stdout).toMatch(/only its input has the value of made_of\nmade_of is .*\n {2}Violation at made_of/);
    const size = await vitrine("explain", `${BASE}object/size`, "dimension");
    expect(size.stdout).toMatch(/or use --severity or --on-invalid accept\n/);
    expect(size.stdout).toMatch(/dimension is optional .*\n {2}Violation at dimension\[1\]\/value/);
  });

  it("says why a record was refused, and that what was published before stays", async () => {
    const refused = await explained(`${BASE}object/refused`);
    expect(refused).toContain(`<${BASE}object/refused> is not published\n`);
    expect(refused).toContain(`at ${input}:4:\n  Violation at produced_by/timespan/begin_of_the_begin: `);
    const kept = await explained(`${BASE}object/kept`);
    expect(kept).toContain(`<${BASE}object/kept> is published`);
    expect(kept).toContain("the published version stays");
  });

  it("says when and why a record was deleted", async () => {
    const text = await explained(`${BASE}object/gone`);
    expect(text).toMatch(
      /object\/gone> was deleted \S+ \(change \d+\); it was "gone"\na load with --sync did so, since its input lacked the record: /,
    );
  });

  it("does not say that an input lacked a record that the load held", async () => {
    const [held, at] = [feed("held.jsonl", named("held")), on("held-store")];
    for (const more of [[], ["--hold", `iri=${BASE}object/held`]])
      await at.vitrine("load", held, "--source", "objects", "--sync", ...more);
    const { stdout } = await at.vitrine("explain", `${BASE}object/held`);
    expect(stdout).toMatch(/is held since .*\n.*\n.*was deleted .*\na load did so: /);
  });

  it("says that a load which was killed before it was recorded may have deleted a record", async () => {
    const at = on("killed-store");
    for (const names of [["a", "b"], ["a"]])
      await at.vitrine(
        "load",
        feed("killed.jsonl", ...names.map((name) => named(name))),
        "--source",
        "objects",
        "--sync",
      );
    rmSync(path("killed-store", "loads", "loads.json"));
    const { stdout } = await at.vitrine("explain", `${BASE}object/b`);
    expect(stdout).toContain("no recorded load did so: it was vitrine delete, a load that was killed, or long ago");
  });

  it("knows other spellings, and says what it takes for what it does not know", async () => {
    const { status, stdout } = await vitrine("explain", `http://museum.example/object/a/`);
    expect([status, stdout]).toEqual([1, expect.stringContaining(`there is a record <${BASE}object/a>`)]);
    expect(stdout).toContain("to publish it, load an input that has it");
  });

  it("names the record that has an inventory number", async () => {
    const numbered = named("numbered", { identified_by: [{ type: "Identifier", content: "A1930.30" }] });
    await vitrine("load", feed("numbered.jsonl", numbered));
    const { status, stdout } = await vitrine("explain", "A1930.30", "--base-url", BASE);
    expect([status, stdout]).toEqual([1, expect.stringContaining(`it is a number of <${BASE}object/numbered>`)]);
    expect(stdout).not.toContain("load an input that has it");
    expect(await explained("a1930", "--base-url", BASE)).toContain(`it begins a number of <${BASE}object/numbered>`);
  });

  it("takes a relative IRI, too", async () => {
    expect(await explained("object/a", "--base-url", BASE)).toContain(`<${BASE}object/a> is published`);
    expect(await explained("object/refused", "--base-url", BASE)).toContain(`<${BASE}object/refused> is not published`);
  });

  it("finds numbers, and refused records of relative names, also in a store without a base URL", async () => {
    const { vitrine } = on("without-base-url");
    const numbered = named("numbered", { identified_by: [{ type: "Identifier", content: "1919.55" }] });
    await vitrine("load", feed("relative.jsonl", numbered, painting("object/relative", "relative")));
    expect((await vitrine("explain", "1919.55")).stdout).toContain(`it is a number of <${BASE}object/numbered>`);
    expect((await vitrine("explain", "object/relative")).stdout).toContain("refused by the load of");
    expect((await vitrine("explain", "object/none")).stderr).toContain("is relative, and the store has no base URL");
    const { stderr } = await vitrine("explain", "SK-1");
    expect(stderr).toContain(`"SK-1" begins no number of a record, and as an IRI it is relative`);
    expect((await vitrine("explain", "")).stderr).toContain("an IRI is empty");
  });

  it("finds refused records by names that are no IRIs", async () => {
    const { vitrine } = on("spaced");
    const [spaced, sound] = [painting("object/a vase", "vase"), painting("object/sound", "sound")];
    await vitrine("load", feed("spaced.jsonl", spaced, sound), "--base-url", BASE);
    expect((await vitrine("explain", "object/a vase")).stdout).toContain("write %20 for a space");
  });

  it("explains a property: its value, its row, what was found", async () => {
    expect(await explained(`${BASE}object/b`, "part_of")).toContain(`part_of is [{"id":"${BASE}object/a"`);
    expect(await explained(`${BASE}object/b`, "constructor")).not.toContain("constructor is undefined");
    const missing = await explained(`${BASE}object/kept`, "produced_by");
    expect(missing).toMatch(
      /produced_by is not there\nproduced_by is optional for object \(object in JSON\): .*\n {2}Violation at produced_by\/timespan/,
    );
    expect(await explained(`${BASE}object/a`, "weather")).toContain("weather is not in the record's field table\n");
    const called = async (name: string) =>
      /field table: did you mean (.*)\?\n/.exec(await explained(`${BASE}object/a`, name))?.[1];
    expect([await called("maker"), await called("Inventory number"), await called("Number")]).toEqual([
      "produced_by/carried_out_by",
      undefined,
      "identified_by",
    ]);
  });

  it("explains a path as reports have it", async () => {
    const b = await explained(`${BASE}object/b`, "part_of[0]/_label");
    expect(b).toContain('part_of[0]/_label is "');
    for (const path of ["part_of[1]/_label", "part_of/nonsense", "part_of/_label/nl"])
      expect(await explained(`${BASE}object/b`, path)).toContain(`${path} is not there\n`);
    expect(b).toContain("\npart_of is optional for object (array in JSON)");
    expect(await explained(`${BASE}object/b`, "content")).toContain(
      "the record itself has no content: look in its parts",
    );
    const refused = (path: string) => explained(`${BASE}object/refused`, path);
    const violation = /produced_by is optional .*\n {2}Violation at produced_by\/timespan\/begin_of_the_begin/;
    expect(await refused("produced_by/timespan")).toMatch(violation);
    expect(await refused("produced_by/timespan/duration")).not.toMatch(violation);
  });

  it("says of no property of what is not there that a table lacks it", async () => {
    for (const name of ["nobody", "gone"]) {
      const text = await explained(`${BASE}object/${name}`, "produced_by");
      expect(text).toContain("there is no record that could have produced_by\n");
      expect(text).not.toMatch(/field table|the record itself/);
    }
    expect(await explained(`${BASE}object/refused`, "produced_by")).toContain("produced_by is optional for object");
  });

  it("is told to machines, too", async () => {
    const { stdout } = await vitrine("explain", `${BASE}object/refused`, "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      published: null,
      refused: [{ load: { source: "objects", sync: true, refused: 2 }, refusal: { place: `${input}:4` } }],
    });
  });

  it("keeps what the newest load of each source refused, and no dry run's", async () => {
    const people = feed("people.jsonl", named("p", DATED));
    await vitrine("load", people, "--source", "people");
    await vitrine("load", feed("dry.jsonl", named("dry", DATED)), "--source", "people", "--dry-run");
    expect(await explained(`${BASE}object/p`)).toContain(`at ${people}:1`);
    expect(await explained(`${BASE}object/refused`)).toContain(`at ${input}:4`);
    expect(await explained(`${BASE}object/dry`)).toContain("no recorded load refused it");
    await vitrine("load", feed("people2.jsonl", named("q")), "--source", "people");
    expect(await explained(`${BASE}object/p`)).toContain("no recorded load refused it");
  });

  it("does not fail on what is left of a load that was killed", async () => {
    const loads = path("store", "loads", "loads.json");
    const text = readFileSync(loads, "utf8");
    writeFileSync(loads, text.slice(0, 20));
    expect(await explained(`${BASE}object/a`)).toContain("is published");
    writeFileSync(loads, text);
  });

  it("does without a load that could not be remembered, which is loaded all the same", async () => {
    const other = on("other");
    mkdirSync(path("other"));
    file("other/loads", "no folder");
    const loaded = await other.load([named("one")], "--base-url", BASE);
    expect(loaded).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("warning: explain will not know this load: "),
    });
    const { stdout } = await other.vitrine("explain", `${BASE}object/one`, "--base-url", BASE);
    expect(stdout).toContain("is published");
  });

  it.each([[[]], [["a", "b", "c"]]])("takes an IRI and a property", async (args) => {
    expect((await vitrine("explain", ...args)).status).toBe(2);
  });
});
