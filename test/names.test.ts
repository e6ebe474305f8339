/** The names of the code: what one file exports, another one uses, and no other exports by the same name. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const DECLARED =
  /^export (?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;

/** The one way to the engines hands on what they are told and what they answer: their files are nobody else's to import. */
const DOOR = join("query", "open.ts");

/** Names with the files that export them, of those that several do. */
function sharedNames(files: ReadonlyMap<string, string>): [name: string, files: string[]][] {
  const exporting = new Map<string, string[]>();
  for (const [file, text] of files)
    for (const name of new Set([...text.matchAll(DECLARED)].map(([, each]) => each!)))
      exporting.set(name, [...(exporting.get(name) ?? []), file]);
  return [...exporting].filter(([, each]) => each.length > 1);
}

const SOURCES = new Map(
  readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => [file, readFileSync(join("src", file), "utf8")]),
);

describe("an exported name", () => {
  it("is exported by one file", () => {
    expect(sharedNames(SOURCES)).toEqual([]);
  });

  it("is used by another file", () => {
    const others = ["test", "bench", "bin", "generate"].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => /\.[jt]s$/.test(file))
        .map((file) => readFileSync(join(folder, file), "utf8")),
    );
    const filesWith = new Map<string, number>();
    for (const text of [...SOURCES.values(), ...others])
      for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) filesWith.set(word, (filesWith.get(word) ?? 0) + 1);
    const names = [...SOURCES.values()].flatMap((text) => [...text.matchAll(DECLARED)].map(([, name]) => name!));
    expect(names.length).toBeGreaterThan(1_000);
    // `RecordStore` is a part of `Store` that the documentation offers to whoever writes a store.
    expect(names.filter((name) => filesWith.get(name) === 1 && name !== "RecordStore")).toEqual([]);
  });

  it("has a comment where it is a function's", () => {
    const bare = [...SOURCES].flatMap(([file, text]) =>
      [...text.matchAll(/(?<!\*\/\n|^export function .*;\n)^export (?:async )?function\*? (\w+)/gm)].map(
        ([, name]) => `${file}: ${name}`,
      ),
    );
    expect(bare).toEqual([]);
  });

  it("is told apart by this test", () => {
    const files = new Map([
      ["a.ts", "export interface Entry {}\nexport function one() {}"],
      ["b.ts", "export type Entry = string;\nfunction one() {}"],
    ]);
    expect(sharedNames(files)).toEqual([["Entry", ["a.ts", "b.ts"]]]);
  });

  it("is imported from the file that declares it", () => {
    const handing = [...SOURCES].filter(([file, text]) => file !== DOOR && /^export (?:type )?[{*]/m.test(text));
    expect(handing.map(([file]) => file)).toEqual([]);
  });
});
