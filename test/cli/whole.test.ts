/** What is written whole or not at all, what reaches a terminal, and what moves from one base URL to another. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { visible } from "../../src/cli/main/terminal.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { HAS_SMALL_DISKS, smallDisk } from "../load/small-disk.js";
import { problemsIn } from "../store/checked.js";
import { run } from "./run.js";
import { workspaceForAll } from "./workspace.js";

const OLD = "http://localhost:3000/";
const NEW = "https://data.museum.example/collection/";

const { path, feed, vitrine, json, on, load } = workspaceForAll();
beforeAll(async () => {
  await load([place("1", "One"), place("2", "Two", "place/1")], "--base-url", OLD);
});

function place(id: string, label: string, partOf?: string): object {
  const whole = partOf === undefined ? {} : { part_of: [{ id: partOf, type: "Place", _label: "whole" }] };
  return { "@context": DEFAULT_MODEL.contextUri, id: `place/${id}`, type: "Place", _label: label, ...whole };
}

describe("export --output", () => {
  it("replaces a file once it is whole, keeps who may read it, and ends with its count", async () => {
    const output = path("all.nq");
    writeFileSync(output, "before", { mode: 0o600 });
    expect(await vitrine("export", "--output", output)).toMatchObject({ status: 0, stderr: "" });
    const text = readFileSync(output, "utf8");
    expect(text).toMatch(/^# Vitrine export: .*\n</);
    expect(text).toMatch(/\n# Vitrine export ends: records 2, quads 7\n$/);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    expect(text).toBe((await vitrine("export")).stdout);
  });

  it("says which folder is missing, writes nothing into a store, and writes to what is no file as it is", async () => {
    const { status, stderr } = await vitrine("export", "--output", path("no", "all.nq"));
    expect([status, stderr]).toEqual([2, expect.stringContaining("there is no folder")]);
    for (const command of [
      ["export", "--format", "nq", "--output"],
      ["validate", path("all.nq"), "--report"],
    ]) {
      const into = await vitrine(...command, path("store", "records.mdb"));
      expect([into.status, into.stderr]).toEqual([2, expect.stringMatching(/store is a store; name another folder/)]);
    }
    expect((await vitrine("export", "--output", "/dev/null")).status).toBe(0);
    expect(statSync("/dev/null").isFile()).toBe(false);
  });

  it.runIf(HAS_SMALL_DISKS)(
    "leaves the earlier file when the disk is full, and names what was to be written, as dump and site do",
    async () => {
      const disk = smallDisk(1)!;
      using _ = { [Symbol.dispose]: () => disk.remove() };
      const file = join(disk.path, "all.nq");
      writeFileSync(file, "the last backup");
      writeFileSync(join(disk.path, "full"), Buffer.alloc(2 ** 20 - 8192));
      const big = on("big");
      await big.load([place("big", "x".repeat(100_000))], "--base-url", OLD);
      const [dumps, site] = [join(disk.path, "dumps"), join(disk.path, "site")];
      for (const [path, ...command] of [
        [file, "export", "--output", file],
        [dumps, "dump", "--dumps", dumps],
        [site, "site", site],
      ] as const) {
        const { status, stderr } = await big.vitrine(...command);
        expect([status, stderr]).toEqual([2, expect.stringMatching(`vitrine: ${path}\\S*: the disk is full\n$`)]);
      }
      expect(readdirSync(disk.path).sort()).toEqual(["all.nq", "dumps", "full", "site"]);
      expect(readdirSync(dumps)).toEqual([]);
      expect(readFileSync(file, "utf8")).toBe("the last backup");
    },
  );

  it("that lacks a line is not loaded, alone and in others, put together, of which none need lack one", async () => {
    const { stdout } = await vitrine("export");
    const validate = (stdin: string) => run(["validate", "-", "--format", "nq"], { stdin });
    const lacking = stdout.replace(/\n<.*/, "");
    for (const [stdin, quads, has] of [
      [lacking, 7, 6],
      [stdout + lacking + stdout, 21, 20],
    ] as const) {
      const told = `this export of Vitrine should have ${quads} quads and has ${has}. Export again`;
      expect(await validate(stdin)).toMatchObject({ status: 2, stderr: expect.stringContaining(told) });
    }
    expect((await validate(`${stdout}\n${stdout} \n\n`)).status).toBe(0);
    // Dumps, and earlier exports, have no number of quads.
    expect((await validate(lacking.replace(/, quads.*/, ""))).status).toBeLessThan(2);
  });

  it("that was cut off is not loaded, wherever the cut is; a part without the first line is", async () => {
    const { stdout } = await vitrine("export");
    const lines = stdout.trimEnd().split("\n");
    for (const end of [1, 2, lines.length - 1]) {
      const cut = lines
        .slice(0, end)
        .map((line) => `${line}\n`)
        .join("");
      const { status, stderr } = await on("cut").vitrine("load", "-", "--format", "nq", { stdin: cut });
      expect([end, status, stderr]).toEqual([end, 2, expect.stringContaining("was cut off")]);
    }
    const part = lines
      .slice(1, 3)
      .map((line) => `${line}\n`)
      .join("");
    expect((await run(["validate", "-", "--format", "nq"], { stdin: part })).status).toBeLessThan(2);
    expect((await run(["validate", "-", "--format", "nq"], { stdin: stdout })).status).toBe(0);
  });
});

describe("a terminal", () => {
  const HOSTILE = "\u001b]0;owned\u0007 \u009b31m \u202egnp.exe \u2066x\u2069 \rgone";

  it("is shown what would act on it, as an escape that JSON and Turtle read as the same", () => {
    expect(visible(HOSTILE)).toBe("\\u001b]0;owned\\u0007 \\u009b31m \\u202egnp.exe \\u2066x\\u2069 \\u000dgone");
    expect(visible("Ünïcode 漢字 😀 עברית\tand\nlines")).toBe("Ünïcode 漢字 😀 עברית\tand\nlines");
    expect(visible("half \ud800 pair")).toBe("half \\ud800 pair");
    expect(JSON.parse(visible(JSON.stringify(HOSTILE)))).toBe(HOSTILE);
  });

  it("gets nothing raw out of data, keys, ids, contexts, names of files and arguments, by any command", async () => {
    const hostile = path("hostile");
    const documents = [
      place("x", HOSTILE),
      { ...place("y", "y"), [HOSTILE]: HOSTILE },
      { ...place("z", "z"), id: `place/${HOSTILE}` },
      { ...place("v", "v"), "@context": HOSTILE },
      { ...place("w", "w"), type: HOSTILE },
    ];
    const file = feed(`${"\u001b[2J"}.jsonl`, ...documents);
    const common = ["--store", hostile, "--base-url", OLD];
    for (const args of [
      ["validate", file],
      ["load", file, "--on-invalid", "accept", ...common],
      ["load", path(HOSTILE), ...common],
      ["get", "place/x", ...common],
      ["get", "place/x", "--format", "ttl", ...common],
      ["get", HOSTILE, ...common],
      ["export", ...common],
      ["export", "--format", "jsonl", ...common],
      ["stats", "--store", HOSTILE],
      [HOSTILE],
      ["stats", `--${HOSTILE}`],
    ]) {
      const { stdout, stderr } = await run(args, { isTTY: true });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
      const raw = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
      // Progress clears its own line.
      expect([args[0], `${stdout}${stderr.replaceAll("\r\u001b[K", "")}`]).toEqual([
        args[0],
        expect.not.stringMatching(raw),
      ]);
    }
    // What no terminal shows is as it is.
    expect((await run(["get", "place/x", ...common, "--format", "json"])).stdout).toContain("\u202e");
  });
});

describe("rebase", () => {
  it("moves records, references and the base URL in one step; the old IRIs leave tombstones", async () => {
    const before = await vitrine("export");
    expect((await vitrine("rebase", OLD, NEW, "--dry-run")).stderr).toBe(`2 records would be moved to ${NEW}\n`);
    expect((await vitrine("export")).stdout).toBe(before.stdout);
    await load([{ ...place("3", "3", `${OLD}place/1`), id: "https://other.example/place/3" }], "--source", "feed");
    const { status, stderr } = await vitrine("rebase", OLD.slice(0, -1), NEW);
    expect([status, stderr]).toEqual([0, `2 records moved to ${NEW}, 1 other record changed\n`]);
    const { stdout } = await vitrine("export");
    expect(stdout).not.toContain(OLD);
    expect(stdout).toContain(
      `<https://other.example/place/3> <http://www.cidoc-crm.org/cidoc-crm/P89_falls_within> <${NEW}place/1> <https://other.example/place/3>`,
    );
    expect(await json("stats")).toMatchObject({
      records: 3,
      baseUrl: NEW,
      sources: { feed: 1 },
    });
    expect((await vitrine("delete", `${OLD}place/1`)).stderr).toBe("0 deleted, 1 deleted before\n");
    expect(await problemsIn(path("store"))).toEqual([]);
  });

  it("changes nothing when a record would take the IRI of another", async () => {
    const both = on("both");
    await both.load([place("1", "old"), { ...place("1", "new"), id: `${NEW}place/1` }], "--base-url", OLD);
    const before = (await both.vitrine("export")).stdout;
    const { status, stderr } = await both.vitrine("rebase", OLD, NEW);
    expect([status, stderr]).toEqual([2, expect.stringContaining("would take the IRI of the record")]);
    expect((await both.vitrine("export")).stdout).toBe(before);
    expect(existsSync(path("both", "lock")) && readdirSync(path("both", "lock"))).toEqual([]);
  });
});

describe("rebase of held records", () => {
  const HELD = ["--base-url", OLD, "--source", "feed", "--hold", "source=feed"];

  it("changes nothing when a held record would take the IRI of a public one", async () => {
    const drafts = on("drafts");
    await drafts.load([{ ...place("1", "public"), id: `${NEW}place/1` }]);
    await drafts.load([place("1", "draft")], ...HELD);
    const { status, stderr } = await drafts.vitrine("rebase", OLD, NEW);
    expect([status, stderr]).toEqual([2, expect.stringContaining("would take the IRI of the record")]);
    expect((await drafts.vitrine("get", `${NEW}place/1`)).stdout).toContain("public");
  });

  it("leaves released ones public, also when they are loaded again", async () => {
    const released = on("released");
    await released.load([place("1", "one"), place("2", "two")], ...HELD);
    await released.vitrine("release", "--all");
    await released.vitrine("rebase", OLD, NEW);
    const again = ["1", "2", "3"].map((id) => ({ ...place(id, `${id} again`), id: `${NEW}place/${id}` }));
    expect((await released.load(again, ...HELD)).stderr).toContain("2 replaced");
    expect(await released.json("stats")).toMatchObject({ records: 2 });
    expect(await problemsIn(path("released"))).toEqual([]);
  });
});

describe("IRIs as arguments", () => {
  it("may be relative to the base URL of the store, and come as lists", async () => {
    const lists = on("lists");
    const documents = ["1", "2", "3", "4"].map((id) => place(id, id));
    await lists.load(documents, "--base-url", OLD);
    expect((await lists.vitrine("get", "place/1")).stdout).toContain(`${OLD}place/1`);
    const stdin = `<${OLD}place/2>\n\nplace/3\nplace/4\r\nplace/4\r\n`;
    const { status, stderr } = await lists.vitrine("delete", "-", { stdin });
    expect([status, stderr]).toEqual([0, "3 deleted\n"]);
    expect((await lists.vitrine("delete", "place/4")).status).toBe(0);
    expect((await lists.vitrine("delete", "place/1", "place/5")).status).toBe(2);
    expect(await lists.json("stats")).toMatchObject({ records: 1 });
  });
});

describe("the command line", () => {
  it("names what was probably meant, and helps with any command", async () => {
    expect((await run(["lod"])).stderr).toContain("did you mean load?");
    expect((await run(["serve", "--prot", "1"])).stderr).toContain("did you mean --port?");
    expect((await run(["serve", "--quux"])).stderr).not.toContain("did you mean");
    const { stdout } = await run(["help", "export", "all"]);
    expect(stdout).toBe((await run(["export", "--help", "all"])).stdout);
    for (const part of ["examples:", "vitrine export --output", "exit status: 0 done", "nq | jsonl"])
      expect(stdout).toContain(part);
  });

  it("reads a token from a file, which keeps it out of the list of processes", async () => {
    const { status, stderr } = await vitrine("serve", "--sparql-access", "token", "--sparql-token", "@/no/such");
    expect([status, stderr]).toEqual([2, expect.stringContaining("--sparql-token @/no/such cannot be read")]);
  });
});
