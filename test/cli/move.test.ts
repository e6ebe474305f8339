/** Merged and moved identifiers: `move`, `delete --moved-to`, and what is answered for them. */
import { beforeEach, describe, expect, it } from "vitest";
import { problemsIn } from "../store/checked.js";
import { place } from "./feeds.js";
import { workspaceForEach } from "./workspace.js";

const BASE = "http://museum.example/";

const workspace = workspaceForEach();
const { path, vitrine, json } = workspace;
beforeEach(() => load("abcdef", "first"));

/** Load a place of each name: of each letter of a text. */
async function load(names: Iterable<string>, label: string, ...options: string[]): Promise<void> {
  const places = [...names].map((name) => place(`${BASE}place/${name}`, `${label} ${name}`));
  const { status, stderr } = await workspace.load(places, "--base-url", BASE, ...options);
  expect(status, stderr).toBe(0);
}

const list = (content: string): string => workspace.file("moves.csv", content);

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly json: { readonly [key: string]: unknown };
  readonly link: string | null;
}

/** Ask a service of the store for paths, without following where they lead. */
async function asked(...paths: string[]): Promise<Answer[]> {
  const service = await workspace.served();
  try {
    return await Promise.all(
      paths.map(async (path) => {
        const answer = await fetch(`${service.url}/${path}`, { redirect: "manual" });
        const text = await answer.text();
        return {
          status: answer.status,
          location: answer.headers.get("location"),
          link: answer.headers.get("link"),
          json: text.startsWith("{") ? (JSON.parse(text) as Answer["json"]) : {},
        };
      }),
    );
  } finally {
    await service.stop();
  }
}

describe("moved identifiers", () => {
  it("are those of the list, with the dots of an IRI that is absolute", async () => {
    await load(["x/../y"], "first");
    expect(await vitrine("move", list(`${BASE}place/x/../y place/a\n`))).toMatchObject({ status: 0 });
    expect(await vitrine("get", `${BASE}place/x/../y`)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`it moved to <${BASE}place/a>`) as string,
    });
  });

  it.each([
    ["move", `${BASE}place/a ${BASE}place/b\n`],
    ["delete", `${BASE}place/a\n`],
  ])("may come in a list of more lines than a function has arguments (%s)", async (command, line) => {
    expect(await vitrine(command, "-", { stdin: line.repeat(200_000) })).toMatchObject({ status: 0 });
  });

  it("lead straight to the last of a chain, whenever its links were made, and keep a suffix", async () => {
    expect(await vitrine("delete", "place/a", "--moved-to", "place/b")).toMatchObject({ status: 0 });
    // In one list, and through what was moved before.
    const moves = list(
      "# old, new\nplace/b, place/c\n<http://museum.example/place/d>\t<http://museum.example/place/a>\n",
    );
    expect(await vitrine("move", moves, "--json")).toMatchObject({ status: 0, stdout: '{"moved":2,"sequence":9}\n' });
    expect(await vitrine("get", "place/a")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`no record <${BASE}place/a>: it moved to <${BASE}place/b>`) as string,
    });
    const answers = await asked(
      "place/a",
      "place/b",
      "place/d.ttl",
      "place/c",
      "entity?uri=http://museum.example/place/a",
    );
    expect(answers.map(({ status, location }) => [status, location])).toEqual([
      [301, `${BASE}place/c`],
      [301, `${BASE}place/c`],
      [301, `${BASE}place/c.ttl`],
      [200, null],
      [301, `${BASE}place/c`],
    ]);
    expect(await vitrine("explain", `${BASE}place/a`)).toMatchObject({
      stdout: expect.stringContaining(`was moved to <${BASE}place/b>`) as string,
    });
    expect(await problemsIn(path("store"))).toEqual([]);
  });

  it("may be percent-encoded, as browsers copy them", async () => {
    await load(["zürich", "genève"], "first");
    const copied = list("place/z%C3%BCrich place/gen%C3%A8ve\n");
    expect(await vitrine("move", copied)).toMatchObject({ status: 0, stderr: "1 record moved\n" });
    expect((await vitrine("get", "place/zürich")).stderr).toContain(`it moved to <${BASE}place/genève>`);
    expect((await vitrine("move", copied)).stderr).toBe("0 records moved, 1 moved before\n");
  });

  it("may move from one spelling to another, whose record stays when the old one is moved or deleted again", async () => {
    await load(["z%C3%BCrich", "zürich"], "first");
    const respelled = list("place/z%C3%BCrich place/zürich\n");
    expect((await vitrine("move", respelled)).stderr).toBe("1 record moved\n");
    expect((await vitrine("move", respelled)).stderr).toBe("0 records moved, 1 moved before\n");
    expect((await vitrine("delete", "place/z%C3%BCrich")).stderr).toBe("0 deleted, 1 deleted before\n");
    expect((await vitrine("get", "place/zürich")).status).toBe(0);
  });

  it("may stand in quotes, after a byte order mark, as spreadsheets write them", async () => {
    const quoted = list('\ufeff"place/a","place/b"\r\n"http://museum.example/place/c";"place/d"\r\n');
    expect(await vitrine("move", quoted)).toMatchObject({ status: 0, stderr: "2 records moved\n" });
    await load(["x,y;z"], "IIIF");
    expect(await vitrine("move", list('"place/x,y;z","place/f"\n'))).toMatchObject({ status: 0 });
    await vitrine("delete", "place/e");
    expect((await vitrine("get", "place/e")).stderr).toMatch(/place\/e>: it was deleted at 2\d{3}-.*Z\n$/);
  });

  it("are Move activities with a target, in every stream that they belong to", async () => {
    await vitrine("delete", "place/a", "--moved-to", "place/b");
    const [page, kind, change] = await asked("activity/page/1", "activity/place/page/1", "activity/change/7");
    const move = (page!.json.orderedItems as Answer["json"][]).at(-1);
    expect(move).toMatchObject({
      type: "Move",
      object: { id: `${BASE}place/a`, type: "Place" },
      target: { id: `${BASE}place/b`, type: "Place" },
    });
    expect((move!.target as { seeAlso: unknown[] }).seeAlso.length).toBeGreaterThan(2);
    expect(move!.object).not.toHaveProperty("seeAlso");
    expect((kind!.json.orderedItems as unknown[]).at(-1)).toEqual(move);
    expect(change!.json).toMatchObject(move!);
  });

  it("are refused in circles, twice, to nothing and from nothing, each named with its line, and nothing changes", async () => {
    await vitrine("delete", "place/a", "--moved-to", "place/b");
    await load("h", "held", "--source", "new", "--hold", "source=new");
    const refusals: [string, RegExp][] = [
      ["place/b place/a\n", /moves\.csv:1: <.*place\/b> would lead in a circle/],
      ["place/c place/d\nplace/d place/e\nplace/e place/c\n", /moves\.csv:1: .*circle[\s\S]*moves\.csv:2: .*circle/],
      ["place/c place/c\n", /circle/],
      ["place/c place/d\nplace/c place/e\n", /moves\.csv:2: .*moves\.csv:1 moves <.*place\/c> elsewhere/],
      ["place/c place/none\n", /place\/none>, which has no record/],
      ["place/none place/c\n", /never had a record <.*place\/none>/],
      ["place/h place/c\n", /<.*place\/h> is held and was never public/],
      ["place/c\n", /moves\.csv:1: write the old IRI and the new one/],
      ["place/c http://a/{b}\n", /moves\.csv:1: an IRI /],
    ];
    for (const [content, message] of refusals) {
      const { status, stderr } = await vitrine("move", list(content));
      expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    }
    expect((await vitrine("delete", "place/b", "--moved-to", "place/a")).status).toBe(2);
    expect(await json("stats")).toMatchObject({ records: 5, sequence: 7 });
  });

  it("can be of what was deleted before, be led elsewhere, and end when the record comes back", async () => {
    await vitrine("delete", "place/a");
    await vitrine("delete", "place/a", "--moved-to", "place/b");
    await vitrine("delete", "place/a", "--moved-to", "place/b");
    const [first] = await asked("place/a");
    expect(first).toMatchObject({ status: 301, location: `${BASE}place/b` });
    await vitrine("delete", "place/a", "--moved-to", "place/c");
    expect((await asked("place/a"))[0]).toMatchObject({ status: 301, location: `${BASE}place/c` });
    await load("a", "again");
    const [back, record] = await asked("place/a", `activity/record?uri=${BASE}place/a&page=1`);
    expect(back).toMatchObject({ status: 200, json: { _label: "again a" } });
    const kinds = (record!.json.orderedItems as { type: string }[]).map(({ type }) => type);
    expect(kinds).toEqual(["Create", "Delete", "Move", "Move", "Create"]);
    expect(await problemsIn(path("store"))).toEqual([]);
  });

  it("refuses to rebase what no record has, and says what they have", async () => {
    const { status, stderr } = await vitrine("rebase", "http://other.example/", "http://new.example/");
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining(
        `nothing was changed: no IRI in the store begins with http://other.example/; the store's base URL is ${BASE}`,
      ),
    ]);
  });

  it("come of rebase, too: the old IRIs lead to the new ones", async () => {
    expect((await vitrine("rebase", BASE, "http://new.example/")).status).toBe(0);
    expect((await vitrine("explain", `${BASE}place/a`)).stdout).toContain("it was vitrine move, delete or rebase");
    const [answer, change] = await asked(`entity?uri=${BASE}place/a`, "activity/change/7");
    expect(answer).toMatchObject({ status: 301, location: "http://new.example/place/a" });
    expect(change!.json).toMatchObject({ type: "Move", object: { id: `${BASE}place/a` } });
    expect(await problemsIn(path("store"))).toEqual([]);
  });

  it("a thousand at once, in one step", async () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `many/${at}`);
    await workspace.load(names.map((name) => place(name, "x")));
    // A single chain through all of them.
    const moves = names.map((name, at) => `${name} ${names[at + 1] ?? "place/a"}`).join("\n");
    expect(await vitrine("move", list(moves), "--json")).toMatchObject({ stdout: '{"moved":1000,"sequence":2006}\n' });
    expect((await asked("many/0"))[0]).toMatchObject({ status: 301, location: `${BASE}place/a` });
  });
});

describe("a deleted record", () => {
  it("is 410 with the time, and with --keep deleted with what it said last", async () => {
    await vitrine("delete", "place/a");
    await load("b", "second", "--keep=deleted");
    await vitrine("delete", "place/b");
    const [gone, kept] = await asked("place/a", "place/b");
    expect(gone).toMatchObject({ status: 410, json: { deleted: expect.stringMatching(/^\d{4}-.*Z$/) as string } });
    expect(gone!.json).not.toHaveProperty("lastVersion");
    expect(kept).toMatchObject({
      status: 410,
      link: expect.stringMatching(/versions\/\d+>; rel="last memento"/) as string,
      json: { lastVersion: { document: { id: `${BASE}place/b`, _label: "second b" } } },
    });
    await vitrine("delete", "place/c", "--keep=nothing");
    expect((await asked("place/c"))[0]!.json).not.toHaveProperty("lastVersion");
    expect((await vitrine("delete", "place/d", "--keep=less")).status).toBe(2);
    expect(await problemsIn(path("store"))).toEqual([]);
  });
});
