/** The exported names of the code: each is exported by one file only, and used by another. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const DECLARED =
  /^export (?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;

/** The only file that may export names of others: it gives access to the engines, whose own files nobody else imports. */
const DOOR = join("query", "open.ts");

/** The names that several files export, with these files. */
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
    // `RecordStore` is a part of `Store` that the documentation offers to authors of stores.
    expect(names.filter((name) => filesWith.get(name) === 1 && name !== "RecordStore")).toEqual([]);
  });

  it("has a comment if it is the name of a function", () => {
    const bare = [...SOURCES].flatMap(([file, text]) =>
      [...text.matchAll(/(?<!\*\/\n|^export function .*;\n)^export (?:async )?function\*? (\w+)/gm)].map(
        ([, name]) => `${file}: ${name}`,
      ),
    );
    expect(bare).toEqual([]);
  });

  it("is found by this test if two files export it", () => {
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
