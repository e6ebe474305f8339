/** Safety limits of a nightly feed: one that stops a load leaves the store as it was, says which records, and ends with 2. */
import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { DATED, type Document, painting } from "./feeds.js";
import { workspaceForEach } from "./workspace.js";

const BASE = "https://museum.example/object/";

const { path, feed, vitrine } = workspaceForEach();

const named = (name: string, more = {}) => painting(BASE + name, `Object ${name}`, more);

const file = (...documents: Document[]) => feed("feed.jsonl", ...documents);

const exported = async (): Promise<string> => (await vitrine("export")).stdout;

const ALL = ["a", "b", "c", "d"];
const OTHER_NAME = { _label: "Irises", identified_by: [{ type: "Name", content: "Irises" }] };

/** Each safety limit: the feed that it stops, how it is set, and what is said of which record. */
const GUARDS: readonly [
  name: string,
  feed: readonly Document[],
  options: readonly string[],
  told: readonly RegExp[],
][] = [
  [
    "--max-delete",
    [named("a")],
    ["--sync", "--max-delete", "1"],
    [/would be deleted: <https:\/\/museum.example\/object\/b>/, /lacks 3 records, but only 1 may be deleted/],
  ],
  [
    "--max-invalid",
    ALL.map((name) => named(name, DATED)),
    ["--max-invalid", "3"],
    [/refused <https:\/\/museum.example\/object\/d>/, /4 records invalid, and --max-invalid allows 3/],
  ],
  [
    "--max-change with a number",
    ALL.map((name) => named(name, { current_owner: [] })).concat(["e", "f"].map((name) => named(name))),
    ["--max-change", "1"],
    [/create: <https:\/\/museum.example\/object\/e>/, /2 records would change, and --max-change allows 1/],
  ],
  [
    "--max-change with a share",
    ALL.map((name) => named(name, { format_note: undefined, _label: `Object ${name} (new)` })),
    ["--max-change", "50%"],
    [/update: <https:\/\/museum.example\/object\/a>/, /4 records would change, and --max-change allows 2/],
  ],
  [
    "--strict-identity, another class",
    [named("a", { type: "VisualItem" })],
    ["--strict-identity"],
    [
      /another entity: <https:\/\/museum.example\/object\/a> was of class HumanMadeObject and comes back as VisualItem/,
      /nothing was loaded: known IRIs/,
    ],
  ],
  [
    "--strict-identity, no label, name or identifier in common",
    [named("a", OTHER_NAME)],
    ["--strict-identity"],
    [
      /<https:\/\/museum.example\/object\/a> has no label, name or identifier in common with what it was: "Object a"; it is "Irises"/,
    ],
  ],
  [
    "--strict-identity, a deleted one that returns",
    [named("gone", OTHER_NAME)],
    ["--strict-identity"],
    [/<https:\/\/museum.example\/object\/gone> was deleted as "Object gone" and comes back as "Irises"/],
  ],
  [
    "--strict-identity, a deleted one that returns as another kind of thing",
    [named("gone", { type: "Set" })],
    ["--strict-identity"],
    [/<https:\/\/museum.example\/object\/gone> was deleted as a record of object and comes back as one of set/],
  ],
];

describe("a safety limit", () => {
  beforeEach(async () => {
    await vitrine("load", file(...[...ALL, "gone"].map((name) => named(name))));
    await vitrine("delete", `${BASE}gone`);
  });

  it.each(GUARDS)("%s", async (_name, feed, options, told) => {
    const before = await exported();
    for (const dry of [[], ["--dry-run"]]) {
      const report = path("report.json");
      const loading = ["load", file(...feed), ...options, ...dry, "--report", report, "--json"];
      const { status, stdout, stderr } = await vitrine(...loading);
      for (const words of told) expect(stderr).toMatch(words);
      // The five records and the deletion.
      expect([status, JSON.parse(stdout).sequence]).toEqual([2, 6]);
      expect(await exported()).toBe(before);
      expect(JSON.parse(readFileSync(report, "utf8")).summary.records).toBe(feed.length);
    }
    // What the safety limit stopped is loaded without it, and so the limit alone stopped it.
    const without = await vitrine("load", file(...feed));
    expect(without.status).toBeLessThan(2);
  });

  it("lets through what it allows, and warns of another entity where it is not strict", async () => {
    const changed = named("a", { _label: "Object A" });
    const { status } = await vitrine("load", file(changed), "--max-change", "25%", "--strict-identity");
    expect(status).toBe(0);
    const report = path("report.json");
    const warned = await vitrine("load", file(named("b", OTHER_NAME)), "--report", report);
    expect([warned.status, warned.stderr]).toEqual([0, expect.stringContaining(`another entity: <${BASE}b>`)]);
    expect(JSON.parse(readFileSync(report, "utf8")).identities).toMatchObject([{ iri: `${BASE}b` }]);
  });

  it("says what no number is", async () => {
    const { status, stderr } = await vitrine("load", file(named("a")), "--max-change", "many");
    expect([status, stderr]).toEqual([2, expect.stringContaining("--max-change many is not a number")]);
  });
});

describe("the difference", () => {
  const FEED = [named("a", { _label: "Vase" }), named("new")];

  beforeEach(async () => {
    await vitrine("load", file(named("a"), named("b")));
  });

  it("of a dry run stands in its report, record by record", async () => {
    const before = await exported();
    const [json, csv, html] = ["json", "csv", "html"].map((form) => path(`report.${form}`)) as [string, string, string];
    const options = ["--sync", "--max-delete", "1", "--dry-run", "--report", json, "--report", csv, "--report", html];
    expect((await vitrine("load", file(...FEED), ...options)).status).toBe(0);
    expect(await exported()).toBe(before);
    const report = JSON.parse(readFileSync(json, "utf8"));
    expect(report.deletions).toEqual([`${BASE}b`]);
    expect(report.differences).toEqual(
      expect.arrayContaining([
        { iri: `${BASE}a`, kind: "update", differences: [{ property: "_label", before: "Object a", after: "Vase" }] },
        { iri: `${BASE}b`, kind: "delete", differences: [] },
        { iri: `${BASE}new`, kind: "create", differences: [] },
      ]),
    );
    expect(readFileSync(csv, "utf8")).toContain(`${BASE}a,Vase,,object,Update,_label,"""Object a"" became ""Vase"""`);
    expect(readFileSync(html, "utf8")).toContain("&quot;Object a&quot;</code> became <code>&quot;Vase&quot;");
  });

  it("is told while loading, with --diff", async () => {
    const { status, stderr } = await vitrine("load", file(...FEED), "--diff");
    expect(status).toBe(0);
    expect(stderr).toContain(`update: <${BASE}a>\n  _label: "Object a" -> "Vase"\n`);
    expect(stderr).toContain(`create: <${BASE}new>\n`);
    expect(JSON.parse((await vitrine("get", `${BASE}a`)).stdout)._label).toBe("Vase");
  });
});
