import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { COMMAND_NAMES } from "../../src/cli/main/commands.js";
import { jsonLines } from "./feeds.js";
import { lettingWrite } from "./here.js";
import { run } from "./run.js";
import { workspaceForEach } from "./workspace.js";

const CONTEXT = "https://linked.art/ns/v1/linked-art.json";
const BASE = "https://museum.example/";

const { path, file, feed, vitrine, served, json } = workspaceForEach();

const place = (name: string, rest: object = {}) => ({
  "@context": CONTEXT,
  id: `${BASE}place/${name}`,
  type: "Place",
  _label: name,
  ...rest,
});

const QUADS = ["a", "b"]
  .map(
    (name) =>
      `<${BASE}place/${name}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.cidoc-crm.org/cidoc-crm/E53_Place> <${BASE}place/${name}> .\n` +
      `<${BASE}place/${name}> <http://www.w3.org/2000/01/rdf-schema#label> "${name}" <${BASE}place/${name}> .\n`,
  )
  .join("");

describe("load", () => {
  it("prints the contract's summary with --json and leaves unchanged records alone", async () => {
    const input = feed("places.jsonl", place("a"), place("b"));
    const first = await vitrine("load", input, "--json");
    expect(first.status).toBe(0);
    expect(JSON.parse(first.stdout)).toEqual({
      created: 2,
      replaced: 0,
      unchanged: 0,
      deleted: 0,
      refused: 0,
      invalid: 0,
      triples: 4,
      seconds: expect.any(Number),
      sequence: 2,
    });
    expect(await json("load", input)).toMatchObject({ created: 0, unchanged: 2, sequence: 2 });
  });

  it.each<[string, string | Buffer]>([
    ["places.json", JSON.stringify([place("a"), place("b")])],
    [
      "places.jsonld",
      JSON.stringify({ "@context": CONTEXT, "@graph": [{ ...place("a"), "@context": undefined }, place("b")] }),
    ],
    ["places.ndjson", jsonLines([place("a"), place("b")])],
    ["places.jsonl.gz", gzipSync(jsonLines([place("a"), place("b")]))],
    ["places.nq", QUADS],
    ["places.nq.gz", gzipSync(QUADS)],
    ["places.trig", QUADS.replace(/^(.*) <([^>]*)> \.$/gm, "<$2> { $1 . }")],
    ["places.nt", QUADS.replace(/ <[^>]*> \.$/gm, " .")],
    ["places.ttl", QUADS.replace(/ <[^>]*> \.$/gm, " .")],
  ])("reads %s", async (name, content) => {
    const { status, stderr } = await vitrine("load", file(name, content));
    expect(stderr).toContain("2 created");
    expect(status).toBe(0);
    const { stdout } = await vitrine("get", `${BASE}place/b`);
    expect(JSON.parse(stdout)).toEqual(place("b"));
  });

  it("reads folders and standard input", async () => {
    file("one.json", JSON.stringify(place("a")));
    file("notes.txt", "not a record");
    expect((await vitrine("load", path())).stderr).toContain("1 created");
    const piped = await vitrine("load", "-", "--format", "jsonl", {
      stdin: jsonLines([place("a"), place("c")]),
    });
    expect(piped.stderr).toContain("1 created, 0 replaced, 1 unchanged");
  });

  it("leaves out what cannot be converted, says why, and ends with 1", async () => {
    const input = feed("places.jsonl", place("a"), place("b", { label: "x" }), place("c d"), { type: "Place" });
    const report = path("report.json");
    const { status, stderr } = await vitrine("load", input, "--report", report);
    expect(status).toBe(1);
    expect(stderr).toContain(`${input}:2: refused <${BASE}place/b>: label is a key that no context defines`);
    expect(stderr).toContain(`${input}:3: refused`);
    expect(stderr).toContain("1 created, 0 replaced, 0 unchanged, 3 refused");
    const { summary, records } = JSON.parse(readFileSync(report, "utf8"));
    expect(summary).toMatchObject({ records: 4, valid: 1, invalid: 3 });
    expect(records.map(({ iri, endpoint, valid }: { [key: string]: unknown }) => [iri, endpoint, valid])).toEqual([
      [`${BASE}place/a`, "place", true],
      [`${BASE}place/b`, "place", false],
      ["https://museum.example/place/c d", "place", false],
      [null, null, false],
    ]);
    // What is recommended for such a record is told, too.
    expect(records[1].results.map(({ rule }: { rule: string }) => rule.split(":").at(-1))).toEqual([
      ...["document.loss", "place.classified_as.presence", "place.identified_by.presence"],
    ]);
    expect({ ...records[1], results: records[1].results.slice(0, 1) }).toEqual({
      iri: `${BASE}place/b`,
      endpoint: "place",
      valid: false,
      results: [
        {
          severity: "Violation",
          path: "label",
          focus: null,
          value: null,
          message: "label is a key that no context defines, and its value would be lost: did you mean _label?",
          rule: "urn:vitrine:shape:document.loss",
          source: `${input}:2`,
        },
      ],
    });
  });

  it("takes further contexts, and the store keeps them for whoever reads it", async () => {
    const uri = "https://example.org/extension.json";
    const extension = file(
      "extension.json",
      JSON.stringify({ "@context": { weather: "https://example.org/weather" } }),
    );
    const document = place("a", { "@context": [uri, CONTEXT], type: "Set", weather: "rain" });
    const input = feed("places.jsonl", document);
    const without = await vitrine("load", input);
    expect([without.status, without.stderr.includes(`--context ${uri}=FILE`)]).toEqual([1, true]);
    expect((await vitrine("load", input, "--context", `${uri}=${extension}`)).status).toBe(0);
    expect(JSON.parse((await vitrine("get", `${BASE}place/a`)).stdout)).toEqual(document);
  });

  it.each([
    ["https://museum.example/context.json", CONTEXT],
    [CONTEXT, "https://museum.example/context.json"],
  ])("loads with the --context-uri %s what is later read with %s", async (loading, reading) => {
    const document = place("a", { "@context": loading });
    await vitrine("load", feed("places.jsonl", document), "--context-uri", loading);
    const { stdout } = await vitrine("get", `${BASE}place/a`, "--context-uri", reading);
    expect(JSON.parse(stdout)).toEqual(document);
  });

  it("says that --hold held nothing", async () => {
    const input = feed("places.jsonl", place("a"));
    const { stderr } = await vitrine("load", input, "--source", "museum", "--hold", "source=musuem");
    expect(stderr).toContain("1 created, 0 replaced, 0 unchanged, 0 refused, 0 held;");
  });

  it("names the lines of a --hold list that no record has", async () => {
    const input = feed("places.jsonl", place("a"), place("b"), { id: `${BASE}place/refused` });
    const list = file("hold.txt", `# embargo\n\nplace/a\nplace/c\n<${BASE}place/d>\nplace/refused\n`);
    const named = `2 of 4 IRIs of --hold name no record of the load or the store: ${list}:4 <${BASE}place/c>, ${list}:5 <${BASE}place/d>\n`;
    const load = ["load", input, "--base-url", BASE, "--hold", list];
    expect((await vitrine(...load, "--dry-run")).stderr).toContain(`warning: ${named}`);
    expect((await vitrine(...load)).stderr).toContain(`warning: ${named}`);
    // The held record is in the store now, the refused one is not.
    const { stderr } = await vitrine("load", feed("more.jsonl", place("e")), "--hold", list);
    expect(stderr).toContain(`3 of 4 IRIs of --hold name no record of the load or the store: ${list}:4`);
    const wrong = file("numbers.txt", "place/a\n2026.1\n");
    expect(await vitrine("load", input, "--hold", wrong)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`--hold ${wrong}:2: 2026.1 looks like an inventory number`) as string,
    });
  });

  it("resolves relative ids against --base-url, later against the store's", async () => {
    const relative = { ...place("a"), id: "place/a" };
    const input = feed("places.jsonl", relative);
    expect((await vitrine("load", input)).stderr).toContain("relative: give --base-url");
    const validated = await run(["validate", input]);
    expect([validated.status, validated.stdout]).toEqual([1, expect.stringContaining("relative: give --base-url")]);
    expect((await run(["validate", input, "--base-url", BASE])).status).toBe(0);
    expect((await vitrine("load", input, "--base-url", "https://museum.example")).status).toBe(0);
    expect((await vitrine("load", feed("more.jsonl", { ...relative, id: "place/b" }))).status).toBe(0);
    expect((await vitrine("get", `${BASE}place/b`)).status).toBe(0);
  });
});

describe("get, export, stats, delete", () => {
  beforeEach(async () => {
    await vitrine("load", feed("places.jsonl", place("a"), place("b")));
  });

  it.each([
    ["jsonld", '"@context"'],
    ["json", '"@context"'],
    ["expanded", '"@type":["http://www.cidoc-crm.org/cidoc-crm/E53_Place"]'],
    ["ttl", "a crm:E53_Place"],
    ["nt", "<http://www.cidoc-crm.org/cidoc-crm/E53_Place> .\n"],
    ["nq", `<${BASE}place/a> .\n`],
  ])("get writes %s", async (format, part) => {
    const { status, stdout } = await vitrine("get", `${BASE}place/a`, "--format", format);
    expect([status, stdout.includes(part)]).toEqual([0, true]);
  });

  it("get names a record under a further base URL by its own address", async () => {
    const bases = ["--base-url", "http://elsewhere.example/", "--base-url", BASE];
    const { stdout } = await vitrine("get", `${BASE}place/a`, "--format", "schema", ...bases);
    expect(stdout).toContain(`"url":"${BASE}place/a"`);
  });

  it("get links to no representation that the record lacks", async () => {
    const { stdout } = await vitrine("get", `${BASE}place/a`, "--format", "html");
    expect(stdout).toContain("a.ttl");
    expect(stdout).not.toMatch(/a\.(?:edm\.rdf|manifest\.json)/);
  });

  it("get says that a record has no manifest", async () => {
    const { status, stdout, stderr } = await vitrine("get", `${BASE}place/a`, "--format", "manifest");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`the record <${BASE}place/a> has no representation manifest`);
  });

  it("get says that there is no such record", async () => {
    const { status, stderr } = await vitrine("get", `${BASE}place/x`);
    expect([status, stderr]).toEqual([2, `vitrine: the store has no record <${BASE}place/x>\n`]);
  });

  it("commands find a record by each spelling of its IRI, as browsers copy it", async () => {
    await vitrine("load", feed("spelled.jsonl", place("zürich")));
    const copied = `${BASE}place/z%C3%BCrich`;
    expect(JSON.parse((await vitrine("get", copied)).stdout)).toEqual(place("zürich"));
    expect((await vitrine("explain", copied)).stdout).toContain(`<${BASE}place/zürich> is published`);
    expect((await vitrine("delete", copied)).stderr).toBe("1 deleted\n");
    expect((await vitrine("delete", copied)).stderr).toBe("0 deleted, 1 deleted before\n");
  });

  it("export writes what loads into an equal store", async () => {
    for (const [name, args] of [
      ["all.nq.gz", []],
      ["all.jsonl", ["--format", "jsonl"]],
    ] as const) {
      const output = path(name);
      await vitrine("export", "--output", output, ...args);
      const copy = path(`copy-${name}`);
      expect((await run(["load", output, "--store", copy])).stderr).toContain("2 created");
      expect((await run(["export", "--store", copy])).stdout).toBe((await vitrine("export")).stdout);
    }
    expect(gunzipSync(readFileSync(path("all.nq.gz"))).toString()).toContain(`<${BASE}place/a>`);
    expect((await vitrine("export", "--endpoint", "person")).stdout).not.toContain("\n<");
  });

  it("stats has the contract's form with --json", async () => {
    expect(await json("stats")).toEqual({
      records: 2,
      triples: 4,
      invalid: 0,
      endpoints: { place: 2 },
      sequence: 2,
      lastChange: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      baseUrl: null,
    });
  });

  it("delete leaves no record, and refuses what is not there without touching the rest", async () => {
    expect((await vitrine("delete", `${BASE}place/a`, `${BASE}place/x`)).status).toBe(2);
    expect((await vitrine("delete", `${BASE}place/a`)).status).toBe(0);
    expect((await vitrine("get", `${BASE}place/a`)).status).toBe(2);
  });
});

describe("serve", () => {
  it("loads an empty store first, answers, and ends in order", async () => {
    const input = feed("places.jsonl", place("a"));
    const running = await served("--base-url", BASE, "--load", input);
    const answer = await fetch(`${running.url}/place/a`);
    expect(await answer.json()).toEqual(place("a"));
    expect(answer.headers.get("content-type")).toBe(`application/ld+json;profile="${CONTEXT}"`);
    expect(await running.stop()).toBe(0);
  });

  it("ends where the load that it begins with publishes nothing", async () => {
    const input = feed("places.jsonl", place("a"), { ...place("b"), _label: undefined });
    const args = ["--load", input, "--on-invalid", "abort", "--port", "0", "--log-format", "text"];
    const { status, stderr } = await vitrine("serve", ...args);
    expect([status, stderr]).toEqual([1, expect.stringContaining("nothing was loaded: 1 record invalid")]);
    expect(stderr).not.toContain("listening");
  });

  it("warns of a --load that is missing where the store has records", async () => {
    const input = feed("places.jsonl", place("a"));
    await vitrine("load", input);
    const running = await served("--base-url", BASE, "--load", input, "--load", `${input}-gone`);
    const words = `--load ${input}-gone: no such file or directory; the store has records, and is served without it`;
    expect(running.stderr()).toContain(words);
  });

  it("sees later loads and deletions", async () => {
    await vitrine("load", feed("places.jsonl", place("a")));
    const endWriting = lettingWrite(path("store"));
    const running = await served("--base-url", BASE);
    expect((await fetch(`${running.url}/place/b`)).status).toBe(404);
    await vitrine("load", feed("more.jsonl", place("b")));
    expect((await fetch(`${running.url}/place/b`)).status).toBe(200);
    await vitrine("delete", `${BASE}place/b`);
    expect((await fetch(`${running.url}/place/b`)).status).toBe(410);
    await running.stop();
    await endWriting();
  });

  it("warns when the records do not lie under the base URL", async () => {
    await vitrine("load", feed("places.jsonl", place("a"), place("b")));
    const running = await served("--base-url", "http://localhost:3000");
    expect(running.stderr()).toContain(`2 records under ${BASE}, served as http://localhost:3000/ (of 2 records`);
    expect(running.stderr()).toContain(
      `--base-url ${BASE}, or move them by vitrine rebase ${BASE} http://localhost:3000/`,
    );
    expect((await fetch(`${running.url}/entity?uri=${encodeURIComponent(`${BASE}place/a`)}`)).status).toBe(200);
    await running.stop();
    const elsewhere = ["http://b.example/", "http://c.example/", "http://d.example/"].map((base) => ({
      ...place("a"),
      id: `${base}a`,
    }));
    await vitrine("load", feed("places.jsonl", place("a"), ...elsewhere));
    const minority = await served("--base-url", BASE);
    expect(minority.stderr()).toContain(`5 records, 2 under ${BASE}`);
  });
});

describe("the command line", () => {
  it.each<[string, string[], RegExp]>([
    ["no such command", ["lode"], /no command "lode"/],
    ["no such option", ["stats", "--stroe", "x"], /--stroe/],
    ["a wrong choice", ["get", "urn:a", "--format", "docx"], /--format is "docx": it may be jsonld, /],
    ["no store", ["stats", "--store", "nowhere"], /there is no store in nowhere: load records first/],
    ["no input", ["load"], /load needs INPUT/],
    ["a missing file", ["load", "nowhere.nq"], /nowhere\.nq: no such file/],
    ["a missing settings file", ["stats", "--config", "no.yaml"], /no\.yaml cannot be read: there is no such file$/m],
    ["a missing context", ["load", "package.json", "--context", "urn:a=no.json"], /=no\.json: there is no such file$/m],
    [
      "a folder in place of rules",
      ["load", "package.json", "--hold", "."],
      /--hold \. .* cannot be read: it is a directory$/m,
    ],
    ["an empty IRI", ["get", ""], /an IRI is empty: name an entity/],
    ["an IRI of a deletion that is empty", ["delete", ""], /an IRI is empty: name an entity/],
    ["mending rules without mending", ["load", "a.jsonl", "--rules", "first-label"], /--rules needs --mend/],
    ["a token without an address", ["load", "a.jsonl", "--token", "x"], /--token needs --to/],
    ["an empty value", ["stats", "--store", ""], /--store is empty: give a value, or leave it out/],
    [
      "a base URL with a query",
      ["get", "a", "--base-url", "http://x.example/?a"],
      /not an http or https address without \? and #/,
    ],
    [
      "two IRIs to compare",
      ["diff", "a", "b"],
      /diff takes one IRI, or two releases, and there is no file or folder a or b/,
    ],
    ["a name of a token as an operand", ["token", "new", "x"], /token takes new \(--name NAME gives it a name\)/],
    ["a token without a name", ["token", "new", "--name", ""], /--name is empty: give a value, or leave it out/],
    [
      "a base URL that is none",
      ["load", "x.nq", "--base-url", "museum.org"],
      /--base-url "museum.org" is not absolute/,
    ],
  ])("%s is refused with 2", async (_name, args, message) => {
    await vitrine("load", feed("places.jsonl", place("a")), "--base-url", BASE);
    const { status, stderr } = await (args.includes("--store") ? run(args) : vitrine(...args));
    expect([status, message.test(stderr)]).toEqual([2, true]);
  });

  it.each([
    ["delete", `${BASE}place/a`],
    ["release", "--all"],
    ["rebase", BASE, "http://new.example/"],
    ["move", "-"],
    ["purge", "http://localhost:6081/"],
  ])("%s makes no store where there is none", async (...args) => {
    const { status, stderr } = await vitrine(...args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`there is no store in ${path("store")}`)]);
    expect(existsSync(path("store"))).toBe(false);
  });

  it("a site is not made in a folder that has the store, nor in the store", async () => {
    await vitrine("load", feed("places.jsonl", place("a")), "--base-url", BASE);
    for (const folder of [path("store"), path("."), path("store/site")]) {
      const { status, stderr } = await vitrine("site", folder);
      const message = `${folder} and the store ${path("store")} may not be in each other: name another for the site`;
      expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
      expect(existsSync(`${folder}/index.html`)).toBe(false);
    }
  });

  it("a site is not made where it would remove the files that it is made of, or copy itself", async () => {
    await vitrine("load", feed("places.jsonl", place("a")), "--base-url", BASE);
    const site = path("public");
    for (const what of ["images", "theme", "dumps"]) {
      const inside = join(site, what);
      mkdirSync(inside, { recursive: true });
      symlinkSync(inside, path(`linked-${what}`));
      for (const source of [inside, path(`linked-${what}`)]) {
        const { status, stderr } = await vitrine("site", site, `--${what}`, source);
        const message = `${site} and the ${what} ${source} may not be in each other: name another for the site`;
        expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
      }
      const { status, stderr } = await vitrine("site", join(inside, "site"), `--${what}`, inside);
      expect([status, stderr]).toEqual([2, expect.stringContaining("may not be in each other")]);
    }
    expect(existsSync(join(site, "index.html"))).toBe(false);
  });

  it("reads no arguments from the environment", async () => {
    const environment = { VITRINE_ALL: "true" };
    await vitrine("load", feed("places.jsonl", place("a")));
    const release = await vitrine("release", { environment });
    expect([release.status, release.stdout]).toEqual([2, ""]);
    expect(release.stderr).toMatch(
      /^warning: VITRINE_ALL is not a setting and has no effect: give --all on the command line\n.*release needs/,
    );
  });

  it("helps", async () => {
    const short = (await run(["--help"])).stdout;
    expect(short).toContain("vitrine help COMMAND");
    expect(short.split("\n").length).toBeLessThanOrEqual(15);
    for (const name of COMMAND_NAMES) expect(short).toMatch(new RegExp(`[ ,]${name}(,|\n)`));
    expect((await run(["load", "--help"])).stdout).toMatch(
      /--on-invalid WHAT .*refuse \| accept \| abort; default refuse/,
    );
  });
});
