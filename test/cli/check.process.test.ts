/** `vitrine check`: its words and statuses over stores that are sound, damaged, or none; a damaged one can end the process that reads it. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failing, run } from "./run.js";
import { makeSound, PAGE, PLACES, tearPagesOf, tornPages } from "./torn-pages.js";
import { workspaceForAll } from "./workspace.js";

const { path, file, on } = workspaceForAll();
const [sound, damaged] = [on("sound"), on("damaged")];
beforeAll(() => makeSound(path("sound")));
beforeEach(() => {
  rmSync(path("damaged"), { recursive: true, force: true });
  cpSync(path("sound"), path("damaged"), { recursive: true });
});

/** Change the bytes of the damaged store's file. */
function change(work: (bytes: Buffer) => Buffer): void {
  file("damaged/records.mdb", work(readFileSync(path("damaged", "records.mdb"))));
}

describe("check", () => {
  it("finds nothing wrong with a sound store", async () => {
    const { status, stdout, stderr } = await sound.vitrine("check", "--json");
    expect([status, stderr]).toEqual([0, "299 records, no problems\n"]);
    expect(JSON.parse(stdout)).toEqual({ records: 299, problems: [] });
  });

  it("names the record whose bytes were changed, and nobody reads it any more", async () => {
    change((bytes) => Buffer.from(bytes.toString("latin1").replaceAll("number 42", "number 24"), "latin1"));
    const { status, stdout, stderr } = await damaged.vitrine("check");
    // The list of labels was changed too.
    const problem = `the record <${PLACES}42> does not have the checksum that it was stored with\n`;
    expect([status, stdout]).toEqual([1, expect.stringContaining(problem)]);
    expect(stderr).toContain("restore it from a backup");
    const got = await damaged.vitrine("get", `${PLACES}42`);
    expect([got.status, got.stdout]).toEqual([2, ""]);
    expect(got.stderr).toContain("does not have the checksum that it was stored with");
    expect((await damaged.vitrine("get", `${PLACES}43`)).status).toBe(0);
    expect((await damaged.vitrine("export")).status).toBe(2);
  });

  it("reports a file that is cut short, or no store at all", async () => {
    truncateSync(path("damaged", "records.mdb"), 4 * PAGE);
    const cut = await damaged.vitrine("check");
    expect([cut.status, cut.stdout]).toEqual([1, expect.stringContaining("is cut short")]);
    change(() => Buffer.from("no store".repeat(9999)));
    const none = await damaged.vitrine("check");
    expect([none.status, none.stdout]).toEqual([1, expect.stringContaining("is not an LMDB file")]);
    // A repair would be refused.
    expect(cut.stderr + none.stderr).not.toContain("--repair");
  });

  it("survives a torn page, and finds it where anything is lost with it", async () => {
    const found = await tornPages(path("sound"), path("damaged"), 3);
    expect(new Set(found)).toEqual(new Set([0, 1]));
  });

  it("is what a command that meets a torn page advises", async () => {
    tearPagesOf(path("damaged"), `${PLACES}42`);
    const { status, stdout, stderr } = await damaged.vitrine("get", `${PLACES}42`);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^vitrine: the disk changed pages of the store \(MDB_.*\): .* vitrine check, .*\n$/);
  });

  it.each([
    ["", 14],
    ["-early", 3],
  ])("--repair brings a store of an older format to this one (format-4%s)", async (variant, records) => {
    const older = `test/store/embedded/format-4${variant}.mdb.gz`;
    file("damaged/records.mdb", gunzipSync(readFileSync(older)));
    expect((await damaged.vitrine("check")).status).toBe(2);
    expect(await damaged.vitrine("check", "--repair")).toEqual({
      status: 0,
      stdout: "",
      stderr: `${records} records, no problems\n`,
    });
  });

  it("--repair of a store whose pages are damaged writes what can be read beside it", async () => {
    const bytes = readFileSync(path("sound", "records.mdb"));
    const rescued = path("damaged-rescued.nq");
    const repaired: [records: number, isPart: boolean][] = [];
    for (let page = 2; page < bytes.length / PAGE; page++) {
      if (!bytes.subarray(page * PAGE, (page + 1) * PAGE).includes("the place of number 150")) continue;
      file("damaged/records.mdb", Buffer.from(bytes).fill(0xa5, page * PAGE + 100, (page + 1) * PAGE));
      const { status, stderr } = await damaged.vitrine("check", "--repair");
      const [, told] =
        /cannot be repaired \(.+\); (\d+) records can be read and were written to .+-rescued\.nq: restore/.exec(
          stderr,
        ) ?? [];
      expect([status, told === undefined]).toEqual([expect.any(Number), status !== 2]);
      if (told === undefined) continue;
      const { stdout } = await run(["validate", rescued, "--json"]);
      expect(JSON.parse(stdout)).toMatchObject({ records: Number(told) });
      repaired.push([Number(told), Number(told) < 299]);
    }
    expect(repaired).toContainEqual([expect.any(Number), true]);
  });

  it.each([
    ["check", 2],
    ["check --repair", 3],
  ])(
    "%s ends with %i where its results cannot be written, so that a repair is known to be done",
    async (command, expected) => {
      const { status, stderr } = await damaged.vitrine(...command.split(" "), "--json", { stdout: failing("ENOSPC") });
      expect([status, stderr]).toEqual([expected, expect.stringContaining("vitrine: the results cannot be written: ")]);
    },
  );

  it("--repair makes no store where there is none", async () => {
    const { status, stderr } = await on("none").vitrine("check", "--repair");
    expect([status, stderr]).toEqual([2, expect.stringContaining("there is no store in")]);
    expect(existsSync(path("none"))).toBe(false);
  });

  it("tells of a search index that is damaged, and --repair builds it", async () => {
    truncateSync(path("damaged", "search.sqlite"), 10_000);
    const { status, stdout } = await damaged.vitrine("check");
    expect([status, stdout]).toEqual([1, expect.stringContaining("the search index is damaged")]);
    expect((await damaged.vitrine("check", "--repair")).status).toBe(0);
    expect((await damaged.vitrine("find", "42")).stdout).toContain(`${PLACES}42`);
  });

  it("says what is known of the records when the search index cannot be opened", async () => {
    rmSync(path("damaged", "search.sqlite-lock"));
    mkdirSync(path("damaged", "search.sqlite-lock"));
    const index = `but the search index of the store in ${path("damaged")} cannot be opened or written to: `;
    const checked = await damaged.vitrine("check");
    expect([checked.status, checked.stderr]).toEqual([
      2,
      expect.stringContaining(`299 records, no problems; ${index}`),
    ]);
    const repaired = await damaged.vitrine("check", "--repair");
    expect([repaired.status, repaired.stderr]).toEqual([
      2,
      expect.stringContaining(`the records are repaired; ${index}`),
    ]);
    const { status, stderr } = await damaged.vitrine("find", "42");
    expect([status, stderr]).toEqual([2, expect.not.stringContaining("check --repair")]);
  });

  it("that is interrupted says so", async () => {
    const { status, stderr } = await sound.vitrine("check", { interrupted: AbortSignal.abort() });
    expect([status, stderr]).toEqual([2, "vitrine: interrupted\n"]);
  });

  it("says that there is no store", async () => {
    const { status, stderr } = await on("none").vitrine("check");
    expect([status, stderr]).toEqual([2, expect.stringContaining("there is no store in")]);
    const inFile = file("file", "");
    const refused = await run(["check", "--store", inFile]);
    expect([refused.status, refused.stderr]).toEqual([
      2,
      `vitrine: ${inFile}/records.mdb: a part of the path is not a directory\n`,
    ]);
  });
});
