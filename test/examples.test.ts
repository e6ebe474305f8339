/** The examples in the comments of public functions, run as they are: each line `EXPRESSION; // => JSON` must give that value. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

/** The folder in which examples become modules: below the root, so that they are compiled like the tests. */
const FOLDER = join("coverage", `examples-${process.pid}`);

interface Example {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

function examplesIn(file: string): Example[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/^ *\* @example\n((?:(?!^ *\*\/).*\n)+)/gm)].map((match) => ({
    file,
    line: text.slice(0, match.index).split("\n").length,
    code: match[1]!.replace(/^ *\* ?/gm, ""),
  }));
}

const EXAMPLES = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .toSorted()
  .flatMap((name) => examplesIn(join("src", name)));

/** The example as a module that exports the results of its lines; `#rdf/terms` stands for a file of src. */
function moduleOf({ file, code }: Example): string {
  const exported = [...readFileSync(file, "utf8").matchAll(/^export (?:async )?(?:function\*?|class|const) (\w+)/gm)];
  const own = `import { ${exported.map(([, name]) => name).join(", ")} } from "${resolve(file)}";\n`;
  const lines = code.replace(
    /^(.+); \/\/ => (.+)$/gm,
    (_, expression: string, value: string) => `results.push([${expression}, ${value}]);`,
  );
  return `${own}export const results: [unknown, unknown][] = [];\n${lines.replace(/from "#(.+)"/g, `from "${resolve("src")}/$1.ts"`)}`;
}

describe("the examples", () => {
  afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

  it("are given for functions of the syntaxes, of documents and of validation", () => {
    const rooms = new Set(EXAMPLES.map(({ file }) => dirname(file)));
    for (const room of ["rdf", "rdf/ntriples", "rdf/turtle", "jsonld", "validate"])
      expect(rooms).toContain(`src/${room}`);
    expect(EXAMPLES.length).toBeGreaterThan(20);
  });

  it.each(EXAMPLES.map((example) => [`${example.file}:${example.line}`, example] as const))(
    "%s",
    async (_, example) => {
      const path = resolve(FOLDER, `${example.file.replaceAll("/", "-").slice(0, -3)}-${example.line}.ts`);
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(path, moduleOf(example));
      const { results } = (await import(path)) as { results: readonly [unknown, unknown][] };
      expect(results.length).toBeGreaterThan(0);
      for (const [value, expected] of results) expect(value).toEqual(expected);
    },
  );
});
